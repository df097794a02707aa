#pragma once

#include <Eigen/Geometry>

#include "balance.hpp"
#include "constraints/constraint_forces.hpp"
#include "kernels/pass/constraint_forces.hpp"
#include "kernels/cluster/outcome.hpp"

// ConstraintForces of a motion, for any scalar: with loops cut open, then as the multipliers say.

namespace grbda {

template <class S>
ConstraintForcesOf<S>::ConstraintForcesOf(const Model& model) : layout(model.layout) {
    require_whole(model);
    least = weight_on_length(model);
    for (Matrix6X<S>* x : {&loops, &loops_world}) x->setZero(6, static_cast<int>(model.loops.size()));
    for (Matrix6X<S>* x : {&joints, &joints_world}) x->setZero(6, model.body_count());
    rods.setZero(6, static_cast<int>(model.rods.size()));
    rod_couples.setZero(3, static_cast<int>(model.rods.size()));
    multipliers.setZero(model.rows);
    tree.setZero(model.nv_tree);
    tau.setZero(model.nv);
}

/// Every result of a call.
template <class S, class Each>
void each_result(ConstraintForcesOf<S>& forces, const Each& each) {
    for (Matrix6X<S>* x :
         {&forces.loops, &forces.loops_world, &forces.joints, &forces.joints_world, &forces.rods})
        each(*x);
    each(forces.rod_couples);
    for (VectorX<S>* x : {&forces.multipliers, &forces.tree, &forces.tau}) each(*x);
}

/// forces.tree and tau; leaves the former in data.tangent too. wrenches null: none.
template <class S>
Result cut_loops(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* ydd,
                 const S* wrenches, ConstraintForcesOf<S>& forces) {
    kernels::spanning_inverse(model, data, q, yd, ydd, wrenches);
    const Result result = kernels::constraint_outcome(model, data);
    if (!result.ok()) return result;
    for (std::size_t dof = 0; dof < model.v_index.size(); ++dof)
        forces.tree[model.v_index[dof]] = data.tangent[dof];
    kernels::project_forces(
        model, data, [&](int dof) { return data.tangent[dof]; }, forces.tau.data());
    return result;
}

/// A wrench in the common frame about the point p, in the axes R and in those of the world.
template <class S>
void put(const Force<S>& f, const Vector3<S>& p, const Matrix3<S>& R, int column, Matrix6X<S>& local,
         Matrix6X<S>& in_world) {
    const Vector3<S> moment = f.angular - cross(p, f.linear);
    const Vector3<S> force_R = transpose_times(R, f.linear), moment_R = transpose_times(R, moment);
    local.col(column) << force_R.x, force_R.y, force_R.z, moment_R.x, moment_R.y, moment_R.z;
    in_world.col(column) << f.linear.x, f.linear.y, f.linear.z, moment.x, moment.y, moment.z;
}

/// Loops and tree joints from the multipliers.
template <class S>
void share_load(const Model& model, Workspace<S>& data, ConstraintForcesOf<S>& forces) {
    const S* lambda = forces.multipliers.data();
    for (const Cluster& c : model.clusters)
        for (const int l : c.loops) {
            const Loop& loop = model.loops[l];
            const Force<S> wrench = kernels::loop_wrench(data, loop, lambda);
            kernels::relieve_joints(model, data, loop, wrench);
            const kernels::Placement<S> P = kernels::placement_of(data, c, loop.predecessor.body);
            const Vector3<S> r = kernels::point_of(
                kernels::view(kernels::placement_of(data, c, loop.successor.body)), loop.successor);
            put(wrench, r, P.R * loop.predecessor.rotation.cast<S>(), l, forces.loops, forces.loops_world);
        }
    for (int r = 0; r < static_cast<int>(model.rods.size()); ++r) {
        const Rod& rod = model.rods[r];
        const kernels::RodLoads<S> loads = kernels::rod_loads(model, data, rod);
        const Vector3<S> along = kernels::loop_wrench(data, model.loops[rod.loop], lambda).linear;
        const Vector3<S> a = loads.a + along, b = loads.b - along;
        forces.rods.col(r) << a.x, a.y, a.z, b.x, b.y, b.z;
        const Vector3<S> couple = loads.couple + kernels::couple_across(model, data, rod, along);
        forces.rod_couples.col(r) << couple.x, couple.y, couple.z;
    }
    for (int i = 0; i < model.body_count(); ++i)
        put(data.pA[i], data.p[i], data.R[i], i, forces.joints, forces.joints_world);
}

/// λ and all wrenches from data.tangent, after cut_loops().
template <class S>
void tie_loops(const Model& model, Workspace<S>& data, const S* q, ConstraintForcesOf<S>& forces) {
    kernels::embed_couplings(model, data, q);
    for (const Cluster& c : model.clusters)
        kernels::cluster_multipliers(model, data, c, data.tangent, forces.multipliers.data());
    share_load(model, data, forces);
}

}  // namespace grbda
