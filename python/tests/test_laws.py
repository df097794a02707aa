"""Each algorithm is called at least once, and obeys a law that another one of them gives."""

from __future__ import annotations

from typing import Any

import grbda
import numpy as np
import pytest
from conftest import files_of
from numpy.testing import assert_allclose, assert_array_equal

WORLD = grbda.ReferenceFrame.world_aligned
h = 1e-6  # of central differences
ROUGH: dict[str, Any] = {"rtol": 2e-5, "atol": 2e-5}  # of them


class Motion:
    def __init__(self, name: str) -> None:
        self.model = grbda.load(files_of(name))
        self.data = grbda.Data(self.model)
        random = np.random.default_rng(11)
        self.q = grbda.random_configuration(self.model, 11)
        self.yd, self.ydd, self.tau = random.normal(size=(3, self.model.nv))
        self.at = (self.model, self.data, self.q)

    def differences(self, function: object, rows: int) -> np.ndarray:
        """Central differences of function(q) along each y."""
        columns = np.empty((rows, self.model.nv))
        for k, step in enumerate(h * np.eye(self.model.nv)):
            ahead = grbda.integrate(*self.at, step)
            behind = grbda.integrate(*self.at, -step)
            columns[:, k] = (function(ahead) - function(behind)) / (2 * h)  # type: ignore[operator]
        return columns


@pytest.fixture(params=["parallel_belt", "delta", "six_bar", "digit_leg"])
def motion(request: pytest.FixtureRequest) -> Motion:
    return Motion(request.param)


def test_forward_and_inverse_dynamics_undo_one_another(motion: Motion) -> None:
    m, d, q = motion.at
    ydd = grbda.aba(m, d, q, motion.yd, motion.tau)
    assert_allclose(grbda.rnea(m, d, q, motion.yd, ydd), motion.tau, rtol=1e-7, atol=1e-7)
    M = grbda.crba(m, d, q)
    assert_allclose(M @ ydd + grbda.bias_force(m, d, q, motion.yd), motion.tau, rtol=1e-7, atol=1e-7)
    inverse = grbda.inverse_mass_matrix(m, d, q)
    assert_allclose(M @ inverse, np.eye(m.nv), atol=1e-7)
    grbda.factor(m, d, q, motion.yd)
    assert_allclose(grbda.solve(m, d, motion.tau), ydd, rtol=1e-7, atol=1e-7)
    tau_s = grbda.spanning_force(m, d, motion.tau)
    assert_allclose(grbda.free_motion(m, d, q, motion.yd, tau_s), ydd, rtol=1e-7, atol=1e-7)
    assert_allclose(grbda.independent_force(m, d, q, tau_s), motion.tau, rtol=1e-12)


def test_constraints(motion: Motion) -> None:
    m, d, q = motion.at
    grbda.constraint_embedding(m, d, q, motion.yd)
    G, g = grbda.explicit_jacobian(m, d), grbda.explicit_bias(m, d)
    K, k = grbda.implicit_jacobian(m, d), grbda.implicit_bias(m, d)
    assert K.shape == (m.rows, m.nv_tree)
    assert_allclose(K @ G, 0, atol=1e-9)
    assert_allclose(K @ g, k, atol=1e-8)
    qd, qdd = grbda.spanning_acceleration(m, d, q, motion.yd, motion.ydd)
    assert_allclose(qd, G @ motion.yd, atol=1e-12)
    assert_allclose(qdd, G @ motion.ydd + g, atol=1e-9)
    assert_array_equal(grbda.spanning_velocity(m, d, q, motion.yd), qd)
    assert_allclose(grbda.independent_part(m, d, qd), motion.yd, atol=1e-12)
    grbda.closure_residual(m, d, q)
    residuals = grbda.loop_residuals(m, d, q)
    assert len(residuals.loops) == len(m.loops)
    assert len(residuals.couplings) == len(m.couplings)
    assert all(gap.length < 1e-8 and gap.angle < 1e-8 for gap in residuals.loops + residuals.couplings)


def test_closing_and_moving(motion: Motion) -> None:
    m, d, q = motion.at
    delta = 0.01 * motion.yd
    moved = grbda.integrate(m, d, q, delta)
    assert_allclose(grbda.difference(m, d, q, moved), delta, atol=1e-9)
    guess = q.copy()
    closed = grbda.close_loops(m, d, guess)
    assert_allclose(closed, q, atol=1e-7)
    assert_array_equal(guess, q)  # as it was
    assert grbda.close_loops(m, d, guess, out=guess) is guess
    assert_array_equal(grbda.combine_coordinates(m, q), q)
    assert_allclose(grbda.spanning_integrate(m, q, grbda.spanning_difference(m, q, moved)), moved, atol=1e-12)
    at_start, by_way = grbda.integrate_derivatives(m, d, q, delta)
    by_0, by_1 = grbda.difference_derivatives(m, d, q, moved)
    assert_allclose(by_1 @ by_way, np.eye(m.nv), atol=1e-6)
    assert_allclose(by_1 @ at_start, -by_0, atol=1e-6)


def test_frames(motion: Motion) -> None:
    m, d, q = motion.at
    frame = m.bodies[-1].frame
    grbda.forward_kinematics_derivatives(m, d, q, motion.yd, motion.ydd)
    J = grbda.frame_jacobian(m, d, frame, WORLD)
    rate = grbda.frame_jacobian_rate(m, d, frame, WORLD)
    velocity = grbda.frame_velocity(m, d, frame, WORLD)
    acceleration = grbda.frame_acceleration(m, d, frame, WORLD)
    by_y, by_yd = grbda.frame_velocity_derivatives(m, d, frame, WORLD)
    a_y, a_yd, a_ydd = grbda.frame_acceleration_derivatives(m, d, frame, WORLD, grbda.Acceleration.classical)
    assert_allclose(J @ motion.yd, velocity, atol=1e-9)
    assert_allclose(J @ motion.ydd + rate @ motion.yd, acceleration, atol=1e-7)
    assert_allclose(by_yd, J, atol=1e-12)
    assert_allclose(a_ydd, J, atol=1e-12)
    assert_array_equal(grbda.body_jacobian(m, d, m.bodies[-1].joint, WORLD), J)
    rotation = grbda.frame_orientation(m, d, frame)
    local = grbda.frame_velocity(m, d, frame, grbda.ReferenceFrame.local)
    assert_allclose(rotation @ local[:3], velocity[:3], atol=1e-10)

    def of(at: np.ndarray, what: str) -> np.ndarray:
        grbda.forward_kinematics(m, d, at, motion.yd, motion.ydd)
        if what == "position":
            return grbda.frame_position(m, d, frame)
        return getattr(grbda, "frame_" + what)(m, d, frame, WORLD)  # type: ignore[no-any-return]

    assert_allclose(motion.differences(lambda at: of(at, "position"), 3), J[:3], **ROUGH)
    assert_allclose(motion.differences(lambda at: of(at, "velocity"), 6), by_y, **ROUGH)
    scale = max(1.0, np.abs(a_y).max())
    assert_allclose(motion.differences(lambda at: of(at, "acceleration"), 6) / scale, a_y / scale, **ROUGH)
    assert a_yd.shape == (6, m.nv)

    push = np.arange(1.0, 7.0)
    grbda.forward_kinematics(m, d, q)
    wrenches = grbda.frame_wrench(m, d, frame, WORLD, push)
    free = grbda.rnea(m, d, q, motion.yd, motion.ydd)
    assert_allclose(free - grbda.rnea(m, d, q, motion.yd, motion.ydd, wrenches), J.T @ push, atol=1e-7)


def test_derivatives_are_those_of_differences(motion: Motion) -> None:
    m, d, q = motion.at
    by_y, by_yd, M = grbda.rnea_derivatives(m, d, q, motion.yd, motion.ydd)
    assert_allclose(M, grbda.crba(m, d, q), atol=1e-9)
    scale = max(1.0, np.abs(by_y).max())
    found = motion.differences(lambda at: grbda.rnea(m, d, at, motion.yd, motion.ydd), m.nv)
    assert_allclose(found / scale, by_y / scale, **ROUGH)
    a_y, a_yd, inverse, ydd = grbda.aba_derivatives(m, d, q, motion.yd, motion.tau)
    assert_allclose(M @ inverse, np.eye(m.nv), atol=1e-7)
    by_y, by_yd, _ = grbda.rnea_derivatives(m, d, q, motion.yd, ydd)
    assert_allclose(M @ a_y, -by_y, atol=1e-6 * max(1.0, np.abs(by_y).max()))
    assert_allclose(M @ a_yd, -by_yd, atol=1e-6 * max(1.0, np.abs(by_yd).max()))
    multiplier = motion.ydd
    hessian = grbda.rnea_second_derivatives(m, d, q, motion.yd, motion.ydd, multiplier)
    forward = grbda.aba_second_derivatives(m, d, q, motion.yd, motion.tau, multiplier)
    assert hessian.shape == forward.shape == (3 * m.nv, 3 * m.nv)

    def row(at: np.ndarray) -> np.ndarray:
        return multiplier @ grbda.rnea_derivatives(m, d, at, motion.yd, motion.ydd)[0]

    block = hessian[: m.nv, : m.nv]
    scale = max(1.0, np.abs(block).max())
    assert_allclose(motion.differences(row, m.nv) / scale, block / scale, **ROUGH)


def test_a_step_and_its_derivatives(motion: Motion) -> None:
    m, d, q = motion.at
    time = 1e-3
    rule = grbda.Integrator.semi_implicit_euler
    after, rate, A, B = grbda.step_derivatives(m, d, rule, q, motion.yd, motion.tau, time)
    ydd = grbda.aba(m, d, q, motion.yd, motion.tau)
    assert_allclose(rate, motion.yd + time * ydd, rtol=1e-12)
    assert_allclose(after, grbda.integrate(m, d, q, time * rate), atol=1e-12)
    change = h * motion.tau

    def rate_at(tau: np.ndarray) -> np.ndarray:
        return motion.yd + time * grbda.aba(m, d, q, motion.yd, tau)

    assert_allclose(B[m.nv :] @ motion.tau, (rate_at(motion.tau + change) - rate_at(motion.tau - change)) / (2 * h), **ROUGH)
    assert A.shape == (2 * m.nv, 2 * m.nv)


def test_momentum_and_energy(motion: Motion) -> None:
    m, d, q = motion.at
    state = grbda.mechanical_state(m, d, q, motion.yd)
    assert state.kinetic >= 0.5 * motion.yd @ grbda.crba(m, d, q) @ motion.yd * (1 - 1e-9)
    A, rate = grbda.momentum_matrix(m, d, q, motion.yd)
    assert np.isnan(grbda.momentum_matrix(m, d, q)[1]).all()
    assert_allclose(A @ motion.yd, np.r_[state.linear_momentum, state.angular_momentum], atol=1e-9)
    J = grbda.com_jacobian(m, d, q)
    assert_allclose(state.mass * J @ motion.yd, state.linear_momentum, atol=1e-9)
    by_y, _, _, same = grbda.com_derivatives(m, d, q, motion.yd, motion.ydd)
    assert_array_equal(same, J)

    def velocity(at: np.ndarray) -> np.ndarray:
        return grbda.com_jacobian(m, d, at) @ motion.yd

    assert_allclose(motion.differences(velocity, 3), by_y, **ROUGH)
    dh_dy, dhd_dy, dhd_dyd, again = grbda.momentum_derivatives(m, d, q, motion.yd, motion.ydd)
    assert_allclose(again, A, atol=1e-12)
    assert dh_dy.shape == dhd_dy.shape == dhd_dyd.shape == rate.shape == (6, m.nv)


def test_regressors(motion: Motion) -> None:
    m, d, q = motion.at
    parameters = grbda.inertial_parameters(m)
    still = np.zeros(m.nv)
    Y = grbda.torque_regressor(m, d, q, still, still)
    assert_allclose(Y @ parameters, grbda.bias_force(m, d, q, still), atol=1e-8)
    kinetic, potential = grbda.energy_regressors(m, d, q, motion.yd)
    state = grbda.mechanical_state(m, d, q, motion.yd)
    assert_allclose(potential @ parameters, state.potential, atol=1e-9)
    assert kinetic @ parameters <= state.kinetic * (1 + 1e-9)
    joints = grbda.joint_regressor(m, d, q, motion.yd, motion.ydd)
    friction = joints[:, : 2 * m.nv_tree] @ grbda.joint_parameters(m)[: 2 * m.nv_tree]
    unloaded = grbda.joint_forces(m, d, q, grbda.spanning_velocity(m, d, q, motion.yd))
    if not any(np.abs(unloaded + friction) > 1e-9):  # no springs
        assert_allclose(friction, -unloaded, atol=1e-9)


def test_forces_of_constraints(motion: Motion) -> None:
    m, d, q = motion.at
    forces = grbda.constraint_forces(m, d, q, motion.yd, motion.ydd)
    tau = grbda.rnea(m, d, q, motion.yd, motion.ydd)
    assert_allclose(forces.tau, tau, atol=1e-7 * max(1.0, np.abs(tau).max()))
    assert forces.loops.shape == (6, len(m.loops))
    assert forces.joints.shape == (6, len(m.bodies))
    again = grbda.constraint_forces(m, d, q, motion.yd, motion.ydd, out=forces)
    assert again is forces
    change = grbda.constraint_force_derivatives(m, d, q, motion.yd, motion.ydd)
    assert change.tree.shape == (m.nv_tree, 3 * m.nv)

    def tree(at: np.ndarray) -> np.ndarray:
        return grbda.constraint_forces(m, d, at, motion.yd, motion.ydd).tree

    scale = max(1.0, np.abs(change.tree).max())
    assert_allclose(motion.differences(tree, m.nv_tree) / scale, change.tree[:, : m.nv] / scale, **ROUGH)
    determinacy = grbda.static_determinacy(m, d, q)
    assert determinacy.joints.shape == (6, len(m.bodies))


def test_motors(motion: Motion) -> None:
    m, d, q = motion.at
    actuation = grbda.actuation_jacobian(m, d, q)
    motors = grbda.motor_coordinates(m)
    assert actuation.J.shape == (len(motors), m.nv)
    if actuation.undriven == 0:
        forces = grbda.motor_forces(m, actuation, motion.tau)
        assert_allclose(actuation.J.T @ forces, motion.tau, atol=1e-6)


def test_other_coordinates(motion: Motion) -> None:
    m, d, q = motion.at
    other = grbda.Data(m)
    grbda.take_tangents(m, other, q)
    T = grbda.coordinate_change(m, d, other, q)  # yd of `other` from those of d
    M = grbda.crba(m, d, q)
    assert_allclose(grbda.crba(m, other, q), np.linalg.inv(T).T @ M @ np.linalg.inv(T), rtol=1e-6, atol=1e-8)
    qd = grbda.spanning_velocity(m, d, q, motion.yd)
    assert_allclose(grbda.independent_part(m, other, qd), T @ motion.yd, atol=1e-8)
    third = grbda.Data(m)
    third.chart = other.chart
    assert_array_equal(grbda.crba(m, third, q), grbda.crba(m, other, q))
    grbda.restore_coordinates(m, other)
    assert_array_equal(grbda.crba(m, other, q), M)
    grbda.choose_coordinates(m, other, q, grbda.Marks.ignored)
    grbda.prefer_coordinates(m, other, q, [0])
    assert len(grbda.independent_coordinates(m, other)) == m.nv
    assert grbda.independent_coordinates(m, other)[0].body >= -1


def test_searches(motion: Motion) -> None:
    m, d, q = motion.at
    frame = m.bodies[-1].frame
    moved = grbda.integrate(m, d, q, 0.02 * motion.yd)
    grbda.forward_kinematics(m, d, moved)
    target = grbda.FrameTarget(frame, grbda.frame_position(m, d, frame))
    free = grbda.SearchOptions(limits=False)
    found, search = grbda.inverse_kinematics(m, d, [target], q, options=free)
    assert search.converged
    assert search.gaps[0].length < 1e-8
    assert search.moved.shape == (m.nv_tree,)
    grbda.forward_kinematics(m, d, found)
    assert_allclose(grbda.frame_position(m, d, frame), target_position(m, moved, frame), atol=1e-8)
    near, search = grbda.project_configuration(m, d, np.ones(m.nv_tree), q)
    assert search.outcome == grbda.Outcome.converged
    assert_allclose(near, q, atol=1e-7)
    qd = grbda.spanning_velocity(m, d, q, motion.yd)
    assert_allclose(grbda.project_velocity(m, d, np.ones(m.nv_tree), q, qd), qd, atol=1e-8)
    assert_allclose(grbda.project_velocity(m, d, np.eye(m.nv_tree), q, qd), qd, atol=1e-8)
    qdd = grbda.spanning_acceleration(m, d, q, motion.yd, motion.ydd)[1]
    assert_allclose(grbda.project_acceleration(m, d, np.ones(m.nv_tree), q, qd, qdd), qdd, atol=1e-6)


def target_position(model: grbda.Model, q: np.ndarray, frame: int) -> np.ndarray:
    data = grbda.Data(model)
    grbda.forward_kinematics(model, data, q)
    return grbda.frame_position(model, data, frame)


def test_a_sweep_finds_both_modes_of_a_four_bar() -> None:
    model = grbda.load(files_of("four_bar"))
    q = grbda.neutral_configuration(model)
    swept = grbda.sweep(model, q, model.joints[0], -3.0, 3.0, steps=60)
    assert len(swept.values) == 61
    assert swept.closed > 0
    data = grbda.Data(model)
    for branch in swept.branches:
        for point in branch.points:
            grbda.closure_residual(model, data, point.q)
            assert point.q[model.bodies[0].q][0] == pytest.approx(point.value)


def test_contacts_and_impulses(humanoid: grbda.Model) -> None:
    data = grbda.Data(humanoid)
    q = grbda.neutral_configuration(humanoid)
    yd = np.random.default_rng(2).normal(size=humanoid.nv)
    grbda.free_motion(humanoid, data, q, yd, np.zeros(humanoid.nv_tree))
    foot = max(body.index for body in humanoid.bodies if not body.rotor)
    frame = humanoid.bodies[foot].frame
    position = target_position(humanoid, q, frame)
    space = grbda.ContactSpace(humanoid, 1)
    grbda.contact_inertia(humanoid, data, [grbda.Contact(foot, position, np.eye(3))], [], space)
    assert space.rows == 3
    own = grbda.Data(humanoid)
    grbda.forward_kinematics(humanoid, own, q, yd)
    J = grbda.frame_jacobian(humanoid, own, frame, WORLD)[:3]
    assert_allclose(space.velocity, J @ yd, atol=1e-9)
    assert_allclose(space.inverse_inertia, J @ grbda.inverse_mass_matrix(humanoid, own, q) @ J.T, atol=1e-8)
    impulse = np.array([1.0, -2.0, 3.0])
    change = grbda.apply_impulses(humanoid, data, space, impulse)
    assert_allclose(J @ change, space.inverse_inertia @ impulse, atol=1e-8)
    grbda.forward_kinematics(humanoid, own, q, 2 * yd)
    assert_allclose(grbda.contact_velocities(humanoid, own, space), 2 * J @ yd, atol=1e-9)


def test_distances_of_a_robot_from_itself() -> None:
    model = grbda.load(files_of("ur10e") + [file for file in xrdf() if "ur10e" in file])
    data = grbda.Data(model)
    grbda.forward_kinematics(model, data, grbda.neutral_configuration(model))
    distances = grbda.self_distances(model, data)
    assert all(np.isfinite(pair.distance) for pair in distances)


def xrdf() -> list[str]:
    from conftest import SOURCE

    given = files_of("ur10e")
    return [str(file) for file in sorted((SOURCE / "robots/ur10e").glob("*.*")) if str(file) not in given and file.suffix != ".md"]


def test_a_step_for_solvers_is_that_of_a_rule_of_euler_from_a_reference() -> None:
    model = grbda.load(files_of("six_bar"))
    data = grbda.Data(model)
    q_ref = grbda.random_configuration(model, 1)
    y = grbda.independent_part(model, data, q_ref)
    solver = grbda.SolverStep(model, motors=False)
    x = np.concatenate([y + 0.01, 0.5 * np.ones(model.nv)])
    u, h = np.linspace(-1, 1, model.nv), 0.01
    assert (solver.nx, solver.nu, solver.displacements) == (2 * model.nv, model.nv, False)
    q = solver.configuration(x[: model.nv], q_ref)
    assert_allclose(grbda.independent_part(model, data, q), x[: model.nv], atol=1e-12)
    x_next, J = solver.step(x, u, q_ref, h)
    rate = x[model.nv :] + h * grbda.aba(model, data, q, x[model.nv :], u)
    assert_allclose(x_next, np.concatenate([x[: model.nv] + h * rate, rate]), rtol=1e-10)
    for k in range(solver.nx):
        nudge = 1e-6 * np.eye(solver.nx)[k]
        ahead, behind = (solver.step(x + sign * nudge, u, q_ref, h)[0] for sign in (1, -1))
        assert_allclose(J[:, k], (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-6)
