"""Vectorised environments: each world obeys the laws of `Simulator`, whatever its neighbours and threads do."""

from __future__ import annotations

import importlib.util
from typing import Any

import grbda
import grbda.gym
import grbda.locomotion
import numpy as np
import pytest
from conftest import TASKS, files_of, random_actions
from grbda import _spaces
from numpy.testing import assert_array_equal


class Pendulum(grbda.gym.Task):
    """A double pendulum driven by torques; the observation is its state, and it ends beyond an angle of 1 rad."""

    def __init__(self, start: Any = None, **settings: Any) -> None:
        model = grbda.load(files_of("double_pendulum"))
        settings = {"decimation": 5, "episode_steps": 6, "failure_reward": -7.0, **settings}
        super().__init__(model, 4, 2, **settings)
        self._start = start

    def start(self, random: np.random.Generator) -> tuple[Any, Any]:
        return self._start or random.uniform(-0.5, 0.5, 2), np.zeros(2)

    def controls(self, worlds: grbda.gym.Worlds) -> dict[str, Any]:
        return {"tau_s": 5 * worlds.actions}

    def observe(self, worlds: grbda.gym.Worlds) -> Any:
        return np.hstack([worlds.q, worlds.qd])

    def reward(self, worlds: grbda.gym.Worlds) -> dict[str, Any]:
        return {"angle": -(worlds.q**2).sum(axis=1), "effort": -(worlds.actions**2).sum(axis=1)}

    def terminated(self, worlds: grbda.gym.Worlds) -> Any:
        return np.abs(worlds.q[:, 0]) > 1


def assert_equal_rollouts(one: grbda.gym.Rollout, other: grbda.gym.Rollout, worlds: slice = slice(None)) -> None:
    for name in vars(one):
        assert_array_equal(getattr(one, name)[:, worlds], getattr(other, name)[:, worlds], err_msg=name)


def test_spaces_shapes_and_types_are_those_of_the_interface(task: grbda.gym.Task) -> None:
    env = grbda.gym.VectorEnvironment(task, 3)
    n_obs, nu = task.observation_size, task.action_size
    assert env.num_envs == 3 and nu == 12 and env.unwrapped is env
    assert env.single_observation_space.shape == (n_obs,) and env.observation_space.shape == (3, n_obs)
    assert env.single_action_space.shape == (nu,) and env.action_space.shape == (3, nu)
    assert env.metadata["autoreset_mode"] == grbda.gym.AutoresetMode.NEXT_STEP
    seen, infos = env.reset(seed=1)
    assert seen in env.observation_space and seen.dtype == np.float32 and isinstance(infos, dict)
    seen, rewards, terminations, truncations, infos = env.step(env.action_space.sample())
    assert seen in env.observation_space
    assert rewards.shape == terminations.shape == truncations.shape == (3,)
    assert [x.dtype for x in (rewards, terminations, truncations)] == [np.float64, np.bool_, np.bool_]
    assert_array_equal(sum(v for k, v in infos["reward"].items() if k[0] != "_"), rewards)
    assert infos["_reward"].all() and not infos["_status"].any()
    env.close()
    with pytest.raises(ValueError, match="closed"):
        env.reset()


def test_a_box_samples_within_its_bounds_and_refuses_other_arrays() -> None:
    low, high = [-1, 0, -np.inf, -np.inf], [1, np.inf, 3, np.inf]
    box = _spaces.PlainBox(low, high, seed=4)
    samples = [box.sample() for _ in range(200)]
    assert all(x in box and x.dtype == np.float32 for x in samples)
    assert np.ptp(samples, axis=0).min() > 1
    assert_array_equal(_spaces.PlainBox(low, high, seed=4).sample(), samples[0])
    box.seed(4)
    assert_array_equal(box.sample(), samples[0])
    assert np.array([2, 0, 0, 0], np.float32) not in box
    assert np.zeros(3, np.float32) not in box and np.zeros(4) not in box and [0, 0, 0, 0] not in box
    assert box == _spaces.PlainBox(low, high) and box != _spaces.PlainBox(low, np.full(4, np.inf))
    assert "(4,)" in repr(box)
    with pytest.raises(ValueError, match="low"):
        _spaces.PlainBox([1.0], [0.0])


@pytest.mark.skipif(importlib.util.find_spec("gymnasium") is None, reason="gymnasium is not installed")
def test_it_is_a_vector_environment_of_gymnasium() -> None:
    import gymnasium
    from gymnasium.vector.utils import batch_space

    env = grbda.gym.VectorEnvironment(Pendulum(), 3)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    assert env.observation_space == batch_space(env.single_observation_space, 3)
    assert env.action_space == batch_space(env.single_action_space, 3)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped.reset(seed=0)
    finished = 0
    for _ in range(20):
        *_, infos = wrapped.step(env.action_space.sample())
        finished += int(infos.get("_episode", np.zeros(3)).sum())
    assert finished > 0


def test_a_step_is_that_of_the_simulator(task: grbda.locomotion.GaitTask) -> None:
    env = grbda.gym.VectorEnvironment(task, 2)
    env.reset(seed=5)
    simulator = grbda.Simulator(task.model, task.options, task.ground)
    simulator.set_state(env.q[1], env.qd[1])
    actions = random_actions(env, 1)[0]
    target = np.zeros(task.model.nv_tree)
    for i, name in enumerate(task.motors):  # at time 0 no leg is raised
        joint = task.model.joint(name)
        target[joint.v] = task.stand[joint.q] + task.scale * actions[1, i]
    simulator.step(target=target, steps=task.decimation)
    env.step(actions)
    assert_array_equal(env.q[1], simulator.q)
    assert_array_equal(env.qd[1], simulator.qd)


def test_threads_and_neighbours_change_no_bit(task: grbda.gym.Task) -> None:
    one, two = (grbda.gym.VectorEnvironment(task, 4, threads=threads) for threads in (1, 2))
    actions = random_actions(one, 25)
    found = grbda.gym.rollout(one, actions, 25, seed=3)
    assert_equal_rollouts(found, grbda.gym.rollout(two, actions, 25, seed=3))
    assert_equal_rollouts(found, grbda.gym.rollout(one, actions, 25, seed=3))
    fewer = grbda.gym.VectorEnvironment(task, 2)
    assert_equal_rollouts(grbda.gym.rollout(fewer, actions[:, :2], 25, seed=3), found, slice(0, 2))
    assert np.abs(found.q[0, 0] - found.q[0, 1]).max() > 1e-4
    assert np.abs(grbda.gym.rollout(two, actions[:1], 1, seed=4).q[0] - found.q[0]).max() > 1e-4


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_rollout_is_its_steps(mode: str) -> None:
    env = grbda.gym.VectorEnvironment(Pendulum(), 3, autoreset_mode=mode)
    weights = np.random.default_rng(0).normal(size=(2, 4))
    found = grbda.gym.rollout(env, lambda seen: seen @ weights.T, 20, seed=2)
    again = grbda.gym.VectorEnvironment(Pendulum(), 3, autoreset_mode=grbda.gym.AutoresetMode(mode))
    seen, _ = again.reset(seed=2)
    for k in range(20):
        assert_array_equal(found.observations[k], seen)
        assert_array_equal(found.actions[k], seen @ weights.T)
        seen, rewards, terminations, truncations, _ = again.step(seen @ weights.T)
        assert_array_equal(found.rewards[k], rewards)
        assert_array_equal(found.terminations[k], terminations)
        assert_array_equal(found.truncations[k], truncations)
        assert_array_equal(found.q[k + 1], again.q)
        assert_array_equal(found.qd[k + 1], again.qd)
    assert found.truncations.any()
    first = found.first_episodes()
    for i in range(3):
        length = 1 + int(np.argmax((found.terminations | found.truncations)[:, i]))
        assert first[:length, i].all() and not first[length:, i].any()
        assert found.returns()[i] == pytest.approx(found.rewards[:length, i].sum())


def test_the_step_after_the_end_begins_the_next_episode() -> None:
    env = grbda.gym.VectorEnvironment(Pendulum(), 2)
    seen, _ = env.reset(seed=0)
    for k in range(6):
        last, _, terminations, truncations, _ = env.step(np.zeros((2, 2)))
        assert not terminations.any() and truncations.all() == (k == 5)
    assert_array_equal(last, np.hstack([env.q, env.qd]).astype(np.float32))
    begun, rewards, terminations, truncations, infos = env.step(np.full((2, 2), np.nan))  # ignored
    assert_array_equal(rewards, 0)
    assert not (terminations | truncations | infos["_reward"] | infos["_status"]).any()
    randoms = [np.random.default_rng(i) for i in range(2)]
    first, second = (np.array([random.uniform(-0.5, 0.5, 2) for random in randoms]) for _ in range(2))
    assert_array_equal(seen[:, :2], first.astype(np.float32))
    assert_array_equal(begun[:, :2], second.astype(np.float32))
    assert_array_equal(begun[:, 2:], 0)
    lengths = [env.step(np.zeros((2, 2)))[3].all() for _ in range(6)]
    assert lengths == [False] * 5 + [True]


def test_the_same_step_ends_an_episode_and_begins_the_next() -> None:
    later = grbda.gym.VectorEnvironment(Pendulum(), 2)
    env = grbda.gym.VectorEnvironment(Pendulum(), 2, autoreset_mode=grbda.gym.AutoresetMode.SAME_STEP)
    for each in (later, env):
        each.reset(seed=0)
    for k in range(6):
        expected, rewards, _, truncations, _ = later.step(np.zeros((2, 2)))
        seen, now, _, ended, infos = env.step(np.zeros((2, 2)))
        assert_array_equal(rewards, now)
        assert_array_equal(truncations, ended)
        assert ("final_obs" in infos) == (k == 5) == (not infos["_reward"].any())
    assert_array_equal(infos["final_obs"], expected)
    assert infos["_final_obs"].all() and infos["_final_info"].all()
    assert_array_equal(infos["final_info"]["reward"]["angle"], now)
    assert infos["final_info"]["_reward"].all()
    begun, *_ = later.step(np.zeros((2, 2)))
    assert_array_equal(seen, begun)


def test_a_mask_begins_only_its_worlds() -> None:
    env = grbda.gym.VectorEnvironment(Pendulum(), 3)
    with pytest.raises(ValueError, match="first reset"):
        env.reset(options={"reset_mask": np.array([True, False, False])})
    first, _ = env.reset(seed=0)
    for _ in range(3):
        before, *_ = env.step(np.zeros((3, 2)))
    mask = np.array([True, False, True])
    after, _ = env.reset(seed=0, options={"reset_mask": mask})
    assert_array_equal(after[mask], first[mask])
    assert_array_equal(after[1], before[1])
    ends = np.array([env.step(np.zeros((3, 2)))[3] for _ in range(6)])
    assert_array_equal(ends.argmax(axis=0), [5, 2, 5])
    for wrong in (np.ones(2, dtype=bool), np.ones(3), np.zeros(3, dtype=bool)):
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(options={"reset_mask": wrong})


def test_seeds_may_be_a_list_and_none_continues() -> None:
    env = grbda.gym.VectorEnvironment(Pendulum(), 2)
    seen, _ = env.reset(seed=7)
    listed, _ = env.reset(seed=[7, 8])
    assert_array_equal(seen, listed)
    continued, _ = env.reset()
    assert (continued != seen).any(axis=1).all()
    part, _ = env.reset(seed=[7, None])
    assert_array_equal(part[0], seen[0])
    assert (part[1] != seen[1]).any()
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=[1])


def test_without_autoreset_the_caller_begins_episodes() -> None:
    disabled, same = (
        grbda.gym.VectorEnvironment(Pendulum(), 3, autoreset_mode=grbda.gym.AutoresetMode[mode]) for mode in ("DISABLED", "SAME_STEP")
    )
    for env in (disabled, same):
        env.reset(seed=5)
    begun = 0
    for actions in np.random.default_rng(0).uniform(-1, 1, (40, 3, 2)):
        seen, _, terminations, truncations, infos = disabled.step(actions)
        expected, _, *ends, final = same.step(actions)
        assert_array_equal([terminations, truncations], ends)
        assert not {"final_obs", "final_info"} & infos.keys()
        ended = terminations | truncations
        assert_array_equal(seen[~ended], expected[~ended])
        if ended.any():
            begun += 1
            assert_array_equal(seen[ended], final["final_obs"][ended])
            with pytest.raises(ValueError, match=r"step: the episodes of worlds \[.*\] have ended"):
                disabled.step(actions)
            seen, _ = disabled.reset(options={"reset_mask": ended})
            assert_array_equal(seen, expected)
    assert begun > 1


@pytest.mark.parametrize("mode", grbda.gym.AutoresetMode.__members__.keys() & {"NEXT_STEP", "SAME_STEP"})
def test_a_world_that_fails_is_terminated_and_the_others_go_on(mode: str) -> None:
    env, alone = (
        grbda.gym.VectorEnvironment(Pendulum(), 2, autoreset_mode=grbda.gym.AutoresetMode[mode]) for _ in range(2)
    )
    for each in (env, alone):
        each.reset(seed=0)
    actions = np.full((2, 2), 0.5)
    expected, *_ = alone.step(actions)
    actions[0, 1] = np.nan
    seen, rewards, terminations, truncations, infos = env.step(actions)
    infos = infos.get("final_info", infos)
    assert_array_equal(terminations, [True, False])
    assert not truncations.any()
    assert rewards[0] == -7
    assert_array_equal(infos["_status"], [True, False])
    assert infos["status"][0] == int(grbda.Status.not_finite)
    assert_array_equal(seen[1], expected[1])
    assert np.isfinite(seen).all()
    _, _, terminations, *_ = env.step(np.full((2, 2), 0.5))
    assert not terminations.any()


def test_rods_that_do_not_reach_end_an_episode() -> None:
    """Starts of the biped so far from its pose that some loops do not close."""
    task = TASKS["walk"](failure_reward=-3.0)
    task.noise = 2.0
    env = grbda.gym.VectorEnvironment(task, 8)
    found = grbda.gym.rollout(env, random_actions(env, 12), 12, seed=0)
    failed = found.status != 0
    assert failed.any() and not failed.all()
    assert found.terminations[failed].all()
    assert (found.rewards[failed] == -3).all()
    assert np.isfinite(found.observations).all() and np.isfinite(found.rewards).all()
    model, data = task.model, grbda.Data(task.model)
    for q in found.q.reshape(-1, model.nq):
        grbda.closure_residual(model, data, q)  # raises if a loop is open


def test_a_start_that_cannot_be_set_is_reported_and_terminated() -> None:
    env = grbda.gym.VectorEnvironment(Pendulum(start=[np.nan, 0]), 2)
    _, infos = env.reset(seed=0)
    assert infos["_status"].all() and (infos["status"] == int(grbda.Status.not_finite)).all()
    for expected in (True, False, True):
        _, rewards, terminations, _, infos = env.step(np.zeros((2, 2)))
        assert (terminations == expected).all() and (infos["_status"] == expected).all()
        assert (rewards == (-7 if expected else 0)).all()


def test_what_makes_no_sense_is_refused() -> None:
    env = grbda.gym.VectorEnvironment(Pendulum(), 2)
    with pytest.raises(ValueError, match="call reset first"):
        env.step(np.zeros((2, 2)))
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions must have the shape \[2, 2\], not \[2\]"):
        env.step(np.zeros(2))
    with pytest.raises(ValueError, match="controls must have the shape"):
        grbda.gym.rollout(env, np.zeros((3, 2)), 4)
    with pytest.raises(ValueError, match="steps must be 1 or more"):
        grbda.gym.rollout(env, np.zeros((0, 2)), 0)
    with pytest.raises(ValueError):
        grbda.gym.VectorEnvironment(Pendulum(), 2, autoreset_mode="Never")
    with pytest.raises(ValueError, match="1 or more"):
        Pendulum(decimation=0)
    with pytest.raises(ValueError, match="no floating base"):
        grbda.locomotion.GaitTask(
            grbda.load(files_of("double_pendulum")), np.zeros(2), [], [], cycle=1, stiffness=1, damping=1, scale=1, noise=0,
            options=grbda.SimulatorOptions(),
        )  # fmt: skip


def test_controls_of_all_worlds_are_those_of_each() -> None:
    env = grbda.gym.VectorEnvironment(Pendulum(), 3)
    shared = np.random.default_rng(0).uniform(-1, 1, (8, 2))
    each = np.repeat(shared[:, None], 3, axis=1)
    assert_equal_rollouts(grbda.gym.rollout(env, shared, 8, seed=1), grbda.gym.rollout(env, each, 8, seed=1))


def test_actions_are_clipped() -> None:
    env = grbda.gym.VectorEnvironment(Pendulum(), 2)
    within, beyond = (grbda.gym.rollout(env, np.full((4, 2), size), 4, seed=1) for size in (1.0, 5.0))
    assert_array_equal(within.q, beyond.q)
    assert_array_equal(within.rewards, beyond.rewards)
