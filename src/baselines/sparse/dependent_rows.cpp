#include "dependent_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace grbda::baselines {
namespace {

constexpr double kSmallestPivotRatio = 1e-10;  // Status::singular_constraint by its definition

bool has_constant_rows(const Model& model, const Cluster& cluster) {
    bool constant = cluster.loops.empty();
    for (const int l : cluster.couplings) constant = constant && model.couplings[l].linear();
    return constant;
}

}  // namespace

DependentRows::DependentRows(const Model& model, const Branches& branches, const Cluster& cluster)
    : constant(has_constant_rows(model, cluster)), first_row_(cluster.row_begin) {
    std::vector<char> is_independent(static_cast<std::size_t>(cluster.dofs), 0);
    for (int j = cluster.y_begin; j < cluster.y_begin + cluster.m; ++j) {
        const int dof = model.independent[j];
        is_independent[static_cast<std::size_t>(dof - cluster.dof_begin)] = 1;
        independent.push_back(branches.place_of_v(model.v_index[dof]));
        y.push_back(model.y_index[j]);
    }
    std::vector<double> scale;
    for (int j = 0; j < cluster.dofs; ++j) {
        if (is_independent[static_cast<std::size_t>(j)]) continue;
        dependent_.push_back(branches.place_of_v(model.v_index[cluster.dof_begin + j]));
        scale.push_back(model.column_scale[cluster.dof_begin + j]);
    }
    rows_.resize(static_cast<std::size_t>(cluster.rows));
    std::iota(rows_.begin(), rows_.end(), cluster.row_begin);
    chosen.resize(std::min(rows_.size(), dependent_.size()));
    std::copy_n(rows_.begin(), chosen.size(), chosen.begin());
    const Eigen::Index dependents = static_cast<Eigen::Index>(scale.size());
    column_scale_ = Eigen::Map<const Eigen::VectorXd>(scale.data(), dependents);
    row_scale_ = Eigen::Map<const Eigen::VectorXd>(model.row_scale.data() + cluster.row_begin, cluster.rows);
    columns_.resize(dependent_.size());
    right_.setZero(dependents);
    LU_.setZero(cluster.rows, dependents);
}

void DependentRows::factor(const RowMatrix& K) {
    regular = rows_.size() >= dependent_.size();
    if (!regular || dependent_.empty()) return;
    std::iota(columns_.begin(), columns_.end(), 0);
    std::iota(rows_.begin(), rows_.end(), first_row_);
    for (Eigen::Index r = 0; r < LU_.rows(); ++r)
        for (std::size_t j = 0; j < dependent_.size(); ++j) {
            const Eigen::Index column = static_cast<Eigen::Index>(j);
            LU_(r, column) = row_scale_[r] * K(first_row_ + r, dependent_[j]) * column_scale_[column];
        }
    for (int step = 0; step < LU_.cols(); ++step) {
        eliminate(step);
        const double pivot = std::abs(LU_(step, step)), largest = std::abs(LU_(0, 0));
        regular = largest > 0 && pivot >= kSmallestPivotRatio * largest;
        if (!regular) return;
    }
    std::copy_n(rows_.begin(), chosen.size(), chosen.begin());
    std::sort(chosen.begin(), chosen.end());  // an order that does not depend on the pivots
}

void DependentRows::eliminate(int step) {
    const Eigen::Index rows = LU_.rows() - step, columns = LU_.cols() - step;
    Eigen::Index row = 0, column = 0;
    double largest = 0;
    for (Eigen::Index i = 0; i < rows; ++i)
        for (Eigen::Index j = 0; j < columns; ++j) {
            const double size = std::abs(LU_(step + i, step + j));
            if (size <= largest) continue;
            largest = size;
            row = i;
            column = j;
        }
    if (row != 0) LU_.row(step).swap(LU_.row(step + row));
    if (column != 0) LU_.col(step).swap(LU_.col(step + column));
    std::swap(rows_[static_cast<std::size_t>(step)], rows_[static_cast<std::size_t>(step + row)]);
    std::swap(columns_[static_cast<std::size_t>(step)], columns_[static_cast<std::size_t>(step + column)]);
    if (largest == 0) return;
    const double inverse = 1 / LU_(step, step);
    for (Eigen::Index i = step + 1; i < LU_.rows(); ++i) {
        LU_(i, step) *= inverse;
        for (Eigen::Index j = step + 1; j < LU_.cols(); ++j) LU_(i, j) -= LU_(i, step) * LU_(step, j);
    }
}

void DependentRows::solve(const Eigen::VectorXd& products, Eigen::VectorXd& qd) {
    const int dependents = static_cast<int>(dependent_.size());
    for (int i = 0; i < dependents; ++i) {
        const int row = rows_[static_cast<std::size_t>(i)];
        right_[i] = -row_scale_[row - first_row_] * products[row];
        for (int j = 0; j < i; ++j) right_[i] -= LU_(i, j) * right_[j];
    }
    for (int i = dependents - 1; i >= 0; --i) {
        for (int j = i + 1; j < dependents; ++j) right_[i] -= LU_(i, j) * right_[j];
        right_[i] /= LU_(i, i);
        const int column = columns_[static_cast<std::size_t>(i)];
        qd[dependent_[static_cast<std::size_t>(column)]] = column_scale_[column] * right_[i];
    }
}

}  // namespace grbda::baselines
