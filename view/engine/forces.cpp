#include <algorithm>

#include "grbda/algorithms/coordinates.hpp"
#include "grbda/algorithms/joint_forces.hpp"
#include "grbda/algorithms/rnea.hpp"
#include "robot.hpp"

namespace grbda::view {
namespace {

void put(float* out, const Eigen::Vector3d& force, bool unique) {
    for (int i = 0; i < 3; ++i) out[i] = static_cast<float>(force[i]);
    out[3] = unique ? 1 : 0;
}

/// The motion whose forces are shown: at rest, or that of the last step, with the forces of its contacts.
struct Motion {
    VectorX<double> qd, yd, ydd;
    Matrix6X<double> wrenches;
};

Matrix6X<double> contact_wrenches(const Robot& robot, double step) {
    const Model& model = robot.model;
    Matrix6X<double> wrenches = Matrix6X<double>::Zero(6, model.body_count());
    for (const ContactState& each : robot.simulator->contacts()) {
        const Eigen::Vector3d force = matrix(each.contact.axes) * each.impulse / step;
        for (const auto& [body, sign] :
             {std::pair(each.contact.body, 1.), std::pair(each.contact.other, -1.)}) {
            if (body == world) continue;
            const Pose pose = pose_of(robot, body);
            const Eigen::Vector3d arm = vector(each.contact.position) - pose.translation;
            wrenches.col(body).head<3>() += sign * pose.rotation.transpose() * force;
            wrenches.col(body).tail<3>() += sign * pose.rotation.transpose() * arm.cross(force);
        }
    }
    return wrenches;
}

Motion motion_shown(Robot& robot) {
    const Model& model = robot.model;
    Motion motion{VectorX<double>::Zero(model.nv_tree), VectorX<double>::Zero(model.nv),
                  VectorX<double>::Zero(model.nv), Matrix6X<double>::Zero(6, model.body_count())};
    if (!robot.simulator || robot.rate_before.size() == 0) return motion;
    const double step = robot.simulator->options().step;
    motion.qd = robot.simulator->velocity();
    const VectorX<double> qdd = (motion.qd - robot.rate_before) / step;
    independent_part<double>(model, robot.data, motion.qd, motion.yd);
    independent_part<double>(model, robot.data, qdd, motion.ydd);
    if (!forward_kinematics<double>(model, robot.data, robot.q).ok()) return motion;
    motion.wrenches = contact_wrenches(robot, step);
    return motion;
}

Status motors(Robot& robot, const Motion& motion) {
    const Model& model = robot.model;
    const Result passive = joint_forces<double>(model, robot.data, robot.q, motion.qd);
    if (!passive.ok()) return passive.status;
    const VectorX<double> springs = robot.data.tau;
    const Result needed = rnea<double>(model, robot.data, robot.q, motion.yd, motion.ydd, motion.wrenches);
    if (!needed.ok()) return needed.status;
    const VectorX<double> tau = robot.data.tau - springs;
    const Result jacobian = actuation_jacobian<double>(model, robot.data, robot.q, robot.actuation);
    if (!jacobian.ok()) return jacobian.status;
    robot.figures[undriven] = robot.actuation.undriven;
    robot.figures[redundant] = robot.actuation.redundant;
    VectorX<double> found(static_cast<Eigen::Index>(robot.motor_forces.size()));
    const Status status = grbda::motor_forces<double>(model, robot.actuation, tau, found).status;
    std::copy(found.begin(), found.end(), robot.motor_forces.begin());
    return status;
}

}  // namespace

Status compute_forces(Robot& robot) {
    const Model& model = robot.model;
    (void)choose_coordinates<double>(model, robot.data, robot.q, Marks::ignored);
    const Motion motion = motion_shown(robot);
    const Result carried = constraint_forces<double>(model, robot.data, robot.q, motion.yd, motion.ydd,
                                                     motion.wrenches, robot.forces);
    if (!carried.ok()) return carried.status;
    const Result unique = static_determinacy<double>(model, robot.data, robot.q, robot.determinacy);
    if (!unique.ok()) return unique.status;
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
        const auto column = static_cast<Eigen::Index>(l);
        put(&robot.loop_forces[4 * l], robot.forces.loops_world.col(column).head<3>(),
            robot.determinacy.loops.col(column).head<3>().all());
    }
    for (std::size_t i = 0; i < robot.order.size(); ++i) {
        const Eigen::Index column = robot.order[i];
        put(&robot.joint_forces[4 * i], robot.forces.joints_world.col(column).head<3>(),
            robot.determinacy.joints.col(column).head<3>().all());
    }
    robot.figures[motors_status] = static_cast<double>(motors(robot, motion));
    return Status::ok;
}

}  // namespace grbda::view
