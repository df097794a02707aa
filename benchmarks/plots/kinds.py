"""Robots by kind, for docs/benchmarks-by-kind.md: engine, fastest other method here, other libraries, floor."""

from . import tables
from .results import parts, unique

KINDS = {
    "open": ("ur10e",),
    "geared": ("parallel_belt", "revolute_rotor_chain", "mini_cheetah", "mit_humanoid"),
    "planar": ("four_bar", "slider_crank", "planar_leg_linkage", "robotiq_finger", "six_bar"),
    "rods": ("spatial_four_bar", "cassie_like", "digit_leg", "digit", "delta", "stewart_platform", "kangaroo_leg"),
    "spatial": ("sdf_gripper", "lims2_wrist", "tello"),
}
PEERS = ("dart", "bullet", "simbody", "kdl", "mujoco")
NAMES = {"dart": "DART", "bullet": "Bullet", "simbody": "Simbody", "kdl": "KDL", "mujoco": "MuJoCo"}
HEADER = ("robot", "`aba`, µs", "`rnea`, µs", "`crba`, µs", "`aba_derivatives`, µs", "second derivatives / first",
          "fastest other exact method / `aba`", "fastest other library, loops ignored / `aba`",
          "Simbody, exact loops / `aba`", "MuJoCo, soft loops / `aba`", "`aba` / floor")


def figures(_):
    return {}


def divided(time, by):
    return time / by if time and by else None


def fastest_peer(results, robot):
    """(nanoseconds, library) on the spanning tree, or None."""
    times = [(results.time(f"{peer}/{robot}/{'tree' if peer == 'mujoco' else 'aba'}"), peer) for peer in PEERS]
    return min((pair for pair in times if pair[0]), default=None)


def floor_ratio(results, robot):
    """Time of `aba` over the time of its instructions at the scalar peak."""
    count = results.counter(f"operations/{robot}/aba", "instructions")
    issue = results.rate("operations/peak/scalar", "flops_per_second")
    return divided(results.time(f"operations/{robot}/aba"), 2e9 * count / issue) if count and issue else None


def with_name(ratio, name):
    return f"{tables.ratio(ratio)} {name}" if ratio else "–"


def row(results, robot):
    at = f"robots/{robot}"
    aba, rnea, crba, first, second = (results.time(f"{at}/{method}") for method in
                                      ("aba", "rnea", "crba", "aba_derivatives", "aba_second_derivatives"))
    baseline, peer = results.best_baseline(at), fastest_peer(results, robot)
    return [robot, *map(tables.microseconds, (aba, rnea, crba, first)), tables.ratio(divided(second, first)),
            with_name(baseline and divided(baseline[0], aba), f"`{baseline[1]}`" if baseline else ""),
            with_name(peer and divided(peer[0], aba), NAMES[peer[1]] if peer else ""),
            tables.ratio(divided(results.time(f"simbody/{robot}/constrained"), aba)),
            tables.ratio(divided(results.time(f"mujoco/{robot}/constrained"), aba)),
            tables.ratio(floor_ratio(results, robot))]


def make_tables(results):
    measured = unique(parts(name)[0][1] for name in results.names("robots"))
    found = {}
    for kind, robots in KINDS.items():
        rows = [row(results, robot) for robot in robots if robot in measured]
        if rows:
            found[f"kind_{kind}"] = tables.markdown(HEADER, rows)
    return found
