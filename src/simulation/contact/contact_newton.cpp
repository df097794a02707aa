#include "contact_newton.hpp"

#include <limits>

#include "factors.hpp"

namespace grbda::simulation {
namespace {

constexpr double rounding = 1e-6;  // a residual below this that no step reduces is rounding
constexpr double part_of_stopping = 1e-2;
constexpr int most_iterations = 60, most_trials = 30, most_shortenings = 11;

double norm_of(double squares) { return squares > 0 ? std::sqrt(squares) : squares * 0; }

}  // namespace

ContactNewton::ContactNewton(Index most_rows) : most_(most_rows) {
    for (Eigen::MatrixXd* A : {&W_, &system_}) A->setZero(whole(most_rows), whole(most_rows));
    for (Eigen::VectorXd* x :
         {&s_, &u_, &gamma_, &step_, &moved_, &before_, &small_, &product_, &change_, &diagonal_, &inverse_})
        x->setZero(whole(most_rows));
    active_.reserve(static_cast<std::size_t>(most_rows));
    separate_rows_.reserve(static_cast<std::size_t>(most_rows));
    separate_roots_.reserve(static_cast<std::size_t>(most_rows));
    values_.resize(static_cast<std::size_t>(most_rows));
    coulomb_values_.resize(static_cast<std::size_t>(most_rows));
}

bool ContactNewton::pose(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia,
                         const Eigen::Ref<const Eigen::VectorXd>& free, std::span<const RowLaw> laws) {
    n_ = free.size();
    free_ = free.data();
    laws_ = laws;
    const Index rows = padded_rows();
    for (Eigen::VectorXd* x : {&s_, &u_, &gamma_, &step_, &moved_, &before_, &diagonal_})
        x->segment(n_, rows - n_).setZero();
    const double* const from = inverse_inertia.data();
    const Index from_stride = inverse_inertia.outerStride();
    least_size_ = 0;
    for (Index j = 0; j < n_; ++j) {
        double* const column = &W_(0, j);
        std::copy_n(from + j * from_stride, n_, column);
        std::fill(column + n_, column + rows, 0.);
    }
    for (Index j = n_; j < rows; ++j) std::fill_n(&W_(0, j), rows, 0.);
    for (Index j = 0; j < n_; ++j) {
        const double W = diagonal_[j] = W_(j, j), part = part_of_stopping * free_[j];
        if (W > 0) least_size_ += part * part / W;
    }
    step_.head(rows).setZero();
    multiply(step_, u_);  // zero, unless an entry of Λ⁻¹ is not finite
    return std::isfinite(least_size_) && free.allFinite() && u_.head(n_).allFinite();
}

/// Computes y = Λ⁻¹ x.
void ContactNewton::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    const Index rows = padded_rows(), stride = W_.outerStride();
    std::fill_n(y.data(), rows, 0.);
    for (Index j = 0; j < rows; j += block)
        add_columns(y.data(), W_.data() + j * stride, stride, x.data() + j, 0, rows);
}

void ContactNewton::find_velocities() {
    multiply(s_, u_);
    for (Index i = 0; i < n_; ++i) u_[i] += free_[i];
}

/// Computes γ and Ψ at u.
void ContactNewton::evaluate() {
    Index row = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        values_[k] = convex_law(laws_[k], scale_, &u_[row]);
        for (int i = 0; i < rows_of(laws_[k].law); ++i) gamma_[row++] = values_[k].impulse[i];
    }
}

/// Calls use(column of Ψ, its first nonzero row, number of its rows, its values).
template <class Use>
void ContactNewton::each_root(const Use& use) const {
    Index row = 0, column = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        const int size = rows_of(laws_[k].law);
        for (int a = 0; a < values_[k].rank; ++a) use(column++, row, size, values_[k].root[a]);
        row += size;
    }
}

/// Returns ‖γ − s‖ / ‖γ‖ and leaves γ − s in step_. The numerator uses the metric of Λ⁻¹. The denominator
/// uses its diagonal, so that opposite impulses do not cancel; if γ is almost zero, it is a part of the
/// impulse that would stop the rows.
double ContactNewton::residual() {
    const Index rows = padded_rows();
    for (Index i = 0; i < n_; ++i) step_[i] = gamma_[i] - s_[i];
    multiply(step_, moved_);
    const double error = dot_blocks(step_.data(), moved_.data(), rows);
    for (Index i = 0; i < rows; ++i) product_[i] = gamma_[i] * diagonal_[i];
    const double size = least_size_ + dot_blocks(gamma_.data(), product_.data(), rows);
    return norm_of(error / std::max(size, std::numeric_limits<double>::min()));
}

/// Lists the nonzero columns of Ψ if each has a single nonzero entry, as when nothing slides.
bool ContactNewton::list_separate_rows() {
    separate_rows_.clear();
    separate_roots_.clear();
    Index row = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        const int size = rows_of(laws_[k].law), rank = values_[k].rank;
        if (rank != 0 && rank != size) return false;
        for (int a = 0; a < rank; ++a) {
            separate_rows_.push_back(row + a);
            separate_roots_.push_back(values_[k].root[a][a]);
        }
        row += size;
    }
    return true;
}

/// Builds 1 + Ψᵀ Λ⁻¹ Ψ, each column from its diagonal block downwards. Returns its size.
Index ContactNewton::build_system() {
    Index size = 0;
    each_root([&](Index j, Index row, int rows, const double* root) {
        std::fill_n(product_.data(), padded_rows(), 0.);
        for (int l = 0; l < rows; ++l)
            add_column(product_.data(), &W_(0, row + l), root[l], 0, padded_rows());
        each_root([&](Index i, Index other, int others, const double* factor) {
            if (i < j / block * block) return;
            double sum = i == j ? 1 : 0;
            for (int l = 0; l < others; ++l) sum += factor[l] * product_[other + l];
            system_(i, j) = sum;
        });
        size = j + 1;
    });
    return size;
}

/// Builds the same matrix for the case that nothing slides.
Index ContactNewton::build_separate_system() {
    const auto size = static_cast<Index>(separate_rows_.size());
    const Index* const row = separate_rows_.data();
    const double* const root = separate_roots_.data();
    for (Index j = 0; j < size; ++j) {
        const double* const from = &W_(0, row[j]);
        double* const column = &system_(0, j);
        const double factor = root[j];
        for (Index i = j / block * block; i < size; ++i) column[i] = from[row[i]] * (root[i] * factor);
        column[j] += 1;
    }
    return size;
}

/// Factors 1 + Ψᵀ Λ⁻¹ Ψ. Returns its size.
Index ContactNewton::factor() {
    is_separate_ = list_separate_rows();
    const Index size = is_separate_ ? build_separate_system() : build_system();
    for (Index j = 0; j < size; ++j) system_.col(j).segment(size, whole(size) - size).setZero();
    factor_positive(system_, size, inverse_.data());
    return size;
}

/// Computes x −= Ψ (1 + Ψᵀ Λ⁻¹ Ψ)⁻¹ Ψᵀ y, from the factor with this number of columns.
void ContactNewton::project(const double* y, Index size, double* x) {
    if (is_separate_) {
        for (Index a = 0; a < size; ++a) small_[a] = separate_root(a) * y[separate_row(a)];
        solve_positive(system_, size, inverse_.data(), small_.data());
        for (Index a = 0; a < size; ++a) x[separate_row(a)] -= separate_root(a) * small_[a];
        return;
    }
    each_root([&](Index column, Index row, int rows, const double* root) {
        small_[column] = 0;
        for (int i = 0; i < rows; ++i) small_[column] += root[i] * y[row + i];
    });
    solve_positive(system_, size, inverse_.data(), small_.data());
    each_root([&](Index column, Index row, int rows, const double* root) {
        for (int i = 0; i < rows; ++i) x[row + i] -= root[i] * small_[column];
    });
}

/// Returns the product of Λ⁻¹ Δs and a difference of impulses.
double ContactNewton::slope_along(Eigen::VectorXd& difference) const {
    difference.segment(n_, padded_rows() - n_).setZero();
    return dot_blocks(moved_.data(), difference.data(), padded_rows());
}

/// Returns the slope of the objective along Δs at α, and evaluates u, γ and Ψ there.
double ContactNewton::slope_at(double alpha) {
    for (Index i = 0; i < n_; ++i) u_[i] = before_[i] + alpha * moved_[i];
    evaluate();
    for (Index i = 0; i < n_; ++i) product_[i] = s_[i] + alpha * step_[i] - gamma_[i];
    return slope_along(product_);
}

/// Returns an α at which the slope, which increases with α, is nearly zero: 1, or a zero between bounds found
/// by the Illinois method.
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

/// Takes Newton's step under the assumption that rows whose impulses are within their bounds stick; the step
/// then leads to the solution. Velocities do not show that a row sticks, because small velocities already
/// require the full friction.
void ContactNewton::step_sticking() {
    Index row = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        const int size = rows_of(laws_[k].law);
        if (sticks(laws_[k], &s_[row])) {
            values_[k] = sticking_law(laws_[k], scale_, &u_[row]);
            std::copy_n(values_[k].impulse, size, &gamma_[row]);
        }
        row += size;
    }
    for (Index i = 0; i < n_; ++i) step_[i] = gamma_[i] - s_[i];
    multiply(step_, moved_);
    project(moved_.data(), factor(), step_.data());
    for (Index i = 0; i < n_; ++i) s_[i] += step_[i];
    find_velocities();
    evaluate();
}

ContactOutcome ContactNewton::minimise(double scale, double enough) {
    ContactOutcome outcome;
    is_coulomb_ = false;
    scale_ = scale;
    const bool has_guess = !impulses().isZero(0);
    find_velocities();
    evaluate();
    for (; outcome.iterations < most_iterations; ++outcome.iterations) {
        outcome.residual = residual();
        if (!(outcome.residual > enough)) return outcome;
        if (has_guess && outcome.iterations == 0) {
            step_sticking();
            continue;
        }
        project(moved_.data(), factor(), step_.data());
        multiply(step_, moved_);
        for (Index i = 0; i < n_; ++i) product_[i] = s_[i] - gamma_[i];
        const double slope = slope_along(product_);
        if (!(slope < 0)) break;
        const double alpha = search(slope);
        for (Index i = 0; i < n_; ++i) s_[i] += alpha * step_[i];
    }
    if (!(outcome.residual < rounding)) outcome.status = Status::not_converged;
    return outcome;
}

/// Returns whether a contact slides in the solution of minimise(). Coulomb's law then requires other
/// impulses.
bool ContactNewton::slides() const {
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        const int rank = values_[k].rank;
        if (laws_[k].law == Law::contact && laws_[k].friction > 0 && (rank == 1 || rank == 2)) return true;
    }
    return false;
}

bool ContactNewton::has_slid() const {
    Index row = 0;
    for (const RowLaw& law : laws_) {
        const double* const s = &s_[row];
        row += rows_of(law.law);
        if (law.law == Law::contact && law.friction * s[2] > 0 && !sticks(law, s)) return true;
    }
    return false;
}

/// Computes ds = −(1 + Γ Λ⁻¹)⁻¹ Γ du*; for the convex problem, −Ψ (1 + Ψᵀ Λ⁻¹ Ψ)⁻¹ Ψᵀ du*.
void ContactNewton::differentiate(Eigen::Ref<Eigen::MatrixXd> changes) {
    if (is_coulomb_) return differentiate_coulomb(changes);
    const Index size = factor();
    for (Index j = 0; j < changes.cols(); ++j) {
        for (Index i = 0; i < n_; ++i) moved_[i] = changes(i, j);
        changes.col(j).setZero();
        project(moved_.data(), size, &changes(0, j));
    }
}

void ContactNewton::differentiate_coulomb(Eigen::Ref<Eigen::MatrixXd> changes) {
    const Index size = build_coulomb_system();
    if (size == 0) {
        changes.setZero();
        return;
    }
    Eigen::MatrixXd right(size, changes.cols());
    for (Index j = 0; j < changes.cols(); ++j) {
        for (Index i = 0; i < n_; ++i) moved_[i] = changes(i, j);
        for (Index a = 0; a < size; ++a)
            right(a, j) = -slope_times(active_[static_cast<std::size_t>(a)], moved_);
    }
    if (!solve_general(system_, size, right)) right.setConstant(std::numeric_limits<double>::quiet_NaN());
    changes.setZero();
    for (Index a = 0; a < size; ++a)
        changes.row(active_[static_cast<std::size_t>(a)].row + active_[static_cast<std::size_t>(a)].part) =
            right.row(a);
}

/// Computes γ and its slopes at s.
void ContactNewton::evaluate_coulomb_laws() {
    find_velocities();
    Index row = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        coulomb_values_[k] = coulomb_law(laws_[k], scale_, &u_[row]);
        for (int i = 0; i < rows_of(laws_[k].law); ++i) gamma_[row++] = coulomb_values_[k].impulse[i];
    }
}

/// Evaluates Coulomb's laws and returns ‖γ − s‖ in the metric of Λ⁻¹. Leaves γ − s in step_.
double ContactNewton::evaluate_coulomb() {
    evaluate_coulomb_laws();
    for (Index i = 0; i < n_; ++i) step_[i] = gamma_[i] - s_[i];
    multiply(step_, moved_);
    return norm_of(dot_blocks(step_.data(), moved_.data(), padded_rows()));
}

/// Returns the product of a row of Γ and x.
double ContactNewton::slope_times(const Active& active, const Eigen::VectorXd& x) const {
    const double* const slope = coulomb_values_[active.law].slope[active.part];
    double sum = 0;
    for (int l = 0; l < active.size; ++l) sum += slope[l] * x[active.row + l];
    return sum;
}

/// Builds 1 + Γ Λ⁻¹ for the rows whose impulses change with velocities. Returns its size.
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
            &W_(0, active_[static_cast<std::size_t>(b)].row + active_[static_cast<std::size_t>(b)].part);
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

/// Solves (1 + Γ Λ⁻¹) Δs = γ − s for Δs, in step_. In a row whose impulse does not change with velocities, Δs
/// is γ − s. Returns false if the matrix is singular.
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

/// Halves each step until the residual falls; otherwise keeps the best point found.
ContactOutcome ContactNewton::balance(double scale, double enough, double shortest) {
    const double least_part = std::max(shortest, std::ldexp(1., -most_shortenings));
    ContactOutcome outcome;
    is_coulomb_ = true;
    scale_ = scale;
    double error = evaluate_coulomb();
    multiply(s_, moved_);
    const double size = norm_of(dot_blocks(s_.data(), moved_.data(), padded_rows()) + least_size_) +
                        std::numeric_limits<double>::min();
    for (; outcome.iterations < most_iterations; ++outcome.iterations) {
        outcome.residual = error / size;
        if (!(outcome.residual > enough)) return outcome;
        if (!coulomb_step()) break;
        before_.head(n_) = s_.head(n_);
        change_.head(n_) = step_.head(n_);
        double alpha = 1, best = 1, least = std::numeric_limits<double>::infinity();
        for (; alpha >= least_part; alpha /= 2) {
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
        const bool stalled = !(least < 0.9 * error);
        error = std::min(least, error);
        if ((stalled && error < rounding * size) || (shortest > 0 && alpha < shortest)) break;
    }
    outcome.residual = error / size;
    if (!(outcome.residual < rounding)) outcome.status = Status::not_converged;
    return outcome;
}

}  // namespace grbda::simulation
