#pragma once

#include "grbda/model/model.hpp"
#include "kernels/cluster/outcome.hpp"

namespace grbda {

/// constraint_outcome() for algorithms that need the masses of all links.
template <class S>
Result dynamics_outcome(const Model& model, const Workspace<S>& data) {
    const int massless = first_massless_branch(model);
    if (massless >= 0) return {Status::singular_inertia, massless};
    return kernels::constraint_outcome(model, data);
}

/// kernels::inertia_outcome() with the cluster that is the cause: a pivot that is zero spoils those of the
/// clusters before it.
template <class S>
Result inertia_outcome(const Model& model, const Workspace<S>& data) {
    Result result = kernels::inertia_outcome(model, data);
    for (int i = model.cluster_count() - 1; !result.ok() && i > result.cluster; --i)
        if (!(value_of(data.margin[i]) > 0)) result.cluster = i;
    return result;
}

}  // namespace grbda
