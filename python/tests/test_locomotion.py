"""Tasks of legged robots: their clock, observations and ends, and how the robots move without actions."""

from __future__ import annotations

import grbda
import grbda.gym
import grbda.locomotion
import numpy as np
import pytest
from conftest import TASKS, random_actions
from numpy.testing import assert_array_equal


def test_observations_are_what_the_page_says(task: grbda.locomotion.GaitTask) -> None:
    """The base's part, computed from its pose by the library and by differences of positions."""
    env = grbda.gym.VectorEnvironment(task, 2)
    found = grbda.gym.rollout(env, random_actions(env, 10), 10, seed=0)
    model, data, base = task.model, grbda.Data(task.model), task.model.bodies[0]
    h = task.options.step
    for i in range(2):
        q, qd, seen = found.q[-1, i], found.qd[-1, i], found.observations[-1, i]
        grbda.forward_kinematics(model, data, q)
        rotation = grbda.frame_orientation(model, data, base.frame)
        np.testing.assert_allclose(seen[:3], rotation[2], atol=1e-6)
        moved = grbda.integrate(model, data, q, 1e-3 * h * grbda.independent_part(model, data, qd))
        grbda.forward_kinematics(model, data, moved)
        turned = grbda.frame_orientation(model, data, base.frame)
        np.testing.assert_allclose(rotation @ seen[3:6], (moved[:3] - q[:3]) / (1e-3 * h), atol=1e-4)
        spin = rotation.T @ turned / (1e-3 * h)
        np.testing.assert_allclose(seen[6:9], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-4)
        assert seen[9] == pytest.approx(q[2] - task.stand[2], abs=1e-6)
        joints = [model.joint(name) for name in task.motors]
        np.testing.assert_allclose(seen[10:22], [q[j.q][0] - task.stand[j.q][0] for j in joints], atol=1e-6)
        np.testing.assert_allclose(seen[22:34], [0.1 * qd[j.v][0] for j in joints], atol=1e-6)
        phase = 2 * np.pi * 10 * task.period / task.cycle
        np.testing.assert_allclose(seen[34:], [np.sin(phase), np.cos(phase)], atol=1e-6)


def test_targets_are_those_of_the_clock_and_the_action(task: grbda.locomotion.GaitTask) -> None:
    """A quarter of a cycle after the begin, legs with offset 0 are lifted most, and others stand."""
    model, nu = task.model, task.action_size
    actions = np.random.default_rng(0).uniform(-1, 1, (1, nu))
    worlds = grbda.gym.Worlds(task.stand[None], np.zeros((1, model.nv_tree)), np.array([task.cycle / 4]), actions)
    target = task.controls(worlds)["target"][0]
    lifted = sum(lift for lift, offset in zip(task.lifts, task.offsets) if offset == 0)
    expected = np.zeros(model.nv_tree)
    for i, name in enumerate(task.motors):
        joint = model.joint(name)
        expected[joint.v] = task.stand[joint.q] + task.sway[i] + lifted[i] + task.scale * actions[0, i]
    np.testing.assert_allclose(target, expected, atol=1e-12)
    servos = np.flatnonzero(task.options.servo_stiffness)
    assert_array_equal(np.sort([model.joint(name).v.start for name in task.motors]), servos)


def test_a_robot_that_lies_down_ends_its_episode(task: grbda.locomotion.GaitTask) -> None:
    worlds = grbda.gym.Worlds(np.tile(task.stand, (3, 1)), np.zeros((3, task.model.nv_tree)), np.zeros(3), np.zeros((3, 12)))
    worlds.q[1, 3:7] = np.sin(0.31), 0, 0, np.cos(0.31)  # by 0.62 rad
    worlds.q[2, 2] *= 0.69
    assert_array_equal(task.terminated(worlds), [False, True, True])


def test_the_quadruped_trots_in_place_without_actions() -> None:
    """Each foot is lifted and lands in each cycle, and the robot neither falls nor leaves."""
    task = TASKS["trot"]()
    env = grbda.gym.VectorEnvironment(task, 2)
    found = grbda.gym.rollout(env, np.zeros((90, 12)), 90, seed=0)
    assert not (found.terminations | found.truncations).any()
    assert np.abs(found.q[-1, :, :2]).max() < 0.3
    feet = [shape for shape in task.model.shapes if shape.collision and shape.kind == grbda.ShapeKind.sphere]
    assert len(feet) == 4
    data, heights = grbda.Data(task.model), np.empty((90, 4))
    for row, q in zip(heights, found.q[1:, 0]):
        grbda.forward_kinematics(task.model, data, q)
        for i, foot in enumerate(feet):
            frame = task.model.bodies[foot.body].frame
            rotation = grbda.frame_orientation(task.model, data, frame)
            row[i] = (grbda.frame_position(task.model, data, frame) + rotation @ foot.position)[2] - foot.size[0]
    cycles = heights.reshape(6, 15, 4)  # of 0.3 s
    assert cycles.max(axis=1).min() > 0.02
    assert np.abs(cycles.min(axis=1)).max() < 0.005


def test_the_biped_begins_level_on_its_soles() -> None:
    task = TASKS["walk"](height=0.04)
    model, data = task.model, grbda.Data(task.model)
    grbda.closure_residual(model, data, task.stand)
    grbda.forward_kinematics(model, data, task.stand)
    for foot in ("left_foot", "right_foot"):
        assert grbda.frame_position(model, data, foot)[2] == pytest.approx(0, abs=1e-6)
        np.testing.assert_allclose(grbda.frame_orientation(model, data, foot), np.eye(3), atol=1e-6)
    worlds = grbda.gym.Worlds(task.stand[None], np.zeros((1, model.nv_tree)), np.zeros(1), np.zeros((1, 12)))
    assert task.reward(worlds)["feet"] == pytest.approx(1, abs=1e-6)
    with pytest.raises(ValueError, match="do not reach"):
        grbda.locomotion.WalkInPlace(model, height=3.0)
