#include <cmath>

#include <catch2/catch.hpp>

#include "baselines_fixture.hpp"
#include "grbda/algorithms/aba.hpp"
#include "grbda/algorithms/closure.hpp"
#include "grbda/algorithms/configuration.hpp"
#include "grbda/algorithms/crba.hpp"
#include "grbda/algorithms/embedding.hpp"
#include "grbda/algorithms/energy.hpp"
#include "grbda/algorithms/rnea.hpp"
#include "grbda/kernels/closure.hpp"

// Helical joints by hand: a nut on a screw, and a lead screw that lifts what a rail keeps from turning.

namespace {

using namespace baselines_fixture;
using grbda::JointType;

constexpr double kGravity = 9.81;
constexpr double kPitch = -0.05, kMass = 2, kMoment = 0.03, kArm = 0.4;  // of the nut, about its own centre
constexpr double kScrew = 0.007;                                         // moment of the screw
constexpr double kRounding = 1e-13;

grbda::Inertial nut() {
    grbda::Inertial inertial{kMass, {kArm, 0, 0.1}, {}};
    inertial.inertia = Eigen::Vector3d(0.02, 0.04, kMoment).asDiagonal();
    return inertial;
}

/// A nut on a vertical screw that stands still, or that turns while a rail lets the nut slide only.
grbda::RobotDescription lead_screw(bool turns) {
    grbda::RobotDescription robot = empty_robot("lead screw");
    const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
    grbda::Inertial screw{1, {0, 0, 0.5}, {}};
    screw.inertia = Eigen::Vector3d(0.1, 0.1, kScrew).asDiagonal();
    robot.links.push_back(make_link("screw", screw));
    robot.links.push_back(make_link("nut", nut()));
    const JointType type = turns ? JointType::revolute : JointType::fixed;
    robot.joints.push_back(make_joint("motor", type, "ground", "screw", shift(1, 2, 0), z));
    robot.joints.push_back(make_joint("thread", JointType::helical, "screw", "nut", shift(0, 0, 0.3), 3 * z));
    robot.joints.back().pitch = kPitch;
    if (!turns) return robot;
    robot.joints.front().independent = true;
    grbda::LoopDescription rail;
    rail.name = "rail";
    rail.type = grbda::LoopType::prismatic;
    rail.predecessor = "ground";
    rail.successor = "nut";
    rail.predecessor_origin = shift(1, 2, 0.3);
    rail.axis = z;
    robot.loops.push_back(rail);
    return robot;
}

/// One freedom of constant inertia under a constant force: M ÿ + bias = τ, and the energy that belongs to it.
void check_constant(const grbda::Model& model, const Eigen::VectorXd& q, double M, double bias) {
    grbda::Data<double> data(model);
    const Eigen::VectorXd yd = Eigen::VectorXd::Constant(1, 1.7), ydd = Eigen::VectorXd::Constant(1, -2.3);
    Eigen::MatrixXd found(1, 1);
    REQUIRE(grbda::crba<double>(model, data, q, found).ok());
    CHECK(std::abs(found(0, 0) - M) < kRounding);
    REQUIRE(grbda::rnea<double>(model, data, q, yd, ydd).ok());
    CHECK(std::abs(data.tau[0] - (M * ydd[0] + bias)) < kRounding * kGravity);
    const Eigen::VectorXd tau = data.tau;
    REQUIRE(grbda::aba<double>(model, data, q, yd, tau).ok());
    CHECK(std::abs(data.ydd[0] - ydd[0]) < 1e-11);
    grbda::MechanicalState<double> energy;
    REQUIRE(grbda::mechanical_state<double>(model, data, q, yd, energy).ok());
    CHECK(std::abs(energy.kinetic - M * yd[0] * yd[0] / 2) < kRounding);
}

}  // namespace

TEST_CASE("a nut on a screw falls and spins as one freedom") {
    const grbda::Model model = grbda::build_model(lead_screw(false));
    REQUIRE(model.nv == 1);
    // T = ½ (I + m r²) q̇² + ½ m (h q̇)², V = m g h q: the centre stays r from the axis
    const double M = kMoment + kMass * kArm * kArm + kMass * kPitch * kPitch;
    for (const double angle : {0.0, 0.8, -40.0})
        check_constant(model, Eigen::VectorXd::Constant(1, angle), M, kMass * kGravity * kPitch);
}

TEST_CASE("a lead screw lifts its nut by the pitch for each radian") {
    const grbda::Model model = grbda::build_model(lead_screw(true));
    REQUIRE(model.nv == 1);
    grbda::Data<double> data(model);
    for (const double angle : {0.3, -12.0}) {
        Eigen::VectorXd q = grbda::neutral_configuration(model);
        q << angle, -angle;  // the nut does not turn, so that it turns back on the screw
        CHECK(grbda::closure_residual<double>(model, data, q).residual < kRounding);
        REQUIRE(grbda::spanning_velocity<double>(model, data, q, Eigen::VectorXd::Ones(1)).ok());
        CHECK((data.qd - Eigen::Vector2d(1, -1)).norm() < kRounding);
        check_constant(model, q, kScrew + kMass * kPitch * kPitch, -kMass * kGravity * kPitch);
    }
}

TEST_CASE("whole turns of a helical joint move its body, so that closing leaves none of them out") {
    const grbda::Model model = grbda::build_model(lead_screw(true));
    for (const grbda::Body& body : model.bodies) {
        const grbda::Cluster& cluster = model.clusters[static_cast<std::size_t>(body.cluster)];
        CHECK(grbda::kernels::turns_freely(model, cluster, body, 0) == (body.joint == JointType::revolute));
    }
    grbda::Data<double> data(model);
    const double turns = 20 * 2 * M_PI;
    Eigen::VectorXd q(2);
    REQUIRE(grbda::integrate<double>(model, data, grbda::neutral_configuration(model),
                                     Eigen::VectorXd::Constant(1, turns), q)
                .ok());
    CHECK((q - grbda::neutral_configuration(model) - turns * Eigen::Vector2d(1, -1)).norm() < 1e-9);
}
