#include "derivatives/dynamics_derivatives.hpp"

#include "derivatives/constraint_force_derivatives.hpp"
#include "derivatives/second_derivatives.hpp"
#include "derivatives/step_derivatives.hpp"

#include "arguments.hpp"
#include "components.hpp"
#include "objects.hpp"

namespace grbda::python {
namespace {

using namespace arguments;  // NOLINT

const auto multiplier = vector("multiplier", nv, "of the rows whose derivatives are summed");
const Lent<SecondDerivatives> second_work{&Workspace::second};
const Lent<StepDerivatives<double>> step_work{&Workspace::step};

void bind_first(py::module_& m) {
    algorithm<Workspace>(
        m, "rnea_derivatives",
        "Exact derivatives of inverse dynamics with y, along the closed configurations, and yd, and M, that "
        "with ydd.",
        GRBDA_CALL(rnea_derivatives), q, yd, ydd, wrenches, square_out("dtau_dy"), square_out("dtau_dyd"),
        square_out("M"));
    algorithm<Workspace>(
        m, "aba_derivatives",
        "Exact derivatives of forward dynamics with y, along the closed configurations, yd and tau, and ydd.",
        [](const Model& model, Workspaces& data, auto&&... a) {
            const Result result = grbda::aba_derivatives<double>(model, data.general, a...);
            data.dynamics.ydd = data.general.ydd;
            return result;
        },
        q, yd, tau, wrenches, square_out("dydd_dy"), square_out("dydd_dyd"), square_out("dydd_dtau"),
        kept_ydd);
    algorithm<Workspace>(m, "inverse_mass_matrix", "M⁻¹ alone, symmetric.", GRBDA_CALL(inverse_mass_matrix),
                         q, square_out("inverse"));
    algorithm<Workspace>(m, "constraint_force_derivatives",
                         "Derivatives of `constraint_forces` along [y yd ydd].",
                         GRBDA_CALL_PLAIN(constraint_force_derivatives), q, yd, ydd, wrenches,
                         Filled<DualConstraintForces>{"derivatives", "ConstraintForceDerivatives"});
}

void bind_second(py::module_& m) {
    algorithm<Workspace>(
        m, "rnea_second_derivatives",
        "Derivatives of the row multiplierᵀ [∂tau/∂y ∂tau/∂yd ∂tau/∂ydd] along each y, yd, ydd.",
        GRBDA_CALL_PLAIN(rnea_second_derivatives), second_work, q, yd, ydd, multiplier,
        matrix_out("hessian", three_nv, three_nv));
    algorithm<Workspace>(
        m, "aba_second_derivatives",
        "Derivatives of the row multiplierᵀ [∂ydd/∂y ∂ydd/∂yd ∂ydd/∂tau] along each y, yd, tau.",
        GRBDA_CALL_PLAIN(aba_second_derivatives), second_work, q, yd, tau, multiplier,
        matrix_out("hessian", three_nv, three_nv));
}

Result take_step(const Model& model, Workspaces& data, StepDerivatives<double>& work, Integrator integrator,
                 const VectorView& q, const VectorView& yd, const VectorView& tau, double h,
                 const WrenchView& wrenches, Eigen::Map<Eigen::VectorXd>& q_next,
                 Eigen::Map<Eigen::VectorXd>& yd_next, Eigen::Map<Eigen::MatrixXd>& A,
                 Eigen::Map<Eigen::MatrixXd>& B) {
    const auto dynamics = [&](const auto& at, const auto& rate, const auto& forces, auto& by_y, auto& by_yd,
                              auto& by_tau) {
        return aba_derivatives<double>(model, data.general, at, rate, forces, wrenches, by_y, by_yd, by_tau);
    };
    return step_derivatives<double>(model, data.general, work, integrator, q, yd, tau, h, dynamics, q_next,
                                    yd_next, A, B);
}

void bind_steps(py::module_& m) {
    algorithm<Workspace>(m, "integrate_derivatives",
                         "Derivatives of `integrate` with q and with delta, in the tangents.",
                         GRBDA_CALL(integrate_derivatives), step_work, q, delta, square_out("dout_dq"),
                         square_out("dout_ddelta"));
    algorithm<Workspace>(
        m, "difference_derivatives", "Derivatives of `difference` with q0 and with q1, in the tangents.",
        GRBDA_CALL(difference_derivatives), step_work, vector("q0", nq, "closes the loops"),
        vector("q1", nq, "in the same assembly mode"), square_out("ddelta_dq0"), square_out("ddelta_dq1"));
    algorithm<Workspace>(
        m, "step_derivatives",
        "A step of h seconds under constant tau by forward dynamics, and its derivatives: "
        "[δy⁺; δyd⁺] = A [δy; δyd] + B δtau.",
        take_step, step_work, Value<Integrator>{"integrator", "Integrator", "rule of the step"}, q, yd, tau,
        Value<double>{"h", "float", "s"}, wrenches, vector_out("q_next", nq), vector_out("yd_next", nv),
        matrix_out("A", two_nv, two_nv), matrix_out("B", two_nv, nv));
}

}  // namespace

void bind_derivatives(py::module_& m) {
    bind_first(m);
    bind_second(m);
    bind_steps(m);
}

}  // namespace grbda::python
