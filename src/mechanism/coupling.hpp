#pragma once

#include "internal.hpp"

// Couplings of two links by a ratio: which joints they relate, and which way the ratio goes.

namespace grbda::detail {

/// Path subchains ν_p, ν_s: bodies below the nearest common ancestor, from the top down.
struct Subchains {
    std::vector<int> predecessor;
    std::vector<int> successor;
};

Subchains subchains(const Mechanism& mechanism, int predecessor, int successor);

/// A coupling whose joints can be added up along its paths.
struct GearedPaths {
    const CouplingDescription* coupling;
    const GearRelation* gear;
    Subchains chains;
    std::size_t components;  ///< rows: the coordinates that all its joints have alike
};

/// Its row of one component, in the reading given.
MechanismCoupling geared_row(const GearedPaths& paths, CouplingRatio reading, int component);

/// The reading that holds for all of them; nothing, and an error, where it cannot be told.
std::optional<CouplingRatio> ratio_reading(const Context& context, const Mechanism& mechanism,
                                           const std::vector<GearedPaths>& couplings);

}  // namespace grbda::detail
