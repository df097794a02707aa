#include "grbda/simulation/contact_solver.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "contact_newton.hpp"

namespace grbda {
namespace {

constexpr double hardest = 1 / 2.5e5;  // factor of R for rigid contacts
// Fraction of a row's own inverse inertia; Newton's method converges from anywhere.
constexpr double soft = 0.025;
constexpr double tolerance = 1e-8;
constexpr double near = 0.25;  // smallest part of Newton's step towards Coulomb's law from the last impulses
constexpr double intermediate_tolerance = 1e-4;  // of the softer problems that lead to the last one

void require_rows(const char* what, Eigen::Index given, Eigen::Index expected) {
    if (given != expected)
        throw std::invalid_argument("contact solver: " + std::string(what) + " has " + std::to_string(given) +
                                    " rows, and the laws " + std::to_string(expected));
}

/// Returns the factor of R from which on every row is soft.
double softest(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia, std::span<const RowLaw> laws) {
    double factor = 1;
    Eigen::Index row = 0;
    for (const RowLaw& law : laws) {
        const int normal = law.law == Law::contact ? 2 : 0;
        const double R = law.softness[normal], w = inverse_inertia(row + normal, row + normal);
        if (law.law != Law::friction && R > 0) factor = std::max(factor, soft * w / R);
        row += rows_of(law.law);
    }
    return factor;
}

}  // namespace

/// Newton's method with its initial guesses.
class ContactSolver::Work : public simulation::ContactNewton {
public:
    explicit Work(Eigen::Index rows) : ContactNewton(rows), given_(rows), convex_(rows) {}

    auto given() { return given_.head(impulses().size()); }
    auto convex() { return convex_.head(impulses().size()); }

    /// If friction limits some of the given impulses, first starts from these, as for a contact that
    /// continues to slide. Otherwise solves the convex problem first. If no contact slides, its solution
    /// obeys Coulomb's law.
    ContactOutcome solve(ContactModel model, double softest) {
        last_ = model == ContactModel::compliant ? 1 : hardest;
        softest_ = std::max(softest, 1.);
        given() = impulses();
        if (has_slid()) {
            const ContactOutcome outcome = balance(last_, tolerance, near);
            if (outcome.status == Status::ok && impulses().allFinite()) return outcome;
            impulses() = given();
        }
        const ContactOutcome outcome = find_convex();
        return outcome.status == Status::ok && slides() ? find_coulomb(outcome) : outcome;
    }

private:
    double harder(double scale) const { return std::max(scale / 10, last_); }

    /// Solves the convex problem from the given impulses or, if that fails, from soft to hard. Leaves the
    /// soft solution in given_.
    ContactOutcome find_convex() {
        ContactOutcome outcome;
        if (softest_ > last_ && !given().isZero(0)) {
            outcome = minimise(last_, tolerance);
            if (outcome.status == Status::ok) return outcome;
            impulses() = given();
        }
        int iterations = outcome.iterations;
        for (double scale = softest_;; scale = harder(scale)) {
            outcome = minimise(scale, scale > last_ ? intermediate_tolerance : tolerance);
            iterations += outcome.iterations;
            if (scale == softest_) given() = impulses();
            if (scale == last_) break;
        }
        outcome.iterations = iterations;
        return outcome;
    }

    /// Solves Coulomb's law from the convex solution, from zero impulse, and from soft to hard. If all
    /// attempts fail, the convex solution remains.
    ContactOutcome find_coulomb(ContactOutcome outcome) {
        convex() = impulses();
        const auto found = [&](double from) {
            for (double scale = from;; scale = harder(scale)) {
                const ContactOutcome next = balance(scale, scale > last_ ? 1e-3 : tolerance);
                outcome.iterations += next.iterations;
                if (scale > last_) continue;
                outcome.exact = next.status == Status::ok && impulses().allFinite();
                if (outcome.exact) outcome.residual = next.residual;
                return outcome.exact;
            }
        };
        if (found(last_)) return outcome;
        impulses().setZero();
        if (found(last_)) return outcome;
        impulses() = given();
        if (found(softest_)) return outcome;
        impulses() = convex();
        (void)minimise(last_, tolerance);  // differentiate() uses the law of the last solution
        return outcome;
    }

    Eigen::VectorXd given_, convex_;
    double last_ = 1, softest_ = 1;  ///< factors of R
};

ContactSolver::ContactSolver(int most_rows) : work_(std::make_unique<Work>(most_rows)) {}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

ContactOutcome ContactSolver::solve(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia,
                                    const Eigen::Ref<const Eigen::VectorXd>& free,
                                    std::span<const RowLaw> laws, ContactModel model,
                                    Eigen::Ref<Eigen::VectorXd> impulses) {
    Eigen::Index rows = 0;
    for (const RowLaw& law : laws) rows += rows_of(law.law);
    require_rows("the inverse inertia", inverse_inertia.rows(), rows);
    require_rows("the free velocity", free.size(), rows);
    require_rows("the impulses", impulses.size(), rows);
    require_rows("the workspace for contacts", std::min(work_->most_rows(), rows), rows);
    ContactOutcome outcome;
    if (work_->pose(inverse_inertia, free, laws) && impulses.allFinite()) {
        work_->impulses() = impulses;
        outcome = work_->solve(model, softest(inverse_inertia, laws));
        impulses = work_->impulses();
        if (impulses.allFinite() && !std::isnan(outcome.residual)) return outcome;
    }
    impulses.setZero();
    outcome.status = Status::not_finite;
    return outcome;
}

void ContactSolver::differentiate(Eigen::Ref<Eigen::MatrixXd> changes) const {
    require_rows("the change", changes.rows(), work_->impulses().size());
    work_->differentiate(changes);
}

}  // namespace grbda
