#include "constraints/closure.hpp"

#include <limits>

#include "closing/closure_tolerance.hpp"
#include "kernels/constraint/gap.hpp"
#include "kernels/cluster/outcome.hpp"

namespace grbda {

template <class S>
Result loop_residuals(const Model& model, Workspace<S>& data, ConstVector<S> q, std::span<LoopGap> loops,
                      std::span<LoopGap> couplings) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("loops", static_cast<long>(loops.size()), static_cast<long>(model.loops.size()));
    require_size("couplings", static_cast<long>(couplings.size()), static_cast<long>(model.couplings.size()));
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::fill(loops.begin(), loops.end(), LoopGap{nan, nan, false});
    std::fill(couplings.begin(), couplings.end(), LoopGap{nan, nan, false});
    if (!kernels::usable(model, q.data())) return {Status::not_finite};
    for (const Cluster& c : model.clusters) {
        if (c.loops.empty() && c.couplings.empty()) continue;
        const auto base = kernels::place_alone<S>(model, data, c, q.data());
        kernels::constraint_rows<S, true>(model, data, c, base, q.data());
        for (const int l : c.loops) {
            const Loop& loop = model.loops[l];
            const bool right = kernels::right_root(data, c, base, loop);
            loops[static_cast<std::size_t>(l)] = kernels::loop_gap(model, data, loop, !right);
        }
        for (const int l : c.couplings)
            couplings[static_cast<std::size_t>(l)] = kernels::coupling_gap(model, data, model.couplings[l]);
    }
    return {};
}

#define GRBDA_INSTANTIATE(S)                                                                           \
    template Result loop_residuals<S>(const Model&, Workspace<S>&, ConstVector<S>, std::span<LoopGap>, \
                                      std::span<LoopGap>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

}  // namespace grbda
