#include "workspace.hpp"

// (Gᵀ H G) ÿ = τ − Gᵀ (C + H g),   q̈ = G ÿ + g

namespace grbda::baselines {
Result project(const Model& model, Workspace& work) {
    Workspace::Internal& in = *work.internal;
    in.HG.noalias() = work.H * work.G;
    work.M.noalias() = work.G.transpose() * in.HG;
    if (work.M.rows() == 0) return {};
    in.projected_factor.compute(work.M);
    const auto& L = in.projected_factor.matrixLLT();
    for (std::size_t c = 0; c < model.clusters.size(); ++c) {
        const Cluster& cluster = model.clusters[c];
        for (int j = cluster.y_begin; j < cluster.y_begin + cluster.m; ++j) {
            const int y = model.y_index[j];
            if (!(L(y, y) * L(y, y) > kSmallestPivot * work.M(y, y)))
                return {Status::singular_inertia, static_cast<int>(c), 0, 0};
        }
    }
    if (in.projected_factor.info() != Eigen::Success) return {Status::singular_inertia, -1, 0, 0};
    return {};
}

Result solve_projection(const Model& model, Workspace& work) {
    Workspace::Internal& in = *work.internal;
    const Result projected = project(model, work);
    if (!projected) return projected;
    work.ydd.noalias() = work.G.transpose() * in.force - in.HG.transpose() * work.g;
    if (work.ydd.size() > 0) in.projected_factor.solveInPlace(work.ydd);
    work.qdd.noalias() = work.G * work.ydd + work.g;
    return {};
}

}  // namespace grbda::baselines
