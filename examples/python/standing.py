"""A humanoid lowered onto its feet while servos hold its joints: finally contacts carry its weight."""

from __future__ import annotations

import grbda
import numpy as np
from common import picture_folder, pyplot, robot, save

STEP, SECONDS, EVERY = 1e-3, 1.5, 5


def main() -> None:
    folder = picture_folder()
    model = robot("mit_humanoid")
    options = grbda.SimulatorOptions()
    options.step = STEP
    moved = np.ones(model.nv_tree)
    moved[model.bodies[0].v] = 0  # the base has no servo
    options.servo_stiffness, options.servo_damping = (600 * moved).tolist(), (20 * moved).tolist()
    simulator = grbda.Simulator(model, options, grbda.Plane())
    data = grbda.Data(model)

    # a centimetre above the ground
    q = simulator.q.copy()
    grbda.forward_kinematics(model, data, q)
    shapes = [shape for shape in model.shapes if shape.collision]
    q[2] += 0.01 - min(lowest(model, data, shape) for shape in shapes)
    simulator.set_state(q, np.zeros(model.nv_tree))
    target = np.zeros(model.nv_tree)
    for body in model.bodies[1:]:
        target[body.v] = q[body.q]

    weight = sum(body.mass for body in model.bodies) * np.linalg.norm(model.gravity)
    times, heights, forces, energies = [], [], [], []
    for _ in range(int(SECONDS / STEP / EVERY)):
        simulator.step(target=target, steps=EVERY)
        times.append(simulator.time)
        heights.append(simulator.q[2])
        forces.append(sum(contact.impulse[2] for contact in simulator.contacts) / STEP)
        energies.append(simulator.energies().sum)

    figure, (above, middle, below) = pyplot.subplots(3, 1, sharex=True, figsize=(8, 7))
    above.plot(times, heights)
    above.set_ylabel("base height [m]")
    middle.plot(times, forces, label="normal force of all contacts")
    middle.axhline(weight, color="gray", linestyle="--", label="weight")
    middle.set_ylabel("force [N]")
    middle.legend()
    below.plot(times, energies)
    below.set_ylabel("energy [J]")
    below.set_xlabel("time [s]")
    above.set_title(f"{model.name} let down onto its feet")
    save(figure, folder, "standing")
    print(f"after {simulator.time:.2f} s {len(simulator.contacts)} contacts carry {forces[-1]:.1f} N of {weight:.1f} N")


def lowest(model: grbda.Model, data: grbda.Data, shape: grbda.BodyShape) -> float:
    """z of the lowest point of an upright box or of a sphere."""
    if shape.body < 0:
        return float("inf")
    frame = model.bodies[shape.body].frame
    centre = grbda.frame_position(model, data, frame) + grbda.frame_orientation(model, data, frame) @ shape.position
    below = shape.size[2] / 2 if shape.kind == grbda.ShapeKind.box else shape.size[0]
    return float(centre[2] - below)


if __name__ == "__main__":
    main()
