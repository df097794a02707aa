#pragma once

#include <limits>

#include "grbda/kernels/embedding.hpp"
#include "grbda/kernels/finite.hpp"
#include "grbda/status.hpp"

namespace grbda::kernels {

/// `number` reads what decides from a scalar: its value, or one lane of a batch.
template <class S, class Read>
Result constraint_outcome(const Model& model, const Data<S>& data, double singular_rcond,
                          const Read& number) {
    for (int i = 0; i < model.cluster_count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (model.clusters[at].embedding == Embedding::implicit &&
            !(number(data.rcond[at]) >= singular_rcond))
            return {Status::singular_constraint, i};
    }
    return {};
}
template <class S>
Result constraint_outcome(const Model& model, const Data<S>& data) {
    return constraint_outcome(model, data, singular_rcond<S>(), [](const S& x) { return value_of(x); });
}

template <class S, class Read>
Result inertia_outcome(const Model& model, const Data<S>& data, const Read& number) {
    for (int i = 0; i < model.cluster_count(); ++i)
        if (!(number(data.margin[static_cast<std::size_t>(i)]) > 0)) return {Status::singular_inertia, i};
    return {};
}
template <class S>
Result inertia_outcome(const Model& model, const Data<S>& data) {
    return inertia_outcome(model, data, [](const S& x) { return value_of(x); });
}

/// NaN instead of numbers that only look fine. Out of line: what is rare costs the rest no registers.
template <class S, class Output>
[[gnu::cold, gnu::noinline]] void clear(Output& output) {
    output.setConstant(S(std::numeric_limits<double>::quiet_NaN()));
}

/// The vector as it came out, or NaN: also where it holds what is not finite.
template <class S, class Output>
Result delivered(Result result, Output& output) {
    if (result.ok() && !all_finite(output.data(), static_cast<int>(output.size())))
        result = {Status::not_finite};
    if (!result.ok()) clear<S>(output);
    return result;
}

/// The same for a mass matrix, none of whose entries is larger than those of its diagonal.
template <class S, class Output>
Result delivered_matrix(Result result, Output& M) {
    if (result.ok() &&
        !diagonal_finite(M.data(), static_cast<int>(M.rows()), static_cast<int>(M.outerStride())))
        result = {Status::not_finite};
    if (!result.ok()) clear<S>(M);
    return result;
}

}  // namespace grbda::kernels
