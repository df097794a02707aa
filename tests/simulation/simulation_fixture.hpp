#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include "grbda/collision/collide.hpp"
#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/energy.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "search/search.hpp"
#include "grbda/simulation/batch_simulator.hpp"
#include "grbda/simulation/simulator.hpp"
#include "support/robots.hpp"

// Bodies with shapes, and simulators that have to go on.

namespace simulation_test {

using namespace test_robots;
using Eigen::Vector3d;
using Eigen::VectorXd;
using grbda::ContactModel;
using grbda::Controls;
using grbda::Ground;
using grbda::Model;
using grbda::Plane;
using grbda::ShapeKind;
using grbda::Simulator;
using grbda::SimulatorOptions;
using grbda::StepRule;
using grbda::Workspace;

constexpr double kGravity = 9.81;

/// A shape fixed in a body, centred there.
inline void add_shape(Model& model, int body, ShapeKind kind, const Vector3d& size,
                      const Vector3d& at = {0, 0, 0}) {
    grbda::BodyShape shape;
    shape.body = body;
    shape.shape.kind = kind;
    shape.shape.size = size;
    shape.position = {at.x(), at.y(), at.z()};
    shape.rotation = grbda::Matrix3<double>::identity();
    shape.collision = true;
    model.shapes.push_back(shape);
}

/// With a ball on every body, and no other shape.
inline Model tangible(Model model) {
    model.shapes.clear();
    for (int body = 0; body < model.body_count(); ++body)
        if (!model.bodies[body].rotor) add_shape(model, body, ShapeKind::sphere, {0.04, 0, 0});
    return model;
}

inline grbda::LinkDescription link(const std::string& name, double mass, double size) {
    grbda::LinkDescription result;
    result.name = name;
    result.inertial =
        grbda::Inertial{mass, Vector3d::Zero(), mass * size * size / 6 * Eigen::Matrix3d::Identity()};
    return result;
}

/// Free bodies, cubes of unit density but for their mass, one floating joint each.
inline Model free_bodies(const std::vector<double>& masses, double size) {
    grbda::RobotDescription robot;
    robot.name = "bodies";
    robot.links.push_back({"world_link", {}, {}});
    for (std::size_t i = 0; i < masses.size(); ++i) {
        const std::string name = "body" + std::to_string(i);
        robot.links.push_back(link(name, masses[i], size));
        grbda::JointDescription joint;
        joint.name = "joint" + std::to_string(i);
        joint.type = grbda::JointType::floating;
        joint.parent = "world_link";
        joint.child = name;
        robot.joints.push_back(joint);
    }
    return grbda::build_model(robot, {});
}

inline Model cube(double mass, double size) {
    Model model = free_bodies({mass}, size);
    add_shape(model, 0, ShapeKind::box, Vector3d::Constant(size));
    return model;
}

/// A plane that falls by `angle` along x.
inline Plane incline(double angle) { return {{std::sin(angle), 0, std::cos(angle)}, 0}; }

/// q of a free body.
inline VectorXd pose(const Vector3d& position, const Eigen::Vector4d& quaternion = {0, 0, 0, 1}) {
    VectorXd q(7);
    q << position, quaternion;
    return q;
}

inline void run(Simulator& simulator, int steps, const Controls& controls = {}) {
    for (int i = 0; i < steps; ++i) {
        const grbda::StepOutcome outcome = simulator.step(controls);
        INFO("step " << i << ": " << to_string(outcome.result.status));
        REQUIRE(outcome.result.ok());
        REQUIRE(outcome.contact.status == grbda::Status::ok);
        REQUIRE_FALSE(outcome.crowded);
    }
}

/// Speed down an incline of tan = ratio · friction after a second, of a cube laid on it.
inline double total_impulse(const Simulator& simulator) {
    double sum = 0;
    for (const grbda::ContactState& contact : simulator.contacts()) sum += contact.impulse[2];
    return sum;
}

/// Digit with its torso at the origin and its soles on z = −0.85 m, below its centre of mass.
inline VectorXd standing_digit(const Model& model) {
    VectorXd q = grbda::neutral_configuration(model);
    Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    std::vector<grbda::FrameTarget> targets;
    for (const char* name : {"left_foot", "right_foot", "torso"}) {
        grbda::FrameTarget target;
        target.frame = model.frame(name).index;
        const Vector3d at = grbda::frame_position(model, data, target.frame);
        target.position = name == std::string("torso") ? Vector3d(0, 0, 0) : Vector3d(0.02, at.y(), -0.85);
        target.orientation = Eigen::Matrix3d::Identity();
        targets.push_back(target);
    }
    grbda::Search<double> work(model);
    REQUIRE(grbda::inverse_kinematics<double>(model, data, work, targets, q).outcome ==
            grbda::Outcome::converged);
    return q;
}

/// Momentum, and angular momentum about the centre of mass.
inline Eigen::Matrix<double, 6, 1> momentum(Simulator& simulator) {
    const Model& model = simulator.model();
    Workspace<double> data(model);
    grbda::MechanicalState mechanics;
    VectorXd yd(model.nv);
    REQUIRE(grbda::choose_coordinates<double>(model, data, simulator.q(), grbda::Marks::ignored).ok());
    grbda::independent_part<double>(model, data, simulator.velocity(), yd);
    REQUIRE(grbda::mechanical_state<double>(model, data, simulator.q(), yd, mechanics).ok());
    Eigen::Matrix<double, 6, 1> result;
    result << mechanics.linear_momentum, mechanics.angular_momentum;
    return result;
}

/// Height of the lowest link origin, at most zero.
inline double lowest_origin(const Model& model, const VectorXd& q) {
    Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    double lowest = 0;
    for (int body = 0; body < model.body_count(); ++body)
        lowest = std::min(lowest, grbda::frame_position(model, data, model.body_frame[body]).z());
    return lowest;
}

}  // namespace simulation_test
