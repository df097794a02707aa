#include "grbda/algorithms/aba.hpp"

#include "grbda/kernels/aba.hpp"
#include "grbda/kernels/outcome.hpp"

namespace grbda {

template <class S>
Result aba(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> tau,
           Wrenches<S> wrenches) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("tau", tau.size(), model.nv);
    if (wrenches.cols() != 0) require_size("wrenches (columns)", wrenches.cols(), model.body_count());
    kernels::aba<S>(model, data, q.data(), yd.data(), tau.data(), wrenches.cols() ? wrenches.data() : nullptr,
                    data.ydd.data());
    const Result constraint = kernels::constraint_outcome(model, data);
    return kernels::delivered<S>(constraint.ok() ? kernels::inertia_outcome(model, data) : constraint,
                                 data.ydd);
}

template <class S>
Result aba(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> tau) {
    return aba<S>(model, data, q, yd, tau, Matrix6X<S>(6, 0));
}

#define GRBDA_INSTANTIATE(S)                                                                        \
    template Result aba<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>); \
    template Result aba<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>,  \
                           Wrenches<S>);
GRBDA_INSTANTIATE(double)
GRBDA_INSTANTIATE(float)
#undef GRBDA_INSTANTIATE

}  // namespace grbda
