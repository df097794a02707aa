#include <algorithm>
#include <cmath>
#include <numeric>

#include "derivatives/contact_dynamics.hpp"

// A = E A₁ Eᵀ with E = [1; C]: A₁ = L Lᵀ are the entries of independent rows, which the others are C times.
// Then A⁺ = E Q⁻¹ A₁⁻¹ Q⁻¹ Eᵀ with Q = Eᵀ E = 1 + Cᵀ C, whose eigenvalues are 1 or more.

namespace grbda {
namespace {

constexpr double dependent = 1e-10, negligible = 1e-16;

/// x ← L⁻¹ x, then x ← L⁻ᵀ x, for the leading n × n lower triangle.
void solve_cholesky(const MatrixX<double>& L, int n, double* x) {
    for (int j = 0; j < n; ++j) {
        x[j] /= L(j, j);
        for (int i = j + 1; i < n; ++i) x[i] -= L(i, j) * x[j];
    }
    for (int j = n - 1; j >= 0; --j) {
        for (int i = j + 1; i < n; ++i) x[j] -= L(i, j) * x[i];
        x[j] /= L(j, j);
    }
}

/// Column j of L from what is left of a positive definite matrix, whose lower triangle it takes off.
void eliminate_column(int j, int n, MatrixX<double>& L) {
    L(j, j) = std::sqrt(L(j, j));
    for (int i = j + 1; i < n; ++i) L(i, j) /= L(j, j);
    for (int k = j + 1; k < n; ++k)
        for (int i = k; i < n; ++i) L(i, k) -= L(i, j) * L(k, j);
}

/// Swaps rows and columns a < b of a symmetric matrix of which the lower triangle is stored, and rows of the
/// columns before a.
void swap_symmetric(int a, int b, int n, MatrixX<double>& L) {
    for (int j = 0; j < a; ++j) std::swap(L(a, j), L(b, j));
    for (int j = a + 1; j < b; ++j) std::swap(L(j, a), L(b, j));
    for (int i = b + 1; i < n; ++i) std::swap(L(i, a), L(i, b));
    std::swap(L(a, a), L(b, b));
}

}  // namespace

SemidefiniteSolver::SemidefiniteSolver(int most_rows)
    : order_(at(most_rows)),
      L_(most_rows, most_rows),
      Q_(most_rows, most_rows),
      column_(most_rows),
      floor_(at(most_rows)) {}

void SemidefiniteSolver::factor(const Eigen::Ref<const MatrixX<double>>& A, const double* scale) {
    require_size("A (rows), at most", std::max<long>(A.rows(), L_.rows()), L_.rows());
    require_size("A (columns)", A.cols(), A.rows());
    n_ = static_cast<int>(A.rows());
    L_.topLeftCorner(n_, n_) = A;
    std::iota(order_.begin(), order_.end(), 0);
    choose_pivots(scale);
    if (rank_ < n_) combine_dependent_rows();
}

void SemidefiniteSolver::choose_pivots(const double* scale) {
    for (int i = 0; i < n_; ++i) floor_[i] = dependent * L_(i, i) + negligible * scale[i];
    for (rank_ = 0; rank_ < n_; ++rank_) {
        int best = -1;
        double largest = 1;
        for (int i = rank_; i < n_; ++i)
            if (const double ratio = L_(i, i) / floor_[order_[i]]; ratio > largest) {
                largest = ratio;
                best = i;
            }
        if (best < 0) return;
        if (best > rank_) swap_symmetric(rank_, best, n_, L_);
        std::swap(order_[rank_], order_[best]);
        eliminate_column(rank_, n_, L_);
    }
}

/// C L = B, where B are the rows below L; then the factor of Q.
void SemidefiniteSolver::combine_dependent_rows() {
    for (int i = rank_; i < n_; ++i)
        for (int j = rank_ - 1; j >= 0; --j) {
            double c = L_(i, j);
            for (int k = j + 1; k < rank_; ++k) c -= L_(i, k) * L_(k, j);
            L_(i, j) = c / L_(j, j);
        }
    for (int j = 0; j < rank_; ++j)
        for (int i = j; i < rank_; ++i) {
            double sum = i == j ? 1 : 0;
            for (int k = rank_; k < n_; ++k) sum += L_(k, i) * L_(k, j);
            Q_(i, j) = sum;
        }
    for (int j = 0; j < rank_; ++j) eliminate_column(j, rank_, Q_);
}

/// Q⁻¹ Eᵀ x, in the first places of the column.
void SemidefiniteSolver::load(const double* x) {
    for (int i = 0; i < n_; ++i) column_[i] = x[order_[i]];
    if (rank_ == n_) return;
    for (int j = 0; j < rank_; ++j)
        for (int i = rank_; i < n_; ++i) column_[j] += L_(i, j) * column_[i];
    solve_cholesky(Q_, rank_, column_.data());
}

/// Row i of E times the first places of the column.
double SemidefiniteSolver::combined(int i) const {
    if (i < rank_) return column_[i];
    double sum = 0;
    for (int j = 0; j < rank_; ++j) sum += L_(i, j) * column_[j];
    return sum;
}

void SemidefiniteSolver::solve(Eigen::Ref<MatrixX<double>> x) {
    require_size("right-hand side (rows)", x.rows(), n_);
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
        double* const column = x.col(j).data();
        load(column);
        solve_cholesky(L_, rank_, column_.data());
        if (rank_ < n_) solve_cholesky(Q_, rank_, column_.data());
        for (int i = 0; i < n_; ++i) column[order_[i]] = combined(i);
    }
}

void SemidefiniteSolver::keep_null_part(Eigen::Ref<MatrixX<double>> x) {
    require_size("x (rows)", x.rows(), n_);
    if (rank_ == n_) {
        x.setZero();
        return;
    }
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
        double* const column = x.col(j).data();
        load(column);
        for (int i = 0; i < n_; ++i) column[order_[i]] -= combined(i);
    }
}

}  // namespace grbda
