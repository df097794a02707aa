#pragma once

#include "contact_law.hpp"
#include "grbda/simulation/options.hpp"

// Softness of laws. R is a fraction of the velocity that a unit impulse causes in its own row, so that it
// suits every mass.

namespace grbda::simulation {

/// Returns whether surfaces are springs of a given stiffness.
inline bool is_elastic(const SimulatorOptions& options) {
    return options.contact == ContactModel::compliant && options.stiffness > 0;
}

/// Returns the law for v̂ of contacts. A spring k with a damper k τ, both at the end of the step, has the
/// force −k (gap + h u) − k τ u.
GapLaw contact_gap_law(const SimulatorOptions& options, double h);

/// Sets R of each law from the diagonal blocks of Λ⁻¹. A row that no impulse moves gets a law without effect.
/// If undoing an overlap would have to move more than `mass`, it is undone more slowly: near a dead centre,
/// the whole robot would otherwise be thrown off.
void soften(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia, const SimulatorOptions& options,
            double h, double mass, Table<RowLaw>& laws);

}  // namespace grbda::simulation
