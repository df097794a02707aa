"""One Model and a Data for each thread; the interpreter's lock is given up while C++ computes."""

from __future__ import annotations

import threading
import time

import grbda
import numpy as np
import pytest
from conftest import files_of
from numpy.testing import assert_array_equal


def test_threads_with_a_data_each_get_the_numbers_of_one(humanoid: grbda.Model) -> None:
    q = [grbda.random_configuration(humanoid, seed) for seed in range(20)]
    yd = np.random.default_rng(1).normal(size=humanoid.nv)

    def all_of(data: grbda.Data) -> list[np.ndarray]:
        return [grbda.aba(humanoid, data, at, yd, yd) for _ in range(20) for at in q]

    expected = all_of(grbda.Data(humanoid))
    found: dict[int, list[np.ndarray]] = {}

    def run(index: int) -> None:
        found[index] = all_of(grbda.Data(humanoid))

    threads = [threading.Thread(target=run, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for results in found.values():
        assert_array_equal(results, expected)


def test_other_threads_go_on_while_one_computes(humanoid: grbda.Model) -> None:
    count = 20000
    batch = grbda.BatchData(humanoid)
    q = np.tile(grbda.neutral_configuration(humanoid), (count, 1))
    zero = np.zeros((count, humanoid.nv))
    out = np.empty((count, humanoid.nv))
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    grbda.aba(humanoid, batch, q, zero, zero, out=out)
    after = ticks
    done.set()
    thread.join()
    # with the lock held, the other thread could count at most once on each side of the call
    assert after - before >= 3


def test_a_workspace_in_use_is_refused_to_another_thread() -> None:
    model = grbda.load(files_of("mit_humanoid"))
    count = 20000
    batch = grbda.BatchData(model)
    q = np.tile(grbda.neutral_configuration(model), (count, 1))
    zero = np.zeros((count, model.nv))
    refused: list[str] = []
    done = threading.Event()

    def disturb() -> None:
        while not done.is_set():
            try:
                grbda.aba(model, batch, q[:1], zero[:1], zero[:1])
            except RuntimeError as error:
                refused.append(str(error))
            time.sleep(0.0005)

    thread = threading.Thread(target=disturb)
    thread.start()
    while not refused:
        try:
            grbda.aba(model, batch, q, zero, zero)
        except RuntimeError:
            pass
    done.set()
    thread.join()
    assert refused[0] == "aba: this workspace is in use by another thread"


def test_errors_from_many_threads(humanoid: grbda.Model) -> None:
    q = grbda.neutral_configuration(humanoid)
    bad = np.full(humanoid.nv, np.nan)

    def run() -> None:
        data = grbda.Data(humanoid)
        for _ in range(200):
            with pytest.raises(grbda.StatusError):
                grbda.aba(humanoid, data, q, bad, bad)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
