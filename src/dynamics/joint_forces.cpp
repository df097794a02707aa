#include "grbda/dynamics/joint_forces.hpp"

#include "kernels/cluster/joint_forces.hpp"
#include "kernels/cluster/outcome.hpp"

namespace grbda {

template <class S>
Result joint_forces(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> qd) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("qd", qd.size(), model.nv_tree);
    require_size("data.qdd", data.qdd.size(), model.nv_tree);
    require_size("data.tau", data.tau.size(), model.nv);
    Result result{Status::not_finite};
    const double others =
        static_cast<double>(kernels::squares(qd.data(), model.nv_tree)) + dot(model.gravity, model.gravity);
    if (kernels::usable<S>(model, q.data(), nullptr, nullptr, nullptr, others)) {
        kernels::joint_forces<S>(model, data, q.data(), qd.data(), data.qdd.data(), data.tau.data());
        result = kernels::constraint_outcome(model, data);
    }
    result = kernels::delivered<S>(result, data.qdd);
    return kernels::delivered<S>(result, data.tau);
}

template Result joint_forces<double>(const Model&, Data<double>&, ConstVector<double>, ConstVector<double>);

}  // namespace grbda
