#include "dynamics/joint_forces.hpp"

#include "kernels/cluster/joint_forces.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {

template <class S>
Result joint_forces(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> qd) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("qd", qd.size(), model.nv_tree);
    require_size("data.tau_tree", data.tau_tree.size(), model.nv_tree);
    require_size("data.tau", data.tau.size(), model.nv);
    Result result{Status::not_finite};
    const double others =
        static_cast<double>(kernels::squares(qd.data(), model.nv_tree)) + dot(model.gravity, model.gravity);
    if (kernels::usable<S>(model, q.data(), nullptr, nullptr, nullptr, others)) {
        kernels::joint_forces<S>(model, data, q.data(), qd.data(), data.tau_tree.data(), data.tau.data());
        result = kernels::constraint_outcome(model, data);
    }
    result = kernels::delivered<S>(result, data.tau_tree);
    result = kernels::delivered<S>(result, data.tau);
    return kernels::delivered<S>(result, data.tau_tree);
}

template Result joint_forces<double>(const Model&, Workspace<double>&, ConstVector<double>,
                                     ConstVector<double>);

Result joint_forces(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef qd) {
    Workspace<double>& work = data.workspaces().general;
    const Result result = joint_forces<double>(model, work, q, qd);
    copy_result(work.tau, data.tau);
    copy_result(work.tau_tree, data.tau_tree);
    return result;
}

}  // namespace grbda
