#include "constraints/actuation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "balance.hpp"
#include "kernels/pass/constraint_forces.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

// J Π = Q R by modified Gram–Schmidt with pivoting of each cluster's block, in its scales; of all forces with
// Jᵀ τ_motor = τ those in the columns of Q are the least.

namespace grbda {
namespace {

/// The rest of a column of J at or below this, or this part of the largest one, counts as zero.
constexpr double rank_tolerance = 1e-6;

/// Velocities that motors drive, in pass order.
Table<char> driven_dofs(const Model& model) {
    Table<char> driven(model.v_index.size(), 0);
    const bool named = std::count(model.actuated.begin(), model.actuated.end(), 0) < model.body_count();
    for (std::size_t dof = 0; named && dof < driven.size(); ++dof)
        driven[dof] = model.actuated[model.dof_body[dof]];
    if (!named)
        for (const int dof : model.independent) driven[dof] = 1;
    return driven;
}

template <class S>
S dot(const S* a, const S* b, int n) {
    S sum(0);
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/// Column j of what is left of a block becomes the one with the largest square, which is returned.
template <class S>
S bring_pivot(S* Q, S* R, int* pivots, int n, int m, int j) {
    int best = j;
    S largest(-1);
    for (int k = j; k < m; ++k) {
        const S square = dot(Q + k * n, Q + k * n, n);
        if (square > largest) {
            largest = square;
            best = k;
        }
    }
    std::swap_ranges(Q + j * n, Q + (j + 1) * n, Q + best * n);
    for (int i = 0; i < j; ++i) std::swap(R[i * m + j], R[i * m + best]);
    std::swap(pivots[j], pivots[best]);
    return largest;
}

/// Q R of the n × m block in Q, columns one after the other; its rank.
template <class S>
int factor(S* Q, S* R, int* pivots, int n, int m) {
    S largest(1);  // that of the independent velocities themselves, or of a motor that is faster
    for (int j = 0; j < std::min(n, m); ++j) {
        const S square = bring_pivot(Q, R, pivots, n, m, j);
        largest = std::max(largest, square);
        if (!(square > rank_tolerance * rank_tolerance * largest)) return j;
        S* q = Q + j * n;
        const S length = scalar::sqrt(square);
        R[j * m + j] = length;
        for (int i = 0; i < n; ++i) q[i] = q[i] / length;
        for (int k = j + 1; k < m; ++k) {
            S* column = Q + k * n;
            const S r = dot(q, column, n);
            R[j * m + k] = r;
            for (int i = 0; i < n; ++i) column[i] -= q[i] * r;
        }
    }
    return std::min(n, m);
}

template <class S>
void require_actuation(const Model& model, const Actuation<S>& actuation) {
    require_fit("Actuation", model, actuation.blocks.empty() ? 0 : model.bodies.size(), actuation.layout);
    require_size("actuation.J (rows)", actuation.J.rows(), static_cast<long>(actuation.motors.size()));
    require_size("actuation.J (columns)", actuation.J.cols(), model.nv);
}

/// Rows of G into J, and by cluster, scaled, into Q.
template <class S>
void gather(const Model& model, const Workspace<S>& data, Actuation<S>& x) {
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        const auto& block = x.blocks[k];
        for (int j = 0; j < c.m; ++j) {
            const int y = model.y_index[c.y_begin + j];
            const S unit = S(kernels::unit_of_rate(model, data, c, j));
            x.units[c.y_begin + j] = unit;
            x.pivots[c.y_begin + j] = j;
            S* Q = x.Q.data() + block.Q_begin + j * block.motors.size();
            for (const int i : block.motors) {
                const int dof = x.dofs[i];
                const S entry = kernels::embedding_entry(model, data, c, dof - c.dof_begin, j) *
                                S(model.reduction[model.dof_body[dof]]);
                x.J(x.motors[i], y) = entry;
                *Q++ = entry * (unit / S(model.column_scale[dof]));
            }
        }
    }
}

/// Writes the least forces of one cluster's motors into `motors`. Returns the largest part of τ that they
/// leave, in its units.
template <class S>
S solve_block(const Model& model, Actuation<S>& x, int cluster, const S* tau, S* motors) {
    const Cluster& c = model.clusters[cluster];
    const auto& block = x.blocks[cluster];
    const int n = block.motors.size(), m = c.m;
    const S* Q = x.Q.data() + block.Q_begin;
    const S* R = x.R.data() + block.R_begin;
    const int* pivots = x.pivots.data() + c.y_begin;
    S* z = x.scratch.data();
    S open(0);
    for (int j = 0; j < m; ++j) {  // Rᵀ z = Πᵀ τ
        const int y = c.y_begin + pivots[j];
        z[j] = tau[model.y_index[y]] * x.units[y];
        for (int i = 0; i < std::min(j, block.rank); ++i) z[j] -= R[i * m + j] * z[i];
        if (j < block.rank)
            z[j] = z[j] / R[j * m + j];
        else
            open = std::max(open, std::abs(z[j]));
    }
    for (int i = 0; i < n; ++i) {
        const int place = block.motors.first + i;
        S force(0);
        for (int j = 0; j < block.rank; ++j) force += Q[j * n + i] * z[j];
        motors[x.motors[place]] = force * S(1 / model.column_scale[x.dofs[place]]);
    }
    return open;
}

}  // namespace

std::vector<Coordinate> motor_coordinates(const Model& model) {
    const Table<char> driven = driven_dofs(model);
    std::vector<Coordinate> motors = spanning_coordinates(model);
    std::erase_if(motors, [&](const Coordinate& coordinate) {
        return !driven[model.bodies[coordinate.body].dof + coordinate.component];
    });
    return motors;
}

template <class S>
Actuation<S>::Actuation(const Model& model) : layout(model.layout) {
    require_whole(model);
    least = weight_on_length(model);
    const Table<char> driven = driven_dofs(model);
    Table<int> place(model.v_index.size(), 0);  // of what stands in q̇ before it, the motors
    for (std::size_t dof = 0; dof < driven.size(); ++dof)
        place[model.v_index[dof]] = driven[dof] != 0 ? 1 : 0;
    int count = 0;
    for (int& p : place) count += std::exchange(p, count);
    int Q_size = 0, R_size = 0;
    for (const Cluster& c : model.clusters) {
        Block block{{static_cast<int>(motors.size()), 0}, Q_size, R_size, 0};
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) {
            if (!driven[dof]) continue;
            motors.push_back(place[model.v_index[dof]]);
            dofs.push_back(dof);
        }
        block.motors.last = static_cast<int>(motors.size());
        Q_size += block.motors.size() * c.m;
        R_size += c.m * c.m;
        blocks.push_back(block);
    }
    J.setZero(count, model.nv);
    pivots.resize(at(model.nv));
    units.resize(at(model.nv));
    scratch.resize(at(model.nv));
    Q.resize(at(Q_size));
    R.resize(at(R_size));
}

template <class S>
Result actuation_jacobian(const Model& model, Workspace<S>& data, ConstVector<S> q, Actuation<S>& actuation) {
    require_workspace(model, data);
    require_actuation(model, actuation);
    require_size("q", q.size(), model.nq);
    Result result{Status::not_finite};
    if (kernels::usable(model, q.data())) {
        kernels::positions<S>(model, data, q.data());
        result = kernels::constraint_outcome(model, data);
    }
    if (result.ok()) {
        actuation.J.setZero();
        gather(model, data, actuation);
        if (!kernels::all_finite(actuation.J.data(), static_cast<int>(actuation.J.size())))
            result = {Status::not_finite};
    }
    int rank = 0;
    for (int k = 0; k < model.cluster_count(); ++k) {
        auto& block = actuation.blocks[k];
        const Cluster& c = model.clusters[k];
        block.rank = factor(actuation.Q.data() + block.Q_begin, actuation.R.data() + block.R_begin,
                            actuation.pivots.data() + c.y_begin, block.motors.size(), c.m);
        rank += block.rank;
    }
    actuation.undriven = model.nv - rank;
    actuation.redundant = static_cast<int>(actuation.motors.size()) - rank;
    if (!result.ok()) kernels::clear<S>(actuation.J);
    return result;
}

template <class S>
Result motor_forces(const Model& model, Actuation<S>& actuation, ConstVector<S> tau, VectorOut<S> motors) {
    require_actuation(model, actuation);
    require_size("tau", tau.size(), model.nv);
    require_size("motors", motors.size(), actuation.J.rows());
    Result result;
    if (!(kernels::squares(tau.data(), model.nv) < S(largest_given * largest_given)) ||
        !kernels::all_finite(actuation.J.data(), static_cast<int>(actuation.J.size())))
        result = {Status::not_finite};
    double open = 0, largest = actuation.least;
    int worst = -1;
    for (int k = 0; result.ok() && k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        for (int y = c.y_begin; y < c.y_begin + c.m; ++y)
            largest = std::max(largest, std::abs(value_of(tau[model.y_index[y]] * actuation.units[y])));
        const double left = value_of(solve_block(model, actuation, k, tau.data(), motors.data()));
        if (left <= open) continue;
        open = left;
        worst = k;
    }
    if (open > balance_tolerance * largest) result = {Status::unbalanced, worst, open / largest};
    return kernels::delivered<S>(result, motors);
}

#define GRBDA_INSTANTIATE(S)                                                                           \
    template struct Actuation<S>;                                                                      \
    template Result actuation_jacobian<S>(const Model&, Workspace<S>&, ConstVector<S>, Actuation<S>&); \
    template Result motor_forces<S>(const Model&, Actuation<S>&, ConstVector<S>, VectorOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

Result actuation_jacobian(const Model& model, Data& data, ConstVectorRef q) {
    Workspaces& work = data.workspaces();
    auto& actuation = work.extra<Actuation<double>>(Extra::actuation, model);
    work.has_motors = false;
    const Result result = actuation_jacobian<double>(model, work.general, q, actuation);
    work.has_motors = result.ok();
    data.J_motors = actuation.J;
    data.undriven_freedoms = actuation.undriven;
    data.redundant_motors = actuation.redundant;
    return result;
}

Result motor_forces(const Model& model, Data& data, ConstVectorRef tau) {
    Workspaces& work = data.workspaces();
    if (!work.has_motors)
        throw std::invalid_argument("Data holds no Jacobian of motors: call actuation_jacobian() first");
    auto& actuation = work.extra<Actuation<double>>(Extra::actuation, model);
    return motor_forces<double>(model, actuation, tau, sized(data.tau_motors, actuation.J.rows(), 1));
}

}  // namespace grbda
