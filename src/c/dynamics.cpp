#include <limits>

#include "call.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/joint_forces.hpp"
#include "grbda/dynamics/rnea.hpp"

using namespace grbda::c;

extern "C" {

grbda_status grbda_aba(const grbda_model* model, grbda_data* data, const double* q, const double* yd,
                       const double* tau, const double* wrenches, double* ydd) {
    return run_algorithm("grbda_aba", model, data, [&](const grbda::Model& robot, grbda_data& work) {
        Vector out = output("ydd", ydd, robot.nv);
        const grbda::Result result =
            grbda::aba(robot, work.data, input("q", q, robot.nq), input("yd", yd, robot.nv),
                       input("tau", tau, robot.nv), external(robot, wrenches));
        out = work.data.ydd;
        return result;
    });
}

grbda_status grbda_rnea(const grbda_model* model, grbda_data* data, const double* q, const double* yd,
                        const double* ydd, const double* wrenches, double* tau) {
    return run_algorithm("grbda_rnea", model, data, [&](const grbda::Model& robot, grbda_data& work) {
        Vector out = output("tau", tau, robot.nv);
        const grbda::Result result =
            grbda::rnea(robot, work.data, input("q", q, robot.nq), input("yd", yd, robot.nv),
                        input("ydd", ydd, robot.nv), external(robot, wrenches));
        out = work.data.tau;
        return result;
    });
}

grbda_status grbda_bias(const grbda_model* model, grbda_data* data, const double* q, const double* yd,
                        const double* wrenches, double* tau) {
    return run_algorithm("grbda_bias", model, data, [&](const grbda::Model& robot, grbda_data& work) {
        Vector out = output("tau", tau, robot.nv);
        const grbda::Result result = grbda::bias_force(robot, work.data, input("q", q, robot.nq),
                                                       input("yd", yd, robot.nv), external(robot, wrenches));
        out = work.data.tau;
        return result;
    });
}

grbda_status grbda_crba(const grbda_model* model, grbda_data* data, const double* q, double* M) {
    return run_algorithm("grbda_crba", model, data, [&](const grbda::Model& robot, grbda_data& work) {
        Matrix out = output("M", M, robot.nv, robot.nv);
        const grbda::Result result = grbda::crba(robot, work.data, input("q", q, robot.nq));
        out = work.data.M;
        return result;
    });
}

grbda_status grbda_passive_forces(const grbda_model* model, grbda_data* data, const double* q,
                                  const double* yd, double* tau) {
    return run_algorithm(
        "grbda_passive_forces", model, data, [&](const grbda::Model& robot, grbda_data& work) {
            Vector out = output("tau", tau, robot.nv);
            const ConstVectorMap at = input("q", q, robot.nq);
            grbda::Result result = grbda::spanning_velocity(robot, work.data, at, input("yd", yd, robot.nv));
            if (result.ok()) result = grbda::joint_forces(robot, work.data, at, work.data.qd);
            if (result.ok())
                out = work.data.tau;
            else
                out.setConstant(std::numeric_limits<double>::quiet_NaN());
            return result;
        });
}

grbda_status grbda_rnea_derivatives(const grbda_model* model, grbda_data* data, const double* q,
                                    const double* yd, const double* ydd, const double* wrenches,
                                    double* dtau_dy, double* dtau_dyd, double* M) {
    return run_algorithm(
        "grbda_rnea_derivatives", model, data, [&](const grbda::Model& robot, grbda_data& work) {
            const int n = robot.nv;
            Matrix by_y = output("dtau_dy", dtau_dy, n, n), by_yd = output("dtau_dyd", dtau_dyd, n, n),
                   by_ydd = output("M", M, n, n);
            const grbda::Result result =
                grbda::rnea_derivatives(robot, work.data, input("q", q, robot.nq), input("yd", yd, n),
                                        input("ydd", ydd, n), external(robot, wrenches));
            by_y = work.data.dtau_dy;
            by_yd = work.data.dtau_dyd;
            by_ydd = work.data.M;
            return result;
        });
}

grbda_status grbda_aba_derivatives(const grbda_model* model, grbda_data* data, const double* q,
                                   const double* yd, const double* tau, const double* wrenches, double* ydd,
                                   double* dydd_dy, double* dydd_dyd, double* dydd_dtau) {
    return run_algorithm(
        "grbda_aba_derivatives", model, data, [&](const grbda::Model& robot, grbda_data& work) {
            const int n = robot.nv;
            Vector out = output("ydd", ydd, n);
            Matrix by_y = output("dydd_dy", dydd_dy, n, n), by_yd = output("dydd_dyd", dydd_dyd, n, n),
                   by_tau = output("dydd_dtau", dydd_dtau, n, n);
            const grbda::Result result =
                grbda::aba_derivatives(robot, work.data, input("q", q, robot.nq), input("yd", yd, n),
                                       input("tau", tau, n), external(robot, wrenches));
            out = work.data.ydd;
            by_y = work.data.dydd_dy;
            by_yd = work.data.dydd_dyd;
            by_tau = work.data.M_inverse;
            return result;
        });
}

}  // extern "C"
