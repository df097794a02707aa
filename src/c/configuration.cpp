#include "call.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/kinematics/configuration.hpp"

using namespace grbda::c;

extern "C" {

grbda_status grbda_close_loops(const grbda_model* model, grbda_data* data, double* q) {
    return run_algorithm("grbda_close_loops", model, data, [&](const grbda::Model& robot, grbda_data& work) {
        return grbda::close_loops(robot, work.data, output("q", q, robot.nq));
    });
}

grbda_status grbda_closure_residual(const grbda_model* model, grbda_data* data, const double* q) {
    return run_algorithm("grbda_closure_residual", model, data,
                         [&](const grbda::Model& robot, grbda_data& work) {
                             return grbda::closure_residual(robot, work.data, input("q", q, robot.nq));
                         });
}

grbda_status grbda_integrate(const grbda_model* model, grbda_data* data, const double* q, const double* delta,
                             double* out) {
    return run_algorithm("grbda_integrate", model, data, [&](const grbda::Model& robot, grbda_data& work) {
        return grbda::integrate(robot, work.data, input("q", q, robot.nq), input("delta", delta, robot.nv),
                                output("out", out, robot.nq));
    });
}

grbda_status grbda_difference(const grbda_model* model, grbda_data* data, const double* q0, const double* q1,
                              double* delta) {
    return run_algorithm("grbda_difference", model, data, [&](const grbda::Model& robot, grbda_data& work) {
        return grbda::difference(robot, work.data, input("q0", q0, robot.nq), input("q1", q1, robot.nq),
                                 output("delta", delta, robot.nv));
    });
}

grbda_status grbda_spanning_velocity(const grbda_model* model, grbda_data* data, const double* q,
                                     const double* yd, double* qd) {
    return run_algorithm("grbda_spanning_velocity", model, data,
                         [&](const grbda::Model& robot, grbda_data& work) {
                             Vector out = output("qd", qd, robot.nv_tree);
                             const grbda::Result result = grbda::spanning_velocity(
                                 robot, work.data, input("q", q, robot.nq), input("yd", yd, robot.nv));
                             out = work.data.qd;
                             return result;
                         });
}

}  // extern "C"
