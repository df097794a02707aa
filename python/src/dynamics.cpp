#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/factor.hpp"
#include "dynamics/joint_forces.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"

#include "arguments.hpp"
#include "components.hpp"

namespace grbda::python {
namespace {

using namespace arguments;  // NOLINT

void bind_recursions(py::module_& m) {
    algorithm<Workspace>(m, "aba",
                         "Forward dynamics by the articulated-body algorithm: acceleration from forces.",
                         GRBDA_CALL_DYNAMICS(aba), q, yd, tau, wrenches, kept_ydd);
    algorithm<Workspace>(
        m, "rnea", "Inverse dynamics by the recursive Newton–Euler algorithm: forces from acceleration.",
        GRBDA_CALL(rnea), q, yd, ydd, wrenches, kept_tau);
    algorithm<Workspace>(m, "bias_force",
                         "Forces that hold ydd = 0: Coriolis, gravity, bias of loops, less wrenches.",
                         GRBDA_CALL(bias_force), q, yd, wrenches, kept_tau);
    algorithm<Workspace>(m, "crba", "Mass matrix of the independent coordinates, symmetric.",
                         GRBDA_CALL(crba), q, square_out("M"));
    algorithm<Workspace>(m, "free_motion",
                         "Forward dynamics from forces of all joints, with the motion of every body: before "
                         "`contact_inertia`.",
                         GRBDA_CALL_DYNAMICS(free_motion), q, yd, tau_s,
                         vector("damping", nv_tree, "of all joints, N·m·s/rad, N·s/m", true), wrenches,
                         kept_ydd);
    algorithm<Workspace>(
        m, "joint_forces",
        "Forces tau of the robot's springs, dampers, dry friction, tendons and gravity compensation; "
        "`Data.qdd` then has them joint by joint.",
        GRBDA_CALL(joint_forces), q, qd, kept_tau);
}

void bind_factors(py::module_& m) {
    algorithm<Workspace>(
        m, "factor",
        "Factors the mass matrix, for `inverse_mass_times`; with yd also for `solve`. They stay in data "
        "until the next algorithm runs on it.",
        [](const Model& model, Workspaces& data, const VectorView& q, const VectorView& yd,
           const WrenchView& wrenches) {
            if (yd.data() == nullptr && wrenches.size() == 0) return factor<double>(model, data.dynamics, q);
            return factor<double>(model, data.dynamics, q, yd, wrenches);
        },
        q, perhaps(yd), wrenches);
    algorithm<Workspace>(m, "inverse_mass_times", "x = M⁻¹ f, column by column; after `factor` or `aba`.",
                         GRBDA_CALL_DYNAMICS(inverse_mass_times),
                         matrix("f", nv, any, "forces or momenta: a vector or columns"),
                         matrix_out("x", nv, any));
    algorithm<Workspace>(
        m, "solve", "Forward dynamics of one motion for many tau: M⁻¹ (tau − bias); after `factor` with yd.",
        GRBDA_CALL_DYNAMICS(solve), matrix("tau", nv, any, "a vector or columns, N·m, N"),
        matrix_out("ydd", nv, any));
}

void bind_momentum(py::module_& m) {
    algorithm<Workspace>(
        m, "mechanical_state", "Energies in J, centre of mass in m and momentum of all moving bodies.",
        GRBDA_CALL(mechanical_state), q, yd, Filled<MechanicalState>{"state", "MechanicalState"});
    algorithm<Workspace>(
        m, "momentum_matrix",
        "Centroidal momentum matrix A and, with yd, its rate: momentum is A yd, linear first, in world axes; "
        "its rate A ydd + A_rate yd. Without yd A_rate is NaN.",
        [](const Model& model, Workspaces& data, const VectorView& q, const VectorView& yd,
           Eigen::Map<Matrix6X<double>> A, Eigen::Map<Matrix6X<double>> rate) {
            rate.setConstant(std::numeric_limits<double>::quiet_NaN());
            return yd.data() == nullptr ? momentum_matrix<double>(model, data.general, q, A)
                                        : momentum_matrix<double>(model, data.general, q, yd, A, rate);
        },
        q, perhaps(yd), twists_out("A"), twists_out("A_rate"));
    algorithm<Workspace>(
        m, "momentum_derivatives",
        "Derivatives of the momentum h with y, of its rate with y and yd, and A: that of h with yd.",
        GRBDA_CALL(momentum_derivatives), q, yd, ydd, twists_out("dh_dy"), twists_out("dhd_dy"),
        twists_out("dhd_dyd"), twists_out("A"));
    algorithm<Workspace>(m, "com_jacobian", "Jacobian of the centre of mass in world axes.",
                         GRBDA_CALL(com_jacobian), q, matrix_out("J", three, nv));
    algorithm<Workspace>(
        m, "com_derivatives",
        "Derivatives of the velocity of the centre of mass with y, of its acceleration with y and yd, and J.",
        GRBDA_CALL(com_derivatives), q, yd, ydd, matrix_out("dv_dy", three, nv),
        matrix_out("da_dy", three, nv), matrix_out("da_dyd", three, nv), matrix_out("J", three, nv));
}

void bind_regressors(py::module_& m) {
    algorithm<Nothing>(
        m, "inertial_parameters",
        "Ten numbers of each body, body by body: m, m c, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz about its origin.",
        GRBDA_CALL_DOUBLE(inertial_parameters));
    algorithm<Nothing>(m, "joint_parameters", "Damping of all joints, then dry friction, then armature.",
                       GRBDA_CALL_DOUBLE(joint_parameters));
    algorithm<Workspace>(m, "torque_regressor", "Y with tau = Y inertial_parameters(model), armature aside.",
                         GRBDA_CALL(torque_regressor), q, yd, ydd, matrix_out("Y", nv, ten_bodies));
    algorithm<Workspace>(
        m, "energy_regressors",
        "Regressors of kinetic and potential energy: each times the inertial parameters is J.",
        GRBDA_CALL(energy_regressors), q, yd, vector_out("kinetic", ten_bodies),
        vector_out("potential", ten_bodies));
    algorithm<Workspace>(
        m, "joint_regressor",
        "Y such that Y joint_parameters(model) is the tau with which joints themselves resist.",
        GRBDA_CALL(joint_regressor), q, yd, ydd, matrix_out("Y", nv, three_nv_tree));
}

}  // namespace

void bind_dynamics(py::module_& m) {
    bind_recursions(m);
    bind_factors(m);
    bind_momentum(m);
    bind_regressors(m);
}

}  // namespace grbda::python
