#pragma once

#include "variation.hpp"

// First and second time derivatives of the rows Ψᵀ R of a cluster, where R is the displacement of Q relative
// to P along a direction. They vanish along the closed manifold, which gives the changes of the dependent
// rates: K δq̇ = −first at δq̇ = 0, then K δq̈ = −second at δq̈ = 0.

namespace grbda::kernels::derivatives {

/// Time derivatives of a vector, for Q's origin and for Q's rotation, as seen from P.
template <class S>
struct SeenFromP {
    Vector3<S> first, second;
};

/// Motion of frame Q of a loop relative to P.
template <class S>
struct LoopMotion {
    Vector3<S> r, rate, acceleration;  ///< origin of Q, its velocity and acceleration
    Vector3<S> omega, alpha;           ///< angular velocity and acceleration of P
    SeenFromP<S> shift, turn;          ///< of Q's origin and axes

    LoopMotion(const Model& model, const Workspace<S>& data, const Loop& loop, const LoopFrames<S>& frames)
        : r(frames.r) {
        const int p = loop.predecessor.body, s = loop.successor.body;
        const Motion<S> v_p = velocity_of(data, p), v_s = velocity_of(data, s),
                        a_p = acceleration_of(model, data, p), a_s = acceleration_of(model, data, s);
        omega = v_p.angular;
        alpha = a_p.angular;
        rate = point_velocity(v_s, r);
        acceleration = point_velocity(a_s, r) + cross(v_s.angular, rate);
        const Motion<S> v = v_s - v_p, a = a_s - a_p;
        shift.first = point_velocity(v, r);
        shift.second = point_velocity(a, r) + cross(v.angular, rate) - cross(omega, shift.first);
        turn.first = v.angular;
        turn.second = a.angular - cross(omega, v.angular);
    }

    /// Returns the rates of x as seen from P, from its derivatives in the common frame.
    SeenFromP<S> seen(const Vector3<S>& x, const Vector3<S>& first, const Vector3<S>& second) const {
        const Vector3<S> turned = cross(omega, x);
        return {first - turned, second - cross(omega, first) * S(2) - cross(alpha, x) + cross(omega, turned)};
    }
};

/// Displacement of Q relative to P along a direction, at Q's origin: u the translation, R the rotation.
template <class S>
struct Displacement {
    Vector3<S> u, R;
    SeenFromP<S> shift, turn;

    Displacement(const LoopMotion<S>& m, const Motion<S>& x, const Motion<S>& e, const Motion<S>& eta)
        : u(point_velocity(x, m.r)), R(x.angular) {
        const S two(2);
        const Vector3<S> first = point_velocity(e, m.r) + cross(R, m.rate);
        const Vector3<S> second =
            point_velocity(eta, m.r) + cross(e.angular, m.rate) * two + cross(R, m.acceleration);
        shift = m.seen(u, first, second);
        turn = m.seen(R, e.angular, eta.angular);
    }
};

template <class S>
struct RowRates {
    S first, second;
};

/// Returns the rates of one row.
template <class S>
RowRates<S> row_rates(const Loop& loop, const LoopRow& row, const LoopFrames<S>& f, const Force<S>& Psi,
                      const LoopMotion<S>& m, const Displacement<S>& x) {
    const S two(2);
    switch (row.kind) {
        case RowKind::along: return {dot(Psi.linear, x.shift.first), dot(Psi.linear, x.shift.second)};
        case RowKind::distance: {
            const Vector3<S> d = f.r - f.p;
            const S inverse = S(1 / loop.constant);
            return {(dot(m.shift.first, x.u) + dot(d, x.shift.first)) * inverse,
                    (dot(m.shift.second, x.u) + dot(m.shift.first, x.shift.first) * two +
                     dot(d, x.shift.second)) *
                        inverse};
        }
        case RowKind::length: {  // e the direction, changing at e' = (shift' − e ℓ')/ℓ
            const Vector3<S>& e = Psi.linear;
            const S inverse = S(1) / dot(f.r - f.p, e), stretch = dot(m.shift.first, e);
            const Vector3<S> rate = (m.shift.first - e * stretch) * inverse;
            const S pulled = dot(m.shift.second, e) + dot(m.shift.first, rate);  // ℓ''
            const Vector3<S> second = (m.shift.second - rate * S(stretch * two) - e * pulled) * inverse;
            return {dot(rate, x.u) + dot(e, x.shift.first),
                    dot(second, x.u) + dot(rate, x.shift.first) * two + dot(e, x.shift.second)};
        }
        case RowKind::screw: {
            const S pitch = S(loop.constant);
            return {dot(f.P.x, x.shift.first) - dot(f.P.x, x.turn.first) * pitch,
                    dot(f.P.x, x.shift.second) - dot(f.P.x, x.turn.second) * pitch};
        }
        case RowKind::turn:
        case RowKind::tilt: return {dot(Psi.angular, x.turn.first), dot(Psi.angular, x.turn.second)};
        case RowKind::angle: break;
    }
    const Vector3<S> axis_rate = cross(m.turn.first, f.Q.x);  // rate of Q's axis, as seen from P
    const Vector3<S> axis_second = cross(m.turn.second, f.Q.x) + cross(m.turn.first, axis_rate);
    const Vector3<S> first = cross(axis_rate, f.P.x), second = cross(axis_second, f.P.x);
    return {dot(first, x.R) + dot(Psi.angular, x.turn.first),
            dot(second, x.R) + dot(first, x.turn.first) * two + dot(Psi.angular, x.turn.second)};
}

/// Returns x, e or η of a body of the cluster along direction k; null for the cluster's parent body.
template <class S>
Motion<S> part_of(const Motion<S>* of_first, const Cluster& c, int body, int k) {
    return body == c.parent_body ? Motion<S>{} : of_first[(body - c.bodies.first) * c.m + k];
}

/// Returns x of Q relative to P along direction k.
template <class S>
Motion<S> loop_displacement(const Model& model, const Workspace<S>& data, const Cluster& c, const Loop& loop,
                            int k) {
    const Motion<S>* J = jacobian_of(model, data, c, c.bodies.first);
    return part_of(J, c, loop.successor.body, k) - part_of(J, c, loop.predecessor.body, k);
}

/// The second derivatives of a polynomial coupling's row, without those of its leader's rates.
template <class S>
struct CouplingCurvature {
    int leader;     ///< row of G
    S second;       ///< p″
    S first_rate;   ///< −p″ ẋ
    S second_rate;  ///< −(p‴ ẋ² + p″ ẍ)
};

template <class S>
CouplingCurvature<S> coupling_curvature(const Model& model, const Workspace<S>& data, const Cluster& c,
                                        const Coupling& coupling, const S* q) {
    const CouplingTerm& leader = leader_of(model, coupling);
    const S x = q[leader.q] - S(coupling.reference);
    S third(0);
    for (int i = coupling.polynomial.last; i-- > coupling.polynomial.first + 3;) {
        const int n = i - coupling.polynomial.first;
        third = third * x + S(model.polynomials[i] * n * (n - 1) * (n - 2));
    }
    const S second = polynomial(model, coupling, x).curvature;
    const S& rate = data.rate[leader.dof];
    return {leader.dof - c.dof_begin, second, -second * rate,
            -(third * rate * rate + second * data.directions.qdd[leader.dof])};
}

/// Calls put(row of the cluster, direction, rates) for all rows, at the present e and η.
template <class S, class Put>
void each_row_rate(const Model& model, Workspace<S>& data, const Cluster& c, const S* q, const Put& put) {
    const Directions<S>& d = data.directions;
    const Motion<S>*const e = d.e.data() + c.e_begin, *const eta = d.eta.data() + c.e_begin;
    const auto between = [&](const Motion<S>* x, const Loop& loop, int k) {
        return part_of(x, c, loop.successor.body, k) - part_of(x, c, loop.predecessor.body, k);
    };
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows == 0) continue;  // always satisfied
        const LoopRow* kept = model.loop_rows.data() + loop.rows_begin;
        const LoopFrames<S>& frames = data.loop_frames[l];
        const LoopMotion<S> motion(model, data, loop, frames);
        for (int k = 0; k < c.m; ++k) {
            const Displacement<S> x(motion, loop_displacement(model, data, c, loop, k), between(e, loop, k),
                                    between(eta, loop, k));
            for (int r = 0; r < loop.rows; ++r)
                put(loop.row - c.row_begin + r, k,
                    row_rates(loop, kept[r], frames, data.Psi[loop.row + r], motion, x));
        }
    }
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        const int row = coupling.row - c.row_begin;
        if (coupling.linear()) {
            for (int k = 0; k < c.m; ++k) put(row, k, RowRates<S>{S(0), S(0)});
            continue;
        }
        const CouplingCurvature<S> p = coupling_curvature(model, data, c, coupling, q);
        for (int k = 0; k < c.m; ++k) {
            const S& G = data.G[c.G_begin + p.leader * c.m + k];
            const S& change = d.rate[c.G_begin + k * c.dofs + p.leader];
            put(row, k, RowRates<S>{p.first_rate * G, p.second_rate * G + S(2) * p.first_rate * change});
        }
    }
}

/// Computes columns [begin, begin + W) of K δ = −rates for the dependent velocities; δ [dofs × m] by columns.
template <int W, class S>
void solve_change_columns(const Model& model, Workspace<S>& data, const Cluster& c, int begin, S* changes) {
    const S* rows = data.directions.rows.data();
    ScratchScope scope(data.scratch);
    S* b = scope.take(c.rows * W);
    for (int r = 0; r < c.rows; ++r)
        for (int l = 0; l < W; ++l)
            b[r * W + l] = rows[r * c.m + begin + l] * S(-model.row_scale[c.row_begin + r]);
    solve_dependents<W>(model, data, c, b, [=, &c](int row, int l, const S& value) {
        changes[(begin + l) * c.dofs + row] = value;
    });
}

/// Computes all columns; select(rates) returns the relevant rate.
template <class S, class Select>
void solve_changes(const Model& model, Workspace<S>& data, const Cluster& c, const S* q, const Select& select,
                   Table<S>& changes) {
    S* const rows = data.directions.rows.data();
    S* const first = changes.data() + c.G_begin;
    std::fill_n(first, c.dofs * c.m, S(0));
    each_row_rate(model, data, c, q,
                  [&](int row, int k, const RowRates<S>& rates) { rows[row * c.m + k] = select(rates); });
    if (is_on_tangent(data, c)) [[unlikely]] {
        ScratchScope scope(data.scratch);
        S* const b = scope.take(c.rows);
        for (int k = 0; k < c.m; ++k) {
            for (int r = 0; r < c.rows; ++r) b[r] = rows[r * c.m + k] * S(-model.row_scale[c.row_begin + r]);
            add_complement(model, data, c, b, 1, first + k * c.dofs);
        }
        return;
    }
    int k = 0;
    for (; k + 4 <= c.m; k += 4) solve_change_columns<4>(model, data, c, k, first);
    for (; k + 2 <= c.m; k += 2) solve_change_columns<2>(model, data, c, k, first);
    for (; k < c.m; ++k) solve_change_columns<1>(model, data, c, k, first);
}

/// Computes e, η, η' of a cluster's bodies along its directions, with the changes of its rates.
template <class S>
void vary_cluster(const Model& model, Workspace<S>& data, const Cluster& c, const S* q) {
    Directions<S>& d = data.directions;
    move_columns(model, data, c);
    with_embedding(model, data, c, [&](const auto& G) {
        vary_velocities(model, data, c, G);
        if (!has_rate_changes(c)) {
            vary_accelerations(model, data, c, G);
            return;
        }
        solve_changes(
            model, data, c, q, [](const RowRates<S>& rates) { return rates.first; }, d.rate);
        add_changes(model, data, c, d.rate, d.e);
        vary_accelerations(model, data, c, G);
        solve_changes(
            model, data, c, q, [](const RowRates<S>& rates) { return rates.second; }, d.acceleration);
        add_changes(model, data, c, d.acceleration, d.eta);
    });
    vary_rates(model, data, c);
}

}  // namespace grbda::kernels::derivatives
