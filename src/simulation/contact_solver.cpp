#include "grbda/simulation/contact_solver.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "contact_newton.hpp"

namespace grbda {
namespace {

constexpr double hardest = 1 / 2.5e5;  // of R, where rigid
constexpr double tolerance = 1e-8;
constexpr double on_the_way = 1e-4;  // of softer problems, that only lead to the last

double harder(double scale) { return std::max(scale / 10, hardest); }

void require_rows(const char* what, Eigen::Index given, Eigen::Index expected) {
    if (given != expected)
        throw std::invalid_argument("contact solver: " + std::string(what) + " has " + std::to_string(given) +
                                    " rows, and the laws " + std::to_string(expected));
}

}  // namespace

/// Newton's method, and what it starts from.
class ContactSolver::Work : public simulation::ContactNewton {
public:
    explicit Work(Eigen::Index rows) : ContactNewton(rows), given_(rows), convex_(rows) {}

    ContactOutcome solve(ContactModel model) {
        if (model == ContactModel::compliant) return minimise(1, tolerance);
        const ContactOutcome outcome = harden(model);
        if (model == ContactModel::rigid || outcome.status != Status::ok) return outcome;
        return sharpen(outcome);
    }

private:
    auto given() { return given_.head(impulses().size()); }
    auto convex() { return convex_.head(impulses().size()); }

    /// The convex problem, from soft to hard; or from what is given, where that suffices. For Coulomb's law
    /// the solution of the soft one is left in given_.
    ContactOutcome harden(ContactModel model) {
        ContactOutcome outcome;
        given() = impulses();
        if (model == ContactModel::rigid && !given().isZero(0)) {
            outcome = minimise(hardest, tolerance);
            if (outcome.status == Status::ok) return outcome;
            impulses() = given();
        }
        int iterations = outcome.iterations;
        for (double scale = 1;; scale = harder(scale)) {
            outcome = minimise(scale, scale > hardest ? on_the_way : tolerance);
            iterations += outcome.iterations;
            if (scale == 1) given() = impulses();
            if (scale == hardest) break;
        }
        outcome.iterations = iterations;
        return outcome;
    }

    /// Coulomb's law from the convex solution, or from the soft one on, from soft to hard; where it is found
    /// from neither, the convex solution stays.
    ContactOutcome sharpen(ContactOutcome outcome) {
        convex() = impulses();
        for (const double start : {hardest, 1.}) {
            if (start == 1) impulses() = given();
            for (double scale = start;; scale = harder(scale)) {
                const ContactOutcome next = balance(scale, scale > hardest ? 1e-3 : tolerance);
                outcome.iterations += next.iterations;
                if (scale > hardest) continue;
                outcome.exact = next.status == Status::ok && impulses().allFinite();
                if (outcome.exact) outcome.residual = next.residual;
                break;
            }
            if (outcome.exact) return outcome;
        }
        impulses() = convex();
        return outcome;
    }

    Eigen::VectorXd given_, convex_;
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
    require_rows("the room for contacts", std::min(work_->most_rows(), rows), rows);
    ContactOutcome outcome;
    if (free.allFinite() && inverse_inertia.allFinite() && impulses.allFinite()) {
        work_->pose(inverse_inertia, free, laws);
        work_->impulses() = impulses;
        outcome = work_->solve(model);
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
