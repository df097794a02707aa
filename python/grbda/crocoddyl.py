"""Robots with loops in Crocoddyl, from Python: states, dynamics with contacts, impacts, and costs on Crocoddyl's own.

    robot = control.Robot(grbda.load("robots/digit/digit.urdf"))
    state = grbda.crocoddyl.State(robot)
    dynamics = control.Dynamics(robot)
    costs = crocoddyl.CostModelSum(state, dynamics.nu)
    grbda.crocoddyl.add_cost(costs, "foot", residuals.FrameTranslation(robot, "left_foot", [0, 0.1, 0.05]), 10.0)
    action = grbda.crocoddyl.Action(state, dynamics, costs, h=0.01)

Needs Crocoddyl (`pip install crocoddyl==3.2.1 pin==4.0.0`). Models belong to one thread, in which Crocoddyl evaluates models of Python
anyway. `failures` tells which node has no result, and why.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _grbda as grbda
from . import residuals
from ._failures import Failure as Failure
from ._failures import NodeError as NodeError
from ._failures import check as check
from ._failures import failures as failures
from ._robot import require_same_robot
from .control import Array, Dynamics, Impact, Robot

try:
    crocoddyl: Any = importlib.import_module("crocoddyl")
except ImportError as error:
    raise ImportError("grbda.crocoddyl needs Crocoddyl: pip install crocoddyl==3.2.1 pin==4.0.0") from error


class State(crocoddyl.StateAbstract):  # type: ignore[misc]
    """States x = (q, yd) as Crocoddyl's: nx = nq + nv, ndx = 2 nv; integrate() closes the loops.

    Bounds `lb` and `ub` are the limits of the files; infinite for joints of several coordinates.
    """

    def __init__(self, robot: Robot) -> None:
        if robot.raises:
            raise ValueError(
                "State: Crocoddyl evaluates nodes where an exception would end the program; make the robot with "
                "on_failure='nan', and call check(problem, xs, us), which raises"
            )
        crocoddyl.StateAbstract.__init__(self, robot.nx, robot.ndx)
        self.robot = robot
        lower, upper = np.full(robot.nx, -np.inf), np.full(robot.nx, np.inf)
        for body in robot.model.bodies:
            if body.v.stop - body.v.start == 1:
                lower[body.q], upper[body.q] = body.limits.lower, body.limits.upper
        for i, coordinate in enumerate(grbda.independent_coordinates(robot.model, robot.data)):
            velocity = robot.model.bodies[coordinate.body].limits.velocity
            lower[robot.nq + i], upper[robot.nq + i] = -velocity, velocity
        self.lb, self.ub = lower, upper

    def zero(self) -> Array:
        """Configuration that loading found, at rest [nx]."""
        return self.robot.neutral()

    def rand(self) -> Array:
        """Random closed configuration with velocities of at most 1 [nx]; draws from numpy's global generator."""
        return self.robot.random(int(np.random.randint(2**31)))

    def diff(self, x0: Array, x1: Array) -> Array:
        """Displacement [2 nv] from x0 to x1."""
        return self.robot.difference(x0, x1)

    def integrate(self, x: Array, dx: Array) -> Array:
        """State [nx] at dx [2 nv] from x."""
        return self.robot.integrate(x, dx)

    def Jdiff(self, x0: Array, x1: Array, firstsecond: Any = crocoddyl.Jcomponent.both) -> Any:
        """Jacobians [2 nv, 2 nv] of diff() by x0 and x1."""
        by_first, by_second = self.robot.difference_jacobians(x0, x1)
        return _chosen(firstsecond, self._block(by_first, -1), self._block(by_second, 1))

    def Jintegrate(self, x: Array, dx: Array, firstsecond: Any = crocoddyl.Jcomponent.both) -> Any:
        """Jacobians [2 nv, 2 nv] of integrate() by x and dx."""
        by_first, by_second = self.robot.integrate_jacobians(x, dx[: self.robot.nv])
        return _chosen(firstsecond, self._block(by_first, 1), self._block(by_second, 1))

    def JintegrateTransport(self, x: Array, dx: Array, Jin: Array, firstsecond: Any) -> Array:
        """Jacobian of integrate() by x (first) or dx (second), times Jin [2 nv, any]."""
        if firstsecond not in (crocoddyl.Jcomponent.first, crocoddyl.Jcomponent.second):
            raise ValueError(f"State: JintegrateTransport expects Jcomponent.first or Jcomponent.second, found {firstsecond}")
        n = self.robot.nv
        blocks = self.robot.integrate_jacobians(x, dx[:n])
        J = np.array(Jin)
        J[:n] = blocks[0 if firstsecond == crocoddyl.Jcomponent.first else 1] @ J[:n]
        return J

    def _block(self, positions: Array, velocities: float) -> Array:
        n = self.robot.nv
        J = np.zeros((2 * n, 2 * n))
        J[:n, :n] = positions
        J[n:, n:][np.diag_indices(n)] = velocities
        return J


class Residual(crocoddyl.ResidualModelAbstract):  # type: ignore[misc]
    """A residual of `grbda.residuals` for Crocoddyl's CostModelResidual and ConstraintModelResidual.

    nu: number of inputs of the node, as for all costs of a sum.
    """

    def __init__(self, state: State, residual: residuals.Residual, nu: int) -> None:
        require_same_robot("Residual", state.robot, residual)
        reads = [name in residual.depends for name in "qvu"]
        crocoddyl.ResidualModelAbstract.__init__(self, state, residual.nr, nu, *reads)
        self.residual = residual

    def calc(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Puts r [nr] into the data."""
        data.r = self.residual.value(x, u)

    def calcDiff(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Puts the Jacobians Rx [nr, 2 nv] and Ru [nr, nu] into the data."""
        data.Rx, by_u = self.residual.jacobians(x, u)
        if by_u is not None:
            data.Ru = by_u


def add_cost(
    costs: Any, name: str, residual: residuals.Residual, weight: float, activation: Any = None, active: bool = True
) -> Any:
    """Adds weight · a(r) to a CostModelSum, and returns the cost.

    activation: a model of Crocoddyl, or weights [nr] of the squares; None: a(r) = ½ |r|². Control costs may be
    Crocoddyl's ResidualModelControl as well; its ResidualModelState has a wrong Jacobian for floating bases.
    """
    return _add(costs, name, Residual(costs.state, residual, costs.nu), weight, activation, active)


def _add(costs: Any, name: str, model: Residual, weight: float, activation: Any, active: bool) -> Any:
    if activation is None:
        activation = crocoddyl.ActivationModelQuad(model.nr)
    elif not isinstance(activation, crocoddyl.ActivationModelAbstract):
        activation = crocoddyl.ActivationModelWeightedQuad(np.asarray(activation, float))
    cost = crocoddyl.CostModelResidual(costs.state, activation, model)
    costs.addCost(name, cost, weight, active)
    return cost


def barrier(residual: Any, lower: ArrayLike | None = None, upper: ArrayLike | None = None, share: float = 1.0) -> Any:
    """Activation that is zero within bounds [nr], and grows by the square outside: for limits and friction cones.

    lower, upper: None: the limit of the residual, if it has one. share: part of the range in which the cost is zero.
    Pyramids of friction cones need lower=0.
    """
    lower = getattr(residual, "lower", None) if lower is None else lower
    upper = getattr(residual, "upper", None) if upper is None else upper
    bounds = crocoddyl.ActivationBounds(*_bounds(residual.nr, lower, upper), share)
    return crocoddyl.ActivationModelQuadraticBarrier(bounds)


def _bounds(count: int, lower: ArrayLike | None, upper: ArrayLike | None) -> list[Array]:
    """Both bounds [count]; None: infinite."""
    ends = (-np.inf if lower is None else lower, np.inf if upper is None else upper)
    return [np.broadcast_to(np.asarray(end, float), count).copy() for end in ends]


def add_constraint(
    constraints: Any, name: str, residual: residuals.Residual, lower: ArrayLike | None = None, upper: ArrayLike | None = None
) -> Any:
    """Adds lower ≤ r ≤ upper to a ConstraintModelManager, or r = 0 without bounds, and returns the constraint."""
    model = Residual(constraints.state, residual, constraints.nu)
    bounds = [] if lower is None and upper is None else _bounds(residual.nr, lower, upper)
    constraint = crocoddyl.ConstraintModelResidual(constraints.state, model, *bounds)
    constraints.addConstraint(name, constraint)
    return constraint


def _guarded(call: Any) -> Any:
    """A function of a node without exceptions, which Crocoddyl would not survive: the robot notes them, outputs are NaN."""

    @functools.wraps(call)
    def guarded(self: Any, data: Any, x: Array, u: Array | None = None) -> None:
        try:
            call(self, data, x, u)
        except Exception as error:
            self.robot.failure = f"{type(error).__name__}: {error}"
            names = ("xout", "xnext", "Fx", "Fu", "Lx", "Lu")
            for name in names:
                if hasattr(data, name):
                    setattr(data, name, np.full_like(getattr(data, name), np.nan))
            data.cost = np.nan

    return guarded


class _Sums:
    """Costs and constraints of a node, whose results lie in the memory of its data."""

    def __init__(self, owner: str, state: State, part: Any, costs: Any, constraints: Any) -> None:
        states = [sums.state for sums in (costs, constraints) if sums is not None]
        require_same_robot(owner, state.robot, part, *states)
        self.costs, self.constraints = costs, constraints

    def sizes(self) -> list[int]:
        c = self.constraints
        return [self.costs.nr if self.costs is not None else 0] + ([c.ng, c.nh, c.ng_T, c.nh_T] if c is not None else [])

    def bound(self, model: Any) -> None:
        """Gives the bounds of inequalities to the model, in the order of the manager: by name. Those of the manager itself
        are not set before its first calc() (Crocoddyl 3.2.1)."""
        if self.constraints is None:
            return
        items = [self.constraints.constraints[name] for name in sorted(self.constraints.active_set)]
        unequal = [item.constraint for item in items if item.constraint.ng]
        if unequal:
            model.g_lb, model.g_ub = (np.concatenate([getattr(c, end) for c in unequal]) for end in ("lb", "ub"))

    def attach(self, data: Any) -> Any:
        data.shared = crocoddyl.DataCollectorAbstract()
        if self.costs is not None:
            data.costs = self.costs.createData(data.shared)
            data.costs.shareMemory(data)
        if self.constraints is not None:
            data.constraints = self.constraints.createData(data.shared)
            data.constraints.shareMemory(data)
        return data

    def calc(self, model: Any, data: Any, point: tuple[Array, ...]) -> float:
        if self.constraints is not None:
            data.constraints.resize(model, data, len(point) == 2)
            self.constraints.calc(data.constraints, *point)
        if self.costs is None:
            return 0.0
        self.costs.calc(data.costs, *point)
        return float(data.costs.cost)

    def calc_diff(self, data: Any, point: tuple[Array, ...]) -> None:
        # Without costs nobody else writes over the NaN of a failed call; at the last node costs do not write Lu.
        if self.costs is None or len(point) == 1:
            data.Lx, data.Lu = np.zeros_like(data.Lx), np.zeros_like(data.Lu)
        if self.costs is not None:
            self.costs.calcDiff(data.costs, *point)
        if self.constraints is not None:
            self.constraints.calcDiff(data.constraints, *point)


class DifferentialAction(crocoddyl.DifferentialActionModelAbstract):  # type: ignore[misc]
    """ydd(x, u) with costs and constraints, for Crocoddyl's integrated action models (Euler, RK).

    `Action` does the same as IntegratedActionModelEuler with fewer calls.
    """

    def __init__(self, state: State, dynamics: Dynamics, costs: Any = None, constraints: Any = None) -> None:
        self.sums = _Sums("DifferentialAction", state, dynamics, costs, constraints)
        crocoddyl.DifferentialActionModelAbstract.__init__(self, state, dynamics.nu, *self.sums.sizes())
        self.robot, self.dynamics = state.robot, dynamics
        self.costs, self.constraints = costs, constraints
        self.sums.bound(self)
        self.u_lb, self.u_ub = -dynamics.motors.limit, dynamics.motors.limit

    def createData(self) -> Any:
        """Data of a node."""
        return self.sums.attach(crocoddyl.DifferentialActionModelAbstract.createData(self))

    @_guarded
    def calc(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Puts ydd [nv] into xout, and the cost; without u, at the last node, xout is zero."""
        data.xout = np.zeros(self.robot.nv) if u is None else self.dynamics.accelerations(x, u)
        data.cost = self.sums.calc(self, data, (x,) if u is None else (x, u))

    @_guarded
    def calcDiff(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Puts the derivatives of ydd into Fx [nv, 2 nv] and Fu [nv, nu], and those of the cost; without u Fx and Fu are zero."""
        if u is None:
            data.Fx, data.Fu = np.zeros_like(data.Fx), np.zeros_like(data.Fu)
        else:
            _, data.Fx, data.Fu = self.dynamics.derivatives(x, u)
        self.sums.calc_diff(data, (x,) if u is None else (x, u))

    def quasiStatic(self, data: Any, x: Array, maxiter: int = 100, tol: float = 1e-9) -> Array:
        """Inputs u [nu] for which ydd is smallest at rest, in the sense of least squares."""
        return self.dynamics.quasi_static(x)


class Action(crocoddyl.ActionModelAbstract):  # type: ignore[misc]
    """A step of h seconds with costs and constraints: velocities first, positions with the new ones.

    One call for the values and one for the derivatives of a node. Costs are multiplied by h, as Crocoddyl's
    IntegratedActionModelEuler does. At the last node, which has no step, costs are not multiplied and h is not read.
    """

    def __init__(self, state: State, dynamics: Dynamics, costs: Any = None, h: float = 0.0, constraints: Any = None) -> None:
        self.sums = _Sums("Action", state, dynamics, costs, constraints)
        crocoddyl.ActionModelAbstract.__init__(self, state, dynamics.nu, *self.sums.sizes())
        self.robot, self.dynamics, self.h = state.robot, dynamics, h
        self.costs, self.constraints = costs, constraints
        self.sums.bound(self)
        self.u_lb, self.u_ub = -dynamics.motors.limit, dynamics.motors.limit

    def createData(self) -> Any:
        """Data of a node."""
        return self.sums.attach(crocoddyl.ActionModelAbstract.createData(self))

    @_guarded
    def calc(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Puts the next state into xnext [nx], and the cost; without u, at the last node, the cost alone."""
        if u is None:
            data.xnext = x
            data.cost = self.sums.calc(self, data, (x,))
            return
        self._require_step()
        data.xnext = self.dynamics.step(x, u, self.h)
        data.cost = self.h * self.sums.calc(self, data, (x, u))

    @_guarded
    def calcDiff(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Puts the derivatives of the step into Fx [2 nv, 2 nv] and Fu [2 nv, nu], and those of the cost."""
        if u is None:
            data.Fx, data.Fu = np.eye(self.robot.ndx), np.zeros_like(data.Fu)
            self.sums.calc_diff(data, (x,))
            return
        self._require_step()
        data.Fx, data.Fu = self.dynamics.step_derivatives(x, u, self.h)
        self.sums.calc_diff(data, (x, u))
        for derivative in (data.Lx, data.Lu, data.Lxx, data.Lxu, data.Luu):  # views
            derivative *= self.h

    def _require_step(self) -> None:
        if not self.h > 0:
            raise ValueError(f"Action: a running node needs a step h > 0, found {self.h}: give h in s to Action")

    def quasiStatic(self, data: Any, x: Array, maxiter: int = 100, tol: float = 1e-9) -> Array:
        """Inputs u [nu] for which ydd is smallest at rest, in the sense of least squares."""
        return self.dynamics.quasi_static(x)


class ImpactAction(crocoddyl.ActionModelAbstract):  # type: ignore[misc]
    """The instant at which contacts strike, with costs and constraints. It has no inputs; costs are not scaled."""

    def __init__(self, state: State, impact: Impact, costs: Any = None, constraints: Any = None) -> None:
        self.sums = _Sums("ImpactAction", state, impact, costs, constraints)
        crocoddyl.ActionModelAbstract.__init__(self, state, 0, *self.sums.sizes())
        self.robot, self.impact = state.robot, impact
        self.costs, self.constraints = costs, constraints
        self.sums.bound(self)

    def createData(self) -> Any:
        """Data of a node."""
        return self.sums.attach(crocoddyl.ActionModelAbstract.createData(self))

    @_guarded
    def calc(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Puts the state after the impact into xnext [nx], and the cost."""
        data.xnext = self.impact.after(x)
        data.cost = self.sums.calc(self, data, (x,) if u is None else (x, u))

    @_guarded
    def calcDiff(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Puts the derivatives [2 nv, 2 nv] into Fx, and those of the cost."""
        data.Fx = self.impact.derivatives(x)
        self.sums.calc_diff(data, (x,) if u is None else (x, u))


def _chosen(firstsecond: Any, first: Array, second: Array) -> Any:
    if firstsecond == crocoddyl.Jcomponent.both:
        return [first, second]
    return first if firstsecond == crocoddyl.Jcomponent.first else second
