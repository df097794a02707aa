#include "dynamics/aba.hpp"

#include "dynamics_outcome.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {

namespace {

/// ÿ, in data.ydd, from what is given; `others`: the sum of squares of what else is.
template <class S, class Passes>
Result run(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd, const S* tau,
           const S* wrenches, double others, const Passes& passes) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("data.ydd", data.ydd.size(), model.nv);
    if (!kernels::usable(model, q.data(), yd.data(), tau, wrenches,
                         others + dot(model.gravity, model.gravity)))
        return kernels::delivered<S>({Status::not_finite}, data.ydd);
    passes();
    const Result constraint = dynamics_outcome(model, data);
    const Result result =
        kernels::delivered<S>(constraint.ok() ? inertia_outcome(model, data) : constraint, data.ydd);
    if (result.ok()) data.factors = Factors::mass;
    return result;
}

/// wrenches null: none.
template <class S>
Result run_aba(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
               ConstVector<S> tau, const S* wrenches) {
    require_size("tau", tau.size(), model.nv);
    return run<S>(model, data, q, yd, tau.data(), wrenches, 0, [&] {
        kernels::aba<S>(model, data, q.data(), yd.data(), tau.data(), wrenches, data.ydd.data());
    });
}

/// damping and wrenches null: none.
template <class S>
Result run_whole(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                 ConstVector<S> tau_s, const S* damping, const S* wrenches) {
    require_size("tau_s", tau_s.size(), model.nv_tree);
    double others = static_cast<double>(kernels::squares(tau_s.data(), model.nv_tree));
    if (damping) others += static_cast<double>(kernels::squares(damping, model.nv_tree));
    const kernels::JointForces<S> forces{tau_s.data(), damping};
    const Result result = run<S>(model, data, q, yd, static_cast<const S*>(nullptr), wrenches, others, [&] {
        data.tau.setZero();
        kernels::aba<S>(model, data, q.data(), yd.data(), data.tau.data(), wrenches, data.ydd.data(), true,
                        &forces);
    });
    data.every_body = result.ok();
    return result;
}

}  // namespace

template <class S>
Result aba(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> tau,
           Wrenches<S> wrenches) {
    return run_aba<S>(model, data, q, yd, tau, wrenches_on<S>(model, wrenches));
}

template <class S>
Result aba(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd, ConstVector<S> tau) {
    return run_aba<S>(model, data, q, yd, tau, nullptr);
}

template <class S>
Result free_motion(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                   ConstVector<S> tau_s) {
    return run_whole<S>(model, data, q, yd, tau_s, nullptr, nullptr);
}

template <class S>
Result free_motion(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                   ConstVector<S> tau_s, ConstVector<S> damping, Wrenches<S> wrenches) {
    if (damping.size() != 0) require_size("damping", damping.size(), model.nv_tree);
    return run_whole<S>(model, data, q, yd, tau_s, damping.size() ? damping.data() : nullptr,
                        wrenches_on<S>(model, wrenches));
}

#define GRBDA_INSTANTIATE(S)                                                                             \
    template Result free_motion<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,          \
                                   ConstVector<S>);                                                      \
    template Result free_motion<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,          \
                                   ConstVector<S>, ConstVector<S>, Wrenches<S>);                         \
    template Result aba<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>); \
    template Result aba<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, ConstVector<S>,  \
                           Wrenches<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

namespace {

/// Delivers ÿ of the workspace to the program.
Result with_ydd(Result result, Data& data) {
    copy_result(data.workspaces().dynamics.ydd, data.ydd);
    return result;
}

}  // namespace

Result aba(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd, ConstVectorRef tau) {
    return with_ydd(aba<double>(model, data.workspaces().dynamics, q, yd, tau), data);
}
Result aba(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd, ConstVectorRef tau,
           ConstWrenchesRef wrenches) {
    return with_ydd(aba<double>(model, data.workspaces().dynamics, q, yd, tau, wrenches), data);
}

Result free_motion(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                   ConstVectorRef tau_s) {
    return with_ydd(free_motion<double>(model, data.workspaces().dynamics, q, yd, tau_s), data);
}
Result free_motion(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd, ConstVectorRef tau_s,
                   ConstVectorRef damping, ConstWrenchesRef wrenches) {
    return with_ydd(free_motion<double>(model, data.workspaces().dynamics, q, yd, tau_s, damping, wrenches),
                    data);
}

}  // namespace grbda
