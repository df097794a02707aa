#include "contact_newton.hpp"

#include <limits>

#include <Eigen/LU>

#include "factors.hpp"

namespace grbda::simulation {
namespace {

constexpr double rounding = 1e-6;  // a residual that no step makes smaller is rounding below
constexpr double part_of_stopping = 1e-2;
constexpr int most_iterations = 60, most_trials = 30;

double norm_of(double squares) { return squares > 0 ? std::sqrt(squares) : squares * 0; }

}  // namespace

ContactNewton::ContactNewton(Index most_rows) : most_(most_rows), system_(most_rows, most_rows) {
    for (Eigen::VectorXd* x : {&s_, &u_, &gamma_, &step_, &moved_, &before_, &small_, &product_, &change_})
        x->setZero(most_rows);
    active_.reserve(static_cast<std::size_t>(most_rows));
    values_.resize(static_cast<std::size_t>(most_rows));
    coulomb_values_.resize(static_cast<std::size_t>(most_rows));
}

void ContactNewton::pose(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia,
                         const Eigen::Ref<const Eigen::VectorXd>& free, std::span<const RowLaw> laws) {
    n_ = free.size();
    W_ = inverse_inertia.data();
    stride_ = inverse_inertia.outerStride();
    free_ = free.data();
    laws_ = laws;
}

/// y = Λ⁻¹ x
void ContactNewton::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    for (Index i = 0; i < n_; ++i) y[i] = 0;
    for (Index j = 0; j < n_; ++j) {
        const double* const column = W_ + j * stride_;
        for (Index i = 0; i < n_; ++i) y[i] += column[i] * x[j];
    }
}

void ContactNewton::find_velocities() {
    multiply(s_, u_);
    for (Index i = 0; i < n_; ++i) u_[i] += free_[i];
}

/// γ and Ψ at u.
void ContactNewton::evaluate() {
    Index row = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        values_[k] = convex_law(laws_[k], scale_, &u_[row]);
        for (int i = 0; i < rows_of(laws_[k].law); ++i) gamma_[row++] = values_[k].impulse[i];
    }
}

/// Calls use(column of Ψ, its first row that is not zero, so many, the numbers there).
template <class Use>
void ContactNewton::each_root(const Use& use) const {
    Index row = 0, column = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        const int size = rows_of(laws_[k].law);
        for (int a = 0; a < values_[k].rank; ++a) use(column++, row, size, values_[k].root[a]);
        row += size;
    }
}

/// Square of a part of what would stop the rows.
double ContactNewton::least_size() const {
    double size = 0;
    for (Index i = 0; i < n_; ++i) {
        const double W = W_[i * (stride_ + 1)], part = part_of_stopping * free_[i];
        if (W > 0) size += part * part / W;
    }
    return size;
}

/// ‖γ − s‖ in the metric of Λ⁻¹ by ‖γ‖ in that of its diagonal, which counts what pushes against each other,
/// or by a part of what would stop the rows where γ is next to nothing; leaves γ − s in step_.
double ContactNewton::residual() {
    for (Index i = 0; i < n_; ++i) step_[i] = gamma_[i] - s_[i];
    multiply(step_, moved_);
    double error = 0, size = least_size();
    for (Index i = 0; i < n_; ++i) {
        error += step_[i] * moved_[i];
        size += gamma_[i] * gamma_[i] * W_[i * (stride_ + 1)];
    }
    return norm_of(error / std::max(size, std::numeric_limits<double>::min()));
}

/// Factors 1 + Ψᵀ Λ⁻¹ Ψ; its size.
Index ContactNewton::factor() {
    Index size = 0;
    each_root([&](Index j, Index row, int rows, const double* root) {
        double* const product = product_.data();
        const double *const a = W_ + row * stride_, *const b = rows > 1 ? a + stride_ : a,
                            *const c = rows > 1 ? b + stride_ : a;
        const double of_b = rows > 1 ? root[1] : 0, of_c = rows > 1 ? root[2] : 0;
        for (Index i = 0; i < n_; ++i) product[i] = a[i] * root[0] + b[i] * of_b + c[i] * of_c;
        double* const column = &system_(0, j);
        each_root([&](Index i, Index other, int others, const double* factor) {
            if (i < j) return;
            double sum = i == j ? 1 : 0;
            for (int l = 0; l < others; ++l) sum += factor[l] * product[other + l];
            column[i] = sum;
        });
        size = j + 1;
    });
    factor_positive(system_, size);
    return size;
}

/// (1 + Ψᵀ Λ⁻¹ Ψ)⁻¹ Ψᵀ x, into small_, from the factor of so many columns.
void ContactNewton::project(const Eigen::VectorXd& x, Index size) {
    each_root([&](Index column, Index row, int rows, const double* root) {
        small_[column] = 0;
        for (int i = 0; i < rows; ++i) small_[column] += root[i] * x[row + i];
    });
    solve_positive(system_, size, small_);
}

/// Slope of the objective along Δs at α; u, γ and Ψ are those there then.
double ContactNewton::slope_at(double alpha) {
    for (Index i = 0; i < n_; ++i) u_[i] = before_[i] + alpha * moved_[i];
    evaluate();
    double slope = 0;
    for (Index i = 0; i < n_; ++i) slope += moved_[i] * (s_[i] + alpha * step_[i] - gamma_[i]);
    return slope;
}

/// α where the slope, which grows with it, is nearly zero: 1, or between bounds (Illinois).
double ContactNewton::search(double slope) {
    before_.head(n_) = u_.head(n_);
    double low = 0, at_low = slope, high = 1, at_high = slope_at(1);
    if (std::abs(at_high) <= 0.05 * std::abs(slope)) return 1;
    int trials = 0;
    for (; at_high < 0 && trials < most_trials; ++trials) {
        low = high;
        at_low = at_high;
        at_high = slope_at(high *= 2);
    }
    double alpha = high, found = at_high;
    for (int side = 0; std::abs(found) > 0.02 * std::abs(slope) && trials < most_trials; ++trials) {
        const double margin = 0.02 * (high - low);
        alpha = std::clamp((low * at_high - high * at_low) / (at_high - at_low), low + margin, high - margin);
        found = slope_at(alpha);
        double& other = found < 0 ? at_high : at_low;
        const int now = found < 0 ? -1 : 1;
        if (now == side) other /= 2;
        side = now;
        (found < 0 ? low : high) = alpha;
        (found < 0 ? at_low : at_high) = found;
    }
    return alpha;
}

ContactOutcome ContactNewton::minimise(double scale, double enough) {
    ContactOutcome outcome;
    is_coulomb_ = false;
    scale_ = scale;
    find_velocities();
    evaluate();
    for (; outcome.iterations < most_iterations; ++outcome.iterations) {
        outcome.residual = residual();
        if (!(outcome.residual > enough)) return outcome;
        project(moved_, factor());
        each_root([&](Index column, Index row, int rows, const double* root) {
            for (int i = 0; i < rows; ++i) step_[row + i] -= root[i] * small_[column];
        });
        multiply(step_, moved_);
        double slope = 0;
        for (Index i = 0; i < n_; ++i) slope += moved_[i] * (s_[i] - gamma_[i]);
        if (!(slope < 0)) break;
        const double alpha = search(slope);
        for (Index i = 0; i < n_; ++i) s_[i] += alpha * step_[i];
    }
    if (!(outcome.residual < rounding)) outcome.status = Status::not_converged;
    return outcome;
}

/// Whether some contact of the solution of minimise() slides: Coulomb's law then asks for other impulses.
bool ContactNewton::slides() const {
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        const int rank = values_[k].rank;
        if (laws_[k].law == Law::contact && laws_[k].friction > 0 && (rank == 1 || rank == 2)) return true;
    }
    return false;
}

bool ContactNewton::slides_by_coulomb(double scale) {
    scale_ = scale;
    evaluate_coulomb();
    for (std::size_t k = 0; k < laws_.size(); ++k)
        if (coulomb_values_[k].slides) return true;
    return false;
}

/// ds = −(1 + Γ Λ⁻¹)⁻¹ Γ du*, of the convex problem −Ψ (1 + Ψᵀ Λ⁻¹ Ψ)⁻¹ Ψᵀ du*
void ContactNewton::differentiate(Eigen::Ref<Eigen::MatrixXd> changes) {
    if (is_coulomb_) return differentiate_coulomb(changes);
    const Index size = factor();
    for (Index j = 0; j < changes.cols(); ++j) {
        for (Index i = 0; i < n_; ++i) moved_[i] = changes(i, j);
        project(moved_, size);
        changes.col(j).setZero();
        each_root([&](Index column, Index row, int rows, const double* root) {
            for (int i = 0; i < rows; ++i) changes(row + i, j) -= root[i] * small_[column];
        });
    }
}

void ContactNewton::differentiate_coulomb(Eigen::Ref<Eigen::MatrixXd> changes) {
    const Index size = build_coulomb_system();
    if (size == 0) {
        changes.setZero();
        return;
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> factors(system_.topLeftCorner(size, size));
    Eigen::MatrixXd right(size, changes.cols());
    for (Index j = 0; j < changes.cols(); ++j) {
        for (Index i = 0; i < n_; ++i) moved_[i] = changes(i, j);
        for (Index a = 0; a < size; ++a)
            right(a, j) = -slope_times(active_[static_cast<std::size_t>(a)], moved_);
    }
    right = factors.solve(right).eval();
    changes.setZero();
    for (Index a = 0; a < size; ++a)
        changes.row(active_[static_cast<std::size_t>(a)].row + active_[static_cast<std::size_t>(a)].part) =
            right.row(a);
}

/// γ and its slopes at s; ‖γ − s‖ in the metric of Λ⁻¹, with γ − s in step_.
double ContactNewton::evaluate_coulomb() {
    find_velocities();
    Index row = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        coulomb_values_[k] = coulomb_law(laws_[k], scale_, &u_[row]);
        for (int i = 0; i < rows_of(laws_[k].law); ++i) gamma_[row++] = coulomb_values_[k].impulse[i];
    }
    for (Index i = 0; i < n_; ++i) step_[i] = gamma_[i] - s_[i];
    multiply(step_, moved_);
    return norm_of(step_.head(n_).dot(moved_.head(n_)));
}

/// A row of Γ times x.
double ContactNewton::slope_times(const Active& active, const Eigen::VectorXd& x) const {
    const double* const slope = coulomb_values_[active.law].slope[active.part];
    double sum = 0;
    for (int l = 0; l < active.size; ++l) sum += slope[l] * x[active.row + l];
    return sum;
}

/// 1 + Γ Λ⁻¹ of the rows whose impulses change with velocities; its size.
Index ContactNewton::build_coulomb_system() {
    active_.clear();
    Index row = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        const int size = rows_of(laws_[k].law);
        if (coulomb_values_[k].slope[size - 1][size - 1] > 0)
            for (int i = 0; i < size; ++i) active_.push_back({k, row, i, size});
        row += size;
    }
    const auto size = static_cast<Index>(active_.size());
    for (Index b = 0; b < size; ++b) {
        const double* const column =
            W_ +
            (active_[static_cast<std::size_t>(b)].row + active_[static_cast<std::size_t>(b)].part) * stride_;
        for (Index a = 0; a < size; ++a) {
            const Active& x = active_[static_cast<std::size_t>(a)];
            const double* const slope = coulomb_values_[x.law].slope[x.part];
            double sum = a == b ? 1 : 0;
            for (int l = 0; l < x.size; ++l) sum += slope[l] * column[x.row + l];
            system_(a, b) = sum;
        }
    }
    return size;
}

/// Δs from (1 + Γ Λ⁻¹) Δs = γ − s, in step_; in a row whose impulse does not change with velocities γ − s is
/// Δs. False: singular.
bool ContactNewton::coulomb_step() {
    const Index size = build_coulomb_system();
    for (const Active& x : active_) {
        product_[x.row + x.part] = step_[x.row + x.part];
        step_[x.row + x.part] = 0;
    }
    multiply(step_, moved_);
    for (Index a = 0; a < size; ++a)
        small_[a] =
            product_[active_[static_cast<std::size_t>(a)].row + active_[static_cast<std::size_t>(a)].part] -
            slope_times(active_[static_cast<std::size_t>(a)], moved_);
    if (!solve_general(system_, size, small_)) return false;
    for (Index a = 0; a < size; ++a)
        step_[active_[static_cast<std::size_t>(a)].row + active_[static_cast<std::size_t>(a)].part] =
            small_[a];
    return true;
}

/// By halving a step until the residual falls; the best that was found otherwise.
ContactOutcome ContactNewton::balance(double scale, double enough) {
    constexpr int halvings = 12;
    ContactOutcome outcome;
    is_coulomb_ = true;
    scale_ = scale;
    double error = evaluate_coulomb();
    multiply(s_, moved_);
    const double size =
        norm_of(s_.head(n_).dot(moved_.head(n_)) + least_size()) + std::numeric_limits<double>::min();
    for (; outcome.iterations < most_iterations; ++outcome.iterations) {
        outcome.residual = error / size;
        if (!(outcome.residual > enough)) return outcome;
        if (!coulomb_step()) break;
        before_.head(n_) = s_.head(n_);
        change_.head(n_) = step_.head(n_);
        double alpha = 1, best = 1, least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < halvings; ++k, alpha /= 2) {
            s_.head(n_) = before_.head(n_) + alpha * change_.head(n_);
            const double found = evaluate_coulomb();
            if (found < least) {
                least = found;
                best = alpha;
            }
            if (found < (1 - 0.1 * alpha) * error) break;
        }
        if (best != alpha) {
            s_.head(n_) = before_.head(n_) + best * change_.head(n_);
            least = evaluate_coulomb();
        }
        const bool stands = !(least < 0.9 * error);
        error = std::min(least, error);
        if (stands && error < rounding * size) break;
    }
    outcome.residual = error / size;
    if (!(outcome.residual < rounding)) outcome.status = Status::not_converged;
    return outcome;
}

}  // namespace grbda::simulation
