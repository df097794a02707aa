#include "range_space.hpp"

#include <algorithm>
#include <cmath>

#include "workspace.hpp"

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

const Tie& tie_of(const RangeSpace& in, int row) {
    return in.ties[static_cast<std::size_t>(in.tie_of_row[static_cast<std::size_t>(row)])];
}

const std::vector<Interval>& meeting(const RangeSpace& in, int row, int other) {
    const int a = in.tie_of_row[static_cast<std::size_t>(row)];
    const int b = in.tie_of_row[static_cast<std::size_t>(other)];
    return in.meeting[static_cast<std::size_t>(a) * in.ties.size() + static_cast<std::size_t>(b)];
}

/// Calls visit(places) for the joints at which the row has entries.
template <class Visit>
void each_entry(const Tie& tie, Visit&& visit) {
    for (const Interval& places : tie.plus) visit(places);
    for (const Interval& places : tie.minus) visit(places);
}

/// Computes q̇ from ẏ, for K of this configuration.
Result spread_velocities(const Model& model, Vector yd, RangeSpace& in) {
    Eigen::VectorXd& qd = in.tree.qd;
    const RowMatrix& K = in.K;
    qd.setZero();
    for (DependentRows& cluster : in.dependents)
        for (std::size_t j = 0; j < cluster.independent.size(); ++j)
            qd[cluster.independent[j]] = yd[cluster.y[j]];
    for (int row = 0; row < model.rows; ++row) {
        in.products[row] = 0;
        each_entry(tie_of(in, row), [&](const Interval& places) {
            in.products[row] += dot(part(K, row, places), qd, places);
        });
    }
    in.chosen.clear();
    for (std::size_t c = 0; c < in.dependents.size(); ++c) {
        DependentRows& cluster = in.dependents[c];
        if (!cluster.constant) cluster.factor(in.K);
        if (!cluster.regular) return {Status::singular_constraint, static_cast<int>(c), 0, 0};
        cluster.solve(in.products, qd);
        in.chosen.insert(in.chosen.end(), cluster.chosen.begin(), cluster.chosen.end());
    }
    return {};
}

/// Y and Y D⁻¹ of the chosen rows: half solves along their supports.
void solve_rows(RangeSpace& in) {
    for (const int row : in.chosen) {
        const std::vector<Interval>& support = tie_of(in, row).support;
        for (const Interval& places : support) part(in.Y, row, places) = part(in.K, row, places);
        in.H.solve_transposed(in.branches, support, in.Y.row(row).data());
        for (const Interval& places : support)
            part(in.DY, row, places) =
                part(in.Y, row, places).cwiseProduct(in.H.inverse.segment(places.first, places.size));
    }
}

/// Computes A = K H⁻¹ Kᵀ, lower triangle.
void form_A(RangeSpace& in) {
    const RowMatrix &Y = in.Y, &DY = in.DY;
    for (int i = 0; i < in.rank; ++i) {
        int& begin = in.begin[static_cast<std::size_t>(i)];
        begin = i;
        const int row = in.chosen[static_cast<std::size_t>(i)];
        for (int j = 0; j <= i; ++j) {
            const int other = in.chosen[static_cast<std::size_t>(j)];
            double sum = 0;
            for (const Interval& places : meeting(in, row, other)) {
                sum += dot(part(DY, row, places), part(Y, other, places));
                begin = std::min(begin, j);
            }
            in.A(i, j) = sum;
        }
    }
}

/// A = R Rᵀ in place, row by row from its first entry. Returns false if A is not positive definite.
bool factor_A(RangeSpace& in) {
    const RowMatrix& A = in.A;
    const auto begin = [&](int i) { return in.begin[static_cast<std::size_t>(i)]; };
    for (int i = 0; i < in.rank; ++i) {
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
void solve_A(RangeSpace& in) {
    const RowMatrix& A = in.A;
    Eigen::VectorXd& x = in.multipliers;
    const auto before = [&](int i) {
        const int begin = in.begin[static_cast<std::size_t>(i)];
        return Interval{begin, i - begin};
    };
    for (int i = 0; i < in.rank; ++i) {
        const Interval row = before(i);
        x[i] = (x[i] - dot(part(A, i, row), x, row)) * in.A(i, i);
    }
    for (int i = in.rank; i-- > 0;) {
        const Interval row = before(i);
        x[i] *= in.A(i, i);
        x.segment(row.first, row.size) -= x[i] * part(A, i, row);
    }
}

/// Largest violation of K q̈ = k, as in constraint_residual().
double residual_of(const RangeSpace& in, double free_acceleration) {
    double violation = 0, size = 0;
    for (const int row : in.chosen) {
        double error = -in.k[row], terms = std::abs(in.k[row]);
        each_entry(tie_of(in, row), [&](const Interval& places) {
            const auto K = part(in.K, row, places);
            const auto qdd = in.x.segment(places.first, places.size);
            error += K.dot(qdd);
            terms += K.cwiseAbs().dot(qdd.cwiseAbs()) + K.cwiseAbs().sum() * free_acceleration;
        });
        violation = std::max(violation, std::abs(error));
        size = std::max(size, terms);
        if (!std::isfinite(error)) return std::abs(error);
    }
    return size > 0 ? violation / size : 0;
}

/// Sets τ of y as a force on the spanning joints, minus C. Returns the largest unconstrained acceleration.
double set_force(Vector tau, RangeSpace& in) {
    in.force = -in.tree.C;
    for (const DependentRows& cluster : in.dependents)
        for (std::size_t j = 0; j < cluster.independent.size(); ++j)
            in.force[cluster.independent[j]] += tau[cluster.y[j]];
    double largest = 0;
    for (int i = 0; i < in.branches.size(); ++i) {
        const double inertia = in.H.row(in.branches, i)[in.branches.depth(i)];
        if (inertia > 0) largest = std::max(largest, std::abs(in.force[i]) / inertia);
    }
    return largest;
}

Result solve(Vector tau, RangeSpace& in) {
    const RowMatrix& DY = in.DY;
    const double free_acceleration = set_force(tau, in);
    if (!in.H.factor(in.branches)) return {Status::undefined, -1, 0, 0};
    in.x = in.force;
    in.H.solve_transposed(in.branches, in.all, in.x.data());
    solve_rows(in);
    form_A(in);
    if (!factor_A(in)) return {Status::undefined, -1, 0, 0};
    for (int i = 0; i < in.rank; ++i) {
        const int row = in.chosen[static_cast<std::size_t>(i)];
        in.multipliers[i] = in.k[row];
        for (const Interval& places : tie_of(in, row).support)
            in.multipliers[i] -= dot(part(DY, row, places), in.x, places);
    }
    solve_A(in);
    in.x.array() *= in.H.inverse.array();
    for (int i = 0; i < in.rank; ++i) {
        const int row = in.chosen[static_cast<std::size_t>(i)];
        for (const Interval& places : tie_of(in, row).support)
            in.x.segment(places.first, places.size) += in.multipliers[i] * part(DY, row, places);
    }
    in.H.solve(in.branches, in.x);
    Result result;
    result.residual = residual_of(in, free_acceleration);
    if (!(result.residual <= kConsistentResidual)) result.status = Status::undefined;
    return result;
}

}  // namespace

RangeSpace::RangeSpace(const Model& model)
    : branches(model), tree(model, branches), H(branches), ties(make_ties(model, branches)) {
    const int size = branches.size();
    all = {{0, size}};
    force.setZero(size);
    x.setZero(size);
    ends.resize(2 * ties.size());
    tie_of_row.resize(static_cast<std::size_t>(model.rows));
    for (std::size_t t = 0; t < ties.size(); ++t)
        for (int r = 0; r < ties[t].rows; ++r)
            tie_of_row[static_cast<std::size_t>(ties[t].first + r)] = static_cast<int>(t);
    for (const Tie& a : ties)
        for (const Tie& b : ties) meeting.push_back(intersection(a.support, b.support));
    for (RowMatrix* rows : {&K, &Y, &DY}) rows->setZero(model.rows, size);
    k.setZero(model.rows);
    products.setZero(model.rows);
    fill_constant_rows(model, branches, K);
    for (const Cluster& cluster : model.clusters) {
        dependents.emplace_back(model, branches, cluster);
        if (dependents.back().constant) dependents.back().factor(K);
    }
    rank = model.nv_tree - model.nv;
    begin.assign(static_cast<std::size_t>(rank), 0);
    chosen.reserve(static_cast<std::size_t>(model.rows));
    A.setZero(rank, rank);
    multipliers.setZero(rank);
}

Result solve_range_space(const Model& model, Workspace& work, Vector yd, Vector tau, Wrenches wrenches) {
    RangeSpace& in = work.internal->range_space;
    const Eigen::VectorXd& q = work.internal->q;
    set_positions(model, in.branches, q, in.tree);
    fill_rows(model, in.branches, in.ties, in.tree, q, in.ends, in.K);
    Result result = spread_velocities(model, yd, in);
    if (!result) return result;
    set_motion(model, in.branches, wrenches, in.tree);
    fill_bias(model, in.branches, in.ties, in.tree, q, in.ends, in.k);
    mass_and_bias(model, in.branches, in.tree, in.H);
    for (int i = 0; i < in.branches.size(); ++i) work.qd[in.branches.v(i)] = in.tree.qd[i];
    result = solve(tau, in);
    if (!result) return result;
    for (int i = 0; i < in.branches.size(); ++i) work.qdd[in.branches.v(i)] = in.x[i];
    for (const DependentRows& cluster : in.dependents)
        for (std::size_t j = 0; j < cluster.independent.size(); ++j)
            work.ydd[cluster.y[j]] = in.x[cluster.independent[j]];
    return result;
}

}  // namespace grbda::baselines
