"""chain/KIND/loop:L/depth:D/METHOD and tree/KIND/branches:B/depth:D/METHOD: cases that embedding wins."""

import math

from matplotlib.ticker import MaxNLocator

from . import style, tables
from .results import BASELINES, parts, unique
from .style import plt

METHODS = ("aba", *BASELINES)


def curves(results, group, size, fixed):
    """{(kind, value of `fixed`): [values of `size`]}, in ascending order."""
    found = {}
    for name in results.names(group):
        plain, valued = parts(name)
        found.setdefault((plain[1], int(valued[fixed])), set()).add(int(valued[size]))
    return {key: sorted(sizes) for key, sizes in sorted(found.items())}


def chain_name(kind, depth, loop):
    return f"chain/{kind}/loop:{loop}/depth:{depth}"


def tree_name(kind, depth, branches):
    return f"tree/{kind}/branches:{branches}/depth:{depth}"


def crossover(results, names, sizes):
    """(size, method) at which the best baseline becomes faster than ABA, interpolated along straight lines in
    logarithms; None if it does not."""
    last = None
    for name, size in zip(names, sizes):
        aba, baseline = results.time(name + "/aba"), results.best_baseline(name)
        if not aba or not baseline:
            continue
        lead = math.log(baseline[0] / aba)
        if lead < 0:
            if last is None:
                return size, baseline[1]
            share = last[1] / (last[1] - lead)
            return last[0] * (size / last[0]) ** share, baseline[1]
        last = size, lead
    return None


def draw(axes, results, names, sizes):
    for method in METHODS:
        points = [(size, results.time(f"{name}/{method}")) for name, size in zip(names, sizes)]
        points = [(size, time / 1e3) for size, time in points if time]
        if points:
            style.line(axes, method, *zip(*points))


def figures(results):
    found = {}
    chains = curves(results, "chain", "loop", "depth")
    if chains:
        found["chains"] = chain_figure(results, chains)
    trees = curves(results, "tree", "branches", "depth")
    if trees:
        found["trees"] = tree_figure(results, trees)
    return found


def panels(keys):
    """Kinds in rows, fixed values in columns."""
    kinds, values = unique(key[0] for key in keys), sorted({key[1] for key in keys})
    figure, axes = plt.subplots(len(kinds), len(values), figsize=(9.4, 1.35 + 2.1 * len(kinds)), squeeze=False,
                                sharey="col", sharex="col")
    height = figure.get_figheight()
    figure.subplots_adjust(left=0.075, right=0.985, top=1 - 0.68 / height, bottom=0.95 / height, wspace=0.27,
                           hspace=0.28)
    return figure, {(kind, value): axes[row][column]
                    for row, kind in enumerate(kinds) for column, value in enumerate(values)}


def finish(figure, axes, xlabel):
    for panel in axes:
        style.logarithmic(panel.yaxis)
    height = figure.get_figheight()
    style.legend_above(figure, axes, top=1 - 0.04 / height)
    figure.supxlabel(xlabel, fontsize=9.5, y=0.44 / height)
    figure.supylabel("time of one call, µs", fontsize=9.5, x=0.008)


def chain_figure(results, chains):
    figure, axes = panels(chains)
    for (kind, depth), loops in chains.items():
        panel, names = axes[kind, depth], [chain_name(kind, depth, loop) for loop in loops]
        draw(panel, results, names, loops)
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        panel.set_title(f"{kind}, depth {depth}", loc="left")
        cross = crossover(results, names, loops)
        if cross:
            panel.axvline(cross[0], color="#52606d", linestyle=":", linewidth=1.2)
            panel.annotate(f"{cross[0]:.0f}", (cross[0], 0.02), xycoords=("data", "axes fraction"), fontsize=8.5,
                           xytext=(3, 0), textcoords="offset points")
    finish(figure, axes.values(), "bodies in the loop; dotted: from here on the best other method is faster than ABA")
    return figure


def tree_figure(results, trees):
    figure, axes = panels(trees)
    for (kind, depth), branches in trees.items():
        panel, names = axes[kind, depth], [tree_name(kind, depth, number) for number in branches]
        draw(panel, results, names, branches)
        panel.set_xticks(branches)
        panel.set_title(f"{kind.replace('_', ' ')}, depth {depth}", loc="left")
    finish(figure, axes.values(), "branches on a floating base")
    return figure


def crossover_table(results, chains):
    rows = []
    for (kind, depth), loops in chains.items():
        names = [chain_name(kind, depth, loop) for loop in loops]
        cross = crossover(results, names, loops)
        size, method = (f"{cross[0]:.0f}", style.label(cross[1])) if cross else (f"none up to {loops[-1]}", "–")
        rows.append([kind, depth, loops[0], lead(results, names[0]), loops[-1], lead(results, names[-1]), size, method])
    return tables.markdown(["chain", "depth", "smallest loop", "best other / `aba`", "largest loop",
                            "best other / `aba`", "crossover at loop", "to"], rows)


def cell_table(results, chains):
    """Every measured size; bold if the best baseline is faster."""
    rows = []
    for (kind, depth), loops in chains.items():
        cells = [(loop, lead(results, chain_name(kind, depth, loop))) for loop in loops]
        texts = [f"{loop}: {text}" for loop, text in cells]
        rows.append([kind, depth, ", ".join(f"**{text}**" if cell < "1" else text
                                            for text, (_, cell) in zip(texts, cells))])
    return tables.markdown(["chain", "depth", "bodies in the loop: best other / `aba`"], rows, left=3)


def lead(results, name):
    aba, baseline = results.time(name + "/aba"), results.best_baseline(name)
    return f"{baseline[0] / aba:.2f}" if aba and baseline else "–"


def tree_table(results, trees):
    rows = []
    for (kind, depth), branches in trees.items():
        name = tree_name(kind, depth, branches[-1])
        aba, baseline = results.time(name + "/aba"), results.best_baseline(name)
        rows.append([kind.replace("_", " "), depth, branches[-1], tables.microseconds(aba),
                     tables.microseconds(baseline and baseline[0]), style.label(baseline[1]) if baseline else "–",
                     lead(results, tree_name(kind, depth, branches[0])), lead(results, name)])
    return tables.markdown(["tree", "depth", "branches", "`aba`, µs", "best other, µs", "which",
                            "ratio with one branch", "ratio with all"], rows)


def make_tables(results):
    found = {}
    chains = curves(results, "chain", "loop", "depth")
    if chains:
        found["chains"] = crossover_table(results, chains)
        found["chain_cells"] = cell_table(results, chains)
    trees = curves(results, "tree", "branches", "depth")
    if trees:
        found["trees"] = tree_table(results, trees)
    return found
