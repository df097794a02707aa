"""Vectorised environments for reinforcement learning: many simulations of one robot, over several threads.

    task = grbda.locomotion.Trot(grbda.load("robots/mini_cheetah/mini_cheetah.urdf"))
    env = grbda.gym.VectorEnvironment(task, num_envs=64, threads=2)
    observations, infos = env.reset(seed=0)
    observations, rewards, terminations, truncations, infos = env.step(actions)
    found = grbda.gym.rollout(env, policy, steps=200, seed=0)

`VectorEnvironment` has the interface of `gymnasium.vector.VectorEnv`, and derives from it if gymnasium is installed, but
does not need it. A `Task` is the robot, what actions do, what is observed and rewarded, and when an episode ends. A world
is one of the simulations. Results depend on the seed and the actions only: the number of threads changes no bit, and
neither does the number of worlds if the task treats each alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

import grbda

from ._spaces import Array, Floats, VectorEnvBase, box, repeated
from ._spaces import AutoresetMode as AutoresetMode

Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]


@dataclass
class Worlds:
    """States of all worlds: those from which a step begins, or those at its end.

    q [n, nq]: loops closed; rad, m, quaternions x y z w
    qd [n, nv_tree]: a floating joint's is its twist in its own axes, [linear; angular]
    time [n]: s since the episode began
    actions [n, nu]: of this step, clipped to the action space; zero when an episode begins
    """

    q: Array
    qd: Array
    time: Array
    actions: Array


class Task:
    """A robot and what it has to do. A derived class defines `start`, `controls`, `observe`, `reward` and `terminated`.

    model: the robot; options and ground are those of `BatchSimulator`
    observation_size, action_size: numbers in an observation, and in an action, which lie between -1 and 1
    decimation: steps of the simulation for each step of the environment, 1 or more
    episode_steps: steps of the environment after which an episode is truncated, 1 or more
    failure_reward: reward of a step that the simulation cannot take
    """

    def __init__(
        self,
        model: grbda.Model,
        observation_size: int,
        action_size: int,
        *,
        options: grbda.SimulatorOptions | None = None,
        ground: grbda.Plane | grbda.HeightField | None = None,
        decimation: int = 10,
        episode_steps: int = 500,
        failure_reward: float = 0.0,
    ) -> None:
        if min(observation_size, action_size, decimation, episode_steps) < 1:
            raise ValueError("Task: sizes, decimation and episode_steps must be 1 or more")
        self.model = model
        self.observation_size, self.action_size = observation_size, action_size
        self.options = grbda.SimulatorOptions() if options is None else options
        self.ground = ground
        self.decimation, self.episode_steps = decimation, episode_steps
        self.failure_reward = failure_reward

    @property
    def period(self) -> float:
        """Duration of a step of the environment, s."""
        return self.decimation * self.options.step

    def start(self, random: np.random.Generator) -> tuple[ArrayLike, ArrayLike]:
        """q [nq] and qd [nv_tree] with which an episode begins, as `BatchSimulator.set_states` takes them."""
        raise NotImplementedError

    def controls(self, worlds: Worlds) -> dict[str, Any]:
        """Arguments `tau_s`, `target`, `target_rate` or `external` of `BatchSimulator.step`, from the states before it."""
        raise NotImplementedError

    def observe(self, worlds: Worlds) -> Array:
        """Observations [n, observation_size]."""
        raise NotImplementedError

    def reward(self, worlds: Worlds) -> dict[str, Array]:
        """Terms [n] by name, of which the reward is the sum."""
        raise NotImplementedError

    def terminated(self, worlds: Worlds) -> Mask:
        """Which worlds [n] are in a state that ends the episode."""
        raise NotImplementedError


class VectorEnvironment(VectorEnvBase):  # type: ignore[misc]
    """Worlds with one task each, stepped together, with the interface of `gymnasium.vector.VectorEnv`.

    task: serves one environment at a time
    num_envs: number of worlds, 1 or more
    threads: of the simulation
    autoreset_mode: NEXT_STEP: the step after the end of an episode ignores its action and returns the first observation
        of the next one, with reward 0. SAME_STEP: the last step returns that observation, and its own as
        infos["final_obs"] with infos["final_info"]. DISABLED: the caller begins the next episode, by `reset` with
        options={"reset_mask": terminations | truncations}.

    A world whose step fails, or whose start cannot be set, is `terminated` with the task's `failure_reward`;
    infos["status"] [n] has the `Status` as a number where infos["_status"] is true. No outcome of a simulation raises.
    """

    def __init__(
        self, task: Task, num_envs: int = 1, *, threads: int = 1, autoreset_mode: Any = AutoresetMode.NEXT_STEP
    ) -> None:
        self.task, self.num_envs = task, num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.simulator = grbda.BatchSimulator(task.model, num_envs, task.options, task.ground, threads)
        unbounded = np.full(task.observation_size, np.inf)
        self.single_observation_space = box(-unbounded, unbounded)
        self.single_action_space = box(-np.ones(task.action_size), np.ones(task.action_size))
        self.observation_space = repeated(self.single_observation_space, num_envs)
        self.action_space = repeated(self.single_action_space, num_envs)
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self.render_mode: str | None = None
        self.spec: Any = None
        self.closed = False
        self._randoms: list[np.random.Generator] = []
        self._steps: Codes = np.zeros(num_envs, dtype=np.int64)  # of the episode
        self._ended: Mask = np.ones(num_envs, dtype=bool)  # whose next step begins an episode
        self._start_status: Codes = np.zeros(num_envs, dtype=np.int64)
        self._actions: Array = np.zeros((num_envs, task.action_size))

    @property
    def unwrapped(self) -> VectorEnvironment:
        return self

    @property
    def q(self) -> Array:
        """[num_envs, nq]: configurations, loops closed."""
        return self.simulator.q

    @property
    def qd(self) -> Array:
        """[num_envs, nv_tree]: velocities of all joints."""
        return self.simulator.qd

    def close(self, **_: Any) -> None:
        """Ends the use of the environment; further steps raise ValueError."""
        self.closed = True

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begins an episode in all worlds, or in those of options["reset_mask"], bool [num_envs].

        seed: world i draws its starts from seed + i, or from entry i of a list; None continues its former draws.
        Returns observations [num_envs, n_obs], float32, and infos.
        """
        self._require_open()
        mask = self._mask((options or {}).get("reset_mask"))
        if not self._randoms and not mask.all():
            raise ValueError("reset: the first reset has to begin all worlds, without reset_mask")
        self._seed(seed, mask)
        self._begin(mask)
        failed = mask & (self._start_status != 0)
        return self._observe(self._worlds()), {"status": self._start_status * failed, "_status": failed}

    def step(self, actions: ArrayLike) -> tuple[Floats, Array, Mask, Mask, dict[str, Any]]:
        """Advances all worlds by `Task.period` under actions [num_envs, nu], which are clipped to the action space.

        Returns observations [num_envs, n_obs] float32, rewards [num_envs] float64, terminations and truncations
        [num_envs] bool, and infos: arrays [num_envs] with a mask `_name` of the worlds that have them, namely `status`
        and `reward`, a dictionary of the terms. An action that is not finite fails and terminates its world.
        """
        self._require_open()
        if not self._randoms:
            raise ValueError("step: call reset first")
        if self.autoreset_mode == AutoresetMode.DISABLED and self._ended.any():
            ended = np.flatnonzero(self._ended).tolist()
            raise ValueError(f"step: the episodes of worlds {ended} have ended: begin them by reset(options={{'reset_mask': mask}})")
        begun = self._ended.copy()
        self._set_actions(actions, begun)
        starts = self._begin(begun)
        status = self._advance()
        self._set_states(starts, begun)  # they took the step from there in vain
        self._steps += ~begun
        worlds = self._worlds()
        failed = ~begun & ((status != 0) | (self._start_status != 0))
        terms = self.task.reward(worlds)
        rewards = np.where(failed, self.task.failure_reward, sum(terms.values(), np.zeros(self.num_envs)))
        rewards[begun] = 0
        terminations = failed | (~begun & self.task.terminated(worlds))
        truncations = ~begun & ~terminations & (self._steps >= self.task.episode_steps)
        ended = terminations | truncations
        report = _Report(terms, np.maximum(status, self._start_status) * failed, failed)
        observations = self._observe(worlds)
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            self._ended = ended
            return observations, rewards, terminations, truncations, report.infos(~begun)
        infos = report.infos(~ended)
        if ended.any():
            infos |= {"final_obs": np.where(ended[:, None], observations, 0), "_final_obs": ended}
            infos |= {"final_info": report.infos(ended), "_final_info": ended}
            self._begin(ended)
            observations = self._observe(self._worlds())
        return observations, rewards, terminations, truncations, infos

    def _require_open(self) -> None:
        if self.closed:
            raise ValueError("VectorEnvironment: the environment is closed")

    def _mask(self, given: Any) -> Mask:
        mask = np.ones(self.num_envs, dtype=bool) if given is None else np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ValueError(f"reset: reset_mask must be bool [{self.num_envs}], with at least one true entry")
        return mask

    def _seed(self, seed: int | Sequence[int | None] | None, mask: Mask) -> None:
        each = [seed + i for i in range(self.num_envs)] if isinstance(seed, (int, np.integer)) else seed
        if each is None:
            each = [None] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"reset: seed must be a number or a list of {self.num_envs}")
        if not self._randoms:
            self._randoms = [np.random.default_rng(one) for one in each]
            return
        for i in np.flatnonzero(mask).tolist():
            if each[i] is not None:
                self._randoms[i] = np.random.default_rng(each[i])

    def _begin(self, mask: Mask) -> tuple[Array, Array]:
        """Begins an episode in the marked worlds; returns their start states, in arrays of all worlds."""
        q, qd = np.array(self.simulator.q), np.array(self.simulator.qd)
        for i in np.flatnonzero(mask):
            q[i], qd[i] = self.task.start(self._randoms[i])
        self._start_status[mask] = self._set_states((q, qd), mask)[mask]
        self._steps[mask] = 0
        self._actions[mask] = 0
        self._ended[mask] = False
        return q, qd

    def _set_states(self, states: tuple[Array, Array], mask: Mask) -> Codes:
        if not mask.any():
            return np.zeros(self.num_envs, dtype=np.int64)
        return np.array([int(x) for x in self.simulator.set_states(*states, marked=mask.tolist(), check=False)])

    def _set_actions(self, actions: ArrayLike, ignored: Mask) -> None:
        given = np.asarray(actions, dtype=np.float64)
        if given.shape != self._actions.shape:
            expected = ", ".join(map(str, self._actions.shape))
            raise ValueError(f"step: actions must have the shape [{expected}], not {list(given.shape)}")
        space = self.single_action_space
        self._actions = np.where(ignored[:, None], 0, np.clip(given, space.low, space.high))

    def _advance(self) -> Codes:
        controls = self.task.controls(self._worlds())
        outcomes = self.simulator.step(**controls, steps=self.task.decimation, check=False)
        return np.array([int(outcome.result.status) for outcome in outcomes])

    def _worlds(self) -> Worlds:
        return Worlds(self.simulator.q, self.simulator.qd, (self._steps * self.task.period).astype(np.float64), self._actions)

    def _observe(self, worlds: Worlds) -> Floats:
        return np.ascontiguousarray(self.task.observe(worlds), dtype=np.float32)


@dataclass
class _Report:
    """Terms of the reward and statuses of a step, from which infos are made."""

    terms: dict[str, Array]
    status: Codes
    failed: Mask

    def infos(self, mask: Mask) -> dict[str, Any]:
        """Those of the marked worlds."""
        masks = {f"_{name}": mask for name in self.terms}
        return {"reward": {**self.terms, **masks}, "_reward": mask, "status": self.status, "_status": self.failed & mask}


@dataclass(frozen=True)
class Rollout:
    """Steps of all worlds, one after the other.

    observations [steps + 1, n, n_obs] float32; q [steps + 1, n, nq]; qd [steps + 1, n, nv_tree]; actions [steps, n, nu] as
    they were given; rewards, terminations, truncations, status [steps, n]. Entry k of observations, q and qd is before
    step k, and entry k + 1 after it; an ended episode is followed by the next one as the environment's mode says.
    """

    observations: Floats
    actions: Array
    rewards: Array
    terminations: Mask
    truncations: Mask
    status: Codes
    q: Array
    qd: Array

    def first_episodes(self) -> Mask:
        """Which steps [steps, n] are of the first episode of their world; its last step is one of them."""
        ended = (self.terminations | self.truncations).astype(np.int64)
        result: Mask = np.cumsum(ended, axis=0) - ended == 0
        return result

    def returns(self) -> Array:
        """Sums of rewards [n] over the first episodes."""
        result: Array = (self.rewards * self.first_episodes()).sum(axis=0)
        return result


Policy = Union[Callable[[Floats], ArrayLike], ArrayLike]


def rollout(environment: VectorEnvironment, policy: Policy, steps: int, *, seed: int | None = None) -> Rollout:
    """Resets an environment with a seed and takes steps.

    policy: actions [n, nu] as a function of observations [n, n_obs], or given ones: [steps, nu] for all worlds,
        [steps, n, nu] for each
    """
    n, task = environment.num_envs, environment.task
    if steps < 1:
        raise ValueError(f"rollout: steps must be 1 or more, not {steps}")
    act = policy if callable(policy) else _given(policy, (steps, n, task.action_size))
    found = Rollout(
        np.empty((steps + 1, n, task.observation_size), dtype=np.float32),
        np.empty((steps, n, task.action_size)),
        np.empty((steps, n)),
        np.empty((steps, n), dtype=bool),
        np.empty((steps, n), dtype=bool),
        np.empty((steps, n), dtype=np.int64),
        np.empty((steps + 1, n, task.model.nq)),
        np.empty((steps + 1, n, task.model.nv_tree)),
    )
    found.observations[0], _ = environment.reset(seed=seed)
    found.q[0], found.qd[0] = environment.q, environment.qd
    for k in range(steps):
        found.actions[k] = act(found.observations[k])
        results = environment.step(found.actions[k])
        found.observations[k + 1], found.rewards[k], found.terminations[k], found.truncations[k], infos = results
        found.status[k] = infos["status"]
        found.q[k + 1], found.qd[k + 1] = environment.q, environment.qd
    return found


def _given(controls: ArrayLike, shape: tuple[int, int, int]) -> Callable[[Floats], Array]:
    """Policy that returns controls one after the other."""
    steps, n, nu = shape
    given = np.asarray(controls, dtype=np.float64)
    if given.shape not in ((steps, nu), shape):
        raise ValueError(f"rollout: controls must have the shape [{steps}, {nu}] or [{steps}, {n}, {nu}], not {list(given.shape)}")
    rows = iter(given if given.ndim == 3 else np.repeat(given[:, None], n, axis=1))
    return lambda _: next(rows)
