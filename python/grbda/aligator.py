"""Robots with loops in Aligator, from Python: steps with contacts, impacts, and functions for costs and constraints.

    robot = control.Robot(grbda.load("robots/digit/digit.urdf"))
    chart = grbda.aligator.Chart(robot)
    step = grbda.aligator.Step(chart, control.Dynamics(robot), h=0.01)
    foot = grbda.aligator.Function(chart, residuals.FrameTranslation(robot, "left_foot", [0, 0.1, 0.05]), step.nu)
    cost = aligator.QuadraticResidualCost(chart.space, foot, np.eye(3))

Aligator's Python takes no manifolds of other libraries. A state is therefore z = (d, yd) [2 nv] in its VectorSpace, with the
displacement d from a closed reference configuration. Loops are closed exactly, and rotations of a floating base from the
reference must stay below half a turn.

Needs Aligator 0.19 (`conda install -c conda-forge aligator`; the package of this name on PyPI is another one). Objects belong
to one thread: leave the solver's number of threads at 1.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import residuals
from ._robot import require_same_robot
from .control import Array, Dynamics, Impact, Robot, Shared

try:
    aligator: Any = importlib.import_module("aligator")
    aligator.dynamics.ExplicitDynamicsModel  # noqa: B018 — the package on PyPI has no such class
except (ImportError, AttributeError) as error:
    raise ImportError(
        "grbda.aligator needs Aligator: conda install -c conda-forge aligator (that on PyPI is another package)"
    ) from error


Method = Callable[[Any, Array, Array, Any], None]


class _NotClosed(ArithmeticError):
    """No configuration closes the loops at a state; the robot has noted why."""


class Chart(Shared):
    """States z = (d, yd) [2 nv], with the displacement d from a closed reference configuration q_ref [nq].

    `space` is their VectorSpace. reference: x [nx] or q [nq]; None: the configuration that loading found.
    """

    def __init__(self, robot: Robot, reference: ArrayLike | None = None) -> None:
        at = robot.neutral() if reference is None else np.array(reference, float)
        if at.size not in (robot.nq, robot.nx):
            raise ValueError(f"Chart: the reference has {at.size} numbers, expected {robot.nq} or {robot.nx}")
        self.robot, self.nv = robot, robot.nv
        self.reference = np.concatenate([at[: robot.nq], np.zeros(robot.nv)])
        self.space = aligator.manifolds.VectorSpace(robot.ndx)
        self._key: bytes | None = None
        self._x = self.reference
        self._slopes: Array | None = None

    def x(self, z: Array) -> Array:
        """State x = (q, yd) [nx] at z [2 nv]; an ArithmeticError where loops do not close."""
        key = z.tobytes()
        if key != self._key:
            self._key = None
            x = self.robot.integrate(self.reference, z)
            if not np.isfinite(x).all():
                raise _NotClosed(self.robot.failure)
            self._key, self._x, self._slopes = key, x, None
        return self._x

    def z(self, x: Array) -> Array:
        """State [2 nv] of x [nx]."""
        return self.robot.difference(self.reference, x)

    def slopes(self, z: Array) -> Array:
        """Derivatives [nv, nv] of the configuration's displacement by d."""
        self.x(z)
        if self._slopes is None or self._key is None:
            self._slopes = self.robot.integrate_jacobians(self.reference, z[: self.nv])[1]
        return self._slopes


def _guarded(names: Sequence[str]) -> Callable[[Method], Method]:
    """A function of a node without exceptions: the robot notes them, and the outputs of these names are NaN."""

    def decorate(call: Method) -> Method:
        @functools.wraps(call)
        def guarded(self: Any, x: Array, u: Array, data: Any) -> None:
            try:
                call(self, x, u, data)
            except Exception as error:
                if not isinstance(error, _NotClosed):
                    self.chart.robot.failure = f"{type(error).__name__}: {error}"
                for name in names:
                    getattr(data, name)[...] = np.nan

        return guarded

    return decorate


class Step(aligator.dynamics.ExplicitDynamicsModel):  # type: ignore[misc]
    """A step of h seconds: velocities first, positions with the new ones. One call for values, one for derivatives."""

    def __init__(self, chart: Chart, dynamics: Dynamics, h: float) -> None:
        require_same_robot("Step", chart.robot, dynamics)
        aligator.dynamics.ExplicitDynamicsModel.__init__(self, chart.space, dynamics.nu)
        self.chart, self.dynamics, self.h = chart, dynamics, h

    @_guarded(["xnext"])
    def forward(self, x: Array, u: Array, data: Any) -> None:
        """Puts the next state into xnext [2 nv]."""
        data.xnext[:] = self.chart.z(self.dynamics.step(self.chart.x(x), u, self.h))

    @_guarded(["Jx", "Ju"])
    def dForward(self, x: Array, u: Array, data: Any) -> None:
        """Puts the derivatives into Jx [2 nv, 2 nv] and Ju [2 nv, nu]."""
        at = self.chart.x(x)
        A, B = self.dynamics.step_derivatives(at, u, self.h)
        end = self.dynamics.step(at, u, self.h)
        n = self.chart.nv
        to, by_d = self.chart.robot.difference_jacobians(self.chart.reference, end)[1], A[:, :n] @ self.chart.slopes(x)
        Jx, Ju = _matrix(data.Jx, 2 * n), _matrix(data.Ju, 2 * n)
        Jx[:n, :n], Jx[:n, n:] = to @ by_d[:n], to @ A[:n, n:]
        Jx[n:, :n], Jx[n:, n:] = by_d[n:], A[n:, n:]
        Ju[:n], Ju[n:] = to @ B[:n], B[n:]

    def __getinitargs__(self) -> tuple[Any, ...]:  # for the copies that Aligator makes
        return self.chart, self.dynamics, self.h


class ImpactStep(aligator.dynamics.ExplicitDynamicsModel):  # type: ignore[misc]
    """The instant at which contacts strike. nu: number of inputs of the stage, which have no effect."""

    def __init__(self, chart: Chart, impact: Impact, nu: int) -> None:
        require_same_robot("ImpactStep", chart.robot, impact)
        aligator.dynamics.ExplicitDynamicsModel.__init__(self, chart.space, nu)
        self.chart, self.impact = chart, impact

    @_guarded(["xnext"])
    def forward(self, x: Array, u: Array, data: Any) -> None:
        """Puts the state after the impact into xnext [2 nv]."""
        n, after = self.chart.nv, self.impact.after(self.chart.x(x))
        data.xnext[:n], data.xnext[n:] = x[:n], after[-n:]

    @_guarded(["Jx", "Ju"])
    def dForward(self, x: Array, u: Array, data: Any) -> None:
        """Puts the derivatives into Jx [2 nv, 2 nv] and Ju."""
        n = self.chart.nv
        A = self.impact.derivatives(self.chart.x(x))
        Jx = _matrix(data.Jx, 2 * n)
        Jx[:n], Jx[n:] = np.eye(n, 2 * n), A[n:]
        Jx[n:, :n] = A[n:, :n] @ self.chart.slopes(x)
        data.Ju[...] = 0.0

    def __getinitargs__(self) -> tuple[Any, ...]:  # for the copies that Aligator makes
        return self.chart, self.impact, self.nu


class Function(aligator.StageFunction):  # type: ignore[misc]
    """A residual of `grbda.residuals` minus an offset, for costs (QuadraticResidualCost, …) and constraints of Aligator.

    sign and offset: value = sign · (r − offset) [nr], as constraint sets expect. For r >= 0 use NegativeOrthant with
    sign=-1. last: the function belongs to the terminal stage, which has no input.
    """

    def __init__(
        self, chart: Chart, residual: residuals.Residual, nu: int, *, sign: float = 1.0, offset: ArrayLike = 0.0, last: bool = False
    ) -> None:
        require_same_robot("Function", chart.robot, residual)
        aligator.StageFunction.__init__(self, 2 * chart.nv, nu, residual.nr)
        self.chart, self.residual, self.sign, self.last = chart, residual, sign, last
        self.offset = np.broadcast_to(np.asarray(offset, float), residual.nr).copy()

    @_guarded(["value"])
    def evaluate(self, x: Array, u: Array, data: Any) -> None:
        """Puts the value [nr] into the data."""
        r = self.residual.value(self.chart.x(x), None if self.last else u)
        data.value[:] = self.sign * (r - self.offset)

    @_guarded(["Jx", "Ju"])
    def computeJacobians(self, x: Array, u: Array, data: Any) -> None:
        """Puts the derivatives into Jx [nr, 2 nv] and Ju [nr, nu]."""
        n = self.chart.nv
        by_x, by_u = self.residual.jacobians(self.chart.x(x), None if self.last else u)
        Jx = _matrix(data.Jx, self.residual.nr)
        Jx[:, :n] = self.sign * by_x[:, :n] @ self.chart.slopes(x)
        Jx[:, n:] = self.sign * by_x[:, n:]
        data.Ju[...] = 0.0  # NaN after a call without result
        if by_u is not None:
            _matrix(data.Ju, self.residual.nr)[...] = self.sign * by_u

    def __getinitargs__(self) -> tuple[Any, ...]:  # for the copies that Aligator makes
        return self.chart, self.residual, self.nu


def _matrix(view: Array, rows: int) -> Array:
    """The matrix whose memory a view has: those with one row or one column come as vectors."""
    return view if view.ndim == 2 else view.reshape(rows, -1)
