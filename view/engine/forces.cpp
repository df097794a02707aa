#include <algorithm>

#include "grbda/constraints/coordinates.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/joint_forces.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "robot.hpp"

namespace grbda::view {
namespace {

/// Writes a force in the world, and the part of it along those of its axes in which it is unique.
void put(float* out, const Eigen::Vector3d& force, const Eigen::Matrix3d& axes,
         const Eigen::Array3<bool>& unique) {
    const Eigen::Array3d kept = unique.cast<double>();
    const Eigen::Vector3d known = axes * (kept * (axes.transpose() * force).array()).matrix();
    for (int i = 0; i < 3; ++i) {
        out[i] = static_cast<float>(force[i]);
        out[i + 3] = static_cast<float>(known[i]);
    }
    out[6] = static_cast<float>(unique.count());
}

/// Motor forces that do what τ [nv] does.
Status motors(Robot& robot, const VectorX<double>& tau) {
    const Model& model = robot.model;
    const Result jacobian = actuation_jacobian(model, robot.data, robot.q);
    if (!jacobian.ok()) return jacobian.status;
    robot.figures[undriven] = robot.data.undriven_freedoms;
    robot.figures[redundant] = robot.data.redundant_motors;
    const Status status = grbda::motor_forces(model, robot.data, tau).status;
    std::copy(robot.data.tau_motors.begin(), robot.data.tau_motors.end(), robot.motor_forces.begin());
    return status;
}

/// Forces of springs and the like: τ [nv], and forces of joints [nv_tree] that do the same.
struct Passive {
    VectorX<double> tau, tau_s;
};

Status find_passive(Robot& robot, const VectorX<double>& qd, Passive& out) {
    const Model& model = robot.model;
    const Result found = joint_forces(model, robot.data, robot.q, qd);
    if (!found.ok()) return found.status;
    out.tau = robot.data.tau;
    out.tau_s = robot.data.tau_tree;
    VectorX<double> own(model.nv), rest(model.nv_tree);
    const Result direct = independent_force(model, robot.data, robot.q, out.tau_s, own);
    if (!direct.ok()) return direct.status;
    // gravity compensation acts on bodies; here its effect is attributed to the independent joints
    spanning_force(model, robot.data, out.tau - own, rest);
    out.tau_s += rest;
    return Status::ok;
}

/// Forces of motors on their joints [nv_tree].
VectorX<double> on_joints(const Robot& robot) {
    const Model& model = robot.model;
    VectorX<double> out = VectorX<double>::Zero(model.nv_tree);
    std::size_t i = 0;
    for (const Coordinate& motor : motor_coordinates(model))
        out[model.bodies[motor.body].v + motor.component] +=
            model.reduction[static_cast<std::size_t>(motor.body)] * robot.motor_forces[i++];
    return out;
}

/// Motors and springs hold the configuration. If motors cannot, forces of the independent joints do.
Status forces_at_rest(Robot& robot) {
    const Model& model = robot.model;
    const VectorX<double> still = VectorX<double>::Zero(model.nv);
    Passive passive;
    const Status springs = find_passive(robot, VectorX<double>::Zero(model.nv_tree), passive);
    if (springs != Status::ok) return springs;
    const Result needed = rnea(model, robot.data, robot.q, still, still);
    if (!needed.ok()) return needed.status;
    const Status held = motors(robot, robot.data.tau - passive.tau);
    robot.figures[motors_status] = static_cast<double>(held);
    if (held != Status::ok) return constraint_forces(model, robot.data, robot.q, still, still).status;
    return constraint_forces(model, robot.data, robot.q, still, still, Matrix6X<double>(6, 0),
                             passive.tau_s + on_joints(robot))
        .status;
}

/// ÿ follows from q, q̇ and all forces by forward dynamics; the bearings then carry what this motion needs.
Status forces_in_motion(Robot& robot) {
    const Model& model = robot.model;
    Data& data = robot.data;
    VectorX<double> yd(model.nv), driven(model.nv);
    independent_part(model, data, robot.qd, yd);
    Passive passive;
    const Status springs = find_passive(robot, robot.qd, passive);
    if (springs != Status::ok) return springs;
    const Result given = independent_force(model, data, robot.q, robot.controls, driven);
    if (!given.ok()) return given.status;
    const Result motion = aba(model, data, robot.q, yd, passive.tau + driven, robot.wrenches);
    if (!motion.ok()) return motion.status;
    const VectorX<double> ydd = data.ydd;
    robot.figures[motors_status] = static_cast<double>(motors(robot, driven));
    return constraint_forces(model, data, robot.q, yd, ydd, robot.wrenches, passive.tau_s + robot.controls)
        .status;
}

}  // namespace

Status compute_forces(Robot& robot, bool moving) {
    const Model& model = robot.model;
    (void)choose_coordinates(model, robot.data, robot.q, Marks::ignored);
    const Status status = moving ? forces_in_motion(robot) : forces_at_rest(robot);
    if (status != Status::ok) return status;
    const Result unique = static_determinacy(model, robot.data, robot.q, robot.determinacy);
    if (!unique.ok()) return unique.status;
    const Result placed = forward_kinematics(model, robot.data, robot.q);
    if (!placed.ok()) return placed.status;
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const auto column = static_cast<Eigen::Index>(l);
        const LoopEnd& P = model.loops[l].predecessor;
        put(&robot.loop_forces[7 * l], robot.data.constraint_forces.loops_world.col(column).head<3>(),
            pose_of(robot, P.body).rotation * matrix(P.rotation),
            robot.determinacy.loops.col(column).head<3>());
    }
    for (std::size_t i = 0; i < robot.order.size(); ++i) {
        const Eigen::Index column = robot.order[i];
        put(&robot.joint_forces[7 * i], robot.data.constraint_forces.joints_world.col(column).head<3>(),
            pose_of(robot, robot.order[i]).rotation, robot.determinacy.joints.col(column).head<3>());
    }
    return Status::ok;
}

}  // namespace grbda::view
