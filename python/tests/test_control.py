"""Dynamics and residuals for solvers: derivatives equal differences, and laws of mechanics hold."""

from __future__ import annotations

from collections.abc import Callable

import grbda
import numpy as np
import pytest
from conftest import SOURCE, files_of
from grbda import control, residuals
from numpy.testing import assert_allclose
from numpy.typing import NDArray

Array = NDArray[np.float64]
FEET = {"digit": ("left_foot", "right_foot"), "tello": ("left-foot", "right-foot")}
# robots with loops on a fixed base and on a floating one, a tree, and one whose motors sit on dependent joints
ROBOTS = ["digit_leg", "delta", "mini_cheetah", "tello", "jumper"]


def robot_of(name: str) -> control.Robot:
    if name == "jumper":
        return control.Robot(grbda.load(SOURCE / "examples/solvers/jumper.urdf", floating_base=True))
    return control.Robot(grbda.load(files_of(name)))


def point(robot: control.Robot, nu: int, seed: int) -> tuple[Array, Array]:
    return robot.random(seed), np.random.default_rng(seed).standard_normal(nu)


def slopes(robot: control.Robot, f: Callable[[Array], Array], x: Array, e: float = 1e-6) -> Array:
    """Central differences of f [any] along displacements of x."""
    columns = [(f(robot.integrate(x, d)) - f(robot.integrate(x, -d))) / (2 * e) for d in e * np.eye(robot.ndx)]
    return np.column_stack(columns)


def check_slopes(exact: Array, differences: Array) -> None:
    assert np.isfinite(exact).all()
    assert_allclose(exact, differences, rtol=0, atol=2e-6 * max(1.0, float(abs(differences).max(initial=0))))


def contacts_of(robot: control.Robot, name: str) -> control.Contacts:
    sole = grbda.ContactFrame(robot.model, FEET[name][0], kind=grbda.ContactKind.frame)
    return control.Contacts(robot, [sole, FEET[name][1]], velocity_gain=5)


def some_residuals(robot: control.Robot) -> list[residuals.Residual]:
    frame = [f.name for f in robot.model.frames if f.body >= 0][-1]
    at = robot.random(7)
    joints = [body.joint for body in robot.model.bodies if body.v.stop - body.v.start == 1]
    motors = control.Motors(robot)
    target = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
    target *= np.linalg.det(target)
    return [
        residuals.State(robot, robot.integrate(at, 0.05 * np.ones(robot.ndx))),
        residuals.Control(robot, np.ones(motors.nu)),
        residuals.FrameTranslation(robot, frame, [0.1, 0.2, 0.3]),
        residuals.FramePlacement(robot, frame, target, [0.1, 0.2, 0.3]),
        *(residuals.FrameVelocity(robot, frame, None, axes) for axes in (
            grbda.ReferenceFrame.local, grbda.ReferenceFrame.world_aligned)),
        residuals.CenterOfMass(robot, [0, 0, 1]),
        residuals.Momentum(robot),
        residuals.JointPositions(robot, joints),
        residuals.MotorPositions(motors),
        residuals.MotorVelocities(motors),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ROBOTS)
def test_jacobians_of_residuals_are_differences(name: str) -> None:
    robot = robot_of(name)
    x, u = robot.integrate(robot.random(7), 0.02 * np.ones(robot.ndx)), np.ones(control.Motors(robot).nu)
    for r in some_residuals(robot):
        by_x, by_u = r.jacobians(x, u)
        differences = slopes(robot, lambda at: r.value(at, u), x)  # noqa: B023
        check_slopes(by_x, differences)
        # the solvers skip the blocks that a residual does not depend on
        n = robot.nv
        assert ("q" in r.depends) or not differences[:, :n].any()
        assert ("v" in r.depends) or not differences[:, n:].any()
        assert (by_u is not None) == ("u" in r.depends)
        assert len(r.value(x, u)) == r.nr == len(by_x)


@pytest.mark.parametrize("name", [*ROBOTS, "digit"])
@pytest.mark.parametrize("joint_forces", [False, True])
def test_steps_and_accelerations_are_differentiated(name: str, joint_forces: bool) -> None:
    robot = robot_of(name)
    motors = control.Motors(robot, joint_forces=joint_forces)
    for contacts in [None, *([contacts_of(robot, name)] if name in FEET else [])]:
        dynamics = control.Dynamics(robot, motors, contacts)
        x, u = point(robot, dynamics.nu, 5)
        ydd, by_x, by_u = dynamics.derivatives(x, u)
        assert_allclose(ydd, control.Dynamics(robot, motors, contacts).accelerations(x, u), rtol=1e-9, atol=1e-9)
        check_slopes(by_x, slopes(robot, lambda at: dynamics.accelerations(at, u), x))  # noqa: B023
        A, B = dynamics.step_derivatives(x, u, 0.01)
        end = dynamics.step(x, u, 0.01)
        check_slopes(A, slopes(robot, lambda at: robot.difference(end, dynamics.step(at, u, 0.01)), x))  # noqa: B023
        for k, e in enumerate(1e-3 * np.eye(dynamics.nu)):  # ydd is linear in u
            ahead, behind = dynamics.accelerations(x, u + e), dynamics.accelerations(x, u - e)
            assert_allclose(by_u[:, k], (ahead - behind) / 2e-3, atol=1e-7 * (1 + abs(by_u).max()))
            moved = robot.difference(dynamics.step(x, u - e, 0.01), dynamics.step(x, u + e, 0.01)) / 2e-3
            assert_allclose(B[:, k], moved, atol=1e-6 * (1 + abs(B).max()))


@pytest.mark.parametrize("name", FEET)
def test_contacts_hold_and_forces_are_differentiated(name: str) -> None:
    robot = robot_of(name)
    dynamics = control.Dynamics(robot, contacts=contacts_of(robot, name))
    x, u = point(robot, dynamics.nu, 4)
    functions: list[residuals.Residual] = [
        residuals.ContactForce(dynamics, 0),
        residuals.ContactForce(dynamics, FEET[name][1], [1, 2, 3]),
        residuals.FrictionCone(dynamics, 0, 0.7, [0.1, 0.2, 1.0], 6),
        residuals.FrictionCone(dynamics, 1, 0.7, world=False, inside=False),
    ]
    for r in functions:
        by_x, by_u = r.jacobians(x, u)
        check_slopes(by_x, slopes(robot, lambda at: r.value(at, u), x))  # noqa: B023
        assert by_u is not None
        for k, e in enumerate(1e-3 * np.eye(dynamics.nu)):
            ahead, behind = r.value(x, u + e), r.value(x, u - e)
            assert_allclose(by_u[:, k], (ahead - behind) / 2e-3, atol=1e-7 * (1 + abs(by_u).max()))
        assert not r.value(x, None).any()
    # equation of motion with forces in world axes, by functions that do not use contacts
    q, yd, n = x[: robot.nq], x[robot.nq :], robot.nv
    model, data = robot.model, grbda.Data(robot.model)
    ydd = dynamics.accelerations(x, u)
    grbda.forward_kinematics(model, data, q, yd, ydd)
    f = dynamics.f
    push = np.zeros(n)
    for frame, rows in zip(FEET[name], (slice(0, 6), slice(6, 9))):
        J = grbda.frame_jacobian(model, data, frame, grbda.ReferenceFrame.local)
        push += J[: rows.stop - rows.start].T @ f[rows]
    assert_allclose(grbda.rnea(model, data, q, yd, ydd), dynamics.motors.forces(x, u)[0] + push, atol=1e-7)
    # the pyramid for the world's vertical is that of the turned force
    R = grbda.frame_orientation(model, data, FEET[name][1])
    expected = grbda.friction_pyramid(0.7, [0, 0, 1]) @ R @ f[6:]
    assert_allclose(residuals.FrictionCone(dynamics, 1, 0.7).value(x, u), expected, atol=1e-9)


@pytest.mark.parametrize("name", FEET)
def test_impacts_stop_contacts_and_are_differentiated(name: str) -> None:
    robot = robot_of(name)
    impact = control.Impact(robot, contacts_of(robot, name))
    x, _ = point(robot, 0, 6)
    after = impact.after(x)
    assert_allclose(after[: robot.nq], x[: robot.nq], rtol=0, atol=0)
    data = grbda.Data(robot.model)
    grbda.forward_kinematics(robot.model, data, after[: robot.nq], after[robot.nq :])
    for frame, size in zip(FEET[name], (6, 3)):
        twist = grbda.frame_velocity(robot.model, data, frame, grbda.ReferenceFrame.local)
        assert_allclose(twist[:size], 0, atol=1e-9)
    check_slopes(impact.derivatives(x), slopes(robot, lambda at: robot.difference(after, impact.after(at)), x))
    r = residuals.Impulse(impact, 0)
    check_slopes(r.jacobians(x, None)[0], slopes(robot, lambda at: r.value(at, None), x))


@pytest.mark.parametrize("name", ROBOTS)
def test_power_of_inputs_is_that_of_the_motors(name: str) -> None:
    robot = robot_of(name)
    motors = control.Motors(robot)
    x, u = point(robot, motors.nu, 2)
    tau = motors.forces(x, u)[0]
    if motors.named:  # u are forces of motors: tau · yd = u · θ̇
        velocities = residuals.MotorVelocities(motors).value(x, u)
        assert tau @ x[robot.nq :] == pytest.approx(u @ velocities)
    base = [body for body in robot.model.bodies if body.joint in motors.names and body.type == grbda.JointType.floating]
    assert motors.named or not base
    if name == "mini_cheetah":
        assert motors.nu == robot.nv - 6 and not tau[:6].any()
    if name == "jumper":
        assert motors.constant is None and motors.names == ["knee", "crank"] and motors.reductions[1] == 6


def test_failures_are_noted_or_raised() -> None:
    model = grbda.load(files_of("digit_leg"))
    robot = control.Robot(model)
    dynamics = control.Dynamics(robot)
    x, u = robot.neutral(), np.zeros(dynamics.nu)
    assert robot.failure is None
    for _ in range(2):  # not remembered as a result
        robot.failure = None
        assert np.isnan(dynamics.accelerations(x * np.nan, u)).all()
        assert robot.failure is not None and "not_finite" in robot.failure
    far = np.full(robot.ndx, 2.0)
    assert np.isnan(robot.integrate(x, far)).any()
    assert "integrate: " in str(robot.failure)
    assert np.isnan(residuals.FrameTranslation(robot, model.frames[-1].name, [0, 0, 0]).value(x * np.nan, u)).all()
    assert np.isfinite(dynamics.accelerations(x, u)).all()
    strict = control.Robot(model, "raise")
    with pytest.raises(grbda.StatusError, match="integrate"):
        strict.integrate(x, far)
    with pytest.raises(grbda.StatusError, match="not_finite"):
        control.Dynamics(strict).derivatives(x, np.nan * u)
    with pytest.raises(ValueError, match="on_failure must be 'nan' or 'raise', found 'no'"):
        control.Robot(model, "no")


def test_wrong_names_and_sizes_are_errors() -> None:
    robot = robot_of("tello")
    with pytest.raises(ValueError, match="active has size 1, expected 2"):
        control.Contacts(robot, FEET["tello"], [True])
    dynamics = control.Dynamics(robot, contacts=contacts_of(robot, "tello"))
    with pytest.raises(ValueError, match="no contact is at frame 'hand'; there are left-foot, right-foot"):
        residuals.ContactForce(dynamics, "hand")
    with pytest.raises(ValueError, match="contact 2 does not exist; there are 2"):
        residuals.FrictionCone(dynamics, 2, 0.5)
    with pytest.raises(ValueError, match="expected dynamics with contacts"):
        residuals.ContactForce(control.Dynamics(robot), 0)
    with pytest.raises(ValueError, match="FrameTranslation: the reference has 2 numbers, expected 3"):
        residuals.FrameTranslation(robot, "torso", [0, 0])
    with pytest.raises(ValueError, match="no joint of one coordinate is called 'elbow'"):
        residuals.JointPositions(robot, ["elbow"])
    with pytest.raises(ValueError, match="FramePlacement: rotation has size 3, expected 9"):
        residuals.FramePlacement(robot, "torso", [0, 0, 0], [0, 0, 0])
    for wrong in (2 * np.eye(3), np.diag([1, 1, -1]), np.full((3, 3), np.nan)):
        with pytest.raises(ValueError, match="needs orthonormal columns and the determinant 1"):
            residuals.FramePlacement(robot, "torso", wrong, [0, 0, 0])
    with pytest.raises(ValueError, match="position_gain needs positions"):
        control.Contacts(robot, FEET["tello"], position_gain=1)
    sole = grbda.ContactFrame(robot.model, FEET["tello"][0], kind=grbda.ContactKind.frame)
    with pytest.raises(ValueError, match=r"position_gain needs rotations \[3 contacts, 3\] for contacts of frames"):
        control.Contacts(robot, [sole], position_gain=1, positions=np.zeros((1, 3)))
    x, impact = robot.neutral(), control.Impact(robot, contacts_of(robot, "tello"))
    u = [1] * dynamics.nu
    assert_allclose(dynamics.accelerations(x.tolist(), u), dynamics.accelerations(x, np.ones(dynamics.nu)), rtol=0, atol=0)
    assert_allclose(dynamics.step(x.tolist(), u, 0.01), dynamics.step(x, np.ones(dynamics.nu), 0.01), rtol=0, atol=0)
    assert_allclose(impact.after(x.tolist()), impact.after(x), rtol=0, atol=0)
    with pytest.raises(ValueError, match=f"Dynamics: u has size 2, expected {dynamics.nu}"):
        dynamics.derivatives(x, np.zeros(2))
    for call in (lambda: dynamics.accelerations(x[1:], u), lambda: dynamics.quasi_static(x[1:]), lambda: impact.derivatives(x[1:])):
        with pytest.raises(ValueError, match=f": x has size {robot.nx - 1}, expected {robot.nx}"):
            call()


def test_parts_of_different_robots_are_errors() -> None:
    robot, other = robot_of("tello"), robot_of("tello")
    for call in (
        lambda: control.Dynamics(robot, control.Motors(other)),
        lambda: control.Dynamics(robot, contacts=contacts_of(other, "tello")),
        lambda: control.Impact(robot, contacts_of(other, "tello")),
    ):
        with pytest.raises(ValueError, match="belongs to another Robot"):
            call()


def test_velocities_of_inputs_on_independent_joints_are_differentiated() -> None:
    robot = robot_of("digit_leg")
    for joint_forces in (False, True):
        motors = control.Motors(robot, motors=False, joint_forces=joint_forces)
        r, x = residuals.MotorVelocities(motors), robot.random(3)
        check_slopes(r.jacobians(x, None)[0], slopes(robot, lambda at: r.value(at, None), x))  # noqa: B023


def test_motors_on_joints_of_several_coordinates_have_no_positions() -> None:
    robot = robot_of("lims2_wrist")
    motors = control.Motors(robot)
    for residual in (residuals.MotorPositions, residuals.MotorVelocities):
        with pytest.raises(ValueError, match=f"{residual.__name__}: joint 'proximal_to_arm_1' has 2 velocities, expected 1"):
            residual(motors)


def test_logarithms_undo_exponentials() -> None:
    """A twist applied for one unit of time, in many small steps, leads where the logarithm says it came from."""
    from grbda._rotations import cross, jacobian_of_logarithm, logarithm

    def exponential(twist: Array) -> Array:
        A = np.zeros((4, 4))
        A[:3, :3], A[:3, 3] = cross(twist[3:]), twist[:3]
        T = np.eye(4)
        for term in range(12, 0, -1):  # Taylor series at 1/1024, squared ten times
            T = np.eye(4) + A / 1024 @ T / term
        return np.asarray(np.linalg.matrix_power(T, 1024))

    random = np.random.default_rng(2)
    for angle in (0.0, 1e-9, 1e-5, 1e-3, 0.0099, 0.0101, 0.049, 0.051, 0.4, 2.0, 2.7, 3.1, np.pi - 1e-5):
        w = random.standard_normal(3)
        twist = np.concatenate([random.standard_normal(3), angle * w / np.linalg.norm(w)])
        T = exponential(twist)
        assert_allclose(logarithm(T[:3, :3], T[:3, 3]), twist, atol=2e-10)
        if angle > 3.1:
            continue  # differences would cross half a turn
        J = jacobian_of_logarithm(twist)
        for k, e in enumerate(1e-5 * np.eye(6)):
            ends = [T @ exponential(sign * e) for sign in (1, -1)]
            ahead, behind = (logarithm(E[:3, :3], E[:3, 3]) for E in ends)
            assert_allclose(J[:, k], (ahead - behind) / 2e-5, atol=2e-8 * max(1.0, float(abs(J).max())))
