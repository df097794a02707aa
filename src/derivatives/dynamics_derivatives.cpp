#include "derivatives/dynamics_derivatives.hpp"

#include "dynamics/dynamics_outcome.hpp"
#include "dynamics/factor.hpp"
#include "kernels/derivatives/aba_derivatives.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
kernels::derivatives::Target<S> target(const char* name, const Model& model, MatrixOut<S>& matrix) {
    require_size(name, matrix.rows(), model.nv);
    require_size(name, matrix.cols(), model.nv);
    return {matrix.data(), static_cast<int>(matrix.outerStride())};
}

/// wrenches, M null: none.
template <class S>
Result run_inverse(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                   ConstVector<S> ydd, const S* wrenches, MatrixOut<S>& dtau_dy, MatrixOut<S>& dtau_dyd,
                   MatrixOut<S>* M) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("ydd", ydd.size(), model.nv);
    const kernels::derivatives::InverseTargets<S> out{
        target<S>("dtau_dy", model, dtau_dy), target<S>("dtau_dyd", model, dtau_dyd),
        M ? target<S>("M", model, *M) : kernels::derivatives::Target<S>{}};
    Result result{Status::not_finite};
    if (kernels::usable_in_dynamics(model, q.data(), yd.data(), ydd.data(), wrenches)) {
        kernels::rnea_derivatives<S>(model, data, q.data(), yd.data(), ydd.data(), wrenches, out);
        result = dynamics_outcome(model, data);
    }
    return kernels::delivered_matrices<S, MatrixOut<S>>(result, {&dtau_dy, &dtau_dyd, M});
}

template <class S>
Result run_forward(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                   ConstVector<S> tau, const S* wrenches, MatrixOut<S>& dydd_dy, MatrixOut<S>& dydd_dyd,
                   MatrixOut<S>& dydd_dtau) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("tau", tau.size(), model.nv);
    require_size("data.ydd", data.ydd.size(), model.nv);
    const kernels::ForwardTargets<S> out{target<S>("dydd_dy", model, dydd_dy),
                                         target<S>("dydd_dyd", model, dydd_dyd),
                                         target<S>("dydd_dtau", model, dydd_dtau)};
    Result result{Status::not_finite};
    if (kernels::usable_in_dynamics(model, q.data(), yd.data(), tau.data(), wrenches)) {
        kernels::aba_derivatives<S>(model, data, q.data(), yd.data(), tau.data(), wrenches, data.ydd.data(),
                                    out);
        result = dynamics_outcome(model, data);
        if (result.ok()) result = inertia_outcome(model, data);
    }
    result = kernels::delivered_matrices<S, MatrixOut<S>>(result, {&dydd_dy, &dydd_dyd, &dydd_dtau});
    if (!result.ok()) kernels::clear<S>(data.ydd);
    return result;
}

}  // namespace

template <class S>
Result rnea_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                        ConstVector<S> ydd, MatrixOut<S> dtau_dy, MatrixOut<S> dtau_dyd) {
    return run_inverse<S>(model, data, q, yd, ydd, nullptr, dtau_dy, dtau_dyd, nullptr);
}

template <class S>
Result rnea_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                        ConstVector<S> ydd, MatrixOut<S> dtau_dy, MatrixOut<S> dtau_dyd, MatrixOut<S> M) {
    return run_inverse<S>(model, data, q, yd, ydd, nullptr, dtau_dy, dtau_dyd, &M);
}

template <class S>
Result rnea_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                        ConstVector<S> ydd, Wrenches<S> wrenches, MatrixOut<S> dtau_dy, MatrixOut<S> dtau_dyd,
                        MatrixOut<S> M) {
    return run_inverse<S>(model, data, q, yd, ydd, wrenches_on<S>(model, wrenches), dtau_dy, dtau_dyd, &M);
}

template <class S>
Result aba_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                       ConstVector<S> tau, MatrixOut<S> dydd_dy, MatrixOut<S> dydd_dyd,
                       MatrixOut<S> dydd_dtau) {
    return run_forward<S>(model, data, q, yd, tau, nullptr, dydd_dy, dydd_dyd, dydd_dtau);
}

template <class S>
Result aba_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                       ConstVector<S> tau, Wrenches<S> wrenches, MatrixOut<S> dydd_dy, MatrixOut<S> dydd_dyd,
                       MatrixOut<S> dydd_dtau) {
    return run_forward<S>(model, data, q, yd, tau, wrenches_on<S>(model, wrenches), dydd_dy, dydd_dyd,
                          dydd_dtau);
}

template <class S>
Result inverse_mass_matrix(const Model& model, Workspace<S>& data, ConstVector<S> q, MatrixOut<S> inverse) {
    const auto out = target<S>("inverse", model, inverse);
    Result result = factor<S>(model, data, q);
    if (result.ok()) kernels::inverse_mass_matrix<S>(model, data, out);
    result = kernels::delivered_matrices<S, MatrixOut<S>>(result, {&inverse});
    return result;
}

#define GRBDA_INSTANTIATE(S)                                                                         \
    template Result rnea_derivatives<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                        ConstVector<S>, MatrixOut<S>, MatrixOut<S>);                 \
    template Result rnea_derivatives<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                        ConstVector<S>, MatrixOut<S>, MatrixOut<S>, MatrixOut<S>);   \
    template Result rnea_derivatives<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, \
                                        ConstVector<S>, Wrenches<S>, MatrixOut<S>, MatrixOut<S>,     \
                                        MatrixOut<S>);                                               \
    template Result aba_derivatives<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,  \
                                       ConstVector<S>, MatrixOut<S>, MatrixOut<S>, MatrixOut<S>);    \
    template Result aba_derivatives<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>,  \
                                       ConstVector<S>, Wrenches<S>, MatrixOut<S>, MatrixOut<S>,      \
                                       MatrixOut<S>);                                                \
    template Result inverse_mass_matrix<S>(const Model&, Workspace<S>&, ConstVector<S>, MatrixOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

namespace {

Eigen::MatrixXd& square(Eigen::MatrixXd& matrix, const Model& model) {
    return sized(matrix, model.nv, model.nv);
}

Result with_ydd(Result result, Data& data) {
    copy_result(data.workspaces().general.ydd, data.ydd);
    return result;
}

}  // namespace

Result rnea_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                        ConstVectorRef ydd) {
    return rnea_derivatives<double>(model, data.workspaces().general, q, yd, ydd, square(data.dtau_dy, model),
                                    square(data.dtau_dyd, model), square(data.M, model));
}
Result rnea_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                        ConstVectorRef ydd, ConstWrenchesRef wrenches) {
    return rnea_derivatives<double>(model, data.workspaces().general, q, yd, ydd, wrenches,
                                    square(data.dtau_dy, model), square(data.dtau_dyd, model),
                                    square(data.M, model));
}

Result aba_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                       ConstVectorRef tau) {
    return with_ydd(
        aba_derivatives<double>(model, data.workspaces().general, q, yd, tau, square(data.dydd_dy, model),
                                square(data.dydd_dyd, model), square(data.M_inverse, model)),
        data);
}
Result aba_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                       ConstVectorRef tau, ConstWrenchesRef wrenches) {
    return with_ydd(aba_derivatives<double>(model, data.workspaces().general, q, yd, tau, wrenches,
                                            square(data.dydd_dy, model), square(data.dydd_dyd, model),
                                            square(data.M_inverse, model)),
                    data);
}

Result inverse_mass_matrix(const Model& model, Data& data, ConstVectorRef q) {
    return inverse_mass_matrix<double>(model, data.workspaces().general, q, square(data.M_inverse, model));
}

}  // namespace grbda
