#pragma once

#include "grbda/simulation/simulator.hpp"

// How soft laws are: R in parts of what an impulse moves at its own row, so that it suits every mass.

namespace grbda::simulation {

/// R of each law from the diagonal blocks of Λ⁻¹. What nothing moves gets a law without effect. Overlap that
/// only more than `mass` would undo is undone more slowly: near a dead centre all of a robot would fly.
void soften(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia, const SimulatorOptions& options,
            double h, double mass, Table<RowLaw>& laws);

}  // namespace grbda::simulation
