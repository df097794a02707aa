"""Plots show the numbers that they are given, and what follows from them."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grbda
import numpy as np
import pytest
from conftest import SOURCE, files_of, tool
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("matplotlib").use("Agg")
from grbda import plot  # noqa: E402
from matplotlib import pyplot  # noqa: E402


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    yield
    for number in pyplot.get_fignums():
        pyplot.figure(number).savefig("/dev/null", format="png")  # drawing must work
    pyplot.close("all")


@pytest.fixture()
def motion() -> tuple[grbda.Model, np.ndarray, np.ndarray, np.ndarray]:
    """A leg that swings without friction: model, times, q, yd."""
    model = grbda.load(files_of("digit_leg"))
    simulator = grbda.Simulator(model, grbda.SimulatorOptions(step=2e-4, passive=False))
    data = grbda.Data(model)
    rows = []
    for _ in range(50):
        rows.append((simulator.time, simulator.q.copy(), grbda.independent_part(model, data, simulator.qd)))
        simulator.step(steps=5)
    times, q, yd = map(np.array, zip(*rows))
    return model, times, q, yd


def curves(axes: Any) -> dict[str, np.ndarray]:
    """Ordinates of the curves that have a label."""
    return {line.get_label(): np.ravel(line.get_ydata()) for line in axes.get_lines() if not line.get_label().startswith("_")}


def test_joints_are_drawn_by_their_units(motion: Any) -> None:
    model, times, q, _ = motion
    (angles,) = plot.joints(model, times, q)
    assert curves(angles).keys() == {body.joint for body in model.bodies if body.q.stop - body.q.start == 1}
    for name, values in curves(angles).items():
        assert_array_equal(values, q[:, model.joint(name).q].ravel())
    slider = grbda.load(files_of("slider_crank"))
    rows = np.tile(grbda.neutral_configuration(slider), (2, 1))
    angles, lengths = plot.joints(slider, [0, 1], rows)
    assert (set(curves(angles)), set(curves(lengths))) == ({"crank_joint", "rod_joint"}, {"slider_joint"})
    assert (angles.get_ylabel(), lengths.get_ylabel()) == ("angle [rad]", "position [m]")
    styles = {line.get_label(): line.get_linestyle() for line in angles.get_lines()}
    assert styles == {"crank_joint": "-", "rod_joint": "--"}
    (lengths,) = plot.joints(slider, [0, 1], rows, ["slider_joint"])
    limits = slider.joint("slider_joint").limits
    assert [line.get_ydata()[0] for line in lengths.get_lines()[1:]] == [limits.lower, limits.upper]


def test_forces_of_motors_have_the_power_of_tau(motion: Any) -> None:
    model, times, q, yd = motion
    data = grbda.Data(model)
    tau = np.array([grbda.rnea(model, data, *state, np.zeros(model.nv)) for state in zip(q, yd)])
    (axes,) = plot.motors(model, times, q, tau)
    drawn = curves(axes)
    power = np.zeros(len(times))
    for i, (at, rate) in enumerate(zip(q, yd)):
        qd = grbda.spanning_velocity(model, data, at, rate)
        power[i] = sum(drawn[name][i] * qd[model.joint(name).v].item() for name in drawn)
    assert np.abs(power).max() > 1e-3
    assert_allclose(power, (tau * yd).sum(axis=1), atol=1e-10)


def test_the_sum_of_energies_stays(motion: Any) -> None:
    model, times, q, yd = motion
    drawn = curves(plot.energy(model, times, q, yd))
    assert drawn["kinetic"][-1] > 0.1 and drawn["potential"][0] == 0
    assert_array_equal(drawn["sum"], drawn["kinetic"] + drawn["potential"])
    first_order = 1e-2  # error of the steps
    assert_allclose(drawn["sum"], 0, atol=first_order * drawn["kinetic"].max())


def test_transmission_is_the_slope_of_branches() -> None:
    model = grbda.load(SOURCE / "examples/mpc/four_bar.urdf")
    found = grbda.sweep(model, grbda.neutral_configuration(model), "rocker", -3, 3, steps=600)
    positions, ratios = plot.branches(model, found, "crank"), plot.transmission(model, found, "crank")
    assert len(found.branches) > 1
    compared = 0
    for number, branch in enumerate(found.branches):
        inner = [i for i, point in enumerate(branch.points) if point.step >= 0]
        values = np.array([branch.points[i].value for i in inner])
        slope = np.gradient(curves(positions)[f"mode {number + 1}"][inner], values)
        drawn = curves(ratios)[f"mode {number + 1}"]
        far = np.abs(slope) < 3  # from folds, where differences are inaccurate
        far[[0, -1]] = False
        compared += far.sum()
        assert_allclose(drawn[far], slope[far], atol=1e-2)
    assert compared > 200


def test_transmission_grows_at_folds_and_vanishes_at_dead_centres() -> None:
    model = grbda.load(files_of("slider_crank"))
    found = grbda.sweep(model, grbda.neutral_configuration(model), "crank_joint", -math.pi, math.pi, steps=100)
    for ratios in curves(plot.transmission(model, found, "slider_joint")).values():
        assert_allclose(ratios[[0, len(ratios) // 2, -1]], 0, atol=1e-9)
        assert np.abs(ratios).max() > 0.09


def test_a_record_of_the_tool_is_read(tmp_path: Path) -> None:
    model = grbda.load(files_of("digit_leg"))
    record = tmp_path / "fall.csv"
    tool("simulate", *files_of("digit_leg"), "--duration", "0.02", "-o", str(record))
    times, q, qd = plot.read_record(record, model)
    assert_allclose(times, np.arange(21) * 1e-3)
    data = grbda.Data(model)
    for at, rate in zip(q, qd):
        grbda.closure_residual(model, data, at)
        assert_allclose(grbda.spanning_velocity(model, data, at, grbda.independent_part(model, data, rate)), rate, atol=1e-9)
    with pytest.raises(ValueError, match="the column q:joint1 is missing; expected a record of the robot"):
        plot.read_record(record, grbda.load(files_of("four_bar")))


def test_a_record_in_columns_of_any_order_is_read(tmp_path: Path) -> None:
    model = grbda.load(files_of("slider_crank"))
    record = tmp_path / "record.csv"
    record.write_text("# grbda\nqd:slider_joint,q:slider_joint,time,q:crank_joint,q:rod_joint,qd:rod_joint,qd:crank_joint\n6,3,0.5,1,2,5,4\n")
    times, q, qd = plot.read_record(record, model)
    assert (times.tolist(), q.tolist(), qd.tolist()) == ([0.5], [[1, 2, 3]], [[4, 5, 6]])


def test_what_cannot_be_plotted_is_refused(motion: Any) -> None:
    model, times, q, yd = motion
    with pytest.raises(ValueError, match=r"joints: q has the shape \(49, .*expected \(50, "):
        plot.joints(model, times, q[1:])
    with pytest.raises(ValueError, match="motors: tau has the shape"):
        plot.motors(model, times, q, q)
    with pytest.raises(ValueError, match="energy: times has the shape"):
        plot.energy(model, q, q, yd)
    with pytest.raises(ValueError, match="nothing to plot"):
        plot.joints(model, times, q, [])
    floating = grbda.load(files_of("mit_humanoid"))
    base = floating.bodies[0].joint
    with pytest.raises(ValueError, match=f"{base} has several coordinates"):
        plot.joints(floating, [0], [grbda.neutral_configuration(floating)], [base])
    bar = grbda.load(files_of("six_bar"))
    found = grbda.sweep(bar, grbda.neutral_configuration(bar), "joint1", 0, 0.1, steps=2)
    with pytest.raises(ValueError, match="cluster of joint1 has 3"):
        plot.transmission(bar, found, "joint4")


def test_without_matplotlib_an_error_says_so() -> None:
    program = "import sys; sys.modules['matplotlib'] = None; import grbda.plot"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ImportError: grbda.plot needs matplotlib; install it by: pip install matplotlib" in done.stderr
