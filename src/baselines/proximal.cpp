#include "workspace.hpp"

// Proximal iterations on the multipliers (Carpentier et al. 2021): from ν = 0
//   [H Kᵀ; K −μ] [q̈; ν⁺] = [τ − C; k − μ ν]
// which contracts by about μ / (μ + σ) with σ the smallest nonzero eigenvalue of
// K H⁻¹ Kᵀ. Rows may be redundant, and H singular where H + KᵀK/μ is not.

namespace grbda::baselines {
namespace {

constexpr double kMu = 1e-8;             // of the scaled system: fast, and far above rounding
constexpr double kTolerance = 1e-12;     // relative, of K q̈ = k or of the last step of q̈
constexpr double kInconsistency = 1e-7;  // redundant rows agree only as well as the loops are closed
constexpr int kMaxIterations = 200;

}  // namespace

Result solve_proximal(const Model& model, Workspace& work) {
    Workspace::Internal& in = *work.internal;
    SaddlePoint& system = in.regularized;
    const Eigen::Index columns = work.H.rows(), rows = work.K.rows();
    if (columns == 0) return {};
    assemble(work.H, work.K, kMu, system);
    if (has_small_pivot(system)) {
        const Result projected = project(model, work);
        if (!projected) return projected;
    }
    system.right.head(columns) = system.column_scale.cwiseProduct(in.force);
    in.multipliers.setZero();
    system.solution.setZero();
    Result result{Status::not_converged, -1, 0, 0};
    while (result.iterations < kMaxIterations) {
        ++result.iterations;
        work.qdd = system.solution.head(columns);  // scaled, from the previous step
        system.right.tail(rows) = system.row_scale.cwiseProduct(work.k) - kMu * in.multipliers;
        system.solution = system.factor.solve(system.right);
        in.multipliers = system.solution.tail(rows);
        const double step = (system.solution.head(columns) - work.qdd).norm();
        const bool settled = step <= kTolerance * system.solution.head(columns).norm();
        work.qdd = system.column_scale.cwiseProduct(system.solution.head(columns));
        result.residual = constraint_residual(work.K, work.k, work.qdd, free_acceleration(work));
        if (result.residual <= kTolerance || (settled && result.residual <= kInconsistency)) {
            result.status = Status::ok;
            break;
        }
    }
    return result;
}

}  // namespace grbda::baselines
