#pragma once

#include "contact_law.hpp"
#include "grbda/simulation/simulator.hpp"

// Softness of laws: R in parts of what an impulse moves at its own row, so that it suits every mass.

namespace grbda::simulation {

/// Surfaces are springs of a given stiffness.
inline bool is_elastic(const SimulatorOptions& options) {
    return options.contact == ContactModel::compliant && options.stiffness > 0;
}

/// v̂ of contacts. A spring k with a damper k τ, both at the end of the step, gives −k (gap + h u) − k τ u.
GapLaw contact_gap_law(const SimulatorOptions& options, double h);

/// R of each law from the diagonal blocks of Λ⁻¹. What nothing moves gets a law without effect. Overlap that
/// only more than `mass` would undo is undone more slowly: near a dead centre all of a robot would fly.
void soften(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia, const SimulatorOptions& options,
            double h, double mass, Table<RowLaw>& laws);

}  // namespace grbda::simulation
