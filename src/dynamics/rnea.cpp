#include "dynamics/rnea.hpp"

#include "dynamics_outcome.hpp"
#include "kernels/cluster/outcome.hpp"
#include "kernels/pass/rnea.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

/// ydd null: ÿ = 0; wrenches null: none.
template <class S>
Result run(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd, const S* ydd,
           const S* wrenches) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("data.tau", data.tau.size(), model.nv);
    if (!kernels::usable_in_dynamics(model, q.data(), yd.data(), ydd, wrenches))
        return kernels::delivered<S>({Status::not_finite}, data.tau);
    kernels::rnea<S>(model, data, q.data(), yd.data(), ydd, wrenches, data.tau.data());
    return kernels::delivered<S>(dynamics_outcome(model, data), data.tau);
}

}  // namespace

template <class S>
Result rnea(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> ydd,
            Wrenches<S> wrenches) {
    require_size("ydd", ydd.size(), model.nv);
    return run<S>(model, data, q, yd, ydd.data(), wrenches_on<S>(model, wrenches));
}

template <class S>
Result rnea(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> ydd) {
    require_size("ydd", ydd.size(), model.nv);
    return run<S>(model, data, q, yd, ydd.data(), nullptr);
}

template <class S>
Result bias_force(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                  Wrenches<S> wrenches) {
    return run<S>(model, data, q, yd, nullptr, wrenches_on<S>(model, wrenches));
}

template <class S>
Result bias_force(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd) {
    return run<S>(model, data, q, yd, nullptr, nullptr);
}

#define GRBDA_INSTANTIATE(S)                                                                              \
    template Result rnea<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>); \
    template Result rnea<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>,  \
                            Wrenches<S>);                                                                 \
    template Result bias_force<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>);           \
    template Result bias_force<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, Wrenches<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

namespace {

/// Delivers τ of the workspace to the program.
Result with_tau(Result result, Data& data) {
    copy_result(data.workspaces().general.tau, data.tau);
    return result;
}

}  // namespace

Result rnea(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd, ConstVectorRef ydd) {
    return with_tau(rnea<double>(model, data.workspaces().general, q, yd, ydd), data);
}
Result rnea(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd, ConstVectorRef ydd,
            ConstWrenchesRef wrenches) {
    return with_tau(rnea<double>(model, data.workspaces().general, q, yd, ydd, wrenches), data);
}

Result bias_force(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd) {
    return with_tau(bias_force<double>(model, data.workspaces().general, q, yd), data);
}
Result bias_force(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                  ConstWrenchesRef wrenches) {
    return with_tau(bias_force<double>(model, data.workspaces().general, q, yd, wrenches), data);
}

}  // namespace grbda
