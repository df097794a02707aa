"""Dynamics of a robot with loops as differentiable functions of PyTorch, on batches of states.

    robot = grbda.torch.Robot(grbda.load("robot.urdf"), threads=2)
    ydd = grbda.torch.forward_dynamics(robot, d, yd, tau)        # [states, nv]
    d, yd = grbda.torch.step(robot, d, yd, tau, h)
    q = grbda.torch.close(robot, d)                              # [states, nq], loops closed

A state is a displacement d [states, nv] along the independent coordinates from the robot's reference configuration, rad
and m, and the velocity yd; of plain joints d is y less that of the reference, a floating joint has a twist in its own
axes, a spherical one a rotation vector. Loops are followed from the reference, so that all states are in its assembly
mode. Tensors are on the CPU; the dynamics are computed in float64, also for float32. A state that fails raises
`StatusError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

import grbda

Array = NDArray[np.float64]


class Robot:
    """A model with its workspaces, for one thread of Python, and the configuration from which loops are followed.

    reference [nq] closes the loops; None: the neutral configuration. threads: of the batches.
    """

    def __init__(self, model: grbda.Model, reference: ArrayLike | None = None, threads: int = 1) -> None:
        self.model = model
        self.data = grbda.Data(model)
        self.batch = grbda.BatchData(model, threads=threads)
        q = grbda.neutral_configuration(model) if reference is None else reference
        self.reference: Array = np.array(q, dtype=np.float64)
        self.plain = all(_is_plain(model.bodies[c.body]) for c in model.independent_coordinates)

    def closed(self, d: Array) -> Array:
        """q [states, nq] at displacements [states, nv]."""
        return grbda.integrate(self.model, self.batch, np.tile(self.reference, (len(d), 1)), d)

    def integrate_jacobians(self, q: Array, delta: Array) -> tuple[Array, Array]:
        """Derivatives [states, nv, nv] of `integrate` with q and with delta; of plain joints both are 1."""
        return _stacked([grbda.integrate_derivatives(self.model, self.data, *x) for x in zip(q, delta)])

    def difference_jacobian(self, q: Array) -> Array:
        """Derivatives [states, nv, nv] of the displacement from the reference with q."""
        return np.stack([grbda.difference_derivatives(self.model, self.data, self.reference, x)[1] for x in q])


def _is_plain(body: grbda.Body) -> bool:
    return body.type not in (grbda.JointType.floating, grbda.JointType.spherical)


def _stacked(pairs: Sequence[tuple[Array, ...]]) -> tuple[Array, Array]:
    first, second = zip(*pairs)
    return np.stack(first), np.stack(second)


def _array(x: torch.Tensor) -> Array:
    return x.detach().to(torch.float64).contiguous().numpy()


def _tensor(x: Array) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(x))


def _times(gradient: torch.Tensor, jacobian: torch.Tensor) -> torch.Tensor:
    return torch.einsum("si,sij->sj", gradient, jacobian)


class _ForwardDynamics(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, robot: Robot, d: torch.Tensor, yd: torch.Tensor, tau: torch.Tensor) -> torch.Tensor:
        displacement = _array(d)
        q = robot.closed(displacement)
        *jacobians, ydd = grbda.aba_derivatives(robot.model, robot.batch, q, _array(yd), _array(tau))
        if not robot.plain:  # of y at q, along d
            along = robot.integrate_jacobians(np.tile(robot.reference, (len(q), 1)), displacement)[1]
            jacobians[0] = jacobians[0] @ along
        ctx.robot, ctx.q, ctx.jacobians = robot, q, [_tensor(J) for J in jacobians]
        ctx.save_for_backward(d, yd, tau)
        return _tensor(ydd)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return (None, *_Pullback.apply(ctx.robot, ctx.q, ctx.jacobians, *ctx.saved_tensors, gradient))


class _Pullback(torch.autograd.Function):
    """gradientᵀ ∂ydd by d, yd and tau, which is differentiable once more for plain joints."""

    @staticmethod
    def forward(
        ctx: Any, robot: Robot, q: Array, jacobians: list[torch.Tensor], *state: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        *_, gradient = state
        ctx.robot, ctx.q, ctx.jacobians = robot, q, jacobians
        ctx.save_for_backward(*state[1:])
        return tuple(_times(gradient, J) for J in jacobians)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *seeds: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        robot: Robot = ctx.robot
        if not robot.plain:
            raise RuntimeError("second derivatives exist only where independent joints have one coordinate each")
        yd, tau, gradient = (_array(x) for x in ctx.saved_tensors)
        seed = torch.cat(seeds, dim=1).numpy()
        by_state = np.empty_like(seed)
        for i, (q, row) in enumerate(zip(ctx.q, seed)):
            hessian = grbda.aba_second_derivatives(robot.model, robot.data, q, yd[i], tau[i], gradient[i])
            by_state[i] = hessian.T @ row
        by_gradient = sum(torch.einsum("sij,sj->si", J, x) for J, x in zip(ctx.jacobians, seeds))
        parts = (_tensor(x) for x in np.split(by_state, 3, axis=1))
        return None, None, None, *parts, by_gradient


class _Advance(torch.autograd.Function):
    """Displacement from the reference after moving by delta from the displacement d."""

    @staticmethod
    def forward(ctx: Any, robot: Robot, d: torch.Tensor, delta: torch.Tensor) -> torch.Tensor:
        start, way = _array(d), _array(delta)
        q = robot.closed(start)
        end = grbda.integrate(robot.model, robot.batch, q, way)
        along = robot.integrate_jacobians(np.tile(robot.reference, (len(q), 1)), start)[1]
        by_q, by_displacement = robot.integrate_jacobians(q, way)
        to = robot.difference_jacobian(end)
        ctx.by_d, ctx.by_delta = _tensor(to @ by_q @ along), _tensor(to @ by_displacement)
        return _tensor(grbda.difference(robot.model, robot.batch, np.tile(robot.reference, (len(q), 1)), end))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return None, _times(gradient, ctx.by_d), _times(gradient, ctx.by_delta)


class _Close(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, robot: Robot, d: torch.Tensor) -> torch.Tensor:
        ctx.robot, ctx.d = robot, _array(d)
        ctx.q = robot.closed(ctx.d)
        return _tensor(ctx.q)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        robot: Robot = ctx.robot
        by_y = _tensor(np.stack([_rate_of_q(robot, q) for q in ctx.q]))
        by_d = _times(gradient, by_y)
        if not robot.plain:
            along = robot.integrate_jacobians(np.tile(robot.reference, (len(ctx.q), 1)), ctx.d)[1]
            by_d = _times(by_d, _tensor(along))
        return None, by_d


def _rate_of_q(robot: Robot, q: Array) -> Array:
    """∂q/∂y [nq, nv] at q."""
    model = robot.model
    G = np.empty((model.nv_tree, model.nv))
    for j, yd in enumerate(np.eye(model.nv)):
        G[:, j] = grbda.spanning_velocity(model, robot.data, q, yd)
    result = np.empty((model.nq, model.nv))
    for body in model.bodies:
        rates = G[body.v]
        if _is_plain(body):
            result[body.q] = rates
            continue
        x, y, z, w = q[body.q][-4:]
        half_turn = 0.5 * np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]])  # quaternion times ω
        result[body.q][-4:] = half_turn @ rates[-3:]
        if body.type == grbda.JointType.floating:
            result[body.q][:3] = _rotation(x, y, z, w) @ rates[:3]
    return result


def _rotation(x: float, y: float, z: float, w: float) -> Array:
    v = np.array([x, y, z])
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew


def forward_dynamics(robot: Robot, d: torch.Tensor, yd: torch.Tensor, tau: torch.Tensor) -> torch.Tensor:
    """Accelerations [states, nv] at displacements, velocities and forces [states, nv].

    Differentiable once, and twice where all independent joints have one coordinate.
    """
    doubles = [x.to(torch.float64) for x in (d, yd, tau)]
    result: torch.Tensor = _ForwardDynamics.apply(robot, *doubles)
    return result.to(tau.dtype)


def step(
    robot: Robot, d: torch.Tensor, yd: torch.Tensor, tau: torch.Tensor, h: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Displacement and velocity after h seconds under constant forces, by the semi-implicit rule of Euler.

    No contacts, limits or passive forces. Differentiable as `forward_dynamics`.
    """
    rate = yd + h * forward_dynamics(robot, d, yd, tau)
    if robot.plain:
        return d + h * rate, rate
    moved: torch.Tensor = _Advance.apply(robot, d.to(torch.float64), (h * rate).to(torch.float64))
    return moved.to(d.dtype), rate


def close(robot: Robot, d: torch.Tensor) -> torch.Tensor:
    """Configurations q [states, nq] at displacements [states, nv], loops closed. Differentiable once."""
    result: torch.Tensor = _Close.apply(robot, d.to(torch.float64))
    return result.to(d.dtype)
