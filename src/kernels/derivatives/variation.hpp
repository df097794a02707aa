#pragma once

#include "kernels/cluster/rotor_motion.hpp"

// Changes of the motion of a cluster's bodies along its directions, x = J, e and η of Directions, from the
// changes of the rates of its joints.
// source  IDSVA (Singh, Russell & Wensing 2022), where e and η are Ψ̇ and Ψ̈ of a joint with constant G; here
//         G varies

namespace grbda::kernels::derivatives {

/// Returns the acceleration of a body minus gravity.
template <class S>
Motion<S> acceleration_of(const Model& model, const Workspace<S>& data, int body) {
    return body == world ? gravity_acceleration<S>(model) : data.a[body];
}

/// Returns e, η or η' of body i of a cluster, one for each direction.
template <class Motions>
[[gnu::always_inline]] inline auto of_body(Motions& table, const Cluster& c, int i) {
    return table.data() + c.e_begin + (i - c.bodies.first) * c.m;
}

/// G of a cluster whose rates are ẏ, and of other clusters.
template <class S>
struct UnitEmbedding {
    S operator()(int row, int k) const { return S(row == k ? 1 : 0); }
};
template <class S>
struct ConstantEmbedding {
    const double* G;
    int m;
    S operator()(int row, int k) const { return S(G[row * m + k]); }
};
template <class S>
struct StoredEmbedding {
    const S* G;
    int m;
    const S& operator()(int row, int k) const { return G[row * m + k]; }
};

/// Calls use(G) with G(row, k); rows are counted from the cluster's first.
template <class S, class Use>
[[gnu::always_inline]] inline void with_embedding(const Model& model, const Workspace<S>& data,
                                                  const Cluster& c, const Use& use) {
    switch (c.embedding) {
        case Embedding::none: use(UnitEmbedding<S>{}); return;
        case Embedding::constant: use(ConstantEmbedding<S>{model.G.data() + c.G_begin, c.m}); return;
        case Embedding::implicit: use(StoredEmbedding<S>{data.G.data() + c.G_begin, c.m}); return;
    }
}

/// Returns whether G is variable, so that rates of dependent joints change with q.
inline bool has_rate_changes(const Cluster& c) { return c.embedding == Embedding::implicit && c.m < c.dofs; }

/// Changes along one direction of the rates of a cluster's velocities; null if they are zero.
template <class S>
struct RateChanges {
    const S *rate = nullptr, *acceleration = nullptr;  ///< δq̇, δq̈ [dofs]
};

template <class S>
RateChanges<S> rate_changes(const Workspace<S>& data, const Cluster& c, int direction) {
    if (!has_rate_changes(c)) return {};
    const int first = c.G_begin + direction * c.dofs;
    return {data.directions.rate.data() + first, data.directions.acceleration.data() + first};
}

/// Computes q̈ of all velocities of a cluster, and time derivatives of the columns of its joints. Each column
/// moves with the parent and with the columns before it; those of spherical and floating joints move with the
/// parent alone.
template <class S>
void move_columns(const Model& model, Workspace<S>& data, const Cluster& c) {
    Directions<S>& d = data.directions;
    for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
        d.qdd[dof] = joint_acceleration(model, data, c, dof);
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        Motion<S> v = velocity_of(data, body.parent), a = acceleration_of(model, data, body.parent);
        const int last = body.dof + velocity_size(body.joint);
        for (int dof = body.dof; dof < last; ++dof) {
            const Motion<S>& s = data.s[dof];
            const Motion<S> rate = cross(v, s);
            d.s_rate[dof] = rate;
            d.s_acceleration[dof] = cross(a, s) + cross(v, rate);
            if (dof + 1 == last || has_quaternion(body.joint)) continue;
            a += s * d.qdd[dof] + rate * data.rate[dof];
            v += s * data.rate[dof];
        }
    }
}

/// Computes table_i = table_parent + part(body, k) over the bodies of a cluster and its directions.
template <class S, class Part>
[[gnu::always_inline]] inline void sum_along_tree(const Model& model, const Cluster& c, Motion<S>* table,
                                                  const Part& part) {
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        Motion<S>* const own = table + (i - c.bodies.first) * c.m;
        const Motion<S>* const before =
            body.parent == c.parent_body ? nullptr : table + (body.parent - c.bodies.first) * c.m;
        for (int k = 0; k < c.m; ++k) {
            Motion<S> sum = part(body, i, k);
            if (before) sum += before[k];
            own[k] = sum;
        }
    }
}

/// Returns Σ columns of a joint times rows of a matrix along one direction.
template <class S, class Entry>
[[gnu::always_inline]] inline Motion<S> times_columns(const Body& body, const Motion<S>* columns,
                                                      const Entry& entry) {
    Motion<S> sum = columns[0] * entry(0);
    for (int l = 1; l < velocity_size(body.joint); ++l) sum += columns[l] * entry(l);
    return sum;
}

/// Computes e at δq̇ = 0.
template <class S, class G>
void vary_velocities(const Model& model, Workspace<S>& data, const Cluster& c, const G& embedding) {
    Directions<S>& d = data.directions;
    sum_along_tree(model, c, d.e.data() + c.e_begin, [&](const Body& body, int, int k) {
        const int row = body.dof - c.dof_begin;
        return times_columns(body, &d.s_rate[body.dof], [&](int l) { return embedding(row + l, k); });
    });
}

/// Computes η at δq̈ = 0 with the present δq̇.
template <class S, class G>
void vary_accelerations(const Model& model, Workspace<S>& data, const Cluster& c, const G& embedding) {
    Directions<S>& d = data.directions;
    sum_along_tree(model, c, d.eta.data() + c.e_begin, [&](const Body& body, int i, int k) {
        const int row = body.dof - c.dof_begin;
        Motion<S> eta =
            times_columns(body, &d.s_acceleration[body.dof], [&](int l) { return embedding(row + l, k); });
        const RateChanges<S> change = rate_changes(data, c, k);
        if (!change.rate) return eta;
        if (has_quaternion(body.joint)) {
            const Motion<S> z =
                times_columns(body, &data.s[body.dof], [&](int l) { return change.rate[row + l]; });
            return eta + cross(velocity_of(data, body.parent) + data.v[i], z);
        }
        return eta + times_columns(body, &d.s_rate[body.dof],
                                   [&](int l) { return S(change.rate[row + l] * S(2)); });
    });
}

/// Adds Σ s δ along the tree to e or η; δ [dofs × m] by columns.
template <class S>
void add_changes(const Model& model, Workspace<S>& data, const Cluster& c, const Table<S>& changes,
                 Table<Motion<S>>& table) {
    Motion<S>* const own = data.directions.eta_rate.data() + c.e_begin;
    sum_along_tree(model, c, own, [&](const Body& body, int, int k) {
        const S* change = changes.data() + c.G_begin + k * c.dofs + body.dof - c.dof_begin;
        return times_columns(body, &data.s[body.dof], [&](int l) { return change[l]; });
    });
    for (int i = 0; i < c.bodies.size() * c.m; ++i) table[c.e_begin + i] += own[i];
}

// Returns whether a cluster has spherical or floating joints. Their ÿ and q̈ are componentwise in their
// child's axes, which a displacement along another direction rotates: q̇ × G_k.

inline bool has_turning_joint(const Model& model, const Cluster& c) {
    for (const int i : c.bodies)
        if (has_quaternion(model.bodies[i].joint)) return true;
    return false;
}

/// Returns row `row`, counted from the cluster's first, of q̇ × G_k.
template <class S>
S turning_of(const Model& model, const Workspace<S>& data, const Cluster& c, int row, int k) {
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

/// Computes the independent part of q̇ × G_k.
template <class S>
void turn_directions(const Model& model, Workspace<S>& data, const Cluster& c) {
    S* C = data.directions.turn.data() + c.D_begin;
    for (int k = 0; k < c.m; ++k)
        for (int i = 0; i < c.m; ++i)
            C[i * c.m + k] = independent_motion(
                model, data, c, [&](int dof) { return turning_of(model, data, c, dof - c.dof_begin, k); }, i);
}

/// Computes η' = 2 e + J C, with C from turn_directions() if a joint has a quaternion.
template <class S>
void vary_rates(const Model& model, Workspace<S>& data, const Cluster& c) {
    Directions<S>& d = data.directions;
    const bool turning = has_turning_joint(model, c);
    if (turning) turn_directions(model, data, c);
    const S* C = d.turn.data() + c.D_begin;
    for (const int i : c.bodies) {
        const Motion<S>* J = jacobian_of(model, data, c, i);
        const Motion<S>* e = of_body(d.e, c, i);
        Motion<S>* eta_rate = of_body(d.eta_rate, c, i);
        for (int k = 0; k < c.m; ++k) {
            Motion<S> sum = e[k] * S(2);
            for (int l = 0; turning && l < c.m; ++l) sum += J[l] * C[l * c.m + k];
            eta_rate[k] = sum;
        }
    }
}

/// Returns the change of q̈ in a row along ẏ_k.
template <class S>
S acceleration_change(const Model& model, const Workspace<S>& data, const Cluster& c, int row, int k,
                      bool turning) {
    const RateChanges<S> change = rate_changes(data, c, k);
    S sum = change.rate ? S(S(2) * change.rate[row]) : S(0);
    if (!turning) return sum;
    const S* C = data.directions.turn.data() + c.D_begin;
    for (int i = 0; i < c.m; ++i) sum += embedding_entry(model, data, c, row, i) * C[i * c.m + k];
    return sum - turning_of(model, data, c, row, k);
}

}  // namespace grbda::kernels::derivatives
