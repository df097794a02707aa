#include "constraints/closure.hpp"

#include <cmath>

#include "closing/closure.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {

template <class S>
Result close_loops(const Model& model, Workspace<S>& data, VectorOut<S> q) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    if (!kernels::usable(model, q.data())) return {Status::not_finite};
    return closing::close_loops<S>(model, data, q.data());
}

template <class S>
Result closure_residual(const Model& model, Workspace<S>& data, ConstVector<S> q) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    if (!kernels::usable(model, q.data())) return {Status::not_finite};
    Result worst;
    for (int i = 0; i < model.cluster_count(); ++i) {
        const Cluster& c = model.clusters[i];
        if (c.rows == 0) continue;
        const auto base = kernels::place_alone<S>(model, data, c, q.data());
        Result result{Status::ok, i, closing::cluster_residual<S>(model, data, c, base, q.data())};
        if (!(result.residual <= closing::closure_tolerance<S>(model, data, c, q.data())))
            result.status = std::isfinite(result.residual) ? Status::not_converged : Status::not_finite;
        closing::add_result(result, worst);
    }
    return worst;
}

#define GRBDA_INSTANTIATE(S)                                                   \
    template Result close_loops<S>(const Model&, Workspace<S>&, VectorOut<S>); \
    template Result closure_residual<S>(const Model&, Workspace<S>&, ConstVector<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

Result close_loops(const Model& model, Data& data, VectorRef q) {
    return close_loops<double>(model, data.workspaces().general, q);
}

Result closure_residual(const Model& model, Data& data, ConstVectorRef q) {
    return closure_residual<double>(model, data.workspaces().general, q);
}

Result loop_residuals(const Model& model, Data& data, ConstVectorRef q, std::span<LoopGap> loops,
                      std::span<LoopGap> couplings) {
    return loop_residuals<double>(model, data.workspaces().general, q, loops, couplings);
}

Result pass_change_points(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef delta,
                          VectorRef out) {
    return pass_change_points<double>(model, data.workspaces().general, q, delta, out);
}

}  // namespace grbda
