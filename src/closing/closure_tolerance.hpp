#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/body/configuration.hpp"
#include "grbda/export.hpp"
#include "kernels/constraint/rows.hpp"
#include "kernels/constraint/tangent.hpp"

// Closure of one cluster: its residual with its parent body at rest, and the tolerances.

namespace grbda::closing {

using namespace kernels;

/// Residuals at or below this, relative to the cluster's size, count as closed.
template <class S>
constexpr double closure_tolerance() {
    return std::max(1e-10, 1e3 * static_cast<double>(std::numeric_limits<S>::epsilon()));
}

/// Residual of a loop at a false root, which is not small.
inline constexpr double false_root_residual = 2;

/// Returns right_root() of a loop after share_frames(). With rows of angles, share_frames() has found all
/// relevant axes.
template <class S>
bool right_root_of_frames(const Workspace<S>& data, const Cluster& c, const Placement<S>& base,
                          const Loop& loop, const LoopRow* kept, const LoopFrames<S>& f) {
    if (loop.rows == loop.lengths) return right_root(data, c, base, loop);
    const bool ahead = value_of(dot(f.P.x, f.Q.x)) > 0;
    switch (kept[loop.lengths].kind) {
        case RowKind::turn:
            return ahead && value_of(dot(f.P.y, f.Q.y)) > 0 && value_of(dot(f.P.z, f.Q.z)) > 0;
        case RowKind::tilt: return ahead;
        case RowKind::along:
        case RowKind::distance:
        case RowKind::length:
        case RowKind::screw:
        case RowKind::angle: break;
    }
    return right_root(data, c, base, loop);
}

/// Returns false if a loop of the placed cluster is at a false root of its rotational residual. Call it after
/// the rows are computed.
template <class S>
GRBDA_EXPORT bool at_right_root(const Model& model, const Workspace<S>& data, const Cluster& c,
                                const Placement<S>& base) {
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows == 0) continue;  // always satisfied
        if (!right_root_of_frames(data, c, base, loop, model.loop_rows.data() + loop.rows_begin,
                                  data.loop_frames[l]))
            return false;
    }
    return true;
}

/// Places the cluster as place_alone(), without the columns s, which φ does not need.
template <class S>
Placement<S> place_frames(const Model& model, Workspace<S>& data, const Cluster& c, const S* q) {
    Placement<S> base{Matrix3<S>::identity(), {S(0), S(0), S(0)}};
    if (c.bodies.empty()) return base;
    const Body& first = model.bodies[c.bodies.first];
    base.p = -joint_displacement(first, q + first.q);
    turn_joints(model, data, q, c.angles.first, c.angles.last);
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        const bool on_parent = body.parent == c.parent_body;
        const Matrix3<S>& R = on_parent ? base.R : data.R[body.parent];
        const Vector3<S>& p = on_parent ? base.p : data.p[body.parent];
        const Turned<S> by = turn_of(data, body);
        const bool revolute = body.joint == JointType::revolute;
        data.p[i] = p + R * (revolute ? body.position.cast<S>() : joint_displacement(body, q + body.q));
        data.R[i] = revolute ? turned(body, R, by) : joint_rotation(body, R, by, q + body.q);
    }
    return base;
}

/// Computes φ alone, for an open cluster that is placed; K of loops is unchanged.
template <class S>
void closure_errors(const Model& model, Workspace<S>& data, const Cluster& c, const Placement<S>& base,
                    const S* q) {
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows == 0) continue;  // always satisfied
        const LoopRow* kept = model.loop_rows.data() + loop.rows_begin;
        const PlacementView<S> predecessor = placement_of(data, c, base, loop.predecessor.body);
        LoopFrames<S>& frames = data.loop_frames[l];
        share_frames(loop, kept, predecessor, placement_of(data, c, base, loop.successor.body), frames);
        S* const phi = data.phi.data() + loop.row;
        loop_wrenches<S, true>(loop, kept, predecessor.R, frames, data.Psi.data() + loop.row, phi);
        subtract_slide<S>(loop, c, q, phi, nullptr);
    }
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        S* K = data.K.data() + c.K_begin + (coupling.row - c.row_begin) * c.dofs;
        data.phi[coupling.row] = coupling_row(model, c, coupling, q, K);
    }
}

/// Returns the largest φ of a cluster, relative to its size.
template <class S>
double largest_error(const Model& model, const Workspace<S>& data, const Cluster& c,
                     const Placement<S>& base) {
    const S* phi = data.phi.data() + c.row_begin;
    const double* scale = model.row_scale.data() + c.row_begin;
    double residual = at_right_root(model, data, c, base) ? 0 : false_root_residual, finite = 0;
    for (int r = 0; r < c.rows; ++r) {
        const double error = std::abs(value_of(phi[r])) * scale[r];
        residual = std::max(residual, error);
        finite += error * 0;
    }
    return finite == 0 ? residual : std::numeric_limits<double>::quiet_NaN();
}

/// Computes K and φ of a placed cluster and returns its closure residual, relative to its size.
template <class S>
double cluster_residual(const Model& model, Workspace<S>& data, const Cluster& c, const Placement<S>& base,
                        const S* q) {
    constraint_rows<S, true>(model, data, c, base, q);
    return largest_error(model, data, c, base);
}

/// Returns the largest position of a dependent joint, rad or relative to the cluster's size. A joint that has
/// turned far loses digits.
template <class S>
double dependent_reach(const Model& model, const Workspace<S>& data, const Cluster& c, const S* q) {
    double reach = 0;
    each_dependent(data, c, [&](int dof) {
        const int j = position_index(model, dof);
        if (j < 0) return;
        const double scale = model.column_scale[dof];
        reach = std::max(reach, std::abs(value_of(q[j])) / scale);
    });
    return reach;
}

/// Returns the residual at q that is due to rounding; Newton's method iterates down to it. After some 1e5
/// turns of a dependent joint, no configuration counts as closed.
template <class S>
double rounding_of_closure(const Model& model, const Workspace<S>& data, const Cluster& c, const S* q) {
    const double epsilon = static_cast<double>(std::numeric_limits<S>::epsilon());
    return std::min(16 * epsilon * (1 + dependent_reach(model, data, c, q)), 25 * closure_tolerance<S>());
}

/// Returns the tolerance at q. It grows with the digits that dependent joints lose, up to a factor of a
/// hundred.
template <class S>
double closure_tolerance(const Model& model, const Workspace<S>& data, const Cluster& c, const S* q) {
    return std::max(4 * rounding_of_closure(model, data, c, q), closure_tolerance<S>());
}

/// Closes linear couplings alone: q_d = G q_i + offset.
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

// Instantiated in src/kernels/.
extern template bool at_right_root(const Model&, const Workspace<double>&, const Cluster&,
                                   const Placement<double>&);
extern template void close_couplings(const Model&, const Cluster&, double*);

}  // namespace grbda::closing
