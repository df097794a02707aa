"""scaling/METHOD/clusters:N and scaling_four_bar/METHOD/clusters:N: cost of one cluster in a long chain."""

from . import style, tables
from .results import parts, unique
from .style import plt

METHODS = ("kinematics", "rnea", "aba")
GROUPS = {"scaling": "chain of geared joints", "scaling_four_bar": "chain of four-bars"}


def read(results, group):
    """{method: [(clusters, nanoseconds per cluster)]}"""
    found = {}
    for name in results.names(group):
        plain, valued = parts(name)
        clusters, time = int(valued["clusters"]), results.time(name)
        if time:
            found.setdefault(plain[1], []).append((clusters, time / clusters))
    return {method: sorted(found[method]) for method in METHODS if method in found}


def figures(results):
    data = {group: read(results, group) for group in GROUPS}
    data = {group: curves for group, curves in data.items() if curves}
    if not data:
        return {}
    figure, axes = plt.subplots(1, len(data), figsize=(9.4, 3.3), squeeze=False)
    for panel, (group, curves) in zip(axes.flat, data.items()):
        for method, points in curves.items():
            style.line(panel, method, *zip(*points))
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter("{x:g}")
        panel.set_xticks(sorted({clusters for points in curves.values() for clusters, _ in points}))
        panel.minorticks_off()
        panel.set_ylim(0, 1.08 * max(time for points in curves.values() for _, time in points))
        panel.set_title(GROUPS[group], loc="left")
        panel.set_xlabel("clusters")
    axes[0][0].set_ylabel("ns per cluster")
    style.legend_above(figure, axes.flat, top=0.99)
    figure.subplots_adjust(left=0.075, right=0.985, top=0.81, bottom=0.27, wspace=0.2)
    return {"scaling": figure}


def make_tables(results):
    rows, sizes = [], []
    for group, text in GROUPS.items():
        for method, points in read(results, group).items():
            sizes = unique([*sizes, *(clusters for clusters, _ in points)])
            memory = [results.counter(f"{group}/{method}/clusters:{clusters}", "bytes_per_cluster")
                      for clusters, _ in points]
            memory = [bytes_ for bytes_ in memory if bytes_]
            span = f"{min(memory):.0f} … {max(memory):.0f}" if memory else "–"
            rows.append([text, f"`{method}`", *(tables.nanoseconds(time) for _, time in points), span])
    if not rows:
        return {}
    return {"scaling": tables.markdown(["", "", *(f"{size} clusters" for size in sizes), "bytes per cluster"], rows,
                                       left=2)}
