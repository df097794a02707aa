"""Other libraries, where they are installed: the names that docs/from-elsewhere*.md show exist, and their numbers agree with ours."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any, Callable

import grbda
import numpy as np
import pytest
from conftest import SOURCE
from numpy.testing import assert_allclose

PAGES = "".join((SOURCE / f"docs/from-elsewhere{name}.md").read_text() for name in ("", "-tasks"))
SPANS = re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", PAGES, flags=re.MULTILINE | re.DOTALL))
# its inertia on the diagonal alone is not what all libraries call armature
FLIER = (SOURCE / "examples/tasks/flier.xml").read_text().replace(' armature="0.01"', "")


def urdf() -> str:
    """The flier with a root link in place of a floating joint, and with one coordinate for each rotation."""
    text = grbda.write_urdf(grbda.load_text(FLIER))
    for part in (r'<link name="world"/>', r'<joint name="base".*?</joint>', r"<start>.*?</start>", r"<gravity [^>]*>"):
        text, count = re.subn(part, "", text, count=1, flags=re.DOTALL)
        assert count == 1, part
    # Pinocchio gives continuous joints a cosine and a sine
    return text.replace('type="continuous">', 'type="revolute"><limit lower="-9" upper="9" effort="9" velocity="9"/>')


class Flier:
    """The robot at a random state, with our results, and how another library orders and expresses them.

    `place` and `turn` are the first entries of the base's position and of its quaternion in q of the other library, and
    `linear` and `angular` those of its velocity.
    """

    def __init__(self, q: list[int], v: list[int], joints: dict[str, tuple[int, int]], angular_in_world: bool, linear_in_world: bool) -> None:
        self.model = grbda.load_text(FLIER)
        self.data = grbda.Data(self.model)
        self.q = grbda.random_configuration(self.model, 3)
        self.yd, self.ydd, self.tau = np.random.default_rng(2).uniform(-1, 1, (3, self.model.nv))
        grbda.forward_kinematics(self.model, self.data, self.q)
        self.R = grbda.frame_orientation(self.model, self.data, "trunk")
        self.to_q = [*q, *(joints[body.joint][0] for body in self.model.bodies[1:])]
        self.to_v = [*v, *(joints[body.joint][1] for body in self.model.bodies[1:])]
        self.linear = self.R if linear_in_world else np.eye(3)
        self.angular = self.R if angular_in_world else np.eye(3)

    def their_q(self) -> Any:
        out = np.empty(self.model.nq)
        out[self.to_q] = self.q
        return out

    def theirs(self, ours: Any) -> Any:
        """Velocities, or forces, which keep their power."""
        out = np.empty(self.model.nv)
        out[self.to_v] = np.concatenate([self.linear @ ours[:3], self.angular @ ours[3:6], ours[6:]])
        return out

    def their_acceleration(self) -> Any:
        """In world axes ω × v is part of the acceleration."""
        a = self.ydd.copy()
        if self.linear is self.R:
            a[:3] += np.cross(self.yd[3:6], self.yd[:3])
        return self.theirs(a)

    def our_matrix(self, theirs: Any) -> Any:
        """A matrix of theirs, such as M, in our coordinates."""
        T = np.column_stack([self.theirs(column) for column in np.eye(self.model.nv)])
        return T.T @ theirs @ T

    def check(self, inverse_dynamics: Callable[[Any, Any, Any], Any], mass_matrix: Any) -> None:
        expected = grbda.rnea(self.model, self.data, self.q, self.yd, self.ydd)
        found = inverse_dynamics(self.their_q(), self.theirs(self.yd), self.their_acceleration())
        assert_allclose(found, self.theirs(expected), rtol=1e-9, atol=1e-10)
        assert_allclose(self.our_matrix(mass_matrix), grbda.crba(self.model, self.data, self.q), rtol=1e-9, atol=1e-10)

    def push(self, force: Any) -> Any:
        """Our accelerations under a force [3] in world axes at the origin of `lower`."""
        body = self.model.body("lower")
        grbda.forward_kinematics(self.model, self.data, self.q)
        wrenches = np.zeros((6, len(self.model.bodies)), order="F")
        wrenches[:3, body.index] = grbda.frame_orientation(self.model, self.data, "lower").T @ force
        return grbda.aba(self.model, self.data, self.q, self.yd, self.tau, wrenches)

    def jacobian(self, velocity: Any) -> Any:
        """Our J [6, nv] of the origin of `lower` in world axes, times a velocity."""
        grbda.forward_kinematics(self.model, self.data, self.q)
        return grbda.frame_jacobian(self.model, self.data, "lower", grbda.ReferenceFrame.world_aligned) @ velocity


FORCE = np.array([3.0, -4, 12])


def test_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(urdf(), pin.JointModelFreeFlyer())
    data = model.createData()
    joints = {name: (model.idx_qs[model.getJointId(name)], model.idx_vs[model.getJointId(name)]) for name in ("shoulder", "elbow", "rail")}
    flier = Flier(list(range(7)), list(range(6)), joints, False, False)
    q, v, tau = flier.their_q(), flier.theirs(flier.yd), flier.theirs(flier.tau)
    flier.check(lambda q, v, a: pin.rnea(model, data, q, v, a), pin.crba(model, data, q))
    pin.framesForwardKinematics(model, data, q)
    forces = pin.StdVec_Force()
    forces.extend(pin.Force.Zero() for _ in range(model.njoints))
    elbow = model.getJointId("elbow")
    forces[elbow] = pin.Force(data.oMi[elbow].rotation.T @ FORCE, np.zeros(3))
    assert_allclose(pin.aba(model, data, q, v, tau, forces), flier.theirs(flier.push(FORCE)))
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    J = pin.getFrameJacobian(model, data, model.getFrameId("lower"), pin.LOCAL_WORLD_ALIGNED)
    assert_allclose(J @ v, flier.jacobian(flier.yd))
    pin.computeABADerivatives(model, data, q, v, tau)
    by_y, by_yd, by_tau, *_ = grbda.aba_derivatives(flier.model, flier.data, flier.q, flier.yd, flier.tau)
    order = np.argsort(flier.to_v)
    for theirs, ours in ((data.ddq_dq, by_y), (data.ddq_dv, by_yd), (data.Minv, by_tau)):
        assert_allclose(theirs, ours[np.ix_(order, order)], rtol=1e-7, atol=1e-9)


def test_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    m = mujoco.MjModel.from_xml_string(FLIER)
    d = mujoco.MjData(m)
    joints = {name: (m.joint(name).qposadr[0], m.joint(name).dofadr[0]) for name in ("shoulder", "elbow", "rail")}
    flier = Flier([0, 1, 2, 4, 5, 6, 3], list(range(6)), joints, False, True)

    def inverse_dynamics(q: Any, v: Any, a: Any) -> Any:
        d.qpos[:], d.qvel[:], d.qacc[:] = q, v, a
        mujoco.mj_inverse(m, d)
        return d.qfrc_inverse.copy()

    d.qpos[:], d.qvel[:] = flier.their_q(), flier.theirs(flier.yd)
    mujoco.mj_forward(m, d)
    M = np.empty((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    flier.check(inverse_dynamics, M)
    lower = m.body("lower").id
    d.qfrc_applied[:] = flier.theirs(flier.tau)
    arm = d.xpos[lower] - d.xipos[lower]  # a wrench acts at the centre of mass
    d.xfrc_applied[lower] = np.append(FORCE, np.cross(arm, FORCE))
    mujoco.mj_forward(m, d)
    flier.ydd = flier.push(FORCE)
    assert_allclose(d.qacc, flier.their_acceleration())
    jacp, jacr = np.empty((2, 3, m.nv))
    mujoco.mj_jacBody(m, d, jacp, jacr, lower)
    assert_allclose(np.vstack([jacp, jacr]) @ d.qvel, flier.jacobian(flier.yd))


def test_drake() -> None:
    plant_module = pytest.importorskip("pydrake.multibody.plant")
    tree, Parser = import_module("pydrake.multibody.tree"), import_module("pydrake.multibody.parsing").Parser
    plant = plant_module.MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(urdf(), "urdf")
    plant.Finalize()
    joints = {name: (plant.GetJointByName(name).position_start(), plant.GetJointByName(name).velocity_start())
              for name in ("shoulder", "elbow", "rail")}  # fmt: skip
    flier = Flier([4, 5, 6, 1, 2, 3, 0], [3, 4, 5, 0, 1, 2], joints, True, True)
    context = plant.CreateDefaultContext()

    def inverse_dynamics(q: Any, v: Any, a: Any) -> Any:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        forces = tree.MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)  # gravity
        return plant.CalcInverseDynamics(context, a, forces)

    inverse_dynamics(flier.their_q(), flier.theirs(flier.yd), np.zeros(9))
    flier.check(inverse_dynamics, plant.CalcMassMatrix(context))
    push = plant_module.ExternallyAppliedSpatialForce()
    push.body_index = plant.GetBodyByName("lower").index()
    push.F_Bq_W = import_module("pydrake.multibody.math").SpatialForce(tau=np.zeros(3), f=FORCE)
    value = import_module("pydrake.common.value").Value([push])
    plant.get_applied_spatial_force_input_port().FixValue(context, value)
    plant.get_applied_generalized_force_input_port().FixValue(context, flier.theirs(flier.tau))
    flier.ydd = flier.push(FORCE)
    found = plant.get_generalized_acceleration_output_port().Eval(context)
    assert_allclose(found, flier.their_acceleration())
    lower, world = plant.GetFrameByName("lower"), plant.world_frame()
    J = plant.CalcJacobianSpatialVelocity(context, tree.JacobianWrtVariable.kV, lower, np.zeros(3), world, world)
    assert_allclose((J @ plant.GetVelocities(context))[[3, 4, 5, 0, 1, 2]], flier.jacobian(flier.yd))


def unknown(prefix: str, known: Callable[[str], bool]) -> list[str]:
    """Names after a prefix on the pages that are not known."""
    found = [name for span in SPANS for name in re.findall(rf"(?<![\w:]){prefix}((?:\w+::)*\w+)", span)]
    assert found
    return [name for name in found if not known(name)]


def test_names_of_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    other = {"urdf::buildModel": "buildModelFromUrdf", "mjcf::buildModel": "buildModelFromMJCF"}  # in Python

    def known(name: str) -> bool:
        thing = pin
        for part in other.get(name, name).split("::"):
            thing = getattr(thing, part, None)
        return thing is not None

    assert unknown("pinocchio::", known) == []


def test_names_of_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    headers = "".join(file.read_text() for file in (Path(mujoco.__file__).parent / "include/mujoco").glob("*.h"))
    words = set(re.findall(r"\w+", headers))
    assert unknown(r"(?=mj[A-Zd]?_?\w)", lambda name: all(part in words for part in name.split("::"))) == []


def test_names_of_drake() -> None:
    modules = [pytest.importorskip(f"pydrake.{name}") for name in ("multibody.plant", "multibody.parsing", "multibody.tree", "systems.analysis",
                                                                "multibody.inverse_kinematics")]  # fmt: skip

    def known(name: str) -> bool:
        parts = [part for part in name.split("::") if part not in ("multibody", "systems")]
        places = modules if len(parts) == 1 else [getattr(module, parts[0]) for module in modules if hasattr(module, parts[0])]
        return any(hasattr(place, parts[-1]) for place in places)

    assert unknown("(?:drake::|(?=MultibodyPlant::))", known) == []
