"""Ten common tasks, for users of other libraries. docs/from-elsewhere-tasks.md shows these functions."""

from __future__ import annotations

from typing import NamedTuple

import grbda
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def load_floating(file: str) -> grbda.Model:
    """Loads a robot whose file has no floating joint, with a floating root link."""
    return grbda.load(file, floating_base=True)  # raises LoadError with all errors


def moved(model: grbda.Model, data: grbda.Data, q: Array, yd: Array, h: float) -> Array:
    """q [nq] after moving with the velocity ẏ [nv] for h s."""
    return grbda.integrate(model, data, q, h * yd)  # on SE(3), loops closed


def inverse_dynamics(model: grbda.Model, data: grbda.Data, q: Array, yd: Array, ydd: Array) -> Array:
    """τ [nv] that accelerates the robot by ÿ."""
    return grbda.rnea(model, data, q, yd, ydd)


def pushed(model: grbda.Model, data: grbda.Data, q: Array, yd: Array, tau: Array, body: int, force: Array) -> Array:
    """ÿ [nv] under τ and a force [N] in world axes at the origin of a body."""
    grbda.forward_kinematics(model, data, q)
    R = grbda.frame_orientation(model, data, model.bodies[body].frame)
    wrenches = np.zeros((6, len(model.bodies)), order="F")
    wrenches[:3, body] = R.T @ force  # [force; moment] in the body's own axes
    return grbda.aba(model, data, q, yd, tau, wrenches)


def mass_matrix(model: grbda.Model, data: grbda.Data, q: Array) -> Array:
    """M [nv, nv]."""
    return grbda.crba(model, data, q)  # both triangles


class FrameMotion(NamedTuple):
    position: Array  # [3] in the world
    orientation: Array  # [3, 3] from the frame to the world
    velocity: Array  # [linear; angular] at its origin, in world axes
    J: Array  # [6, nv] velocity = J ẏ


def frame_motion(model: grbda.Model, data: grbda.Data, q: Array, yd: Array, frame: str) -> FrameMotion:
    grbda.forward_kinematics(model, data, q, yd)
    place = data.frame(frame)  # every link is a frame, with its own name
    axes = grbda.ReferenceFrame.world_aligned
    return FrameMotion(place.position, place.orientation, place.velocity(axes), place.jacobian(axes))


class Loops(NamedTuple):
    q: Array  # [nq] with the joint moved and all loops closed
    G: Array  # q̇ = G ẏ
    K: Array  # K q̇ = 0


def close_loops(model: grbda.Model, data: grbda.Data, joint: str, position: float) -> Loops:
    q = grbda.neutral_configuration(model)
    q[model.joint(joint).q] = position  # an independent joint
    grbda.close_loops(model, data, q, out=q)  # the others follow
    grbda.constraint_embedding(model, data, q, np.zeros(model.nv))
    return Loops(q, grbda.explicit_jacobian(model, data), grbda.implicit_jacobian(model, data))


class Derivatives(NamedTuple):
    by_y: Array  # of ÿ [nv, nv]
    by_yd: Array
    by_tau: Array


def forward_derivatives(model: grbda.Model, data: grbda.Data, q: Array, yd: Array, tau: Array) -> Derivatives:
    by_y, by_yd, by_tau, *_ = grbda.aba_derivatives(model, data, q, yd, tau)
    return Derivatives(by_y, by_yd, by_tau)


class Landing(NamedTuple):
    q: Array  # [nq]
    qd: Array  # [nv_tree]
    impulse: float  # N·s, total upward impulse of the ground z = 0


def drop(model: grbda.Model, q: Array, seconds: float) -> Landing:
    simulator = grbda.Simulator(model, grbda.SimulatorOptions(step=1e-3), grbda.Plane())  # the plane z = 0
    simulator.set_state(q, np.zeros(model.nv_tree))
    impulse = 0.0
    while simulator.time < seconds:
        simulator.step()  # no forces of motors
        impulse += sum(contact.impulse[2] for contact in simulator.contacts)
    return Landing(simulator.q.copy(), simulator.qd.copy(), impulse)


def many_accelerations(model: grbda.Model, threads: int, q: Array, yd: Array, tau: Array) -> Array:
    """ÿ [N, nv] of the states in the rows of q [N, nq], ẏ and τ [N, nv]."""
    batch = grbda.BatchData(model, threads)  # workspaces, to be kept for the next states
    return grbda.aba(model, batch, q, yd, tau)
