"""States, displacements and kinematics of a robot, as solvers of optimal control problems take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _grbda as grbda
from ._errors import StatusError

Array = NDArray[np.float64]
T = TypeVar("T")


def nan(*shape: int) -> Array:
    """Array of NaN."""
    return np.full(shape, np.nan)


class Shared:
    """Objects that copies of a solver's models share: they belong to one thread, as those models do."""

    def __deepcopy__(self: T, memo: Any) -> T:
        return self


def vector(owner: str, name: str, values: ArrayLike, size: int) -> Array:
    """The values as an array [size]; ValueError if there are more or fewer."""
    array = np.asarray(values, float).reshape(-1)
    if array.size != size:
        raise ValueError(f"{owner}: {name} has size {array.size}, expected {size}")
    return array


class Robot(Shared):
    """States, displacements and kinematics of a robot.

    on_failure: "nan" makes a function without result, for example where loops do not close, return NaN, which the line
    searches of solvers reject; "raise" lets the `StatusError` pass. `failure` is the message of the last failure.
    """

    def __init__(self, model: grbda.Model, on_failure: str = "nan") -> None:
        if on_failure not in ("nan", "raise"):
            raise ValueError(f"Robot: on_failure must be 'nan' or 'raise', found {on_failure!r}")
        self.model, self.raises = model, on_failure == "raise"
        self.data, self.kinematics = grbda.Data(model), grbda.Data(model)
        self.nq, self.nv = model.nq, model.nv
        self.nx, self.ndx = model.nq + model.nv, 2 * model.nv
        self.failure: str | None = None
        self._placed: tuple[bytes, bool] | None = None
        self._rows: tuple[bytes, Array] | None = None

    def attempt(self, call: Callable[[], Any], nothing: Callable[[], Any]) -> Any:
        """Result of the call; if it has none, notes why and returns nothing() or raises, as `on_failure` says."""
        try:
            return call()
        except StatusError as error:
            self.failure = str(error)
            if self.raises:
                raise
            return nothing()

    def neutral(self) -> Array:
        """Closed configuration that loading found, at rest: x [nx]."""
        return np.concatenate([grbda.neutral_configuration(self.model), np.zeros(self.nv)])

    def random(self, seed: int) -> Array:
        """Random closed configuration with velocities of at most 1 rad/s or m/s: x [nx]."""
        yd = np.random.default_rng(seed).uniform(-1, 1, self.nv)
        return np.concatenate([grbda.random_configuration(self.model, seed), yd])

    def integrate(self, x: Array, dx: Array) -> Array:
        """State x [nx] displaced by dx [2 nv]; loops stay closed."""
        q = self.attempt(
            lambda: grbda.integrate(self.model, self.data, x[: self.nq], dx[: self.nv]), lambda: nan(self.nq)
        )
        return np.concatenate([q, x[self.nq :] + dx[self.nv :]])

    def difference(self, x0: Array, x1: Array) -> Array:
        """Displacement [2 nv] from x0 to x1 [nx], in one assembly mode."""
        dy = self.attempt(
            lambda: grbda.difference(self.model, self.data, x0[: self.nq], x1[: self.nq]), lambda: nan(self.nv)
        )
        return np.concatenate([dy, x1[self.nq :] - x0[self.nq :]])

    def integrate_jacobians(self, x: Array, dx: Array) -> tuple[Array, Array]:
        """Derivatives [nv, nv] of the positions of integrate() by the displacement of x, and by dx. Velocities: 1, 1."""
        jacobians: tuple[Array, Array] = self.attempt(
            lambda: grbda.integrate_derivatives(self.model, self.data, x[: self.nq], dx[: self.nv]), self._no_blocks
        )
        return jacobians

    def difference_jacobians(self, x0: Array, x1: Array) -> tuple[Array, Array]:
        """Derivatives [nv, nv] of the positions of difference() by x0 and x1. Velocities: -1, 1."""
        jacobians: tuple[Array, Array] = self.attempt(
            lambda: grbda.difference_derivatives(self.model, self.data, x0[: self.nq], x1[: self.nq]), self._no_blocks
        )
        return jacobians

    def place(self, x: Array, derivatives: bool = False) -> bool:
        """Moves `kinematics` to x; with derivatives also for those of velocities. False: it has no result there."""
        key = x.tobytes()
        if self._placed is not None and self._placed[0] == key and self._placed[1] >= derivatives:
            return True
        self._placed = None
        move = grbda.forward_kinematics_derivatives if derivatives else grbda.forward_kinematics
        ok = self.attempt(
            lambda: move(self.model, self.kinematics, x[: self.nq], x[self.nq :]) is None, lambda: False
        )
        if ok:
            self._placed = key, derivatives
        return bool(ok)

    def rows(self, x: Array) -> Array:
        """G [nv_tree, nv]: velocities of all joints per independent velocity, qd = G yd."""
        key = x[: self.nq].tobytes()
        if self._rows is None or self._rows[0] != key:
            self._rows = key, self.attempt(lambda: self._embed(x), lambda: nan(self.model.nv_tree, self.nv))
        return self._rows[1]

    def _embed(self, x: Array) -> Array:
        grbda.constraint_embedding(self.model, self.data, x[: self.nq], x[self.nq :])
        return grbda.explicit_jacobian(self.model, self.data)

    def _no_blocks(self) -> tuple[Array, Array]:
        return nan(self.nv, self.nv), nan(self.nv, self.nv)


def require_same_robot(owner: str, robot: Robot, *others: Any) -> None:
    """Raises ValueError if one of the others, which may be None, belongs to another Robot."""
    for other in others:
        if getattr(other, "robot", robot) is not robot:
            raise ValueError(
                f"{owner}: the {type(other).__name__} belongs to another Robot: make all parts of a problem with the same one"
            )
