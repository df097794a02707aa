"""Dynamics with closed contacts are those of the dense equations, with derivatives, from Python."""

from __future__ import annotations

import grbda
import numpy as np
import pytest
from conftest import files_of
from numpy.testing import assert_allclose
from numpy.typing import NDArray

Array = NDArray[np.float64]
LOCAL = grbda.ReferenceFrame.local
FEET = ["left-foot", "right-foot"]


def tello() -> tuple[grbda.Model, grbda.Data, Array, Array, Array]:
    model = grbda.load(files_of("tello"))
    rng = np.random.default_rng(3)
    q = grbda.random_configuration(model, 3)
    return model, grbda.Data(model), q, rng.standard_normal(model.nv), 5 * rng.standard_normal(model.nv)


def test_contact_dynamics_solve_the_dense_equations() -> None:
    model, data, q, yd, tau = tello()
    contacts = grbda.ContactDynamics(model, [grbda.ContactFrame(model, name) for name in FEET])
    assert contacts.rows == 6
    ydd, f = contacts.dynamics(q, yd, tau, velocity_gain=2)
    grbda.forward_kinematics(model, data, q, yd, ydd)
    jacobians, accelerations = [], []
    for name in FEET:
        J = grbda.frame_jacobian(model, data, name, LOCAL)
        v = J @ yd
        a = grbda.frame_acceleration(model, data, name, LOCAL)[:3] - np.cross(v[3:], v[:3])
        jacobians.append(J[:3])
        accelerations.append(a + 2 * v[:3])
    assert_allclose(np.concatenate(accelerations), 0, atol=1e-8)
    assert contacts.rank == 6
    M, bias = grbda.crba(model, data, q), grbda.bias_force(model, data, q, yd)
    assert_allclose(M @ ydd + bias, tau + np.vstack(jacobians).T @ f, atol=1e-8)
    open_feet = contacts.dynamics(q, yd, tau, [False, False])
    assert_allclose(open_feet[0], grbda.aba(model, data, q, yd, tau), rtol=1e-12)
    assert not open_feet[1].any()


def test_derivatives_of_contact_dynamics_are_differences() -> None:
    model, data, q, yd, tau = tello()
    foot = FEET[0]
    sole = [grbda.ContactFrame(model, foot, [x, y, 0]) for x in (-0.05, 0.1) for y in (-0.03, 0.03)]
    contacts = grbda.ContactDynamics(model, sole)
    ydd, f, ydd_by, f_by = contacts.dynamics(q, yd, tau, derivatives=True)
    assert contacts.rank == 6 and contacts.residual < 1e-8
    n, e = model.nv, 1e-6
    for k in range(n):
        nudge = e * np.eye(n)[k]
        ahead, behind = (grbda.integrate(model, data, q, sign * nudge) for sign in (1, -1))
        pairs = [((ahead, yd, tau), (behind, yd, tau)), ((q, yd + nudge, tau), (q, yd - nudge, tau)),
                 ((q, yd, tau + nudge), (q, yd, tau - nudge))]  # fmt: skip
        for part, (after, before) in enumerate(pairs):
            column = part * n + k
            for output, exact in ((0, ydd_by), (1, f_by)):
                slope = (contacts.dynamics(*after)[output] - contacts.dynamics(*before)[output]) / (2 * e)
                assert_allclose(exact[:, column], slope, atol=1e-6 * abs(exact).max())
    contacts.dynamics(q, yd, tau)
    world, world_by = contacts.forces_in_world(f, f_by)
    assert_allclose(np.linalg.norm(world.reshape(-1, 3), axis=1), np.linalg.norm(f.reshape(-1, 3), axis=1))
    assert world_by.shape == (12, 3 * n)


def test_impacts_stop_the_contacts() -> None:
    model, data, q, yd, _ = tello()
    frames = [grbda.ContactFrame(model, name, kind=grbda.ContactKind.frame) for name in FEET]
    contacts = grbda.ContactDynamics(model, frames)
    after, impulses, yd_by, impulses_by = contacts.impact(q, yd, derivatives=True)
    grbda.forward_kinematics(model, data, q, after)
    for name in FEET:
        assert_allclose(grbda.frame_jacobian(model, data, name, LOCAL) @ after, 0, atol=1e-9)
    assert (yd_by.shape, impulses_by.shape) == ((model.nv, 2 * model.nv), (12, 2 * model.nv))
    assert_allclose(yd_by[:, model.nv :] @ yd, after, atol=1e-9)  # linear in yd
    assert_allclose(impulses_by[:, model.nv :] @ yd, impulses, atol=1e-7)


def test_positions_pull_contacts_back() -> None:
    model, data, q, yd, tau = tello()
    foot = FEET[0]
    contacts = grbda.ContactDynamics(model, [grbda.ContactFrame(model, foot, kind=grbda.ContactKind.frame)])
    grbda.forward_kinematics(model, data, q, yd)
    R, p = grbda.frame_orientation(model, data, foot), grbda.frame_position(model, data, foot)
    rest = np.zeros(model.nv)
    ydd, _ = contacts.dynamics(q, rest, tau, position_gain=10, positions=[p + R @ [0, 0, 0.1]], rotations=R)
    assert_allclose(grbda.frame_jacobian(model, data, foot, LOCAL) @ ydd, [0, 0, 1, 0, 0, 0], atol=1e-8)


def test_pyramids_and_errors() -> None:
    model, _, q, yd, tau = tello()
    rows = grbda.friction_pyramid(0.5, [0, 0, 1], 8)
    assert rows.shape == (8, 3)
    assert (rows @ [0.3, 0.3, 1] >= 0).all() and not (rows @ [0.4, 0.4, 1] >= 0).all()
    contacts = grbda.ContactDynamics(model, [grbda.ContactFrame(model, FEET[0])])
    with pytest.raises(ValueError, match="active has size 2, expected 1"):
        contacts.dynamics(q, yd, tau, [True, False])
    with pytest.raises(ValueError, match="references has size 0, expected 1"):
        contacts.dynamics(q, yd, tau, position_gain=1)
    with pytest.raises(ValueError, match="positions"):
        contacts.dynamics(q, yd, tau, position_gain=1, positions=np.zeros((2, 3)))
    with pytest.raises(grbda.StatusError):
        contacts.dynamics(q, np.nan * yd, tau)
    ydd, f = contacts.dynamics(q, np.nan * yd, tau, check=False)
    assert np.isnan(ydd).all() and np.isnan(f).all()
