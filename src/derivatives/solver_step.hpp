#pragma once

#include <optional>

#include "grbda/export.hpp"
#include "derivatives/step_derivatives.hpp"
#include "grbda/derivatives/solver_step.hpp"
#include "grbda/model/applied_forces.hpp"
#include "model/arguments.hpp"

// The functions of grbda/derivatives/solver_step.hpp on one workspace. They are documented there.

namespace grbda {

struct GRBDA_EXPORT SolverWorkspace {
    /// Throws std::invalid_argument if the model was moved from, or if a spring of a spherical or floating
    /// joint acts.
    explicit SolverWorkspace(const Model& model, const SolverOptions& options = {});

    SolverOptions options;
    int nx, nu;          ///< lengths of x and u
    bool displacements;  ///< the first half of x is a displacement from the reference, not y

    AppliedForces applied;
    StepDerivatives<double> step;
    using Moving = Dual<double, 4>;
    std::optional<Workspace<Moving>> moving;  ///< for derivatives of applied forces
    Table<Moving> moving_q, moving_yd, moving_u, moving_tau, moving_scratch;
    Table<double> scratch;
    VectorX<double> q, q_next, yd, d, tau;
    MatrixX<double> tau_y, tau_yd, tau_u, inverse, A, B, by_first, by_second;
};

GRBDA_EXPORT Result solver_configuration(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                                         ConstVector<double> x, ConstVector<double> q_ref,
                                         VectorOut<double> q);

GRBDA_EXPORT Result solver_step(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                                ConstVector<double> x, ConstVector<double> u, ConstVector<double> q_ref,
                                ConstVector<double> q_ref_next, double h, VectorOut<double> x_next,
                                MatrixOut<double> J);

GRBDA_EXPORT Result solver_forces(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                                  ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u);

GRBDA_EXPORT Result solver_acceleration(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                                        ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u);
GRBDA_EXPORT Result solver_acceleration(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                                        ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u,
                                        MatrixOut<double> dydd_dy, MatrixOut<double> dydd_dyd,
                                        MatrixOut<double> dydd_du);

GRBDA_EXPORT Result solver_state_step(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                                      ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u,
                                      double h, VectorOut<double> q_next, VectorOut<double> yd_next);
GRBDA_EXPORT Result solver_state_step(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                                      ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u,
                                      double h, VectorOut<double> q_next, VectorOut<double> yd_next,
                                      MatrixOut<double> A, MatrixOut<double> B);

}  // namespace grbda
