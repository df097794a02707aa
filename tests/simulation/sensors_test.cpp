#include <Eigen/Geometry>

#include "constraints/actuation.hpp"
#include "dynamics/aba.hpp"
#include "simulation/simulation_fixture.hpp"

// Sensors of simulations, against difference quotients of the motion, and against weights at rest.

using namespace simulation_test;
using grbda::BatchSimulator;
using grbda::SensorKind;
using grbda::SensorOutput;

namespace {

/// Reads one sensor of all simulations, a column for each.
Eigen::MatrixXd reading(BatchSimulator& batch, SensorKind sensor, int size,
                        const std::vector<int>& frames = {}) {
    Eigen::MatrixXd values = Eigen::MatrixXd::Constant(size, batch.count(), 77);
    const std::array outputs{SensorOutput<double>{sensor, frames, values.data(), size}};
    CHECK(batch.read_sensors(outputs).ok());
    return values;
}

/// Pose and velocity of a frame of a simulation, from its q and q̇.
struct FrameState {
    Eigen::Matrix3d R;
    Vector3d position, velocity, omega;  // in the world

    FrameState(BatchSimulator& batch, int simulation, int frame) {
        const Model& model = batch.model();
        Workspace<double> data(model);
        VectorXd qd(model.nv_tree), yd(model.nv);
        batch.velocity(simulation, qd);
        const VectorXd& q = batch.q(simulation);
        REQUIRE(grbda::choose_coordinates<double>(model, data, q, grbda::Marks::ignored).ok());
        grbda::independent_part<double>(model, data, qd, yd);
        REQUIRE(grbda::forward_kinematics<double>(model, data, q, yd).ok());
        R = grbda::frame_orientation(model, data, frame);
        position = grbda::frame_position(model, data, frame);
        const auto twist = grbda::frame_velocity(model, data, frame, grbda::ReferenceFrame::world_aligned);
        velocity = twist.head<3>();
        omega = twist.tail<3>();
    }
};

/// A leg of one link, 2 kg, that stands on the plane by a box.
Model standing_box() {
    Model model = cube(2, 0.2);
    model.shapes.back().link = "body0";
    return model;
}

}  // namespace

TEST_CASE("an accelerometer reads the change of its frame's velocity less gravity, on every robot") {
    int read = 0;
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        SimulatorOptions options;
        options.contacts = options.limits = options.passive = false;
        options.step = 1e-5;
        Random random(17);
        State state;
        if (!random_state(model, random, state)) continue;
        Workspace<double> data(model);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, 0.5 * state.yd).ok());
        BatchSimulator batch(model, 2, options);
        if (!batch.set_state(1, state.q, data.qd).ok()) continue;
        const int frame = static_cast<int>(model.frames.size()) - 1;
        const FrameState start(batch, 1, frame);
        const Vector3d at_start = reading(batch, SensorKind::accelerometer, 3, {frame}).col(1);
        const VectorXd qdd_at_start = reading(batch, SensorKind::qdd, model.nv_tree).col(1);
        CHECK(batch.q(1) == state.q);
        REQUIRE(grbda::aba<double>(model, data, state.q, 0.5 * state.yd, VectorXd::Zero(model.nv)).ok());
        const VectorXd ydd = data.ydd;
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q, 0.5 * state.yd, ydd).ok());
        const Vector3d free =
            grbda::frame_acceleration(model, data, frame, grbda::ReferenceFrame::local).head<3>() -
            start.R.transpose() * Vector3d(0, 0, -kGravity);
        CHECK((at_start - free).norm() < 2e-3 * (1 + free.norm()));
        REQUIRE(grbda::spanning_acceleration<double>(model, data, state.q, 0.5 * state.yd, ydd).ok());
        CHECK((qdd_at_start - data.qdd).norm() < 2e-3 * (1 + data.qdd.norm()));
        const grbda::BatchOutcome first = batch.step({}, 2);
        const FrameState before(batch, 1, frame);
        VectorXd qd_before(model.nv_tree), qd(model.nv_tree);
        batch.velocity(1, qd_before);
        std::vector<grbda::StepOutcome> outcomes(2);
        const grbda::BatchOutcome second = batch.step({}, 1, outcomes);
        if (!first.ok() || !second.ok()) continue;
        const FrameState after(batch, 1, frame);
        batch.velocity(1, qd);
        const Vector3d gravity(0, 0, -kGravity),
            expected = after.R.transpose() * ((after.velocity - before.velocity) / options.step - gravity);
        const Vector3d accelerometer = reading(batch, SensorKind::accelerometer, 3, {frame}).col(1),
                       gyroscope = reading(batch, SensorKind::gyroscope, 3, {frame}).col(1);
        CHECK((accelerometer - expected).norm() < 2e-3 * (1 + expected.norm()));
        CHECK((gyroscope - after.R.transpose() * after.omega).norm() < 1e-9 * (1 + after.omega.norm()));
        CHECK((reading(batch, SensorKind::velocity, 3, {frame}).col(1) - after.R.transpose() * after.velocity)
                  .norm() < 1e-9 * (1 + after.velocity.norm()));
        CHECK(reading(batch, SensorKind::position, 3, {frame}).col(1) == after.position);
        const Eigen::Vector4d quaternion = reading(batch, SensorKind::orientation, 4, {frame}).col(1);
        CHECK((Eigen::Quaterniond(quaternion).toRotationMatrix() - after.R).norm() < 1e-12);
        const VectorXd qdd = (qd - qd_before) / options.step;
        CHECK(relative(reading(batch, SensorKind::qdd, model.nv_tree).col(1), qdd) < 2e-3);
        CHECK(relative(reading(batch, SensorKind::qd, model.nv_tree).col(1), qd) < 1e-12);
        for (int i = 0; i < model.nv; ++i) {  // ÿ and ẏ are entries of q̈ and q̇
            const int v = model.v_index[model.independent[i]], y = model.y_index[i];
            CHECK(reading(batch, SensorKind::yd, model.nv)(y, 1) ==
                  reading(batch, SensorKind::qd, model.nv_tree)(v, 1));
            CHECK(reading(batch, SensorKind::ydd, model.nv)(y, 1) ==
                  reading(batch, SensorKind::qdd, model.nv_tree)(v, 1));
        }
        ++read;
    }
    CHECK(read > 10);
}

TEST_CASE("at rest an accelerometer reads gravity upwards, and contacts carry the weight") {
    const Model model = standing_box();
    const Eigen::Quaterniond turned(Eigen::AngleAxisd(0.7, Vector3d::UnitZ()));
    BatchSimulator batch(model, 2, {}, Plane{});
    REQUIRE(batch.set_state(0, pose({0, 0, 0.1}), VectorXd::Zero(6)).ok());
    REQUIRE(batch.set_state(1, pose({0, 0, 0.5}, turned.coeffs()), VectorXd::Zero(6)).ok());
    const int link = model.link("body0").index;
    const Eigen::MatrixXd first = reading(batch, SensorKind::accelerometer, 3, {link});
    // before the first step too, but that a compliant contact yields by 2.5 % in its first step
    CHECK((first.col(0) - Vector3d(0, 0, kGravity)).norm() < 0.03 * kGravity);
    CHECK(first.col(1).norm() < 1e-9);
    CHECK(reading(batch, SensorKind::contact, 1, {link}).norm() == 0);
    CHECK(batch.time(0) == 0);
    REQUIRE(batch.step({}, 200).ok());  // the second one still falls
    const Eigen::MatrixXd force = reading(batch, SensorKind::contact_force, 3, {link}),
                          contact = reading(batch, SensorKind::contact, 1, {link}),
                          specific = reading(batch, SensorKind::accelerometer, 3, {link});
    CHECK((force.col(0) - Vector3d(0, 0, 2 * kGravity)).norm() < 1e-6);
    CHECK((specific.col(0) - Vector3d(0, 0, kGravity)).norm() < 1e-6);
    CHECK(contact(0, 0) == 1);
    CHECK(force.col(1).norm() == 0);
    CHECK(specific.col(1).norm() < 1e-9);  // free fall
    CHECK(contact(0, 1) == 0);
    // an impact is in the mean over its step: momentum of the force is its change
    VectorXd before(6), after(6);
    bool landed = false;
    for (int k = 0; k < 200 && !landed; ++k) {
        batch.velocity(1, before);
        REQUIRE(batch.step().ok());
        landed = reading(batch, SensorKind::contact, 1, {link})(0, 1) > 0;
    }
    REQUIRE(landed);
    batch.velocity(1, after);
    const double mean = (after[2] - before[2]) / batch.options().step;
    CHECK(reading(batch, SensorKind::contact_force, 3, {link})(2, 1) ==
          Approx(2 * (mean + kGravity)).epsilon(1e-9));
    CHECK(reading(batch, SensorKind::accelerometer, 3, {link})(2, 1) ==
          Approx(mean + kGravity).epsilon(1e-6));
}

TEST_CASE("contact forces of the feet of a standing robot sum to its weight") {
    const Model& model = named("mini_cheetah").model;
    SimulatorOptions options;
    options.servo_stiffness.assign(static_cast<std::size_t>(model.nv_tree), 0);
    options.servo_damping = options.servo_stiffness;
    for (const grbda::Coordinate& x : grbda::motor_coordinates(model)) {
        const grbda::Body& body = model.bodies[x.body];
        if (body.joint == grbda::JointType::floating) continue;
        options.servo_stiffness[body.v] = 200;
        options.servo_damping[body.v] = 10;
    }
    const VectorXd q = grbda::neutral_configuration(model);
    VectorXd target = VectorXd::Zero(model.nv_tree);
    for (const grbda::Body& body : model.bodies)
        if (velocity_size(body.joint) == 1) target[body.v] = q[body.q];
    std::vector<int> links;
    for (const grbda::BodyShape& shape : model.shapes)
        if (const int link = model.link(shape.link).index;
            shape.collision && std::find(links.begin(), links.end(), link) == links.end())
            links.push_back(link);
    REQUIRE(links.size() >= 4);
    double mass = 0;
    for (const grbda::Body& body : model.bodies) mass += body.mass;
    BatchSimulator batch(model, 1, options, Plane{{0, 0, 1}, -0.45});
    Controls controls;
    controls.target = {target.data(), static_cast<std::size_t>(target.size())};
    const std::vector<Controls> all(1, controls);
    REQUIRE(batch.step(all, 4000).ok());
    const int size = 3 * static_cast<int>(links.size());
    const Eigen::MatrixXd forces = reading(batch, SensorKind::contact_force, size, links);
    Vector3d sum = Vector3d::Zero();
    int touching = 0;
    for (int i = 0; i < size; i += 3) {
        sum += forces.block<3, 1>(i, 0);
        touching += forces(i + 2, 0) > 0;
    }
    const Eigen::MatrixXd flags = reading(batch, SensorKind::contact, static_cast<int>(links.size()), links);
    CHECK(flags.sum() == touching);
    CHECK(touching >= 3);
    CHECK((sum - Vector3d(0, 0, mass * kGravity)).norm() < 0.01 * mass * kGravity);
}

TEST_CASE("sensors of motors, and arrays of float with rows between other numbers") {
    const Model& model = named("cassie_like").model;
    SimulatorOptions options;
    const auto motors = static_cast<int>(grbda::motor_coordinates(model).size());
    options.motors.torque.assign(static_cast<std::size_t>(motors), 2);
    BatchSimulator batch(model, 3, options, {}, 2);
    const std::vector<double> wanted(static_cast<std::size_t>(motors), 5);
    Controls controls;
    controls.motor_tau = wanted;
    const std::vector<Controls> all(3, controls);
    REQUIRE(batch.step(all, 5).ok());
    CHECK((reading(batch, SensorKind::motor_torque, motors).array() == 2).all());
    const int width = motors + model.nv_tree + 2;
    std::vector<float> rows(static_cast<std::size_t>(3 * width), 77);
    const std::array outputs{SensorOutput<float>{SensorKind::motor_speed, {}, rows.data() + 1, width},
                             SensorOutput<float>{SensorKind::qd, {}, rows.data() + 1 + motors, width}};
    REQUIRE(batch.read_sensors(outputs).ok());
    grbda::Actuation<double> actuation(model);
    for (int i = 0; i < 3; ++i) {
        const float* row = rows.data() + i * width;
        CHECK(row[0] == 77);
        CHECK(row[width - 1] == 77);
        VectorXd qd(model.nv_tree);
        batch.velocity(i, qd);
        for (int v = 0; v < model.nv_tree; ++v) CHECK(row[1 + motors + v] == static_cast<float>(qd[v]));
        int m = 0;
        for (const grbda::Coordinate& x : grbda::motor_coordinates(model))
            CHECK(row[1 + m++] == Approx(model.reduction[x.body] * qd[model.bodies[x.body].v + x.component]));
    }
    double value = 0;
    const std::vector<int> no_frame{-1}, no_link{0};
    const auto refuses = [&](const SensorOutput<double>& output) {
        CHECK_THROWS_AS(batch.read_sensors(std::span(&output, 1)), std::invalid_argument);
    };
    refuses({SensorKind::q, {}, nullptr, 0});
    refuses({SensorKind::gyroscope, no_frame, &value, 0});
}

TEST_CASE("rays of all simulations meet the ground, shapes of the world and of the robot") {
    Model model = standing_box();
    add_shape(model, grbda::world, ShapeKind::sphere, {0.5, 0, 0}, {3, 0, 0});
    BatchSimulator batch(model, 2, {}, Plane{}, 2);
    REQUIRE(batch.set_state(0, pose({0, 0, 0.1}), VectorXd::Zero(6)).ok());
    REQUIRE(batch.set_state(1, pose({0.5, 0, 2}), VectorXd::Zero(6)).ok());
    const std::vector<grbda::Ray> rays{{{0, 0, 4}, {0, 0, -1}},
                                       {{0, 0, 0.2}, {1, 0, 0}},
                                       {{0.5, 0, 4}, {0, 0, -2}},
                                       {{0.5, 0, 4}, {0, 0, 1}}};
    std::vector<double> hits(4);
    REQUIRE(batch.cast_rays(rays, hits).ok());
    CHECK(hits[0] == Approx(4));  // the ground
    CHECK(hits[1] == Approx(3 - std::sqrt(0.25 - 0.04)));
    CHECK(hits[2] == Approx(2));
    CHECK(std::isinf(hits[3]));
    REQUIRE(batch.cast_rays(rays, hits, true).ok());
    CHECK(hits[0] == Approx(3.8));  // the top of the box
    CHECK(hits[2] == Approx(0.95));
    std::vector<double> three(3);
    CHECK_THROWS_AS(batch.cast_rays(rays, three), std::invalid_argument);
    CHECK_THROWS_AS(batch.cast_rays(std::span(rays).first(3), three), std::invalid_argument);
}
