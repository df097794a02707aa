"""simulate/ROBOT/grbda|aba|mujoco, steps of a standing robot, and worlds/ROBOT/grbda|mujoco, many of them. Only tables."""

from . import tables
from .results import parts, unique


def figures(_):
    return {}


def make_tables(results):
    # one file of one compiler contains MuJoCo and the engine: times of one run
    steps, worlds = [], []
    for name, compiler in robots(results, "simulate"):
        step, aba, mujoco = (results.time(f"simulate/{name}/{which}", compiler) for which in ("grbda", "aba", "mujoco"))
        if step and aba:
            steps.append([name, *map(tables.microseconds, (step, aba, mujoco)), tables.ratio(step / aba),
                          tables.ratio(mujoco and mujoco / step)])
    for name, compiler in robots(results, "worlds"):
        own, mujoco = (results.rate(f"worlds/{name}/{which}", "items_per_second", compiler) for which in ("grbda", "mujoco"))
        if own and mujoco:
            worlds.append([name, *(tables.three_figures(each / 1e3) for each in (own, mujoco)), tables.ratio(own / mujoco)])
    found = {}
    if steps:
        found["simulate"] = tables.markdown(["robot", "step, µs", "`aba`, µs", "MuJoCo, µs", "step / `aba`",
                                             "MuJoCo / step"], steps)
    if worlds:
        found["worlds"] = tables.markdown(["robot", "10³ steps/s", "MuJoCo, 10³ steps/s", "ratio"], worlds)
    return found


def robots(results, group):
    """Robots of a group, with the compiler whose file has MuJoCo's."""
    for name in unique(parts(each)[0][1] for each in results.names(group)):
        yield name, next((each for each in results.compilers if results.time(f"{group}/{name}/mujoco", each)), None)
