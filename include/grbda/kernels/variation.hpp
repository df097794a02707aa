#pragma once

#include "grbda/kernels/motion.hpp"
#include "grbda/kernels/rotor_motion.hpp"

// How the bodies of a cluster move otherwise along its directions: x = J, e and η of model/directions.hpp,
// from the changes of the rates of its joints. Sources: IDSVA (Singh, Russell & Wensing 2022), where e and η
// are Ψ̇ and Ψ̈ of a joint with constant G; here G moves.

namespace grbda::kernels {

/// Acceleration of a body, minus gravity.
template <class S>
Motion<S> acceleration_of(const Model& model, const Data<S>& data, int body) {
    return body == world ? gravity_acceleration<S>(model) : data.a[body];
}

/// e, η or η' of body i of a cluster, one for each direction.
template <class S>
[[gnu::always_inline]] inline Motion<S>* of_body(Table<Motion<S>>& table, const Cluster& c, int i) {
    return table.data() + c.e_begin + (i - c.bodies.first) * c.m;
}
template <class S>
[[gnu::always_inline]] inline const Motion<S>* of_body(const Table<Motion<S>>& table, const Cluster& c,
                                                       int i) {
    return table.data() + c.e_begin + (i - c.bodies.first) * c.m;
}

/// Changes along one direction of the rates of a cluster's velocities; null: none.
template <class S>
struct RateChanges {
    const S* rate = nullptr;          ///< δq̇ [dofs]
    const S* acceleration = nullptr;  ///< δq̈ [dofs]
};

/// True where G is not constant: then rates of dependent joints change with q.
inline bool has_rate_changes(const Cluster& c) { return c.embedding == Embedding::implicit && c.m < c.dofs; }

template <class S>
RateChanges<S> rate_changes(const Data<S>& data, const Cluster& c, int direction) {
    if (!has_rate_changes(c)) return {};
    const int first = c.G_begin + direction * c.dofs;
    return {data.directions.rate.data() + first, data.directions.acceleration.data() + first};
}

/// A column of a joint's motion subspace with its first and second time derivatives.
template <class S>
struct MovingColumn {
    Motion<S> s, first, second;
};

/// The columns of a joint, each carried by the motions of the parent and of the columns before it.
template <class S>
void moving_columns(const Model& model, const Data<S>& data, const Body& body, MovingColumn<S>* columns) {
    Motion<S> v = velocity_of(data, body.parent), a = acceleration_of(model, data, body.parent);
    for (int l = 0; l < velocity_size(body.joint); ++l) {
        const Motion<S>& s = data.s[body.dof + l];
        const Motion<S> first = cross(v, s), second = cross(a, s) + cross(v, first);
        columns[l] = {s, first, second};
        a += s * data.directions.qdd[body.dof + l] + first * data.rate[body.dof + l];
        v += s * data.rate[body.dof + l];
    }
}

/// Adds to e and η of the parent what the joint itself contributes along direction k; its columns are
/// independent of each other.
template <class S>
void vary_columns(const Model& model, const Data<S>& data, const Cluster& c, const Body& body,
                  const MovingColumn<S>* columns, int k, Motion<S>& e, Motion<S>& eta) {
    const RateChanges<S> change = rate_changes(data, c, k);
    const S two(2);
    for (int l = 0; l < velocity_size(body.joint); ++l) {
        const int row = body.dof - c.dof_begin + l;
        const MovingColumn<S>& column = columns[l];
        const S G = embedding_entry(model, data, c, row, k);
        e += column.first * G;
        eta += column.second * G;
        if (!change.rate) continue;
        e += column.s * change.rate[row];
        eta += column.first * (two * change.rate[row]) + column.s * change.acceleration[row];
    }
}

/// The same of a spherical or floating joint, whose columns move with the child.
template <class S>
void vary_child(const Model& model, const Data<S>& data, const Cluster& c, const Body& body, int k,
                const Motion<S>& v_child, Motion<S>& e, Motion<S>& eta) {
    const Motion<S> v = velocity_of(data, body.parent), a = acceleration_of(model, data, body.parent);
    const RateChanges<S> change = rate_changes(data, c, k);
    const int first = body.dof - c.dof_begin;
    Motion<S> z{}, rate{}, acceleration{};
    for (int l = 0; l < velocity_size(body.joint); ++l) {
        const Motion<S>& s = data.s[body.dof + l];
        z += s * embedding_entry(model, data, c, first + l, k);
        if (!change.rate) continue;
        rate += s * change.rate[first + l];
        acceleration += s * change.acceleration[first + l];
    }
    const Motion<S> carried = cross(v, z);
    e += carried + rate;
    eta += cross(a, z) + cross(v, carried) + cross(v + v_child, rate) + acceleration;
}

/// e and η of the bodies of a cluster along its directions.
template <class S>
void vary_bodies(const Model& model, Data<S>& data, const Cluster& c) {
    Directions<S>& d = data.directions;
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        Motion<S>*const e = of_body(d.e, c, i), *const eta = of_body(d.eta, c, i);
        const bool rooted = body.parent == c.parent_body, turns = has_quaternion(body.joint);
        const int before = (i - body.parent) * c.m;
        MovingColumn<S> columns[3];
        if (!turns) moving_columns(model, data, body, columns);
        for (int k = 0; k < c.m; ++k) {
            e[k] = rooted ? Motion<S>{} : (e - before)[k];
            eta[k] = rooted ? Motion<S>{} : (eta - before)[k];
            if (turns)
                vary_child(model, data, c, body, k, data.v[i], e[k], eta[k]);
            else
                vary_columns(model, data, c, body, columns, k, e[k], eta[k]);
        }
    }
}

// ÿ and q̈ of spherical and floating joints are componentwise in their child's axes, in which a displacement
// along another direction turns them: q̇ × G_k.

inline bool has_turning_joint(const Model& model, const Cluster& c) {
    for (const int i : c.bodies)
        if (has_quaternion(model.bodies[i].joint)) return true;
    return false;
}

/// Row `row`, counted from the cluster's first, of q̇ × G_k.
template <class S>
S turning_of(const Model& model, const Data<S>& data, const Cluster& c, int row, int k) {
    const int dof = c.dof_begin + row;
    const Body& body = model.bodies[model.dof_body[dof]];
    if (!has_quaternion(body.joint)) return S(0);
    const int first = body.dof - c.dof_begin, angular = velocity_size(body.joint) - 3, l = dof - body.dof;
    const S* rate = &data.rate[body.dof];
    const auto G = [&](int entry) { return embedding_entry(model, data, c, first + entry, k); };
    const auto component = [l](const Vector3<S>& a) { return l % 3 == 0 ? a.x : l % 3 == 1 ? a.y : a.z; };
    const Vector3<S> omega{rate[angular], rate[angular + 1], rate[angular + 2]};
    if (l >= angular) return component(cross(omega, Vector3<S>{G(angular), G(angular + 1), G(angular + 2)}));
    const Vector3<S> v{rate[0], rate[1], rate[2]};
    return component(cross(omega, Vector3<S>{G(0), G(1), G(2)}) + cross(v, Vector3<S>{G(3), G(4), G(5)}));
}

/// Σ_i x_i C_ik, with C_k the independent part of q̇ × G_k; zero without such joints.
template <class S, class X>
X times_turning(const Data<S>& data, const Cluster& c, const X* x, int k, X sum) {
    const S* C = data.directions.turn.data() + c.D_begin;
    for (int i = 0; i < c.m; ++i) sum += x[i] * C[i * c.m + k];
    return sum;
}

/// η' of the bodies, along ẏ.
template <class S>
void vary_rates(const Model& model, Data<S>& data, const Cluster& c) {
    Directions<S>& d = data.directions;
    const bool turning = has_turning_joint(model, c);
    if (turning) {
        S* C = d.turn.data() + c.D_begin;
        for (int k = 0; k < c.m; ++k)
            for (int i = 0; i < c.m; ++i)
                C[i * c.m + k] = independent_motion(
                    model, data, c, [&](int dof) { return turning_of(model, data, c, dof - c.dof_begin, k); },
                    i);
    }
    for (const int i : c.bodies) {
        const Motion<S>* J = jacobian_of(model, data, c, i);
        const Motion<S>* e = of_body(d.e, c, i);
        Motion<S>* eta_rate = of_body(d.eta_rate, c, i);
        for (int k = 0; k < c.m; ++k) {
            eta_rate[k] = e[k] * S(2);
            if (turning) eta_rate[k] = times_turning(data, c, J, k, eta_rate[k]);
        }
    }
}

/// Change of q̈ in a row along ẏ_k.
template <class S>
S acceleration_change(const Model& model, const Data<S>& data, const Cluster& c, int row, int k,
                      bool turning) {
    const RateChanges<S> change = rate_changes(data, c, k);
    S sum = change.rate ? S(S(2) * change.rate[row]) : S(0);
    if (!turning) return sum;
    const S* C = data.directions.turn.data() + c.D_begin;
    for (int i = 0; i < c.m; ++i) sum += embedding_entry(model, data, c, row, i) * C[i * c.m + k];
    return sum - turning_of(model, data, c, row, k);
}

}  // namespace grbda::kernels
