"""Options, states and simulations: texts, keywords, copies, pickles, and numbers that no machine can hold."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import grbda
import grbda._grbda
import numpy as np
import pytest
from conftest import files_of
from numpy.testing import assert_array_equal

CHEETAH = grbda.load(files_of("mini_cheetah"))
COPIES = [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]
HOLD: dict[str, Any] = {"servo_stiffness": [0.0] * 6 + [40.0] * (CHEETAH.nv_tree - 6), "servo_damping": [0.0] * 6 + [1.0] * (CHEETAH.nv_tree - 6)}
MOTORS = len(grbda.Simulator(CHEETAH).motor_torques)


def settings(options: Any) -> dict[str, Any]:
    return {name: getattr(options, name) for name, member in vars(type(options)).items() if isinstance(member, property)}


def other_value(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, list):
        return [2, 3]
    return type(value).__members__[list(type(value).__members__)[-1]]


@pytest.mark.parametrize("kind", [grbda.SimulatorOptions, grbda.SearchOptions])
def test_options_take_each_setting_as_a_keyword(kind: Any) -> None:
    defaults = settings(kind())
    assert list(inspect.signature(kind).parameters) != []
    assert set(inspect.signature(kind).parameters) - {"self"} == set(defaults)
    for name, value in defaults.items():
        changed = other_value(value)
        options = kind(**{name: changed})
        assert settings(options) == {**defaults, name: changed}
        for again in COPIES:
            assert settings(again(options)) == settings(options), name
        assert f"{name}={changed}" in repr(options).replace("2.0, 3.0", "2, 3")
        setattr(options, name, value)
        assert settings(options) == defaults
    with pytest.raises(TypeError, match="stpe"):
        kind(stpe=1)
    with pytest.raises(TypeError):
        kind(1)
    assert repr(kind()).startswith(f"{kind.__name__}(")


def test_a_text_of_options_makes_them_again() -> None:
    options = grbda.SimulatorOptions(step=2e-3, rule=grbda.StepRule.runge_kutta, servo_stiffness=[1.0, 2.0], contacts=False)
    assert settings(eval(repr(options), vars(grbda))) == settings(options)


def things() -> list[Any]:
    data = grbda.Data(CHEETAH)
    simulator = grbda.Simulator(CHEETAH, grbda.SimulatorOptions(**HOLD), grbda.Plane())
    outcome = simulator.step(steps=800, target=neutral_target())
    leg = grbda.load(files_of("digit_leg"))
    q = grbda.neutral_configuration(CHEETAH)
    _, found = grbda.inverse_kinematics(CHEETAH, data, [grbda.FrameTarget(1, [0, 0, 0.1])], q)
    ball = grbda.Placed("sphere", [0.1, 0, 0], [0, 0, 0.08])
    bar = grbda.load(files_of("four_bar"))
    sweep = grbda.sweep(bar, grbda.neutral_configuration(bar), 0, 0.0, 0.5, 4)
    assert simulator.contacts
    return [
        outcome, outcome.result, outcome.energy, simulator.energies(), simulator.state(), simulator.contacts[0], simulator.contacts[0].contact,
        grbda.Plane([0, 0.6, 0.8], 0.1), grbda.HeightField(np.arange(12.0).reshape(3, 4), (0.5, 0.25), [1, 2, 3]),
        grbda.FrameTarget(1, [0, 0, 0.1], point=[1, 2, 3]), grbda.FrameTarget(2, None, np.eye(3)), found, *found.gaps,
        *grbda.collide(ball, grbda.Plane()), CHEETAH.limits[-1], CHEETAH.independent_coordinates[-1], *leg.groups[:1], *leg.states[:1],
        sweep, *sweep.branches[:1], grbda.generate(bar), data.chart, *leg.diagnostics[:1],
    ]  # fmt: skip


def neutral_target() -> np.ndarray:
    return np.zeros(CHEETAH.nv_tree)


def test_values_have_telling_texts_copies_and_pickles() -> None:
    for thing in things():
        text = repr(thing)
        assert " at 0x" not in text, text
        for again in COPIES:
            assert repr(again(thing)) == text


def test_every_class_has_a_text() -> None:
    for name, kind in vars(grbda._grbda).items():
        if inspect.isclass(kind) and not issubclass(kind, Exception) and not hasattr(kind, "__members__"):
            assert "__repr__" in vars(kind), name
    for thing in (grbda.Data(CHEETAH), grbda.BatchData(CHEETAH), grbda.Simulator(CHEETAH), grbda.BatchSimulator(CHEETAH, 3)):
        assert "mini_cheetah" in repr(thing), repr(thing)
    assert "3" in repr(grbda.BatchSimulator(CHEETAH, 3))


def grounds() -> list[grbda.Plane | grbda.HeightField]:
    return [grbda.Plane([0, np.sin(0.1), np.cos(0.1)]), grbda.HeightField(np.zeros((5, 5)), (1.0, 1.0), [-2, -2, -0.01])]


@pytest.mark.parametrize("ground", grounds(), ids=["plane", "field"])
@pytest.mark.parametrize("again", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_a_copied_simulator_goes_on_with_the_same_bits(ground: Any, again: Any) -> None:
    options = grbda.SimulatorOptions(contact=grbda.ContactModel.rigid, delay=3, **HOLD)
    one = grbda.Simulator(CHEETAH, options, ground)
    one.set_ground(ground, linear=[0.1, 0, 0], angular=[0, 0, 0.2], since=0.05)
    targets = 0.2 * np.random.default_rng(1).normal(size=(400, CHEETAH.nv_tree))
    for target in targets[:200]:
        one.step(target=target)
    other = again(one)
    assert (other.time, other.model.joints) == (one.time, one.model.joints)
    assert repr(other.contacts) == repr(one.contacts)
    for target in targets[200:]:
        assert repr(one.step(target=target)) == repr(other.step(target=target))
        assert_array_equal(one.q, other.q)
        assert_array_equal(one.qd, other.qd)
    assert one.contacts


@pytest.mark.parametrize("again", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_copied_simulations_go_on_with_the_same_bits(again: Any) -> None:
    rng = np.random.default_rng(2)
    many = grbda.BatchSimulator(CHEETAH, 3, grbda.SimulatorOptions(**HOLD), grbda.Plane(), threads=2)
    many.set_parameters(friction=[0.3, 0.6, 0.9], mass_scale={CHEETAH.bodies[0].name: [1.0, 1.2, 1.4]}, delay=[0, 2, 5])
    many.set_parameters(gravity=rng.normal([0, 0, -9], 0.5, (3, 3)), motor_torque=np.full((3, MOTORS), 5.0), marked=[True, False, True])
    many.clear_parameters(marked=[False, False, True])
    for _ in range(100):
        many.step(target=0.2 * rng.normal(size=(3, CHEETAH.nv_tree)), check=False)
    other = again(many)
    assert len(other) == 3
    for _ in range(100):
        target = 0.2 * rng.normal(size=(3, CHEETAH.nv_tree))
        assert repr(many.step(target=target, check=False)) == repr(other.step(target=target, check=False))
        assert_array_equal(many.q, other.q)
        assert_array_equal(many.qd, other.qd)


@pytest.mark.parametrize("robot", ["digit_leg", "four_bar", "stewart_platform"])
@pytest.mark.parametrize("rule", ["semi_implicit", "runge_kutta", "adaptive"])
def test_states_of_every_rule_are_restored_from_bytes(robot: str, rule: str) -> None:
    model = grbda.load(files_of(robot))
    smooth = rule == "semi_implicit"
    options = grbda.SimulatorOptions(rule=grbda.StepRule.__members__[rule], contacts=smooth, limits=smooth, passive=smooth)
    one, other = grbda.Simulator(model, options), grbda.Simulator(model, options)
    one.step(steps=40)
    other.restore(pickle.loads(pickle.dumps(one.state())))
    for _ in range(40):
        one.step()
        other.step()
        assert_array_equal(one.q, other.q)
        assert_array_equal(one.qd, other.qd)


def test_another_process_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    one = grbda.Simulator(CHEETAH, grbda.SimulatorOptions(**HOLD), grbda.Plane())
    one.step(steps=300, target=neutral_target())
    (tmp_path / "simulator").write_bytes(pickle.dumps(one))
    program = """import pickle, sys
one = pickle.loads(open(sys.argv[1], "rb").read())
one.step(steps=300, target=[0.0] * one.model.nv_tree)
sys.stdout.buffer.write(one.q.tobytes() + one.qd.tobytes())"""
    bits = subprocess.run([sys.executable, "-c", program, str(tmp_path / "simulator")], capture_output=True, check=True).stdout
    one.step(steps=300, target=neutral_target())
    assert bits == one.q.tobytes() + one.qd.tobytes()


def test_broken_and_foreign_states_are_refused() -> None:
    one = grbda.Simulator(CHEETAH, None, grbda.Plane())
    one.step(steps=5)
    reduced: Any = one.state().__reduce_ex__(2)
    _, (kind, *_), state, *_ = reduced

    def made(text: bytes) -> None:
        kind.__new__(kind).__setstate__(text)

    for broken in (b"", state[:-1], state + b"0", state[:40] + bytes([state[40] ^ 1]) + state[41:], state[:100]):
        with pytest.raises(ValueError, match="not the bytes of a state"):
            made(broken)
    with pytest.raises(ValueError, match="another robot"):
        grbda.Simulator(grbda.load(files_of("four_bar"))).restore(pickle.loads(pickle.dumps(one.state())))


HUGE = [
    (lambda: grbda.BatchSimulator(CHEETAH, 10**9), "GB"),
    (lambda: grbda.BatchSimulator(CHEETAH, 2**31 - 1), "GB"),
    (lambda: grbda.BatchSimulator(CHEETAH, 2**31), "count is 2147483648"),
    (lambda: grbda.BatchSimulator(CHEETAH, 10**30), "count is 1000000"),
    (lambda: grbda.BatchSimulator(CHEETAH, -(10**30)), "count is -1000000"),
    (lambda: grbda.BatchSimulator(CHEETAH, -1), "-1, expected 1 or more"),
    (lambda: grbda.BatchSimulator(CHEETAH, 0), "0, expected 1 or more"),
    (lambda: grbda.BatchSimulator(CHEETAH, 2, threads=-1), "-1, expected 1 or more"),
    (lambda: grbda.BatchSimulator(CHEETAH, 2, threads=10**12), "threads is 1000000"),
    (lambda: grbda.BatchSimulator(CHEETAH, 2, grbda.SimulatorOptions(delay=2**31 - 1)), "GB"),
    (lambda: grbda.Simulator(CHEETAH, grbda.SimulatorOptions(delay=2**31 - 1)), "GB"),
    (lambda: grbda.Simulator(CHEETAH, grbda.SimulatorOptions(most_contacts=2**31 - 1)), "GB"),
    (lambda: grbda.Simulator(CHEETAH, grbda.SimulatorOptions(most_contacts=10**6)), "GB"),
    (lambda: grbda.BatchData(CHEETAH, 10**9), "threads is 1000000000"),
    (lambda: grbda.BatchData(CHEETAH, 10**30), "threads is 1000000"),
    (lambda: grbda.BatchData(CHEETAH, -1), "threads is -1"),
    (lambda: grbda.Simulator(CHEETAH).step(steps=10**12), "steps is 1000000000000"),
    (lambda: grbda.Simulator(CHEETAH).step(steps=-1), "steps must be 1 or more"),
    (lambda: grbda.BatchSimulator(CHEETAH, 2).step(steps=10**12), "steps is 1000000000000"),
    (lambda: grbda.BatchSimulator(CHEETAH, 2).step(steps=0), "steps must be 1 or more"),
]


@pytest.mark.parametrize("call, text", HUGE)
def test_numbers_that_no_machine_can_hold_are_refused(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
