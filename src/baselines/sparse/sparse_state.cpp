#include "sparse_state.hpp"

#include <algorithm>
#include <cmath>

#include "baselines/workspace.hpp"

namespace grbda::baselines {
namespace {

/// Calls visit(places) for the joints at which the row has entries.
template <class Visit>
void each_entry(const Tie& tie, Visit&& visit) {
    for (const Interval& places : tie.plus) visit(places);
    for (const Interval& places : tie.minus) visit(places);
}

auto entries(const RowMatrix& K, int row, const Interval& places) {
    return K.row(row).segment(places.first, places.size);
}

/// Computes q̇ from ẏ, for K of this configuration.
Result spread_velocities(const Model& model, Vector yd, SparseState& state) {
    Eigen::VectorXd& qd = state.tree.qd;
    qd.setZero();
    for (DependentRows& cluster : state.dependents)
        for (std::size_t j = 0; j < cluster.independent.size(); ++j)
            qd[cluster.independent[j]] = yd[cluster.y[j]];
    for (int row = 0; row < model.rows; ++row) {
        state.products[row] = 0;
        each_entry(state.tie_of(row), [&](const Interval& places) {
            state.products[row] += entries(state.K, row, places).dot(qd.segment(places.first, places.size));
        });
    }
    state.chosen.clear();
    for (std::size_t c = 0; c < state.dependents.size(); ++c) {
        DependentRows& cluster = state.dependents[c];
        if (!cluster.constant) cluster.factor(state.K);
        if (!cluster.regular) return {Status::singular_constraint, static_cast<int>(c), 0, 0};
        cluster.solve(state.products, qd);
        state.chosen.insert(state.chosen.end(), cluster.chosen.begin(), cluster.chosen.end());
    }
    return {};
}

}  // namespace

SparseState::SparseState(const Model& model)
    : branches(model), tree(model, branches), ties(make_ties(model, branches)) {
    ends.resize(2 * ties.size());
    tie_of_row.resize(static_cast<std::size_t>(model.rows));
    for (std::size_t t = 0; t < ties.size(); ++t)
        for (int r = 0; r < ties[t].rows; ++r)
            tie_of_row[static_cast<std::size_t>(ties[t].first + r)] = static_cast<int>(t);
    K.setZero(model.rows, branches.size());
    wrenches.resize(static_cast<std::size_t>(model.rows));
    for (Eigen::VectorXd* x : {&k, &products}) x->setZero(model.rows);
    fill_constant_rows(model, branches, K);
    for (const Cluster& cluster : model.clusters) {
        dependents.emplace_back(model, branches, cluster);
        if (dependents.back().constant) dependents.back().factor(K);
    }
    rank = model.nv_tree - model.nv;
    chosen.reserve(static_cast<std::size_t>(model.rows));
    for (Eigen::VectorXd* x : {&tau, &qdd}) x->setZero(branches.size());
}

Result evaluate(const Model& model, const Eigen::VectorXd& q, Vector yd, Vector tau, Wrenches wrenches,
                SparseState& state) {
    set_positions(model, state.branches, q, state.tree);
    fill_rows(model, state.branches, state.ties, state.tree, q, state.ends, state.wrenches, state.K);
    if (const Result result = spread_velocities(model, yd, state); !result) return result;
    set_motion(model, state.branches, wrenches, state.tree);
    fill_bias(model, state.branches, state.ties, state.tree, q, state.ends, state.k);
    state.tau.setZero();
    for (const DependentRows& cluster : state.dependents)
        for (std::size_t j = 0; j < cluster.independent.size(); ++j)
            state.tau[cluster.independent[j]] = tau[cluster.y[j]];
    return {};
}

double constraint_residual(const SparseState& state, double free_acceleration) {
    double violation = 0, size = 0;
    for (const int row : state.chosen) {
        double error = -state.k[row], terms = std::abs(state.k[row]);
        each_entry(state.tie_of(row), [&](const Interval& places) {
            const auto K = entries(state.K, row, places);
            const auto qdd = state.qdd.segment(places.first, places.size);
            error += K.dot(qdd);
            terms += K.cwiseAbs().dot(qdd.cwiseAbs()) + K.cwiseAbs().sum() * free_acceleration;
        });
        violation = std::max(violation, std::abs(error));
        size = std::max(size, terms);
        if (!std::isfinite(error)) return std::abs(error);
    }
    return size > 0 ? violation / size : 0;
}

void deliver(const SparseState& state, Workspace& work) {
    for (int i = 0; i < state.branches.size(); ++i) {
        work.qd[state.branches.v(i)] = state.tree.qd[i];
        work.qdd[state.branches.v(i)] = state.qdd[i];
    }
    for (const DependentRows& cluster : state.dependents)
        for (std::size_t j = 0; j < cluster.independent.size(); ++j)
            work.ydd[cluster.y[j]] = state.qdd[cluster.independent[j]];
}

}  // namespace grbda::baselines
