#pragma once

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

// Branches of a robot without any link that has mass: their inertia is missing, so no dynamics can be
// computed with the model. Constants::inertia_floor encodes this without extra storage. The first
// floor of such a branch is infinite, and the first floor of the model is then larger than any pivot.

namespace grbda {

inline constexpr double unreachable_floor = 1e300;

/// Marks and unmarks the branches that begin with these clusters.
GRBDA_EXPORT void mark_massless_branches(const Table<int>& clusters, Model& model);

/// Clusters that begin a branch without mass.
GRBDA_EXPORT Table<int> massless_branches(const Model& model);

/// The first of them; −1 if every branch has mass.
inline int first_massless_branch(const Model& model) {
    if (model.inertia_floor.empty() || !(model.inertia_floor.front() >= unreachable_floor)) [[likely]]
        return -1;
    return massless_branches(model).front();
}

}  // namespace grbda
