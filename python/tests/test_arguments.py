"""Arguments that are accepted, copied or refused, and the messages of refusals."""

from __future__ import annotations

import grbda
import numpy as np
import pytest
from conftest import files_of
from numpy.testing import assert_array_equal


class State:
    def __init__(self, model: grbda.Model) -> None:
        self.model, self.data = model, grbda.Data(model)
        self.q = grbda.random_configuration(model, 3)
        self.yd, self.ydd, self.tau = np.random.default_rng(3).normal(size=(3, model.nv))

    def aba(self, **changed: object) -> np.ndarray:
        given = {"q": self.q, "yd": self.yd, "tau": self.tau, **changed}
        return grbda.aba(self.model, self.data, **given)  # type: ignore[arg-type]


@pytest.fixture()
def state(humanoid: grbda.Model) -> State:
    return State(humanoid)


def test_any_array_of_real_numbers_gives_the_same(state: State) -> None:
    expected = state.aba()
    strided = np.zeros((state.model.nv, 2))
    strided[:, 1] = state.tau
    swapped = state.yd.astype(">f8")
    assert_array_equal(state.aba(tau=strided[:, 1], yd=swapped, q=state.q.tolist()), expected)
    single = state.tau.astype(np.float32)
    assert_array_equal(state.aba(tau=single), state.aba(tau=single.astype(float)))
    assert_array_equal(state.aba(tau=np.ones(state.model.nv, dtype=int)), state.aba(tau=np.ones(state.model.nv)))


def test_arrays_are_used_without_copying_and_out_is_written_in_place(state: State) -> None:
    expected = state.aba()
    out = np.full(state.model.nv, np.nan)
    assert state.aba(out=out) is out
    assert_array_equal(out, expected)
    M = np.empty((state.model.nv, state.model.nv), order="F")
    assert grbda.crba(state.model, state.data, state.q, out=M) is M
    assert_array_equal(M, grbda.crba(state.model, state.data, state.q))


def test_out_in_another_layout_is_filled_too(state: State) -> None:
    J = np.empty((6, state.model.nv))  # row by row
    grbda.forward_kinematics(state.model, state.data, state.q)
    axes = grbda.ReferenceFrame.local
    grbda.frame_jacobian(state.model, state.data, 0, axes, out=J)
    assert_array_equal(J, grbda.frame_jacobian(state.model, state.data, 0, axes))
    wide = np.empty((state.model.nv, 2))
    assert_array_equal(state.aba(out=wide[:, 0]), state.aba())
    assert_array_equal(wide[:, 0], state.aba())


def test_several_outputs_may_be_given_one_by_one(state: State) -> None:
    n = state.model.nv
    by_y = np.empty((n, n), order="F")
    arguments = (state.model, state.data, state.q, state.yd, state.ydd)
    first, second, M = grbda.rnea_derivatives(*arguments, out=(by_y, None, None))
    assert first is by_y
    for one, other in zip((first, second, M), grbda.rnea_derivatives(*arguments)):
        assert_array_equal(one, other)
    with pytest.raises(TypeError, match="out must be a tuple of 3"):
        grbda.rnea_derivatives(*arguments, out=by_y)  # type: ignore[arg-type]


def test_wrenches_may_be_left_out_and_act_where_they_are_given(state: State) -> None:
    none = np.zeros((6, len(state.model.bodies)))
    assert_array_equal(state.aba(wrenches=none), state.aba(wrenches=np.asfortranarray(none)))
    none[2, 5] = 10
    assert np.abs(state.aba(wrenches=none) - state.aba()).max() > 1e-3
    assert_array_equal(state.aba(wrenches=none), state.aba(wrenches=np.asfortranarray(none)))


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"q": np.zeros(3)}, ValueError, r"aba: q must have the shape \(43,\), \[nq\], not \(3,\)"),
        ({"yd": np.zeros((24, 1))}, ValueError, r"aba: yd must have the shape \(24,\), \[nv\], not \(24, 1\)"),
        ({"tau": np.zeros(24, complex)}, TypeError, "aba: tau must be an array of real numbers, not complex128"),
        ({"tau": "x"}, TypeError, "aba: tau must be an array of real numbers, not str"),
        ({"q": ["0"] * 43}, TypeError, "aba: q must be an array of real numbers, not list"),
        ({"q": np.array(["0"] * 43)}, TypeError, "aba: q must be an array of real numbers, not <U1 numbers"),
        ({"tau": [None] * 24}, TypeError, "aba: tau must be an array of real numbers, not list"),
        ({"check": None}, TypeError, "aba: check must be bool, not NoneType"),
        ({"check": 1}, TypeError, "aba: check must be bool, not int"),
        ({"tau": None}, TypeError, "aba: tau must be an array of real numbers, not NoneType"),
        ({"wrenches": np.zeros((6, 3))}, ValueError, r"aba: wrenches must have the shape \(6, 37\), \[6, bodies\]"),
        ({"out": np.zeros(24, np.int64)}, TypeError, "aba: out must be a floating-point array"),
        ({"out": np.zeros(3)}, ValueError, r"aba: out must have the shape \(24,\)"),
        ({"out": np.broadcast_to(np.zeros(1), 24)}, ValueError, "aba: out cannot be written"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(state: State, changed: dict[str, object], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        state.aba(**changed)


def test_calls_that_make_no_sense_are_refused(state: State) -> None:
    m, d = state.model, state.data
    with pytest.raises(TypeError, match=r"aba\(\) needs argument 'tau'"):
        grbda.aba(m, d, state.q, state.yd)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"aba\(\) takes no argument 'force'"):
        grbda.aba(m, d, state.q, state.yd, force=state.tau)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"aba\(\) got argument 'q' twice"):
        grbda.aba(m, d, state.q, state.yd, state.tau, q=state.q)  # type: ignore[misc]
    with pytest.raises(TypeError, match="aba: model must be a Model, not .*Data"):
        grbda.aba(d, d, state.q, state.yd, state.tau)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="aba: data must be a Data, not .*Model"):
        grbda.aba(m, m, state.q, state.yd, state.tau)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="frame_velocity: axes must be ReferenceFrame, not str"):
        grbda.frame_velocity(m, d, 0, "local")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no such"):
        grbda.forward_kinematics(m, d, state.q)
        grbda.frame_position(m, d, "no such")


def test_data_of_another_model_is_refused(state: State) -> None:
    other = grbda.load(files_of("four_bar"))
    with pytest.raises(ValueError, match="aba: Data"):
        grbda.aba(state.model, grbda.Data(other), state.q, state.yd, state.tau)


def test_a_status_that_is_not_ok_is_raised_unless_asked_otherwise(state: State) -> None:
    nan = np.full(state.model.nv, np.nan)
    with pytest.raises(grbda.StatusError, match=r"^aba: not_finite: tau\[0\] is nan$") as raised:
        state.aba(tau=nan)
    assert raised.value.status == grbda.Status.not_finite
    assert np.isnan(state.aba(tau=nan, check=False)).all()
    assert not state.data.result
    assert state.data.result.status == grbda.Status.not_finite
    state.aba()
    assert state.data.result.ok


def test_a_singular_cluster_is_named_with_its_joints() -> None:
    model = grbda.load(files_of("four_bar"))
    data = grbda.Data(model)
    flat = np.zeros(model.nq)  # all links along one line
    with pytest.raises(grbda.StatusError, match="singular_constraint in cluster 0") as raised:
        grbda.crba(model, data, flat)
    assert raised.value.cluster == 0
    assert set(raised.value.joints) == set(model.joints)


def test_vectors_and_columns_of_right_hand_sides(state: State) -> None:
    m, d = state.model, state.data
    M = grbda.crba(m, d, state.q)
    grbda.factor(m, d, state.q, state.yd)
    x = grbda.inverse_mass_times(m, d, state.tau)
    assert x.shape == (m.nv,)
    np.testing.assert_allclose(M @ x, state.tau, rtol=1e-8, atol=1e-8)
    columns = grbda.inverse_mass_times(m, d, np.column_stack([state.tau, state.yd]))
    assert_array_equal(columns[:, 0], x)


def test_an_integer_beyond_its_range_is_refused_with_the_range(humanoid: grbda.Model) -> None:
    with pytest.raises(ValueError, match="seed must be from 0 to 18446744073709551615, not -1"):
        grbda.random_configuration(humanoid, -1)
    with pytest.raises(TypeError, match="seed must be int, not str"):
        grbda.random_configuration(humanoid, "1")  # type: ignore[arg-type]


def test_a_status_names_the_input_that_is_not_finite(humanoid: grbda.Model) -> None:
    q, yd = grbda.neutral_configuration(humanoid), np.zeros(humanoid.nv)
    bad = yd.copy()
    bad[3] = np.inf
    with pytest.raises(grbda.StatusError, match=r"rnea: not_finite: yd\[3\] is inf"):
        grbda.rnea(humanoid, grbda.Data(humanoid), q, bad, yd)
    with pytest.raises(grbda.StatusError, match=r"step: not_finite: tau_s\[2\] is nan"):
        grbda.Simulator(humanoid).step(np.where(np.arange(humanoid.nv_tree) == 2, np.nan, 0))
