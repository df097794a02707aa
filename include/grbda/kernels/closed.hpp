#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "grbda/export.hpp"
#include "grbda/kernels/configuration.hpp"
#include "grbda/kernels/rows.hpp"
#include "grbda/kernels/tangent.hpp"

// What it means for one cluster to be closed: its residual beside its parent body at rest, and the
// tolerances.

namespace grbda::kernels {

/// Residuals at or below this, relative to the cluster's size, count as closed.
template <class S>
constexpr double closure_tolerance() {
    return std::max(1e-10, 1e3 * static_cast<double>(std::numeric_limits<S>::epsilon()));
}

/// Residual of a loop that stands at a false root: not small.
inline constexpr double false_root_residual = 2;

/// False if a loop of the placed cluster stands at a false root of its rotational residual.
template <class S>
bool at_right_root(const Model& model, const Data<S>& data, const Cluster& c, const Placement<S>& base) {
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows == 0) continue;  // it holds in every pose
        if (!right_root(data, c, base, loop)) return false;
    }
    return true;
}

/// Closure residual of a placed cluster, relative to its size; fills K and φ.
template <class S>
double cluster_residual(const Model& model, Data<S>& data, const Cluster& c, const Placement<S>& base,
                        const S* q) {
    constraint_rows<S, true>(model, data, c, base, q);
    double residual = at_right_root(model, data, c, base) ? 0 : false_root_residual;
    for (int r = c.row_begin; r < c.row_begin + c.rows; ++r) {
        const auto row = static_cast<std::size_t>(r);
        const double error = std::abs(value_of(data.phi[row])) * model.row_scale[row];
        if (error > residual || std::isnan(error)) residual = error;  // a NaN stays
    }
    return residual;
}

/// Largest position of a dependent joint, rad or relative to the cluster's size: a joint that has turned far
/// has digits to lose.
template <class S>
double dependent_reach(const Model& model, const Data<S>& data, const Cluster& c, const S* q) {
    double reach = 0;
    each_dependent(data, c, [&](int dof) {
        const int j = position_index(model, dof);
        if (j < 0) return;
        const double scale = model.column_scale[dof];
        reach = std::max(reach, std::abs(value_of(q[j])) / scale);
    });
    return reach;
}

/// What rounding leaves of a residual at q: Newton's method goes on as far as that. Beyond some 1e5 turns of
/// a dependent joint nothing counts as closed any more.
template <class S>
double rounding_of_closure(const Model& model, const Data<S>& data, const Cluster& c, const S* q) {
    const double epsilon = static_cast<double>(std::numeric_limits<S>::epsilon());
    return std::min(16 * epsilon * (1 + dependent_reach(model, data, c, q)), 25 * closure_tolerance<S>());
}

/// The tolerance at q. It grows with the digits that dependent joints lose, to a hundred times at most.
template <class S>
double closure_tolerance(const Model& model, const Data<S>& data, const Cluster& c, const S* q) {
    return std::max(4 * rounding_of_closure(model, data, c, q), closure_tolerance<S>());
}

/// Linear couplings alone: q_d = G q_i + offset.
template <class S>
GRBDA_EXPORT void close_couplings(const Model& model, const Cluster& c, S* q) {
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int dof = model.dependent[d];
        const double* G = model.G.data() + c.G_begin + (dof - c.dof_begin) * c.m;
        S position = S(model.offset[dof]);
        for (int j = 0; j < c.m; ++j)
            if (G[j] != 0) position += q[position_index(model, model.independent[c.y_begin + j])] * S(G[j]);
        q[position_index(model, dof)] = position;
    }
}

// Compiled once for all, in src/kernels/.
extern template void close_couplings(const Model&, const Cluster&, double*);
extern template void close_couplings(const Model&, const Cluster&, float*);

}  // namespace grbda::kernels
