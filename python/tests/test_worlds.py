"""Parameters of single simulations of a batch, motors, and sensors in the caller's arrays."""

from __future__ import annotations

import grbda
import numpy as np
import pytest
from conftest import files_of
from numpy.testing import assert_allclose, assert_array_equal

BASE = "Floating Base"


@pytest.fixture(scope="module")
def cheetah() -> grbda.Model:
    return grbda.load(files_of("mini_cheetah"))


def test_friction_and_gravity_of_one_simulation_are_those_of_its_own_simulator(cheetah: grbda.Model) -> None:
    ground = grbda.Plane(offset=-0.3)
    batch = grbda.BatchSimulator(cheetah, 3, ground=ground, threads=2)
    assert batch.parameter_bytes == 0
    batch.set_parameters(friction=[1.0, 0.2, 0.7], gravity=[[0.0, 0.0, -9.81], [0.0, 0.0, -9.81], [0.0, 1.0, -3.0]])
    assert batch.parameter_bytes > 0
    batch.step(steps=150)
    for i, (friction, gravity) in enumerate([(1.0, -9.81), (0.2, -9.81)]):
        options = grbda.SimulatorOptions()
        options.friction = friction
        alone = grbda.Simulator(grbda.with_gravity(cheetah, [0, 0, gravity]), options, ground)
        alone.step(steps=150)
        assert_array_equal(batch.q[i], alone.q)
    assert not np.array_equal(batch.q[0], batch.q[2])
    batch.clear_parameters(marked=[False, False, True])
    with pytest.raises(ValueError, match="friction"):
        batch.set_parameters(friction=[1.0, -1.0, 1.0])
    with pytest.raises(ValueError, match="marked"):
        batch.set_parameters(friction=[1.0, 1.0, 1.0], marked=[True])
    with pytest.raises(ValueError, match="delay"):
        batch.set_parameters(delay=[0, 0.5, 0])


def test_scales_of_mass_are_scaled_inertial_parameters(cheetah: grbda.Model) -> None:
    body = cheetah.body(BASE).index
    both = [grbda.BatchSimulator(cheetah, 2, ground=grbda.Plane(offset=-0.3)) for _ in range(2)]
    both[0].set_parameters(mass_scale={BASE: [1.0, 1.5]})
    inertial = np.tile(grbda.inertial_parameters(cheetah), (2, 1))
    inertial[1, 10 * body : 10 * body + 10] *= 1.5
    both[1].set_parameters(inertial_parameters=inertial)
    for batch in both:
        batch.step(steps=100)
    assert_array_equal(both[0].q, both[1].q)
    assert not np.array_equal(both[0].q[0], both[0].q[1])
    plain = grbda.Simulator(cheetah, ground=grbda.Plane(offset=-0.3))
    plain.step(steps=100)
    assert_array_equal(both[0].q[0], plain.q)
    with pytest.raises(ValueError, match="no_such"):
        both[0].set_parameters(mass_scale={"no_such": [1, 1]})
    with pytest.raises(ValueError, match="mass"):
        both[0].set_parameters(mass_scale={BASE: [1, -1]})


def test_torques_of_motors_are_clipped_for_one_and_many(cheetah: grbda.Model) -> None:
    motors = len(grbda.Simulator(cheetah).motor_torques)
    options = grbda.SimulatorOptions()
    options.motor_torque = [3.0] * motors
    options.motor_stiffness, options.motor_damping = [20.0] * motors, [0.1] * motors
    options.contacts = False
    target = np.linspace(-1, 1, motors)
    alone = grbda.Simulator(cheetah, options)
    alone.step(motor_target=target)
    assert np.abs(alone.motor_torques).max() == 3.0
    batch = grbda.BatchSimulator(cheetah, 2, options)
    batch.set_parameters(motor_torque=np.array([[3.0] * motors, [1.0] * motors]))
    batch.step(motor_target=np.stack([target, target]))
    assert_array_equal(batch.motor_torques[0], alone.motor_torques)
    assert np.abs(batch.motor_torques[1]).max() == 1.0
    with pytest.raises(ValueError, match="motor_tau"):
        batch.step(motor_tau=np.zeros((2, motors + 1)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sensors_are_written_into_columns_of_an_array_of_observations(
    cheetah: grbda.Model, dtype: type[np.float32] | type[np.float64]
) -> None:
    batch = grbda.BatchSimulator(cheetah, 3, ground=grbda.Plane(offset=-5), threads=2)
    observations = np.full((3, 20 + cheetah.nv_tree), 77, dtype=dtype)
    acceleration = observations[:, 3:6]
    batch.read_sensors(accelerometer={BASE: acceleration})
    np.testing.assert_allclose(acceleration, 0, atol=1e-5)  # it falls freely from rest
    batch.step()
    batch.read_sensors(
        gyroscope={BASE: observations[:, :3]},
        accelerometer={BASE: acceleration},
        orientation={BASE: observations[:, 6:10]},
        qd=observations[:, 10:-10],
    )
    assert_allclose(acceleration, 0, atol=1e-5)  # free fall
    assert_allclose(observations[:, 6:10], [[0, 0, 0, 1]] * 3, atol=1e-6)
    assert_allclose(observations[:, 10:-10], batch.qd, rtol=1e-6, atol=1e-6)
    assert (observations[:, -10:] == 77).all()
    flags = np.full(3, 77, dtype=dtype)
    force = np.empty((3, 3), dtype=dtype)
    batch = grbda.BatchSimulator(cheetah, 3, ground=grbda.Plane(offset=-0.3), threads=2)
    batch.step()
    link = cheetah.frames[batch.contacts(0)[0].link].name if batch.contacts(0) else BASE
    batch.step(steps=300)
    batch.read_sensors(contact={link: flags}, contact_force={link: force})
    assert set(flags) <= {0, 1}
    assert_array_equal(flags > 0, np.linalg.norm(force, axis=1) > 0)


def test_arrays_that_no_sensor_can_be_written_to_are_refused(cheetah: grbda.Model) -> None:
    batch = grbda.BatchSimulator(cheetah, 2)
    with pytest.raises(ValueError, match=r"shape \(2, 3\), not \(2, 4\)"):
        batch.read_sensors(gyroscope={BASE: np.empty((2, 4))})
    with pytest.raises(TypeError, match="float32 or float64"):
        batch.read_sensors(gyroscope={BASE: np.empty((2, 3), dtype=int)})
    with pytest.raises(TypeError, match="float32 or float64"):
        batch.read_sensors(qd=[1.0])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="side by side"):
        batch.read_sensors(gyroscope={BASE: np.empty((2, 6))[:, ::2]})
    fixed = np.empty((2, 3))
    fixed.setflags(write=False)
    with pytest.raises((ValueError, BufferError)):
        batch.read_sensors(gyroscope={BASE: fixed})
    with pytest.raises(ValueError, match="no_such"):
        batch.read_sensors(gyroscope={"no_such": np.empty((2, 3))})


def test_rays_meet_the_ground_and_shapes() -> None:
    heights = np.zeros((3, 3))
    heights[1, 1] = 1
    field = grbda.HeightField(heights)
    origins = np.array([[1.0, 1.0, 5.0], [1.5, 1.0, 5.0], [9.0, 0.0, 5.0]])
    down = np.tile([0.0, 0.0, -1.0], (3, 1))
    assert_allclose(grbda.ray_cast(field, origins, down), [4, 4.5, np.inf])
    assert_allclose(grbda.ray_cast(grbda.Plane(offset=1.0), origins, 2 * down), [2, 2, 2])
    box = grbda.Placed("box", [1, 1, 2], position=[1, 1, 0])
    assert_allclose(grbda.ray_cast(box, origins, down), [4, 4, np.inf])
    with pytest.raises(ValueError, match="directions"):
        grbda.ray_cast(box, origins, down[:2])


def test_ground_is_replaced_between_steps() -> None:
    model = grbda.load(files_of("mini_cheetah"))
    batch = grbda.BatchSimulator(model, 2, ground=grbda.Plane(offset=-0.3))
    alone = grbda.Simulator(model, ground=grbda.Plane(offset=-0.3))
    batch.step(steps=20)
    batch.set_ground(grbda.Plane(offset=-2))
    batch.step(steps=60)
    alone.step(steps=20)
    alone.set_ground(grbda.Plane(offset=-2))
    alone.step(steps=60)
    assert_array_equal(batch.q[1], alone.q)
    assert not alone.contacts
    alone.set_ground(None)
    with pytest.raises(ValueError, match="unit normal"):
        alone.set_ground(grbda.Plane([0, 0, 2]))


def test_moving_ground_carries_robots_of_a_batch_as_one_of_its_own() -> None:
    model = grbda.load(files_of("mini_cheetah"))
    plane = grbda.Plane(offset=-0.3)
    batch = grbda.BatchSimulator(model, 2, ground=plane)
    alone = grbda.Simulator(model, ground=plane)
    batch.set_ground(plane, linear=[0.2, 0, 0.3], angular=[0, 0.1, 0], since=0.01)
    alone.set_ground(plane, linear=[0.2, 0, 0.3], angular=[0, 0.1, 0], since=0.01)
    batch.step(steps=200)
    alone.step(steps=200)
    assert_array_equal(batch.q[1], alone.q)
    assert any(contact.ground for contact in alone.contacts)
    assert alone.step().energy.ground > 0
    with pytest.raises(ValueError, match="finite"):
        alone.set_ground(plane, linear=[np.nan, 0, 0])
    with pytest.raises(ValueError, match="linear"):
        batch.set_ground(plane, linear=[1, 0])


def test_rays_of_a_batch_meet_the_ground_of_each_simulation() -> None:
    batch = grbda.BatchSimulator(grbda.load(files_of("mini_cheetah")), 2, ground=grbda.Plane(offset=-0.3))
    origins = np.zeros((2, 3, 3))
    origins[1, :, 2] = [5, 1, 2]
    down = np.broadcast_to([0.0, 0.0, -1.0], origins.shape)
    assert_allclose(batch.cast_rays(origins, down), [[0.3] * 3, [5.3, 1.3, 2.3]])
    assert (batch.cast_rays(origins, down, robot=True) <= batch.cast_rays(origins, down)).all()
    with pytest.raises(ValueError, match="directions"):
        batch.cast_rays(origins, down[:, :2])
