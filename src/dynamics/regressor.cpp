#include "dynamics/regressor.hpp"

#include "kernels/cluster/outcome.hpp"
#include "kernels/pass/regressor.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

/// A matrix as it came out, or NaN.
template <class S>
void require_state(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
}

}  // namespace

VectorX<double> joint_parameters(const Model& model) {
    require_whole(model);
    VectorX<double> parameters(3 * model.nv_tree);
    for (int dof = 0; dof < model.nv_tree; ++dof) {
        const int v = model.v_index[dof];
        parameters[v] = model.passive.damping[v];
        parameters[model.nv_tree + v] = model.passive.friction[v];
        parameters[2 * model.nv_tree + v] = model.armature[dof];
    }
    return parameters;
}

template <class S>
Result torque_regressor(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                        ConstVector<S> ydd, MatrixOut<S> Y) {
    require_state<S>(model, data, q, yd);
    require_size("ydd", ydd.size(), model.nv);
    require_size("Y (rows)", Y.rows(), model.nv);
    require_size("Y (columns)", Y.cols(), parameters_per_body * model.carrier_count());
    if (!kernels::usable_in_dynamics<S>(model, q.data(), yd.data(), ydd.data(), nullptr))
        return kernels::delivered_matrices<S, MatrixOut<S>>({Status::not_finite}, {&Y});
    kernels::torque_regressor<S>(model, data, q.data(), yd.data(), ydd.data(), Y.data(), Y.outerStride());
    return kernels::delivered_matrices<S, MatrixOut<S>>(kernels::constraint_outcome(model, data), {&Y});
}

template <class S>
Result energy_regressors(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         VectorOut<S> kinetic, VectorOut<S> potential) {
    require_state<S>(model, data, q, yd);
    require_size("kinetic", kinetic.size(), parameters_per_body * model.carrier_count());
    require_size("potential", potential.size(), parameters_per_body * model.carrier_count());
    Result result{Status::not_finite};
    if (kernels::usable_in_dynamics<S>(model, q.data(), yd.data(), nullptr, nullptr)) {
        kernels::energy_regressors<S>(model, data, q.data(), yd.data(), kinetic.data(), potential.data());
        result = kernels::constraint_outcome(model, data);
    }
    result = kernels::delivered<S>(result, kinetic);
    result = kernels::delivered<S>(result, potential);
    return kernels::delivered<S>(result, kinetic);
}

template <class S>
Result joint_regressor(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                       ConstVector<S> ydd, MatrixOut<S> Y) {
    require_state<S>(model, data, q, yd);
    require_size("ydd", ydd.size(), model.nv);
    require_size("Y (rows)", Y.rows(), model.nv);
    require_size("Y (columns)", Y.cols(), 3 * model.nv_tree);
    if (!kernels::usable(model, q.data(), yd.data(), ydd.data()))
        return kernels::delivered_matrices<S, MatrixOut<S>>({Status::not_finite}, {&Y});
    kernels::joint_regressor<S>(model, data, q.data(), yd.data(), ydd.data(), Y.data(), Y.outerStride());
    return kernels::delivered_matrices<S, MatrixOut<S>>(kernels::constraint_outcome(model, data), {&Y});
}

#define GRBDA_INSTANTIATE(S)                                                                          \
    template Result torque_regressor<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,  \
                                        ConstVector<S>, MatrixOut<S>);                                \
    template Result energy_regressors<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                         VectorOut<S>, VectorOut<S>);                                 \
    template Result joint_regressor<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,   \
                                       ConstVector<S>, MatrixOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

namespace {

Eigen::Index parameters_of(const Model& model) {
    return Eigen::Index{parameters_per_body} * model.carrier_count();
}

}  // namespace

Result torque_regressor(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                        ConstVectorRef ydd) {
    return torque_regressor<double>(model, data.workspaces().general, q, yd, ydd,
                                    sized(data.Y, model.nv, parameters_of(model)));
}

Result energy_regressors(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd) {
    return energy_regressors<double>(model, data.workspaces().general, q, yd,
                                     sized(data.Y_kinetic, parameters_of(model), 1),
                                     sized(data.Y_potential, parameters_of(model), 1));
}

Result joint_regressor(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                       ConstVectorRef ydd) {
    return joint_regressor<double>(model, data.workspaces().general, q, yd, ydd,
                                   sized(data.Y_joints, model.nv, Eigen::Index{3} * model.nv_tree));
}

}  // namespace grbda
