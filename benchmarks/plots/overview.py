"""The figure on top of the page and of README.md: forward dynamics, its derivatives and a simulation step for each kind
of robot, here and in other libraries."""

from . import style
from .style import plt

KINDS = (("open arm", "ur10e"), ("geared humanoid", "mit_humanoid"), ("planar loops", "six_bar"),
         ("legs with rods", "digit"), ("parallel platform", "stewart_platform"))
STEPS = (("4 contacts", "mini_cheetah"), ("8 contacts", "mit_humanoid"))
PEERS = {"dart": "DART", "bullet": "Bullet", "kdl": "Orocos KDL", "simbody": "Simbody", "mujoco": "MuJoCo",
         "pinocchio": "Pinocchio", "rbdl": "RBDL"}
COLOURS = {"grbda": "#0072b2", "baseline": "#8a8f98", "differences": "#56b4e9", "dart": "#009e73", "bullet": "#e69f00",
           "kdl": "#8c6d1f", "simbody": "#cc79a7", "mujoco": "#d55e00", "pinocchio": "#5d3fd3", "rbdl": "#000000"}


def forward(results, robot):
    """[(label, colour, exact with loops, nanoseconds)]"""
    points = [("grbda", "grbda", True, results.time(f"robots/{robot}/aba"))]
    baseline = results.best_baseline(f"robots/{robot}")
    points.append(("fastest other exact method here", "baseline", True, baseline and baseline[0]))
    for peer, name in PEERS.items():
        tree = "tree" if peer == "mujoco" else "aba"
        points.append((name, peer, False, results.time(f"{peer}/{robot}/{tree}")))
        points.append((f"{name}, with loops", peer, True, results.time(f"{peer}/{robot}/constrained")))
    return points


def derivatives(results, robot):
    return [("grbda", "grbda", True, results.time(f"robots/{robot}/aba_derivatives")),
            ("differences of grbda", "differences", True, results.time(f"robots/{robot}/central_differences"))]


def step(results, robot):
    return [("grbda", "grbda", True, results.time(f"simulate/{robot}/grbda")),
            ("MuJoCo, with loops", "mujoco", True, results.time(f"simulate/{robot}/mujoco"))]


PANELS = (("forward dynamics, µs", KINDS, forward), ("its derivatives, µs", KINDS, derivatives),
          ("simulation step of 1 ms, µs", STEPS, step))


def draw(axes, results, title, robots, points_of):
    robots = [(text, robot) for text, robot in robots if points_of(results, robot)[0][3]]
    for row, (_, robot) in enumerate(robots):
        for label, key, closed, time in points_of(results, robot):
            if time:
                axes.plot([time / 1e3], [row], "o", markersize=7, color=COLOURS[key], label=label,
                          markerfacecolor=COLOURS[key] if closed else "white")
    axes.set_yticks(range(len(robots)), [f"{text}\n{robot}" for text, robot in robots])
    axes.set_ylim(len(robots) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.set_title(title, loc="left", fontsize=9.5)
    style.logarithmic(axes.xaxis)
    axes.grid(axis="y", color=style.GRID)
    return len(robots)


def figures(results):
    if not results.names("robots"):
        return {}
    figure, axes = plt.subplots(3, 1, figsize=(9.4, 7.6), gridspec_kw={"height_ratios": [5, 5, 2.4]})
    for each, panel in zip(axes, PANELS):
        draw(each, results, *panel)
    handles = {}
    for each in axes:
        for handle, label in zip(*each.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    figure.legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(0.01, 0.995), ncols=4, frameon=False,
                  fontsize=8.5, title="filled: loops exact, or soft in MuJoCo; hollow: spanning tree with loops ignored",
                  alignment="left", title_fontsize=8.5)
    figure.subplots_adjust(left=0.185, right=0.98, top=0.83, bottom=0.075, hspace=0.5)
    return {"overview": figure}


def make_tables(_):
    return {}
