"""Dynamics of robots with loops as solvers of optimal control problems take them, whatever the solver.

    robot = control.Robot(model)
    contacts = control.Contacts(robot, ["left_foot", "right_foot"], velocity_gain=20)
    dynamics = control.Dynamics(robot, control.Motors(robot), contacts)

`grbda.crocoddyl` and `grbda.aligator` turn these objects, and the functions of `grbda.residuals`, into models of the
two solvers. A state is x = (q, yd) [nq + nv], a displacement dx = (dy, dyd) [2 nv]: integrate() closes the loops.
Objects belong to one thread. Each keeps the results of its last point, so that costs and constraints of a node that
read them cost no second call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _grbda as grbda
from ._robot import Array as Array
from ._robot import Robot as Robot
from ._robot import Shared as Shared
from ._robot import nan as _nan
from ._robot import require_same_robot as _require_same_robot
from ._robot import vector as _vector


class Motors(Shared):
    """Inputs u [nu] of a robot, and the forces tau [nv] on its independent coordinates.

    u are forces of the motors that the files name, N or N·m, also behind linkages, times their reductions. If there are
    none, or with motors=False, u are forces on the independent coordinates, without those of a floating base.
    joint_forces: springs, dampers, tendons and gravity compensation of the files act, too.
    `names` are the joints of the inputs, `limit` [nu] their efforts, infinite where the files give none.
    """

    def __init__(self, robot: Robot, *, motors: bool = True, joint_forces: bool = False) -> None:
        model, n = robot.model, robot.nv
        self.robot = robot
        self.step = grbda.SolverStep(model, motors=motors, joint_forces=joint_forces)
        self.named = motors and any(body.actuated for body in model.bodies)
        if self.named:
            driven = [model.bodies[c.body] for c in grbda.motor_coordinates(model)]
            reductions = np.array([body.reduction for body in driven])
            chosen = np.eye(len(driven))
        else:
            based = {y for body in model.bodies if _is_base(body) for y in range(body.y.start, body.y.stop)}
            kept = [i for i in range(n) if i not in based]
            driven = [model.bodies[c.body] for c in grbda.independent_coordinates(model, robot.data)]
            driven, chosen = [driven[i] for i in kept], np.eye(n)[:, kept]
            reductions = np.ones(len(driven))
        self.nu, self.names = len(driven), [body.joint for body in driven]
        self.limit = np.array([body.limits.effort / abs(r) for body, r in zip(driven, reductions)])
        self.bodies, self.reductions = driven, reductions
        self._chosen = chosen
        # constant where no passive force acts and each motor sits on an independent joint
        self.constant: Array | None = None
        if not joint_forces and not self.named:
            self.constant = chosen
        elif not joint_forces and all(_size(body.y) == 1 for body in driven):
            self.constant = np.zeros((n, self.nu))
            for k, body in enumerate(driven):
                self.constant[body.y.start, k] = reductions[k]

    def forces(self, x: Array, u: Array) -> tuple[Array, Array | None, Array | None, Array]:
        """tau [nv] and its derivatives by y, yd [nv, nv] and u [nv, nu]; None: zero."""
        if self.constant is not None:
            return self.constant @ u, None, None, self.constant
        q, yd = x[: self.robot.nq], x[self.robot.nq :]
        tau, by_y, by_yd, by_u = self.step.forces(q, yd, self._chosen @ u)
        return tau, by_y, by_yd, by_u @ self._chosen

    def positions(self, x: Array) -> tuple[Array, Array]:
        """Positions [nu] of the motors, rad or m, and their derivatives by y [nu, nv]: their velocities are J yd."""
        if any(_size(body.v) != 1 for body in self.bodies):
            raise ValueError("Motors: positions exist for joints of one coordinate only")
        at = np.array([x[body.q.start] for body in self.bodies])
        rows = self.robot.rows(x)[[body.v.start for body in self.bodies]]
        return self.reductions * at, self.reductions[:, None] * rows

    def velocity_slopes(self, x: Array) -> Array:
        """Derivatives by y [nu, nv] of the velocities of the motors, J yd, at constant yd."""
        slopes = np.zeros((self.nu, self.robot.nv))
        if self.named and self.constant is None:  # otherwise J is constant
            yd = x[self.robot.nq :]
            at_rest = np.concatenate([x[: self.robot.nq], np.zeros(self.robot.nv)])
            passive = self.forces(at_rest, np.zeros(self.nu))[1]
            for k, u in enumerate(np.eye(self.nu)):  # row k of J is the force of u = e_k
                by_y = self.forces(at_rest, u)[1]
                slopes[k] = yd @ (np.asarray(by_y) - np.asarray(passive))
        return slopes


class Contacts(Shared):
    """Contacts that a phase keeps closed: they neither separate nor slip.

    frames: names, for contacts of points, or `grbda.ContactFrame`. active [contacts]: those that are closed now; sizes
    never change. velocity_gain in 1/s and position_gain in 1/s² bring errors back to zero; the latter needs positions
    [contacts, 3], m, and for frames rotations [3 contacts, 3]. Forces f [rows] act on the robot, in the contacts' axes.
    """

    def __init__(
        self,
        robot: Robot,
        frames: Sequence[str | grbda.ContactFrame],
        active: Sequence[bool] | None = None,
        *,
        velocity_gain: float = 0.0,
        position_gain: float = 0.0,
        positions: ArrayLike | None = None,
        rotations: ArrayLike | None = None,
    ) -> None:
        self.robot = robot
        self.frames = [grbda.ContactFrame(robot.model, f) if isinstance(f, str) else f for f in frames]
        self.names = [f.frame for f in self.frames]
        self.work = grbda.ContactDynamics(robot.model, self.frames)
        self.active = [True] * len(self.frames) if active is None else [bool(a) for a in active]
        if len(self.active) != len(self.frames):
            raise ValueError(f"Contacts: active has size {len(self.active)}, expected {len(self.frames)}")
        if position_gain and positions is None:
            raise ValueError("Contacts: position_gain needs positions [contacts, 3]")
        if position_gain and rotations is None and any(f.kind != grbda.ContactKind.point for f in self.frames):
            raise ValueError("Contacts: position_gain needs rotations [3 contacts, 3] for contacts of frames")
        self.options: dict[str, Any] = {"velocity_gain": velocity_gain, "position_gain": position_gain}
        self.options.update(positions=positions, rotations=rotations)
        sizes = [3 if f.kind == grbda.ContactKind.point else 6 for f in self.frames]
        ends = np.cumsum(sizes)
        self.slices = [slice(int(end) - size, int(end)) for end, size in zip(ends, sizes)]
        self.rows = self.work.rows

    def index(self, frame: int | str) -> int:
        """Index of a contact, given as such or by the name of its frame."""
        if isinstance(frame, int):
            if not 0 <= frame < len(self.names):
                raise ValueError(f"Contacts: contact {frame} does not exist; there are {len(self.names)}")
            return frame
        if frame not in self.names:
            raise ValueError(f"Contacts: no contact is at frame '{frame}'; there are {', '.join(self.names)}")
        return self.names.index(frame)


class Dynamics(Shared):
    """Accelerations ydd(x, u), with the contacts of a phase closed if there are some.

    accelerations() and derivatives() keep their results until the point changes: f [rows] and its derivatives f_x
    [rows, 2 nv], f_u [rows, nu] are those of the last point.
    """

    def __init__(self, robot: Robot, motors: Motors | None = None, contacts: Contacts | None = None) -> None:
        _require_same_robot("Dynamics", robot, motors, contacts)
        self.robot, self.motors, self.contacts = robot, motors or Motors(robot), contacts
        self.nu = self.motors.nu
        self._key: tuple[bytes, bytes] | None = None
        self._derived = False
        self._clear()

    def accelerations(self, x: ArrayLike, u: ArrayLike) -> Array:
        """ydd [nv] at x [nx] and u [nu], rad/s² and m/s²; NaN, or StatusError, if there is no result."""
        self._evaluate(x, u, False)
        return self.ydd

    def derivatives(self, x: ArrayLike, u: ArrayLike) -> tuple[Array, Array, Array]:
        """ydd [nv] and its derivatives by x [nv, 2 nv] and u [nv, nu]."""
        self._evaluate(x, u, True)
        return self.ydd, self.ydd_x, self.ydd_u

    def step(self, x: ArrayLike, u: ArrayLike, h: float) -> Array:
        """State after h seconds: velocities first, positions with the new ones (semi-implicit Euler)."""
        x = np.asarray(x, float)
        ydd = self.accelerations(x, u)
        rate = x[self.robot.nq :] + h * ydd
        return self.robot.integrate(x, np.concatenate([h * rate, h * ydd]))

    def step_derivatives(self, x: ArrayLike, u: ArrayLike, h: float) -> tuple[Array, Array]:
        """Derivatives of step() by x [2 nv, 2 nv] and by u [2 nv, nu]."""
        n, x = self.robot.nv, np.asarray(x, float)
        ydd, ydd_x, ydd_u = self.derivatives(x, u)
        by_q, by_d = self.robot.integrate_jacobians(x, h * (x[self.robot.nq :] + h * ydd))
        A = np.empty((2 * n, 2 * n + self.nu))  # A and B, side by side
        below = A[n:]
        np.multiply(ydd_x, h, out=below[:, : 2 * n])
        np.multiply(ydd_u, h, out=below[:, 2 * n :])
        below[:, n : 2 * n][np.diag_indices(n)] += 1
        np.matmul(h * by_d, below, out=A[:n])
        A[:n, :n] += by_q
        A, B = A[:, : 2 * n], A[:, 2 * n :]
        return A, B

    def quasi_static(self, x: ArrayLike) -> Array:
        """Inputs u [nu] that hold the robot at rest at x [nx]: those with the smallest ydd, and of these the shortest.

        ydd is linear in u, so that one least-squares problem suffices. A floating base without contacts falls.
        """
        at = np.array(x, float)
        at[self.robot.nq :] = 0
        ydd, _, by_u = self.derivatives(at, np.zeros(self.nu))
        if not (np.isfinite(ydd).all() and np.isfinite(by_u).all()):
            return _nan(self.nu)
        return np.asarray(np.linalg.lstsq(by_u, -ydd, rcond=1e-10)[0])

    def _evaluate(self, x: ArrayLike, u: ArrayLike, derivatives: bool) -> None:
        x = _vector("Dynamics", "x", x, self.robot.nx)
        u = _vector("Dynamics", "u", u, self.nu)
        key = x.tobytes(), u.tobytes()
        if key == self._key and self._derived >= derivatives:
            return
        self._key = None
        call = self._differentiate if derivatives else self._accelerate
        if self.robot.attempt(lambda: call(x, u), self._clear):
            self._key, self._derived = key, derivatives

    def _accelerate(self, x: Array, u: Array) -> bool:
        q, yd = x[: self.robot.nq], x[self.robot.nq :]
        if self.contacts is not None:
            tau = self.motors.forces(x, u)[0]
            c = self.contacts
            self.ydd, self.f = c.work.dynamics(q, yd, tau, c.active, **c.options)
        elif self.motors.constant is not None:
            self.ydd = grbda.aba(self.robot.model, self.robot.data, q, yd, self.motors.constant @ u)
        else:
            (self.ydd,) = self.motors.step.acceleration(q, yd, self.motors._chosen @ u)
        return True

    def _differentiate(self, x: Array, u: Array) -> bool:
        n, q, yd = self.robot.nv, x[: self.robot.nq], x[self.robot.nq :]
        tau, tau_y, tau_yd, tau_u = self.motors.forces(x, u)
        c = self.contacts
        if c is not None:
            self.ydd, self.f, by, f_by = c.work.dynamics(q, yd, tau, c.active, **c.options, derivatives=True)
            self.f_x, self.f_u = _chain(f_by[:, : 2 * n], f_by[:, 2 * n :], tau_y, tau_yd, tau_u)
            by_x, by_tau = by[:, : 2 * n], by[:, 2 * n :]
        else:
            by_y, by_yd, by_tau, self.ydd = grbda.aba_derivatives(self.robot.model, self.robot.data, q, yd, tau)
            by_x = np.concatenate((by_y, by_yd), axis=1)
        self.ydd_x, self.ydd_u = _chain(by_x, by_tau, tau_y, tau_yd, tau_u)
        return True

    def _clear(self) -> bool:
        n, rows = self.robot.nv, self.contacts.rows if self.contacts is not None else 0
        self.ydd, self.ydd_x, self.ydd_u = _nan(n), _nan(n, 2 * n), _nan(n, self.nu)
        self.f, self.f_x, self.f_u = _nan(rows), _nan(rows, 2 * n), _nan(rows, self.nu)
        return False


class Impact(Shared):
    """The instant at which contacts strike: velocities jump so that they neither rebound nor slip.

    impulses [rows], N·s and N·m·s, and impulses_x [rows, 2 nv] are those of the last point.
    """

    def __init__(self, robot: Robot, contacts: Contacts) -> None:
        _require_same_robot("Impact", robot, contacts)
        self.robot, self.contacts = robot, contacts
        self._key: bytes | None = None
        self._derived = False
        self._clear()

    def after(self, x: ArrayLike) -> Array:
        """State [nx] after the impact."""
        x = np.asarray(x, float)
        self._evaluate(x, False)
        return np.concatenate([x[: self.robot.nq], self.yd])

    def derivatives(self, x: ArrayLike) -> Array:
        """Derivatives [2 nv, 2 nv] of after() by x."""
        self._evaluate(x, True)
        n = self.robot.nv
        A = np.zeros((2 * n, 2 * n))
        A[:n, :n] = np.eye(n)
        A[n:] = self.yd_x
        return A

    def _evaluate(self, x: ArrayLike, derivatives: bool) -> None:
        x = _vector("Impact", "x", x, self.robot.nx)
        key = x.tobytes()
        if key == self._key and self._derived >= derivatives:
            return
        self._key = None
        if self.robot.attempt(lambda: self._strike(x, derivatives), self._clear):
            self._key, self._derived = key, derivatives

    def _strike(self, x: Array, derivatives: bool) -> bool:
        q, yd = x[: self.robot.nq], x[self.robot.nq :]
        work, active = self.contacts.work, self.contacts.active
        if derivatives:
            self.yd, self.impulses, self.yd_x, self.impulses_x = work.impact(q, yd, active, derivatives=True)
        else:
            self.yd, self.impulses = work.impact(q, yd, active)
        return True

    def _clear(self) -> bool:
        n, rows = self.robot.nv, self.contacts.rows
        self.yd, self.yd_x = _nan(n), _nan(n, 2 * n)
        self.impulses, self.impulses_x = _nan(rows), _nan(rows, 2 * n)
        return False


def _chain(
    by_x: Array, by_tau: Array, tau_y: Array | None, tau_yd: Array | None, tau_u: Array
) -> tuple[Array, Array]:
    """Derivatives by x and u of a function of x and of tau(x, u)."""
    if tau_y is not None and tau_yd is not None:
        by_x = by_x + by_tau @ np.hstack([tau_y, tau_yd])
    return by_x, by_tau @ tau_u


def _is_base(body: grbda.Body) -> bool:
    return body.type == grbda.JointType.floating and body.parent == -1 and _size(body.y) == 6


def _size(indices: slice) -> int:
    return int(indices.stop - indices.start)
