"""Returns of many policies over several machines, by Dask: each chunk carries the robot as text, policies and seeds.

If a worker is lost, the others compute its chunks. Returns are bitwise those of one machine of the same kind, whatever
worker computes a chunk.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import time
from typing import Any

import grbda
import grbda.gym
import grbda.locomotion
import numpy as np
from common import Array, robot
from evolution import FEATURES, returns


@functools.lru_cache(maxsize=8)
def environment(text: str, worlds: int) -> grbda.gym.VectorEnvironment:
    """Environment of a worker, built once for each robot. Tasks of one thread use it one after the other."""
    return grbda.gym.VectorEnvironment(grbda.locomotion.Trot(grbda.load_text(text)), worlds)


def chunk(text: str, policies: Array, seeds: list[int]) -> Array:
    """Returns of some policies, each for an episode from the start of its seed."""
    return returns(environment(text, len(policies)), policies, seeds)


def spread(client: Any, text: str, policies: Array, size: int) -> Array:
    """Returns [n] of policies [n, nu, FEATURES], with `size` of them in each task; policy i has the seed i.

    No task depends on another: a scheduler that loses a worker with a result that others need may wait forever.
    """
    parts = [range(k, min(k + size, len(policies))) for k in range(0, len(policies), size)]
    tasks = [client.submit(chunk, text, policies[part.start : part.stop], list(part), pure=False) for part in parts]
    return np.concatenate(client.gather(tasks))


def random_policies(text: str, count: int, seed: int = 0) -> Array:
    task = grbda.locomotion.Trot(grbda.load_text(text))
    return 0.05 * np.random.default_rng(seed).normal(size=(count, task.action_size, FEATURES))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scheduler", help="address of one that runs; else workers are started here")
    parser.add_argument("--workers", type=int, default=2, help="to start here")
    parser.add_argument("--policies", type=int, default=256)
    parser.add_argument("--chunk", type=int, default=16)
    given = parser.parse_args()

    dask: Any = importlib.import_module("distributed")
    text = grbda.write_urdf(robot("mini_cheetah"))
    policies = random_policies(text, given.policies)
    began = time.perf_counter()
    alone = chunk(text, policies, list(range(given.policies)))
    print(f"here      {given.policies / (time.perf_counter() - began):8.1f} episodes/s")
    cluster = None if given.scheduler else dask.LocalCluster(n_workers=given.workers, threads_per_worker=1, dashboard_address=None)
    with dask.Client(given.scheduler or cluster) as client:
        spread(client, text, policies[: 2 * given.workers], 1)  # workers load their modules
        began = time.perf_counter()
        found = spread(client, text, policies, given.chunk)
        seconds = time.perf_counter() - began
        workers = len(client.scheduler_info()["workers"])
    if cluster is not None:
        cluster.close()
    np.testing.assert_array_equal(found, alone)
    print(f"{workers} workers {given.policies / seconds:8.1f} episodes/s, the same to the bit; best return {found.max():.1f}")


if __name__ == "__main__":
    main()
