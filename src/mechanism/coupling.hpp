#pragma once

#include "steps.hpp"

// Couplings of two links by a ratio: the joints that they relate, and the direction of the ratio.

namespace grbda::mechanism {

/// Path subchains ν_p, ν_s: bodies below the nearest common ancestor, from the top down.
struct Subchains {
    std::vector<int> predecessor;
    std::vector<int> successor;
};

Subchains subchains(const Mechanism& mechanism, int predecessor, int successor);

/// A coupling whose joints can be added along its paths.
struct GearedPaths {
    const CouplingDescription* coupling;
    const GearRelation* gear;
    Subchains chains;
    std::size_t components;  ///< rows: the coordinates that all its joints have in common
};

/// Its row for one component, in the given reading.
MechanismCoupling geared_row(const GearedPaths& paths, CouplingRatio reading, int component);

/// The reading for all of them; nothing, after an error, if it cannot be determined.
std::optional<CouplingRatio> ratio_reading(const Context& context, const Mechanism& mechanism,
                                           const std::vector<GearedPaths>& couplings);

}  // namespace grbda::mechanism
