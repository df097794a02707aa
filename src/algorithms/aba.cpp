#include "grbda/algorithms/aba.hpp"

#include "grbda/kernels/aba.hpp"
#include "grbda/kernels/outcome.hpp"

namespace grbda {

namespace {

/// wrenches null: none.
template <class S>
Result run(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> tau,
           const S* wrenches) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("tau", tau.size(), model.nv);
    require_size("data.ydd", data.ydd.size(), model.nv);
    if (!kernels::usable_in_dynamics(model, q.data(), yd.data(), tau.data(), wrenches))
        return kernels::delivered<S>({Status::not_finite}, data.ydd);
    kernels::aba<S>(model, data, q.data(), yd.data(), tau.data(), wrenches, data.ydd.data());
    const Result constraint = kernels::constraint_outcome(model, data);
    const Result result =
        kernels::delivered<S>(constraint.ok() ? kernels::inertia_outcome(model, data) : constraint, data.ydd);
    if (result.ok()) data.factors = Factors::mass;
    return result;
}

}  // namespace

template <class S>
Result aba(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> tau,
           Wrenches<S> wrenches) {
    if (wrenches.cols() != 0) require_size("wrenches (columns)", wrenches.cols(), model.body_count());
    return run<S>(model, data, q, yd, tau, wrenches.cols() ? wrenches.data() : nullptr);
}

template <class S>
Result aba(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> tau) {
    return run<S>(model, data, q, yd, tau, nullptr);
}

#define GRBDA_INSTANTIATE(S)                                                                        \
    template Result aba<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>); \
    template Result aba<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>,  \
                           Wrenches<S>);
GRBDA_INSTANTIATE(double)
GRBDA_INSTANTIATE(float)
#undef GRBDA_INSTANTIATE

}  // namespace grbda
