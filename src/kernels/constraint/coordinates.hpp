#pragma once

#include <algorithm>
#include <cmath>

#include "elimination.hpp"
#include "embedding.hpp"

// Chooses the coordinates of a cluster with loops at a configuration. An orthonormal basis N of the motions
// that satisfy the loops, K S x = 0, is made from unit vectors. Each time the unit vector is chosen whose
// remainder, orthogonal to the previous ones, is the longest. These velocities are the best independent ones,
// up to a small factor. N and its complement B are the coordinates of the tangent.

namespace grbda::kernels {

/// Returns the destination of the blocks of a cluster in a chart.
inline BlockPlaces places_of_blocks(const Cluster& c, Chart& chart) {
    return {chart.blocks.data() + c.blocks.first, c.blocks.size(),
            chart.block_lists.data() + c.block_lists.first, c.block_lists.size()};
}

/// Makes the velocities `chosen` [m] the independent ones of the cluster, in this order. Needs scratch of
/// planning_size().
inline void put_independents(const Structure& model, const Cluster& c, const int* chosen, Chart& chart,
                             int* scratch) {
    chart.tangent[c.index] = 0;
    std::copy_n(chosen, c.m, chart.independent.data() + c.y_begin);
    int d = c.dependent_begin;
    for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
        if (std::find(chosen, chosen + c.m, dof) == chosen + c.m) chart.dependent[d++] = dof;
    chart.block_count[c.index] = find_blocks(model, c, chart.dependent.data() + c.dependent_begin,
                                             places_of_blocks(c, chart), scratch);
}

/// Reorders `chosen` [m] so that velocities that are already independent keep their places in y.
inline void keep_places(const Cluster& c, const Chart& chart, int* chosen) {
    for (int i = 0; i < c.m; ++i) {
        int* const same = std::find(chosen, chosen + c.m, chart.independent[c.y_begin + i]);
        if (same != chosen + c.m) std::swap(chosen[i], *same);
    }
}

/// Pivots that differ by less are equal, so that the choice does not depend on rounding.
inline constexpr double tie = 1e-9;

/// Computes B of the basis: orthonormalizes the dimensionless rows of K, the longest remainder first. Returns
/// false if K does not have full rank here.
template <class S>
bool find_complement(const Model& model, Workspace<S>& data, const Cluster& c) {
    ScratchScope scope(data.scratch);
    S* A = scope.take(c.rows * c.dofs);
    const double least =
        singular_rcond<S>() * singular_rcond<S>() * (1 + value_of(scale_rows(model, data, c, A)));
    double* const basis = data.chart.basis.data() + c.basis_begin;
    const auto subtract = [&](S* row, int column) {
        S part = S(0);
        for (int i = 0; i < c.dofs; ++i) part += row[i] * S(basis[i * c.dofs + column]);
        for (int i = 0; i < c.dofs; ++i) row[i] -= part * S(basis[i * c.dofs + column]);
    };
    for (int column = c.m; column < c.dofs; ++column) {
        S* longest = nullptr;
        double most = least;
        for (int r = 0; r < c.rows; ++r) {
            const double length = value_of(sum_of_squares(A + r * c.dofs, c.dofs));
            if (!(length > most * (1 + tie))) continue;
            most = length;
            longest = A + r * c.dofs;
        }
        if (!longest) return false;
        for (int before = c.m; before < column; ++before) subtract(longest, before);
        const double scale = 1 / std::sqrt(value_of(sum_of_squares(longest, c.dofs)));
        for (int i = 0; i < c.dofs; ++i) basis[i * c.dofs + column] = value_of(longest[i]) * scale;
        for (int r = 0; r < c.rows; ++r) subtract(A + r * c.dofs, column);
    }
    return true;
}

/// Factors for the length of a velocity in the choice. For a joint with a quaternion, whose positions are not
/// a vector space, the factor is smaller. Velocities of weight `first` and more are chosen before all others,
/// by their weight, if they contribute at all. Between weights that differ by 2, lengths do not matter.
namespace weight {
inline constexpr double never = 0, quaternion = 0.25, plain = 1, first = 4;
}

/// Returns the squared length of the remainder of unit vector i, orthogonal to B and the first `count`
/// columns of N.
inline double length_left(const Cluster& c, const double* basis, int count, int i) {
    const double* row = basis + i * c.dofs;
    double left = 1;
    for (int j = 0; j < count; ++j) left -= row[j] * row[j];
    for (int j = c.m; j < c.dofs; ++j) left -= row[j] * row[j];
    return left;
}

/// Sets column `column` of N to the remainder of unit vector i, orthogonal to B and the columns before,
/// orthogonalized twice.
inline void add_motion(const Cluster& c, double* basis, int column, int i) {
    const auto at = [&](int row, int j) -> double& { return basis[row * c.dofs + j]; };
    for (int row = 0; row < c.dofs; ++row) at(row, column) = row == i ? 1 : 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < c.dofs; ++j) {
            if (j >= column && j < c.m) continue;
            double part = 0;
            for (int row = 0; row < c.dofs; ++row) part += at(row, j) * at(row, column);
            for (int row = 0; row < c.dofs; ++row) at(row, column) -= part * at(row, j);
        }
    double square = 0;
    for (int row = 0; row < c.dofs; ++row) square += at(row, column) * at(row, column);
    for (int row = 0; row < c.dofs; ++row) at(row, column) /= std::sqrt(square);
}

/// Computes N of the basis, after B, and the velocities [m] from which it was made. Returns false if those
/// with a weight do not determine the others.
template <class S, class Weight>
bool find_motions(const Cluster& c, double* basis, const Weight& weight, int* chosen) {
    const double least = singular_rcond<S>() * singular_rcond<S>();
    for (int column = 0; column < c.m; ++column) {
        int best = -1;
        double most = 0;
        for (int i = 0; i < c.dofs; ++i) {
            const double left = length_left(c, basis, column, i), own = weight(c.dof_begin + i);
            const double counted = own >= weight::first ? own + left : left * own;
            if (!(left > least && counted > most * (1 + tie))) continue;
            if (std::find(chosen, chosen + column, c.dof_begin + i) != chosen + column) continue;
            most = counted;
            best = i;
        }
        if (best < 0) return false;
        add_motion(c, basis, column, best);
        chosen[column] = c.dof_begin + best;
    }
    return true;
}

/// Returns `fraction` of twice the kinetic energy of body i in a motion, or slightly more.
template <class S>
double floor_of(const Model& model, const Workspace<S>& data, int i, const Motion<S>& J) {
    constexpr double fraction = 1e-14;
    const Body& body = model.bodies[i];
    const Vector3<S> com = data.p[i] + data.R[i] * Vector3<S>{S(body.com.x), S(body.com.y), S(body.com.z)};
    const Vector3<S> v = J.linear + cross(J.angular, com);
    const double turning = 3 * body.inertia + dot(body.middle, body.middle) + dot(body.largest, body.largest);
    return fraction * (body.mass * value_of(dot(v, v)) + turning * value_of(dot(J.angular, J.angular)));
}

/// Sets floors for the pivots of D in the present coordinates, from the kinetic energy of their motions at
/// moderate speed. They are valid beyond the configuration of G.
template <class S>
void find_floors(const Model& model, Workspace<S>& data, const Cluster& c) {
    constexpr double moderate = 4;  // of G, dimensionless
    for (int j = 0; j < c.m; ++j) {
        double floor = 0, fastest = moderate;
        for (int i = 0; i < c.dofs; ++i) {
            const int dof = c.dof_begin + i;
            const double g = std::abs(value_of(data.G[c.G_begin + i * c.m + j]));
            const double share = g * model.floor_root[dof];
            fastest = std::max(fastest, g * unit_of_rate(model, data, c, j) / model.column_scale[dof]);
            floor += share * share;
        }
        for (const int i : c.bodies) floor += floor_of(model, data, i, jacobian_of(model, data, c, i)[j]);
        floor *= moderate / fastest * (moderate / fastest);
        if (std::isfinite(floor)) data.chart.inertia_floor[c.y_begin + j] = floor;
    }
}

/// Updates what depends on the coordinates of a placed cluster after they change.
template <class S>
void coordinates_changed(const Model& model, Workspace<S>& data, const Cluster& c) {
    ++data.chart.version[c.index];
    cluster_embedding(model, data, c, c.index);
    find_floors(model, data, c);
}

/// Changes to the best independent velocities of a placed cluster, by weight(dof), if rcond(K_d) of the
/// present ones is below `enough` times theirs. Returns false if there are no better ones.
template <class S, class Weight>
bool choose_independents(const Model& model, Workspace<S>& data, const Cluster& c, const Weight& weight,
                         double enough) {
    Chart& chart = data.chart;
    const bool was_tangent = is_on_tangent(data, c);
    const double before = value_of(data.rcond[c.index]);
    int* const chosen = data.chosen.data();
    int *const present = chosen + c.m, *const scratch = chosen + 2 * c.m;
    std::copy_n(chart.independent.data() + c.y_begin, c.m, present);
    if (!find_complement(model, data, c) ||
        !find_motions<S>(c, chart.basis.data() + c.basis_begin, weight, chosen)) {
        if (!was_tangent) return false;
        std::copy_n(present, c.m, chosen);  // the tangent no longer has its basis
    }
    keep_places(c, chart, chosen);
    if (!was_tangent && std::equal(chosen, chosen + c.m, present)) return true;
    put_independents(model, c, chosen, chart, scratch);
    invert_dependents(model, data, c, c.index);
    if (was_tangent || !(before >= enough * value_of(data.rcond[c.index]))) {
        coordinates_changed(model, data, c);
    } else {
        put_independents(model, c, present, chart, scratch);
        invert_dependents(model, data, c, c.index);
    }
    return true;
}

/// Uses the tangent's coordinates of a placed cluster. If K loses rank there, no tangent remains, and the
/// result is false.
template <class S>
bool use_tangent(const Model& model, Workspace<S>& data, const Cluster& c) {
    const auto any = [](int) { return weight::plain; };
    const bool found = find_complement(model, data, c) &&
                       find_motions<S>(c, data.chart.basis.data() + c.basis_begin, any, data.chosen.data());
    if (!found && !is_on_tangent(data, c)) return false;
    Chart& chart = data.chart;
    chart.tangent[c.index] = found;
    chart.block_count[c.index] =
        find_single_block(c, chart.dependent.data() + c.dependent_begin, places_of_blocks(c, chart));
    invert_dependents(model, data, c, c.index);
    coordinates_changed(model, data, c);
    return found;
}

/// Computes τ = Gᵀ x from forces x(dof) on all velocities; τ [nv] is in the user's order.
template <class S, class Forces>
void project_forces(const Model& model, const Workspace<S>& data, const Forces& x, S* tau) {
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j) {
            S sum(0);
            for (int i = 0; i < c.dofs; ++i)
                sum += embedding_entry(model, data, c, i, j) * x(c.dof_begin + i);
            tau[model.y_index[c.y_begin + j]] = sum;
        }
}

}  // namespace grbda::kernels
