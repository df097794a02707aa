#pragma once

#include <algorithm>
#include <limits>

#include "grbda/kernels/configuration.hpp"
#include "grbda/kernels/embedding.hpp"

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

/// Places the cluster with its parent body at rest, origin at the cluster's first body.
template <class S>
Placement<S> place_alone(const Model& model, Data<S>& data, const Cluster& c, const S* q) {
    Placement<S> base{Matrix3<S>::identity(), {S(0), S(0), S(0)}};
    if (c.body_begin == c.rotor_begin) return base;
    const Body& first = model.bodies[static_cast<std::size_t>(c.body_begin)];
    base.p = -joint_displacement(first, q + first.q);
    turn_joints(model, data, q, c.angle_begin, c.angle_end);
    place_cluster(model, data, c, base, q);
    return base;
}

/// False if a loop of the placed cluster stands at a false root of its rotational residual.
template <class S>
bool at_right_root(const Model& model, const Data<S>& data, const Cluster& c, const Placement<S>& base) {
    for (int l = c.loops_begin; l < c.loops_end; ++l) {
        const Loop& loop = model.loops[static_cast<std::size_t>(l)];
        if (loop.rows == 0) continue;  // it holds in every pose
        if (!right_root(loop, placement_of(data, c, base, loop.predecessor.body),
                        placement_of(data, c, base, loop.successor.body)))
            return false;
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

/// Place of a velocity coordinate in q, for joints whose positions form a vector space; else −1.
inline int position_index(const Model& model, int dof) {
    const Body& body = model.bodies[static_cast<std::size_t>(model.dof_body[static_cast<std::size_t>(dof)])];
    return has_quaternion(body.joint) ? -1 : body.q + dof - body.dof;
}

/// Largest position of a dependent joint, rad or relative to the cluster's size: a joint that has turned far
/// has digits to lose.
template <class S>
double dependent_reach(const Model& model, const Cluster& c, const S* q) {
    double reach = 0;
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int dof = model.dependent[static_cast<std::size_t>(d)], j = position_index(model, dof);
        if (j < 0) continue;
        const double scale = model.column_scale[static_cast<std::size_t>(dof)];
        reach = std::max(reach, std::abs(value_of(q[j])) / scale);
    }
    return reach;
}

/// What rounding leaves of a residual at q: Newton's method goes on as far as that. Beyond some 1e5 turns of
/// a dependent joint nothing counts as closed any more.
template <class S>
double rounding_of_closure(const Model& model, const Cluster& c, const S* q) {
    const double epsilon = static_cast<double>(std::numeric_limits<S>::epsilon());
    return std::min(16 * epsilon * (1 + dependent_reach(model, c, q)), 25 * closure_tolerance<S>());
}

/// The tolerance at q. It grows with the digits that dependent joints lose, to a hundred times at most.
template <class S>
double closure_tolerance(const Model& model, const Cluster& c, const S* q) {
    return std::max(4 * rounding_of_closure(model, c, q), closure_tolerance<S>());
}

/// Linear couplings alone: q_d = G q_i + offset.
template <class S>
void close_couplings(const Model& model, const Cluster& c, S* q) {
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int dof = model.dependent[static_cast<std::size_t>(d)];
        const double* G = model.G.data() + c.G_begin + (dof - c.dof_begin) * c.m;
        S position = S(model.offset[static_cast<std::size_t>(dof)]);
        for (int j = 0; j < c.m; ++j)
            if (G[j] != 0)
                position +=
                    q[position_index(model, model.independent[static_cast<std::size_t>(c.y_begin + j)])] *
                    S(G[j]);
        q[position_index(model, dof)] = position;
    }
}

/// q moved by `scale` · step [dofs of the cluster]; joints that do not move are left as they are.
template <class S>
void move_cluster(const Model& model, const Cluster& c, const S* from, const S* step, double scale, S* to) {
    for (int i = c.body_begin; i < c.body_end; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        S delta[6];
        bool moves = false;
        for (int j = 0; j < velocity_size(body.joint); ++j) {
            delta[j] = step[body.dof - c.dof_begin + j] * S(scale);
            moves = moves || value_of(delta[j]) != 0;
        }
        if (moves)
            joint_integrate(body.joint, from + body.q, delta, to + body.q);
        else if (from != to)
            std::copy_n(from + body.q, position_size(body.joint), to + body.q);
    }
}

/// Calls action(body) for every joint of a cluster.
template <class Action>
void each_joint(const Model& model, const Cluster& c, const Action& action) {
    for (int i = c.body_begin; i < c.body_end; ++i) action(model.bodies[static_cast<std::size_t>(i)]);
}

template <class S>
void copy_joints(const Model& model, const Cluster& c, const S* from, S* to) {
    each_joint(model, c, [&](const Body& b) { std::copy_n(from + b.q, position_size(b.joint), to + b.q); });
}

}  // namespace grbda::kernels
