#include <algorithm>
#include <cmath>

#include "grbda/io/urdf.hpp"
#include "robots.hpp"
#include "stepping.hpp"

// Mechanisms that move by themselves come through every dead centre of their coordinates, and no worse than
// the best coordinates that could have been fixed.

namespace {

using namespace test_robots;
using Eigen::VectorXd;
using grbda::Model;
using stepping::Coordinates;
using stepping::Motion;

/// A planar four-bar in the x-z plane: crank, coupler, rocker and the ground between their pivots, m.
grbda::RobotDescription linkage(double crank, double coupler, double rocker, double ground) {
    grbda::RobotDescription robot;
    robot.name = "linkage";
    const auto rod = [&](const char* name, double length) {
        const double mass = length, across = mass * length * length / 12;
        grbda::Inertial inertial{
            mass, {length / 2, 0, 0}, Eigen::Vector3d(1e-4, across, across).asDiagonal()};
        robot.links.push_back({name, inertial, {}});
    };
    robot.links.push_back({"base", {}, {}});
    rod("crank", crank);
    rod("coupler", coupler);
    rod("rocker", rocker);
    const auto joint = [&](const char* name, const char* parent, const char* child, double x) {
        grbda::JointDescription turn;
        turn.name = name;
        turn.type = grbda::JointType::continuous;
        turn.parent = parent;
        turn.child = child;
        turn.origin.translation.x() = x;
        turn.axis = -Eigen::Vector3d::UnitY();
        robot.joints.push_back(turn);
    };
    joint("crank_joint", "base", "crank", 0);
    joint("coupler_joint", "crank", "coupler", crank);
    joint("rocker_joint", "base", "rocker", ground);
    grbda::LoopDescription loop;
    loop.name = "pin";
    loop.predecessor = "coupler";
    loop.successor = "rocker";
    loop.axis = -Eigen::Vector3d::UnitY();
    loop.predecessor_origin.translation.x() = coupler;
    loop.successor_origin.translation.x() = rocker;
    robot.loops.push_back(loop);
    robot.start = {{"crank_joint", {1.0}}};
    return robot;
}

grbda::RobotDescription with_independent(grbda::RobotDescription robot, const std::string& name) {
    for (grbda::JointDescription& joint : robot.joints) {
        joint.independent.reset();
        if (joint.name == name) joint.independent = true;
    }
    return robot;
}

/// A start at a closed configuration with the fastest joint at `speed`, rad/s.
Motion started(const Model& model, Coordinates coordinates, double speed) {
    grbda::Data<double> data(model);
    const VectorXd q = grbda::neutral_configuration(model);
    REQUIRE(grbda::spanning_velocity<double>(model, data, q, VectorXd::Ones(model.nv)).ok());
    VectorXd qd = data.qd;
    if (qd[0] < 0) qd = -qd;
    return Motion(model, coordinates, q, qd * (speed / qd.cwiseAbs().maxCoeff()));
}

struct Outcome {
    bool arrived = false;
    double reached = 0;  ///< s
    int changes = 0;
    double worst_rcond = 1, energy_error = 0;
    VectorXd q;
};

Outcome run(Motion motion, double time, double h) {
    Outcome outcome;
    const double before = motion.energy(), scale = std::max(1., std::abs(before));
    const int steps = static_cast<int>(std::lround(time / h));
    for (int i = 0; i < steps; ++i) {
        if (!motion.step(h).ok()) return outcome;
        outcome.reached = (i + 1) * h;
    }
    outcome.arrived = true;
    outcome.changes = motion.changes();
    outcome.worst_rcond = motion.worst_rcond;
    outcome.energy_error = std::abs(motion.energy() - before) / scale;
    outcome.q = motion.q;
    return outcome;
}

/// Largest distance of the joints at the end from where steps of an eighth lead; infinite if either ends
/// before.
double error(const Model& model, Coordinates coordinates, double speed, double time) {
    constexpr double h = 1e-3;
    const Outcome rough = run(started(model, coordinates, speed), time, h);
    const Outcome fine = run(started(model, coordinates, speed), time, h / 8);
    UNSCOPED_INFO("reached " << rough.reached << " and " << fine.reached << " s, changes " << rough.changes
                             << ", rcond " << rough.worst_rcond << ", energy " << rough.energy_error);
    if (!rough.arrived || !fine.arrived) return std::numeric_limits<double>::infinity();
    return (rough.q - fine.q).cwiseAbs().maxCoeff();
}

/// Each joint of a mechanism as the model's choice, with coordinates fixed, chosen and tangent.
void compare(const grbda::RobotDescription& robot, double speed, double time) {
    double best = std::numeric_limits<double>::infinity(), worst = 0;
    for (const grbda::JointDescription& joint : robot.joints) {
        if (joint.type == grbda::JointType::fixed) continue;
        const Model model = grbda::build_model(with_independent(robot, joint.name), {});
        const double fixed = error(model, Coordinates::fixed, speed, time);
        const double chosen = error(model, Coordinates::chosen, speed, time);
        const double tangent = error(model, Coordinates::tangent, speed, time);
        WARN(robot.name << " " << joint.name << " fixed " << fixed << " chosen " << chosen << " tangent "
                        << tangent);
        best = std::min({best, fixed, tangent});
        worst = std::max(worst, chosen);
    }
    CHECK(worst < 3 * best);
}

}  // namespace

TEST_CASE("full turns: each joint as the first choice") {
    const double time = 10;
    compare(linkage(0.3, 0.9, 0.7, 0.8), 25, time);
    compare(named("slider_crank").description, 25, time);
    compare(linkage(0.7, 0.5, 0.8, 1.1), 10, time);  // a triple rocker: each joint has dead centres
    compare(named("four_bar").description, 10, time);
}
