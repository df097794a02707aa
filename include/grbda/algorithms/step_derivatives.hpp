#pragma once

#include <optional>

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"
#include "grbda/spatial/dual.hpp"

// Derivatives of integrate(), of difference() and of steps in time. A change of a configuration is one of its
// tangent there, as integrate() takes it: δq = G δy, of floating and spherical joints in child axes.

namespace grbda {

/// Workspace of these, sized once from the model: one for each thread.
template <class S>
struct GRBDA_EXPORT StepDerivatives {
    /// Throws std::invalid_argument if the model was moved from.
    explicit StepDerivatives(const Model& model);

    // the last motion by ẏ: its end, with derivatives by its start and by its displacement [nv × nv]
    MatrixX<S> by_start, by_way;

    // a step: state, what dynamics gave, and of the present stage and of the step so far numbers with their
    // derivatives by δy, δẏ and δτ [nv × 3 nv]
    VectorX<S> q, yd, at, rate, way, slope, total_way, total_gain;
    MatrixX<S> ydd_by_y, ydd_by_yd, ydd_by_tau;
    MatrixX<S> at_by, rate_by, way_by, slope_by, gain_by, total_way_by, total_gain_by;

    // clusters with a joint that is independent in part, on numbers with derivatives; none: no joint can be
    using Moving = Dual<S, 4>;
    std::optional<Data<Moving>> moving;
    Table<Moving> moving_q, moving_delta;
    Table<S> scratch;
    std::size_t bodies, layout;  ///< of the model that it was made for
};

/// Derivatives of out = integrate(q, δy) by q and by δy.
///   Coordinates of plain joints: 1. Floating and spherical ones: Ad(exp(−δ)) and the right Jacobian. Where
///   of such a joint in a loop only some components are independent, or ẏ is on a tangent, of the steps that
///   integrate() takes
/// in      q [nq] closing the loops; delta [nv], rad and m
/// out     dout_dq, dout_ddelta [nv × nv]: change in the tangent at out for one in that at q, and of delta
/// errors  std::invalid_argument on a wrong size; not_finite. If steps count, those of integrate() and
///         singular_constraint; else nothing is said of whether the loops can be followed. NaN then
/// cost    O(nv²); of clusters whose steps count m / 2 times integrate() on five numbers for one; no
///         allocation
template <class S>
GRBDA_EXPORT Result integrate_derivatives(const Model& model, Data<S>& data, StepDerivatives<S>& work,
                                          ConstVector<S> q, ConstVector<S> delta, MatrixOut<S> dout_dq,
                                          MatrixOut<S> dout_ddelta);

/// Derivatives of δy = difference(q0, q1) by q0 and by q1.
/// in      q0, q1 [nq] closing the loops, in one assembly mode
/// out     ddelta_dq0, ddelta_dq1 [nv × nv]: change of delta for one in the tangent at q0, and at q1
/// errors  std::invalid_argument on a wrong size; those of difference(), and as integrate_derivatives(). NaN
/// cost    difference() and integrate_derivatives(), and m³ of clusters whose steps count; no allocation
template <class S>
GRBDA_EXPORT Result difference_derivatives(const Model& model, Data<S>& data, StepDerivatives<S>& work,
                                           ConstVector<S> q0, ConstVector<S> q1, MatrixOut<S> ddelta_dq0,
                                           MatrixOut<S> ddelta_dq1);

enum class Integrator {
    semi_implicit_euler,  ///< ẏ⁺ = ẏ + h ÿ, q⁺ = integrate(q, h ẏ⁺)
    /// The classical rule of fourth order; q at each stage is integrate(q, δy) of the step's start. The rate
    /// of δ of floating and spherical joints is ẏ + ½ [δ, ẏ] + ⅟₁₂ [δ, [δ, ẏ]]. For those that are
    /// independent in part, and on tangents, it is ẏ alone, which is of second order.
    runge_kutta
};

// The parts of step_derivatives() other than dynamics.
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

/// A step of h seconds from (q, ẏ) under constant τ, and its derivatives
///   [δy⁺; δẏ⁺] = A [δy; δẏ] + B δτ
/// in      q [nq] closing the loops; yd, tau [nv]; h s. dynamics(q, yd, tau, dydd_dy, dydd_dyd, dydd_dtau) →
///         Result leaves ÿ in data.ydd and its derivatives [nv × nv], by y along the tangent at q
/// out     q_next [nq], yd_next [nv], which may be q and yd; A [2 nv × 2 nv], B [2 nv × nv]
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
