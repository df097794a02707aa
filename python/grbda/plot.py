"""Plots of motions and mechanisms, by matplotlib.

    import grbda.plot

    times, q, qd = grbda.plot.read_record("fall.csv", model)    # of `grbda simulate`
    grbda.plot.joints(model, times, q)

Each function draws on new axes and returns them, so that a caller can change labels or save `axes.figure`. Functions that
take `axes` draw on these.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import grbda

try:
    from matplotlib import pyplot
except ImportError as error:
    raise ImportError("grbda.plot needs matplotlib; install it by: pip install matplotlib") from error

Array = NDArray[np.float64]
Axes = Any  # of matplotlib

FORCES = {"rad": "N·m", "m": "N"}


def read_record(file: str | os.PathLike[str], model: grbda.Model) -> tuple[Array, Array, Array]:
    """Reads times [frames], q [frames, nq] and q̇ [frames, nv_tree] from a record of `grbda simulate` (CSV).

    errors  ValueError if a column of the model is missing
    """
    with open(file, encoding="utf-8", newline="") as text:
        columns, *rows = csv.reader(line for line in text if not line.startswith("#"))
    place = {name: i for i, name in enumerate(columns)}
    numbers = np.array(rows, dtype=float).reshape(len(rows), len(columns))
    q = [f"q:{name}" for name in _names(model, "q")]
    qd = [f"qd:{name}" for name in _names(model, "v")]
    missing = [name for name in ["time", *q, *qd] if name not in place]
    if missing:
        raise ValueError(f"{os.fspath(file)}: the column {missing[0]} is missing; expected a record of the robot {model.name} by `grbda simulate`")
    return numbers[:, place["time"]], numbers[:, [place[name] for name in q]], numbers[:, [place[name] for name in qd]]


def joints(model: grbda.Model, times: ArrayLike, q: ArrayLike, names: Sequence[str] | None = None) -> list[Axes]:
    """Plots positions of joints over time: rotations on the first axes, translations on the next.

    Independent joints have solid lines, dependent ones dashed lines; limits of a single joint are grey.

    in      q      [frames, nq]
            names  of joints; all that have one coordinate if left out
    """
    at, rows = _trajectory("joints", times, {"q": (q, model.nq)})
    bodies = [model.joint(name) for name in names] if names is not None else model.bodies
    shown = [body for body in bodies if _unit(body)]
    if names is not None and len(shown) < len(bodies):
        wrong = next(body.joint for body in bodies if not _unit(body))
        raise ValueError(f"joints: {wrong} has several coordinates; expected joints with one")
    axes = _rows([_unit(body) for body in shown], "joints")
    for body in shown:
        axes[_unit(body)].plot(at, rows["q"][:, body.q], "-" if _is_independent(body) else "--", label=body.joint)
        if len(shown) == 1:
            _mark_limits(axes[_unit(body)], body.limits.lower, body.limits.upper)
    return _finish(axes, lambda unit: f"{'angle' if unit == 'rad' else 'position'} [{unit}]")


def motors(model: grbda.Model, times: ArrayLike, q: ArrayLike, tau: ArrayLike) -> list[Axes]:
    """Plots forces of motors over time. They are the least ones that are equivalent to the forces tau.

    A motor that exceeds its limit has a thick line there. Motors of rotations are on the first axes.

    in      q      [frames, nq], loops closed
            tau    [frames, nv], forces on the independent coordinates, as `rnea` returns them
    """
    at, rows = _trajectory("motors", times, {"q": (q, model.nq), "tau": (tau, model.nv)})
    coordinates = grbda.motor_coordinates(model)
    driven = [model.bodies[coordinate.body] for coordinate in coordinates]
    data = grbda.Data(model)
    forces = np.empty((len(at), len(driven)))
    for i in range(len(at)):
        actuation = grbda.actuation_jacobian(model, data, rows["q"][i])
        forces[i] = grbda.motor_forces(model, actuation, rows["tau"][i])
    shown = [k for k, body in enumerate(driven) if _unit(body)]
    axes = _rows([_unit(driven[k]) for k in shown], "motors")
    for k in shown:
        body = driven[k]
        (line,) = axes[_unit(body)].plot(at, forces[:, k], label=body.joint)
        beyond = np.where(np.abs(forces[:, k]) > body.limits.effort, forces[:, k], np.nan)
        axes[_unit(body)].plot(at, beyond, color=line.get_color(), linewidth=4, alpha=0.5)
    return _finish(axes, lambda unit: f"{'torque' if unit == 'rad' else 'force'} [{FORCES[unit]}]")


def energy(model: grbda.Model, times: ArrayLike, q: ArrayLike, yd: ArrayLike, *, axes: Axes = None) -> Axes:
    """Plots kinetic and potential energy over time, and their sum. The potential energy is zero at the first frame.

    in      q      [frames, nq], loops closed
            yd     [frames, nv], independent velocities
    """
    at, rows = _trajectory("energy", times, {"q": (q, model.nq), "yd": (yd, model.nv)})
    data = grbda.Data(model)
    states = [grbda.mechanical_state(model, data, *state) for state in zip(rows["q"], rows["yd"])]
    kinetic = np.array([state.kinetic for state in states])
    potential = np.array([state.potential for state in states]) - states[0].potential
    axes = axes or pyplot.figure(layout="constrained").subplots()
    for values, label in ((kinetic, "kinetic"), (potential, "potential"), (kinetic + potential, "sum")):
        axes.plot(at, values, label=label, color="black" if label == "sum" else None)
    axes.set(xlabel="time [s]", ylabel="energy [J]")
    axes.legend()
    return axes


def branches(model: grbda.Model, sweep: grbda.Sweep, joint: str, *, axes: Axes = None) -> Axes:
    """Plots the position of a joint over that of the swept joint: a curve for each assembly mode of `grbda.sweep`.

    Points mark folds, which are dead centres of the swept joint. Configurations outside of joint limits are thin.
    """
    swept, other = model.bodies[sweep.body], _scalar(model, joint, "branches")
    axes = axes or pyplot.figure(layout="constrained").subplots()
    for number, branch in enumerate(sweep.branches):
        values = np.array([point.value for point in branch.points])
        positions = np.array([point.q[other.q.start] for point in branch.points])
        inside = np.array([point.within_limits for point in branch.points])
        (line,) = axes.plot(values, positions, linewidth=0.6)
        axes.plot(values, np.where(inside, positions, np.nan), color=line.get_color(), linewidth=2, label=f"mode {number + 1}")
        folds = [i for i, end in ((0, branch.begins), (-1, branch.ends)) if end == grbda.BranchEnd.fold]
        axes.plot(values[folds], positions[folds], "o", color=line.get_color())
    axes.set(xlabel=f"{swept.joint} [{_unit(swept)}]", ylabel=f"{joint} [{_unit(other)}]")
    if len(sweep.branches) > 1:
        axes.legend()
    return axes


def transmission(model: grbda.Model, sweep: grbda.Sweep, joint: str, *, axes: Axes = None) -> Axes:
    """Plots the transmission ratio of a joint: its velocity for a unit velocity of the swept joint.

    The swept joint must be the only freedom that moves the joint in its cluster. The ratio grows without bound at folds; the
    vertical axis is limited to twenty times its median.
    """
    swept, other = model.bodies[sweep.body], _scalar(model, joint, "transmission")
    freedoms = model.clusters[swept.cluster].m
    if freedoms != 1 or other.cluster != swept.cluster:
        raise ValueError(
            f"transmission: expected {swept.joint} and {joint} in one cluster with one freedom; "
            f"the cluster of {swept.joint} has {freedoms}, the joints are in the clusters {swept.cluster} and {other.cluster}"
        )
    axes = axes or pyplot.figure(layout="constrained").subplots()
    data = grbda.Data(model)
    everything = []
    for number, branch in enumerate(sweep.branches):
        points = [point for point in branch.points if point.step >= 0]  # ends lie at folds
        ratios = np.array([_ratio(model, data, point.q, swept, other) for point in points])
        axes.plot([point.value for point in points], ratios, label=f"mode {number + 1}")
        everything.append(np.abs(ratios))
    bound = 20 * np.median(np.concatenate(everything)) if everything else 1
    if any((ratios > bound).any() for ratios in everything):
        axes.set_ylim(-bound, bound)
    axes.axhline(0, color="grey", linewidth=0.6)
    axes.set(xlabel=f"{swept.joint} [{_unit(swept)}]", ylabel=f"velocity of {joint} / velocity of {swept.joint}")
    if len(sweep.branches) > 1:
        axes.legend()
    return axes


def _ratio(model: grbda.Model, data: grbda.Data, q: Array, swept: grbda.Body, other: grbda.Body) -> float:
    """Ratio of two joint velocities. Coordinates are chosen anew, because those of the model may be singular here."""
    grbda.choose_coordinates(model, data, q, grbda.Marks.ignored)
    grbda.constraint_embedding(model, data, q, np.zeros(model.nv))
    G = grbda.explicit_jacobian(model, data)
    column = np.argmax(np.abs(G[swept.v.start]) + np.abs(G[other.v.start]))
    with np.errstate(divide="ignore"):
        return float(G[other.v.start, column] / G[swept.v.start, column])


def _names(model: grbda.Model, part: str) -> list[str]:
    """Names of the entries of q ("q") or q̇ ("v"), as records have them."""
    names = []
    for body in sorted(model.bodies, key=lambda body: getattr(body, part).start):
        entries = getattr(body, part)
        count = entries.stop - entries.start
        names += [body.joint] if count == 1 else [f"{body.joint}[{k}]" for k in range(count)]
    return names


def _unit(body: grbda.Body) -> str:
    """Unit of a joint with one coordinate; empty for others."""
    if body.q.stop - body.q.start != 1:
        return ""
    return "m" if body.type == grbda.JointType.prismatic else "rad"


def _is_independent(body: grbda.Body) -> bool:
    return body.y.stop > body.y.start


def _scalar(model: grbda.Model, joint: str, function: str) -> grbda.Body:
    body = model.joint(joint)
    if not _unit(body):
        raise ValueError(f"{function}: {joint} has several coordinates; expected a joint with one")
    return body


def _trajectory(function: str, times: ArrayLike, rows: dict[str, tuple[ArrayLike, int]]) -> tuple[Array, dict[str, Array]]:
    """Arrays of float64 with a row for each time."""
    at = np.asarray(times, dtype=float)
    if at.ndim != 1:
        raise ValueError(f"{function}: times has the shape {at.shape}, expected [frames]")
    arrays = {name: np.asarray(values, dtype=float) for name, (values, _) in rows.items()}
    for name, (_, width) in rows.items():
        if arrays[name].shape != (len(at), width):
            raise ValueError(f"{function}: {name} has the shape {arrays[name].shape}, expected {(len(at), width)}, a row for each time")
    return at, arrays


def _rows(units: Sequence[str], function: str) -> dict[str, Axes]:
    """Axes below one another, for each unit that occurs."""
    present = [unit for unit in ("rad", "m") if unit in units]
    if not present:
        raise ValueError(f"{function}: there is nothing to plot; expected a joint with one coordinate")
    figure = pyplot.figure(layout="constrained", figsize=(8, 1 + 3 * len(present)))
    return dict(zip(present, figure.subplots(len(present), 1, sharex=True, squeeze=False)[:, 0]))


def _mark_limits(axes: Axes, *limits: float) -> None:
    for limit in limits:
        if np.isfinite(limit):
            axes.axhline(limit, color="grey", linewidth=0.8)


def _finish(axes: dict[str, Axes], label: Callable[[str], str]) -> list[Axes]:
    for unit, one in axes.items():
        one.set_ylabel(label(unit))
        one.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small")
    list(axes.values())[-1].set_xlabel("time [s]")
    return list(axes.values())
