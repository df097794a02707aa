#pragma once

#include <optional>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/spatial/dual.hpp"

// Derivatives of integrate(), of difference() and of time steps. Displacements of q are tangent vectors as in
// integrate(), δq = G δy; for floating and spherical joints they are in the axes of the child.

namespace grbda {

/// Workspace of these derivatives, sized once from the model: one for each thread.
template <class S>
struct GRBDA_EXPORT StepDerivatives {
    /// `inputs`: number of forces of a step; negative: nv. Throws std::invalid_argument if the model was
    /// moved from.
    explicit StepDerivatives(const Model& model, int inputs = -1);

    // derivatives of the end of the last motion by its start and by its displacement [nv × nv]
    MatrixX<S> by_start, by_displacement;

    VectorX<S> by_duration;  ///< derivatives of δy and ẏ at the end of the last step by h [2 nv]
    int inputs;              ///< length of τ of a step

    // a step: state, derivatives of the dynamics, values of the present stage and sums over the stages, and
    // their derivatives by δy, δẏ, δτ and h [nv × (2 nv + inputs + 1)]
    VectorX<S> q, yd, at, rate, displacement, slope, total_displacement, total_gain;
    MatrixX<S> ydd_by_y, ydd_by_yd, ydd_by_tau;
    MatrixX<S> at_by, rate_by, displacement_by, slope_by, gain_by, total_displacement_by, total_gain_by;

    // dual numbers for clusters with partly independent joints; empty if the model has no such joint
    using Moving = Dual<S, 4>;
    std::optional<Data<Moving>> moving;
    Table<Moving> moving_q, moving_delta;
    Table<S> scratch;
    std::size_t bodies, layout;  ///< of the model that this belongs to
};

/// Computes the derivatives of out = integrate(q, δy) with respect to q and δy.
///   joints of one coordinate   1
///   floating, spherical        Ad(exp(−δ)) and the right Jacobian. If only some components of such a joint
///                              in a loop are independent, or with tangent coordinates, the substeps of
///                              integrate() are differentiated
/// in      q [nq] closing the loops; delta [nv], rad and m
/// out     dout_dq, dout_ddelta [nv × nv]: displacement at out per displacement at q, and per change of delta
/// errors  std::invalid_argument on a wrong size; not_finite. If substeps are differentiated, also those of
///         integrate() and singular_constraint; otherwise closure is not checked. NaN on error
/// cost    O(nv²); m / 2 times integrate() on dual numbers of five components for clusters whose substeps
///         are differentiated; no allocation
template <class S>
GRBDA_EXPORT Result integrate_derivatives(const Model& model, Data<S>& data, StepDerivatives<S>& work,
                                          ConstVector<S> q, ConstVector<S> delta, MatrixOut<S> dout_dq,
                                          MatrixOut<S> dout_ddelta);

/// Computes the derivatives of δy = difference(q0, q1) with respect to q0 and q1.
/// in      q0, q1 [nq] closing the loops, in one assembly mode
/// out     ddelta_dq0, ddelta_dq1 [nv × nv]: change of delta per displacement at q0, and at q1
/// errors  std::invalid_argument on a wrong size; those of difference() and integrate_derivatives(). NaN then
/// cost    difference(), integrate_derivatives(), m³ per cluster with differentiated substeps; no allocation
template <class S>
GRBDA_EXPORT Result difference_derivatives(const Model& model, Data<S>& data, StepDerivatives<S>& work,
                                           ConstVector<S> q0, ConstVector<S> q1, MatrixOut<S> ddelta_dq0,
                                           MatrixOut<S> ddelta_dq1);

/// Integration method of step_derivatives().
enum class Integrator {
    semi_implicit_euler,  ///< ẏ⁺ = ẏ + h ÿ, q⁺ = integrate(q, h ẏ⁺)
    /// The classical fourth-order rule; q at each stage is integrate(q, δy) from the start of the step. For
    /// floating and spherical joints the rate of δ is ẏ + ½ [δ, ẏ] + ⅟₁₂ [δ, [δ, ẏ]]. For those that are
    /// partly independent, and for tangent coordinates, it is ẏ, which is of second order.
    runge_kutta
};

// Parts of step_derivatives() other than the dynamics.
namespace step {
inline int stages(Integrator integrator) { return integrator == Integrator::runge_kutta ? 4 : 1; }
template <class S>
GRBDA_EXPORT Result begin(const Model& model, Data<S>& data, StepDerivatives<S>& work, ConstVector<S> q,
                          ConstVector<S> yd, ConstVector<S> tau);
template <class S>
GRBDA_EXPORT Result enter(const Model& model, Data<S>& data, StepDerivatives<S>& work, int stage,
                          std::type_identity_t<S> h);
template <class S>
GRBDA_EXPORT void leave(const Model& model, const Data<S>& data, StepDerivatives<S>& work,
                        Integrator integrator, int stage, std::type_identity_t<S> h);
template <class S>
GRBDA_EXPORT Result finish(const Model& model, Data<S>& data, StepDerivatives<S>& work, Result result,
                           VectorOut<S> q_next, VectorOut<S> yd_next, MatrixOut<S> A, MatrixOut<S> B);
}  // namespace step

/// Computes a step of h seconds from (q, ẏ) under constant τ, and its derivatives
///   [δy⁺; δẏ⁺] = A [δy; δẏ] + B δτ
/// in      q [nq] closing the loops; yd [nv], tau [inputs of work]; h s. dynamics(q, yd, tau, dydd_dy,
///         dydd_dyd, dydd_dtau) → Result computes ÿ in data.ydd and its derivatives [nv × nv, and nv ×
///         inputs], see aba_derivatives()
/// out     q_next [nq], yd_next [nv], which may be q and yd; A [2 nv × 2 nv], B [2 nv × inputs];
///         work.by_duration
/// errors  std::invalid_argument on a wrong size; the first Status of dynamics, integrate() or
///         integrate_derivatives() that is not ok; not_finite. All four are NaN then
/// cost    for each stage dynamics, integrate(), integrate_derivatives() and up to 9 nv³; no allocation of
///         its own
template <class S, class Dynamics>
Result step_derivatives(const Model& model, Data<S>& data, StepDerivatives<S>& work, Integrator integrator,
                        ConstVector<S> q, ConstVector<S> yd, ConstVector<S> tau, std::type_identity_t<S> h,
                        Dynamics&& dynamics, VectorOut<S> q_next, VectorOut<S> yd_next, MatrixOut<S> A,
                        MatrixOut<S> B) {
    Result result = step::begin<S>(model, data, work, q, yd, tau);
    for (int stage = 0; result.ok() && stage < step::stages(integrator); ++stage) {
        result = step::enter<S>(model, data, work, stage, h);
        if (!result.ok()) break;
        const VectorX<S>&at = work.at, &rate = work.rate;
        result = dynamics(at, rate, tau, work.ydd_by_y, work.ydd_by_yd, work.ydd_by_tau);
        if (result.ok()) step::leave<S>(model, data, work, integrator, stage, h);
    }
    return step::finish<S>(model, data, work, result, q_next, yd_next, A, B);
}

}  // namespace grbda
