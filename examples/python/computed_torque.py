"""Computed torque of a humanoid with a fixed base: inverse dynamics tracks a motion, forward dynamics simulates it."""

from __future__ import annotations

import grbda
import numpy as np
from common import picture_folder, pyplot, robot, save

STIFFNESS, DAMPING, STEP, SECONDS = 200.0, 28.0, 2e-3, 2.0


def main() -> None:
    folder = picture_folder()
    humanoid = robot("mit_humanoid")
    model = grbda.freeze(humanoid, grbda.neutral_configuration(humanoid), [humanoid.joints[0]])
    data = grbda.Data(model)
    start = grbda.neutral_configuration(model)
    amplitude = np.full(model.nv, 0.2)
    frequency = 2 * np.pi * np.linspace(0.5, 1.0, model.nv)

    q, yd = start.copy(), np.zeros(model.nv)
    times, errors, torques = [], [], []
    for k in range(int(SECONDS / STEP)):
        t = k * STEP
        # a motion that begins at rest, in the tangent at the start
        wanted = amplitude * (1 - np.cos(frequency * t)) / 2
        wanted_rate = amplitude * frequency * np.sin(frequency * t) / 2
        wanted_change = amplitude * frequency**2 * np.cos(frequency * t) / 2
        goal = grbda.integrate(model, data, start, wanted)
        error = grbda.difference(model, data, q, goal)
        command = wanted_change + STIFFNESS * error + DAMPING * (wanted_rate - yd)
        tau = grbda.rnea(model, data, q, yd, command)
        ydd = grbda.aba(model, data, q, yd, tau)
        yd = yd + STEP * ydd
        q = grbda.integrate(model, data, q, STEP * yd)
        times.append(t)
        errors.append(np.abs(error).max())
        torques.append(tau)

    figure, (above, below) = pyplot.subplots(2, 1, sharex=True, figsize=(8, 6))
    above.semilogy(times, np.maximum(errors, 1e-12))
    above.set_ylabel("largest error [rad]")
    below.plot(times, torques, linewidth=0.8)
    below.set_ylabel("torque [N·m]")
    below.set_xlabel("time [s]")
    above.set_title(f"Computed torque of {humanoid.name}, base held")
    save(figure, folder, "computed_torque")
    assert max(errors) < 0.01, max(errors)
    print(f"largest error {max(errors):.2e} rad over {SECONDS} s")


if __name__ == "__main__":
    main()
