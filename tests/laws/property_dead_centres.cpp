#include <algorithm>
#include <cmath>

#include "grbda/io/urdf.hpp"
#include "simulation/stepping.hpp"
#include "support/robots.hpp"

// Mechanisms that move by themselves come through every dead centre of their coordinates, and no worse than
// the best coordinates that could have been fixed.

namespace {

using namespace test_robots;
using Eigen::VectorXd;
using grbda::Model;
using stepping::Coordinates;
using stepping::Motion;

#if defined(GRBDA_SANITIZED)    // steps take their time there
constexpr double kShort = 0.1;  // s
#else
constexpr double kShort = 1;  // s
#endif

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
    grbda::Workspace<double> data(model);
    const VectorXd q = grbda::neutral_configuration(model);
    REQUIRE(grbda::spanning_velocity<double>(model, data, q, VectorXd::Ones(model.nv)).ok());
    VectorXd qd = data.qd;
    if (qd[0] < 0) qd = -qd;
    return Motion(model, coordinates, q, qd * (speed / qd.cwiseAbs().maxCoeff()));
}

struct Fall {
    grbda::Result result;
    double reached = 0;       ///< s
    double energy_error = 0;  ///< relative to the largest kinetic energy
    VectorXd q;
};

/// Two steps of half the length where one leads elsewhere: rods that spin about themselves have next to no
/// inertia there, and turn thousands of times a second as their joints come close to a gimbal's lock.
grbda::Result careful_step(Motion& motion, double h, int depth = 0) {
    constexpr double tolerance = 1e-8;
    constexpr int deepest = 16;
    Motion once = motion, twice = motion;
    const bool whole = once.step(h).ok();
    grbda::Result result = twice.step(h / 2);
    if (result.ok()) result = twice.step(h / 2);
    const double size = 1 + twice.qd.cwiseAbs().maxCoeff();
    const bool agree = whole && result.ok() && (once.q - twice.q).cwiseAbs().maxCoeff() < tolerance &&
                       (once.qd - twice.qd).cwiseAbs().maxCoeff() < tolerance * size;
    if (agree || depth == deepest) {
        motion = twice;
        return result;
    }
    result = careful_step(motion, h / 2, depth + 1);
    return result.ok() ? careful_step(motion, h / 2, depth + 1) : result;
}

template <class Step>
Fall fall(const Model& model, const VectorXd& q, double time, const Step& step) {
    constexpr double little = 1e-6, h = 1e-3;  // J, s
    Motion motion(model, Coordinates::chosen, q, VectorXd::Zero(model.nv_tree));
    const double before = motion.energy();
    double kinetic = little, worst = 0;
    Fall out;
    const int steps = static_cast<int>(std::lround(time / h));
    for (int i = 0; i < steps && out.result.ok(); ++i) {
        out.result = step(motion, h);
        out.reached = (i + 1) * h;
        if (!out.result.ok() || (i % 100 > 0 && i + 1 < steps)) continue;
        const grbda::MechanicalState now = motion.mechanical();
        kinetic = std::max(kinetic, now.kinetic);
        worst = std::max(worst, std::abs(now.kinetic + now.potential - before));
    }
    out.energy_error = worst / kinetic;
    out.q = motion.q;
    return out;
}

/// Falls with steps as short as the speeds require.
Fall careful_fall(const Model& model, const VectorXd& q, double time) {
    const Fall out = fall(model, q, time, [](Motion& motion, double h) { return motion.step(h); });
    if (out.result.ok() && out.energy_error < 1e-4) return out;
    return fall(model, q, time, [](Motion& motion, double h) { return careful_step(motion, h); });
}

/// True where K itself is about to lose rank: no coordinates are any better than the tangent's.
bool is_singular_pose(const Model& model, const VectorXd& q, int cluster) {
    constexpr double nearly = 5e-4;
    grbda::Workspace<double> data(model);
    static_cast<void>(grbda::take_tangents<double>(model, data, q));
    return !(data.rcond[cluster] > nearly);
}

void all_fall(int states, double time) {
    for (const Robot& robot : published()) {
        Random random(7);
        for (int i = 0; i < states; ++i) {
            const VectorXd q = grbda::random_configuration(robot.model, random);
            const Fall out = careful_fall(robot.model, q, time);
            INFO(robot.name << ", state " << i << ", " << to_string(out.result.status) << " after "
                            << out.reached << " s, energy " << out.energy_error);
            if (out.result.status == grbda::Status::singular_constraint) {
                CHECK(is_singular_pose(robot.model, out.q, out.result.cluster));
            } else {
                CHECK(out.result.ok());
                CHECK(out.energy_error < 1e-4);
            }
        }
    }
}

struct Outcome {
    bool arrived = false;
    VectorXd q;
};

Outcome run(Motion motion, double time, double h) {
    const int steps = static_cast<int>(std::lround(time / h));
    for (int i = 0; i < steps; ++i)
        if (!motion.step(h).ok()) return {};
    return {true, motion.q};
}

/// Largest distance of the joints at the end from where steps of an eighth lead; infinite if either ends
/// before.
double error(const Model& model, Coordinates coordinates, double speed, double time) {
    constexpr double h = 1e-3;
    const Outcome rough = run(started(model, coordinates, speed), time, h);
    const Outcome fine = run(started(model, coordinates, speed), time, h / 8);
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
        best = std::min({best, fixed, tangent});
        worst = std::max(worst, chosen);
    }
    CHECK(worst < 3 * best + 1e-9);  // rounding, after a short time
}

void every_mechanism_turns(double time) {
    compare(linkage(0.3, 0.9, 0.7, 0.8), 25, time);  // a crank-rocker
    compare(linkage(0.7, 0.5, 0.8, 1.1), 10, time);  // a triple rocker: each joint has dead centres
    grbda::RobotDescription slider = named("slider_crank").description;
    slider.start = {{"crank_joint", {1.0}}};
    compare(slider, 25, time);
}

}  // namespace

TEST_CASE("full turns with each joint as the first choice") { every_mechanism_turns(kShort); }
TEST_CASE("full turns for a quarter of an hour", "[.long]") { every_mechanism_turns(1000); }

TEST_CASE("a mechanism that moves crosses singular poses between its steps") {
    const Model& model = named("four_bar").model;  // flat twice in a turn, where K loses rank
    Motion motion = started(model, Coordinates::chosen, 100);
    const double before = motion.energy();
    for (int i = 0; i < 2000; ++i) REQUIRE(motion.step(1e-3).ok());
    CHECK(std::abs(motion.q[0]) > 20 * M_PI);
    CHECK(motion.energy() == Approx(before).epsilon(1e-3));
}

TEST_CASE("robots fall through dead centres of their coordinates") { all_fall(1, kShort); }
TEST_CASE("robots fall for ten seconds from twenty states", "[.long]") { all_fall(20, 10); }
