#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/factor.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/constraints/actuation.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/constraint_forces.hpp"
#include "grbda/constraints/coordinates.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/derivatives/constraint_force_derivatives.hpp"
#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "grbda/derivatives/second_derivatives.hpp"
#include "grbda/derivatives/step_derivatives.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/energy.hpp"
#include "grbda/dynamics/factor.hpp"
#include "grbda/dynamics/joint_forces.hpp"
#include "grbda/dynamics/regressor.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "grbda/search/search.hpp"
#include "kinematics/kinematics.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Data as a program sees it: functions compute the numbers of the engine, kinematics and factors outlive
// other functions, copies are independent, and a missing call is named.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Data;
using grbda::Model;
using grbda::Workspace;

constexpr auto kWorld = grbda::ReferenceFrame::world_aligned;

struct Call {
    const char* name;
    std::function<void(const Model&, Data&, const State&)> run;
};

/// Functions that compute at a state, except those of kinematics.
std::vector<Call> calls() {
    return {
        {"aba", [](auto& m, auto& d, auto& x) { must(aba(m, d, x.q, x.yd, x.tau)); }},
        {"free_motion",
         [](auto& m, auto& d, auto& x) { must(free_motion(m, d, x.q, x.yd, VectorXd::Zero(m.nv_tree))); }},
        {"factor", [](auto& m, auto& d, auto& x) { must(factor(m, d, x.q, x.yd)); }},
        {"rnea", [](auto& m, auto& d, auto& x) { must(rnea(m, d, x.q, x.yd, x.ydd)); }},
        {"crba", [](auto& m, auto& d, auto& x) { must(crba(m, d, x.q)); }},
        {"bias_force", [](auto& m, auto& d, auto& x) { must(bias_force(m, d, x.q, x.yd)); }},
        {"rnea_derivatives",
         [](auto& m, auto& d, auto& x) { must(rnea_derivatives(m, d, x.q, x.yd, x.ydd)); }},
        {"aba_derivatives", [](auto& m, auto& d, auto& x) { must(aba_derivatives(m, d, x.q, x.yd, x.tau)); }},
        {"inverse_mass_matrix", [](auto& m, auto& d, auto& x) { must(inverse_mass_matrix(m, d, x.q)); }},
        {"mechanical_state", [](auto& m, auto& d, auto& x) { must(mechanical_state(m, d, x.q, x.yd)); }},
        {"momentum_matrix", [](auto& m, auto& d, auto& x) { must(momentum_matrix(m, d, x.q, x.yd)); }},
        {"momentum_derivatives",
         [](auto& m, auto& d, auto& x) { must(momentum_derivatives(m, d, x.q, x.yd, x.ydd)); }},
        {"com_jacobian", [](auto& m, auto& d, auto& x) { must(com_jacobian(m, d, x.q)); }},
        {"com_derivatives", [](auto& m, auto& d, auto& x) { must(com_derivatives(m, d, x.q, x.yd, x.ydd)); }},
        {"torque_regressor",
         [](auto& m, auto& d, auto& x) { must(torque_regressor(m, d, x.q, x.yd, x.ydd)); }},
        {"joint_regressor", [](auto& m, auto& d, auto& x) { must(joint_regressor(m, d, x.q, x.yd, x.ydd)); }},
        {"energy_regressors", [](auto& m, auto& d, auto& x) { must(energy_regressors(m, d, x.q, x.yd)); }},
        {"joint_forces",
         [](auto& m, auto& d, auto& x) { must(joint_forces(m, d, x.q, VectorXd::Zero(m.nv_tree))); }},
        {"constraint_embedding",
         [](auto& m, auto& d, auto& x) { must(constraint_embedding(m, d, x.q, x.yd)); }},
        {"spanning_acceleration",
         [](auto& m, auto& d, auto& x) { must(spanning_acceleration(m, d, x.q, x.yd, x.ydd)); }},
        {"constraint_forces",
         [](auto& m, auto& d, auto& x) { must(constraint_forces(m, d, x.q, x.yd, x.ydd)); }},
        {"constraint_force_derivatives",
         [](auto& m, auto& d, auto& x) { must(constraint_force_derivatives(m, d, x.q, x.yd, x.ydd)); }},
        {"static_determinacy",
         [](auto& m, auto& d, auto& x) {
             grbda::Determinacy found;
             must(static_determinacy(m, d, x.q, found));
         }},
        {"motor_forces",
         [](auto& m, auto& d, auto& x) {
             must(actuation_jacobian(m, d, x.q));
             static_cast<void>(motor_forces(m, d, x.tau));  // unbalanced where motors cannot produce τ
         }},
        {"integrate_derivatives",
         [](auto& m, auto& d, auto& x) { must(integrate_derivatives(m, d, x.q, VectorXd::Zero(m.nv))); }},
        {"difference_derivatives",
         [](auto& m, auto& d, auto& x) { must(difference_derivatives(m, d, x.q, x.q)); }},
        {"step_derivatives",
         [](auto& m, auto& d, auto& x) {
             must(step_derivatives(m, d, grbda::Integrator::semi_implicit_euler, x.q, x.yd, x.tau, 1e-6));
         }},
        {"rnea_second_derivatives",
         [](auto& m, auto& d, auto& x) { must(rnea_second_derivatives(m, d, x.q, x.yd, x.ydd, x.tau)); }},
        {"aba_second_derivatives",
         [](auto& m, auto& d, auto& x) { must(aba_second_derivatives(m, d, x.q, x.yd, x.tau, x.ydd)); }},
        {"project_configuration",
         [](auto& m, auto& d, auto& x) {
             VectorXd q = x.q;
             CHECK(project_configuration(m, d, VectorXd::Ones(m.nv_tree), q).converged());
         }},
        {"closure_residual", [](auto& m, auto& d, auto& x) { must(closure_residual(m, d, x.q)); }},
        {"close_loops",
         [](auto& m, auto& d, auto& x) {
             VectorXd q = x.q;
             must(close_loops(m, d, q));
         }},
    };
}

bool leaves_factors(const std::string& name) {
    return name == "aba" || name == "free_motion" || name == "factor";
}

/// Everything that frames tell, in one vector.
VectorXd frames_of(const Model& model, const Data& data) {
    std::vector<double> all;
    const auto keep = [&](const auto& x) { all.insert(all.end(), x.data(), x.data() + x.size()); };
    for (int frame = 0; frame < static_cast<int>(model.frames.size()); ++frame) {
        keep(frame_position(model, data, frame));
        keep(frame_orientation(model, data, frame));
        keep(frame_velocity(model, data, frame, kWorld));
        keep(frame_acceleration(model, data, frame, kWorld));
        grbda::Matrix6Xd J(6, model.nv);
        frame_jacobian(model, data, frame, kWorld, J);
        keep(J);
    }
    return VectorXd::Map(all.data(), static_cast<Eigen::Index>(all.size()));
}

VectorXd solved(const Model& model, Data& data, const VectorXd& tau) {
    VectorXd ydd(model.nv);
    must(solve(model, data, tau, ydd));
    return ydd;
}

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "no error";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("functions of Data compute the numbers of the engine") {
    at_random_states(all(), 1, 811, [](const Robot& robot, const State& x, Random&) {
        const Model& model = robot.model;
        Data data(model);
        Workspace<double> work(model);
        MatrixXd M(model.nv, model.nv), by_y = M, by_yd = M;

        must(aba(model, data, x.q, x.yd, x.tau, x.wrenches));
        must(grbda::aba<double>(model, work, x.q, x.yd, x.tau, x.wrenches));
        CHECK(data.ydd == work.ydd);
        must(rnea(model, data, x.q, x.yd, x.ydd));
        must(grbda::rnea<double>(model, work, x.q, x.yd, x.ydd));
        CHECK(data.tau == work.tau);
        must(crba(model, data, x.q));
        must(grbda::crba<double>(model, work, x.q, M));
        CHECK(data.M == M);
        must(aba_derivatives(model, data, x.q, x.yd, x.tau));
        must(grbda::aba_derivatives<double>(model, work, x.q, x.yd, x.tau, by_y, by_yd, M));
        CHECK(data.dydd_dy == by_y);
        CHECK(data.dydd_dyd == by_yd);
        CHECK(data.M_inverse == M);
        must(forward_kinematics(model, data, x.q, x.yd, x.ydd));
        must(grbda::forward_kinematics<double>(model, work, x.q, x.yd, x.ydd));
        const int frame = static_cast<int>(model.frames.size()) - 1;
        CHECK(frame_acceleration(model, data, frame, kWorld) ==
              grbda::frame_acceleration<double>(model, work, frame, kWorld));
        CHECK(frame_pose(model, data, frame).translation() == frame_position(model, data, frame));
        CHECK(frame_pose(model, data, frame).linear() == frame_orientation(model, data, frame));
        const grbda::Frame& top = model.frames[model.body_frame[0]];
        const Eigen::Isometry3d body = body_pose(model, data, 0),
                                link = frame_pose(model, data, model.body_frame[0]);
        if (top.body == 0) {
            const Eigen::Vector3d in_body(top.position.x, top.position.y, top.position.z);
            CHECK((body * in_body - link.translation()).norm() < 1e-12);
            CHECK((body.linear() * body.linear().transpose() - Eigen::Matrix3d::Identity()).norm() < 1e-12);
        }
    });
}

TEST_CASE("constraint matrices belong to the motion") {
    at_random_states(without_rods(), 1, 812, [](const Robot& robot, const State& x, Random&) {
        const Model& model = robot.model;
        Data data(model);
        must(constraint_embedding(model, data, x.q, x.yd));
        must(spanning_acceleration(model, data, x.q, x.yd, x.ydd));
        CHECK(relative(data.G * x.yd, data.qd) < 1e-12);
        CHECK(relative(data.G * x.ydd + data.g, data.qdd) < 1e-10);
        const double scale = 1 + data.K.norm() * (1 + data.qd.norm()) * (1 + data.qdd.norm());
        CHECK((data.K * data.qd).norm() < 1e-10 * scale);
        CHECK((data.K * data.qdd - data.k).norm() < 1e-10 * scale);
    });
}

TEST_CASE("kinematics and factors outlive other functions") {
    for (const char* name : {"four_bar", "tello", "mit_humanoid", "ur10e", "digit_leg"}) {
        const Robot& robot = named(name);
        const Model& model = robot.model;
        Random random(813);
        State before, after;
        REQUIRE(random_state(model, random, before));
        REQUIRE(random_state(model, random, after));
        Data data(model);
        must(forward_kinematics(model, data, before.q, before.yd, before.ydd));
        const VectorXd frames = frames_of(model, data);
        for (const Call& call : calls()) {
            INFO(name << ", " << call.name);
            call.run(model, data, after);
            CHECK(frames_of(model, data) == frames);
        }
        must(factor(model, data, before.q, before.yd));
        const VectorXd ydd = solved(model, data, before.tau);
        for (const Call& call : calls()) {
            INFO(name << ", " << call.name);
            if (leaves_factors(call.name)) continue;
            call.run(model, data, after);
            CHECK(solved(model, data, before.tau) == ydd);
        }
        must(forward_kinematics(model, data, after.q));
        CHECK(solved(model, data, before.tau) == ydd);
    }
}

TEST_CASE("a missing call is named") {
    const Model& model = named("four_bar").model;
    Data data(model);
    const int frame = model.body_frame[0];
    VectorXd x = VectorXd::Ones(model.nv);
    grbda::Matrix6Xd J(6, model.nv);
    CHECK(
        contains(message_of([&] { frame_position(model, data, frame); }), "call forward_kinematics() first"));
    CHECK(contains(message_of([&] { frame_jacobian(model, data, frame, kWorld, J); }),
                   "call forward_kinematics() first"));
    CHECK(contains(message_of([&] { must(solve(model, data, x, x)); }), "call factor() with yd first"));
    CHECK(contains(message_of([&] { must(inverse_mass_times(model, data, x, x)); }),
                   "call factor() or aba() first"));
    CHECK(
        contains(message_of([&] { must(motor_forces(model, data, x)); }), "call actuation_jacobian() first"));
    CHECK(contains(message_of([&] { conditioning(model, data, 0); }), "call forward_kinematics() first"));
    CHECK_THROWS_AS(must(actuation_jacobian(model, data, x)),
                    std::invalid_argument);  // a wrong size leaves no Jacobian
    CHECK(
        contains(message_of([&] { must(motor_forces(model, data, x)); }), "call actuation_jacobian() first"));
    const Data other(named("tello").model);
    CHECK(contains(message_of([&] { frame_position(model, other, frame); }), "another model"));
    const Data moved = std::move(data);
    CHECK(contains(message_of([&] { must(aba(model, data, x, x, x)); }), "moved from"));
}

TEST_CASE("a copy of Data is independent") {
    const Robot& robot = named("tello");
    const Model& model = robot.model;
    Random random(814);
    State before, after;
    REQUIRE(random_state(model, random, before));
    REQUIRE(random_state(model, random, after));
    Data data(model);
    must(forward_kinematics(model, data, before.q, before.yd, before.ydd));
    must(factor(model, data, before.q, before.yd));
    must(actuation_jacobian(model, data, before.q));
    must(crba(model, data, before.q));
    const VectorXd frames = frames_of(model, data), ydd = solved(model, data, before.tau);
    const MatrixXd M = data.M;
    Data copy = data, assigned(model);
    assigned = data;
    must(forward_kinematics(model, data, after.q, after.yd, after.ydd));
    must(factor(model, data, after.q, after.yd));
    must(crba(model, data, after.q));
    for (Data* each : {&copy, &assigned}) {
        CHECK(frames_of(model, *each) == frames);
        CHECK(solved(model, *each, before.tau) == ydd);
        CHECK(each->M == M);
        must(motor_forces(model, *each, before.tau));
        CHECK(relative(each->J_motors.transpose() * each->tau_motors, before.tau) < 1e-9);
    }
    CHECK(frames_of(model, data) != frames);
}

TEST_CASE("a choice of coordinates holds for all functions") {
    const Robot& robot = named("four_bar");
    const Model& model = robot.model;
    Random random(815);
    State x;
    REQUIRE(random_state(model, random, x));
    Data data(model);
    must(forward_kinematics(model, data, x.q, x.yd));
    const Eigen::Vector3d place = frame_position(model, data, 1);
    must(spanning_velocity(model, data, x.q, x.yd));
    const VectorXd qd = data.qd;
    must(take_tangents(model, data, x.q));
    CHECK(frame_position(model, data, 1) == place);  // poses do not depend on the coordinates
    grbda::Matrix6Xd J(6, model.nv);
    CHECK(contains(message_of([&] { frame_jacobian(model, data, 1, kWorld, J); }), "have changed since"));

    VectorXd rate(model.nv);
    independent_part(model, data, qd, rate);
    must(forward_kinematics(model, data, x.q, rate));
    const grbda::Vector6d twist = frame_velocity(model, data, 1, kWorld);
    must(aba(model, data, x.q, rate, VectorXd::Zero(model.nv)));
    must(spanning_acceleration(model, data, x.q, rate, data.ydd));
    const VectorXd falling = data.qdd;

    Data other(model);
    must(forward_kinematics(model, other, x.q, x.yd));
    CHECK(relative(twist, frame_velocity(model, other, 1, kWorld)) < 1e-10);
    must(aba(model, other, x.q, x.yd, VectorXd::Zero(model.nv)));
    must(spanning_acceleration(model, other, x.q, x.yd, other.ydd));
    CHECK(relative(falling, other.qdd) < 1e-9);

    other.set_chart(data.chart());
    must(aba(model, other, x.q, rate, VectorXd::Zero(model.nv)));
    CHECK(other.ydd == data.ydd);
    restore_coordinates(model, data);
    must(aba(model, data, x.q, x.yd, VectorXd::Zero(model.nv)));
    Data fresh(model);
    must(aba(model, fresh, x.q, x.yd, VectorXd::Zero(model.nv)));
    CHECK(data.ydd == fresh.ydd);
}

TEST_CASE("results of a failed call are NaN") {
    const Model& model = named("four_bar").model;
    Data data(model);
    const VectorXd q = neutral_configuration(model), nan = VectorXd::Constant(model.nv, std::nan(""));
    const VectorXd zero = VectorXd::Zero(model.nv);
    must(aba(model, data, q, zero, zero));
    must(step_derivatives(model, data, grbda::Integrator::semi_implicit_euler, q, zero, zero, 1e-3));
    CHECK(aba(model, data, q, nan, zero).status == grbda::Status::not_finite);
    CHECK(data.ydd.array().isNaN().all());
    CHECK_FALSE(
        step_derivatives(model, data, grbda::Integrator::semi_implicit_euler, q, nan, zero, 1e-3).ok());
    for (const MatrixXd* x : {&data.dnext_dx, &data.dnext_dtau}) CHECK(x->array().isNaN().all());
    for (const VectorXd* x : {&data.dnext_dh, &data.q_next, &data.yd_next}) CHECK(x->array().isNaN().all());
    VectorXd delta = zero;
    CHECK_FALSE(difference(model, data, q, VectorXd::Constant(model.nq, std::nan("")), delta).ok());
    CHECK(delta.array().isNaN().all());
    CHECK_FALSE(joint_forces(model, data, q, VectorXd::Constant(model.nv_tree, std::nan(""))).ok());
    for (const VectorXd* x : {&data.tau, &data.tau_tree}) CHECK(x->array().isNaN().all());
}
