"""simulate/ROBOT/grbda|aba|mujoco: steps of a standing robot. Only a table."""

from . import tables
from .results import parts, unique


def figures(_):
    return {}


def make_tables(results):
    rows = []
    for name in unique(parts(each)[0][1] for each in results.names("simulate")):
        # one file of one compiler contains MuJoCo and the engine: times of one run
        compiler = next((each for each in results.compilers if results.time(f"simulate/{name}/mujoco", each)), None)
        step, aba, mujoco = (results.time(f"simulate/{name}/{which}", compiler) for which in ("grbda", "aba", "mujoco"))
        if step and aba:
            rows.append([name, *map(tables.microseconds, (step, aba, mujoco)), tables.ratio(step / aba),
                         tables.ratio(mujoco and mujoco / step)])
    if not rows:
        return {}
    return {"simulate": tables.markdown(["robot", "step, µs", "`aba`, µs", "MuJoCo, µs", "step / `aba`",
                                         "MuJoCo / step"], rows)}
