"""batch/ROBOT/METHOD/width:W/threads:T: states per second."""

from . import style, tables
from .results import ENGINE, parts, unique
from .style import plt

THREAD_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7")


def read(results):
    """{(robot, method): {(width, threads): states per second}}"""
    found = {}
    for name in results.names("batch"):
        plain, valued = parts(name)
        rate = results.rate(name, "items_per_second")
        if rate:
            key = int(valued.get("width", 1)), int(valued.get("threads", 1))
            found.setdefault((plain[1], plain[2]), {})[key] = rate
    return found


def figures(results):
    data = read(results)
    if not data:
        return {}
    robots = unique(robot for robot, _ in data)
    methods = unique(method for _, method in data)
    methods = [method for method in ENGINE if method in methods]
    figure, axes = plt.subplots(len(robots), len(methods), figsize=(9.4, 1.3 + 1.9 * len(robots)), squeeze=False)
    for row, robot in enumerate(robots):
        for column, method in enumerate(methods):
            draw(axes[row][column], data.get((robot, method), {}))
            axes[row][column].set_title(f"{robot}, {method.upper()}", loc="left")
    height = figure.get_figheight()
    style.legend_above(figure, axes.flat, top=1 - 0.04 / height)
    figure.supxlabel("states in one SIMD batch", fontsize=9.5, y=0.42 / height)
    figure.supylabel("million states per second", fontsize=9.5, x=0.008)
    figure.subplots_adjust(left=0.08, right=0.985, top=1 - 0.66 / height, bottom=0.9 / height, wspace=0.22,
                           hspace=0.42)
    return {"batch": figure}


def draw(axes, rates):
    if not rates:
        axes.axis("off")
        return
    widths, threads = sorted({width for width, _ in rates}), sorted({number for _, number in rates})
    size = 0.8 / len(threads)
    for index, number in enumerate(threads):
        for place, width in enumerate(widths):
            rate = rates.get((width, number))
            if not rate:
                continue
            x = place + (index - (len(threads) - 1) / 2) * size
            axes.bar(x, rate / 1e6, size * 0.94, color=THREAD_COLOURS[index % len(THREAD_COLOURS)],
                     label=f"{number} thread" + ("s" if number > 1 else ""))
            axes.text(x, rate / 1e6, tables.three_figures(rate / 1e6), ha="center", va="bottom", fontsize=8)
    axes.set_xticks(range(len(widths)), [str(width) for width in widths])
    axes.grid(axis="x", visible=False)
    axes.margins(y=0.12)


def make_tables(results):
    data = read(results)
    if not data:
        return {}
    cases = sorted({case for rates in data.values() for case in rates}, key=lambda case: (case[1], case[0]))
    header = ["robot", "", *(f"width {width}, {number} thread" + ("s" if number > 1 else "") for width, number in cases),
              "SIMD gain", "gain in all"]
    rows = []
    for (robot, method), rates in data.items():
        one = rates.get((1, 1))
        simd = max((rate for (_, number), rate in rates.items() if number == 1), default=None)
        rows.append([robot, f"`{method}`", *(f"{rates[case] / 1e6:.2f}" if case in rates else "–" for case in cases),
                     tables.ratio(simd / one if one else None), tables.ratio(max(rates.values()) / one if one else None)])
    return {"batch": tables.markdown(header, rows, left=2)}
