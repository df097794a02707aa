#include <algorithm>
#include <cmath>

#include "grbda/baselines/baselines.hpp"
#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "support/dense.hpp"
#include "support/described.hpp"
#include "support/robots.hpp"
#include "constraints/coordinates.hpp"

// Robots whose mobility and kinematics are published. The READMEs in robots/ have their figures.

namespace {

using namespace test_robots;
using Eigen::Vector3d;
using Eigen::VectorXd;
using grbda::Model;

constexpr int kStates = 30;
constexpr double kClosed = 1e-9;  // m or rad, of loops that close to 1e-10 of the robot

double joint_position(const Model& model, const VectorXd& q, const std::string& joint) {
    return described::position(model, q, joint)[0];
}

struct Placed {
    Vector3d position;
    Eigen::Matrix3d orientation;
};
Placed placed(const Model& model, const VectorXd& q, const std::string& frame) {
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    const int index = model.frame(frame).index;
    return {grbda::frame_position<double>(model, data, index),
            grbda::frame_orientation<double>(model, data, index)};
}

/// Rank of K at q, by singular values.
int rank_at(const Model& model, const VectorXd& q) {
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::constraint_embedding<double>(model, data, q, VectorXd::Zero(model.nv)).ok());
    const VectorXd values = dense::singular_values(grbda::implicit_jacobian(model, data));
    return static_cast<int>((values.array() > 1e-9 * values[0]).count());
}

/// Angle of the arm of leg i = 0, 1, 2 of the delta robot with its platform there.
double delta_arm(const Vector3d& platform, int i) {
    const double wB = 0.164, uP = 0.044, L = 0.524, l = 1.244;
    const double phi = (4 * i - 3) * M_PI / 6;
    const Vector3d p = Eigen::AngleAxisd(-phi, Vector3d::UnitZ()) * platform;  // x outwards
    // |wrist − elbow| = l with the elbow at wB + L cos θ, −L sin θ:  E cos θ + F sin θ = G
    const double x = p.x() + uP - wB;
    const double E = 2 * L * x, F = -2 * L * p.z(), G = x * x + p.y() * p.y() + p.z() * p.z() + L * L - l * l;
    return std::atan2(F, E) - std::acos(G / std::hypot(E, F));
}

double degrees(double radians) { return radians * 180 / M_PI; }

const std::string kArms[] = {"arm1", "arm2", "arm3"};

}  // namespace

TEST_CASE("the delta robot's platform keeps its orientation, and its arms follow the closed form") {
    const Model& model = named("delta").model;
    REQUIRE(model.nv == 3);
    Random random(96);
    for (int i = 0; i < kStates; ++i) {
        const VectorXd q = grbda::random_configuration(model, random);
        const Placed platform = placed(model, q, "platform");
        CHECK((platform.orientation - Eigen::Matrix3d::Identity()).norm() < kClosed);
        for (int leg = 0; leg < 3; ++leg)
            CHECK(std::abs(joint_position(model, q, kArms[leg]) - delta_arm(platform.position, leg)) <
                  100 * kClosed);
    }
}

TEST_CASE("the delta robot reproduces the examples of its source") {
    // Williams 2015: θ = −20.5° thrice at (0, 0, −0.9); 47.5°, −11.6°, 21.4° at (0.3, 0.5, −1.1)
    const Model& model = named("delta").model;
    grbda::Workspace<double> data(model);
    const std::pair<Vector3d, Vector3d> examples[] = {{{0, 0, -0.9}, {-20.5, -20.5, -20.5}},
                                                      {{0.3, 0.5, -1.1}, {47.5, -11.6, 21.4}}};
    for (const auto& [position, angles] : examples) {
        VectorXd q = grbda::neutral_configuration(model);
        for (int leg = 0; leg < 3; ++leg) {
            const double angle = delta_arm(position, leg);
            CHECK(std::abs(degrees(angle) - angles[leg]) < 0.05);
            q[model.joint(kArms[leg]).q.first] = angle;
        }
        REQUIRE(grbda::close_loops<double>(model, data, q).ok());
        CHECK((placed(model, q, "platform").position - position).norm() < kClosed);
    }
}

TEST_CASE("the Stewart platform's legs are as long as its pose asks") {
    const Robot& robot = named("stewart_platform");
    const Model& model = robot.model;
    REQUIRE(model.nv == 6);
    Random random(97);
    double moved = 0;
    for (int i = 0; i < kStates; ++i) {
        const VectorXd q = grbda::random_configuration(model, random);
        const Placed platform = placed(model, q, "platform");
        moved = std::max(moved, (platform.orientation - Eigen::Matrix3d::Identity()).norm());
        for (int leg = 0; leg < 6; ++leg) {
            const double away = (leg / 2) * 2 * M_PI / 3, side = leg % 2 == 0 ? -1 : 1, apart = M_PI / 15;
            const double base = away + side * apart, corner = away + side * (M_PI / 3 - apart);
            const Vector3d at_base(0.6 * std::cos(base), 0.6 * std::sin(base), 0);
            const Vector3d at_platform(0.4 * std::cos(corner), 0.4 * std::sin(corner), 0);
            const double home = (at_platform + 0.8 * Vector3d::UnitZ() - at_base).norm();
            const double length = (platform.position + platform.orientation * at_platform - at_base).norm();
            CHECK(std::abs(home + joint_position(model, q, "leg" + std::to_string(leg + 1)) - length) <
                  kClosed);
        }
    }
    CHECK(moved > 0.1);
}

TEST_CASE(
    "the Kangaroo-like leg has the paper's count: 6 linear motors, 32 passive turns, 6 degrees of freedom") {
    const Model& model = full("kangaroo_leg").model;
    int turns = 0, slides = 0;
    for (const grbda::Body& body : model.bodies)
        for (int j = 0; j < grbda::velocity_size(body.joint); ++j)
            ++(grbda::is_freedom(body.joint, j, grbda::Freedom::slide) ? slides : turns);
    CHECK(turns == 32);
    CHECK(slides == 6);
    CHECK(model.nv == 6);
    for (const grbda::Coordinate& each : grbda::independent_coordinates(model))
        CHECK(model.bodies[each.body].joint == grbda::JointType::prismatic);
    Random random(98);
    // levers of 0.05 m turn metres into twenty radians: no state is tame for the laws of property_*.cpp
    grbda::Workspace<double> data(model);
    grbda::baselines::Workspace work(model);
    Eigen::MatrixXd M(6, 6);
    for (int i = 0; i < kStates; ++i) {
        const VectorXd q = grbda::random_configuration(model, random);
        const VectorXd yd = random_vector(random, 6, 0.1), tau = random_vector(random, 6, 100);
        CHECK(rank_at(model, q) == 32);
        const auto method = grbda::baselines::Method::dense_kkt;
        REQUIRE(
            grbda::baselines::forward_dynamics(method, model, work, q, yd, tau, Eigen::MatrixXd(6, 0)).ok());
        REQUIRE(grbda::aba<double>(model, data, q, yd, tau).ok());
        const VectorXd ydd = data.ydd;
        REQUIRE(grbda::crba<double>(model, data, q, M).ok());
        CHECK(relative_by_inertia(M, ydd, work.ydd) < 1e-6);
        REQUIRE(grbda::rnea<double>(model, data, q, yd, ydd).ok());
        CHECK(relative(data.tau, tau) < 1e-6);
    }
}

TEST_CASE("the two-legged Digit is two legs, one the mirror of the other") {
    const Model& one = named("digit_leg").model;
    const Model& both = named("digit").model;
    CHECK(both.nv == 6 + 2 * one.nv);
    CHECK(both.nv_tree == 6 + 2 * one.nv_tree);
    const auto mass_of = [](const grbda::RobotDescription& robot) {
        double mass = 0;
        for (const grbda::LinkDescription& link : robot.links)
            mass += link.inertial ? link.inertial->mass : 0;
        return mass;
    };
    const double torso = 3.24523224044, leg = mass_of(named("digit_leg").description) - torso;
    CHECK(mass_of(named("digit").description) == Approx(torso + 2 * leg));

    // both legs alike: the centre of mass stays in the plane of symmetry, and each alone brings the same
    // energy
    grbda::Workspace<double> leg_data(one), data(both);
    Random random(99);
    for (int i = 0; i < 5; ++i) {
        const VectorXd leg_q = grbda::random_configuration(one, random);
        const VectorXd leg_yd = random_vector(random, one.nv);
        REQUIRE(grbda::spanning_velocity<double>(one, leg_data, leg_q, leg_yd).ok());
        VectorXd q = grbda::neutral_configuration(both);
        VectorXd qd[2] = {VectorXd::Zero(both.nv_tree), VectorXd::Zero(both.nv_tree)};
        q.segment<7>(both.bodies.front().q) << 0, 0, 0, 0, 0, 0, 1;
        const std::string sides[2] = {"left_", "right_"};
        for (int side = 0; side < 2; ++side)
            for (int body = 0; body < one.body_count(); ++body) {
                const grbda::Body& from = one.bodies[body];
                const grbda::Body& to = both.bodies[both.joint(sides[side] + one.names.joints[body]).index];
                q[to.q] = leg_q[from.q];
                qd[side][to.v] = leg_data.qd[from.v];
            }
        REQUIRE(grbda::closure_residual<double>(both, data, q).ok());
        double energy[2];
        for (int side = 0; side < 2; ++side) {
            grbda::MechanicalState state;
            const VectorXd yd = grbda::independent_part(both, qd[side]);
            REQUIRE(grbda::mechanical_state<double>(both, data, q, yd, state).ok());
            energy[side] = state.kinetic;
            CHECK(std::abs(state.com.y()) < 1e-8);
        }
        CHECK(energy[0] == Approx(energy[1]).epsilon(1e-9));
        grbda::MechanicalState alone;
        REQUIRE(grbda::mechanical_state<double>(one, leg_data, leg_q, leg_yd, alone).ok());
        CHECK(energy[0] == Approx(alone.kinetic).epsilon(1e-9));
    }
}
