#include <cmath>
#include <numbers>

#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "support/baselines_fixture.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Through configurations where assembly modes cross a motion goes straight on: velocities are continuous
// there.

namespace {

using namespace test_robots;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Status;

constexpr double kTurn = 2 * std::numbers::pi;

struct Turned {
    int crossings = 0;  ///< steps that integrate() does not make
    double bend = 0;    ///< largest change of q̇ in a step, at 1 rad/s of the joint
    double residual = 0;
    VectorXd q;
};

/// Turns one joint once around, all other coordinates fixed.
Turned turn(const Model& model, VectorXd q, const std::string& joint, int steps) {
    grbda::Workspace<double> data(model);
    const grbda::Body& body = model.bodies[model.joint(joint).index];
    must(grbda::prefer_coordinates<double>(model, data, q, std::vector<int>{body.v}));
    VectorXd along = VectorXd::Zero(model.nv), before, next = q;
    const auto coordinates = grbda::independent_coordinates(model, data.chart);
    for (Eigen::Index i = 0; i < along.size(); ++i)
        if (&model.bodies[coordinates[static_cast<std::size_t>(i)].body] == &body) along[i] = 1;
    REQUIRE(along.sum() == 1);
    const VectorXd step = along * kTurn / steps;
    Turned turned;
    for (int i = 0; i < steps; ++i) {
        must(grbda::spanning_velocity<double>(model, data, q, along));
        if (i > 0) turned.bend = std::max(turned.bend, (data.qd - before).cwiseAbs().maxCoeff());
        before = data.qd;
        if (!grbda::integrate<double>(model, data, q, step, next).ok()) ++turned.crossings;
        must(grbda::pass_change_points<double>(model, data, q, step, next));
        CHECK(std::abs(next[body.q] - q[body.q] - kTurn / steps) < 1e-12);
        q = next;
        turned.residual = std::max(turned.residual, grbda::closure_residual<double>(model, data, q).residual);
    }
    turned.q = q;
    return turned;
}

/// Closed, with the independent joints at no round number.
VectorXd start(const Model& model) {
    grbda::Workspace<double> data(model);
    VectorXd q(model.nq);
    must(grbda::integrate<double>(model, data, grbda::neutral_configuration(model),
                                  VectorXd::Constant(model.nv, 0.0123), q));
    return q;
}

/// A planar four-bar: crank, coupler, rocker and the ground between their pivots, m.
Model four_bar(double crank, double coupler, double rocker, double ground) {
    using baselines_fixture::make_joint, baselines_fixture::shift;
    using grbda::JointType;
    grbda::RobotDescription robot = baselines_fixture::empty_robot("four-bar");
    const grbda::Inertial inertial{1, {0, 0, 0}, 0.01 * Eigen::Matrix3d::Identity()};
    for (const char* name : {"crank", "coupler", "rocker"})
        robot.links.push_back(baselines_fixture::make_link(name, inertial));
    const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
    robot.joints = {
        make_joint("crank_joint", JointType::continuous, "ground", "crank", {}, z),
        make_joint("coupler_joint", JointType::continuous, "crank", "coupler", shift(crank, 0, 0), z),
        make_joint("rocker_joint", JointType::continuous, "ground", "rocker", shift(ground, 0, 0), z)};
    robot.joints[0].independent = true;
    grbda::LoopDescription loop;
    loop.name = "pin";
    loop.predecessor = "coupler";
    loop.successor = "rocker";
    loop.axis = z;
    loop.predecessor_origin = shift(coupler, 0, 0);
    loop.successor_origin = shift(rocker, 0, 0);
    robot.loops = {loop};
    robot.start = {{"crank_joint", {1.0}}};
    return grbda::build_model(robot, grbda::LoadOptions{});
}

}  // namespace

TEST_CASE("a parallelogram stays one through a whole turn") {
    const Model& model = named("four_bar").model;
    const VectorXd q0 = 0.0123 * Eigen::Vector3d(1, -1, 1);
    for (const int steps : {11, 60, 359}) {
        INFO(steps << " steps");
        const Turned turned = turn(model, q0, "joint1", steps);
        CHECK(turned.crossings == 2);
        CHECK(turned.residual < 1e-12);
        CHECK(turned.bend < 1e-9);  // its joints turn alike
        const VectorXd moved = turned.q - q0;
        CHECK((moved - kTurn * Eigen::Vector3d(1, -1, 1)).norm() < 1e-9);
    }
}

TEST_CASE("a leg's linkage goes straight on at both of its change points") {
    const Model& model = named("planar_leg_linkage").model;
    const Turned turned = turn(model, start(model), "thigh_to_driver", 359);
    CHECK(turned.crossings == 2);
    CHECK(turned.residual < 1e-12);
    CHECK(turned.bend < 0.1);
}

TEST_CASE("a linkage that lies flat once in a turn is in its other mode after it, in its own after two") {
    constexpr double crank = 1, coupler = 2.5, rocker = 2, ground = 3.5;  // crank + ground = coupler + rocker
    const Model model = four_bar(crank, coupler, rocker, ground);
    const VectorXd q0 = start(model);
    const int joint = model.joint("rocker_joint").q.first, drive = model.joint("crank_joint").q.first;
    const Turned once = turn(model, q0, "crank_joint", 359), twice = turn(model, once.q, "crank_joint", 359);
    CHECK(once.crossings == 1);
    CHECK(twice.crossings == 1);
    CHECK(std::max(once.bend, twice.bend) < 0.1);
    // the pin is at the intersections of two circles: mirrored at the line between crank's end and pivot
    const Eigen::Vector2d end(crank * std::cos(q0[drive]), crank * std::sin(q0[drive])), pivot(ground, 0);
    const Eigen::Vector2d line = (end - pivot).normalized(), pin(std::cos(q0[joint]), std::sin(q0[joint]));
    const Eigen::Vector2d mirrored = 2 * line * line.dot(pin) - pin;
    const Eigen::Vector2d found(std::cos(once.q[joint]), std::sin(once.q[joint]));
    CHECK((found - mirrored).norm() < 1e-9);
    CHECK(std::abs(std::remainder(twice.q[joint] - q0[joint], kTurn)) < 1e-9);
}

TEST_CASE("a step ends where its mode ends") {
    // no Grashof linkage: its crank comes to a stop, where coupler and rocker are in line
    const Model model = four_bar(1, 0.9, 0.8, 1.5);
    grbda::Workspace<double> data(model);
    const VectorXd q = grbda::neutral_configuration(model);
    VectorXd folded(model.nq), passed(model.nq);
    const VectorXd far = VectorXd::Constant(1, 2);
    CHECK(grbda::integrate<double>(model, data, q, far, folded).status == Status::fold);
    CHECK(grbda::pass_change_points<double>(model, data, q, far, passed).status == Status::fold);
    CHECK(grbda::closure_residual<double>(model, data, passed).ok());
    CHECK((passed - folded).norm() < 1e-2);
    must(grbda::pass_change_points<double>(model, data, q, VectorXd::Constant(1, 0.01), passed));
    must(grbda::integrate<double>(model, data, q, VectorXd::Constant(1, 0.01), folded));
    CHECK(passed == folded);
}
