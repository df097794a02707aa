"""Trains a linear policy by an evolution strategy, with numpy alone: a quadruped trots forwards, or a biped walks in place.

Each generation runs pairs of worlds whose policies are disturbed in opposite directions, from equal starts, and moves the
policy along the differences of their returns. Equal arguments give equal numbers, for any number of threads.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grbda
import grbda.gym
import grbda.locomotion
import numpy as np
from common import Array, pyplot, robot, save


@dataclass
class Training:
    """Training of one task: a function that makes it, pairs of worlds in a generation, and the sizes of its steps."""

    task: Callable[[], grbda.locomotion.GaitTask]
    pairs: int
    generations: int
    noise: float  # standard deviation of the disturbances
    rate: float  # length of a step per normalised difference of returns


TRAININGS = {
    "trot": Training(lambda: grbda.locomotion.Trot(robot("mini_cheetah")), 8, 40, 0.05, 0.015),
    "walk": Training(lambda: grbda.locomotion.WalkInPlace(robot("digit")), 16, 40, 0.05, 0.01),
}
# Numbers of an observation that a policy uses, with their typical sizes: tilt, velocities and height of the base, the
# clock, and a constant. Servos take care of the joints.
SEEN = [0, 1, 3, 4, 5, 6, 7, 8, 9, -2, -1]
SIZES = [0.2, 0.2, 0.6, 0.6, 0.6, 1.5, 1.5, 1.5, 0.06, 1, 1]
FEATURES = len(SEEN) + 1
TESTS, TEST_SEED = 16, 1_000_000  # worlds in which a policy is tested, from starts that training never sees
EVERY = 5  # generations between two tests


def linear(policies: Array) -> Callable[[Any], Array]:
    """Actions of each world by its own matrix [n, nu, FEATURES]."""

    def act(seen: Any) -> Array:
        features = np.hstack([seen[:, SEEN] / SIZES, np.ones((len(seen), 1))])
        result: Array = (policies * features[:, None]).sum(axis=2)  # with the same bits for any n
        return result

    return act


def returns(env: grbda.gym.VectorEnvironment, policies: Array, seeds: list[int]) -> Array:
    """Sum of rewards [n] of one episode of each world, until all have ended."""
    act, total, running = linear(policies), np.zeros(env.num_envs), np.full(env.num_envs, True)
    seen, _ = env.reset(seed=seeds)
    while running.any():
        seen, rewards, terminations, truncations, _ = env.step(act(seen))
        total += rewards * running
        running &= ~(terminations | truncations)
    return total


def improved(env: grbda.gym.VectorEnvironment, policy: Array, training: Training, generation: int) -> Array:
    """Policy after one generation."""
    random = np.random.default_rng(generation)
    change = random.normal(size=(training.pairs, *policy.shape))
    policies = policy + training.noise * np.concatenate([change, -change])
    seeds = [generation * training.pairs + k for k in range(training.pairs)] * 2
    plus, minus = np.split(returns(env, policies, seeds), 2)
    spread = np.concatenate([plus, minus]).std() + 1e-9
    rate = training.rate * (1 - generation / training.generations)  # shorter and shorter
    result: Array = policy + rate * np.einsum("k,kij->ij", (plus - minus) / spread, change) / np.sqrt(training.pairs)
    return result


def tested(env: grbda.gym.VectorEnvironment, policy: Array) -> grbda.gym.Rollout:
    """One episode of the policy in each world, from starts of its own."""
    policies = np.tile(policy, (env.num_envs, 1, 1))
    return grbda.gym.rollout(env, linear(policies), env.task.episode_steps, seed=TEST_SEED)


def figures(found: grbda.gym.Rollout, period: float) -> tuple[float, float, float]:
    """Means over worlds: return, forward velocity in the first episode in m/s, and duration of that episode in s."""
    first = found.first_episodes()
    forward = (found.qd[1:, :, 0] * first).sum() / first.sum()
    return float(found.returns().mean()), float(forward), float(first.sum(axis=0).mean() * period)


def train(name: str, training: Training, threads: int) -> tuple[Array, list[tuple[int, grbda.gym.Rollout]]]:
    """The policy, and tests of it: before training, after each `EVERY` generations, and at the end."""
    task = training.task()
    env = grbda.gym.VectorEnvironment(task, 2 * training.pairs, threads=threads)
    test = grbda.gym.VectorEnvironment(training.task(), TESTS, threads=threads)
    policy = np.zeros((task.action_size, FEATURES))
    tests = []
    for generation in range(training.generations + 1):
        if generation % EVERY == 0 or generation == training.generations:
            tests.append((generation, tested(test, policy)))
            total, forward, seconds = figures(tests[-1][1], task.period)
            print(f"{name} {generation:3d}: return {total:6.1f}, {forward:5.2f} m/s, upright for {seconds:4.2f} s", flush=True)
        if generation < training.generations:
            policy = improved(env, policy, training, generation)
    return policy, tests


def draw(name: str, task: Any, tests: list[tuple[int, grbda.gym.Rollout]], folder: Path) -> None:
    """Return, speed or time until a fall over generations, and one motion before and after training."""
    trot = name == "trot"
    figure, axes = pyplot.subplots(1, 3, figsize=(12, 3.6))
    generations = [generation for generation, _ in tests]
    total, forward, seconds = np.array([figures(found, task.period) for _, found in tests]).T
    axes[0].plot(generations, total, marker=".")
    axes[0].set_ylabel(f"return, mean of {TESTS} tests")
    axes[1].plot(generations, forward if trot else seconds, marker=".")
    axes[1].set_ylabel("forward velocity [m/s]" if trot else "mean time until the end [s]")
    for one in axes[:2]:
        one.set_xlabel("generation")
    world = tests[0][1].first_episodes().sum(axis=0).argmin()  # that falls first without training
    for (_, found), label in zip((tests[0], tests[-1]), ("without training", "trained")):
        steps = int(found.first_episodes()[:, world].sum()) + 1
        q = found.q[:steps, world]
        shown = q[:, 0] if trot else task.feet(grbda.gym.Worlds(q, q, q[:, 0], q))[:, 0]  # which depends on q only
        axes[2].plot(task.period * np.arange(steps), shown, label=label)
    axes[2].set_ylabel("base forward [m]" if trot else "height of the left foot [m]")
    axes[2].set_xlabel("time [s]")
    axes[2].legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False)
    save(figure, folder, f"evolution_{name}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=Path, default=Path("."), help="folder for the pictures and policies")
    parser.add_argument("--task", choices=[*TRAININGS, "both"], default="both")
    parser.add_argument("--generations", type=int, help="instead of the numbers of the tasks")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    given.pictures.mkdir(parents=True, exist_ok=True)
    for name in TRAININGS if given.task == "both" else [given.task]:
        training = TRAININGS[name]
        if given.generations is not None:
            training.generations = given.generations
        began = time.perf_counter()
        policy, tests = train(name, training, given.threads)
        print(f"{name}: {time.perf_counter() - began:.0f} s")
        np.save(given.pictures / f"evolution_{name}.npy", policy)
        draw(name, training.task(), tests, given.pictures)


if __name__ == "__main__":
    main()
