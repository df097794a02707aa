#pragma once

#include "grbda/model/model.hpp"
#include "grbda/spatial/spatial.hpp"
#include "grbda/table.hpp"

// The part of a workspace that derivatives need.

namespace grbda {

/// Change of the force v ×* I v + I a of a rigid body by a change e of its velocity, with which it all turns
/// and moves: B e, 12 numbers, for only the turning of e counts. Adds over bodies as inertias do.
///   B e = [2 e_ω × ℓ; Γ e_ω], ℓ the linear momentum, Γ = 2 (tr N · 1 − N), N = v hᵀ + ω× Σ,
///   Σ = ½ tr(J) · 1 − J the second moment about the frame's origin
template <class S>
struct Coriolis {
    Vector3<S> p;
    Matrix3<S> gamma;

    Coriolis& operator+=(const Coriolis& b) {
        p += b.p;
        gamma += b.gamma;
        return *this;
    }
};

template <class S>
[[gnu::always_inline]] inline Coriolis<S> coriolis(const RigidInertia<S>& I, const Motion<S>& v) {
    const Vector3<S>& omega = v.angular;
    const Symmetric3<S>& J = I.angular;
    const S half = (J.xx + J.yy + J.zz) * S(0.5);
    const Vector3<S> x = v.linear * I.h.x + cross(omega, Vector3<S>{half - J.xx, -J.xy, -J.xz});
    const Vector3<S> y = v.linear * I.h.y + cross(omega, Vector3<S>{-J.xy, half - J.yy, -J.yz});
    const Vector3<S> z = v.linear * I.h.z + cross(omega, Vector3<S>{-J.xz, -J.yz, half - J.zz});
    const S two(2);
    return {v.linear * I.mass + cross(omega, I.h),
            {{(y.y + z.z) * two, x.y * -two, x.z * -two},
             {y.x * -two, (x.x + z.z) * two, y.z * -two},
             {z.x * -two, z.y * -two, (x.x + y.y) * two}}};
}

/// B e of a change of velocity.
template <class S>
[[gnu::always_inline]] inline Force<S> operator*(const Coriolis<S>& B, const Motion<S>& e) {
    return {cross(e.angular, B.p) * S(2), B.gamma * e.angular};
}

/// Bᵀ x, of which only the angular part is not zero.
template <class S>
[[gnu::always_inline]] inline Vector3<S> transpose_times(const Coriolis<S>& B, const Motion<S>& x) {
    return cross(B.p, x.linear) * S(2) + transpose_times(B.gamma, x.angular);
}

/// Derivatives along each direction y_k of a cluster: δq = G_k at fixed ẏ, ÿ. A displacement
/// x = J_k of a body moves all bodies attached to it; their velocity changes by x × v + e
/// and their acceleration by x × a + η + e × v, with the e and η of the body. Along ẏ_k, x =
/// 0, and J_k replaces e, η' replaces η. Motions and forces are in the common frame of Data.
template <class S>
struct Directions {
    Directions() = default;
    explicit Directions(const Model& model);

    // per body and direction of its cluster, laid out by Cluster::e_begin
    Table<Motion<S>> e, eta, eta_rate;

    // per spanning velocity, in pass order
    Table<Motion<S>> s_rate, s_acceleration;  ///< time derivatives of the columns s
    Table<S> qdd;
    Table<S> force;  ///< of its joint, with loops cut

    // per cluster with loops or polynomials, as laid out by Cluster::G_begin, by columns: change of q̇ and q̈
    Table<S> rate, acceleration;

    Table<S> turn;             ///< per cluster, as laid out by D: (q̇ × G_k) of the independent velocities
    Table<S> multiplier;       ///< per row: λ; Kᵀλ is the force that joints of dependent velocities lack
    Table<Force<S>> cut;       ///< per body: force through its joint, minus the wrenches of loops
    Table<Coriolis<S>> B;      ///< per body: composite
    Table<Vector3<S>> Z;       ///< per independent velocity: Σ Bᵀ J
    Table<Force<S>> force_y;   ///< per independent velocity: derivative of the force through the cluster by y
    Table<Force<S>> force_yd;  ///< the same by ẏ

    Table<S> rows;                   ///< scratch: rates of rows, sized for the largest cluster
    Table<S> own_y, own_yd, own_M;   ///< scratch: m × m
    Table<Motion<S>> between;        ///< scratch: relative motion of the frames of a loop, m
    Table<int> path;                 ///< scratch: nv
    Table<S> entries_y, entries_yd;  ///< scratch: nv
    Table<S> columns;                ///< scratch: nv × widest
};

template <class S>
Directions<S>::Directions(const Model& model)
    // constructed at full length: objects for one instruction set share no standard library function
    : path(at(model.nv)) {
    const Sizes& sizes = model.sizes;
    for (Table<Motion<S>>* x : {&e, &eta, &eta_rate}) x->resize(at(sizes.e));
    for (Table<Motion<S>>* x : {&s_rate, &s_acceleration}) x->resize(at(model.nv_tree));
    for (Table<S>* x : {&qdd, &force}) x->resize(at(model.nv_tree));
    for (Table<S>* x : {&rate, &acceleration}) x->resize(at(sizes.G));
    turn.resize(at(sizes.D));
    multiplier.resize(at(model.rows));
    cut.resize(model.bodies.size());
    B.resize(model.bodies.size());
    Z.resize(at(model.nv));
    for (Table<Force<S>>* x : {&force_y, &force_yd}) x->resize(at(model.nv));
    rows.resize(at(sizes.row_rates));
    for (Table<S>* x : {&own_y, &own_yd, &own_M}) x->resize(at(sizes.widest * sizes.widest));
    between.resize(at(sizes.widest));
    for (Table<S>* x : {&entries_y, &entries_yd}) x->resize(at(model.nv));
    columns.resize(at(model.nv * sizes.widest));
}

}  // namespace grbda
