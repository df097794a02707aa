#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Derivatives of integrate(), of difference() and of time steps. Displacements of q are tangent vectors as in
// integrate(), δq = G δy; for floating and spherical joints they are in the axes of the child.

namespace grbda {

/// Computes the derivatives of out = integrate(q, δy) with respect to q and δy.
///   joints of one coordinate   1
///   floating, spherical        Ad(exp(−δ)) and the right Jacobian. If only some components of such a joint
///                              in a loop are independent, or with tangent coordinates, the substeps of
///                              integrate() are differentiated
/// in      q [nq] closing the loops; delta [nv], rad and m
/// out     data.dout_dq, data.dout_ddelta [nv × nv]: displacement at out per displacement at q, and per
///         change of delta
/// errors  std::invalid_argument on a wrong size; not_finite. If substeps are differentiated, also those of
///         integrate() and singular_constraint; otherwise closure is not checked. NaN on error
/// cost    O(nv²); m / 2 times integrate() on dual numbers of five components for clusters whose substeps
///         are differentiated; no allocation after the first call
GRBDA_EXPORT Result integrate_derivatives(const Model& model, Data& data, ConstVectorRef q,
                                          ConstVectorRef delta);

/// Computes the derivatives of δy = difference(q0, q1) with respect to q0 and q1.
/// in      q0, q1 [nq] closing the loops, in one assembly mode
/// out     data.ddelta_dq0, data.ddelta_dq1 [nv × nv]: change of delta per displacement at q0, and at q1
/// errors  std::invalid_argument on a wrong size; those of difference() and integrate_derivatives(). NaN then
/// cost    difference(), integrate_derivatives(), m³ per cluster with differentiated substeps; no allocation
///         after the first call
GRBDA_EXPORT Result difference_derivatives(const Model& model, Data& data, ConstVectorRef q0,
                                           ConstVectorRef q1);

/// Integration method of step_derivatives().
enum class Integrator {
    semi_implicit_euler,  ///< ẏ⁺ = ẏ + h ÿ, q⁺ = integrate(q, h ẏ⁺)
    /// The classical fourth-order rule; q at each stage is integrate(q, δy) from the start of the step. For
    /// floating and spherical joints the rate of δ is ẏ + ½ [δ, ẏ] + ⅟₁₂ [δ, [δ, ẏ]]. For those that are
    /// partly independent, and for tangent coordinates, it is ẏ, which is of second order.
    runge_kutta
};

/// Computes a step of h seconds from (q, ẏ) under constant τ, and its derivatives
///   [δy⁺; δẏ⁺] = A [δy; δẏ] + B δτ
/// in      q [nq] closing the loops; yd, tau [nv]; h, s
/// out     data.q_next [nq], data.yd_next [nv], data.dnext_dx = A [2 nv × 2 nv], data.dnext_dtau = B
///         [2 nv × nv], data.dnext_dh [2 nv]
/// errors  std::invalid_argument on a wrong size; the first Status of aba_derivatives(), integrate() or
///         integrate_derivatives() that is not ok; not_finite. All results are NaN then
/// cost    for each stage aba_derivatives(), integrate(), integrate_derivatives() and up to 9 nv³; no
///         allocation after the first call
GRBDA_EXPORT Result step_derivatives(const Model& model, Data& data, Integrator integrator, ConstVectorRef q,
                                     ConstVectorRef yd, ConstVectorRef tau, double h);

}  // namespace grbda
