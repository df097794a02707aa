"""Digit squats on both feet: Aligator plans it with friction cones and limits of joints, with all loops closed."""

from __future__ import annotations

import importlib
import time
from typing import Any

import grbda
import grbda.aligator as adapter
import numpy as np
from common import DIGIT_FEET as FEET
from common import digit_standing, picture_folder, pyplot, robot, save
from grbda import control, residuals

aligator: Any = importlib.import_module("aligator")

STEP, NODES = 0.02, 30  # s
DEPTH = 0.06  # m, by which the centre of mass goes down


def main() -> None:
    folder = picture_folder()
    digit = control.Robot(robot("digit"))
    start = digit_standing(digit)
    chart = adapter.Chart(digit, start)  # states are displacements from standing
    soles = [grbda.ContactFrame(digit.model, foot, kind=grbda.ContactKind.frame) for foot in FEET]
    dynamics = control.Dynamics(digit, contacts=control.Contacts(digit, soles, velocity_gain=20))
    step = adapter.Step(chart, dynamics, STEP)
    nu = dynamics.nu
    at = residuals.CenterOfMass(digit, [0, 0, 0]).value(start, None)
    com = residuals.CenterOfMass(digit, at - [0, 0, DEPTH])
    held = dynamics.quasi_static(start)

    def cost(scale: float, last: bool) -> Any:
        stack = aligator.CostStack(chart.space, nu)
        weights = np.concatenate([0.1 * np.ones(digit.nv), 0.1 * np.ones(digit.nv)])
        stack.addCost("state", aligator.QuadraticStateCost(chart.space, nu, np.zeros(2 * digit.nv), scale * np.diag(weights)))
        stack.addCost("com", aligator.QuadraticResidualCost(chart.space, adapter.Function(chart, com, nu), 1e3 * scale * np.eye(3)))
        if not last:
            stack.addCost("motors", aligator.QuadraticControlCost(chart.space, held, 1e-4 * scale * np.eye(nu)))
        return stack

    stages = []
    for _ in range(NODES):
        stage = aligator.StageModel(cost(STEP, False), step)
        for foot in range(2):  # each row of a pyramid ≥ 0
            cone = adapter.Function(chart, residuals.FrictionCone(dynamics, foot, 0.6), nu, sign=-1.0)
            stage.addConstraint(cone, aligator.constraints.NegativeOrthant())
        stages.append(stage)
    problem = aligator.TrajOptProblem(np.zeros(2 * digit.nv), stages, cost(1.0, True))
    solver = aligator.SolverProxDDP(1e-4, 1e-2, max_iters=60)
    solver.rollout_type = aligator.ROLLOUT_LINEAR
    solver.setup(problem)
    began = time.perf_counter()
    solved = solver.run(problem, [np.zeros(2 * digit.nv)] * (NODES + 1), [held] * NODES)
    results = solver.results
    each = 1e3 * (time.perf_counter() - began) / max(1, results.num_iters)

    states = [chart.x(np.array(z)).copy() for z in results.xs]
    heights, opened = [], 0.0
    for x in states:
        heights.append(com.value(x, None)[2] - DEPTH)
        opened = max([opened, *(gap.length for gap in grbda.loop_residuals(digit.model, digit.data, x[: digit.nq]).loops)])
    cones = [residuals.FrictionCone(dynamics, foot, 0.6) for foot in range(2)]
    least = min(cone.value(x, np.array(u)).min() for x, u in zip(states, results.us) for cone in cones)
    print(f"solved: {solved}, {results.num_iters} iterations of {each:.1f} ms, {NODES} nodes")
    print(f"centre of mass moved by {heights[-1]:.4f} m, loops open by at most {opened:.1e} m, friction rows at least {least:.1f} N")
    if not solved:
        raise SystemExit("the solver found no plan")
    figure, axes = pyplot.subplots(figsize=(8, 4))
    axes.plot(STEP * np.arange(len(heights)), heights)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("height of the centre of mass [m]")
    axes.set_title("Digit squats, planned by Aligator")
    save(figure, folder, "squat_aligator")


if __name__ == "__main__":
    main()
