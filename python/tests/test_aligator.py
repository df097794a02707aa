"""Robots with loops in Aligator itself: its finite differences, and problems that Crocoddyl solves to the same plan."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import grbda
import numpy as np
import pytest
from conftest import SOURCE, files_of
from grbda import control, residuals
from numpy.testing import assert_allclose
from numpy.typing import NDArray

# first: Aligator's bindings and Crocoddyl's share types of Pinocchio, which registers them
crocoddyl: Any = importlib.import_module("crocoddyl") if importlib.util.find_spec("crocoddyl") else None
adapter: Any = pytest.importorskip("grbda.aligator", reason="Aligator is not installed, which is not on PyPI", exc_type=ImportError)
aligator: Any = importlib.import_module("aligator")

Array = NDArray[np.float64]
FEET = {"digit": ("left_foot", "right_foot"), "tello": ("left-foot", "right-foot")}


def robot_of(name: str) -> control.Robot:
    if name == "jumper":
        return control.Robot(grbda.load(SOURCE / "examples/solvers/jumper.urdf", floating_base=True))
    return control.Robot(grbda.load(files_of(name)))


def slopes(f: Any, z: Array, e: float = 1e-6) -> Array:
    return np.column_stack([(f(z + d) - f(z - d)) / (2 * e) for d in e * np.eye(len(z))])


def check_slopes(exact: Array, differences: Array) -> None:
    assert np.isfinite(exact).all()
    assert_allclose(exact, differences, rtol=0, atol=2e-6 * max(1.0, float(abs(differences).max(initial=0))))


def contacts_of(robot: control.Robot, name: str) -> control.Contacts:
    frames = [grbda.ContactFrame(robot.model, foot, kind=grbda.ContactKind.frame) for foot in FEET[name]]
    return control.Contacts(robot, frames, velocity_gain=20)


def chart_of(robot: control.Robot) -> Any:
    """Displacements from a configuration that is not the one of loading."""
    return adapter.Chart(robot, robot.integrate(robot.neutral(), 0.03 * np.random.default_rng(5).standard_normal(robot.ndx)))


@pytest.mark.parametrize("name", ["four_bar", "digit_leg", "delta", "mini_cheetah", "jumper", *FEET])
def test_steps_and_functions_are_differentiated(name: str) -> None:
    robot = robot_of(name)
    random = np.random.default_rng(3)
    chart = chart_of(robot)
    dynamics = control.Dynamics(robot, contacts=contacts_of(robot, name) if name in FEET else None)
    z, u = 0.02 * random.standard_normal(2 * robot.nv), random.standard_normal(dynamics.nu)
    assert_allclose(chart.z(chart.x(z)), z, atol=1e-9)
    step = adapter.Step(chart, dynamics, 0.01)
    data = step.createData()

    def forward(at: Array, inputs: Array) -> Array:
        step.forward(at, inputs, data)
        return np.array(data.xnext)

    step.dForward(z, u, data)
    Jx, Ju = np.array(data.Jx), np.array(data.Ju).reshape(2 * robot.nv, -1)
    check_slopes(Jx, slopes(lambda at: forward(at, u), z))
    check_slopes(Ju, slopes(lambda inputs: forward(z, inputs), u, 1e-4))
    # the step of the library, with the same reference
    if dynamics.contacts is None and dynamics.motors.named:
        library = grbda.SolverStep(robot.model, displacements=True)
        assert_allclose(library.step(z, u, chart.reference[: robot.nq], 0.01)[0], forward(z, u), atol=1e-10)
    frame = [f.name for f in robot.model.frames if f.body >= 0][-1]
    functions: list[residuals.Residual] = [residuals.FramePlacement(robot, frame, np.eye(3), [0.1, 0, 0]), residuals.Momentum(robot)]
    joint = next(body.joint for body in robot.model.bodies if body.v.stop - body.v.start == 1)
    functions += [residuals.JointPositions(robot, [joint])]  # one row
    if name in FEET:
        functions += [residuals.FrictionCone(dynamics, 0, 0.5), residuals.ContactForce(dynamics, 1)]
    for r in functions:
        function = adapter.Function(chart, r, dynamics.nu, sign=-2.0, offset=0.5)
        out = function.createData()

        def value(at: Array, inputs: Array) -> Array:
            function.evaluate(at, inputs, out)  # noqa: B023
            return np.array(out.value)  # noqa: B023

        function.computeJacobians(z, u, out)
        Jx, Ju = np.array(out.Jx).reshape(r.nr, -1), np.array(out.Ju).reshape(r.nr, -1)
        check_slopes(Jx, slopes(lambda at: value(at, u), z))  # noqa: B023
        check_slopes(Ju, slopes(lambda inputs: value(z, inputs), u, 1e-4))  # noqa: B023
        assert_allclose(value(z, u), -2 * (r.value(chart.x(z), u) - 0.5))
        last = adapter.Function(chart, r, dynamics.nu, last=True)
        last.computeJacobians(z, u, out)
        assert ("u" not in r.depends) or not np.array(out.Jx).any()


@pytest.mark.parametrize("name", FEET)
def test_impacts_are_differentiated(name: str) -> None:
    robot = robot_of(name)
    chart, impact = chart_of(robot), control.Impact(robot, contacts_of(robot, name))
    z, u = 0.02 * np.random.default_rng(4).standard_normal(2 * robot.nv), np.ones(3)
    step = adapter.ImpactStep(chart, impact, 3)
    data = step.createData()

    def forward(at: Array) -> Array:
        step.forward(at, u, data)
        return np.array(data.xnext)

    step.dForward(z, u, data)
    Jx = np.array(data.Jx)
    check_slopes(Jx, slopes(forward, z))
    assert not np.array(data.Ju).any()
    assert_allclose(forward(z)[: robot.nv], z[: robot.nv], atol=0)


@pytest.mark.parametrize("name", ["six_bar", "digit_leg"])
def test_a_reach_has_the_same_plan_as_by_crocoddyl(name: str) -> None:
    if crocoddyl is None:
        pytest.skip("Crocoddyl is not installed: requirements/solvers.txt")
    croc = importlib.import_module("grbda.crocoddyl")
    robot = robot_of(name)
    dynamics, n, h, nodes = control.Dynamics(robot), robot.nv, 0.02, 20
    chart = adapter.Chart(robot)
    goal = chart.x(np.concatenate([0.2 * np.random.default_rng(7).uniform(-1, 1, n), np.zeros(n)])).copy()
    state, start, nu = croc.State(robot), robot.neutral(), dynamics.nu
    far = residuals.State(robot, goal)

    def action(weight: float, effort: float) -> Any:
        costs = crocoddyl.CostModelSum(state, nu)
        croc.add_cost(costs, "goal", far, weight)
        if effort:
            croc.add_cost(costs, "effort", residuals.Control(robot, nu), effort)
        return croc.Action(state, dynamics, costs, h)

    def cost(weight: float, effort: float) -> Any:
        stack = aligator.CostStack(chart.space, nu)
        stack.addCost("goal", aligator.QuadraticResidualCost(chart.space, adapter.Function(chart, far, nu), weight * np.eye(2 * n)))
        if effort:
            stack.addCost("effort", aligator.QuadraticControlCost(chart.space, nu, effort * np.eye(nu)))
        return stack

    problem = crocoddyl.ShootingProblem(start, [action(1.0, 1e-3)] * nodes, action(10.0, 0))
    one = crocoddyl.SolverFDDP(problem)
    one.th_stop = 1e-12
    assert one.solve([start] * (nodes + 1), [np.zeros(nu)] * nodes, 100)
    stages = [aligator.StageModel(cost(h, h * 1e-3), adapter.Step(chart, dynamics, h)) for _ in range(nodes)]
    other = aligator.TrajOptProblem(np.zeros(2 * n), stages, cost(10.0, 0))
    solver = aligator.SolverProxDDP(1e-5, 1e-2, max_iters=200)
    solver.rollout_type = aligator.ROLLOUT_LINEAR
    solver.setup(other)
    assert solver.run(other, [np.zeros(2 * n)] * (nodes + 1), [np.zeros(nu)] * nodes)
    assert solver.results.traj_cost == pytest.approx(one.cost, rel=1e-5)
    for x, z in zip(one.xs, solver.results.xs):
        assert abs(robot.difference(x, chart.x(np.array(z)))).max() < 1e-3


def test_failures_are_nan_and_noted() -> None:
    robot = robot_of("digit_leg")
    chart, dynamics = adapter.Chart(robot), control.Dynamics(robot)
    step = adapter.Step(chart, dynamics, 0.01)
    data, z, u = step.createData(), np.full(2 * robot.nv, 3.0), np.zeros(dynamics.nu)
    step.forward(z, u, data)
    assert np.isnan(data.xnext).all() and str(robot.failure).startswith("integrate: ")
    step.forward(0 * z, u, data)
    assert np.isfinite(data.xnext).all()

    foot = adapter.Function(chart, residuals.FrameTranslation(robot, "foot", [0, 0, 0]), dynamics.nu)
    good, bad = foot.createData(), foot.createData()
    foot.computeJacobians(z, u, bad)
    assert np.isnan(bad.Jx).all() and np.isnan(bad.Ju).all()
    for data in (good, bad):  # a result after a failure is that of fresh data
        foot.computeJacobians(0 * z, u, data)
    assert_allclose(bad.Jx, good.Jx, rtol=0, atol=0)
    assert_allclose(bad.Ju, np.zeros((3, dynamics.nu)), rtol=0, atol=0)

    class Faulty(residuals.Residual):
        def value(self, x: Array, u: Array | None) -> Array:
            raise RuntimeError("no value here")

    function = adapter.Function(chart, Faulty(robot, 2, "q"), dynamics.nu)
    out = function.createData()
    function.evaluate(0 * z, u, out)
    assert np.isnan(out.value).all() and robot.failure == "RuntimeError: no value here"
    with pytest.raises(ValueError, match="Chart: the reference has 2 numbers, expected 9 or 15"):
        adapter.Chart(robot, [0, 0])
    other = robot_of("digit_leg")
    for part in (
        lambda: adapter.Step(chart, control.Dynamics(other), 0.01),
        lambda: adapter.Function(chart, residuals.State(other), dynamics.nu),
        lambda: adapter.ImpactStep(chart, control.Impact(other, control.Contacts(other, ["foot"])), dynamics.nu),
    ):
        with pytest.raises(ValueError, match="belongs to another Robot"):
            part()
