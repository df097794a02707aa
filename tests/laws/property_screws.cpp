#include <cmath>

#include <catch2/catch.hpp>

#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "closing/closure.hpp"
#include "support/baselines_fixture.hpp"

// Helical joints and loops by hand: a nut on a screw, a lead screw that lifts what a rail keeps from turning,
// cut at the rail and at the thread, and one that holds a crank's rod.

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

/// The same lead screw with the nut on its rail and the thread as the loop.
grbda::RobotDescription looped_screw() {
    grbda::RobotDescription robot = lead_screw(true);
    grbda::JointDescription& rail = robot.joints.back();
    rail =
        make_joint("rail", JointType::prismatic, "ground", "nut", shift(1, 2, 0.3), Eigen::Vector3d::UnitZ());
    grbda::LoopDescription& thread = robot.loops.front();
    thread.name = "thread";
    thread.type = grbda::LoopType::helical;
    thread.predecessor = "screw";
    thread.predecessor_origin = shift(0, 0, 0.3);
    thread.axis *= 3;
    thread.pitch = kPitch;
    return robot;
}

constexpr double kFine = 0.0005, kCrank = 0.2, kRod = 0.5;  // m/rad and m

/// A carriage on a rail along x carries a crank, whose rod ends in a nut on a fine screw along the same line.
grbda::RobotDescription crank_on_screw() {
    grbda::RobotDescription robot = empty_robot("crank on a screw");
    const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), z = Eigen::Vector3d::UnitZ();
    for (const char* name : {"screw", "carriage", "crank", "rod", "nut"})
        robot.links.push_back(make_link(name, nut()));
    robot.joints = {
        make_joint("motor", JointType::continuous, "ground", "screw", shift(kCrank + kRod, 0, 0), x),
        make_joint("rail", JointType::prismatic, "ground", "carriage", {}, x),
        make_joint("crank", JointType::continuous, "carriage", "crank", {}, z),
        make_joint("rod", JointType::continuous, "crank", "rod", shift(kCrank, 0, 0), z),
        make_joint("nut", JointType::continuous, "rod", "nut", shift(kRod, 0, 0), z)};
    for (grbda::JointDescription& joint : robot.joints)
        joint.independent = joint.name == "motor" || joint.name == "crank";
    grbda::LoopDescription thread;
    thread.name = "thread";
    thread.type = grbda::LoopType::helical;
    thread.predecessor = "screw";
    thread.successor = "nut";
    thread.axis = x;
    thread.pitch = kFine;
    robot.loops.push_back(thread);
    return robot;
}

/// One freedom of constant inertia under a constant force: M ÿ + bias = τ, and the energy that belongs to it.
void check_constant(const grbda::Model& model, const Eigen::VectorXd& q, double M, double bias) {
    grbda::Workspace<double> data(model);
    const Eigen::VectorXd yd = Eigen::VectorXd::Constant(1, 1.7), ydd = Eigen::VectorXd::Constant(1, -2.3);
    Eigen::MatrixXd found(1, 1);
    REQUIRE(grbda::crba<double>(model, data, q, found).ok());
    CHECK(std::abs(found(0, 0) - M) < kRounding);
    REQUIRE(grbda::rnea<double>(model, data, q, yd, ydd).ok());
    CHECK(std::abs(data.tau[0] - (M * ydd[0] + bias)) < kRounding * kGravity);
    const Eigen::VectorXd tau = data.tau;
    REQUIRE(grbda::aba<double>(model, data, q, yd, tau).ok());
    CHECK(std::abs(data.ydd[0] - ydd[0]) < 1e-11);
    grbda::MechanicalState energy;
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
    grbda::Workspace<double> data(model);
    for (const double angle : {0.3, -12.0}) {
        Eigen::VectorXd q = grbda::neutral_configuration(model);
        q << angle, -angle;  // the nut does not turn, so that it turns back on the screw
        CHECK(grbda::closure_residual<double>(model, data, q).residual < kRounding);
        REQUIRE(grbda::spanning_velocity<double>(model, data, q, Eigen::VectorXd::Ones(1)).ok());
        CHECK((data.qd - Eigen::Vector2d(1, -1)).norm() < kRounding);
        check_constant(model, q, kScrew + kMass * kPitch * kPitch, -kMass * kGravity * kPitch);
    }
}

TEST_CASE("whole turns of a helical joint move its body, and closing keeps them") {
    const grbda::Model model = grbda::build_model(lead_screw(true));
    for (const grbda::Body& body : model.bodies) {
        const grbda::Cluster& cluster = model.clusters[body.cluster];
        CHECK(grbda::closing::turns_freely(model, cluster, body, 0) == (body.joint == JointType::revolute));
    }
    const grbda::Model looped = grbda::build_model(looped_screw());
    for (const grbda::Body& body : looped.bodies)
        CHECK_FALSE(grbda::closing::turns_freely(looped, looped.clusters.front(), body, 0));
    grbda::Workspace<double> data(model);
    const double turns = 20 * 2 * M_PI;
    Eigen::VectorXd q(2);
    REQUIRE(grbda::integrate<double>(model, data, grbda::neutral_configuration(model),
                                     Eigen::VectorXd::Constant(1, turns), q)
                .ok());
    CHECK((q - grbda::neutral_configuration(model) - turns * Eigen::Vector2d(1, -1)).norm() < 1e-9);
}

TEST_CASE("a lead screw cut at its thread is the same one") {
    const grbda::Model model = grbda::build_model(looped_screw());
    REQUIRE(model.nv == 1);
    grbda::Workspace<double> data(model);
    for (const double angle : {0.3, -12.0, 300.0}) {
        INFO(angle);
        const Eigen::VectorXd q = Eigen::Vector2d(angle, -kPitch * angle);
        CHECK(grbda::closure_residual<double>(model, data, q).residual < kRounding * std::abs(angle));
        REQUIRE(grbda::spanning_velocity<double>(model, data, q, Eigen::VectorXd::Ones(1)).ok());
        CHECK((data.qd - Eigen::Vector2d(1, -kPitch)).norm() < kRounding);
        check_constant(model, q, kScrew + kMass * kPitch * kPitch, -kMass * kGravity * kPitch);
    }
}

TEST_CASE("fine and steep threads close alike") {
    for (const double pitch : {1e-5, -3e-3, 0.4, -20.0}) {
        INFO(pitch);
        grbda::RobotDescription robot = looped_screw();
        robot.loops.front().pitch = pitch;
        const grbda::Model model = grbda::build_model(robot);
        grbda::Workspace<double> data(model);
        const double turn = 7.3;
        Eigen::VectorXd q(2);
        REQUIRE(grbda::integrate<double>(model, data, grbda::neutral_configuration(model),
                                         Eigen::VectorXd::Constant(1, turn), q)
                    .ok());
        CHECK(std::abs(q[1] + pitch * turn) < 1e-9 * std::abs(pitch));
        Eigen::MatrixXd M(1, 1);
        REQUIRE(grbda::crba<double>(model, data, q, M).ok());
        CHECK(std::abs(M(0, 0) / (kScrew + kMass * pitch * pitch) - 1) < kRounding);
    }
}

TEST_CASE("a thread that closes a loop counts whole turns by its slide") {
    const grbda::Model model = grbda::build_model(looped_screw());
    grbda::Workspace<double> data(model);
    const Eigen::VectorXd neutral = grbda::neutral_configuration(model);
    for (const double turns : {20 * 2 * M_PI, -20.3 * 2 * M_PI}) {
        Eigen::VectorXd q(2), back(2);
        const Eigen::VectorXd step = Eigen::VectorXd::Constant(1, turns);
        REQUIRE(grbda::integrate<double>(model, data, neutral, step, q).ok());
        CHECK((q - turns * Eigen::Vector2d(1, -kPitch)).norm() < 1e-9);
        REQUIRE(grbda::integrate<double>(model, data, q, -step, back).ok());
        CHECK((back - neutral).norm() < 1e-9);
        q = Eigen::Vector2d(turns, 0);  // led from neutral, no turns left out
        REQUIRE(grbda::close_loops<double>(model, data, q).ok());
        CHECK((q - turns * Eigen::Vector2d(1, -kPitch)).norm() < 1e-9);
    }
    for (const double off : {-2.9, -1.7, 0.4, 3.1}) {  // from a guess: the nearest thread
        const double angle = 1.2, lifted = -kPitch * (angle + 3 * 2 * M_PI);
        Eigen::VectorXd q = Eigen::Vector2d(angle, lifted + kPitch * off);
        REQUIRE(grbda::close_loops<double>(model, data, q).ok());
        CHECK((q - Eigen::Vector2d(angle, lifted)).norm() < 1e-9);
    }
}

TEST_CASE("a thread is kept while its nut is moved by much more than a turn of it") {
    const grbda::Model model = grbda::build_model(crank_on_screw());
    REQUIRE(model.nv == 2);
    grbda::Workspace<double> data(model);
    const int rail = model.joint("rail").q.first;
    const Eigen::VectorXd neutral = grbda::neutral_configuration(model);
    for (const double turned : {0.0, 30.0})
        for (const double crank : {-1.2, 0.05, 0.5, 1.4}) {
            INFO("screw " << turned << ", crank " << crank);
            Eigen::VectorXd q(model.nq);
            REQUIRE(grbda::integrate<double>(model, data, neutral, Eigen::Vector2d(turned, crank), q).ok());
            const double s = kCrank * std::sin(crank),
                         reach = kCrank * std::cos(crank) + std::sqrt(kRod * kRod - s * s);
            CHECK(std::abs(q[rail] - (kCrank + kRod - kFine * turned - reach)) < 1e-9);
        }
}
