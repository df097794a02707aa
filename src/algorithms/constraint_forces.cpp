#include "grbda/algorithms/constraint_forces.hpp"

#include <algorithm>
#include <cmath>

#include "balance.hpp"
#include "grbda/kernels/constraint_forces.hpp"
#include "grbda/kernels/outcome.hpp"

namespace grbda {
namespace {

/// Every result of a call.
template <class S, class Each>
void each_result(ConstraintForces<S>& forces, const Each& each) {
    for (Matrix6X<S>* x : {&forces.loops, &forces.loops_world, &forces.joints, &forces.joints_world})
        each(*x);
    for (VectorX<S>* x : {&forces.multipliers, &forces.tree, &forces.tau}) each(*x);
}

template <class S>
void require_forces(const Model& model, const ConstraintForces<S>& forces) {
    require_fit("ConstraintForces", model, static_cast<std::size_t>(forces.joints.cols()), forces.layout);
    const int loops = static_cast<int>(model.loops.size());
    require_size("forces.loops (columns)", forces.loops.cols(), loops);
    require_size("forces.loops_world (columns)", forces.loops_world.cols(), loops);
    require_size("forces.joints_world (columns)", forces.joints_world.cols(), model.body_count());
    require_size("forces.multipliers", forces.multipliers.size(), model.rows);
    require_size("forces.tree", forces.tree.size(), model.nv_tree);
    require_size("forces.tau", forces.tau.size(), model.nv);
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

/// Takes what joints bring themselves off data.tangent. How far Gᵀ of the rest is from zero, relative to the
/// largest force or `least`, with forces of slides times the size of their cluster; `worst` is the cluster.
template <class S>
double imbalance(const Model& model, Data<S>& data, const S* applied, double least, int& worst) {
    double open = 0, largest = least;
    for (std::size_t dof = 0; dof < model.v_index.size(); ++dof) {
        const S force = applied[model.v_index[dof]];
        const double size = std::max(std::abs(value_of(data.tangent[dof])), std::abs(value_of(force)));
        largest = std::max(largest, size * model.column_scale[dof]);
        data.tangent[dof] -= force;
    }
    kernels::project_forces(
        model, data, [&](int dof) { return data.tangent[dof]; }, data.u.data());
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        for (int j = 0; j < c.m; ++j) {
            const double scale = kernels::unit_of_rate(model, data, c, j);
            const double left = std::abs(value_of(data.u[model.y_index[c.y_begin + j]])) * scale;
            if (left <= open) continue;
            open = left;
            worst = k;
        }
    }
    return open > 0 ? open / largest : open;
}

/// Loops and tree joints from the multipliers.
template <class S>
void share_load(const Model& model, Data<S>& data, ConstraintForces<S>& forces) {
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
    for (int i = 0; i < model.body_count(); ++i)
        put(data.pA[i], data.p[i], data.R[i], i, forces.joints, forces.joints_world);
}

/// joint_forces null: what independent joints bring is τ.
template <class S>
Result solve_forces(const Model& model, Data<S>& data, const S* q, const S* yd, const S* ydd,
                    const S* wrenches, const S* joint_forces, ConstraintForces<S>& forces) {
    kernels::spanning_inverse(model, data, q, yd, ydd, wrenches);
    Result result = kernels::constraint_outcome(model, data);
    if (!result.ok()) return result;
    for (std::size_t dof = 0; dof < model.v_index.size(); ++dof)
        forces.tree[model.v_index[dof]] = data.tangent[dof];
    kernels::project_forces(
        model, data, [&](int dof) { return data.tangent[dof]; }, forces.tau.data());
    if (joint_forces) {
        int worst = -1;
        result.residual = imbalance(model, data, joint_forces, forces.least, worst);
        if (!(result.residual <= balance_tolerance<S>())) return {Status::unbalanced, worst, result.residual};
    }
    kernels::embed_couplings(model, data, q);
    for (const Cluster& c : model.clusters)
        kernels::cluster_multipliers(model, data, c, data.tangent, forces.multipliers.data());
    share_load(model, data, forces);
    bool finite = true;
    each_result(forces, [&](const auto& x) {
        finite = finite && kernels::all_finite(x.data(), static_cast<int>(x.size()));
    });
    return finite ? result : Result{Status::not_finite};
}

/// wrenches, joint_forces null: none are given.
template <class S>
Result run(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> ydd,
           const S* wrenches, const S* joint_forces, ConstraintForces<S>& forces) {
    require_workspace(model, data);
    require_forces(model, forces);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("ydd", ydd.size(), model.nv);
    double others = dot(model.gravity, model.gravity);
    if (joint_forces) others += static_cast<double>(kernels::squares(joint_forces, model.nv_tree));
    Result result{Status::not_finite};
    if (kernels::usable(model, q.data(), yd.data(), ydd.data(), wrenches, others))
        result =
            solve_forces<S>(model, data, q.data(), yd.data(), ydd.data(), wrenches, joint_forces, forces);
    if (!result.ok()) each_result(forces, [](auto& x) { kernels::clear<S>(x); });
    return result;
}

template <class S>
const S* given(const Model& model, Wrenches<S> wrenches) {
    if (wrenches.cols() == 0) return nullptr;
    require_size("wrenches (columns)", wrenches.cols(), model.body_count());
    return wrenches.data();
}

}  // namespace

template <class S>
ConstraintForces<S>::ConstraintForces(const Model& model) : layout(model.layout) {
    require_whole(model);
    least = weight_on_length(model);
    for (Matrix6X<S>* x : {&loops, &loops_world}) x->setZero(6, static_cast<int>(model.loops.size()));
    for (Matrix6X<S>* x : {&joints, &joints_world}) x->setZero(6, model.body_count());
    multipliers.setZero(model.rows);
    tree.setZero(model.nv_tree);
    tau.setZero(model.nv);
}

template <class S>
Result constraint_forces(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd, ConstraintForces<S>& forces) {
    return run<S>(model, data, q, yd, ydd, nullptr, nullptr, forces);
}

template <class S>
Result constraint_forces(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd, Wrenches<S> wrenches, ConstraintForces<S>& forces) {
    return run<S>(model, data, q, yd, ydd, given<S>(model, wrenches), nullptr, forces);
}

template <class S>
Result constraint_forces(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd, Wrenches<S> wrenches, ConstVector<S> joint_forces,
                         ConstraintForces<S>& forces) {
    require_size("joint_forces", joint_forces.size(), model.nv_tree);
    return run<S>(model, data, q, yd, ydd, given<S>(model, wrenches), joint_forces.data(), forces);
}

#define GRBDA_INSTANTIATE(S)                                                                     \
    template struct ConstraintForces<S>;                                                         \
    template Result constraint_forces<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, \
                                         ConstVector<S>, ConstraintForces<S>&);                  \
    template Result constraint_forces<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, \
                                         ConstVector<S>, Wrenches<S>, ConstraintForces<S>&);     \
    template Result constraint_forces<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, \
                                         ConstVector<S>, Wrenches<S>, ConstVector<S>, ConstraintForces<S>&);
GRBDA_INSTANTIATE(double)
GRBDA_INSTANTIATE(float)
#undef GRBDA_INSTANTIATE

}  // namespace grbda
