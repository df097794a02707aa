"""A leg with three loops of rods: closing from a guess, and the positions that its foot can reach."""

from __future__ import annotations

import grbda
import numpy as np
from common import picture_folder, pyplot, robot, save

COUNT = 1500


def main() -> None:
    folder = picture_folder()
    model = robot("digit_leg")
    data = grbda.Data(model)
    foot = data.frame("foot")
    neutral = grbda.neutral_configuration(model)
    random = np.random.default_rng(0)

    # independents are moved at random, dependents are closed from their present values
    places, conditions, failed = [], [], 0
    for _ in range(COUNT):
        delta = random.uniform(-0.6, 0.6, model.nv)
        q = grbda.integrate(model, data, neutral, delta, check=False)
        if not data.result.ok:  # the rods do not reach
            failed += 1
            continue
        grbda.forward_kinematics(model, data, q)
        places.append(foot.position)
        conditions.append(np.linalg.cond(foot.jacobian()[:3]))
    at = np.array(places)

    figure, (side, front) = pyplot.subplots(1, 2, figsize=(10, 5), sharey=True)
    for axes, i, name in ((side, 0, "x"), (front, 1, "y")):
        shown = axes.scatter(at[:, i], at[:, 2], c=np.log10(conditions), s=4, cmap="viridis")
        axes.set_xlabel(f"{name} [m]")
        axes.set_aspect("equal")
    side.set_ylabel("z [m]")
    figure.colorbar(shown, ax=front, label="log₁₀ condition of the foot's Jacobian")
    figure.suptitle(f"Positions that the foot of {model.name} can reach")
    save(figure, folder, "leg")
    print(f"{len(at)} places of the foot, {failed} beyond the reach of the rods")


if __name__ == "__main__":
    main()
