"""Many states at a time: rows of states, each as it would be alone."""

from __future__ import annotations

from typing import Any

import grbda
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

COUNT = 11
CLOSE: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-9}  # other instructions round otherwise


@pytest.fixture()
def states(humanoid: grbda.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    q = np.array([grbda.random_configuration(humanoid, seed) for seed in range(COUNT)])
    return q, random.normal(size=(COUNT, humanoid.nv)), random.normal(size=(COUNT, humanoid.nv))


def test_each_state_is_as_alone(humanoid: grbda.Model, states: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    q, yd, x = states
    data, batch = grbda.Data(humanoid), grbda.BatchData(humanoid, threads=2)
    wrenches = np.random.default_rng(6).normal(size=(COUNT, 6, len(humanoid.bodies)))
    ydd = grbda.aba(humanoid, batch, q, yd, x, wrenches)
    tau = grbda.rnea(humanoid, batch, q, yd, x)
    M = grbda.crba(humanoid, batch, q)
    by = grbda.aba_derivatives(humanoid, batch, q, yd, x)
    back = grbda.rnea_derivatives(humanoid, batch, q, yd, x)
    assert ydd.shape == (COUNT, humanoid.nv)
    assert M.shape == (COUNT, humanoid.nv, humanoid.nv)
    for i in range(COUNT):
        assert_allclose(ydd[i], grbda.aba(humanoid, data, q[i], yd[i], x[i], wrenches[i]), **CLOSE)
        assert_allclose(tau[i], grbda.rnea(humanoid, data, q[i], yd[i], x[i]), **CLOSE)
        assert_allclose(M[i], grbda.crba(humanoid, data, q[i]), **CLOSE)
        for many, one in zip(by, grbda.aba_derivatives(humanoid, data, q[i], yd[i], x[i])):
            scale = max(1.0, np.abs(one).max())
            assert_allclose(many[i] / scale, one / scale, **CLOSE)
        for many, one in zip(back, grbda.rnea_derivatives(humanoid, data, q[i], yd[i], x[i])):
            scale = max(1.0, np.abs(one).max())
            assert_allclose(many[i] / scale, one / scale, **CLOSE)


def test_configurations_and_frames_are_those_of_single_calls(
    humanoid: grbda.Model, states: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    q, yd, _ = states
    data, batch, axes = grbda.Data(humanoid), grbda.BatchData(humanoid, threads=2), grbda.ReferenceFrame.world_aligned
    frame = humanoid.frames[-1].name
    moved = grbda.integrate(humanoid, batch, q, 0.1 * yd)
    deltas = grbda.difference(humanoid, batch, q, moved)
    guesses = moved.copy()
    guesses[:, 7:] += 0.01
    closed = grbda.close_loops(humanoid, batch, guesses)
    positions, orientations = grbda.frame_poses(humanoid, batch, q, frame)
    twists = grbda.frame_velocities(humanoid, batch, q, yd, frame, axes)
    jacobians = grbda.frame_jacobians(humanoid, batch, q, frame, axes)
    assert (orientations.shape, jacobians.shape) == ((COUNT, 3, 3), (COUNT, 6, humanoid.nv))
    for i in range(COUNT):
        assert_array_equal(moved[i], grbda.integrate(humanoid, data, q[i], 0.1 * yd[i]))
        assert_array_equal(deltas[i], grbda.difference(humanoid, data, q[i], moved[i]))
        assert_array_equal(closed[i], grbda.close_loops(humanoid, data, guesses[i]))
        grbda.forward_kinematics(humanoid, data, q[i], yd[i])
        assert_array_equal(positions[i], grbda.frame_position(humanoid, data, frame))
        assert_array_equal(orientations[i], grbda.frame_orientation(humanoid, data, frame))
        assert_array_equal(twists[i], grbda.frame_velocity(humanoid, data, frame, axes))
        assert_array_equal(jacobians[i], grbda.frame_jacobian(humanoid, data, frame, axes))
    assert grbda.close_loops(humanoid, batch, guesses, out=guesses) is guesses
    assert_array_equal(guesses, closed)


def test_bits_do_not_depend_on_threads_number_or_layout(
    humanoid: grbda.Model, states: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    q, yd, tau = states
    expected = grbda.aba(humanoid, grbda.BatchData(humanoid), q, yd, tau)
    assert_array_equal(grbda.aba(humanoid, grbda.BatchData(humanoid, 3), q, yd, tau), expected)
    assert_array_equal(grbda.aba(humanoid, grbda.BatchData(humanoid), q[4:6], yd[4:6], tau[4:6]), expected[4:6])
    assert_array_equal(grbda.aba(humanoid, grbda.BatchData(humanoid), np.asfortranarray(q), yd, tau), expected)
    out = np.empty((COUNT, humanoid.nv), order="F")
    grbda.aba(humanoid, grbda.BatchData(humanoid), q, yd, tau, out=out)
    assert_array_equal(out, expected)


def test_a_state_that_fails_leaves_the_others(
    humanoid: grbda.Model, states: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    q, yd, tau = states
    batch = grbda.BatchData(humanoid)
    expected = grbda.aba(humanoid, batch, q, yd, tau)
    tau = tau.copy()
    tau[7] = np.nan
    with pytest.raises(grbda.StatusError, match="not_finite at state 7 \\(states that failed: 1\\): tau\\[0\\] is nan"):
        grbda.aba(humanoid, batch, q, yd, tau)
    ydd = grbda.aba(humanoid, batch, q, yd, tau, check=False)
    assert np.isnan(ydd[7]).all()
    others = np.arange(COUNT) != 7
    assert_array_equal(ydd[others], expected[others])
    assert [status == grbda.Status.ok for status in batch.statuses] == others.tolist()


def test_states_that_do_not_fit_are_refused(
    humanoid: grbda.Model, states: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    q, yd, tau = states
    batch = grbda.BatchData(humanoid)
    with pytest.raises(ValueError, match=r"aba: tau must have the shape \(11, 24\), \[states, nv\], not \(10, 24\)"):
        grbda.aba(humanoid, batch, q, yd, tau[1:])
    with pytest.raises(ValueError, match="aba: q must have the shape"):
        grbda.aba(humanoid, batch, q[0], yd, tau)
    with pytest.raises(ValueError, match="threads"):
        grbda.BatchData(humanoid, 0)
    assert grbda.aba(humanoid, batch, q[:0], yd[:0], tau[:0]).shape == (0, humanoid.nv)
