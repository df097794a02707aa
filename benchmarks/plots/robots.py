"""robots/ROBOT/METHOD: the headline and every robot."""

from . import style, tables
from .results import BASELINES, ENGINE, parts, unique
from .style import plt

HEADLINE = ("mit_humanoid", "mini_cheetah", "two_digit_legs", "tello", "six_bar", "four_bar")


def robots(results):
    """Names, fastest forward dynamics first."""
    names = unique(parts(name)[0][1] for name in results.names("robots"))
    names = [name for name in names if results.time(f"robots/{name}/aba")]
    return sorted(names, key=lambda name: results.time(f"robots/{name}/aba"))


def figures(results):
    names = robots(results)
    if not names:
        return {}
    shown = [name for name in HEADLINE if name in names]
    return {"headline": headline(results, shown), "robots": all_robots(results, names)}


def headline(results, names):
    columns = 3
    rows = -(-len(names) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(9.4, 0.85 + 1.75 * rows), squeeze=False)
    for panel in axes.flat[len(names):]:
        panel.axis("off")
    for panel, name in zip(axes.flat, names):
        headline_panel(panel, results, name)
    height = figure.get_figheight()
    figure.text(0.01, 1 - 0.1 / height, "Time of one call, µs", fontsize=12, weight="bold", va="top")
    figure.text(0.01, 1 - 0.32 / height, "coloured: the engine; grey: forward dynamics by the fastest of five other "
                "exact methods", va="top")
    figure.subplots_adjust(left=0.10, right=0.965, top=1 - 0.82 / height, bottom=0.52 / height, wspace=0.55,
                           hspace=0.5)
    return figure


def headline_panel(axes, results, name):
    bars = [(method.upper(), results.time(f"robots/{name}/{method}"), style.COLOURS[method]) for method in ENGINE]
    baseline = results.best_baseline(f"robots/{name}")
    if baseline:
        bars.append((style.label(baseline[1]), baseline[0], style.COLOURS["baseline"]))
    bars = [bar for bar in bars if bar[1]]
    longest = max(time for _, time, _ in bars)
    for row, (_, time, colour) in enumerate(bars):
        axes.barh(row, time / 1e3, color=colour, height=0.72)
        axes.text((time + 0.02 * longest) / 1e3, row, tables.microseconds(time), va="center", fontsize=8.5)
    axes.set_yticks(range(len(bars)), [text for text, _, _ in bars], fontsize=8.5)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.18 * longest / 1e3)
    axes.grid(False)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.set_title(name, loc="left", weight="bold")


def all_robots(results, names):
    methods = [*ENGINE, *BASELINES]
    figure, axes = plt.subplots(figsize=(9.4, 1.5 + 0.3 * len(names)))
    for method in methods:
        points = [(results.time(f"robots/{name}/{method}"), row) for row, name in enumerate(names)]
        points = [(time / 1e3, row) for time, row in points if time]
        if points:
            style.line(axes, method, *zip(*points), linestyle="none", markersize=6.5 if method in ENGINE else 5)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    style.logarithmic(axes.xaxis)
    axes.set_xlabel("time of one call, µs (logarithmic)")
    height = figure.get_figheight()
    style.legend_above(figure, [axes], columns=4, top=1 - 0.05 / height)
    figure.subplots_adjust(left=0.19, right=0.98, top=1 - 0.62 / height, bottom=0.85 / height)
    return figure


def table(results):
    rows = []
    for name in robots(results):
        at = f"robots/{name}/"
        aba, baseline = results.time(at + "aba"), results.best_baseline(f"robots/{name}")
        times = [tables.nanoseconds(results.time(at + method))
                 for method in (*ENGINE, "kinematics", "closure", *BASELINES, "spanning_inverse")]
        rows.append([name, *times, tables.ratio(baseline and baseline[0] / aba)])
    return tables.markdown(["robot", "`aba`", "`rnea`", "`crba`", "`kinematics`", "`closure`", "`dense_kkt`",
                            "`range_space`", "`constrained_aba`", "`projection`", "`proximal`",
                            "`spanning_inverse`", "best other / `aba`"], rows)


def compiler_table(results):
    versions = [results.machine["compilers"][name]["version"] for name in results.compilers]
    header = ["robot", *(f"`{method}` {text}" for method in ENGINE for text in (*versions, "slower / faster"))]
    rows = []
    for name in robots(results):
        row = [name]
        for method in ENGINE:
            times = [results.time(f"robots/{name}/{method}", compiler) for compiler in results.compilers]
            row += [*map(tables.nanoseconds, times), f"{max(times) / min(times):.2f}" if all(times) else "–"]
        rows.append(row)
    return tables.markdown(header, rows)


def make_tables(results):
    if not robots(results):
        return {}
    found = {"robots": table(results)}
    if len(results.compilers) > 1:
        found["compilers"] = compiler_table(results)
    return found
