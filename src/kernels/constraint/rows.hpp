#pragma once

#include "coupling.hpp"
#include "grbda/export.hpp"
#include "loop.hpp"

// Computes all rows of a cluster, those of its loops and of its couplings: φ and K at its placed bodies, and
// k at its velocities.

namespace grbda::kernels {

/// Returns whether a loop of the placed cluster has its right root, as in loop.hpp.
template <class S>
bool right_root(const Workspace<S>& data, const Cluster& c, const Placement<S>& base, const Loop& loop) {
    return right_root(loop, placement_of(data, c, base, loop.predecessor.body),
                      placement_of(data, c, base, loop.successor.body));
}

/// Subtracts the position of a slide from the length row of a loop, which is its first. If K is null,
/// computes only φ.
template <class S>
[[gnu::always_inline]] inline void subtract_slide(const Loop& loop, const Cluster& c, const S* q, S* phi,
                                                  S* K) {
    if (loop.slide < 0) return;
    phi[0] -= q[loop.slide_q] * S(loop.slide_sign);
    if (K) K[loop.slide - c.dof_begin] = S(-loop.slide_sign);
}

/// Computes K, Ψ and φ of all rows of the cluster at its placed bodies; `open` as in loop_wrenches().
template <class S, bool open = false>
GRBDA_EXPORT void constraint_rows(const Model& model, Workspace<S>& data, const Cluster& c,
                                  const Placement<S>& base, const S* q) {
    S* K = data.K.data() + c.K_begin;
    for (int i = 0; i < c.rows * c.dofs; ++i) K[i] = S(0);
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows == 0) continue;  // always satisfied
        const LoopRow* kept = model.loop_rows.data() + loop.rows_begin;
        LoopFrames<S>& frames = data.loop_frames[l];
        const PlacementView<S> predecessor = placement_of(data, c, base, loop.predecessor.body);
        share_frames(loop, kept, predecessor, placement_of(data, c, base, loop.successor.body), frames);
        Force<S>* Psi = data.Psi.data() + loop.row;
        loop_wrenches<S, open>(loop, kept, predecessor.R, frames, Psi, data.phi.data() + loop.row);
        S* rows = K + (loop.row - c.row_begin) * c.dofs;
        const int lengths = loop.lengths - (has_screw(loop, kept) ? 1 : 0);  // forces through the origin of Q
        for (const int t : loop.terms) {
            const LoopTerm term = model.loop_terms[t];
            const Motion<S>& s = data.s[term.dof];
            S* column = rows + (term.dof - c.dof_begin);
            const S sign = S(term.sign);
            const Vector3<S> moved = point_velocity(s, frames.r) * sign;
            for (int r = 0; r < lengths; ++r) column[r * c.dofs] = dot(moved, Psi[r].linear);
            for (int r = lengths; r < loop.lengths; ++r) column[r * c.dofs] = dot(s, Psi[r]) * sign;
            for (int r = loop.lengths; r < loop.rows; ++r)
                column[r * c.dofs] = dot(s.angular, Psi[r].angular) * sign;
        }
        subtract_slide(loop, c, q, data.phi.data() + loop.row, rows);
    }
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        data.phi[coupling.row] =
            coupling_row(model, c, coupling, q, K + (coupling.row - c.row_begin) * c.dofs);
    }
}

/// Computes the ends of the rods of a cluster.
template <class S>
void place_rod_ends(const Model& model, Workspace<S>& data, const Cluster& c, const Placement<S>& base,
                    bool all = true) {
    for (const int r : c.rods) {
        const Loop& loop = model.loops[model.rods[r].loop];
        if (loop.rows > 0 && !all) continue;
        LoopFrames<S>& frames = data.loop_frames[model.rods[r].loop];
        frames.p = point_of(placement_of(data, c, base, loop.predecessor.body), loop.predecessor);
        frames.r = point_of(placement_of(data, c, base, loop.successor.body), loop.successor);
    }
}

/// Limits rcond of a cluster by the sines of the angles between its rods and the first axes of their
/// universal joints. The coordinates of these joints, which are reduced, would be singular at zero.
template <class S>
void limit_by_spins(const Model& model, Workspace<S>& data, const Cluster& c, int cluster) {
    for (const int r : c.rods) {
        const Rod& rod = model.rods[r];
        if (!rod.guided()) continue;
        const Loop& loop = model.loops[rod.loop];
        const LoopFrames<S>& frames = data.loop_frames[rod.loop];
        const Vector3<S> axis = rod.axis.cast<S>();
        const Vector3<S> turned =
            loop.predecessor.body == world ? axis : data.R[loop.predecessor.body] * axis;
        const Vector3<S> d = frames.r - frames.p;
        const S inverse = rod.strut < 0 ? S(1 / rod.length) : S(S(1) / scalar::sqrt(dot(d, d)));
        const Vector3<S> across = cross(turned, d) * inverse;
        data.rcond[cluster] = scalar::min(data.rcond[cluster], S(scalar::sqrt(dot(across, across))));
    }
}

/// Places the ends of rods whose lengths are constant in every pose, which constraint_rows() omits.
template <class S>
void place_loose_rods(const Model& model, Workspace<S>& data, const Cluster& c, const Placement<S>& base) {
    place_rod_ends(model, data, c, base, false);
}

/// Computes k of all rows of the cluster, at the velocities and summed joint biases of its bodies.
template <class S>
GRBDA_EXPORT void constraint_bias(const Model& model, Workspace<S>& data, const Cluster& c, const S* q) {
    const auto bias_of = [&](int body) { return body == c.parent_body ? Motion<S>{} : data.c[body]; };
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows == 0) continue;  // always satisfied
        const LoopFrames<S>& frames = data.loop_frames[l];
        const Motion<S> v = velocity_of(data, loop.predecessor.body);
        loop_bias(loop, model.loop_rows.data() + loop.rows_begin, frames, data.Psi.data() + loop.row, v,
                  velocity_of(data, loop.successor.body) - v,
                  bias_of(loop.successor.body) - bias_of(loop.predecessor.body), data.k.data() + loop.row);
    }
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        data.k[coupling.row] = coupling_bias(model, data, coupling, q);
    }
}

// Instantiated in src/kernels/.
extern template void constraint_rows<double, false>(const Model&, Workspace<double>&, const Cluster&,
                                                    const Placement<double>&, const double*);
extern template void constraint_rows<double, true>(const Model&, Workspace<double>&, const Cluster&,
                                                   const Placement<double>&, const double*);
extern template void constraint_bias(const Model&, Workspace<double>&, const Cluster&, const double*);

}  // namespace grbda::kernels
