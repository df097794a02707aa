"""Simulations of one robot and of many."""

from __future__ import annotations

import grbda
import numpy as np
import pytest
from conftest import files_of
from numpy.testing import assert_allclose, assert_array_equal


def test_a_smooth_motion_keeps_its_energy_and_its_loops() -> None:
    model = grbda.load(files_of("delta"))
    options = grbda.SimulatorOptions()
    options.rule, options.limits, options.passive = grbda.StepRule.runge_kutta, False, False
    simulator = grbda.Simulator(model, options)
    before = simulator.energies().sum
    outcome = simulator.step(steps=200)
    assert outcome.result.ok
    assert simulator.time == pytest.approx(0.2)
    assert simulator.energies().kinetic > 1e-3
    assert simulator.energies().sum == pytest.approx(before, abs=1e-3 * simulator.energies().kinetic)
    grbda.closure_residual(model, grbda.Data(model), simulator.q)


def test_a_humanoid_falls_onto_ground_of_either_kind(humanoid: grbda.Model) -> None:
    field = grbda.HeightField(np.zeros((2, 2)), (100.0, 100.0), [-50, -50, 0])
    lowest = []
    grounds: tuple[grbda.Plane | grbda.HeightField, ...] = (grbda.Plane(), field)
    for ground in grounds:
        simulator = grbda.Simulator(humanoid, ground=ground)
        q = simulator.q.copy()
        q[2] = 1.0
        simulator.set_state(q, np.zeros(humanoid.nv_tree))
        simulator.step(steps=600)
        assert simulator.contacts
        assert all(contact.impulse[2] >= 0 for contact in simulator.contacts)
        lowest.append(min(contact.gap for contact in simulator.contacts))
    assert all(gap > -0.02 for gap in lowest)
    assert field.height(0.0, 0.0) == 0
    assert field.height(1000.0, 0.0) is None


def test_derivatives_of_a_step_are_those_of_differences() -> None:
    model = grbda.load(files_of("parallel_belt"))
    options = grbda.SimulatorOptions()
    options.limits = options.passive = False
    simulator = grbda.Simulator(model, options)
    data = grbda.Data(model)
    q, h = grbda.neutral_configuration(model), 1e-6
    A, B = simulator.step_derivatives()

    def rate_after(tau_s: np.ndarray) -> np.ndarray:
        simulator.set_state(q, np.zeros(model.nv_tree))
        simulator.step(tau_s)
        return grbda.independent_part(model, data, simulator.qd)

    for k, force in enumerate(np.eye(model.nv_tree)):
        change = (rate_after(h * force) - rate_after(-h * force)) / (2 * h)
        assert_allclose(B[model.nv :, k], change, rtol=1e-5, atol=1e-7)
    assert A.shape == (2 * model.nv, 2 * model.nv)


def test_servos_hold_a_robot() -> None:
    model = grbda.load(files_of("six_bar"))
    options = grbda.SimulatorOptions()
    options.servo_stiffness, options.servo_damping = [1e4] * model.nv_tree, [1e2] * model.nv_tree
    simulator = grbda.Simulator(model, options)
    q = simulator.q.copy()
    simulator.step(target=q, steps=300)
    assert np.abs(simulator.q - q).max() < 1e-2


def test_a_batch_is_as_its_simulations_to_the_bit(humanoid: grbda.Model) -> None:
    many = grbda.BatchSimulator(humanoid, 3, ground=grbda.Plane(), threads=2)
    forces = np.random.default_rng(0).normal(size=(3, humanoid.nv_tree))
    forces[:, :6] = 0
    outcomes = many.step(forces, steps=50)
    assert len(many) == len(outcomes) == 3
    for i in range(3):
        one = grbda.Simulator(humanoid, ground=grbda.Plane())
        one.step(forces[i], steps=50)
        assert_array_equal(many.q[i], one.q)
        assert_array_equal(many.qd[i], one.qd)
        assert many.time(i) == one.time
        assert many.energies(i).sum == one.energies().sum
        assert len(many.contacts(i)) == len(one.contacts)


def test_what_makes_no_sense_is_refused(humanoid: grbda.Model) -> None:
    simulator = grbda.Simulator(humanoid)
    with pytest.raises(ValueError, match="tau_s must have the shape"):
        simulator.step(np.zeros(3))
    with pytest.raises(ValueError, match="steps must be 1 or more"):
        simulator.step(steps=0)
    nan = np.full(humanoid.nv_tree, np.nan)
    with pytest.raises(grbda.StatusError):
        simulator.step(nan)
    assert not simulator.step(nan, check=False).result.ok
    options = grbda.SimulatorOptions()
    options.step = -1
    with pytest.raises(ValueError):
        grbda.Simulator(humanoid, options)


def test_a_simulation_goes_on_from_a_snapshot_and_says_what_its_steps_did(humanoid: grbda.Model) -> None:
    simulator = grbda.Simulator(humanoid, ground=grbda.Plane(offset=-0.8))
    simulator.step(steps=300)
    snapshot = simulator.state()
    assert snapshot.time == simulator.time == pytest.approx(0.3)
    outcome = simulator.step(steps=50)
    assert outcome.exact and outcome.contact_status == grbda.Status.ok
    assert outcome.parts >= 1
    assert outcome.energy.repair >= 0
    end = simulator.q
    simulator.restore(snapshot)
    simulator.step(steps=50)
    assert_array_equal(simulator.q, end)
    simulator.set_state(grbda.neutral_configuration(humanoid), np.zeros(humanoid.nv_tree), 2.5)
    assert simulator.time == 2.5


def test_arrays_of_a_simulation_are_copies_that_refuse_to_be_written(humanoid: grbda.Model) -> None:
    simulator = grbda.Simulator(humanoid)
    with pytest.raises(ValueError, match="read-only"):
        simulator.q[2] = 1.0
    copy = simulator.qd.copy()
    copy[0] = 1.0


def test_adaptive_steps_keep_the_energy_of_a_fall_without_contacts() -> None:
    options = grbda.SimulatorOptions()
    options.rule, options.limits, options.passive = grbda.StepRule.adaptive, False, False
    options.contacts, options.step, options.tolerance = False, 0.02, 1e-10
    simulator = grbda.Simulator(grbda.load(files_of("mini_cheetah")), options, ground=grbda.Plane())
    start = simulator.energies().sum
    outcome = simulator.step(steps=25)
    assert outcome.result.ok
    assert not simulator.contacts
    assert simulator.energies().kinetic > 1
    assert simulator.energies().sum == pytest.approx(start, abs=1e-8 * simulator.energies().kinetic)


def test_the_state_within_an_adaptive_step_is_that_of_a_shorter_step() -> None:
    model = grbda.load(files_of("delta"))
    options = grbda.SimulatorOptions()
    options.rule, options.limits, options.tolerance = grbda.StepRule.adaptive, False, 1e-12
    options.step = 0.05
    simulator = grbda.Simulator(model, options)
    with pytest.raises(ValueError, match="no state is known"):
        simulator.state_at(0.0)
    simulator.step()
    options.step = 0.02
    shorter = grbda.Simulator(model, options)
    shorter.step()
    q, qd = simulator.state_at(0.02)
    assert np.abs(qd).max() > 0.1
    assert_allclose(q, shorter.q, rtol=0, atol=1e-9)
    assert_allclose(qd, shorter.qd, rtol=0, atol=1e-7)
    assert_allclose(simulator.state_at(0.05)[0], simulator.q, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="within the last step"):
        simulator.state_at(0.06)
    with pytest.raises(ValueError, match="only the adaptive rule"):
        grbda.Simulator(model).state_at(0.0)


def test_external_wrenches_push_one_robot_and_many() -> None:
    model = grbda.load(files_of("mini_cheetah"))
    plain, pushed, turned = (grbda.Simulator(model) for _ in range(3))
    base = "Floating Base"
    up = np.array([0, 0, 100.0, 0, 0, 0])
    plain.step(steps=100)
    pushed.step(external={base: up}, steps=100)
    assert plain.energies().gravity < pushed.energies().gravity - 0.1
    turned.step(external={model.frame(base).index: [0, 0, 0, 0, 0, 5]}, steps=20)
    assert turned.qd[5] > 0.01
    batch = grbda.BatchSimulator(model, 2)
    batch.step(external={base: np.stack([np.zeros(6), up])}, steps=100)
    assert_array_equal(batch.q, [plain.q, pushed.q])
    with pytest.raises(ValueError, match="external"):
        plain.step(external={base: [1, 2]})
    with pytest.raises(Exception, match="no_such"):
        plain.step(external={"no_such": up})


def test_marked_states_of_a_batch_are_set_and_restored() -> None:
    model = grbda.load(files_of("digit_leg"))
    batch = grbda.BatchSimulator(model, 3, threads=2)
    start = batch.q.copy()
    batch.step(steps=10)
    kept, fallen = batch.state(0), batch.q.copy()
    statuses = batch.set_states(start, np.zeros((3, model.nv_tree)), marked=[True, False, True])
    assert all(status == grbda.Status.ok for status in statuses)
    assert_allclose(batch.q[[0, 2]], start[[0, 2]], atol=1e-12)
    assert_array_equal(batch.q[1], fallen[1])
    batch.restore(2, kept)
    assert_array_equal(batch.q[2], fallen[0])
    start[1] = np.nan
    with pytest.raises(grbda.StatusError, match="simulation 1"):
        batch.set_states(start, np.zeros((3, model.nv_tree)))
