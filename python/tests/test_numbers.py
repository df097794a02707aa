"""Numbers of Python are those of C++ to the bit: as `grbda compute` of the same build prints them, all digits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grbda
import numpy as np
from conftest import computed, files_of, tool
from numpy.testing import assert_array_equal

SEED = 7


def by_joint(model: grbda.Model, values: np.ndarray, positions: bool) -> dict[str, list[float]]:
    return {body.joint: values[body.q if positions else body.v].tolist() for body in model.bodies}


def independent(model: grbda.Model, values: np.ndarray) -> dict[str, list[float]]:
    named: dict[str, list[float]] = {}
    for value, coordinate in zip(values, model.independent_coordinates):
        named.setdefault(model.bodies[coordinate.body].joint, []).append(float(value))
    return named


def spanning(model: grbda.Model, named: dict[str, Any]) -> np.ndarray:
    values = np.full(model.nv_tree, np.nan)
    for body in model.bodies:
        values[body.v] = named[body.joint]
    return values


def flat(model: grbda.Model, named: dict[str, Any]) -> np.ndarray:
    counts: dict[int, int] = {}
    values = []
    for coordinate in model.independent_coordinates:
        entry = np.atleast_1d(named[model.bodies[coordinate.body].joint])
        place = counts.get(coordinate.body, 0)
        counts[coordinate.body] = place + 1
        values.append(entry[place])
    return np.array(values)


def test_dynamics_are_those_of_cpp_to_the_bit(robot: str, model: grbda.Model, tmp_path: Path) -> None:
    data = grbda.Data(model)
    random = np.random.default_rng(SEED)
    q = grbda.random_configuration(model, SEED)
    yd, ydd, tau = random.normal(size=(3, model.nv))
    state = {"q": by_joint(model, q, True), "yd": independent(model, yd), "ydd": independent(model, ydd),
             "tau": independent(model, tau)}
    there = computed(robot, {"gravity": model.gravity.tolist(), "states": [state]}, tmp_path)["states"][0]
    assert there["status"] == "ok"
    at = np.full(model.nq, np.nan)
    for body in model.bodies:
        at[body.q] = there["q"][body.joint]
    assert np.abs(at - q).max() < 1e-9
    assert_array_equal(grbda.crba(model, data, at), there["mass_matrix"])
    assert_array_equal(grbda.bias_force(model, data, at, yd), flat(model, there["bias_force"]))
    assert_array_equal(grbda.rnea(model, data, at, yd, ydd), flat(model, there["inverse_dynamics"]["tau"]))
    assert_array_equal(grbda.spanning_velocity(model, data, at, yd), spanning(model, there["qd"]))
    assert_array_equal(grbda.aba(model, data, at, yd, tau), flat(model, there["forward_dynamics"]["ydd"]))
    energies = grbda.mechanical_state(model, data, at, yd)
    assert energies.kinetic == there["energy"]["kinetic"]
    assert energies.potential == there["energy"]["potential"]


def test_frames_and_derivatives_are_those_of_cpp_to_the_bit(robot: str, model: grbda.Model, tmp_path: Path) -> None:
    data = grbda.Data(model)
    yd, ydd = np.random.default_rng(SEED).normal(size=(2, model.nv))
    name = model.frames[model.bodies[-1].frame].name
    q = grbda.neutral_configuration(model)
    state = {"q": by_joint(model, q, True), "yd": independent(model, yd), "ydd": independent(model, ydd)}
    there = computed(robot, {"gravity": model.gravity.tolist(), "states": [state]}, tmp_path, "--frames", name, "--derivatives")["states"][0]
    if there["status"] != "ok":  # singular as assembled
        return
    at = np.full(model.nq, np.nan)
    for body in model.bodies:
        at[body.q] = there["q"][body.joint]
    grbda.forward_kinematics(model, data, at, yd, ydd)
    axes = grbda.ReferenceFrame.world_aligned
    frame = there["frames"][name]
    assert_array_equal(grbda.frame_position(model, data, name), frame["position"])
    assert_array_equal(grbda.frame_velocity(model, data, name, axes), frame["velocity"])
    assert_array_equal(grbda.frame_acceleration(model, data, name, axes), frame["acceleration"])
    assert_array_equal(grbda.frame_jacobian(model, data, name, axes), frame["jacobian"])
    derivatives = there["derivatives"]
    by_y, by_yd, _ = grbda.rnea_derivatives(model, data, at, yd, ydd)
    assert_array_equal(by_y, derivatives["tau_y"])
    assert_array_equal(by_yd, derivatives["tau_yd"])
    by_y, by_yd, by_tau, _ = grbda.aba_derivatives(model, data, at, yd, np.zeros(model.nv))
    assert_array_equal(by_y, derivatives["ydd_y"])
    assert_array_equal(by_yd, derivatives["ydd_yd"])
    assert_array_equal(by_tau, derivatives["ydd_tau"])


def test_the_repr_is_the_head_of_info(robot: str, model: grbda.Model) -> None:
    assert tool("info", *files_of(robot)).startswith(repr(model))
