#pragma once

#include "grbda/export.hpp"
#include "constraints/constraint_forces.hpp"
#include "grbda/derivatives/constraint_force_derivatives.hpp"
#include "grbda/spatial/dual.hpp"
#include "model/arguments.hpp"

// The functions of grbda/derivatives/constraint_force_derivatives.hpp on one workspace. They are documented
// there.

namespace grbda {

/// The derivatives, with the state on dual numbers along four directions.
struct GRBDA_EXPORT DualConstraintForces : ConstraintForceDerivatives {
    using Number = Dual<double, 4>;

    /// Throws std::invalid_argument if the model was moved from.
    explicit DualConstraintForces(const Model& model);

    Workspace<Number> moving;
    Table<Number> q, yd, ydd, wrenches;  ///< state with its derivatives along four directions
    ConstraintForcesOf<Number> forces;
};

GRBDA_EXPORT Result constraint_force_derivatives(const Model& model, Workspace<double>& data,
                                                 ConstVector<double> q, ConstVector<double> yd,
                                                 ConstVector<double> ydd, DualConstraintForces& derivatives);
GRBDA_EXPORT Result constraint_force_derivatives(const Model& model, Workspace<double>& data,
                                                 ConstVector<double> q, ConstVector<double> yd,
                                                 ConstVector<double> ydd, Wrenches<double> wrenches,
                                                 DualConstraintForces& derivatives);

}  // namespace grbda
