"""None, objects without a value, threads that read, the end of the interpreter, Ctrl-C: no crash and no wrong number."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import grbda
import numpy as np
import pytest
from conftest import files_of
from numpy.testing import assert_array_equal

TESTS = Path(__file__).parent


def test_none_is_refused_by_every_parameter_that_is_not_optional(tmp_path: Path) -> None:
    template = tmp_path / "template.html"  # of the viewer's page, which need not be built
    template.write_text("default-src 'none'|/*ROBOT*/")
    environment = {**os.environ, "GRBDA_VIEW_TEMPLATE": str(template), "BROWSER": "true"}
    sweep = [sys.executable, str(TESTS / "none_sweep.py"), *files_of("four_bar")]
    done = subprocess.run(sweep, capture_output=True, text=True, env=environment)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (lines[-1:], done.stderr[-2000:])
    assert len(lines) > 500
    assert [line for line in lines if not line.startswith("#")] == []


def final_position(read: Callable[[grbda.Simulator], object] | None) -> np.ndarray:
    """A fall of 400 steps, while another thread reads the simulator."""
    simulator = grbda.Simulator(grbda.load(files_of("tello")))
    q = simulator.q.copy()
    q[2] += 1
    simulator.set_state(q, np.zeros(simulator.model.nv_tree))
    stop = threading.Event()

    def look() -> None:
        while read is not None and not stop.is_set():
            try:
                read(simulator)
            except RuntimeError as error:
                assert "in use by another thread" in str(error)

    thread = threading.Thread(target=look)
    thread.start()
    taken = 0
    while taken < 20:
        try:
            simulator.step(steps=20)
            taken += 1
        except RuntimeError:
            pass
    stop.set()
    thread.join()
    return simulator.q


def test_a_reader_in_another_thread_leaves_the_motion_as_it_is() -> None:
    alone = final_position(None)
    readers: list[Callable[[grbda.Simulator], object]] = [
        lambda s: s.q, lambda s: s.qd, lambda s: s.contacts, lambda s: s.energies(), lambda s: s.time, lambda s: s.chart,
        lambda s: s.switches,
    ]  # fmt: skip
    for read in readers:
        assert_array_equal(final_position(read), alone)


def test_a_reader_of_many_simulations_leaves_them_as_they_are(humanoid: grbda.Model) -> None:
    def final(read: bool) -> np.ndarray:
        many = grbda.BatchSimulator(humanoid, 4, ground=grbda.Plane(), threads=2)
        stop = threading.Event()

        def look() -> None:
            while read and not stop.is_set():
                for one in (lambda: many.q, lambda: many.qd, lambda: many.energies(1), lambda: many.contacts(2), lambda: many.time(0)):
                    try:
                        one()
                    except RuntimeError:
                        pass

        thread = threading.Thread(target=look)
        thread.start()
        taken = 0
        while taken < 10:
            try:
                many.step(steps=10)
                taken += 1
            except RuntimeError:
                pass
        stop.set()
        thread.join()
        return many.q

    assert_array_equal(final(True), final(False))


WORK = {
    "results": "grbda.aba(model, data, q, zero, zero)",
    "errors": "\n        try: grbda.aba(model, data, q, zero, zero * float('nan'))\n        except grbda.StatusError: pass",
    "steps": "simulator.step(steps=1000)",
    "batches": "grbda.aba(model, batch, numpy.tile(q, (5000, 1)), *[numpy.zeros((5000, model.nv))] * 2)",
}


@pytest.mark.parametrize("work", WORK)
def test_a_thread_that_computes_while_the_interpreter_ends_ends_quietly(work: str, tmp_path: Path) -> None:
    program = tmp_path / "ends.py"
    program.write_text(f"""
import sys, threading, time
import numpy, grbda
model = grbda.load(sys.argv[1:])
data, batch, simulator = grbda.Data(model), grbda.BatchData(model, 2), grbda.Simulator(model)
q, zero = grbda.neutral_configuration(model), numpy.zeros(model.nv)

def work():
    while True:
        {WORK[work]}

threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
""")
    for _ in range(4):
        done = subprocess.run([sys.executable, str(program), *files_of("mit_humanoid")], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


LONG = {
    "a batch": "grbda.aba(model, grbda.BatchData(model, 1, grbda.Simd.scalar), states, zeros, zeros, out=out)",
    "steps": "grbda.Simulator(model, ground=grbda.Plane()).step(steps=10**7)",
    "steps of many": "many.step(steps=10**6)",
}


@pytest.mark.parametrize("work", LONG)
def test_an_interrupt_ends_a_long_computation(work: str, tmp_path: Path) -> None:
    """Steps without an end would take hours; of a batch the last states are left out. The delay is printed."""
    program = tmp_path / "long.py"
    program.write_text(f"""
import os, signal, sys, threading, time
import numpy, grbda
model = grbda.load(sys.argv[1:])
count = 2_000_000
states, zeros = numpy.tile(grbda.neutral_configuration(model), (count, 1)), numpy.zeros((count, model.nv))
out = numpy.full((count, model.nv), 7.0)
many = grbda.BatchSimulator(model, 5000, ground=grbda.Plane())
sent = []

def interrupt():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

def watch():
    while out[0, 0] == 7 and {work == "a batch"}:
        time.sleep(1e-4)
    time.sleep(0.01)
    interrupt()

threading.Thread(target=watch).start()
try:
    {LONG[work]}
except KeyboardInterrupt:
    print(time.perf_counter() - sent[0])
    assert out[-1, 0] == 7  # the batch was not computed to its end
""")
    done = subprocess.run([sys.executable, str(program), *files_of("mit_humanoid")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout, "it was not interrupted"
    print(work, "is interrupted after", done.stdout.strip(), "s")


def test_a_simulation_goes_on_after_an_interrupt(humanoid: grbda.Model) -> None:
    """The state is that of a whole number of steps."""
    simulator = grbda.Simulator(humanoid, ground=grbda.Plane())
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simulator.step(steps=10**7)
    timer.join()
    other = grbda.Simulator(humanoid, ground=grbda.Plane())
    other.step(steps=round(simulator.time / grbda.SimulatorOptions().step))
    assert_array_equal(simulator.q, other.q)


def test_blocks_do_not_show_in_the_numbers(humanoid: grbda.Model) -> None:
    """A long call is cut into blocks: as one state after the other, to the bit."""
    count = 3001
    q = np.tile(grbda.neutral_configuration(humanoid), (count, 1))
    yd = np.random.default_rng(0).normal(size=(count, humanoid.nv))
    whole = grbda.aba(humanoid, grbda.BatchData(humanoid, 2), q, yd, yd)
    batch = grbda.BatchData(humanoid)
    for i in range(0, count, 97):
        assert_array_equal(grbda.aba(humanoid, batch, q[i : i + 1], yd[i : i + 1], yd[i : i + 1])[0], whole[i])
    yd[2500] = np.nan
    with pytest.raises(grbda.StatusError, match=r"not_finite at state 2500 \(states that failed: 1\): yd\[0\] is nan"):
        grbda.aba(humanoid, grbda.BatchData(humanoid, 2), q, yd, yd * 0)
