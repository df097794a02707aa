#pragma once

#include "kernels/constraint/coordinates.hpp"
#include "kernels/cluster/rotor_motion.hpp"

// Forces in constraints. With loops cut, the spanning tree at q̇ = G ẏ and q̈ = G ÿ + g requires joint forces.
// The part of them that the joints do not supply is Kᵀ λ, which determines λ. The wrenches of loops with
// these λ are then subtracted from the joints on the loops' paths. All bodies count as described, reduced
// rotors, too.

namespace grbda::kernels {

/// Force on a body as described, without the rotors that it carries: Newton's law and Euler's.
template <class S>
Force<S> newton_euler(const Inertial& body, const Matrix3<S>& R, const Vector3<S>& p, const Motion<S>& v,
                      const Motion<S>& a) {
    const Eigen::Matrix3d& J = body.inertia;
    const Symmetric3<S> I{S(J(0, 0)), S(J(1, 1)), S(J(2, 2)), S(J(0, 1)), S(J(0, 2)), S(J(1, 2))};
    const Vector3<S> c = p + R * Vector3<S>{S(body.com[0]), S(body.com[1]), S(body.com[2])};
    const Vector3<S> omega = transpose_times(R, v.angular), alpha = transpose_times(R, a.angular);
    const Vector3<S> force =
        (a.linear + cross(a.angular, c) + cross(v.angular, v.linear + cross(v.angular, c))) * S(body.mass);
    return {force, R * (I * alpha + cross(omega, I * omega)) + cross(c, force)};
}

/// Forces that the armature of a joint requires: j q̈, for a floating joint also ω × j v.
template <class S>
void add_armature_forces(const Model& model, const Workspace<S>& data, const Cluster& c, const Body& body,
                         S* force) {
    for (int j = 0; j < velocity_size(body.joint); ++j) {
        const double armature = model.armature[body.dof + j];
        if (armature != 0) force[j] += joint_acceleration(model, data, c, body.dof + j) * S(armature);
    }
    if (body.joint != JointType::floating || !c.turning_armature) return;
    const S* rate = &data.rate[body.dof];
    const Vector3<S> turning =
        cross(Vector3<S>{rate[3], rate[4], rate[5]}, Vector3<S>{rate[0], rate[1], rate[2]}) *
        S(model.armature[body.dof]);
    force[0] += turning.x;
    force[1] += turning.y;
    force[2] += turning.z;
}

/// Forces that move a rod, at its ends, but for those along its line, and the couple of a universal joint at
/// A.
template <class S>
struct RodLoads {
    Vector3<S> a, b, couple;
};
template <class S>
RodLoads<S> rod_loads(const Model& model, const Workspace<S>& data, const Rod& rod) {
    const RodEnds<S> ends = ends_of(model, data, rod);
    const auto acceleration = [&](int body, const Vector3<S>& r) {
        return body == world ? gravity_acceleration<S>(model).linear
                             : point_acceleration(data.v[body], data.a[body], r);
    };
    const Vector3<S> a = acceleration(ends.a, ends.A), b = acceleration(ends.b, ends.B);
    const Vector3<S> at_a = a * S(rod.mass * (1 - rod.center)), at_b = b * S(rod.mass * rod.center);
    if (rod.strut >= 0) {
        const Vector3<S> alpha = ends.a == world ? Vector3<S>{} : data.a[ends.a].angular;
        const MovingStrut<S> strut = moving_strut(model, data, rod, ends, alpha, a, b);
        const EndLoads<S> loads = end_loads(strut.line, strut.force);
        return {at_a + loads.a, at_b + loads.b, loads.couple};
    }
    Vector3<S> f = (a - b) * S(rod.coupling), couple{S(0), S(0), S(0)};
    if (rod.guided()) {
        const Vector3<S> alpha = ends.a == world ? couple : data.a[ends.a].angular;
        const SpinForces<S> spin = spin_forces(data, rod, ends, Vector3<S>(b - a), alpha);
        f += spin.pair;
        couple = spin.couple;
    } else if (rod.spin_momentum != 0) {
        f += cross(velocity_between(data, ends), ends.d()) * S(gyroscopic(rod));
    }
    return {at_a - f, at_b + f, couple};
}

/// Couple by which a revolute joint at A balances the force at B across the line.
template <class S>
Vector3<S> couple_across(const Model& model, const Workspace<S>& data, const Rod& rod,
                         const Vector3<S>& at_b) {
    if (rod.joint != RodJoint::revolute) return {S(0), S(0), S(0)};
    return cross(ends_of(model, data, rod).d(), at_b);
}

/// Sums the forces that move a body and all bodies attached to it, in data.pA. Without wrenches none act.
template <class S>
void hanging_forces(const Model& model, Workspace<S>& data, const S* wrenches) {
    for (int i = 0; i < model.body_count(); ++i) {
        const Matrix3<S>& R = data.R[i];
        data.pA[i] = newton_euler(model.inertials[i], R, data.p[i], data.v[i], data.a[i]);
        if (!wrenches) continue;
        const S* w = wrenches + 6 * i;
        const Vector3<S> force = R * Vector3<S>{w[0], w[1], w[2]};
        data.pA[i] -= Force<S>{force, R * Vector3<S>{w[3], w[4], w[5]} + cross(data.p[i], force)};
    }
    for (const Rod& rod : model.rods) {
        const RodEnds<S> ends = ends_of(model, data, rod);
        const RodLoads<S> loads = rod_loads(model, data, rod);
        if (ends.a != world) data.pA[ends.a] += Force<S>{loads.a, loads.couple + cross(ends.A, loads.a)};
        if (ends.b != world) data.pA[ends.b] += Force<S>{loads.b, cross(ends.B, loads.b)};
    }
    for (int i = model.body_count() - 1; i >= 0; --i)
        if (const int parent = model.bodies[i].parent; parent != world) data.pA[parent] += data.pA[i];
}

/// τ_tree: what motors, springs and constraints have to bring together on each velocity, in data.tangent.
/// Leaves the wrenches through the tree joints in data.pA, as they are without loops.
template <class S>
void spanning_inverse(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* ydd,
                      const S* wrenches) {
    move_all_bodies(model, data, q, yd);
    accelerate_bodies(model, data, ydd, gravity_acceleration<S>(model));
    hanging_forces(model, data, wrenches);
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        S* force = &data.tangent[body.dof];
        for (int j = 0; j < velocity_size(body.joint); ++j) force[j] = dot(data.s[body.dof + j], data.pA[i]);
        const Cluster& c = model.clusters[body.cluster];
        if (c.armature) add_armature_forces(model, data, c, body, force);
    }
}

/// K and the inverse of K_d of clusters of linear couplings alone, which the passes never need.
template <class S>
void embed_couplings(const Model& model, Workspace<S>& data, const S* q) {
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        if (c.embedding != Embedding::constant || c.rows == 0) continue;
        constraint_rows(model, data, c, Placement<S>{}, q);
        invert_dependents(model, data, c, k);
        data.rcond[k] = S(1);  // it cannot be singular
    }
}

/// λ [rows] of a cluster: of those with K_dᵀλ = x_d the shortest in the scales of the rows.
template <class S>
void cluster_multipliers(const Model& model, const Workspace<S>& data, const Cluster& c, const Table<S>& x,
                         S* lambda) {
    const int width = padded(c.rows);
    const S* P = data.inverse.data() + c.inverse_begin;
    S* const first = lambda + c.row_begin;
    for (int r = 0; r < c.rows; ++r) first[r] = S(0);
    for (int d = 0; d < c.dependents(); ++d) {
        const S force = dependent_force(model, data, c, x.data(), d);
        for (int r = 0; r < c.rows; ++r) first[r] += P[d * width + r] * force;
    }
    for (int r = 0; r < c.rows; ++r) first[r] = first[r] * S(model.row_scale[c.row_begin + r]);
}

/// Wrench of a loop on its successor.
template <class S>
Force<S> loop_wrench(const Workspace<S>& data, const Loop& loop, const S* lambda) {
    Force<S> wrench{};
    for (int r = loop.row; r < loop.row + loop.rows; ++r) wrench += data.Psi[r] * lambda[r];
    return wrench;
}

/// Subtracts the wrench of a loop from the joints on its path, in data.pA.
template <class S>
void relieve_joints(const Model& model, Workspace<S>& data, const Loop& loop, const Force<S>& wrench) {
    for (const int t : loop.terms) {
        const LoopTerm& term = model.loop_terms[t];
        const int body = model.dof_body[term.dof];
        if (model.bodies[body].dof == term.dof) data.pA[body] -= wrench * S(term.sign);
    }
}

/// Returns the place of a body of the cluster, or of the body to which the cluster is attached.
template <class S>
Placement<S> placement_of(const Workspace<S>& data, const Cluster& c, int body) {
    if (body == world) return {Matrix3<S>::identity(), -data.origin[c.branch]};
    return {data.R[body], data.p[body]};
}

/// For the length of an expression.
template <class S>
PlacementView<S> view(const Placement<S>& placement) {
    return {placement.R, placement.p};
}

}  // namespace grbda::kernels
