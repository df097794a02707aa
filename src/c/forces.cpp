#include <stdexcept>

#include "call.hpp"

using namespace grbda::c;

extern "C" {

grbda_status grbda_motor_jacobian(const grbda_model* model, grbda_data* data, const double* q, double* J) {
    return run_algorithm(
        "grbda_motor_jacobian", model, data, [&](const grbda::Model& robot, grbda_data& work) {
            Matrix out = output("J", J, static_cast<int>(model->motors.size()), robot.nv);
            const grbda::Result result = grbda::actuation_jacobian(robot, work.data, input("q", q, robot.nq));
            out = work.data.J_motors;
            return result;
        });
}

grbda_status grbda_motor_forces(const grbda_model* model, grbda_data* data, const double* tau,
                                double* motors) {
    return run_algorithm("grbda_motor_forces", model, data, [&](const grbda::Model& robot, grbda_data& work) {
        if (work.data.J_motors.cols() != robot.nv)
            throw std::invalid_argument(
                "data has no Jacobian of the motors; call grbda_motor_jacobian() first");
        Vector out = output("motors", motors, static_cast<int>(model->motors.size()));
        const grbda::Result result = grbda::motor_forces(robot, work.data, input("tau", tau, robot.nv));
        out = work.data.tau_motors;
        return result;
    });
}

grbda_status grbda_constraint_forces(const grbda_model* model, grbda_data* data, const double* q,
                                     const double* yd, const double* ydd, const double* wrenches,
                                     const double* joint_forces, double* loops, double* joints) {
    return run_algorithm(
        "grbda_constraint_forces", model, data, [&](const grbda::Model& robot, grbda_data& work) {
            const ConstVectorMap at = input("q", q, robot.nq), velocity = input("yd", yd, robot.nv),
                                 acceleration = input("ydd", ydd, robot.nv);
            const ConstWrenchMap outer = external(robot, wrenches);
            const grbda::Result result =
                joint_forces ? grbda::constraint_forces(robot, work.data, at, velocity, acceleration, outer,
                                                        input("joint_forces", joint_forces, robot.nv_tree))
                             : grbda::constraint_forces(robot, work.data, at, velocity, acceleration, outer);
            const auto copy = [](const auto& forces, double* out) {
                if (out) SixRows(out, 6, forces.cols()) = forces;
            };
            copy(work.data.constraint_forces.loops_world, loops);
            copy(work.data.constraint_forces.joints_world, joints);
            return result;
        });
}

}  // extern "C"
