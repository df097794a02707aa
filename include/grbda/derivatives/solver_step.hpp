#pragma once

#include <optional>

#include "grbda/derivatives/step_derivatives.hpp"
#include "grbda/export.hpp"
#include "grbda/model/applied_forces.hpp"
#include "grbda/model/arguments.hpp"

// One step of time as solvers of optimal control problems take it: a function of a vector x that is no point
// on a manifold, with closed loops and without a quaternion. Generated code has the same step, see
// docs/solvers.md.

namespace grbda {

/// Rule and inputs of solver_step().
struct SolverOptions {
    Integrator integrator = Integrator::semi_implicit_euler;
    bool motors = true;         ///< u are the forces of motors; false, or without named motors: τ
    bool joint_forces = false;  ///< springs, dampers, tendons and gravity compensation act; no dry friction
    /// x has displacements even if all independent coordinates are numbers in q: for tangent coordinates.
    bool displacements = false;
};

/// Sizes and workspace of solver_step(), made once from the model: one for each thread.
struct GRBDA_EXPORT SolverStep {
    /// Throws std::invalid_argument if the model was moved from, or if a spring of a spherical or floating
    /// joint acts.
    explicit SolverStep(const Model& model, const SolverOptions& options = {});

    SolverOptions options;
    int nx, nu;          ///< lengths of x and u
    bool displacements;  ///< the first half of x is a displacement from the reference, not y

    AppliedForces applied;
    StepDerivatives<double> step;
    using Moving = Dual<double, 4>;
    std::optional<Data<Moving>> moving;  ///< for derivatives of applied forces
    Table<Moving> moving_q, moving_yd, moving_u, moving_tau, moving_scratch;
    Table<double> scratch;
    VectorX<double> q, q_next, yd, d, tau;
    MatrixX<double> tau_y, tau_yd, tau_u, inverse, A, B, by_first, by_second;
};

/// Computes the closed configuration q of a state.
///   all independent joints have one coordinate   q has y = x; loops are followed from q_ref
///   otherwise                                    q = integrate(q_ref, x)
/// in      x [nv], rad and m; q_ref [nq] closing the loops
/// out     q [nq]; NaN on error
/// errors  std::invalid_argument on a wrong size, or for x = y if data.chart has tangent coordinates; also
///         those of integrate()
/// cost    that of integrate(); no allocation
GRBDA_EXPORT Result solver_configuration(const Model& model, Data<double>& data, SolverStep& work,
                                         ConstVector<double> x, ConstVector<double> q_ref,
                                         VectorOut<double> q);

/// Computes the next state and its derivatives. With x = (y, ẏ), or (d, ẏ) where d is the displacement from
/// q_ref, and x_next likewise from q_ref_next:
///   q = configuration(d, q_ref)   (q⁺, ẏ⁺) = step(q, ẏ, u)   d⁺ = difference(q_ref_next, q⁺)
/// in      x [nx], u [nu]; h, s; q_ref, q_ref_next [nq] closing the loops, the latter for displacements only
/// out     x_next [nx]; J [nx × (nx + nu + 1)]: derivatives by x, u, h at constant references; NaN on error
/// errors  std::invalid_argument on a wrong size; those of integrate() and aba_derivatives()
/// cost    for each stage aba_derivatives(), integrate() and O(nv³); no allocation
GRBDA_EXPORT Result solver_step(const Model& model, Data<double>& data, SolverStep& work,
                                ConstVector<double> x, ConstVector<double> u, ConstVector<double> q_ref,
                                ConstVector<double> q_ref_next, double h, VectorOut<double> x_next,
                                MatrixOut<double> J);

/// Computes the forces τ that inputs u and passive forces make, and their derivatives.
/// in      q [nq] closing the loops; yd [nv]; u [nu]
/// out     work.tau [nv]; work.tau_y, tau_yd [nv × nv], tau_u [nv × nu]
/// errors  std::invalid_argument on a wrong size; singular_constraint; not_finite
GRBDA_EXPORT Result solver_forces(const Model& model, Data<double>& data, SolverStep& work,
                                  ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u);

/// Computes ÿ under inputs u and passive forces, and its derivatives: those of aba() with the τ of
/// solver_forces(), as solvers with their own integrator take them.
/// in      q [nq] closing the loops; yd [nv]; u [nu]
/// out     data.ydd [nv]; dydd_dy, dydd_dyd [nv × nv], dydd_du [nv × nu]; NaN on error
/// errors  std::invalid_argument on a wrong size; those of aba_derivatives() and solver_forces()
/// cost    aba(), or aba_derivatives(), and the forces with O(nv³); no allocation
GRBDA_EXPORT Result solver_acceleration(const Model& model, Data<double>& data, SolverStep& work,
                                        ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u);
GRBDA_EXPORT Result solver_acceleration(const Model& model, Data<double>& data, SolverStep& work,
                                        ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u,
                                        MatrixOut<double> dydd_dy, MatrixOut<double> dydd_dyd,
                                        MatrixOut<double> dydd_du);

/// Computes a step from (q, ẏ) and its derivatives, as solvers with states on manifolds take it:
///   [δy⁺; δẏ⁺] = A [δy; δẏ] + B δu
/// in      q [nq] closing the loops; yd [nv]; u [nu]; h, s
/// out     q_next [nq], yd_next [nv], which may be q and yd; A [2 nv × 2 nv], B [2 nv × nu]; NaN on error
/// errors  std::invalid_argument on a wrong size; those of solver_acceleration() and integrate()
/// cost    of Euler's rule without A and B, aba() and integrate(); otherwise as step_derivatives(); no
///         allocation
GRBDA_EXPORT Result solver_state_step(const Model& model, Data<double>& data, SolverStep& work,
                                      ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u,
                                      double h, VectorOut<double> q_next, VectorOut<double> yd_next);
GRBDA_EXPORT Result solver_state_step(const Model& model, Data<double>& data, SolverStep& work,
                                      ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u,
                                      double h, VectorOut<double> q_next, VectorOut<double> yd_next,
                                      MatrixOut<double> A, MatrixOut<double> B);

}  // namespace grbda
