"""Arrays of every layout and type cross the border to C++ with every supported numpy.

An extension that was compiled for another numpy crashes here: numpy 2 moved functions that such an extension calls when it copies
an array or changes its type.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import grbda
import grbda.gym
import numpy as np
import pytest
from conftest import TASKS, files_of
from numpy.testing import assert_allclose, assert_array_equal

MODEL = grbda.load(files_of("mit_humanoid"))
RNG = np.random.default_rng(1)
COUNT = 3
Q = grbda.neutral_configuration(MODEL)
# rounded to eighths, so that every type of number represents them
YD, TAU = (np.round(8 * RNG.uniform(-2, 2, MODEL.nv)) / 8 for _ in range(2))

LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": lambda x: x.tolist(),
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "long double": lambda x: x.astype(np.longdouble),
    "big endian": lambda x: x.astype(">f8"),
    "strided": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "reversed": lambda x: x[..., ::-1].copy()[..., ::-1],
    "by columns": np.asfortranarray,
    "read only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "unaligned": lambda x: np.frombuffer(b"." + x.tobytes(), offset=1).reshape(x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_inputs_of_every_layout_give_the_same(layout: str) -> None:
    change = LAYOUTS[layout]
    data = grbda.Data(MODEL)
    assert_array_equal(grbda.aba(MODEL, data, Q, change(YD), change(TAU)), grbda.aba(MODEL, data, Q, YD, TAU))
    batch = grbda.BatchData(MODEL)
    yd, tau = np.tile(YD, (COUNT, 1)), np.tile(TAU, (COUNT, 1))
    q = np.tile(Q, (COUNT, 1))
    assert_array_equal(grbda.aba(MODEL, batch, q, change(yd), change(tau)), grbda.aba(MODEL, batch, q, yd, tau))


def test_whole_numbers_are_real_numbers() -> None:
    data = grbda.Data(MODEL)
    whole = np.arange(MODEL.nv)
    expected = grbda.aba(MODEL, data, Q, 0.0 * whole, 1.0 * whole)
    for kind in (int, np.int8, np.uint16, np.uint64):
        assert_array_equal(grbda.aba(MODEL, data, Q, np.zeros(MODEL.nv, kind), whole.astype(kind)), expected)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.longdouble, np.dtype(">f8")])
def test_out_of_every_floating_point_type_is_filled(kind: Any) -> None:
    data = grbda.Data(MODEL)
    expected = grbda.aba(MODEL, data, Q, YD, TAU).astype(kind)
    for out in (np.full(MODEL.nv, np.nan, kind), np.full((MODEL.nv, 2), np.nan, kind)[:, 1]):
        assert grbda.aba(MODEL, data, Q, YD, TAU, out=out) is out
        assert_array_equal(out, expected)
    M = grbda.crba(MODEL, data, Q)
    for order in ("C", "F"):
        matrix = np.full(M.shape, np.nan, kind, order=order)  # type: ignore[call-overload]
        assert_array_equal(grbda.crba(MODEL, data, Q, out=matrix), M.astype(kind))


def test_what_is_no_number_is_refused() -> None:
    data = grbda.Data(MODEL)
    bad: list[Any] = [TAU.astype(complex), TAU.astype("datetime64[s]"), TAU.astype(str), TAU.astype(object), [None] * MODEL.nv]
    for tau in bad[:3] + bad[4:]:
        with pytest.raises(TypeError, match="aba: tau must be an array of real numbers"):
            grbda.aba(MODEL, data, Q, YD, tau)
    for out in (np.zeros(MODEL.nv, int), np.zeros(MODEL.nv, complex), np.zeros(MODEL.nv, object), [0.0] * MODEL.nv):
        with pytest.raises(TypeError, match="aba: out must be a floating-point array"):
            grbda.aba(MODEL, data, Q, YD, TAU, out=out)  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_simulations_take_every_layout(layout: str) -> None:
    change = LAYOUTS[layout]
    forces = np.round(8 * RNG.uniform(-1, 1, (COUNT, MODEL.nv_tree))) / 8
    ends = []
    for given in (forces, change(forces)):
        worlds = grbda.BatchSimulator(MODEL, COUNT)
        worlds.set_states(change(np.array(worlds.q)) if layout == "by columns" else np.array(worlds.q), np.array(worlds.qd))
        worlds.set_parameters(friction=change(np.ones(COUNT)), gravity=change(np.zeros((COUNT, 3))))
        worlds.step(given)
        rows = np.zeros((COUNT, MODEL.nq), np.float32)
        worlds.read_sensors(q=rows)
        assert_allclose(rows, worlds.q, rtol=1e-6, atol=1e-6)
        ends.append(np.array(worlds.q))
    assert_array_equal(ends[0], ends[1])
    one = [grbda.Simulator(MODEL) for _ in range(2)]
    one[0].step(forces[0])
    one[1].step(change(forces[0]))
    assert_array_equal(one[0].q, one[1].q)


def test_geometry_takes_every_layout() -> None:
    target = grbda.FrameTarget(1, [0, 0, 0.85], np.eye(3))
    found, _ = grbda.inverse_kinematics(MODEL, grbda.Data(MODEL), [target], Q)
    again = grbda.FrameTarget(1, np.array([0, 0, 0.85], np.float32), np.eye(3, dtype=int))
    assert_allclose(grbda.inverse_kinematics(MODEL, grbda.Data(MODEL), [again], Q)[0], found, atol=1e-6)
    for rotation in (np.eye(3), np.eye(3, dtype=np.float32), np.eye(3).tolist()):
        assert grbda.Placed("box", [1, 1, 1], [0, 0, 0], rotation).kind == grbda.ShapeKind.box
    worlds = grbda.BatchSimulator(MODEL, COUNT, None, grbda.Plane())
    down = np.tile([0.0, 0, -1], (COUNT, 1, 1))
    starts = np.ones((COUNT, 1, 3), np.float32)
    assert_allclose(worlds.cast_rays(np.asfortranarray(starts), down), worlds.cast_rays(starts, down))


def test_a_model_survives_pickle_and_environments_reset() -> None:
    copy = pickle.loads(pickle.dumps(MODEL))
    assert_array_equal(grbda.crba(copy, grbda.Data(copy), Q), grbda.crba(MODEL, grbda.Data(MODEL), Q))
    for make in TASKS.values():
        observations, _ = grbda.gym.VectorEnvironment(make(), 2).reset(seed=0)
        assert np.isfinite(observations).all()
