"""A four-bar through full turns of its crank, on the model's coordinates and on ones that follow the mechanism.

The crank is independent where it can be; at the dead centres its velocity no longer determines those of the others, and
a new choice of coordinates at each step continues.
"""

from __future__ import annotations

import grbda
import numpy as np
from common import ROBOTS, Array, picture_folder, pyplot, save

STEPS, LENGTH = 1200, 0.01


def turn(model: grbda.Model) -> tuple[Array, Array]:
    """Configurations along the closed curve of the mechanism, in steps of one length in joint space, and charts."""
    data = grbda.Data(model)
    q = grbda.neutral_configuration(model)
    motion = np.zeros(model.nv_tree)
    motion[0] = 1
    path, chosen = [q], []
    for _ in range(STEPS):
        grbda.choose_coordinates(model, data, q, grbda.Marks.ignored)
        chosen.append(data.chart.independent[0])
        grbda.constraint_embedding(model, data, q, np.zeros(model.nv))
        along = grbda.explicit_jacobian(model, data)[:, 0]
        ahead = np.sign(along @ motion) or 1.0
        motion = ahead * along / np.linalg.norm(along)
        yd = grbda.independent_part(model, data, motion)
        q = grbda.integrate(model, data, q, LENGTH * yd)
        path.append(q)
    return np.array(path), np.array(chosen)


def main() -> None:
    folder = picture_folder()
    model = grbda.load(ROBOTS.parent / "examples/mpc/four_bar.urdf")
    path, chosen = turn(model)
    data = grbda.Data(model)
    for q in path:
        grbda.closure_residual(model, data, q)  # raises where the loop is open
    figure, (angles, charts) = pyplot.subplots(2, 1, sharex=True, figsize=(8, 6), height_ratios=[3, 1])
    way = LENGTH * np.arange(len(path))
    for body in model.bodies:
        angles.plot(way, path[:, body.q], label=body.joint)
    angles.set_ylabel("angle [rad]")
    angles.legend()
    charts.step(way[:-1], chosen, where="post")
    charts.set_yticks(range(model.nv_tree), [str(body.joint) for body in model.bodies])
    charts.set_ylabel("independent")
    charts.set_xlabel("way in joint space [rad]")
    angles.set_title("A four-bar through its dead centres")
    save(figure, folder, "four_bar")
    print(f"{len(path)} configurations closed, {np.count_nonzero(np.diff(chosen))} changes of coordinates")


if __name__ == "__main__":
    main()
