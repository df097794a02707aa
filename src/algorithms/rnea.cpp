#include "grbda/algorithms/rnea.hpp"

#include "grbda/kernels/outcome.hpp"
#include "grbda/kernels/rnea.hpp"

namespace grbda {
namespace {

template <class S>
Result run(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd, const S* ydd,
           Wrenches<S> wrenches) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    if (wrenches.cols() != 0) require_size("wrenches (columns)", wrenches.cols(), model.body_count());
    kernels::rnea<S>(model, data, q.data(), yd.data(), ydd, wrenches.cols() ? wrenches.data() : nullptr,
                     data.tau.data());
    return kernels::delivered<S>(kernels::constraint_outcome(model, data), data.tau);
}

}  // namespace

template <class S>
Result rnea(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> ydd,
            Wrenches<S> wrenches) {
    require_size("ydd", ydd.size(), model.nv);
    return run<S>(model, data, q, yd, ydd.data(), wrenches);
}

template <class S>
Result rnea(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> ydd) {
    return rnea<S>(model, data, q, yd, ydd, Matrix6X<S>(6, 0));
}

template <class S>
Result bias_force(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                  Wrenches<S> wrenches) {
    return run<S>(model, data, q, yd, nullptr, wrenches);
}

template <class S>
Result bias_force(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd) {
    return run<S>(model, data, q, yd, nullptr, Matrix6X<S>(6, 0));
}

#define GRBDA_INSTANTIATE(S)                                                                         \
    template Result rnea<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>); \
    template Result rnea<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>,  \
                            Wrenches<S>);                                                            \
    template Result bias_force<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>);           \
    template Result bias_force<S>(const Model&, Data<S>&, ConstVector<S>, ConstVector<S>, Wrenches<S>);
GRBDA_INSTANTIATE(double)
GRBDA_INSTANTIATE(float)
#undef GRBDA_INSTANTIATE

}  // namespace grbda
