#pragma once

#include <limits>

#include "grbda/kernels/embedding.hpp"
#include "grbda/status.hpp"

namespace grbda::kernels {

template <class S>
Result constraint_outcome(const Model& model, const Data<S>& data) {
    for (int i = 0; i < model.cluster_count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (model.clusters[at].embedding == Embedding::implicit &&
            !(value_of(data.rcond[at]) >= singular_rcond<S>()))
            return {Status::singular_constraint, i};
    }
    return {};
}

template <class S>
Result inertia_outcome(const Model& model, const Data<S>& data) {
    for (int i = 0; i < model.cluster_count(); ++i)
        if (!(value_of(data.margin[static_cast<std::size_t>(i)]) > 0)) return {Status::singular_inertia, i};
    return {};
}

/// NaN instead of numbers that only look fine.
template <class S, class Output>
Result delivered(const Result& result, Output& output) {
    if (!result.ok()) output.setConstant(S(std::numeric_limits<double>::quiet_NaN()));
    return result;
}

}  // namespace grbda::kernels
