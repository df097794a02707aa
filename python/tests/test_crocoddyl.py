"""Robots with loops in Crocoddyl itself: its numerical differences, its own models of a tree, and solved problems."""

from __future__ import annotations

from typing import Any

import grbda
import numpy as np
import pytest
from conftest import SOURCE, files_of
from grbda import control, residuals
from numpy.testing import assert_allclose
from numpy.typing import NDArray

crocoddyl = pytest.importorskip("crocoddyl", reason="Crocoddyl is not installed: requirements/solvers.txt")
grbda_crocoddyl = pytest.importorskip("grbda.crocoddyl")

Array = NDArray[np.float64]
ROBOTS = ["cassie_like", "delta", "digit", "four_bar", "digit_leg", "g1_like_ankle", "kangaroo_leg", "lims2_wrist", "mini_cheetah",
          "six_bar", "stewart_platform", "tello", "jumper"]  # fmt: skip
FEET = {"digit": ("left_foot", "right_foot"), "tello": ("left-foot", "right-foot")}
LINK = """<link name="{0}"><inertial><origin xyz="0.01 {1} -0.05"/><mass value="{2}"/>
  <inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="-0.001" izz="0.025"/></inertial></link>"""
JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin xyz="{3}" rpy="0.1 0.2 0.3"/>
  <axis xyz="{4}"/><limit lower="-2" upper="2" velocity="9" effort="80"/></joint>"""


def robot_of(name: str) -> control.Robot:
    if name == "jumper":
        return control.Robot(grbda.load(SOURCE / "examples/solvers/jumper.urdf", floating_base=True))
    return control.Robot(grbda.load(files_of(name)))


def points(robot: control.Robot, nu: int, count: int = 2) -> list[tuple[Array, Array]]:
    found = []
    for seed in range(count):
        random = np.random.default_rng(seed)
        found.append((robot.integrate(robot.random(seed), 0.05 * random.standard_normal(robot.ndx)), random.standard_normal(nu)))
    return [(x, u) for x, u in found if np.isfinite(x).all()]


def evaluated(model: Any, *point: Array) -> Any:
    data = model.createData()
    model.calc(data, *point)
    model.calcDiff(data, *point)
    return data


def check(a: Any, b: Any, names: str, tolerance: float) -> None:
    for name in names.split():
        exact, other = (np.asarray(getattr(data, name)) for data in (a, b))
        assert np.isfinite(exact).all()
        assert_allclose(exact, other, rtol=0, atol=tolerance * max(1.0, float(abs(other).max(initial=0))), err_msg=name)


def all_costs(state: Any, dynamics: control.Dynamics) -> Any:
    robot, nu = state.robot, dynamics.nu
    frame = [f.name for f in robot.model.frames if f.body >= 0][-1]
    joints = residuals.JointPositions(robot, [b.joint for b in robot.model.bodies if b.v.stop - b.v.start == 1])
    costs = crocoddyl.CostModelSum(state, nu)
    terms: dict[str, residuals.Residual] = {
        "state": residuals.State(robot),
        "control": residuals.Control(robot, nu),
        "translation": residuals.FrameTranslation(robot, frame, [0.1, 0, 0]),
        "placement": residuals.FramePlacement(robot, frame, np.eye(3), [0, 0.1, 0]),
        "velocity": residuals.FrameVelocity(robot, frame),
        "mass": residuals.CenterOfMass(robot, [0, 0, 0.2]),
        "momentum": residuals.Momentum(robot),
    }
    if all(body.v.stop - body.v.start == 1 for body in dynamics.motors.bodies):
        terms["motors"] = residuals.MotorVelocities(dynamics.motors)
    terms["one joint"] = residuals.JointPositions(robot, joints.joints[-1:]) if joints.nr else residuals.CenterOfMass(robot, [0, 0, 0])
    for weight, (name, residual) in enumerate(terms.items(), 1):
        grbda_crocoddyl.add_cost(costs, name, residual, 0.1 * weight, np.linspace(0.5, 1, residual.nr))
    grbda_crocoddyl.add_cost(costs, "limits", joints, 0.3, grbda_crocoddyl.barrier(joints, -0.1, 0.1))
    if dynamics.contacts is not None:
        cone = residuals.FrictionCone(dynamics, 0, 0.5)
        grbda_crocoddyl.add_cost(costs, "cone", cone, 1e-3, grbda_crocoddyl.barrier(cone, 0))
        grbda_crocoddyl.add_cost(costs, "force", residuals.ContactForce(dynamics, 1), 1e-3)
    return costs


def contacts_of(robot: control.Robot, name: str) -> control.Contacts:
    frames = [grbda.ContactFrame(robot.model, foot, kind=grbda.ContactKind.frame) for foot in FEET[name]]
    return control.Contacts(robot, frames, velocity_gain=20)


@pytest.mark.parametrize("name", ROBOTS)
def test_derivatives_are_those_of_numerical_differences(name: str) -> None:
    robot = robot_of(name)
    state = grbda_crocoddyl.State(robot)
    dynamics = control.Dynamics(robot)
    costs = all_costs(state, dynamics)
    node = grbda_crocoddyl.DifferentialAction(state, dynamics, costs)
    action = grbda_crocoddyl.Action(state, dynamics, costs, 0.01)
    euler = crocoddyl.IntegratedActionModelEuler(node, 0.01)
    numerical = crocoddyl.StateNumDiff(state)
    tested = points(robot, dynamics.nu)
    assert tested
    for x, u in tested:
        exact, expected = evaluated(action, x, u), evaluated(euler, x, u)
        check(exact, expected, "xnext Fx Fu Lx Lu Lxx Lxu Luu", 1e-12)
        assert exact.cost == pytest.approx(expected.cost)
        dx = 0.01 * np.random.default_rng(9).standard_normal(robot.ndx)
        y = state.integrate(x, dx)
        assert_allclose(state.diff(x, y), dx, atol=1e-9)
        for exact_jacobians, differences in (
            (state.Jdiff(x, y), numerical.Jdiff(x, y)),
            (state.Jintegrate(x, dx), numerical.Jintegrate(x, dx)),
        ):
            for A, B in zip(exact_jacobians, differences):
                assert_allclose(A, B, atol=1e-5 * (1 + abs(B).max()))
        first = crocoddyl.Jcomponent.first
        assert_allclose(state.JintegrateTransport(x, dx, np.eye(robot.ndx), first), state.Jintegrate(x, dx, first), atol=1e-14)
        with pytest.raises(ValueError, match="expects Jcomponent.first or Jcomponent.second, found both"):
            state.JintegrateTransport(x, dx, np.eye(robot.ndx), crocoddyl.Jcomponent.both)
    x, u = tested[0]
    differences = evaluated(crocoddyl.DifferentialActionModelNumDiff(node, True), x, u)
    check(evaluated(node, x, u), differences, "Fx Fu Lx Lu", 1e-4)


@pytest.mark.parametrize("name", FEET)
def test_contacts_and_impacts_are_differentiated(name: str) -> None:
    robot = robot_of(name)
    state = grbda_crocoddyl.State(robot)
    dynamics = control.Dynamics(robot, contacts=contacts_of(robot, name))
    node = grbda_crocoddyl.DifferentialAction(state, dynamics, all_costs(state, dynamics))
    impact = control.Impact(robot, contacts_of(robot, name))
    costs = crocoddyl.CostModelSum(state, 0)
    grbda_crocoddyl.add_cost(costs, "state", residuals.State(robot), 1.0)
    grbda_crocoddyl.add_cost(costs, "impulse", residuals.Impulse(impact, 0), 0.1)
    strike = grbda_crocoddyl.ImpactAction(state, impact, costs)
    for x, u in points(robot, dynamics.nu, 1):
        check(evaluated(node, x, u), evaluated(crocoddyl.DifferentialActionModelNumDiff(node, True), x, u), "Fx Fu Lx Lu", 1e-4)
        none = np.zeros(0)
        check(evaluated(strike, x, none), evaluated(crocoddyl.ActionModelNumDiff(strike, True), x, none), "Fx Lx", 1e-4)


def test_constraints_reach_the_data_in_the_order_of_their_bounds() -> None:
    robot = robot_of("tello")
    state = grbda_crocoddyl.State(robot)
    dynamics = control.Dynamics(robot)
    joints = residuals.JointPositions(robot)
    constraints = crocoddyl.ConstraintModelManager(state, dynamics.nu)
    grbda_crocoddyl.add_constraint(constraints, "joints", joints, joints.lower, joints.upper)
    effort = np.arange(1.0, 1 + dynamics.nu)
    grbda_crocoddyl.add_constraint(constraints, "effort", residuals.Control(robot, dynamics.nu), -effort, 2 * effort)
    grbda_crocoddyl.add_constraint(constraints, "foot", residuals.FrameTranslation(robot, "left-foot", [0, 0, 0]))
    for model, numerical in (
        (grbda_crocoddyl.DifferentialAction(state, dynamics, None, constraints), crocoddyl.DifferentialActionModelNumDiff),
        (grbda_crocoddyl.Action(state, dynamics, None, 0.01, constraints), crocoddyl.ActionModelNumDiff),
    ):
        assert (model.ng, model.nh) == (joints.nr + dynamics.nu, 3)
        assert_allclose(model.g_lb, np.concatenate([-effort, joints.lower]))
        assert_allclose(model.g_ub, np.concatenate([2 * effort, joints.upper]))
        for x, u in points(robot, dynamics.nu):
            data = evaluated(model, x, u)
            assert_allclose(data.g, np.concatenate([u, x[joints.at]]))
            check(data, evaluated(numerical(model, True), x, u), "Gx Gu Hx Hu", 1e-4)


def tree() -> tuple[grbda.Model, Any]:
    """A floating robot with two legs, whose joints have the same order in both libraries."""
    parts = [LINK.format("base", 0.02, 5)]
    for side, y in (("l", 0.1), ("r", -0.1)):
        names = [f"{side}_{part}" for part in ("a", "b", "c", "d", "e", "f")]
        parents = ["base", *names[:-1]]
        axes = ["1 0 0", "0 1 0", "0 1 0", "0 0 1", "1 0 0", "0 1 0"]
        for k, (link, parent, axis) in enumerate(zip(names, parents, axes)):
            parts += [LINK.format(link, 0.01 * k, 1 + 0.1 * k)]
            parts += [JOINT.format(f"{link}_joint", parent, link, f"0 {y if k == 0 else 0} -0.2", axis)]
    text = f'<robot name="tree">{"".join(parts)}</robot>'
    pinocchio = pytest.importorskip("pinocchio")
    other = pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())
    model = grbda.load_text(text, floating_base=True)
    assert [b.joint for b in model.bodies][1:] == list(other.names)[2:]
    return model, other


def test_a_tree_is_that_of_crocoddyl() -> None:
    """Dynamics with contacts, costs and their derivatives are those of Crocoddyl's own models, which use Pinocchio."""
    model, other = tree()
    robot, state, theirs = control.Robot(model), None, crocoddyl.StateMultibody(other)
    state = grbda_crocoddyl.State(robot)
    actuation = crocoddyl.ActuationModelFloatingBase(theirs)
    nu, pinocchio = actuation.nu, pytest.importorskip("pinocchio")
    identity, world = pinocchio.SE3.Identity(), pinocchio.LOCAL_WORLD_ALIGNED
    foot = other.getFrameId("l_f")
    target = pinocchio.SE3(pinocchio.exp3(np.array([0.3, -0.2, 0.5])), np.array([0.1, 0.2, -0.4]))
    reference = robot.random(11)
    stacked = crocoddyl.ContactModelMultiple(theirs, nu)
    for name in ("l_f", "r_f"):
        contact = crocoddyl.ContactModel6D(theirs, other.getFrameId(name), identity, pinocchio.LOCAL, nu, np.array([0.0, 7.0]))
        stacked.addContact(name, contact)
    frames = [grbda.ContactFrame(model, name, kind=grbda.ContactKind.frame) for name in ("l_f", "r_f")]
    motors = control.Motors(robot)
    assert motors.nu == nu and motors.limit[0] == 80
    closed = control.Dynamics(robot, motors, control.Contacts(robot, frames, velocity_gain=7))
    free = control.Dynamics(robot, motors)
    pairs: list[tuple[residuals.Residual, Any]] = [
        (residuals.State(robot, reference), crocoddyl.ResidualModelState(theirs, reference, nu)),
        (residuals.Control(robot, nu), crocoddyl.ResidualModelControl(theirs, nu)),
        (residuals.FrameTranslation(robot, "l_f", target.translation), crocoddyl.ResidualModelFrameTranslation(theirs, foot, target.translation, nu)),
        (residuals.FramePlacement(robot, "l_f", target.rotation, target.translation), crocoddyl.ResidualModelFramePlacement(theirs, foot, target, nu)),
        (residuals.FrameVelocity(robot, "l_f", np.arange(6), grbda.ReferenceFrame.local), crocoddyl.ResidualModelFrameVelocity(theirs, foot, pinocchio.Motion(np.arange(6.0)), pinocchio.LOCAL, nu)),
    ]  # fmt: skip
    # their values are right, but not their derivatives: those of ours are compared with differences of their values
    valued: list[tuple[residuals.Residual, Any]] = [
        (residuals.FrameVelocity(robot, "l_f", np.arange(6)), crocoddyl.ResidualModelFrameVelocity(theirs, foot, pinocchio.Motion(np.arange(6.0)), world, nu)),
    ]  # fmt: skip
    force = (residuals.ContactForce(closed, 0), crocoddyl.ResidualModelContactForce(theirs, foot, pinocchio.Force.Zero(), 6, nu))
    # centre of mass and momentum stay zero in the data of Crocoddyl's dynamics, so that Pinocchio's are compared
    com, x, data = residuals.CenterOfMass(robot, [0, 0, 0]), robot.random(4), other.createData()
    assert_allclose(com.value(x, None), pinocchio.centerOfMass(other, data, x[: robot.nq]), atol=1e-12)
    J = pinocchio.jacobianCenterOfMass(other, data, x[: robot.nq])
    assert_allclose(com.jacobians(x, None)[0][:, : robot.nv], J, atol=1e-12)
    momentum = pinocchio.computeCentroidalMomentum(other, data, x[: robot.nq], x[robot.nq :])
    assert_allclose(residuals.Momentum(robot).value(x, None), momentum.vector, atol=1e-12)
    for dynamics, terms in ((free, [*pairs, *valued]), (closed, [*pairs, force])):
        for mine, their in terms:
            costs, own = crocoddyl.CostModelSum(state, nu), crocoddyl.CostModelSum(theirs, nu)
            grbda_crocoddyl.add_cost(costs, "r", mine, 0.3)
            own.addCost("r", crocoddyl.CostModelResidual(theirs, their), 0.3)
            a = grbda_crocoddyl.DifferentialAction(state, dynamics, costs)
            if dynamics is closed:
                b = crocoddyl.DifferentialActionModelContactFwdDynamics(theirs, actuation, stacked, own, 0.0, True)
            else:
                b = crocoddyl.DifferentialActionModelFreeFwdDynamics(theirs, actuation, own)
            x, u = robot.random(3), np.random.default_rng(3).uniform(-5, 5, nu)
            exact, expected = evaluated(a, x, u), evaluated(b, x, u)
            assert exact.cost == pytest.approx(expected.cost)
            if (mine, their) in valued:
                check(exact, evaluated(crocoddyl.DifferentialActionModelNumDiff(b, True), x, u), "Fx Lx", 1e-4)
            else:
                check(exact, expected, "xout Fx Fu Lx Lu Lxx Lxu Luu", 1e-7)
    strike = grbda_crocoddyl.ImpactAction(state, control.Impact(robot, control.Contacts(robot, frames)))
    impulses = crocoddyl.ImpulseModelMultiple(theirs)
    for name in ("l_f", "r_f"):
        impulses.addImpulse(name, crocoddyl.ImpulseModel6D(theirs, other.getFrameId(name), pinocchio.LOCAL))
    theirs_strikes = crocoddyl.ActionModelImpulseFwdDynamics(theirs, impulses, crocoddyl.CostModelSum(theirs, 0), 0.0, 0.0, True)
    check(evaluated(strike, robot.random(5), np.zeros(0)), evaluated(theirs_strikes, robot.random(5), np.zeros(0)), "xnext Fx", 1e-7)


def test_the_cost_of_a_floating_state_has_the_right_hessian() -> None:
    """Crocoddyl's own residual takes the Jacobian of diff() as 1 for states that are not Pinocchio's."""
    robot = robot_of("tello")
    state, nu = grbda_crocoddyl.State(robot), 4
    x = robot.integrate(robot.neutral(), np.concatenate([0.3 * np.ones(6), np.zeros(robot.ndx - 6)]))
    r = residuals.State(robot)
    mine = grbda_crocoddyl.Residual(state, r, nu)
    own = crocoddyl.ResidualModelState(state, robot.neutral(), nu)
    hessians = []
    for model in (mine, own):
        cost = crocoddyl.CostModelResidual(state, model)
        data = cost.createData(crocoddyl.DataCollectorAbstract())
        cost.calc(data, x, np.zeros(nu))
        cost.calcDiff(data, x, np.zeros(nu))
        hessians.append(np.array(data.Lxx))
    e = 1e-6
    J = np.column_stack([(r.value(robot.integrate(x, d), None) - r.value(robot.integrate(x, -d), None)) / (2 * e) for d in e * np.eye(robot.ndx)])  # fmt: skip
    assert_allclose(hessians[0], J.T @ J, atol=1e-8)
    assert abs(hessians[1] - J.T @ J).max() > 0.01


def test_inputs_hold_a_robot_on_its_feet_but_not_in_the_air() -> None:
    robot = robot_of("digit")
    state = grbda_crocoddyl.State(robot)
    x = robot.neutral()
    for contacts, held in ((contacts_of(robot, "digit"), True), (None, False)):
        dynamics = control.Dynamics(robot, contacts=contacts)
        assert dynamics.nu == robot.nv - 6
        action = grbda_crocoddyl.Action(state, dynamics, h=0.01)
        u = action.quasiStatic(action.createData(), x)
        assert (abs(dynamics.accelerations(x, u)).max() < 1e-8) == held
        via_euler = crocoddyl.IntegratedActionModelEuler(grbda_crocoddyl.DifferentialAction(state, dynamics), 0.01)
        assert_allclose(via_euler.quasiStatic(via_euler.createData(), x), u, atol=1e-9)


def reach(name: str, amplitude: float, on_failure: str = "nan") -> tuple[control.Robot, Any, Array, Array]:
    """A robot moves its independent joints to a goal in half a second."""
    robot = control.Robot(grbda.load(files_of(name)), on_failure)
    state, dynamics = grbda_crocoddyl.State(robot), control.Dynamics(robot)
    start = robot.neutral()
    change = np.concatenate([amplitude * np.random.default_rng(7).uniform(-1, 1, robot.nv), np.zeros(robot.nv)])
    goal = robot.integrate(start, change)

    def node(weight: float, effort: float) -> Any:
        costs = crocoddyl.CostModelSum(state, dynamics.nu)
        scale = np.repeat([1.0, 0.01], robot.nv)
        grbda_crocoddyl.add_cost(costs, "goal", residuals.State(robot, goal), weight, scale)
        if effort:
            costs.addCost("effort", crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state, dynamics.nu)), effort)
        return grbda_crocoddyl.Action(state, dynamics, costs, 0.01)

    return robot, crocoddyl.ShootingProblem(start, [node(1.0, 1e-3)] * 50, node(1e3, 0)), start, goal


@pytest.mark.parametrize("name", ["six_bar", "digit_leg", "delta"])
def test_reaches_are_solved_with_closed_loops(name: str) -> None:
    robot, problem, start, goal = reach(name, 0.2)
    solver = crocoddyl.SolverFDDP(problem)
    solver.th_stop = 1e-9
    us = [model.quasiStatic(data, start) for model, data in zip(problem.runningModels, problem.runningDatas)]
    assert solver.solve([start] * 51, us, 50)
    assert abs(robot.difference(goal, solver.xs[-1])).max() < 0.05
    for x in solver.xs:
        grbda.closure_residual(robot.model, robot.data, x[: robot.nq])  # raises where loops are open
    # another integrator of the same states: the plan is what a simulation by the library's own step makes of u
    step = grbda.SolverStep(robot.model, displacements=True)
    x = np.concatenate([np.zeros(robot.nv), start[robot.nq :]])
    for k, u in enumerate(solver.us):
        q, q_next = solver.xs[k][: robot.nq], solver.xs[k + 1][: robot.nq]
        x, _ = step.step(x, u, q, 0.01, q_next)
        assert abs(x[: robot.nv]).max() < 1e-8
        x[: robot.nv] = 0
    assert not grbda_crocoddyl.failures(problem, solver.xs, solver.us)


def test_failures_name_the_node_and_the_reason() -> None:
    robot, problem, start, _ = reach("digit_leg", 0.2)
    zero, count = np.zeros(6), problem.T
    us = [zero] * count
    us[3] = np.full(6, 1e7)
    found = grbda_crocoddyl.failures(problem, [start] * (count + 1), us)
    assert [failure.node for failure in found] == [3] and found[0].part == "calc"
    assert found[0].reason.startswith("integrate: ")
    assert any(joint in found[0].reason for joint in (body.joint for body in robot.model.bodies))
    xs = [start] * count + [start * np.nan]
    (last,) = grbda_crocoddyl.failures(problem, xs, [zero] * count)
    assert last.node == count and "not_finite" in last.reason
    solver = crocoddyl.SolverFDDP(problem)
    assert not solver.solve([start] * (count + 1), us, 10)  # without a message
    with pytest.raises(grbda_crocoddyl.NodeError, match="node 3, calc: integrate: "):
        grbda_crocoddyl.check(problem, [start] * (count + 1), us)
    grbda_crocoddyl.check(problem, [start] * (count + 1), [zero] * count)
    with pytest.raises(ValueError, match="xs has 50 entries, expected 51 for 50 running nodes"):
        grbda_crocoddyl.check(problem, [start] * count, [zero] * count)
    with pytest.raises(ValueError, match="us has 51 entries, expected 50 for 50 running nodes"):
        grbda_crocoddyl.failures(problem, [start] * (count + 1), [zero] * (count + 1))
    # an exception would leave a parallel region of Crocoddyl and end the program
    with pytest.raises(ValueError, match="on_failure='nan'"):
        reach("digit_leg", 0.2, "raise")


@pytest.mark.parametrize("with_costs", [False, True])
def test_data_of_a_node_recovers_from_a_failure(with_costs: bool) -> None:
    robot = robot_of("tello")
    state, dynamics = grbda_crocoddyl.State(robot), control.Dynamics(robot)
    impact = control.Impact(robot, contacts_of(robot, "tello"))
    x, u = robot.neutral(), np.zeros(dynamics.nu)

    def costs(nu: int) -> Any:
        total = crocoddyl.CostModelSum(state, nu)
        grbda_crocoddyl.add_cost(total, "state", residuals.State(robot, robot.random(1)), 1.0)
        return total if with_costs else None

    for model, inputs in (
        (grbda_crocoddyl.DifferentialAction(state, dynamics, costs(dynamics.nu)), u),
        (grbda_crocoddyl.Action(state, dynamics, costs(dynamics.nu), 0.01), u),
        (grbda_crocoddyl.ImpactAction(state, impact, costs(0)), np.zeros(0)),
    ):
        for point in ((x, inputs), (x,)):
            data, fresh = model.createData(), model.createData()
            model.calc(data, x * np.nan, inputs)
            model.calcDiff(data, x * np.nan, inputs)
            model.calc(data, x, np.zeros(len(inputs) + 1))  # an exception, too, leaves NaN
            assert robot.failure is not None
            for each in (data, fresh):
                model.calc(each, *point)
                model.calcDiff(each, *point)
            assert data.cost == fresh.cost
            first = "xout" if hasattr(data, "xout") else "xnext"
            for name in (first, "Fx", "Fu", "Lx", "Lu", "Lxx", "Lxu", "Luu"):
                assert np.isfinite(getattr(data, name)).all(), name
                assert_allclose(getattr(data, name), getattr(fresh, name), rtol=0, atol=0, err_msg=name)


def test_a_running_node_needs_a_step() -> None:
    robot = robot_of("four_bar")
    state, dynamics = grbda_crocoddyl.State(robot), control.Dynamics(robot)
    x, u = robot.neutral(), np.zeros(dynamics.nu)
    for h in (0.0, -0.01):
        action = grbda_crocoddyl.Action(state, dynamics, None, h)
        data = action.createData()
        action.calcDiff(data, x, u)
        assert np.isnan(data.Fx).all() and "needs a step h > 0" in str(robot.failure)
        with pytest.raises(grbda_crocoddyl.NodeError, match="node 0, calc: ValueError: Action: a running node needs a step h > 0"):
            grbda_crocoddyl.check(crocoddyl.ShootingProblem(x, [action], action), [x, x], [u])
        robot.failure = None
        action.calc(data, x)  # the last node
        action.calcDiff(data, x)
        assert robot.failure is None and np.isfinite(data.Fx).all()


def test_parts_of_different_robots_are_errors() -> None:
    robot, other = robot_of("tello"), robot_of("tello")
    state, dynamics = grbda_crocoddyl.State(robot), control.Dynamics(other)
    impact = control.Impact(other, contacts_of(other, "tello"))
    costs = crocoddyl.CostModelSum(grbda_crocoddyl.State(other), dynamics.nu)
    with pytest.raises(ValueError, match="Residual: the State belongs to another Robot"):
        grbda_crocoddyl.Residual(state, residuals.State(other), dynamics.nu)
    for model in (grbda_crocoddyl.DifferentialAction, grbda_crocoddyl.Action):
        with pytest.raises(ValueError, match=f"^{model.__name__}: the Dynamics belongs to another Robot"):
            model(state, dynamics)
        with pytest.raises(ValueError, match=f"^{model.__name__}: the State belongs to another Robot"):
            model(state, control.Dynamics(robot), costs)
    with pytest.raises(ValueError, match="ImpactAction: the Impact belongs to another Robot"):
        grbda_crocoddyl.ImpactAction(state, impact)


class Faulty(residuals.Residual):
    def value(self, x: Array, u: Array | None) -> Array:
        raise RuntimeError("no value here")


def test_an_error_in_a_residual_is_reported_and_does_not_end_the_program() -> None:
    robot, problem, start, _ = reach("six_bar", 0.1)
    model = problem.runningModels[2]
    grbda_crocoddyl.add_cost(model.costs, "faulty", Faulty(robot, 2, "q"), 1.0)
    data = model.createData()
    model.calc(data, start, np.zeros(robot.nv))
    assert np.isnan(data.cost) and np.isnan(data.xnext).all()
    assert robot.failure == "RuntimeError: no value here"
