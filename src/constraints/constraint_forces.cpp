#include "constraints/constraint_forces.hpp"

#include <algorithm>
#include <cmath>

#include "balance.hpp"
#include "carried_forces.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
void require_forces(const Model& model, const ConstraintForcesOf<S>& forces) {
    require_fit("ConstraintForces", model, static_cast<std::size_t>(forces.joints.cols()), forces.layout);
    const int loops = static_cast<int>(model.loops.size());
    require_size("forces.loops (columns)", forces.loops.cols(), loops);
    require_size("forces.loops_world (columns)", forces.loops_world.cols(), loops);
    require_size("forces.joints_world (columns)", forces.joints_world.cols(), model.body_count());
    require_size("forces.multipliers", forces.multipliers.size(), model.rows);
    require_size("forces.tree", forces.tree.size(), model.nv_tree);
    require_size("forces.tau", forces.tau.size(), model.nv);
}

/// Subtracts the applied joint forces from data.tangent. Returns the distance of Gᵀ of the remainder from
/// zero, relative to the largest force or `least`. Forces of slides are multiplied by the size of their
/// cluster. `worst` is the cluster with the largest distance.
template <class S>
double imbalance(const Model& model, Workspace<S>& data, const S* applied, double least, int& worst) {
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

/// joint_forces null: what independent joints bring is τ.
template <class S>
Result solve_forces(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* ydd,
                    const S* wrenches, const S* joint_forces, ConstraintForcesOf<S>& forces) {
    Result result = cut_loops(model, data, q, yd, ydd, wrenches, forces);
    if (!result.ok()) return result;
    if (joint_forces) {
        int worst = -1;
        result.residual = imbalance(model, data, joint_forces, forces.least, worst);
        if (!(result.residual <= balance_tolerance)) return {Status::unbalanced, worst, result.residual};
    }
    tie_loops(model, data, q, forces);
    bool finite = true;
    each_result(forces, [&](const auto& x) {
        finite = finite && kernels::all_finite(x.data(), static_cast<int>(x.size()));
    });
    return finite ? result : Result{Status::not_finite};
}

/// wrenches, joint_forces null: none are given.
template <class S>
Result run(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> ydd,
           const S* wrenches, const S* joint_forces, ConstraintForcesOf<S>& forces) {
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

}  // namespace

template <class S>
Result constraint_forces(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd, ConstraintForcesOf<S>& forces) {
    return run<S>(model, data, q, yd, ydd, nullptr, nullptr, forces);
}

template <class S>
Result constraint_forces(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd, Wrenches<S> wrenches, ConstraintForcesOf<S>& forces) {
    return run<S>(model, data, q, yd, ydd, wrenches_on<S>(model, wrenches), nullptr, forces);
}

template <class S>
Result constraint_forces(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd, Wrenches<S> wrenches, ConstVector<S> joint_forces,
                         ConstraintForcesOf<S>& forces) {
    require_size("joint_forces", joint_forces.size(), model.nv_tree);
    return run<S>(model, data, q, yd, ydd, wrenches_on<S>(model, wrenches), joint_forces.data(), forces);
}

#define GRBDA_INSTANTIATE(S)                                                                          \
    template struct ConstraintForcesOf<S>;                                                            \
    template Result constraint_forces<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                         ConstVector<S>, ConstraintForcesOf<S>&);                     \
    template Result constraint_forces<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                         ConstVector<S>, Wrenches<S>, ConstraintForcesOf<S>&);        \
    template Result constraint_forces<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                         ConstVector<S>, Wrenches<S>, ConstVector<S>,                 \
                                         ConstraintForcesOf<S>&);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

namespace {

/// The results, sized for the model by the first call.
ConstraintForces& sized_forces(const Model& model, Data& data) {
    require_workspace(model, std::as_const(data.workspaces().general));
    if (data.constraint_forces.layout != model.layout || data.constraint_forces.tree.size() != model.nv_tree)
        data.constraint_forces = ConstraintForces(model);
    return data.constraint_forces;
}

}  // namespace

Result constraint_forces(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                         ConstVectorRef ydd) {
    return constraint_forces<double>(model, data.workspaces().general, q, yd, ydd, sized_forces(model, data));
}
Result constraint_forces(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                         ConstVectorRef ydd, ConstWrenchesRef wrenches) {
    return constraint_forces<double>(model, data.workspaces().general, q, yd, ydd, wrenches,
                                     sized_forces(model, data));
}
Result constraint_forces(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                         ConstVectorRef ydd, ConstWrenchesRef wrenches, ConstVectorRef joint_forces) {
    return constraint_forces<double>(model, data.workspaces().general, q, yd, ydd, wrenches, joint_forces,
                                     sized_forces(model, data));
}

}  // namespace grbda
