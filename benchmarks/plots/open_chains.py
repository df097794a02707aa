"""open_chains/ROBOT/METHOD: robots without loops or gears."""

from . import style, tables
from .results import BASELINES, ENGINE, parts, unique


def robots(results):
    """Names, fastest forward dynamics first."""
    names = unique(parts(name)[0][1] for name in results.names("open_chains"))
    names = [name for name in names if results.time(f"open_chains/{name}/aba")]
    return sorted(names, key=lambda name: results.time(f"open_chains/{name}/aba"))


def figures(results):
    del results
    return {}


def ratio(results, name, other, method):
    one, many = results.time(f"open_chains/{name}/{method}"), results.time(f"open_chains/{name}/{other}")
    return tables.ratio(many / one if one and many else None)


def make_tables(results):
    rows = []
    for name in robots(results):
        times = [tables.nanoseconds(results.time(f"open_chains/{name}/{method}"))
                 for method in (*ENGINE, *BASELINES, "spanning_inverse")]
        best = results.best_baseline(f"open_chains/{name}")
        rows.append([name, *times, style.label(best[1]) if best else "–",
                     ratio(results, name, best[1], "aba") if best else "–",
                     ratio(results, name, "spanning_inverse", "rnea"),
                     ratio(results, name, "spanning_inverse", "crba")])
    if not rows:
        return {}
    return {"open_chains": tables.markdown(
        ["robot", "`aba`", "`rnea`", "`crba`", "`dense_kkt`", "`range_space`", "`projection`", "`proximal`",
         "`spanning_inverse`", "best of four", "best of four / `aba`", "`spanning_inverse` / `rnea`",
         "`spanning_inverse` / `crba`"], rows)}
