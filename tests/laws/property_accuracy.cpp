#include <algorithm>
#include <cmath>
#include <optional>

#include "benchmarks/families.hpp"
#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "closing/closure.hpp"
#include "laws/long_chain.hpp"
#include "support/robots.hpp"

// On every robot, far from the world's origin, and towards singular configurations.

namespace {

using namespace test_robots;

constexpr int kStates = 3;
constexpr double kRounding = 2.2e-16;
constexpr int kRoundings = 3;  // of the model's numbers, for the largest effect of one
constexpr double kOwn = 2e-14, kMore = 20;
constexpr double kFar = 1e-11;  // the common frame is at the robot
// Several ends on the ground: 10 km away their placements round to 1e-12 m, distances of some decimetres thus
// to 1e-11; over rcond(K_d), at least 5e-3, twice.
constexpr double kFarLoops = 4e-7;
constexpr double kTrusted = 1e-4;  // what a result called ok may be off near a singularity

/// The robot on a ground 10 km away from its own.
grbda::RobotDescription moved_away(grbda::RobotDescription robot, const std::string& root) {
    robot.links.insert(robot.links.begin(), grbda::LinkDescription{"far ground", {}, {}});
    grbda::JointDescription joint;
    joint.name = "far ground joint";
    joint.type = grbda::JointType::fixed;
    joint.parent = "far ground";
    joint.child = root;
    joint.origin.translation << 8000, -5000, 3000;
    robot.joints.push_back(joint);
    return robot;
}

/// ÿ in long double, the loops closed in long double at the same independent coordinates.
double precise(const grbda::Model& model, const Eigen::VectorXd& q, double velocity, double force) {
    using Long = long double;
    grbda::Workspace<Long> data(model);
    std::vector<Long> position(q.data(), q.data() + q.size());
    const std::vector<Long> yd(1, velocity), tau(1, force);
    REQUIRE(grbda::closing::close_loops<Long>(model, data, position.data()).ok());
    Long ydd = 0;
    grbda::kernels::aba<Long>(model, data, position.data(), yd.data(), tau.data(), nullptr, &ydd);
    return static_cast<double>(ydd);
}

void round_off(Random& random, double& x) {
    x *= 1 + std::uniform_real_distribution<double>(-1, 1)(random) * kRounding;
}
void round_off(Random& random, grbda::Vector3<double>& v) {
    for (double* x : {&v.x, &v.y, &v.z}) round_off(random, *x);
}

/// The model with its numbers changed by a rounding error.
grbda::Model rounded(const grbda::Model& model, Random& random) {
    grbda::Model other = model;
    for (grbda::Body& body : other.bodies) {
        round_off(random, body.position);
        round_off(random, body.com);
        round_off(random, body.mass);
        round_off(random, body.inertia);
        round_off(random, body.middle);
        round_off(random, body.largest);
    }
    for (grbda::Loop& loop : other.loops) {
        round_off(random, loop.predecessor.position);
        round_off(random, loop.successor.position);
    }
    return other;
}

/// ÿ in long double at a state whose loops close in long double; q becomes this state.
std::optional<Eigen::VectorXd> exact_acceleration(const grbda::Model& model, const State& state,
                                                  Eigen::VectorXd& q) {
    using Long = long double;
    grbda::Workspace<Long> data(model);
    std::vector<Long> position(q.data(), q.data() + q.size()), ydd(state.yd.size());
    const std::vector<Long> yd(state.yd.begin(), state.yd.end()), tau(state.tau.begin(), state.tau.end());
    if (!grbda::closing::close_loops<Long>(model, data, position.data()).ok()) return std::nullopt;
    grbda::kernels::aba<Long>(model, data, position.data(), yd.data(), tau.data(), nullptr, ydd.data());
    for (Eigen::Index i = 0; i < q.size(); ++i)
        q[i] = static_cast<double>(position[grbda::at(static_cast<int>(i))]);
    Eigen::VectorXd result(model.nv);
    for (int i = 0; i < model.nv; ++i) result[i] = static_cast<double>(ydd[grbda::at(i)]);
    return result;
}

/// aba() may err by what a rounding error of the model's numbers does at the worst state, and by some of ÿ's
/// own.
void check_accuracy(const Robot& robot, int states) {
    const grbda::Model& model = robot.model;
    grbda::Workspace<double> data(model);
    Random random(86);
    State state;
    double error = 0, rounding = 0;  // relative
    for (int i = 0; i < states && random_state(model, random, state); ++i) {
        Eigen::VectorXd q = state.q;
        const std::optional<Eigen::VectorXd> exact = exact_acceleration(model, state, q);
        if (!exact) continue;
        for (int k = 0; k < kRoundings; ++k) {
            Eigen::VectorXd moved = q;
            const std::optional<Eigen::VectorXd> other =
                exact_acceleration(rounded(model, random), state, moved);
            if (other) rounding = std::max(rounding, (*other - *exact).norm() / exact->norm());
        }
        REQUIRE(grbda::aba<double>(model, data, q, state.yd, state.tau).ok());
        error = std::max(error, (data.ydd - *exact).norm() / exact->norm());
    }
    INFO(robot.name << ", as parts of 1e-16: error " << error * 1e16 << ", rounding " << rounding * 1e16);
    CHECK(error <= kOwn + kMore * rounding);
}

/// A long arm with a finger of three light links at its end.
grbda::RobotDescription arm_with_finger() {
    grbda::RobotDescription robot;
    robot.name = "arm with finger";
    robot.links.push_back({"base", {}, {}});
    for (int i = 0; i < 6; ++i) {
        const bool is_finger = i > 2;
        const double length = is_finger ? 0.02 : 0.6, mass = is_finger ? 0.005 : 6,
                     turned = mass * length * length / 12;
        const Eigen::Matrix3d inertia = Eigen::Vector3d(0.2 * turned, turned, turned).asDiagonal();
        robot.links.push_back(
            {long_chain::link(i), grbda::Inertial{mass, {0.5 * length, 0, 0}, inertia}, {}});
        grbda::JointDescription joint;
        joint.name = long_chain::joint(i);
        joint.type = grbda::JointType::continuous;
        joint.parent = i == 0 ? "base" : long_chain::link(i - 1);
        joint.child = long_chain::link(i);
        joint.origin.translation = {i == 0 ? 0 : i > 3 ? 0.02 : 0.6, 0, 0};
        joint.axis = i % 2 == 0 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d(1, 0, 1).normalized();
        robot.joints.push_back(joint);
    }
    return robot;
}

/// Joints, loops and couplings that meet the ground in more than one place.
bool stands_on_several_feet(const grbda::Model& model) {
    int ends = 0;
    for (const grbda::Body& body : model.bodies) ends += body.parent == grbda::world ? 1 : 0;
    for (const grbda::Loop& loop : model.loops)
        ends += loop.predecessor.body == grbda::world || loop.successor.body == grbda::world ? 1 : 0;
    return ends > 1;
}

/// Sweeps the only coordinate of a robot towards `singular`.
void sweep(const grbda::Model& model, double singular, double first) {
    grbda::Workspace<double> data(model);
    Eigen::VectorXd q = grbda::neutral_configuration(model);
    const grbda::Coordinate y = grbda::independent_coordinates(model).front();
    const int at = model.bodies[y.body].q + y.component;
    int answered = 0;
    for (double distance = first; std::abs(distance) > 1e-18; distance *= 0.3) {
        INFO("distance " << distance);
        q[at] = singular + distance;
        if (!grbda::close_loops<double>(model, data, q).ok()) continue;
        const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
        const grbda::Result result = grbda::aba<double>(model, data, q, one, one);
        if (!result.ok()) {
            CHECK(std::isnan(data.ydd[0]));
            continue;
        }
        ++answered;
        const double expected = precise(model, q, 1, 1);
        CHECK(std::abs(data.ydd[0] - expected) <= kTrusted * std::abs(expected));
    }
    CHECK(answered > 3);
}

/// Distance that the only coordinate of a robot moves from zero before the loops cannot be closed.
double reach(const grbda::Model& model, double direction) {
    grbda::Workspace<double> data(model);
    Eigen::VectorXd q = grbda::neutral_configuration(model);
    double way = 0;
    for (double step = 0.02; step > 1e-14; step /= 2)
        for (bool closed = true; closed;) {
            Eigen::VectorXd next = q;
            next[0] = direction * (way + step);
            closed = grbda::close_loops<double>(model, data, next).ok();
            if (!closed) continue;
            q = next;
            way += step;
            REQUIRE(way < 7);  // once round: it does not stop
        }
    return way;
}

}  // namespace

TEST_CASE("a robot 10 km away moves as it does here") {
    at_random_states(all(), kStates, 81, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        const grbda::Model other =
            grbda::build_model(moved_away(robot.description, model.names.root), robot.options);
        grbda::Workspace<double> far(other);
        REQUIRE(other.names.joints == model.names.joints);
        REQUIRE(other.independent == model.independent);
        Eigen::VectorXd q = state.q;
        REQUIRE(grbda::close_loops<double>(other, far, q).ok());
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
        const Eigen::VectorXd tau = data.tau;
        REQUIRE(grbda::rnea<double>(other, far, q, state.yd, state.ydd, state.wrenches).ok());
        const double tolerance = stands_on_several_feet(model) ? kFarLoops : kFar;
        CHECK(relative(far.tau, tau) < tolerance);
        Eigen::MatrixXd M(model.nv, model.nv), far_M(model.nv, model.nv);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        REQUIRE(grbda::crba<double>(other, far, q, far_M).ok());
        CHECK(relative(far_M, M) < tolerance);
        REQUIRE(grbda::aba<double>(other, far, q, state.yd, tau, state.wrenches).ok());
        const Eigen::VectorXd difference =
            far.ydd - state.ydd;  // as forces: it grows with the condition of M
        CHECK((M * difference).norm() < tolerance * (1 + tau.norm()));
    });
}

TEST_CASE("a floating robot 10 km away moves as it does here") {
    for (const char* name : {"mini_cheetah", "mit_humanoid", "tello"}) {
        INFO(name);
        const grbda::Model& model = named(name).model;
        grbda::Workspace<double> data(model);
        Random random(82);
        State state;
        REQUIRE(random_state(model, random, state));
        REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
        const Eigen::VectorXd ydd = data.ydd;
        state.q.head<3>() += Eigen::Vector3d(8000, -5000, 3000);
        REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
        CHECK(relative(data.ydd, ydd) < kFar);
    }
}

TEST_CASE("forward dynamics is as accurate as the model's numbers are") {
    constexpr int states = 20;
    for (const Robot& robot : published()) check_accuracy(robot, states);
    const grbda::RobotDescription arm = arm_with_finger();
    check_accuracy({arm.name, arm, {}, grbda::build_model(arm)}, states);
}

TEST_CASE("a four-bar that becomes flat is right or not ok") {
    sweep(named("four_bar").model, 0, 0.3);
    sweep(named("four_bar").model, 3.141592653589793, -0.3);
}

TEST_CASE("a slider-crank driven at its slider is right or not ok up to the dead centre") {
    grbda::RobotDescription robot = named("slider_crank").description;
    for (grbda::JointDescription& joint : robot.joints)
        joint.independent = joint.type == grbda::JointType::prismatic;
    robot.start = {{"crank_joint", {0.8}}};
    const grbda::Model model = grbda::build_model(robot);
    sweep(model, 0, -0.02);  // stretched at zero
}

TEST_CASE("a spatial linkage of seven joints is right or not ok up to the limit of its first joint") {
    const grbda::Model model = grbda::build_model(grbda::benchmarks::spatial_linkage());
    REQUIRE(model.nv == 1);
    REQUIRE(model.clusters.front().dependents() == 5);
    for (const double direction : {1, -1}) {
        const double end = direction * reach(model, direction);
        sweep(model, end, -0.3 * direction);
    }
}
