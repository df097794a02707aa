"""Many rollouts at a time, and their linearisation: a set of states spreads, and derivatives predict the spread."""

from __future__ import annotations

import grbda
import numpy as np
from common import Array, picture_folder, pyplot, robot, save

COUNT, STEPS, STEP, SPREAD = 512, 40, 2e-3, 1e-3


def roll(model: grbda.Model, q: Array, yd: Array, threads: int = 2) -> tuple[Array, Array]:
    """Motion without forces: rates and configurations of all states by two calls of a batch for each step."""
    batch = grbda.BatchData(model, threads)
    zero = np.zeros_like(yd)
    for _ in range(STEPS):
        yd = yd + STEP * grbda.aba(model, batch, q, yd, zero)
        q = grbda.integrate(model, batch, q, STEP * yd)
    return q, yd


def linearised(model: grbda.Model, q: Array, yd: Array) -> tuple[Array, Array, Array]:
    """Final state of the middle rollout, and the product of the derivatives of its steps."""
    data = grbda.Data(model)
    total = np.eye(2 * model.nv)
    rule = grbda.Integrator.semi_implicit_euler
    for _ in range(STEPS):
        q, yd, A, _ = grbda.step_derivatives(model, data, rule, q, yd, np.zeros(model.nv), STEP)
        total = A @ total
    return q, yd, total


def main() -> None:
    folder = picture_folder()
    model = robot("delta")
    random = np.random.default_rng(0)
    middle, rest = grbda.neutral_configuration(model), np.zeros(model.nv)
    cloud = SPREAD * random.normal(size=(COUNT, 2 * model.nv))
    batch = grbda.BatchData(model)
    q = grbda.integrate(model, batch, np.tile(middle, (COUNT, 1)), cloud[:, : model.nv])
    end, _ = roll(model, q, rest + cloud[:, model.nv :])

    centre, _, total = linearised(model, middle, rest)
    foretold = cloud @ total.T
    found = grbda.difference(model, batch, np.tile(centre, (COUNT, 1)), end)
    error = np.abs(found - foretold[:, : model.nv]).max()

    figure, axes = pyplot.subplots(figsize=(6, 6))
    axes.scatter(found[:, 0], found[:, 1], s=6, label=f"{COUNT} rollouts")
    axes.scatter(foretold[:, 0], foretold[:, 1], s=14, facecolors="none", edgecolors="tab:red", linewidths=0.4,
                 label="by derivatives of the middle one")  # fmt: skip
    axes.set_xlabel("δy₀ [rad]")
    axes.set_ylabel("δy₁ [rad]")
    axes.set_title(f"{model.name} after {STEPS * STEP:.2f} s")
    axes.legend()
    save(figure, folder, "rollouts")
    assert error < 0.05 * np.abs(found).max(), error
    print(f"derivatives foretell {COUNT} ends to {error:.1e} of {np.abs(found).max():.1e} rad")


if __name__ == "__main__":
    main()
