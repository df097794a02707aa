"""open_chains/ROBOT/METHOD: robots without loops or gears."""

from . import tables
from .results import BASELINES, parts, unique


def robots(results):
    """Names, fastest forward dynamics first."""
    names = unique(parts(name)[0][1] for name in results.names("open_chains"))
    names = [name for name in names if results.time(f"open_chains/{name}/aba")]
    return sorted(names, key=lambda name: results.time(f"open_chains/{name}/aba"))


def figures(results):
    del results
    return {}


METHODS = ("rnea", "crba", *BASELINES, "spanning_inverse")


def make_tables(results):
    rows = []
    for name in robots(results):
        aba = results.time(f"open_chains/{name}/aba")
        times = [results.time(f"open_chains/{name}/{method}") for method in METHODS]
        rows.append([name, *(tables.ratio(time and time / aba) for time in times)])
    if not rows:
        return {}
    return {"open_chains": tables.markdown(["robot", *(f"`{method}`" for method in METHODS)], rows)}
