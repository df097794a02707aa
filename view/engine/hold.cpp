#include <algorithm>
#include <cmath>
#include <span>

#include "describe/describe.hpp"
#include "grbda/constraints/coordinates.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "robot.hpp"

// Servos that hold a pose while it is simulated. All have the same frequency ω and are critically damped:
//   k = ω² I,  d = 2 ω I
// with I the inertia that the coordinate moves. A free point sinks by g / ω² under its weight, which is the
// share `sag` of the robot's size.

namespace grbda::view {
namespace {

constexpr double sag = 1. / 150;

/// Diagonal of the box around origins and centres of mass, m; 1 if they coincide.
double size_of(const Robot& robot) {
    Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = low;
    for (int i = 0; i < robot.model.body_count(); ++i) {
        const Pose pose = pose_of(robot, i);
        for (const Eigen::Vector3d& point : {Eigen::Vector3d::Zero().eval(), robot.model.inertials[i].com}) {
            const Eigen::Vector3d at = pose.rotation * point + pose.translation;
            low = i == 0 ? at : low.cwiseMin(at).eval();
            high = i == 0 ? at : high.cwiseMax(at).eval();
        }
    }
    const double size = (high - low).norm();
    return size > 1e-6 ? size : 1;
}

/// Largest speed of a centre of mass per unit of each ẏ [nv], m/s, as seen from the base or another body:
/// an ankle on the ground moves the whole robot, with the foot at rest.
VectorX<double> reach_of(const Robot& robot) {
    const int bodies = robot.model.body_count();
    std::vector<PointMotion> motions;
    for (int i = 0; i < bodies; ++i) motions.push_back(point_motion(robot, i, robot.model.inertials[i].com));
    VectorX<double> reach = VectorX<double>::Zero(robot.model.nv);
    for (const PointMotion& moved : motions)
        for (int y = 0; y < robot.model.nv; ++y) {
            const Eigen::Vector3d velocity = moved.jacobian.col(y).head<3>();
            reach[y] = std::max(reach[y], velocity.norm());
            for (const PointMotion& seen : motions) {
                const Eigen::Vector3d arm = moved.position - seen.position;
                const Eigen::Vector3d carried =
                    seen.jacobian.col(y).head<3>() + seen.jacobian.col(y).tail<3>().cross(arm);
                reach[y] = std::max(reach[y], (velocity - carried).norm());
            }
        }
    return reach;
}

bool can_be_held(const Model& model, const Coordinate& at) {
    if (at.body == world) return false;
    const Body& body = model.bodies[at.body];
    return !has_quaternion(body.joint) && model.clusters[body.cluster].kind != ClusterKind::floating_base;
}

}  // namespace

Status add_servos(Robot& robot, SimulatorOptions& options) {
    const Model& model = robot.model;
    (void)choose_coordinates(model, robot.data, robot.q, Marks::ignored);
    const Result mass = crba(model, robot.data, robot.q);
    if (!mass.ok()) return mass.status;
    const Result placed = forward_kinematics(model, robot.data, robot.q);
    if (!placed.ok()) return placed.status;
    VectorX<double> inertia = robot.data.M.diagonal();
    if (std::any_of(model.clusters.begin(), model.clusters.end(),
                    [](const Cluster& cluster) { return cluster.kind == ClusterKind::floating_base; }))
        inertia += describe::moving_mass(model) * reach_of(robot).cwiseAbs2();
    const double gravity = vector(model.gravity).norm();
    const double frequency = std::sqrt((gravity > 0 ? gravity : 9.81) / (sag * size_of(robot)));

    const auto entries = static_cast<std::size_t>(model.nv_tree);
    options.servo_stiffness.assign(entries, 0);
    options.servo_damping.assign(entries, 0);
    const std::vector<Coordinate> independents = independent_coordinates(model, robot.data.chart());
    for (std::size_t y = 0; y < independents.size(); ++y) {
        if (!can_be_held(model, independents[y])) continue;
        const int v = model.bodies[independents[y].body].v + independents[y].component;
        const double I = inertia[static_cast<Eigen::Index>(y)];
        options.servo_stiffness[v] = frequency * frequency * I;
        options.servo_damping[v] = 2 * frequency * I;
    }
    robot.target = robot.q;
    return Status::ok;
}

VectorX<double> servo_targets(const Robot& robot) {
    VectorX<double> targets = VectorX<double>::Zero(robot.model.nv_tree);
    for (const Body& body : robot.model.bodies)
        if (!has_quaternion(body.joint))
            targets.segment(body.v, velocity_size(body.joint)) =
                robot.target.segment(body.q, velocity_size(body.joint));
    return targets;
}

VectorX<double> servo_forces(const Robot& robot, const VectorX<double>& targets) {
    const Model& model = robot.model;
    const SimulatorOptions& options = robot.simulator->options();
    VectorX<double> forces = VectorX<double>::Zero(model.nv_tree);
    for (const Body& body : model.bodies) {
        if (has_quaternion(body.joint)) continue;
        for (int k = 0; k < velocity_size(body.joint); ++k) {
            const int v = body.v + k;
            forces[v] = options.servo_stiffness[v] * (targets[v] - robot.q[body.q + k]) -
                        options.servo_damping[v] * robot.qd[v];
        }
    }
    return forces;
}

Status hold_pose(Robot& robot, bool on) {
    robot.hold = on;
    if (!robot.simulator) return Status::ok;
    const VectorX<double> qd = robot.simulator->velocity();
    const double time = robot.simulator->time();
    SimulatorOptions options = robot.simulator->options();
    options.servo_stiffness.clear();
    options.servo_damping.clear();
    robot.controls.setZero();
    if (on) {
        const Status held = add_servos(robot, options);
        if (held != Status::ok) return held;
    }
    robot.simulator.emplace(robot.model, options, robot.ground);
    return robot.simulator->set_state(robot.q, qd, time).status;
}

}  // namespace grbda::view
