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

Status motors(Robot& robot, const VectorX<double>& still) {
    const Model& model = robot.model;
    const Result passive =
        joint_forces<double>(model, robot.data, robot.q, VectorX<double>::Zero(model.nv_tree));
    if (!passive.ok()) return passive.status;
    const VectorX<double> springs = robot.data.tau;
    const Result needed = rnea<double>(model, robot.data, robot.q, still, still);
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
    const VectorX<double> still = VectorX<double>::Zero(model.nv);
    (void)choose_coordinates<double>(model, robot.data, robot.q, Marks::ignored);
    const Result carried = constraint_forces<double>(model, robot.data, robot.q, still, still, robot.forces);
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
    robot.figures[motors_status] = static_cast<double>(motors(robot, still));
    return Status::ok;
}

}  // namespace grbda::view
