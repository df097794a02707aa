"""States over two workers: the same bits as on one machine, also if a worker is lost."""

from __future__ import annotations

import os
import signal
import sys
import threading

import grbda
import numpy as np
import pytest
from conftest import SOURCE, files_of
from numpy.testing import assert_array_equal

distributed = pytest.importorskip("distributed")
EXAMPLES = str(SOURCE / "examples/python")
sys.path.insert(0, EXAMPLES)
os.environ["PYTHONPATH"] = os.pathsep.join(path for path in [EXAMPLES, *sys.path] if path)  # of the workers

import spread  # noqa: E402
import spread_rollouts  # noqa: E402


@pytest.mark.parametrize(("count", "size", "lost"), [(4000, 20, None), (4000, 20, 0.05), (200_000, 500, 0.04)])
def test_workers_give_the_bits_of_one_machine(humanoid: grbda.Model, count: int, size: int, lost: float | None) -> None:
    """A worker is killed so many seconds after the first task was sent."""
    text = grbda.write_urdf(humanoid)
    states = spread.random_states(grbda.load_text(text), count)
    alone = spread.chunk(text, 1, *states)
    assert np.isfinite(alone).all()
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        with distributed.Client(cluster) as client:
            victims = client.run(os.getpid)
            assert len(victims) == 2
            victim = sorted(victims.values())[0]
            killer = threading.Timer(lost or 0, os.kill, (victim, signal.SIGKILL))
            if lost is not None:
                killer.start()
            ydd = spread.spread(client, text, states, size)
            if lost is not None:
                killer.join()
                client.wait_for_workers(2, timeout=60)
    assert_array_equal(ydd, alone)


def test_a_lost_worker_loses_no_returns() -> None:
    """A worker is killed half a second after the first task was sent; the tasks take several times as long."""
    text = grbda.write_urdf(grbda.load(files_of("mini_cheetah")))
    policies = spread_rollouts.random_policies(text, 48)
    alone = spread_rollouts.chunk(text, policies, list(range(48)))
    assert alone.std() > 0.1
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        with distributed.Client(cluster) as client:
            victim = sorted(client.run(os.getpid).values())[0]
            killer = threading.Timer(0.5, os.kill, (victim, signal.SIGKILL))
            killer.start()
            found = spread_rollouts.spread(client, text, policies, 4)
            killer.join()
            client.wait_for_workers(2, timeout=60)
            assert victim not in client.run(os.getpid).values()
    assert_array_equal(found, alone)
