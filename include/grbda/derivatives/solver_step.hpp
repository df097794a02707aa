#pragma once

#include <memory>

#include <Eigen/Core>

#include "grbda/derivatives/step_derivatives.hpp"
#include "grbda/export.hpp"
#include "grbda/model/applied_forces.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

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

struct SolverWorkspace;

/// Sizes, results and memory of solver_step() and the functions below, made once from the model: one for each
/// thread.
class GRBDA_EXPORT SolverStep {
public:
    /// Throws std::invalid_argument if the model was moved from, or if a spring of a spherical or floating
    /// joint acts.
    explicit SolverStep(const Model& model, const SolverOptions& options = {});
    SolverStep(SolverStep&&) noexcept;
    SolverStep& operator=(SolverStep&&) noexcept;
    ~SolverStep();

    SolverOptions options;
    int nx = 0, nu = 0;          ///< lengths of x and u
    bool has_motors = false;     ///< u are forces of motors, in the order of motor_coordinates(); else τ
    bool displacements = false;  ///< the first half of x is a displacement from the reference, not y

    Eigen::VectorXd q;                           ///< [nq]: solver_configuration()
    Eigen::VectorXd x_next;                      ///< [nx]: solver_step()
    Eigen::MatrixXd J;                           ///< [nx × (nx + nu + 1)]: solver_step()
    Eigen::VectorXd tau;                         ///< [nv]: solver_forces()
    Eigen::MatrixXd tau_y, tau_yd, tau_u;        ///< [nv × nv], [nv × nu]: solver_forces()
    Eigen::MatrixXd dydd_dy, dydd_dyd, dydd_du;  ///< likewise: solver_acceleration_derivatives()
    Eigen::VectorXd q_next, yd_next;             ///< [nq], [nv]: solver_state_step()
    Eigen::MatrixXd A, B;  ///< [2 nv × 2 nv], [2 nv × nu]: solver_state_step_derivatives()

    SolverWorkspace& workspace() const;  ///< for the library itself

private:
    std::unique_ptr<SolverWorkspace> workspace_;
};

/// State, inputs, duration and references of solver_step().
struct SolverPoint {
    Eigen::Ref<const Eigen::VectorXd> x;           ///< [nx]
    Eigen::Ref<const Eigen::VectorXd> u;           ///< [nu]
    Eigen::Ref<const Eigen::VectorXd> q_ref;       ///< [nq] closing the loops
    Eigen::Ref<const Eigen::VectorXd> q_ref_next;  ///< [nq] closing the loops; read for displacements only
    double h = 0;                                  ///< s
};

/// Computes the closed configuration q of a state.
///   all independent joints have one coordinate   q has y = x; loops are followed from q_ref
///   otherwise                                    q = integrate(q_ref, x)
/// in      x [nv], rad and m; q_ref [nq] closing the loops
/// out     work.q [nq]; NaN on error
/// errors  std::invalid_argument on a wrong size, or for x = y if data.chart() has tangent coordinates; also
///         those of integrate()
/// cost    that of integrate(); no allocation
GRBDA_EXPORT Result solver_configuration(const Model& model, Data& data, SolverStep& work, ConstVectorRef x,
                                         ConstVectorRef q_ref);

/// Computes the next state and its derivatives. With x = (y, ẏ), or (d, ẏ) where d is the displacement from
/// q_ref, and x_next likewise from q_ref_next:
///   q = configuration(d, q_ref)   (q⁺, ẏ⁺) = step(q, ẏ, u)   d⁺ = difference(q_ref_next, q⁺)
/// out     work.x_next [nx]; work.J [nx × (nx + nu + 1)]: derivatives by x, u, h at constant references; NaN
///         on error
/// errors  std::invalid_argument on a wrong size; those of integrate() and aba_derivatives()
/// cost    for each stage aba_derivatives(), integrate() and O(nv³); no allocation
GRBDA_EXPORT Result solver_step(const Model& model, Data& data, SolverStep& work, const SolverPoint& at);

/// Computes the forces τ that inputs u and passive forces make, and their derivatives.
/// in      q [nq] closing the loops; yd [nv]; u [nu]
/// out     work.tau [nv]; work.tau_y, tau_yd [nv × nv], tau_u [nv × nu]
/// errors  std::invalid_argument on a wrong size; singular_constraint; not_finite
GRBDA_EXPORT Result solver_forces(const Model& model, Data& data, SolverStep& work, ConstVectorRef q,
                                  ConstVectorRef yd, ConstVectorRef u);

/// Computes ÿ under inputs u and passive forces: aba() with the τ of solver_forces(), as solvers with their
/// own integrator take it.
/// in      q [nq] closing the loops; yd [nv]; u [nu]
/// out     data.ydd [nv]; NaN on error
/// errors  std::invalid_argument on a wrong size; those of aba() and solver_forces()
/// cost    aba() and the forces; no allocation
GRBDA_EXPORT Result solver_acceleration(const Model& model, Data& data, SolverStep& work, ConstVectorRef q,
                                        ConstVectorRef yd, ConstVectorRef u);
/// Computes the same with derivatives.
/// out     data.ydd [nv]; work.dydd_dy, work.dydd_dyd [nv × nv], work.dydd_du [nv × nu]; NaN on error
/// errors  also those of aba_derivatives()
/// cost    aba_derivatives(), and the forces with O(nv³); no allocation
GRBDA_EXPORT Result solver_acceleration_derivatives(const Model& model, Data& data, SolverStep& work,
                                                    ConstVectorRef q, ConstVectorRef yd, ConstVectorRef u);

/// Computes a step from (q, ẏ), as solvers with states on manifolds take it.
/// in      q [nq] closing the loops; yd [nv]; u [nu]; h, s
/// out     work.q_next [nq], work.yd_next [nv]; NaN on error
/// errors  std::invalid_argument on a wrong size; those of solver_acceleration() and integrate()
/// cost    with Euler's rule aba() and integrate(); otherwise as with derivatives; no allocation
GRBDA_EXPORT Result solver_state_step(const Model& model, Data& data, SolverStep& work, ConstVectorRef q,
                                      ConstVectorRef yd, ConstVectorRef u, double h);
/// Computes the same with derivatives:
///   [δy⁺; δẏ⁺] = A [δy; δẏ] + B δu
/// out     also work.A [2 nv × 2 nv], work.B [2 nv × nu]; NaN on error
/// errors  also those of solver_acceleration_derivatives()
/// cost    as step_derivatives(); no allocation
GRBDA_EXPORT Result solver_state_step_derivatives(const Model& model, Data& data, SolverStep& work,
                                                  ConstVectorRef q, ConstVectorRef yd, ConstVectorRef u,
                                                  double h);

}  // namespace grbda
