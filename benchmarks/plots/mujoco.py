"""mujoco/ROBOT/tree|constrained: a soft-constraint solver compared with the exact answer."""

from . import style, tables
from .results import parts, unique
from .style import plt

COLUMNS = (("engine, exact", "robots/{}/aba", "#0072b2"),
           ("MuJoCo, loops cut", "mujoco/{}/tree", "#f0b79a"),
           ("MuJoCo, soft loops", "mujoco/{}/constrained", "#d55e00"))


def robots(results):
    names = unique(parts(name)[0][1] for name in results.names("mujoco"))
    names = [name for name in names if all(results.time(pattern.format(name)) for _, pattern, _ in COLUMNS)]
    return sorted(names, key=lambda name: -results.time(f"robots/{name}/aba"))


def figures(results):
    names = robots(results)
    if not names:
        return {}
    figure, axes = plt.subplots(figsize=(9.4, 1.45 + 0.34 * len(names)))
    for text, pattern, colour in COLUMNS:
        times = [results.time(pattern.format(name)) / 1e3 for name in names]
        marker = {"marker": "o", "markersize": 7, "linestyle": "none"}
        axes.plot(times, range(len(names)), color=colour, label=text, zorder=3, **marker)
    for row, name in enumerate(names):
        times = [results.time(pattern.format(name)) / 1e3 for _, pattern, _ in COLUMNS]
        axes.plot([min(times), max(times)], [row, row], color="#cbd2d9", linewidth=1.5, zorder=1)
        error = results.counter(f"mujoco/{name}/constrained", "error")
        axes.annotate(percent(error), (max(times), row), xytext=(9, 0), textcoords="offset points",
                      va="center", fontsize=8.5, color="#52606d")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(right=axes.get_xlim()[1] * 1.5)
    style.logarithmic(axes.xaxis)
    axes.set_xlabel("time of one forward dynamics, µs (logarithmic); percentages: median error of ÿ, soft loops")
    height = figure.get_figheight()
    style.legend_above(figure, [axes], top=1 - 0.04 / height)
    figure.subplots_adjust(left=0.19, right=0.98, top=1 - 0.42 / height, bottom=0.85 / height)
    return {"mujoco": figure}


def percent(error):
    return f"{100 * error:.0f} %" if error >= 0.01 else f"{100 * error:.1g} %"


def make_tables(results):
    rows = []
    for name in robots(results):
        aba = results.time(f"robots/{name}/aba")
        tree, constrained = (results.time(f"mujoco/{name}/{which}") for which in ("tree", "constrained"))
        rows.append([name, *map(tables.microseconds, (aba, tree, constrained)), tables.ratio(constrained / aba),
                     tables.power(results.counter(f"mujoco/{name}/tree", "largest_error")),
                     tables.power(results.counter(f"mujoco/{name}/constrained", "error")),
                     tables.power(results.counter(f"mujoco/{name}/constrained", "largest_error"))])
    if not rows:
        return {}
    return {"mujoco": tables.markdown(["robot", "`aba`, µs", "MuJoCo, loops cut, µs", "MuJoCo, soft loops, µs",
                                       "soft / `aba`", "error, loops cut: largest", "error, soft loops: median",
                                       "largest"], rows)}
