"""Digit takes a step: three phases of contact and an impact, planned by Crocoddyl with all loops of its legs closed."""

from __future__ import annotations

import importlib
import time
from typing import Any

import grbda
import grbda.crocoddyl as adapter
import numpy as np
from common import DIGIT_FEET as FEET
from common import digit_standing, picture_folder, pyplot, robot, save
from grbda import control, residuals

crocoddyl: Any = importlib.import_module("crocoddyl")

STEP = 0.02  # s
LENGTH, HEIGHT = 0.1, 0.05  # m, of the step of the right foot


class Walk:
    """Nodes of a problem in which the right foot swings."""

    def __init__(self) -> None:
        self.robot = control.Robot(robot("digit"))
        self.motors = control.Motors(self.robot)
        self.state = adapter.State(self.robot)
        self.start = digit_standing(self.robot)
        self.robot.place(self.start)
        model, data = self.robot.model, self.robot.kinematics
        self.home = [grbda.frame_position(model, data, foot) for foot in FEET]
        self.soles = [grbda.ContactFrame(model, foot, kind=grbda.ContactKind.frame) for foot in FEET]
        self.nodes: list[Any] = []

    def contacts(self, left: bool, right: bool) -> control.Contacts:
        return control.Contacts(self.robot, self.soles, [left, right], velocity_gain=20)

    def costs(self, nu: int, weight: float = 1.0) -> Any:
        costs = crocoddyl.CostModelSum(self.state, nu)
        n = self.robot.nv
        scale = np.concatenate([np.zeros(2), np.ones(n - 2), 0.05 * np.ones(n)])  # the base may move along the ground
        adapter.add_cost(costs, "posture", residuals.State(self.robot, self.start), weight, scale)
        return costs

    def add(self, left: bool, right: bool, count: int) -> None:
        """Nodes of a phase; without the right foot on the ground it swings."""
        for k in range(1, count + 1):
            dynamics = control.Dynamics(self.robot, self.motors, self.contacts(left, right))
            costs = self.costs(dynamics.nu)
            adapter.add_cost(costs, "motors", residuals.Control(self.robot, dynamics.nu), 1e-4)
            for foot, closed in enumerate((left, right)):
                if closed:  # the z axis of a sole is its normal
                    cone = residuals.FrictionCone(dynamics, foot, 0.7, world=False)
                    adapter.add_cost(costs, f"cone {foot}", cone, 1e-3, adapter.barrier(cone, 0))
            if not right:
                part = k / count
                target = self.home[1] + [LENGTH * part, 0, HEIGHT * np.sin(np.pi * part)]
                adapter.add_cost(costs, "foot", residuals.FramePlacement(self.robot, FEET[1], np.eye(3), target), 1e4)
            self.nodes.append(adapter.Action(self.state, dynamics, costs, STEP))

    def strike(self) -> None:
        """The right foot lands."""
        impact, costs = control.Impact(self.robot, self.contacts(True, True)), self.costs(0)
        target = self.home[1] + [LENGTH, 0, 0]
        adapter.add_cost(costs, "foot", residuals.FramePlacement(self.robot, FEET[1], np.eye(3), target), 1e4)
        self.nodes.append(adapter.ImpactAction(self.state, impact, costs))

    def problem(self) -> Any:
        dynamics = control.Dynamics(self.robot, self.motors, self.contacts(True, True))
        last = adapter.Action(self.state, dynamics, self.costs(dynamics.nu, 10.0))
        return crocoddyl.ShootingProblem(self.start, self.nodes, last)


def main() -> None:
    folder = picture_folder()
    walk = Walk()
    walk.add(True, True, 8)
    walk.add(True, False, 20)
    walk.strike()
    walk.add(True, True, 12)
    problem = walk.problem()
    xs = [walk.start] * (problem.T + 1)
    us = [m.quasiStatic(d, walk.start) if m.nu else np.zeros(0) for m, d in zip(problem.runningModels, problem.runningDatas)]
    adapter.check(problem, xs, us)  # names a node without result, and why
    solver = crocoddyl.SolverFDDP(problem)
    solver.th_stop = 1e-7
    began = time.perf_counter()
    solved = solver.solve(xs, us, 50)
    each = 1e3 * (time.perf_counter() - began) / max(1, solver.iter)
    heights, opened = [], 0.0
    for x in solver.xs:
        walk.robot.place(x)
        heights.append([grbda.frame_position(walk.robot.model, walk.robot.kinematics, foot)[2] for foot in FEET])
        gaps = grbda.loop_residuals(walk.robot.model, walk.robot.data, x[: walk.robot.nq])
        opened = max([opened, *(gap.length for gap in gaps.loops)])
    end = grbda.frame_position(walk.robot.model, walk.robot.kinematics, FEET[1]) - walk.home[1]
    print(f"solved: {solved}, {solver.iter} iterations of {each:.1f} ms, {problem.T} nodes")
    print(f"right foot moved by {end[0]:.4f} m, loops open by at most {opened:.1e} m")
    if not solved:
        raise SystemExit("the solver found no plan")
    figure, axes = pyplot.subplots(figsize=(8, 4))
    axes.plot(STEP * np.arange(len(heights)), np.array(heights) - walk.home[0][2], label=FEET)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("height of the foot [m]")
    axes.legend()
    axes.set_title("A step of Digit, planned by Crocoddyl")
    save(figure, folder, "step_crocoddyl")


if __name__ == "__main__":
    main()
