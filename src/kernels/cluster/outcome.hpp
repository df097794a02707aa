#pragma once

#include <initializer_list>
#include <limits>

#include "kernels/constraint/embedding.hpp"
#include "grbda/status.hpp"

#if defined(__FAST_MATH__) || defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "grbda tells NaN from numbers: compile it without -ffast-math and -ffinite-math-only"
#endif

// Checks whether arguments are valid to compute with, and whether results are valid. It takes one
// multiply-add per number: NaN and infinity remain in a sum.

namespace grbda::kernels {

/// Returns the sum of term(x) over n numbers, eight at a time, to shorten the chain of dependent additions.
template <class S, class Term>
[[gnu::always_inline]] inline S sum_of(const S* x, int n, const Term& term) {
    constexpr int width = 8;
    S sum = 0;
    int i = 0;
    if (n >= width) {
        S lanes[width] = {};
        for (; i + width <= n; i += width)
            for (int l = 0; l < width; ++l) lanes[l] += term(x[i + l]);
        for (int half = width / 2; half > 0; half /= 2)
            for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
        sum = lanes[0];
    }
    for (; i < n; ++i) sum += term(x[i]);
    return sum;
}

template <class S>
[[gnu::always_inline]] inline S squares(const S* x, int n) {
    return sum_of(x, n, [](const S& value) { return value * value; });
}

template <class S>
[[gnu::always_inline]] inline bool all_finite(const S* x, int n) {
    return sum_of(x, n, [](const S& value) { return value * 0; }) == 0;
}

/// Returns whether all entries of a matrix, stored by columns, are finite.
template <class S>
bool matrix_finite(const S* M, int rows, int columns, int stride) {
    if (stride == rows) return all_finite(M, rows * columns);
    for (int j = 0; j < columns; ++j)
        if (!all_finite(M + j * stride, rows)) return false;
    return true;
}

/// Returns whether all entries of the diagonal of a matrix are finite.
template <class S>
bool diagonal_finite(const S* M, int n, int stride) {
    S sum = 0;
    for (int i = 0; i < n; ++i) sum += M[i * (stride + 1)] * 0;
    return sum == 0;
}

/// Returns whether a state is valid to compute with: the root of the sum of the squares of q and, where not
/// null, ẏ, forces or ÿ, and wrenches is below largest_given. `others` is added to the sum of squares.
template <class S>
[[gnu::always_inline]] inline bool usable(const Model& model, const S* q, const S* yd = nullptr,
                                          const S* force = nullptr, const S* wrenches = nullptr,
                                          double others = 0) {
    constexpr double limit = largest_given;
    constexpr int few = 8;  // short vectors need a single pass
    S sum = static_cast<S>(others);
    if (model.nv < few) {
        S of_yd = 0, of_force = 0;
        for (int i = 0; i < model.nv; ++i) {
            sum += q[i] * q[i];
            if (yd) of_yd += yd[i] * yd[i];
            if (force) of_force += force[i] * force[i];
        }
        sum += squares(q + model.nv, model.nq - model.nv) + of_yd + of_force;
    } else {
        sum += squares(q, model.nq);
        if (yd) sum += squares(yd, model.nv);
        if (force) sum += squares(force, model.nv);
    }
    if (wrenches) sum += squares(wrenches, 6 * model.body_count());
    return sum < static_cast<S>(limit * limit);
}

/// Returns whether a state is valid, including gravity, for algorithms that depend on gravity.
template <class S>
[[gnu::always_inline]] inline bool usable_in_dynamics(const Model& model, const S* q, const S* yd,
                                                      const S* force, const S* wrenches) {
    return usable(model, q, yd, force, wrenches, dot(model.gravity, model.gravity));
}

/// Finds the status. `number` reads the deciding number from a scalar: its value, or one lane of a batch.
template <class S, class Read>
Result constraint_outcome(const Model& model, const Workspace<S>& data, double singular_rcond,
                          const Read& number) {
    if (model.rows == 0) return {};  // no cluster is implicit, or none has dependents
    for (int i = 0; i < model.cluster_count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (model.clusters[at].embedding == Embedding::implicit &&
            !(number(data.rcond[at]) >= singular_rcond))
            return {Status::singular_constraint, i};
    }
    return {};
}
template <class S>
Result constraint_outcome(const Model& model, const Workspace<S>& data) {
    return constraint_outcome(model, data, singular_rcond<S>(), [](const S& x) { return value_of(x); });
}

template <class S, class Read>
Result inertia_outcome(const Model& model, const Workspace<S>& data, const Read& number) {
    for (int i = 0; i < model.cluster_count(); ++i)
        if (!(number(data.margin[i]) > 0)) return {Status::singular_inertia, i};
    return {};
}
template <class S>
Result inertia_outcome(const Model& model, const Workspace<S>& data) {
    return inertia_outcome(model, data, [](const S& x) { return value_of(x); });
}

/// Replaces a result by NaN if it only appears to be valid. It is not inlined, so that this rare case uses no
/// registers.
template <class S, class Output>
[[gnu::cold, gnu::noinline]] void clear(Output& output) {
    output.setConstant(S(std::numeric_limits<double>::quiet_NaN()));
}

/// Returns the vector unchanged or, if an entry is not finite, as NaN.
template <class S, class Output>
Result delivered(Result result, Output& output) {
    if (result.ok() && !all_finite(output.data(), static_cast<int>(output.size())))
        result = {Status::not_finite};
    if (!result.ok()) clear<S>(output);
    return result;
}

/// Checks several matrices together; null matrices are not requested.
template <class S, class Matrix>
Result delivered_matrices(Result result, std::initializer_list<Matrix*> matrices) {
    for (const Matrix* M : matrices)
        if (result.ok() && M &&
            !matrix_finite(M->data(), static_cast<int>(M->rows()), static_cast<int>(M->cols()),
                           static_cast<int>(M->outerStride())))
            result = {Status::not_finite};
    if (!result.ok())
        for (Matrix* M : matrices)
            if (M) clear<S>(*M);
    return result;
}

/// Checks a mass matrix, in which no entry is larger than those of its diagonal.
template <class S, class Output>
Result delivered_matrix(Result result, Output& M) {
    if (result.ok() &&
        !diagonal_finite(M.data(), static_cast<int>(M.rows()), static_cast<int>(M.outerStride())))
        result = {Status::not_finite};
    if (!result.ok()) clear<S>(M);
    return result;
}

}  // namespace grbda::kernels
