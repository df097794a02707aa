#pragma once

#include <cmath>
#include <limits>

#include "grbda/kernels/coupling.hpp"
#include "grbda/kernels/dense.hpp"
#include "grbda/kernels/loop.hpp"
#include "grbda/kernels/sizes.hpp"
#include "grbda/model/data.hpp"

// Constraint embedding of one cluster: positions of its bodies, K and φ of its
// rows, G and g (Jain 2012; Chignoli et al. 2023, Sec. III). Everything is
// relative to the cluster's parent body, placed at `base`.

namespace grbda::kernels {

/// rcond(K_d) below this is a singular constraint. Rounding ε in φ leaves q wrong by ε/rcond and so G by
/// ε/rcond², times a factor of which 1e3 leaves room (measured on a four-bar: some tens): what is answered is
/// right to 1e-4. In float it is right to a digit: measured on all robots and 300 random mechanisms, G is
/// wrong by half of ε/rcond², M by twice, and what is computed from them by up to twenty times that.
template <class S>
double singular_rcond() {
    const double epsilon = static_cast<double>(std::numeric_limits<S>::epsilon());
    return epsilon < 1e-10 ? std::sqrt(1e3 * epsilon / 1e-4) : std::sqrt(20 * epsilon / 0.1);
}

/// Placement of the body that the cluster hangs on. For a branch of the world this also sets the
/// branch's origin: the first moving body's.
template <class S>
Placement<S> cluster_base(const Model& model, Data<S>& data, const Cluster& c, const S* q) {
    if (c.parent_body != world) {
        const auto parent = static_cast<std::size_t>(c.parent_body);
        return {data.R[parent], data.p[parent]};
    }
    Vector3<S> origin{S(0), S(0), S(0)};
    if (c.body_begin != c.rotor_begin) {
        const Body& first = model.bodies[static_cast<std::size_t>(c.body_begin)];
        origin = joint_displacement(first, q + first.q);
    }
    data.origin[static_cast<std::size_t>(c.branch)] = origin;
    return {Matrix3<S>::identity(), -origin};
}

template <class S>
Placement<S> placement_of(const Data<S>& data, const Cluster& c, const Placement<S>& base, int body) {
    if (body == c.parent_body) return base;
    const auto i = static_cast<std::size_t>(body);
    return {data.R[i], data.p[i]};
}

/// Sines and cosines of the angles [begin, end) of the model.
template <class S>
void turn_joints(const Model& model, Data<S>& data, const S* q, int begin, int end) {
    for (int i = begin; i < end; ++i)
        data.angle[static_cast<std::size_t>(i)] = q[model.angles[static_cast<std::size_t>(i)]];
    scalar::sincos(data.angle.data() + begin, end - begin, data.sine.data() + begin,
                   data.cosine.data() + begin);
}
template <class S>
void turn_joints(const Model& model, Data<S>& data, const S* q) {
    turn_joints(model, data, q, 0, static_cast<int>(model.angles.size()));
}

/// R, p and s of body i, turned as `by` says, its parent at orientation R and position p.
template <class S>
void place_body(const Model& model, Data<S>& data, int i, const Matrix3<S>& R, const Vector3<S>& p,
                const Turned<S>& by, const S* q) {
    const Body& body = model.bodies[static_cast<std::size_t>(i)];
    Matrix3<S>& R_i = data.R[static_cast<std::size_t>(i)];
    Vector3<S>& p_i = data.p[static_cast<std::size_t>(i)];
    if (body.joint == JointType::revolute) {
        place_revolute(body, R, p, by, R_i, p_i, data.s[static_cast<std::size_t>(body.dof)]);
        return;
    }
    R_i = joint_rotation(body, R, by, q + body.q);
    p_i = p + R * joint_displacement(body, q + body.q);
    joint_subspace(body, R, R_i, p_i, &data.s[static_cast<std::size_t>(body.dof)]);
}

/// What turn_joints() left for body i.
template <class S>
[[gnu::always_inline]] inline Turned<S> turn_of(const Data<S>& data, const Body& body) {
    if (body.angle < 0) return {S(0), S(1)};
    const auto at = static_cast<std::size_t>(body.angle);
    return {data.sine[at], data.cosine[at]};
}

/// R, p and s of the bodies with kinematics, after turn_joints().
template <class S>
void place_cluster(const Model& model, Data<S>& data, const Cluster& c, const Placement<S>& base,
                   const S* q) {
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        const Turned<S> by = turn_of(data, body);
        if (body.parent == c.parent_body)
            place_body(model, data, i, base.R, base.p, by, q);
        else
            place_body(model, data, i, data.R[static_cast<std::size_t>(body.parent)],
                       data.p[static_cast<std::size_t>(body.parent)], by, q);
    }
}

/// K, Ψ and φ of all rows of the cluster at its placed bodies; `open` as in loop_wrenches().
template <class S, bool open = false>
void constraint_rows(const Model& model, Data<S>& data, const Cluster& c, const Placement<S>& base,
                     const S* q) {
    S* K = data.K.data() + c.K_begin;
    for (int i = 0; i < c.rows * c.dofs; ++i) K[i] = S(0);
    for (int l = c.loops_begin; l < c.loops_end; ++l) {
        const Loop& loop = model.loops[static_cast<std::size_t>(l)];
        if (loop.rows == 0) continue;  // it holds in every pose
        const LoopRow* kept = model.loop_rows.data() + loop.rows_begin;
        LoopFrames<S>& frames = data.loop_frames[static_cast<std::size_t>(l)];
        const Placement<S> predecessor = placement_of(data, c, base, loop.predecessor.body);
        share_frames(loop, kept, predecessor, placement_of(data, c, base, loop.successor.body), frames);
        Force<S>* Psi = data.Psi.data() + loop.row;
        loop_wrenches<S, open>(loop, kept, predecessor.R, frames, Psi, data.phi.data() + loop.row);
        S* rows = K + (loop.row - c.row_begin) * c.dofs;
        for (int t = loop.terms_begin; t < loop.terms_end; ++t) {
            const LoopTerm term = model.loop_terms[static_cast<std::size_t>(t)];
            const Motion<S>& s = data.s[static_cast<std::size_t>(term.dof)];
            S* column = rows + (term.dof - c.dof_begin);
            const S sign = S(term.sign);
            for (int r = 0; r < loop.lengths; ++r) column[r * c.dofs] = dot(s, Psi[r]) * sign;
            for (int r = loop.lengths; r < loop.rows; ++r)
                column[r * c.dofs] = dot(s.angular, Psi[r].angular) * sign;
        }
    }
    for (int l = c.couplings_begin; l < c.couplings_end; ++l) {
        const Coupling& coupling = model.couplings[static_cast<std::size_t>(l)];
        data.phi[static_cast<std::size_t>(coupling.row)] =
            coupling_row(model, c, coupling, q, K + (coupling.row - c.row_begin) * c.dofs);
    }
}

/// K_d with rows and columns made dimensionless, rows padded, into A.
template <class S>
const S* gather_dependents(const Model& model, const Data<S>& data, const Cluster& c, S* A) {
    const int n = c.dependents(), stride = padded(n);
    const int* dependent = model.dependent.data() + c.dependent_begin;
    for (int r = 0; r < c.rows; ++r) {
        const S* K = data.K.data() + c.K_begin + r * c.dofs - c.dof_begin;
        const double* scale = model.K_scale.data() + c.K_begin + r * c.dofs - c.dof_begin;
        for (int d = 0; d < n; ++d) A[r * stride + d] = K[dependent[d]] * S(scale[dependent[d]]);
        for (int d = n; d < stride; ++d) A[r * stride + d] = S(0);
    }
    return A;
}

/// Pseudo-inverse of K_d, with rows and columns made dimensionless, into data.inverse; rcond relative to all
/// of K.
template <class S>
void invert_dependents(const Model& model, Data<S>& data, const Cluster& c, int cluster) {
    const int n = c.dependents(), stride = padded(n), width = padded(c.rows);
    const S* K = data.K.data() + c.K_begin;
    const double* scale = model.K_scale.data() + c.K_begin;
    const int* dependent = model.dependent.data() + c.dependent_begin;
    S* scaled = data.scratch.data();
    S* A = scaled + c.rows * c.dofs;
    S* R = A + c.rows * stride;
    S* P = data.inverse.data() + c.inverse_begin;
    const S one(1);
    for (int i = 0; i < c.rows * c.dofs; ++i) scaled[i] = K[i] * S(scale[i]);
    for (int r = 0; r < c.rows; ++r) {
        for (int d = 0; d < n; ++d) A[r * stride + d] = scaled[r * c.dofs + dependent[d] - c.dof_begin];
        for (int d = n; d < stride; ++d) A[r * stride + d] = S(0);
    }
    // a cluster whose K vanishes as a whole is singular too: its natural size is 1
    const S size = one + sum_of_squares(scaled, c.rows * c.dofs);
    pseudo_inverse(A, c.rows, n, model.dependent_rows.data() + c.dependent_begin, R, P);
    data.rcond[static_cast<std::size_t>(cluster)] =
        n == 0 ? one : scalar::min(S(one / scalar::sqrt(sum_of_squares(P, n * width) * size)), one);
}

/// Calls put(row, l, value) with the dependent rows of x [dofs × W], of which K_d x_d = b; the rows of
/// b [rows × W] are scaled.
template <int W, class S, class Put>
[[gnu::always_inline]] inline void solve_dependents(const Model& model, const Data<S>& data, const Cluster& c,
                                                    const S* b, const Put& put) {
    const int width = padded(c.rows);
    const S* P = data.inverse.data() + c.inverse_begin;
    for (int d = 0; d < c.dependents(); ++d) {
        S sum[W] = {};
        for (int r = 0; r < c.rows; ++r)
            for (int l = 0; l < W; ++l) sum[l] += P[d * width + r] * b[r * W + l];
        const int dof = model.dependent[static_cast<std::size_t>(c.dependent_begin + d)];
        const S scale = S(model.column_scale[static_cast<std::size_t>(dof)]);
        for (int l = 0; l < W; ++l) put(dof - c.dof_begin, l, S(sum[l] * scale));
    }
}

/// Dependent entries of x [dofs] from K_d x_d = b [rows].
template <class S>
void solve_dependents(const Model& model, Data<S>& data, const Cluster& c, const S* b, S* x) {
    const double* scale = model.row_scale.data() + c.row_begin;
    S* scaled = data.scratch.data();
    for (int r = 0; r < c.rows; ++r) scaled[r] = b[r] * S(scale[r]);
    solve_dependents<1>(model, data, c, scaled, [x](int row, int, const S& value) { x[row] = value; });
}

/// Columns [begin, begin + W) of G: the identity in its independent rows, −K_d⁻¹ K_i in the dependent ones.
template <int W, class S>
void solve_columns(const Model& model, Data<S>& data, const Cluster& c, int begin) {
    const int* independent = model.independent.data() + c.y_begin;
    const double* scale = model.row_scale.data() + c.row_begin;
    S* G = data.G.data() + c.G_begin + begin;
    S* scaled = data.scratch.data();
    const S* K = data.K.data() + c.K_begin;
    for (int i = 0; i < c.m; ++i)
        for (int l = 0; l < W; ++l) G[(independent[i] - c.dof_begin) * c.m + l] = S(i == begin + l ? 1 : 0);
    for (int r = 0; r < c.rows; ++r)
        for (int l = 0; l < W; ++l)
            scaled[r * W + l] = K[r * c.dofs + independent[begin + l] - c.dof_begin] * S(-scale[r]);
    solve_dependents<W>(model, data, c, scaled,
                        [=](int row, int l, const S& value) { G[row * c.m + l] = value; });
}

/// G, as many columns at once as there are, or four.
template <class S>
void solve_embedding(const Model& model, Data<S>& data, const Cluster& c) {
    with_size(c.m, [&](auto m) {
        if constexpr (m() > 0) {
            solve_columns<m()>(model, data, c, 0);
        } else {
            int j = 0;
            for (; j + 4 <= c.m; j += 4) solve_columns<4>(model, data, c, j);
            for (; j < c.m; ++j) solve_columns<1>(model, data, c, j);
        }
    });
}

/// J_i = J_parent + Σ s_j G_j: motion of each body relative to the cluster's parent per unit ẏ.
template <class S>
void cluster_jacobians(const Model& model, Data<S>& data, const Cluster& c) {
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        Motion<S>* J = data.J.data() + c.J_begin + (i - c.body_begin) * c.m;
        const Motion<S>* parent = body.parent == c.parent_body
                                      ? nullptr
                                      : data.J.data() + c.J_begin + (body.parent - c.body_begin) * c.m;
        const S* G = data.G.data() + c.G_begin + (body.dof - c.dof_begin) * c.m;
        const Motion<S>* s = &data.s[static_cast<std::size_t>(body.dof)];
        const int size = velocity_size(body.joint);
        for (int j = 0; j < c.m; ++j) {
            J[j] = s[0] * G[j];
            for (int l = 1; l < size; ++l) J[j] += s[l] * G[l * c.m + j];
            if (parent) J[j] += parent[j];
        }
    }
}

/// Entry of G, whatever the embedding; in the sweeps of explicit clusters it is not in data.G.
template <class S>
S embedding_entry(const Model& model, const Data<S>& data, const Cluster& c, int row, int j) {
    if (c.embedding == Embedding::none) return S(row == j ? 1 : 0);
    const auto at = static_cast<std::size_t>(c.G_begin + row * c.m + j);
    return c.embedding == Embedding::constant ? S(model.G[at]) : data.G[at];
}

/// Columns J of body i, whatever the embedding.
template <class S>
const Motion<S>* jacobian_of(const Model& model, const Data<S>& data, const Cluster& c, int i) {
    if (c.is_direct())
        return &data.s[static_cast<std::size_t>(model.bodies[static_cast<std::size_t>(i)].dof)];
    return data.J.data() + c.J_begin + (i - c.body_begin) * c.m;
}

}  // namespace grbda::kernels
