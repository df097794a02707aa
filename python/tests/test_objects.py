"""Models, lifetimes, findings, memory."""

from __future__ import annotations

import copy
import gc
import pickle
import resource
from pathlib import Path

import grbda
import numpy as np
import pytest
from conftest import SOURCE, files_of


def test_a_model_says_what_it_is_made_of(model: grbda.Model) -> None:
    assert model.nv <= model.nv_tree <= model.nq
    assert [body.joint for body in model.bodies] == model.joints
    assert sum(body.v.stop - body.v.start for body in model.bodies) == model.nv_tree
    assert sum(cluster.m for cluster in model.clusters) == model.nv
    assert sum(cluster.rows for cluster in model.clusters) == model.rows
    for body in model.bodies:
        assert model.frames[body.frame].name == body.name
        found = model.joint(body.joint)
        assert (found.index, found.q, found.v, found.y) == (body.index, body.q, body.v, body.y)
        assert body.index in model.clusters[body.cluster].bodies
    for frame in model.frames:
        assert np.allclose(frame.rotation @ frame.rotation.T, np.eye(3))
    assert len(model.independent_coordinates) == model.nv
    assert len(model.limits) == len(model.bodies)


def test_names_lead_to_ranges(model: grbda.Model) -> None:
    taken = [i for body in model.bodies for i in range(*body.y.indices(model.nv))]
    assert sorted(taken) == list(range(model.nv))
    for place, body in enumerate(model.independent_coordinates):
        if body.body >= 0:
            own = model.bodies[body.body].y
            assert own.start <= place < own.stop
    for index, frame in enumerate(model.frames):
        found = model.frame(frame.name)
        assert (found.index, found.body, found.is_link) == (index, frame.body, frame.is_link)
        if found.joint:
            joint = model.joint(found.joint)
            assert (joint.index, joint.q, joint.v, joint.y) == (found.body, found.q, found.v, found.y)
            assert model.link(joint.name).joint == joint.joint
        if found.is_link:
            assert model.link(frame.name).index == index
        else:
            with pytest.raises(ValueError, match="no link is called"):
                model.link(frame.name)


def test_mass_and_energy_follow_from_the_bodies(model: grbda.Model) -> None:
    data = grbda.Data(model)
    state = grbda.mechanical_state(model, data, grbda.neutral_configuration(model), np.zeros(model.nv), check=False)
    if data.result.ok:
        masses = grbda.inertial_parameters(model)[::10]  # of rods too
        assert state.mass == pytest.approx(masses.sum())
        assert state.potential == pytest.approx(-state.mass * model.gravity @ state.com)


def test_data_keeps_its_model_and_views_keep_their_data() -> None:
    data = grbda.Data(grbda.load(files_of("parallel_belt")))
    gc.collect()
    model = data.model
    q = grbda.neutral_configuration(model)
    ydd = grbda.aba(model, data, q, np.zeros(model.nv), np.ones(model.nv))
    view = data.ydd
    bodies = model.bodies
    del data, model
    gc.collect()
    np.testing.assert_array_equal(view, ydd)
    assert bodies[0].name
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1


def test_objects_without_an_initialised_value_are_refused(humanoid: grbda.Model) -> None:
    hollow = grbda.Data.__new__(grbda.Data)
    with pytest.raises(Exception):
        grbda.restore_coordinates(humanoid, hollow)
    with pytest.raises(TypeError):
        grbda.Model()


def test_a_model_goes_through_pickle(model: grbda.Model) -> None:
    again = pickle.loads(pickle.dumps(model))
    assert (again.nq, again.nv, again.joints, again.files) == (model.nq, model.nv, model.joints, model.files)
    assert [finding.message for finding in again.diagnostics] == [finding.message for finding in model.diagnostics]
    q = grbda.neutral_configuration(model)
    np.testing.assert_allclose(grbda.neutral_configuration(again), q, atol=1e-9)
    M = grbda.crba(model, grbda.Data(model), q)
    np.testing.assert_allclose(grbda.crba(again, grbda.Data(again), q), M, rtol=1e-8, atol=1e-10 * np.abs(M).max())


def test_what_a_model_was_changed_by_goes_through_pickle() -> None:
    model = grbda.load(files_of("parallel_belt"), floating_base=True)
    added = np.zeros(model.nv_tree)
    added[6:] = 0.5
    changed = grbda.with_armature(grbda.with_gravity(model, [0, 0, -1]), added)
    again = pickle.loads(pickle.dumps(changed))
    assert again.gravity[2] == -1
    q = grbda.neutral_configuration(model)
    M, plain = grbda.crba(changed, grbda.Data(changed), q), grbda.crba(model, grbda.Data(model), q)
    np.testing.assert_allclose(grbda.crba(again, grbda.Data(again), q), M, rtol=1e-9, atol=1e-12)
    assert np.abs(M - plain).max() > 0.1


def test_a_model_is_its_own_copy_and_a_data_is_copied_with_its_results() -> None:
    model = grbda.load(files_of("four_bar"))
    assert copy.copy(model) is model
    assert copy.deepcopy(model) is model
    data = grbda.Data(model)
    q = grbda.neutral_configuration(model)
    grbda.forward_kinematics(model, data, q)
    for other in (copy.copy(data), copy.deepcopy(data)):
        assert other.model is model
        np.testing.assert_array_equal(grbda.frame_position(model, other, 1), grbda.frame_position(model, data, 1))
        grbda.choose_coordinates(model, other, grbda.random_configuration(model, 1), grbda.Marks.ignored)
    assert data.chart.version == [0] * len(data.chart.version)


def test_coordinates_go_through_pickle() -> None:
    model = grbda.load(files_of("digit_leg"))
    data = grbda.Data(model)
    q = grbda.random_configuration(model, 3)
    grbda.take_tangents(model, data, q)
    M = grbda.crba(model, data, q)
    for chart in (pickle.loads(pickle.dumps(data.chart)), copy.copy(data.chart), copy.deepcopy(data.chart)):
        other = grbda.Data(model)
        other.chart = chart
        np.testing.assert_array_equal(grbda.crba(model, other, q), M)
    again = pickle.loads(pickle.dumps(data))
    np.testing.assert_allclose(grbda.crba(again.model, again, q), M, rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match="another model"):
        grbda.Data(grbda.load(files_of("four_bar"))).chart = data.chart


def test_things_are_found_by_name(humanoid: grbda.Model) -> None:
    data = grbda.Data(humanoid)
    q = grbda.random_configuration(humanoid, 2)
    yd = np.random.default_rng(2).normal(size=humanoid.nv)
    body = humanoid.bodies[-1]
    assert humanoid.joint(body.joint).q == body.q
    assert humanoid.body(body.name).index == body.index
    assert humanoid.frame(body.name).body == body.index
    for find in (humanoid.joint, humanoid.body, humanoid.frame, data.frame):
        with pytest.raises(ValueError, match="nowhere"):
            find("nowhere")
    grbda.forward_kinematics(humanoid, data, q, yd, yd)
    frame, axes = data.frame(body.name), grbda.ReferenceFrame.local
    assert (frame.name, frame.index) == (body.name, body.frame)
    np.testing.assert_array_equal(frame.position, grbda.frame_position(humanoid, data, body.name))
    np.testing.assert_array_equal(frame.orientation, grbda.frame_orientation(humanoid, data, body.name))
    np.testing.assert_array_equal(frame.velocity(axes), grbda.frame_velocity(humanoid, data, body.name, axes))
    np.testing.assert_array_equal(frame.acceleration(axes), grbda.frame_acceleration(humanoid, data, body.name, axes))
    np.testing.assert_allclose(frame.jacobian() @ yd, frame.velocity(), atol=1e-10)


def test_robots_are_written_for_other_programs(tmp_path: Path) -> None:
    arm = grbda.load(files_of("four_bar"))
    again = grbda.load_text(grbda.write_mjcf(arm))
    assert (again.nv, sorted(again.joints)) == (arm.nv, sorted(arm.joints))
    masses = [sum(body.mass for body in model.bodies) for model in (arm, again)]
    assert masses[0] == pytest.approx(masses[1])
    leg = grbda.load(files_of("digit_leg"))
    with pytest.raises(grbda.LoadError) as raised:
        grbda.write_sdf(leg)
    assert raised.value.diagnostics


def test_shapes_touch() -> None:
    ball = grbda.Placed("sphere", [0.1, 0, 0], [0, 0, 0.08])
    grounds: tuple[grbda.Plane | grbda.HeightField, ...] = (grbda.Plane(), grbda.HeightField(np.zeros((2, 2)), (2.0, 2.0), [-1, -1, 0]))
    for ground in grounds:
        (touch,) = grbda.collide(ball, ground)
        assert touch.gap == pytest.approx(-0.02)
        np.testing.assert_allclose(touch.normal, [0, 0, 1], atol=1e-12)
    box = grbda.Placed(grbda.ShapeKind.box, [0.2, 0.2, 0.2], [0, 0, 0.28])
    assert grbda.collide(ball, box) == []
    assert grbda.can_collide(grbda.ShapeKind.sphere, grbda.ShapeKind.box)
    lower = grbda.Placed("box", [1, 1, 1])
    upper = grbda.Placed("box", [1, 1, 1], [0, 0, 0.99])
    assert min(touch.gap for touch in grbda.collide_convex(upper, lower)) == pytest.approx(-0.01, abs=1e-7)


CUBE_FACES = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
CUBE = "".join(f"v {x} {y} {z}\n" for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)) + "".join(
    "f " + " ".join(map(str, face)) + "\n" for face in CUBE_FACES
)


def test_meshes_touch_by_their_hulls(tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    (tmp_path / "robot.urdf").write_text(
        "<robot name='r'><link name='base'/><link name='die'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><origin xyz='0 0 1'/><geometry>"
        "<mesh filename='cube.obj' scale='0.1 0.2 0.3'/></geometry></collision></link>"
        "<joint name='free' type='floating'><parent link='base'/><child link='die'/></joint></robot>"
    )
    path = tmp_path / "robot.urdf"
    assert grbda.load(path).shapes[0].hull is None
    model = grbda.load(path, hulls=True)
    hull = model.shapes[0].hull
    assert hull is not None
    np.testing.assert_allclose(np.abs(hull), np.tile([0.1, 0.2, 0.3], (8, 1)), atol=1e-12)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(again.shapes[0].hull, hull, atol=1e-12)
    die = grbda.Placed("mesh", [1, 1, 1], [0, 0, 0.28], points=hull)
    assert [touch.gap for touch in grbda.collide(die, grbda.Plane())] == pytest.approx(4 * [-0.02])
    (touch, *others) = grbda.collide_convex(die, grbda.Placed("sphere", [0.1, 0, 0], [0.25, 0, 0.28]), 1.0)
    assert touch.gap == pytest.approx(0.05) and not others
    assert grbda.ray_cast(die, [[0, 0, 2]], [[0, 0, -1]])[0] == pytest.approx(2 - 0.58)
    with pytest.raises(ValueError, match="points that lie in one plane"):
        grbda.Placed("mesh", [1, 1, 1], points=np.zeros((5, 3)))
    with pytest.raises(ValueError, match="only a mesh has points"):
        grbda.Placed("box", [1, 1, 1], points=hull)
    simulator = grbda.Simulator(model, ground=grbda.Plane())
    for _ in range(1000):
        simulator.step()
    assert simulator.q[2] == pytest.approx(0.3 - 1, abs=1e-3)
    (tmp_path / "cube.obj").unlink()
    assert any("cube.obj" in finding.message for finding in grbda.load(path, hulls=True).diagnostics)
    with pytest.raises(grbda.LoadError, match="cube.obj"):
        grbda.load(path, hulls=True, strict=True)


def test_hulls_of_one_mesh_in_two_scales_go_through_pickle(tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    shapes = "".join(
        f"<collision><geometry><mesh filename='cube.obj' scale='{scale}'/></geometry></collision>"
        for scale in ("0.1 0.2 0.3", "-0.4 0.1 0.1")
    )
    (tmp_path / "robot.urdf").write_text(f"<robot name='r'><link name='base'>{shapes}</link></robot>")
    model = grbda.load(tmp_path / "robot.urdf", hulls=True)
    again = pickle.loads(pickle.dumps(model))
    for before, after in zip(model.shapes, again.shapes, strict=True):
        assert before.hull is not None and after.hull is not None
        np.testing.assert_allclose(after.hull, before.hull, atol=1e-12)


def test_nothing_leaks(humanoid: grbda.Model) -> None:
    q, yd = grbda.neutral_configuration(humanoid), np.zeros(humanoid.nv)

    def work(times: int) -> None:
        for _ in range(times):
            data = grbda.Data(humanoid)
            grbda.aba(humanoid, data, q.tolist(), yd, yd)
            grbda.rnea_derivatives(humanoid, data, q, yd, yd)
            grbda.constraint_forces(humanoid, data, q, yd, yd)
            grbda.aba(humanoid, data, q, yd, yd * np.nan, check=False)
            with pytest.raises(grbda.StatusError):
                grbda.aba(humanoid, data, q, yd, yd * np.nan)

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB

    work(100)
    before = peak()
    work(400)
    assert peak() - before < 4000  # one Data of each turn would be more than ten times that


def test_an_error_in_a_file_has_its_findings(tmp_path: Path) -> None:
    text = (SOURCE / "robots/four_bar/four_bar.urdf").read_text()
    file = tmp_path / "broken.urdf"
    link = text.split('<child link="')[1].split('"')[0]
    file.write_text(text.replace(f'<child link="{link}"', '<child link="nowhere"', 1))
    with pytest.raises(grbda.LoadError) as raised:
        grbda.load(file)
    findings = raised.value.diagnostics
    assert str(raised.value)
    errors = [finding for finding in findings if finding.severity == grbda.Severity.error]
    assert errors
    assert errors[0].file == str(file)
    assert errors[0].line > 0
    assert errors[0].element
    assert errors[0].message in str(raised.value)
    again = pickle.loads(pickle.dumps(raised.value))
    assert [finding.message for finding in again.diagnostics] == [finding.message for finding in findings]


def test_options_of_loading() -> None:
    free = grbda.load(files_of("four_bar"), floating_base=True)
    assert free.joints[0] == "root_joint"
    assert free.nv == 7
    with pytest.raises(TypeError, match="no option 'floating'"):
        grbda.load(files_of("four_bar"), floating=True)  # type: ignore[call-arg]
    with pytest.raises(grbda.LoadError):
        grbda.load("/nowhere/robot.urdf")


def test_a_robot_goes_through_text(model: grbda.Model) -> None:
    text = grbda.write_urdf(model)
    again = grbda.load_text(text)
    assert grbda.write_urdf(again) == text
    assert (again.nq, again.nv, again.joints) == (model.nq, model.nv, model.joints)


def test_robots_are_composed_frozen_and_mounted(humanoid: grbda.Model) -> None:
    arm = grbda.load(files_of("four_bar"))
    both = grbda.compose("both", [grbda.RobotPart(arm, "left_"), grbda.RobotPart(arm, "right_", position=[1, 0, 0])])
    assert both.nv == 2 * arm.nv
    assert both.joints == ["left_" + joint for joint in arm.joints] + ["right_" + joint for joint in arm.joints]
    q = grbda.neutral_configuration(humanoid)
    held = grbda.freeze(humanoid, q, [humanoid.joints[0]])
    assert held.nv == humanoid.nv - 6
    standing = grbda.mount(humanoid, q, humanoid.frames[humanoid.bodies[-1].frame].name, "spherical")
    assert standing.nv == humanoid.nv - 3
    with pytest.raises(ValueError, match="type must be one of"):
        grbda.mount(humanoid, q, humanoid.frames[0].name, "glue")


def test_gravity_is_changed_in_a_model_of_its_own(humanoid: grbda.Model) -> None:
    moon = grbda.with_gravity(humanoid, [0, 0, -1.62])
    q, still = grbda.neutral_configuration(humanoid), np.zeros(humanoid.nv)
    here = grbda.bias_force(humanoid, grbda.Data(humanoid), q, still)
    there = grbda.bias_force(moon, grbda.Data(moon), q, still)
    np.testing.assert_allclose(there, here * 1.62 / 9.81, atol=1e-10)
    assert humanoid.gravity[2] == -9.81


def test_a_robots_own_code_is_generated() -> None:
    model = grbda.load(files_of("parallel_belt"))
    code = grbda.generate(model, name="belt", algorithms=[grbda.GeneratedAlgorithm.aba])
    assert "belt_aba(" in code.header
    assert [function.algorithm for function in code.functions] == [grbda.GeneratedAlgorithm.aba]
    step = grbda.generate(
        model, name="belt", step=grbda.Integrator.runge_kutta, motors=False, joint_forces=True, abi=grbda.Abi.acados
    )
    assert "belt_step_hessian(" in step.header
    by_columns = grbda.generate(model, name="belt", algorithms=[grbda.GeneratedAlgorithm.aba_derivatives], columns=True)
    assert "column by column" in by_columns.header
    assert "belt_disc_fun" in step.module and not code.module


def test_reductions_groups_and_sensors(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(
        '<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" type="continuous">'
        '<parent link="base"/><child link="arm"/></joint><transmission name="t"><joint name="j"/>'
        '<actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>'
        '<group name="hand"><link name="arm"/><joint name="j"/></group><gazebo reference="arm">'
        '<sensor name="eye" type="camera"><pose>0.1 0.2 0.3 0 0 0</pose></sensor></gazebo></robot>'
    )
    m = grbda.load(file)
    assert m.bodies[0].reduction == 50
    assert [(g.name, g.links, g.joints) for g in m.groups] == [("hand", ["arm"], ["j"])]
    (eye,) = m.sensors
    assert (eye.name, eye.type, eye.link, eye.body) == ("eye", "camera", "arm", 0)
    assert np.allclose(eye.position, [0.1, 0.2, 0.3]) and np.array_equal(eye.rotation, np.eye(3))
    actuation = grbda.actuation_jacobian(m, grbda.Data(m), np.zeros(1))
    assert np.array_equal(actuation.J, [[50.0]])
