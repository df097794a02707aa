"""accuracy/MECHANISM/METHOD/conditioning:C: error of forward dynamics and its time."""

from . import style, tables
from .results import BASELINES, parts, unique
from .style import plt

METHODS = ("aba", *BASELINES)


def read(results):
    """{mechanism: [conditioning, as written; best first]}"""
    found = {}
    for name in results.names("accuracy"):
        plain, valued = parts(name)
        found.setdefault(plain[1], []).append(valued["conditioning"])
    return {mechanism: sorted(unique(values), key=float, reverse=True) for mechanism, values in found.items()}


def points(results, mechanism, method, values, key):
    """[(measured conditioning, counter)], without cases in which the method gives no answer."""
    found = []
    for value in values:
        name = f"accuracy/{mechanism}/{method}/conditioning:{value}"
        x, y = results.counter(name, "rcond"), results.counter(name, key)
        if x and y is not None:
            found.append((x, max(y, 1e-19)))
    return found


def figures(results):
    data = read(results)
    if not data:
        return {}
    figure, axes = plt.subplots(1, len(data), figsize=(9.4, 3.7), squeeze=False, sharey=True)
    for panel, (mechanism, values) in zip(axes.flat, data.items()):
        floor = points(results, mechanism, "aba", values, "rounding")
        if floor:
            panel.fill_between(*zip(*floor), 1e-19, color="#e4e8ec", linewidth=0, label="rounding of q alone")
        for method in METHODS:
            curve = points(results, mechanism, method, values, "error")
            if curve:
                style.line(panel, method, *zip(*curve))
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.invert_xaxis()
        panel.set_title(mechanism, loc="left")
        panel.set_xlabel(f"rcond of {'M' if 'mass' in mechanism else 'K_d'}, worse to the right")
        panel.minorticks_off()
    lowest = min(y for mechanism, values in data.items() for method in METHODS
                 for _, y in points(results, mechanism, method, values, "error"))
    axes[0][0].set_ylim(bottom=lowest / 5)
    axes[0][0].set_ylabel("largest relative error of ÿ")
    style.legend_above(figure, axes.flat, top=0.99)
    figure.subplots_adjust(left=0.085, right=0.985, top=0.83, bottom=0.25, wspace=0.08)
    return {"accuracy": figure}


def cell(results, name):
    error, time = results.counter(name, "error"), results.time(name)
    return "–" if error is None else f"{tables.power(error)}, {tables.nanoseconds(time)} ns"


def make_tables(results):
    rows = []
    for mechanism, values in read(results).items():
        for value in values:
            at = f"accuracy/{mechanism}/{{}}/conditioning:{value}"
            rows.append([mechanism, value, tables.power(results.counter(at.format("aba"), "rounding")),
                         *(cell(results, at.format(method)) for method in METHODS)])
    if not rows:
        return {}
    header = ["mechanism", "conditioning", "rounding of q alone", *(f"`{method}`" for method in METHODS)]
    return {"accuracy": tables.markdown(header, rows)}
