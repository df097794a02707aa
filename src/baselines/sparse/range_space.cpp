#include "range_space.hpp"

#include <algorithm>
#include <cmath>

#include "baselines/workspace.hpp"

// H q̈ = τ − C + Kᵀλ with H = LᵀDL, so that with Y = K L⁻¹ and x = L⁻ᵀ (τ − C)
//   (Y D⁻¹ Yᵀ) λ = k − Y D⁻¹ x,   q̈ = L⁻¹ D⁻¹ (x + Yᵀ λ)          (Featherstone 2005; 2008, ch. 8)

namespace grbda::baselines {
namespace {

constexpr double kSmallestRowPivot = 1e-14;  // of K H⁻¹ Kᵀ, relative to its diagonal: rounding

using Segment = Eigen::Map<const Eigen::VectorXd>;

Segment part(const RowMatrix& rows, int row, const Interval& places) {
    return Segment(rows.data() + row * rows.cols() + places.first, places.size);
}

/// For so few numbers that alignment does not matter.
double dot(const double* a, const double* b, int size) {
    double sums[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= size; i += 4)
        for (int lane = 0; lane < 4; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < size; ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double dot(const Segment& a, const Segment& b) { return dot(a.data(), b.data(), static_cast<int>(a.size())); }

double dot(const Segment& a, const Eigen::VectorXd& b, const Interval& places) {
    return dot(a.data(), b.data() + places.first, places.size);
}

Eigen::Map<Eigen::VectorXd> part(RowMatrix& rows, int row, const Interval& places) {
    return Eigen::Map<Eigen::VectorXd>(rows.data() + row * rows.cols() + places.first, places.size);
}

const std::vector<Interval>& meeting(const SparseState& state, const RangeSpace& in, int row, int other) {
    const int a = state.tie_of_row[static_cast<std::size_t>(row)];
    const int b = state.tie_of_row[static_cast<std::size_t>(other)];
    return in.meeting[static_cast<std::size_t>(a) * state.ties.size() + static_cast<std::size_t>(b)];
}

/// Y and Y D⁻¹ of the chosen rows: half solves along their supports.
void solve_rows(const SparseState& state, RangeSpace& in) {
    for (const int row : state.chosen) {
        const std::vector<Interval>& support = state.tie_of(row).support;
        for (const Interval& places : support) part(in.Y, row, places) = part(state.K, row, places);
        in.H.solve_transposed(state.branches, support, in.Y.row(row).data());
        for (const Interval& places : support)
            part(in.DY, row, places) =
                part(in.Y, row, places).cwiseProduct(in.H.inverse.segment(places.first, places.size));
    }
}

/// Computes A = K H⁻¹ Kᵀ, lower triangle.
void form_A(const SparseState& state, RangeSpace& in) {
    const RowMatrix &Y = in.Y, &DY = in.DY;
    for (int i = 0; i < state.rank; ++i) {
        int& begin = in.begin[static_cast<std::size_t>(i)];
        begin = i;
        const int row = state.chosen[static_cast<std::size_t>(i)];
        for (int j = 0; j <= i; ++j) {
            const int other = state.chosen[static_cast<std::size_t>(j)];
            double sum = 0;
            for (const Interval& places : meeting(state, in, row, other)) {
                sum += dot(part(DY, row, places), part(Y, other, places));
                begin = std::min(begin, j);
            }
            in.A(i, j) = sum;
        }
    }
}

/// A = R Rᵀ in place, row by row from its first entry. Returns false if A is not positive definite.
bool factor_A(int rank, RangeSpace& in) {
    const RowMatrix& A = in.A;
    const auto begin = [&](int i) { return in.begin[static_cast<std::size_t>(i)]; };
    for (int i = 0; i < rank; ++i) {
        for (int j = begin(i); j < i; ++j) {
            const int first = std::max(begin(i), begin(j));
            if (first < j) in.A(i, j) -= dot(part(A, i, {first, j - first}), part(A, j, {first, j - first}));
            in.A(i, j) *= in.A(j, j);
        }
        const double pivot =
            in.A(i, i) - dot(part(A, i, {begin(i), i - begin(i)}), part(A, i, {begin(i), i - begin(i)}));
        if (!(pivot > kSmallestRowPivot * in.A(i, i))) return false;
        in.A(i, i) = 1 / std::sqrt(pivot);  // the inverse of R's
    }
    return true;
}

/// Computes λ in place of the right side.
void solve_A(int rank, RangeSpace& in) {
    const RowMatrix& A = in.A;
    Eigen::VectorXd& x = in.multipliers;
    const auto before = [&](int i) {
        const int begin = in.begin[static_cast<std::size_t>(i)];
        return Interval{begin, i - begin};
    };
    for (int i = 0; i < rank; ++i) {
        const Interval row = before(i);
        x[i] = (x[i] - dot(part(A, i, row), x, row)) * in.A(i, i);
    }
    for (int i = rank; i-- > 0;) {
        const Interval row = before(i);
        x[i] *= in.A(i, i);
        x.segment(row.first, row.size) -= x[i] * part(A, i, row);
    }
}

/// Makes force − C of force. Returns the largest unconstrained acceleration.
double subtract_bias(const SparseState& state, const RangeSpace& in, Eigen::VectorXd& force) {
    force -= state.tree.C;
    double largest = 0;
    for (int i = 0; i < state.branches.size(); ++i) {
        const double inertia = in.H.row(state.branches, i)[state.branches.depth(i)];
        if (inertia > 0) largest = std::max(largest, std::abs(force[i]) / inertia);
    }
    return largest;
}

}  // namespace

RangeSpace::RangeSpace(const Model& model, const SparseState& state) : H(state.branches) {
    const int size = state.branches.size();
    all = {{0, size}};
    for (const Tie& a : state.ties)
        for (const Tie& b : state.ties) meeting.push_back(intersection(a.support, b.support));
    for (RowMatrix* rows : {&Y, &DY}) rows->setZero(model.rows, size);
    begin.assign(static_cast<std::size_t>(state.rank), 0);
    A.setZero(state.rank, state.rank);
    multipliers.setZero(state.rank);
}

Result solve_range_space(const Model& model, SparseState& state, RangeSpace& in) {
    const RowMatrix& DY = in.DY;
    Eigen::VectorXd& x = state.qdd;  // τ − C, then L⁻ᵀ (τ − C), then q̈
    mass_and_bias(model, state.branches, state.tree, in.H);
    x = state.tau;
    const double free_acceleration = subtract_bias(state, in, x);
    if (!in.H.factor(state.branches)) return {Status::undefined, -1, 0, 0};
    in.H.solve_transposed(state.branches, in.all, x.data());
    solve_rows(state, in);
    form_A(state, in);
    if (!factor_A(state.rank, in)) return {Status::undefined, -1, 0, 0};
    for (int i = 0; i < state.rank; ++i) {
        const int row = state.chosen[static_cast<std::size_t>(i)];
        in.multipliers[i] = state.k[row];
        for (const Interval& places : state.tie_of(row).support)
            in.multipliers[i] -= dot(part(DY, row, places), x, places);
    }
    solve_A(state.rank, in);
    x.array() *= in.H.inverse.array();
    for (int i = 0; i < state.rank; ++i) {
        const int row = state.chosen[static_cast<std::size_t>(i)];
        for (const Interval& places : state.tie_of(row).support)
            x.segment(places.first, places.size) += in.multipliers[i] * part(DY, row, places);
    }
    in.H.solve(state.branches, x);
    Result result;
    result.residual = constraint_residual(state, free_acceleration);
    if (!(result.residual <= kConsistentResidual)) result.status = Status::undefined;
    return result;
}

}  // namespace grbda::baselines
