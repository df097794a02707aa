"""Forward dynamics of many states over several machines, by Dask: each chunk carries the robot as text.

If a worker is lost, the others compute its chunks. Results are bitwise those of one machine with the same instruction
set, whatever worker computes a chunk.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import time
from typing import Any

import grbda
import numpy as np
from common import Array, robot


@functools.lru_cache(maxsize=8)
def workspace(text: str, threads: int) -> tuple[grbda.Model, grbda.BatchData]:
    """Workspace of a worker, built once for each robot. Tasks of one thread use it one after the other."""
    model = grbda.load_text(text)
    return model, grbda.BatchData(model, threads, grbda.Simd.portable)  # the same on every machine


def chunk(text: str, threads: int, q: Array, yd: Array, tau: Array) -> Array:
    """ydd of some states; those that fail are NaN."""
    model, batch = workspace(text, threads)
    return grbda.aba(model, batch, q, yd, tau, check=False)


def spread(client: Any, text: str, states: tuple[Array, ...], size: int, threads: int = 1) -> Array:
    """ydd [states, nv] of q, yd, tau [states, …], with `size` states in each task.

    No task depends on another: a scheduler that loses a worker with a result that others need may wait forever.
    """
    begins = range(0, len(states[0]), size)
    tasks = [client.submit(chunk, text, threads, *(part[k : k + size] for part in states), pure=False) for k in begins]
    return np.concatenate(client.gather(tasks))


def random_states(model: grbda.Model, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    random = np.random.default_rng(seed)
    some = np.array([grbda.random_configuration(model, index) for index in range(16)])
    return some[np.arange(count) % len(some)], random.normal(size=(count, model.nv)), random.normal(size=(count, model.nv))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scheduler", help="address of one that runs; else workers are started here")
    parser.add_argument("--workers", type=int, default=2, help="to start here")
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--chunk", type=int, default=5_000)
    given = parser.parse_args()

    dask: Any = importlib.import_module("distributed")
    model = robot("mit_humanoid")
    text = grbda.write_urdf(model)
    states = random_states(grbda.load_text(text), given.states)
    began = time.perf_counter()
    alone = chunk(text, 1, *states)
    seconds = time.perf_counter() - began
    print(f"here      {given.states / seconds:10.0f} states/s")
    cluster = None if given.scheduler else dask.LocalCluster(n_workers=given.workers, threads_per_worker=1, dashboard_address=None)
    with dask.Client(given.scheduler or cluster) as client:
        spread(client, text, tuple(part[: given.chunk] for part in states), 100)  # workers build the robot
        began = time.perf_counter()
        ydd = spread(client, text, states, given.chunk)
        seconds = time.perf_counter() - began
        workers = len(client.scheduler_info()["workers"])
    if cluster is not None:
        cluster.close()
    np.testing.assert_array_equal(ydd, alone)
    print(f"{workers} workers {given.states / seconds:10.0f} states/s, the same to the bit")


if __name__ == "__main__":
    main()
