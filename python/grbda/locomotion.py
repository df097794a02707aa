"""Tasks of legged robots for `grbda.gym`: a quadruped trots forwards, and a biped walks in place.

    task = grbda.locomotion.Trot(grbda.load("robots/mini_cheetah/mini_cheetah.urdf"), speed=0.5)
    task = grbda.locomotion.WalkInPlace(grbda.load("robots/digit/digit.urdf"))

Both lift their legs by a clock; an action shifts the targets of the motors' servos. Without actions the quadruped trots in
place, and the biped soon falls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import grbda

from ._spaces import Array
from .gym import Mask, Task, Worlds

# Leg by leg, as in the robot's file; the last two are hip and knee in the plane of the leg.
TROT_LEGS = {
    name: (f"torso_to_{name}_abad_j", f"{name}_abad_to_hip_j", f"{name}_hip_to_knee_j") for name in ("FR", "FL", "HR", "HL")
}


class GaitTask(Task):
    """Legs that are lifted by a clock, while servos of the motors follow shifted targets.

    The target of a motor is its position in the standing pose, plus sin²(2π phase) times its lift while its leg swings,
    plus sin(2π time / cycle) times its sway, plus `scale` times its action. A leg swings during half of each cycle, and
    stands during the other half.

    stand [nq]: the pose in which an episode begins, loops closed, above the plane z = 0
    motors: names of joints, each of one coordinate, in the order of the action
    lifts: for each leg its shift of all motors [nu] in the middle of its swing, rad, and its offset in the cycle, 0 to 1
    sway [nu]: shift of the motors a quarter of a cycle after its begin, rad; None: zeros
    cycle: duration, s
    stiffness, damping: of the servos, N·m/rad and N·m·s/rad
    scale: rad for an action of 1
    noise: standard deviation of the start: N × rad of independent joints, rad/s and m/s of the base

    Observations: the world's z axis, linear velocity, m/s, and angular velocity, rad/s, of the base, all in the axes of the
    base; its height less that of the standing pose, m; positions of the motors less those of the standing pose, rad;
    a tenth of their velocities, rad/s; sine and cosine of the phase. Number: 12 + 2 nu.

    An episode ends if the base tilts by more than 0.6 rad, or sinks below 0.7 of its standing height.
    """

    most_tilt = 0.6  # rad
    least_height = 0.7  # of that of the standing pose

    def __init__(
        self,
        model: grbda.Model,
        stand: Array,
        motors: Sequence[str],
        lifts: Sequence[tuple[Array, float]],
        sway: Array | None = None,
        *,
        cycle: float,
        stiffness: float,
        damping: float,
        scale: float,
        noise: float,
        options: grbda.SimulatorOptions,
        **settings: Any,
    ) -> None:
        base = model.bodies[0]
        if base.type != grbda.JointType.floating:
            raise ValueError(f"GaitTask: {model.name} has no floating base")
        bodies = [model.joint(name) for name in motors]
        self.motors = list(motors)
        self._q = np.array([body.q.start for body in bodies])  # of the motors, in q
        self._v = np.array([body.v.start for body in bodies])  # in q̇
        self._base_q, self._base_v, self._base_y = base.q, base.v, base.y
        self.stand = np.array(stand)
        self.lifts = np.array([lift for lift, _ in lifts])  # [legs, nu]
        self.offsets = np.array([offset for _, offset in lifts])
        self.sway = np.zeros(len(bodies)) if sway is None else sway
        self.cycle, self.scale, self.noise = cycle, scale, noise
        servo = np.zeros((2, model.nv_tree))
        servo[:, self._v] = [[stiffness], [damping]]
        options.servo_stiffness, options.servo_damping = servo[0].tolist(), servo[1].tolist()
        super().__init__(model, 12 + 2 * len(bodies), len(bodies), options=options, ground=grbda.Plane(), **settings)
        self._data = grbda.Data(model)

    def start(self, random: np.random.Generator) -> tuple[Array, Array]:
        shift = self.noise * random.normal(size=self.model.nv)
        shift[self._base_y] = 0
        q = grbda.integrate(self.model, self._data, self.stand, shift, check=False)
        qd = np.zeros(self.model.nv_tree)
        qd[self._base_v] = self.noise * random.normal(size=6)
        return q, qd

    def controls(self, worlds: Worlds) -> dict[str, Any]:
        target = np.zeros((len(worlds.q), self.model.nv_tree))
        swayed = np.sin(2 * np.pi * worlds.time[:, None] / self.cycle) * self.sway
        lifted = self.swing(worlds.time) @ self.lifts
        target[:, self._v] = self.stand[self._q] + swayed + lifted + self.scale * worlds.actions
        return {"target": target}

    def swing(self, time: Array) -> Array:
        """Part [n, legs] of its lift by which each leg is raised: 0 while it stands, 1 in the middle of its swing."""
        phase = (time[:, None] / self.cycle + self.offsets) % 1
        raised: Array = np.where(phase < 0.5, np.sin(2 * np.pi * phase) ** 2, 0)
        return raised

    def observe(self, worlds: Worlds) -> Array:
        base, twist = worlds.q[:, self._base_q], worlds.qd[:, self._base_v]
        phase = 2 * np.pi * worlds.time[:, None] / self.cycle
        height = base[:, 2:3] - self.stand[self._base_q][2]
        shifted, rates = worlds.q[:, self._q] - self.stand[self._q], 0.1 * worlds.qd[:, self._v]
        return np.hstack([up_in_base(base), twist, height, shifted, rates, np.sin(phase), np.cos(phase)])

    def terminated(self, worlds: Worlds) -> Mask:
        base = worlds.q[:, self._base_q]
        tilted = up_in_base(base)[:, 2] < np.cos(self.most_tilt)
        result: Mask = tilted | (base[:, 2] < self.least_height * self.stand[self._base_q][2])
        return result

    def base_velocity(self, worlds: Worlds) -> Array:
        """Twist [n, 6] of the base in its own axes: linear, m/s, and angular, rad/s."""
        return worlds.qd[:, self._base_v]

    def tilt(self, worlds: Worlds) -> Array:
        """Squared sine [n] of the angle between the base's z axis and the world's."""
        result: Array = (up_in_base(worlds.q[:, self._base_q])[:, :2] ** 2).sum(axis=1)
        return result


def up_in_base(base: Array) -> Array:
    """The world's z axis [n, 3] in the axes of floating joints [n, 7] (position, quaternion x y z w)."""
    x, y, z, w = base[:, 3:].T
    return np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)


class Trot(GaitTask):
    """`mini_cheetah` trots forwards at a speed, m/s.

    Terms of the reward, with the velocity v and angular velocity ω of the base in its axes and the action a:
    `speed` exp(−(v_x − speed)² / 0.25²), `drift` −v_y², `turn` −0.2 ω_z², `tilt` −2 sin² of the tilt,
    `effort` −0.02 times the mean of a². Settings are those of `Task`.
    """

    def __init__(self, model: grbda.Model, speed: float = 0.5, **settings: Any) -> None:
        self.speed = speed
        bend, raised = 0.8, 0.35  # rad, of the hips; the knees bend twice as far, so that feet stay under their hips
        motors = [name for leg in TROT_LEGS.values() for name in leg]
        lifts = []
        for k, offset in enumerate((0.0, 0.5, 0.5, 0.0)):
            lift = np.zeros(12)
            lift[3 * k + 1 : 3 * k + 3] = raised, -2 * raised
            lifts.append((lift, offset))
        pose = {name: angle for leg in TROT_LEGS.values() for name, angle in zip(leg, (0, bend, -2 * bend))}
        options = grbda.SimulatorOptions()
        options.step = 2e-3
        settings = {"decimation": 10, "episode_steps": 250, **settings}
        super().__init__(
            model, standing_on_spheres(model, pose), motors, lifts, cycle=0.3, stiffness=150, damping=3, scale=0.4, noise=0.02,
            options=options, **settings,
        )  # fmt: skip

    def reward(self, worlds: Worlds) -> dict[str, Array]:
        v_x, v_y, _, _, _, turn = self.base_velocity(worlds).T
        return {
            "speed": np.exp(-(((v_x - self.speed) / 0.25) ** 2)),
            "drift": -(v_y**2),
            "turn": -0.2 * turn**2,
            "tilt": -2 * self.tilt(worlds),
            "effort": -0.02 * (worlds.actions**2).mean(axis=1),
        }


def standing_on_spheres(model: grbda.Model, pose: Mapping[str, float]) -> Array:
    """q [nq] with joints at given angles and the lowest of the spheres that collide on the plane z = 0."""
    data = grbda.Data(model)
    shift = np.zeros(model.nv_tree)
    for name, angle in pose.items():
        shift[model.joint(name).v] = angle
    q = grbda.integrate(model, data, grbda.neutral_configuration(model), grbda.independent_part(model, data, shift))
    grbda.forward_kinematics(model, data, q)
    lowest = np.inf
    for shape in model.shapes:
        if shape.collision and shape.body >= 0:
            frame = model.bodies[shape.body].frame
            at = grbda.frame_position(model, data, frame) + grbda.frame_orientation(model, data, frame) @ shape.position
            lowest = min(lowest, at[2] - shape.size[0])
    q[2] -= lowest
    return q


class WalkInPlace(GaitTask):
    """`digit` steps in place, one foot after the other; rods connect its lower legs and feet with motors.

    height: by which a foot is raised in the middle of its swing, m. The torso sways by 2 cm to the other foot.

    Terms of the reward, with the velocity v and angular velocity ω of the base in its axes and the action a: `alive` 1,
    `feet` exp(−Σ(h − h*)² / height²) over both feet, with h the height of a foot and h* that of the clock, `place` −4 times
    the squared distance from the start in the plane, `drift` −(v_x² + v_y²), `turn` −0.1 ω², `tilt` −2 sin² of the tilt,
    `effort` −0.02 times the mean of a². Settings are those of `Task`.
    """

    def __init__(self, model: grbda.Model, height: float = 0.05, **settings: Any) -> None:
        self.height = height
        motors = [body.joint for body in model.bodies if body.actuated]
        places = [model.joint(name).q.start for name in motors]
        stand = digit_pose(model, 0, 0)
        left, right, aside = (
            (digit_pose(model, *moved) - stand)[places] for moved in ((height, 0, 0), (0, height, 0), (0, 0, -0.02))
        )
        options = grbda.SimulatorOptions()
        options.step = 4e-3
        settings = {"decimation": 5, "episode_steps": 250, **settings}
        super().__init__(
            model, stand, motors, [(left, 0.0), (right, 0.5)], aside, cycle=0.7, stiffness=1000, damping=30, scale=0.2,
            noise=0.01, options=options, **settings,
        )  # fmt: skip
        self._batch = grbda.BatchData(model)

    def feet(self, worlds: Worlds) -> Array:
        """Heights [n, 2] of the left and right foot over the ground, m."""
        poses = [grbda.frame_poses(self.model, self._batch, worlds.q, name, check=False) for name in ("left_foot", "right_foot")]
        return np.stack([position[:, 2] for position, _ in poses], axis=1)

    def reward(self, worlds: Worlds) -> dict[str, Array]:
        twist, base = self.base_velocity(worlds), worlds.q[:, self._base_q]
        lag = self.feet(worlds) / self.height - self.swing(worlds.time)
        return {
            "alive": np.ones(len(worlds.q)),
            "feet": np.exp(-(lag**2).sum(axis=1)),
            "place": -4 * (base[:, :2] ** 2).sum(axis=1),
            "drift": -(twist[:, :2] ** 2).sum(axis=1),
            "turn": -0.1 * (twist[:, 3:] ** 2).sum(axis=1),
            "tilt": -2 * self.tilt(worlds),
            "effort": -0.02 * (worlds.actions**2).mean(axis=1),
        }


def digit_pose(model: grbda.Model, left: float, right: float, aside: float = 0.0) -> Array:
    """q [nq] of `digit`: torso upright, its y `aside`, and level soles at these heights over the plane z = 0, m."""
    data = grbda.Data(model)
    neutral = grbda.neutral_configuration(model)
    grbda.forward_kinematics(model, data, neutral)
    targets = [grbda.FrameTarget(model.frame("torso").index, [0, aside, 0.85], np.eye(3))]
    for name, height in (("left_foot", left), ("right_foot", right)):
        y = float(grbda.frame_position(model, data, name)[1])
        targets.append(grbda.FrameTarget(model.frame(name).index, [0.02, y, height], np.eye(3)))
    q, found = grbda.inverse_kinematics(model, data, targets, neutral)
    if not found.converged:
        raise ValueError(f"WalkInPlace: the feet of {model.name} do not reach {left} and {right} m")
    return q
