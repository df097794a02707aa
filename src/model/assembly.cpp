#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Cholesky>

#include "compile.hpp"
#include "grbda/kernels/closure.hpp"

// Assembly: many real robots do not close at zero, or are singular there. Damped
// Gauss–Newton on all coordinates of a cluster from zero, then from a fixed
// sequence of other starts; rank is judged at closed, generic configurations.

namespace grbda::compile {
namespace {

constexpr double closed_residual = 1e-10;  ///< relative to the cluster's size
constexpr double tight_residual = 1e-14;
constexpr double regular = 0.02;  ///< smallest pivot of the dimensionless K at a comfortable configuration

/// One damped step: δ = −Kᵀ (K Kᵀ + μ)⁻¹ φ, dimensionless, no longer than half a radian.
Eigen::VectorXd damped_step(const Eigen::MatrixXd& K, const Eigen::VectorXd& phi, double damping) {
    constexpr double longest = 0.5;
    Eigen::MatrixXd A = K * K.transpose();
    A.diagonal().array() += damping;
    Eigen::VectorXd step = -K.transpose() * A.ldlt().solve(phi);
    const double size = step.size() ? step.cwiseAbs().maxCoeff() : 0;
    if (size > longest) step *= longest / size;
    return step;
}

struct Rows {
    ClosedState state;
    Eigen::VectorXd phi;
};

Rows rows_at(const Model& model, Data<double>& data, const Cluster& c, const std::vector<double>& q) {
    Rows rows;
    const auto base = kernels::place_alone(model, data, c, q.data());
    rows.state.q = q;
    rows.state.residual = kernels::cluster_residual(model, data, c, base, q.data());
    rows.state.K.resize(c.rows, c.dofs);
    rows.phi.resize(c.rows);
    for (int r = 0; r < c.rows; ++r) {
        const double scale = model.row_scale[at(c.row_begin + r)];
        rows.phi[r] = data.phi[at(c.row_begin + r)] * scale;
        for (int j = 0; j < c.dofs; ++j)
            rows.state.K(r, j) =
                data.K[at(c.K_begin + r * c.dofs + j)] * scale * model.column_scale[at(c.dof_begin + j)];
    }
    return rows;
}

std::vector<double> moved(const Model& model, const Cluster& c, const std::vector<double>& q,
                          const Eigen::VectorXd& step) {
    std::vector<double> scaled(at(c.dofs)), out = q;
    for (int j = 0; j < c.dofs; ++j) scaled[at(j)] = step[j] * model.column_scale[at(c.dof_begin + j)];
    kernels::move_cluster(model, c, q.data(), scaled.data(), 1, out.data());
    return out;
}

/// Levenberg–Marquardt on φ from q; the best state reached.
ClosedState gauss_newton(const Model& model, Data<double>& data, const Cluster& c,
                         const std::vector<double>& q) {
    constexpr int most_iterations = 200;
    double damping = 1e-6;
    Rows now = rows_at(model, data, c, q);
    for (int i = 0; i < most_iterations && !(now.state.residual <= tight_residual) && damping < 1e8; ++i) {
        const Eigen::VectorXd step = damped_step(now.state.K, now.phi, damping);
        if (!step.allFinite()) break;
        Rows next = rows_at(model, data, c, moved(model, c, now.state.q, step));
        if (next.phi.squaredNorm() < now.phi.squaredNorm()) {
            const bool stalled = next.phi.squaredNorm() > 0.9999 * now.phi.squaredNorm();
            now = std::move(next);
            damping = std::max(damping * 0.2, 1e-15);
            if (stalled && now.state.residual <= closed_residual) break;
        } else {
            damping *= 5;
        }
    }
    return now.state;
}

/// Every joint of the cluster within its limits.
bool within_limits(const Model& model, const Cluster& c, const std::vector<double>& q) {
    for (int i = c.body_begin; i < c.body_end; ++i) {
        const Body& body = model.bodies[at(i)];
        const JointLimits& limits = model.limits[at(i)];
        const double position = q[at(body.q)];
        if (position_size(body.joint) == 1 && (position < limits.lower || position > limits.upper))
            return false;
    }
    return true;
}

Eigen::VectorXd random_step(std::mt19937_64& generator, int size, double amplitude) {
    std::uniform_real_distribution<double> unit(-1, 1);
    Eigen::VectorXd step(size);
    for (int j = 0; j < size; ++j) step[j] = amplitude * unit(generator);
    return step;
}

/// Closed configurations around one, as far away as closing succeeds.
std::vector<ClosedState> generic_states(const Model& model, Data<double>& data, const Cluster& c,
                                        const ClosedState& from) {
    constexpr int wanted = 3;
    std::vector<ClosedState> states;
    std::mt19937_64 generator(11);
    for (const double amplitude : {0.4, 0.4, 0.4, 0.2, 0.2, 0.1, 0.1, 0.05, 0.02, 0.01}) {
        if (static_cast<int>(states.size()) == wanted) break;
        ClosedState state =
            gauss_newton(model, data, c, moved(model, c, from.q, random_step(generator, c.dofs, amplitude)));
        if (state.residual <= closed_residual) states.push_back(std::move(state));
    }
    return states;
}

/// Couplings alone: K is the same everywhere, and one linear solve closes them.
Assembly assemble_couplings(const Model& model, Data<double>& data, const Cluster& c,
                            const std::vector<double>& q) {
    Assembly assembly;
    assembly.neutral = gauss_newton(model, data, c, q);
    assembly.closed = assembly.neutral.residual <= closed_residual;
    assembly.rank = numerical_rank(assembly.neutral.K);
    assembly.generic = {assembly.neutral};
    return assembly;
}

}  // namespace

ClosedState constraint_state(const Model& model, Data<double>& data, const Cluster& c,
                             const std::vector<double>& q) {
    return rows_at(model, data, c, q).state;
}

Assembly assemble(const Model& model, Data<double>& data, int cluster, const std::vector<double>& q) {
    const Cluster& c = model.clusters[at(cluster)];
    if (c.embedding == Embedding::constant) return assemble_couplings(model, data, c, q);

    // starts: the given one, small steps from where it led (a flat linkage leaves its singular pose), then
    // far ones
    constexpr int starts = 60, near_starts = 8;
    Assembly best;
    best.neutral = constraint_state(model, data, c, q);
    double best_value = -1;
    std::mt19937_64 generator(5);
    std::vector<double> from = q;
    for (int start = 0; start < starts; ++start) {
        const double amplitude = start == 0 ? 0 : start <= near_starts ? 0.1 * start : 3;
        ClosedState state =
            gauss_newton(model, data, c, moved(model, c, from, random_step(generator, c.dofs, amplitude)));
        const bool closed = state.residual <= closed_residual;
        if (!closed) {
            if (!best.closed && !(state.residual >= best.neutral.residual)) best.neutral = std::move(state);
            continue;
        }
        std::vector<ClosedState> generic = generic_states(model, data, c, state);
        int rank = numerical_rank(state.K);
        for (const ClosedState& other : generic) rank = std::max(rank, numerical_rank(other.K));
        // a pose within the limits before any other, then one as far from singular as need be
        const double value =
            std::min(regular, smallest_pivot(state.K, rank)) + (within_limits(model, c, state.q) ? 1 : 0);
        if (rank > best.rank || !best.closed || (rank == best.rank && value > best_value)) {
            best_value = value;
            best.closed = true;
            best.rank = rank;
            best.neutral = state;
            best.generic = std::move(generic);
        }
        if (best_value >= 1 + regular) break;
        from = best.neutral.q;
        if (start > near_starts) break;
    }
    return best;
}

}  // namespace grbda::compile
