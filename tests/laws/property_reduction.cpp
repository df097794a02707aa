#include <cmath>
#include <string>
#include <vector>

#include "constraints/constraint_forces.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "derivatives/kinematics_derivatives.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/joint_forces.hpp"
#include "dynamics/regressor.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "grbda/simulation/simulator.hpp"
#include "grbda/simulation/batch_simulator.hpp"
#include "support/equivalence.hpp"
#include "support/random_shapes.hpp"
#include "constraints/coordinates.hpp"

// Every function of bodies, frames or shapes gives the same with rotors reduced and as bodies: kinematics and
// its derivatives, wrenches, distances, energies, momenta, forces of constraints, regressors, derivatives of
// dynamics, sensors and contacts of simulations. Contacts on a reduced rotor are refused.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using equivalence::kAgreement;
using grbda::at;
using grbda::Model;
using grbda::ReferenceFrame;
using grbda::Workspace;

constexpr int kStates = 2;
constexpr double kDerivatives = 1e-7;  // conditions of K_d and M enter twice

Model with_rotors_as_bodies(const Robot& robot) {
    grbda::LoadOptions options = robot.options;
    options.rotor_reduction = false;
    return grbda::build_model(robot.description, options);
}

/// One state of a robot, with rotors reduced and as bodies.
struct Pair {
    const Model &a, &b;
    State s, t;
    Workspace<double> data_a{a}, data_b{b};
    MatrixXd T;  ///< ẏ of b per ẏ of a

    Pair(const Model& reduced, const Model& full, const State& state) : a(reduced), b(full), s(state) {}

    /// False: the coordinates of b are badly conditioned there.
    bool find() {
        t.q.resize(b.nq);
        equivalence::copy_positions(a, s.q, b, t.q);
        REQUIRE(grbda::spanning_acceleration<double>(a, data_a, s.q, s.yd, s.ydd).ok());
        const std::vector<int> map = equivalence::velocity_map(a, b);
        t.yd = grbda::independent_part(b, equivalence::mapped(map, data_a.qd));
        t.ydd = grbda::independent_part(b, equivalence::mapped(map, data_a.qdd));
        REQUIRE(grbda::constraint_embedding<double>(a, data_a, s.q, s.yd).ok());
        const MatrixXd G = grbda::explicit_jacobian(a, data_a);
        T.resize(b.nv, a.nv);
        for (int j = 0; j < a.nv; ++j)
            T.col(j) = grbda::independent_part(b, equivalence::mapped(map, G.col(j)));
        if (!grbda::constraint_embedding<double>(b, data_b, t.q, t.yd).ok()) return false;
        t.wrenches = equivalence::mapped_wrenches(a, s.wrenches, b);
        return conditioning(b, data_b) > equivalence::kWellConditioned;
    }
    bool has_same_coordinates() const {
        return T.rows() == T.cols() && (T - MatrixXd::Identity(T.rows(), T.cols())).norm() < 1e-9;
    }
    int in_b(int body) const { return equivalence::find(b.names.bodies, a.names.bodies[at(body)]); }
};

void check_frames(Pair& x, Random& random) {
    REQUIRE(grbda::forward_kinematics<double>(x.a, x.data_a, x.s.q, x.s.yd, x.s.ydd).ok());
    REQUIRE(grbda::forward_kinematics<double>(x.b, x.data_b, x.t.q, x.t.yd, x.t.ydd).ok());
    REQUIRE(x.a.frames.size() == x.b.frames.size());
    grbda::Matrix6X<double> J(6, x.a.nv), J_b(6, x.b.nv), w(6, x.a.body_count()), w_b(6, x.b.body_count());
    w.setZero();
    w_b.setZero();
    for (int f = 0; f < static_cast<int>(x.a.frames.size()); ++f) {
        const int g = x.b.frame(x.a.frames[at(f)].name).index;
        CHECK(relative(grbda::frame_position(x.a, x.data_a, f), grbda::frame_position(x.b, x.data_b, g)) <
              kAgreement);
        CHECK(relative(grbda::frame_orientation(x.a, x.data_a, f),
                       grbda::frame_orientation(x.b, x.data_b, g)) < kAgreement);
        for (const auto axes : {ReferenceFrame::local, ReferenceFrame::world_aligned}) {
            CHECK(relative(grbda::frame_velocity(x.a, x.data_a, f, axes),
                           grbda::frame_velocity(x.b, x.data_b, g, axes)) < kAgreement);
            CHECK(relative(grbda::frame_acceleration(x.a, x.data_a, f, axes),
                           grbda::frame_acceleration(x.b, x.data_b, g, axes)) < kAgreement);
            grbda::frame_jacobian<double>(x.a, x.data_a, f, axes, J);
            grbda::frame_jacobian<double>(x.b, x.data_b, g, axes, J_b);
            CHECK(relative(J_b * x.T, J) < kAgreement);
        }
        if (x.a.frames[at(f)].body == grbda::world) continue;
        const VectorXd wrench = random_vector(random, 6, 3);
        grbda::add_frame_wrench<double>(x.a, x.data_a, f, ReferenceFrame::world_aligned, wrench, w);
        grbda::add_frame_wrench<double>(x.b, x.data_b, g, ReferenceFrame::world_aligned, wrench, w_b);
    }
    for (int i = 0; i < x.a.body_count(); ++i) {
        if (is_length(x.a, i)) continue;
        grbda::body_jacobian<double>(x.a, x.data_a, i, ReferenceFrame::local, J);
        grbda::body_jacobian<double>(x.b, x.data_b, x.in_b(i), ReferenceFrame::local, J_b);
        CHECK(relative(J_b * x.T, J) < kAgreement);
    }
    std::vector<grbda::GroupDistance> d(x.a.self_collision.pairs.size()), d_b = d;
    CHECK(grbda::self_distances<double>(x.a, x.data_a, d) ==
          grbda::self_distances<double>(x.b, x.data_b, d_b));
    for (std::size_t k = 0; k < d.size(); ++k) CHECK(std::abs(d[k].distance - d_b[k].distance) < kAgreement);
    REQUIRE(grbda::rnea<double>(x.a, x.data_a, x.s.q, x.s.yd, x.s.ydd, w).ok());
    REQUIRE(grbda::rnea<double>(x.b, x.data_b, x.t.q, x.t.yd, x.t.ydd, w_b).ok());
    CHECK(relative(x.T.transpose() * x.data_b.tau, x.data_a.tau) < kAgreement);
}

void check_sums(Pair& x) {
    grbda::MechanicalState m, n;
    REQUIRE(grbda::mechanical_state<double>(x.a, x.data_a, x.s.q, x.s.yd, m).ok());
    REQUIRE(grbda::mechanical_state<double>(x.b, x.data_b, x.t.q, x.t.yd, n).ok());
    const auto listed = [](const grbda::MechanicalState& state) {
        VectorXd all(12);
        all << state.kinetic, state.potential, state.mass, state.com, state.linear_momentum,
            state.angular_momentum;
        return all;
    };
    CHECK(relative(listed(m), listed(n)) < kAgreement);
    MatrixXd A(6, x.a.nv), A_rate = A, C(3, x.a.nv), A_b(6, x.b.nv), A_b_rate = A_b, C_b(3, x.b.nv);
    REQUIRE(grbda::momentum_matrix<double>(x.a, x.data_a, x.s.q, x.s.yd, A, A_rate).ok());
    REQUIRE(grbda::momentum_matrix<double>(x.b, x.data_b, x.t.q, x.t.yd, A_b, A_b_rate).ok());
    CHECK(relative(A_b * x.T, A) < kAgreement);
    CHECK(relative(A_b * x.t.ydd + A_b_rate * x.t.yd, A * x.s.ydd + A_rate * x.s.yd) < kAgreement);
    REQUIRE(grbda::com_jacobian<double>(x.a, x.data_a, x.s.q, C).ok());
    REQUIRE(grbda::com_jacobian<double>(x.b, x.data_b, x.t.q, C_b).ok());
    CHECK(relative(C_b * x.T, C) < kAgreement);
}

void check_constraint_forces(Pair& x) {
    grbda::ConstraintForces found(x.a), expected(x.b);
    REQUIRE(
        grbda::constraint_forces<double>(x.a, x.data_a, x.s.q, x.s.yd, x.s.ydd, x.s.wrenches, found).ok());
    REQUIRE(
        grbda::constraint_forces<double>(x.b, x.data_b, x.t.q, x.t.yd, x.t.ydd, x.t.wrenches, expected).ok());
    CHECK(relative(x.T.transpose() * expected.tau, found.tau) < kAgreement);
    if (!x.has_same_coordinates()) return;  // others would carry the load
    for (int i = 0; i < x.a.body_count(); ++i) {
        CHECK(relative(found.joints.col(i), expected.joints.col(x.in_b(i))) < kDerivatives);
        CHECK(relative(found.joints_world.col(i), expected.joints_world.col(x.in_b(i))) < kDerivatives);
    }
    CHECK(relative(found.loops_world, expected.loops_world) < kDerivatives);
}

void check_regressor(Pair& x) {
    const auto columns = [](const Model& model) {
        return grbda::parameters_per_body * (model.body_count() + model.rod_count());
    };
    MatrixXd Y(x.a.nv, columns(x.a)), Y_b(x.b.nv, columns(x.b));
    REQUIRE(grbda::torque_regressor<double>(x.a, x.data_a, x.s.q, x.s.yd, x.s.ydd, Y).ok());
    REQUIRE(grbda::torque_regressor<double>(x.b, x.data_b, x.t.q, x.t.yd, x.t.ydd, Y_b).ok());
    for (int i = 0; i < x.a.body_count(); ++i)
        CHECK(relative(x.T.transpose() * Y_b.middleCols<10>(10 * x.in_b(i)), Y.middleCols<10>(10 * i)) <
              kAgreement);
}

void check_derivatives(Pair& x) {
    const Eigen::Index n = x.a.nv;
    MatrixXd y(n, n), yd = y, M = y, y_b = y, yd_b = y, M_b = y;
    REQUIRE(
        grbda::rnea_derivatives<double>(x.a, x.data_a, x.s.q, x.s.yd, x.s.ydd, x.s.wrenches, y, yd, M).ok());
    REQUIRE(
        grbda::rnea_derivatives<double>(x.b, x.data_b, x.t.q, x.t.yd, x.t.ydd, x.t.wrenches, y_b, yd_b, M_b)
            .ok());
    CHECK(relative(y, y_b) < kDerivatives);
    CHECK(relative(yd, yd_b) < kDerivatives);
    CHECK(relative(M, M_b) < kDerivatives);
    REQUIRE(
        grbda::aba_derivatives<double>(x.a, x.data_a, x.s.q, x.s.yd, x.s.tau, x.s.wrenches, y, yd, M).ok());
    REQUIRE(
        grbda::aba_derivatives<double>(x.b, x.data_b, x.t.q, x.t.yd, x.s.tau, x.t.wrenches, y_b, yd_b, M_b)
            .ok());
    CHECK(relative(M, M_b) < kDerivatives);
    CHECK(relative(y, y_b) < 100 * kDerivatives);
    CHECK(relative(yd, yd_b) < 100 * kDerivatives);
    REQUIRE(grbda::forward_kinematics_derivatives<double>(x.a, x.data_a, x.s.q, x.s.yd, x.s.ydd).ok());
    REQUIRE(grbda::forward_kinematics_derivatives<double>(x.b, x.data_b, x.t.q, x.t.yd, x.t.ydd).ok());
    MatrixXd v_y(6, n), v_yd = v_y, a_y = v_y, a_yd = v_y, a_ydd = v_y, w_y = v_y, w_yd = v_y, c_y = v_y,
                        c_yd = v_y, c_ydd = v_y;
    for (int f = 0; f < static_cast<int>(x.a.frames.size()); ++f) {
        const int g = x.b.frame(x.a.frames[at(f)].name).index;
        const auto axes = ReferenceFrame::local;
        grbda::frame_velocity_derivatives<double>(x.a, x.data_a, f, axes, v_y, v_yd);
        grbda::frame_velocity_derivatives<double>(x.b, x.data_b, g, axes, w_y, w_yd);
        CHECK(relative(v_y, w_y) < kDerivatives);
        grbda::frame_acceleration_derivatives<double>(x.a, x.data_a, f, axes, grbda::Acceleration::classical,
                                                      a_y, a_yd, a_ydd);
        grbda::frame_acceleration_derivatives<double>(x.b, x.data_b, g, axes, grbda::Acceleration::classical,
                                                      c_y, c_yd, c_ydd);
        CHECK(relative(a_y, c_y) < kDerivatives);
        CHECK(relative(a_yd, c_yd) < kDerivatives);
        grbda::frame_jacobian_rate<double>(x.a, x.data_a, f, axes, v_y);
        grbda::frame_jacobian_rate<double>(x.b, x.data_b, g, axes, w_y);
        CHECK(relative(v_y, w_y) < kDerivatives);
    }
}

/// Sensors of all frames of `model`, in the order of the frames of `named`.
VectorXd sensors(grbda::BatchSimulator& simulator, const Model& model, const Model& named) {
    std::vector<int> frames;
    for (const grbda::Frame& frame : named.frames) frames.push_back(model.frame(frame.name).index);
    using grbda::SensorKind;
    const auto n = static_cast<Eigen::Index>(frames.size());
    VectorXd all(3 * 5 * n);
    double* values = all.data();
    for (const SensorKind kind : {SensorKind::position, SensorKind::velocity, SensorKind::gyroscope,
                                  SensorKind::accelerometer, SensorKind::contact_force}) {
        if (kind == SensorKind::contact_force)
            std::erase_if(frames, [&](int f) { return !model.frames[at(f)].is_link; });
        const grbda::SensorOutput<double> output{kind, frames, values, 0};
        REQUIRE(simulator.read_sensors(std::span<const grbda::SensorOutput<double>>(&output, 1)).ok());
        values += 3 * std::ssize(frames);
    }
    return all.head(values - all.data());
}

/// Steps under wrenches on all rotors, so small that rotors as bodies do not turn fast, which would make
/// steps of another order; false if a step fails.
bool push_rotors(grbda::BatchSimulator& simulator, const Model& model, const Model& reduced) {
    std::vector<grbda::ExternalWrench> wrenches;
    for (const grbda::Rotor& rotor : reduced.rotors) {
        const double x = 0.01 * static_cast<double>(wrenches.size() + 1);
        wrenches.push_back(
            {model.frame(reduced.names.bodies[at(rotor.body)]).index, {x, -x, 0.03}, {x, 0.01, x}});
    }
    grbda::Controls controls;
    controls.external = wrenches;
    return simulator.step({&controls, 1}, 10).ok();
}

std::vector<const Robot*> geared() {
    std::vector<const Robot*> result;
    for (const Robot* robot : all())
        if (!robot->model.rotors.empty()) result.push_back(robot);
    return result;
}

}  // namespace

TEST_CASE("every function of bodies and frames gives the same with rotors reduced and as bodies") {
    int checked = 0, compared = 0;
    for (const Robot* robot : geared()) {
        const Model full = with_rotors_as_bodies(*robot);
        Random random(57);
        State state;
        for (int i = 0; i < kStates && random_state(robot->model, random, state); ++i) {
            INFO(robot->name << ", state " << i);
            Pair x(robot->model, full, state);
            if (!x.find()) continue;
            ++checked;
            check_frames(x, random);
            check_sums(x);
            check_constraint_forces(x);
            check_regressor(x);
            if (!x.has_same_coordinates()) continue;
            ++compared;
            check_derivatives(x);
        }
    }
    CHECK(checked > 30);
    CHECK(2 * compared > checked);
}

TEST_CASE("a robot has the same neutral configuration with rotors reduced and as bodies") {
    for (const Robot* robot : geared()) {
        INFO(robot->name);
        const Model& reduced = robot->model;
        const Model full = with_rotors_as_bodies(*robot);
        VectorXd q(full.nq);
        equivalence::copy_positions(reduced, grbda::neutral_configuration(reduced), full, q);
        CHECK(relative(grbda::neutral_configuration(full), q) < kAgreement);
        CHECK(reduced.names.joints.size() == full.names.joints.size());
    }
}

TEST_CASE("simulations take wrenches on rotors and read their sensors the same, reduced and as bodies") {
    int checked = 0;
    grbda::SimulatorOptions options;
    options.step = 1e-4;
    options.contacts = options.limits = false;
    for (const Robot* robot : geared()) {
        INFO(robot->name);
        const Model full = with_rotors_as_bodies(*robot);
        grbda::BatchSimulator a(robot->model, 1, options), b(full, 1, options);
        const bool moved = push_rotors(a, robot->model, robot->model);
        if (!moved || !push_rotors(b, full, robot->model)) continue;
        CHECK(relative(sensors(a, robot->model, robot->model), sensors(b, full, robot->model)) < 1e-6);
        ++checked;
    }
    CHECK(checked > 30);
}

TEST_CASE("shapes on rotors are met by rays the same, with rotors reduced and as bodies") {
    constexpr int count = 40;
    Random random(58);
    for (const Robot* robot : geared()) {
        INFO(robot->name);
        Robot shaped{robot->name, robot->description, robot->options, {}};
        random_shapes::add(shaped.description, random);
        const Model reduced = grbda::build_model(shaped.description, shaped.options),
                    full = with_rotors_as_bodies(shaped);
        for (const grbda::BodyShape& shape : reduced.shapes)
            if (shape.collision && shape.body != grbda::world && !reduced.is_rod(shape.body))
                CHECK_FALSE(reduced.bodies[at(shape.body)].rotor);
        grbda::BatchSimulator a(reduced, 1), b(full, 1);
        std::vector<grbda::Ray> rays;
        for (int i = 0; i < count; ++i) {
            const VectorXd x = random_vector(random, 6);
            rays.push_back({{2 * x[0], 2 * x[1], 2 * x[2]}, {x[3], x[4], x[5]}});
        }
        std::vector<double> met(rays.size()), expected(rays.size());
        REQUIRE(a.cast_rays(rays, met, true).ok());
        REQUIRE(b.cast_rays(rays, expected, true).ok());
        for (std::size_t i = 0; i < met.size(); ++i)
            CHECK((met[i] == expected[i] || std::abs(met[i] - expected[i]) < 1e-6));
    }
}

TEST_CASE("a geared wheel rests on the ground by its shape") {
    const Eigen::Vector3d y = Eigen::Vector3d::UnitY();
    for (const bool reduction : {true, false}) {
        grbda::RobotDescription robot;
        robot.name = "wheel and pulley";
        robot.links.push_back({"ground", {}, {}});
        for (const char* name : {"slide", "wheel", "pulley"}) {
            grbda::LinkDescription link;
            link.name = name;
            link.inertial =
                grbda::Inertial{1, Eigen::Vector3d::Zero(), Eigen::Vector3d(2e-3, 3e-3, 2e-3).asDiagonal()};
            robot.links.push_back(link);
        }
        grbda::ShapeDescription ball;
        ball.shape.kind = grbda::ShapeKind::sphere;
        ball.shape.size[0] = 0.1;
        ball.collision = true;
        robot.links[2].shapes.push_back(ball);
        const auto add = [&](const char* name, grbda::JointType type, const char* parent, const char* child,
                             const Eigen::Vector3d& axis) {
            grbda::JointDescription joint;
            joint.name = name;
            joint.type = type;
            joint.parent = parent;
            joint.child = child;
            joint.axis = axis;
            robot.joints.push_back(joint);
        };
        add("lift", grbda::JointType::prismatic, "ground", "slide", Eigen::Vector3d::UnitZ());
        add("axle", grbda::JointType::continuous, "slide", "wheel", y);
        add("motor", grbda::JointType::continuous, "slide", "pulley", y);
        robot.couplings.push_back(
            {"belt", grbda::LinearRelation{{{"axle", 1, {}}, {"motor", -2, {}}}, 0}, {}});
        grbda::LoadOptions options;
        options.rotor_reduction = reduction;
        const Model model = grbda::build_model(robot, options);
        CHECK(model.rotors.size() == (reduction ? 1u : 0u));  // the pulley
        grbda::Simulator simulator(model, {}, grbda::Plane{{0, 0, 1}, -0.3});
        for (int i = 0; i < 1000; ++i) REQUIRE(simulator.step().result.ok());
        CHECK(simulator.q()[model.joint("lift").q.first] == Approx(-0.2).margin(1e-4));
        REQUIRE(simulator.contacts().size() == 1);
        CHECK(simulator.contacts()[0].contact.position.z == Approx(-0.3).margin(1e-4));
        CHECK(simulator.contacts()[0].contact.body == model.link("wheel").body);
    }
}

TEST_CASE("simulations refuse shapes that a program adds to a reduced rotor or a rod") {
    const auto with_ball = [](Model model, int body) {
        grbda::BodyShape shape;
        shape.link = "added";
        shape.body = body;
        shape.shape.kind = grbda::ShapeKind::sphere;
        shape.shape.size[0] = 0.1;
        shape.collision = true;
        model.shapes.push_back(shape);
        return model;
    };
    const Model &geared = named("tello").model, &rods = named("delta").model;
    CHECK_THROWS_WITH(grbda::Simulator(with_ball(geared, geared.rotors[0].body)),
                      Catch::Contains("rotor_reduction"));
    CHECK_THROWS_WITH(grbda::Simulator(with_ball(rods, rods.body_count())), Catch::Contains("rod_reduction"));
}
