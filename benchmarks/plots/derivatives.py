"""Derivatives: of the robots, in growth/SHAPE/METHOD/clusters:N, and in accuracy_derivatives."""

import math

from . import tables
from .results import parts, unique

METHODS = ("rnea_derivatives", "aba_derivatives", "inverse_mass_matrix", "central_differences", "aba_second_derivatives")
SHAPES = {"chain": "one chain", "branches": "branches of ten"}


def figures(_):
    return {}


def robot_table(results):
    names = unique(parts(name)[0][1] for name in results.names("robots"))
    names = [name for name in names if results.time(f"robots/{name}/aba_derivatives")]
    rows = []
    for name in sorted(names, key=lambda name: results.time(f"robots/{name}/aba")):
        time = {method: results.time(f"robots/{name}/{method}") for method in ("aba", "rnea", *METHODS)}
        rows.append([name, *(tables.nanoseconds(time[method]) for method in ("rnea", "aba", *METHODS)),
                     tables.ratio(time["rnea_derivatives"] / time["rnea"]),
                     tables.ratio(time["aba_derivatives"] / time["aba"]),
                     tables.ratio(time["central_differences"] / time["aba_derivatives"]),
                     tables.ratio(time["aba_second_derivatives"] and
                                  time["aba_second_derivatives"] / time["aba_derivatives"])])
    header = ["robot", "`rnea`", "`aba`", *(f"`{method}`" for method in METHODS), "`rnea_derivatives` / `rnea`",
              "`aba_derivatives` / `aba`", "`central_differences` / `aba_derivatives`",
              "`aba_second_derivatives` / `aba_derivatives`"]
    return tables.markdown(header, rows) if rows else None


def growth_table(results):
    """Microseconds, and nanoseconds for each pair of a cluster with itself or an ancestor."""
    times = {}
    for name in results.names("growth"):
        plain, valued = parts(name)
        time, pair = results.time(name), results.counter(name, "per_pair")
        if time:
            times.setdefault((plain[1], plain[2]), {})[int(valued["clusters"])] = (time, pair)
    sizes = sorted({clusters for cells in times.values() for clusters in cells})
    rows = []
    for shape, method in sorted(times, key=lambda key: (list(SHAPES).index(key[0]), key[1])):
        cells = times[shape, method]
        rows.append([SHAPES[shape], f"`{method}`",
                     *(f"{tables.microseconds(cells[size][0])}, {tables.three_figures(cells[size][1] * 1e9)}"
                       if size in cells else "–" for size in sizes)])
    return tables.markdown(["", "", *(f"{size} clusters" for size in sizes)], rows, left=2) if rows else None


def digits(results, name):
    error = results.counter(name, "error")
    return "–" if error is None else f"{max(-math.log10(max(error, 1e-16)), 0):.1f}"


def accuracy_table(results):
    cases = {}
    for name in results.names("accuracy_derivatives"):
        plain, valued = parts(name)
        cases.setdefault(plain[1], []).append(valued["conditioning"])
    rows = []
    for mechanism, values in cases.items():
        for value in sorted(unique(values), key=float, reverse=True):
            at = f"accuracy_derivatives/{mechanism}/{{}}/conditioning:{value}"
            rounding = results.counter(at.format("aba_derivatives"), "rounding")
            known = "–" if rounding is None else f"{-math.log10(max(rounding, 1e-16)):.1f}"
            rows.append([mechanism, value, known, digits(results, at.format("aba_derivatives")),
                         digits(results, at.format("central_differences")),
                         tables.power(results.counter(at.format("central_differences"), "step"))])
    header = ["mechanism", "conditioning", "q rounded alone", "`aba_derivatives`", "`central_differences`", "their step"]
    return tables.markdown(header, rows) if rows else None


def make_tables(results):
    found = {"derivatives": robot_table(results), "growth": growth_table(results),
             "accuracy_derivatives": accuracy_table(results)}
    return {name: text for name, text in found.items() if text}
