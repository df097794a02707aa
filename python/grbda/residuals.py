"""Residuals r(x, u) of costs and constraints, with exact Jacobians, for `grbda.crocoddyl` and `grbda.aligator`.

    foot = residuals.FrameTranslation(robot, "left_foot", [0.1, 0.1, 0.0])
    r = foot.value(x, u)             # [foot.nr]
    r_x, r_u = foot.jacobians(x, u)  # [foot.nr, 2 nv], [foot.nr, nu] or None if r does not depend on u

Positions are in m, in the axes of the world; twists and wrenches have the linear part first. A residual without result
is NaN. Any class with these members is one: derive from `Residual`, and say in `depends` what it reads of q, v and u.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _grbda as grbda
from ._rotations import cross, jacobian_of_logarithm, logarithm
from ._robot import vector as _vector
from .control import Array, Dynamics, Impact, Motors, Robot, Shared

_AXES = grbda.ReferenceFrame


class Residual(Shared):
    """Base of residuals: `nr` is the length of r, `depends` names what r reads: "q", "v" and "u"."""

    def __init__(self, robot: Robot, nr: int, depends: str) -> None:
        self.robot, self.nr, self.depends = robot, nr, depends

    def value(self, x: Array, u: Array | None) -> Array:
        """r [nr] at x [nx] and u [nu]; None: the last node, which has no input."""
        raise NotImplementedError

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, Array | None]:
        """Derivatives of r by the displacement of x [nr, 2 nv] and by u [nr, nu]; None: zero."""
        raise NotImplementedError

    def _by_q(self, J: Array) -> tuple[Array, None]:
        r_x = np.zeros((self.nr, self.robot.ndx))
        r_x[:, : self.robot.nv] = J
        return r_x, None

    def _nothing(self) -> Array:
        return np.full(self.nr, np.nan)

    def _no_jacobians(self) -> tuple[Array, None]:
        return np.full((self.nr, self.robot.ndx), np.nan), None


class State(Residual):
    """Displacement [2 nv] from a reference state to x; its Jacobian is exact with a floating base, too."""

    def __init__(self, robot: Robot, reference: ArrayLike | None = None) -> None:
        super().__init__(robot, robot.ndx, "qv")
        self.reference = robot.neutral() if reference is None else _sized("State", reference, robot.nx)

    def value(self, x: Array, u: Array | None) -> Array:
        return self.robot.difference(self.reference, x)

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        r_x = np.eye(self.nr)
        r_x[: self.robot.nv, : self.robot.nv] = self.robot.difference_jacobians(self.reference, x)[1]
        return r_x, None


class Control(Residual):
    """u − reference [nu], N or N·m; at the last node zero."""

    def __init__(self, robot: Robot, reference: ArrayLike | int) -> None:
        reference = np.zeros(reference) if isinstance(reference, int) else np.asarray(reference, float)
        super().__init__(robot, len(reference), "u")
        self.reference = reference

    def value(self, x: Array, u: Array | None) -> Array:
        return np.zeros(self.nr) if u is None else u - self.reference

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, Array]:
        return np.zeros((self.nr, self.robot.ndx)), np.eye(self.nr)


class FrameTranslation(Residual):
    """Position of a frame minus target [3], m, in world axes."""

    def __init__(self, robot: Robot, frame: str, target: ArrayLike) -> None:
        super().__init__(robot, 3, "q")
        self.frame, self.target = _frame(robot, frame), _sized("FrameTranslation", target, 3)

    def value(self, x: Array, u: Array | None) -> Array:
        if not self.robot.place(x):
            return self._nothing()
        return grbda.frame_position(self.robot.model, self.robot.kinematics, self.frame) - self.target

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        if not self.robot.place(x):
            return self._no_jacobians()
        J = grbda.frame_jacobian(self.robot.model, self.robot.kinematics, self.frame, _AXES.world_aligned)
        return self._by_q(J[:3])


class FramePlacement(Residual):
    """Logarithm [6] of the placement of a frame relative to a target: translation and rotation vector of the screw.

    rotation [3, 3] and position [3], m, are the target's in the world; r is zero if both coincide. It is Pinocchio's
    log6 of target⁻¹ · frame, and valid for rotations below half a turn.
    """

    def __init__(self, robot: Robot, frame: str, rotation: ArrayLike, position: ArrayLike) -> None:
        super().__init__(robot, 6, "q")
        self.frame, self.position = _frame(robot, frame), _sized("FramePlacement", position, 3)
        self.rotation = _vector("FramePlacement", "rotation", rotation, 9).reshape(3, 3)
        orthonormal = abs(self.rotation.T @ self.rotation - np.eye(3)).max() < 1e-6
        if not orthonormal or np.linalg.det(self.rotation) < 0:
            raise ValueError("FramePlacement: rotation [3, 3] needs orthonormal columns and the determinant 1")

    def _relative(self) -> tuple[Array, Array]:
        model, data = self.robot.model, self.robot.kinematics
        R = self.rotation.T @ grbda.frame_orientation(model, data, self.frame)
        return R, self.rotation.T @ (grbda.frame_position(model, data, self.frame) - self.position)

    def value(self, x: Array, u: Array | None) -> Array:
        return logarithm(*self._relative()) if self.robot.place(x) else self._nothing()

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        if not self.robot.place(x):
            return self._no_jacobians()
        J = grbda.frame_jacobian(self.robot.model, self.robot.kinematics, self.frame, _AXES.local)
        return self._by_q(jacobian_of_logarithm(logarithm(*self._relative())) @ J)


class FrameVelocity(Residual):
    """Twist of a frame minus target [6], m/s and rad/s, in world axes at the frame's origin, or in other axes."""

    def __init__(
        self,
        robot: Robot,
        frame: str,
        target: ArrayLike | None = None,
        axes: grbda.ReferenceFrame = _AXES.world_aligned,
    ) -> None:
        super().__init__(robot, 6, "qv")
        self.frame, self.axes = _frame(robot, frame), axes
        self.target = np.zeros(6) if target is None else _sized("FrameVelocity", target, 6)

    def value(self, x: Array, u: Array | None) -> Array:
        if not self.robot.place(x):
            return self._nothing()
        return grbda.frame_velocity(self.robot.model, self.robot.kinematics, self.frame, self.axes) - self.target

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        if not self.robot.place(x, derivatives=True):
            return self._no_jacobians()
        model, data = self.robot.model, self.robot.kinematics
        return np.hstack(grbda.frame_velocity_derivatives(model, data, self.frame, self.axes)), None


class CenterOfMass(Residual):
    """Position of the centre of mass of all moving bodies minus target [3], m, in world axes."""

    def __init__(self, robot: Robot, target: ArrayLike) -> None:
        super().__init__(robot, 3, "q")
        self.target = _sized("CenterOfMass", target, 3)

    def value(self, x: Array, u: Array | None) -> Array:
        r, q = self.robot, x[: self.robot.nq]
        state = lambda: grbda.mechanical_state(r.model, r.data, q, np.zeros(r.nv)).com  # noqa: E731
        return np.asarray(r.attempt(state, self._nothing)) - self.target

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        r, q = self.robot, x[: self.robot.nq]
        J = r.attempt(lambda: grbda.com_jacobian(r.model, r.data, q), lambda: np.full((3, r.nv), np.nan))
        return self._by_q(J)


class Momentum(Residual):
    """Momentum about the centre of mass minus target [6], N·s and N·m·s, in world axes."""

    def __init__(self, robot: Robot, target: ArrayLike | None = None) -> None:
        super().__init__(robot, 6, "qv")
        self.target = np.zeros(6) if target is None else _sized("Momentum", target, 6)

    def value(self, x: Array, u: Array | None) -> Array:
        r, q, yd = self.robot, x[: self.robot.nq], x[self.robot.nq :]
        A = r.attempt(
            lambda: grbda.momentum_matrix(r.model, r.data, q, yd)[0], lambda: np.full((6, r.nv), np.nan)
        )
        return np.asarray(A @ yd - self.target)

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        r, q, yd = self.robot, x[: self.robot.nq], x[self.robot.nq :]

        def call() -> Array:
            by_y, _, _, A = grbda.momentum_derivatives(r.model, r.data, q, yd, np.zeros(r.nv))
            return np.hstack([by_y, A])

        return r.attempt(call, lambda: self._no_jacobians()[0]), None


class ContactForce(Residual):
    """Force [3] of a contact of `dynamics` minus target, N, or wrench [6] of a frame; in the contact's axes."""

    def __init__(self, dynamics: Dynamics, contact: int | str, target: ArrayLike | None = None) -> None:
        self.rows = _contact_rows(dynamics, contact)
        super().__init__(dynamics.robot, self.rows.stop - self.rows.start, "qvu")
        self.dynamics = dynamics
        self.target = np.zeros(self.nr) if target is None else _sized("ContactForce", target, self.nr)

    def value(self, x: Array, u: Array | None) -> Array:
        if u is None:
            return np.zeros(self.nr)
        self.dynamics.accelerations(x, u)
        return np.asarray(self.dynamics.f[self.rows] - self.target)

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, Array | None]:
        if u is None:
            return np.zeros((self.nr, self.robot.ndx)), None
        self.dynamics.derivatives(x, u)
        return self.dynamics.f_x[self.rows], self.dynamics.f_u[self.rows]


class FrictionCone(Residual):
    """Rows [facets] of a friction pyramid times a contact's force: all are ≥ 0 where the force is in it, N.

    normal [3] is that of the ground, in the axes of the world, or with world=False in those of the contact, whose z is
    then usually the normal of the sole. inside: the pyramid is in the cone, otherwise around it. At the last node, and
    for open contacts, r is zero.
    """

    def __init__(
        self,
        dynamics: Dynamics,
        contact: int | str,
        friction: float,
        normal: ArrayLike = (0.0, 0.0, 1.0),
        facets: int = 4,
        *,
        inside: bool = True,
        world: bool = True,
    ) -> None:
        super().__init__(dynamics.robot, facets, "qvu")
        rows = _contact_rows(dynamics, contact)
        self.dynamics, self.rows, self.world = dynamics, slice(rows.start, rows.start + 3), world
        assert dynamics.contacts is not None
        self.frame = _frame(dynamics.robot, dynamics.contacts.names[dynamics.contacts.index(contact)])
        self.pyramid = grbda.friction_pyramid(friction, normal, facets, inside=inside)

    def value(self, x: Array, u: Array | None) -> Array:
        if u is None:
            return np.zeros(self.nr)
        self.dynamics.accelerations(x, u)
        f = self.dynamics.f[self.rows]
        if self.world:
            f = self._orientation(x) @ f
        return np.asarray(self.pyramid @ f)

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, Array | None]:
        if u is None:
            return np.zeros((self.nr, self.robot.ndx)), None
        d, n = self.dynamics, self.robot.nv
        d.derivatives(x, u)
        f_x, f_u, rows = d.f_x[self.rows], d.f_u[self.rows], self.pyramid
        if self.world:  # R f turns with the frame by R (ω × f)
            rows = rows @ self._orientation(x)
            if self.robot.place(x):
                J = grbda.frame_jacobian(self.robot.model, self.robot.kinematics, self.frame, _AXES.local)
                f_x = f_x.copy()
                f_x[:, :n] -= cross(d.f[self.rows]) @ J[3:]
        return rows @ f_x, rows @ f_u

    def _orientation(self, x: Array) -> Array:
        if not self.robot.place(x):
            return np.full((3, 3), np.nan)
        return grbda.frame_orientation(self.robot.model, self.robot.kinematics, self.frame)


class Impulse(Residual):
    """Impulse [3] or [6] with which a contact of `impact` strikes, N·s and N·m·s, in the contact's axes."""

    def __init__(self, impact: Impact, contact: int | str) -> None:
        self.rows = impact.contacts.slices[impact.contacts.index(contact)]
        super().__init__(impact.robot, self.rows.stop - self.rows.start, "qv")
        self.impact = impact

    def value(self, x: Array, u: Array | None) -> Array:
        self.impact.after(x)
        return np.asarray(self.impact.impulses[self.rows])

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        self.impact.derivatives(x)
        return self.impact.impulses_x[self.rows], None


class JointPositions(Residual):
    """Positions of joints of one coordinate minus target, rad and m: also of joints that loops determine.

    joints: names; None: all of one coordinate that have limits. `lower` and `upper` [nr] are the limits of the files
    minus target, for constraints and for barriers.
    """

    def __init__(self, robot: Robot, joints: Sequence[str] | None = None, target: ArrayLike | None = None) -> None:
        bodies = {body.joint: body for body in robot.model.bodies if body.v.stop - body.v.start == 1}
        if joints is None:
            joints = [name for name, body in bodies.items() if np.isfinite([body.limits.lower, body.limits.upper]).any()]
        for name in joints:
            if name not in bodies:
                raise ValueError(f"JointPositions: no joint of one coordinate is called '{name}'")
        super().__init__(robot, len(joints), "q")
        self.joints = list(joints)
        self.target = np.zeros(self.nr) if target is None else _sized("JointPositions", target, self.nr)
        self.at, self.rates = ([slice_of(bodies[j]).start for j in joints] for slice_of in (_q, _v))
        self.lower = np.array([bodies[j].limits.lower for j in joints]) - self.target
        self.upper = np.array([bodies[j].limits.upper for j in joints]) - self.target

    def value(self, x: Array, u: Array | None) -> Array:
        return x[self.at] - self.target

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        return self._by_q(self.robot.rows(x)[self.rates])


class MotorPositions(Residual):
    """Positions [nu] of motors, rad or m, times their reductions. `lower`, `upper`: the limits of the files."""

    def __init__(self, motors: Motors) -> None:
        _require_single("MotorPositions", motors)
        super().__init__(motors.robot, motors.nu, "q")
        self.motors = motors
        ends = [np.sort([r * b.limits.lower, r * b.limits.upper]) for b, r in zip(motors.bodies, motors.reductions)]
        self.lower, self.upper = (np.array([end[i] for end in ends]) for i in (0, 1))

    def value(self, x: Array, u: Array | None) -> Array:
        return self.motors.positions(x)[0]

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        return self._by_q(self.motors.positions(x)[1])


class MotorVelocities(Residual):
    """Velocities [nu] of motors, rad/s or m/s, times their reductions. `lower`, `upper`: the limits of the files."""

    def __init__(self, motors: Motors) -> None:
        _require_single("MotorVelocities", motors)
        super().__init__(motors.robot, motors.nu, "qv")
        self.motors = motors
        self.upper = np.array([abs(r) * b.limits.velocity for b, r in zip(motors.bodies, motors.reductions)])
        self.lower = -self.upper

    def value(self, x: Array, u: Array | None) -> Array:
        return self.motors.positions(x)[1] @ x[self.robot.nq :]

    def jacobians(self, x: Array, u: Array | None) -> tuple[Array, None]:
        slopes = self.robot.attempt(lambda: self.motors.velocity_slopes(x), lambda: np.full((self.nr, self.robot.nv), np.nan))
        return np.hstack([slopes, self.motors.positions(x)[1]]), None


def _require_single(owner: str, motors: Motors) -> None:
    for body in motors.bodies:
        if body.v.stop - body.v.start != 1:
            raise ValueError(f"{owner}: joint '{body.joint}' has {body.v.stop - body.v.start} velocities, expected 1")


def _q(body: grbda.Body) -> slice:
    return body.q


def _v(body: grbda.Body) -> slice:
    return body.v


def _sized(owner: str, values: ArrayLike, size: int) -> Array:
    array = np.array(values, float).reshape(-1)
    if array.size != size:
        raise ValueError(f"{owner}: the reference has {array.size} numbers, expected {size}")
    return array


def _frame(robot: Robot, name: str) -> int:
    return int(robot.model.frame(name).index)


def _contact_rows(dynamics: Dynamics, contact: int | str) -> slice:
    if dynamics.contacts is None:
        raise ValueError("expected dynamics with contacts, found dynamics without: give them to Dynamics")
    return dynamics.contacts.slices[dynamics.contacts.index(contact)]
