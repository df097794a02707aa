#pragma once

#include <memory>
#include <span>

#include <Eigen/Core>

#include "grbda/export.hpp"
#include "grbda/status.hpp"

// Solves for the impulses s of one step at contacts, limits and joints with dry friction. The velocities
// after the step are u = u* + Λ⁻¹ s, and each contact or joint has a law s = γ(u) with compliance R. Newton's
// method first solves a convex problem. Its matrix 1 + Ψᵀ Λ⁻¹ Ψ, with −∂γ/∂u = Ψ Ψᵀ, has no eigenvalue below
// 1, even if Λ⁻¹ is singular. This problem agrees with Coulomb's law at contacts that stick. If contacts
// slide, Newton's method continues with the derivatives of Coulomb's law.

namespace grbda {

/// Law for the impulse γ at one contact or joint, in terms of y = (v̂ − u) / R.
enum class Law : unsigned char {
    contact,   ///< rows: two tangents, normal. γ_n = max(0, y_n); γ_t along y_t, |γ_t| ≤ friction γ_n
    lower,     ///< one row, γ = max(0, y): a lower limit
    upper,     ///< one row, γ = min(0, y): an upper limit
    friction,  ///< one row, γ = y limited to |γ| ≤ largest: dry friction
    equality   ///< one row, γ = y: a constraint in both directions
};
constexpr int rows_of(Law law) { return law == Law::contact ? 3 : 1; }

/// Law of one contact or joint with its parameters.
struct RowLaw {
    Law law = Law::contact;
    double friction = 0;                               ///< coefficient of friction of a contact
    double largest = 0;                                ///< largest impulse of Law::friction, N·s or N·m·s
    Eigen::Vector3d wanted = Eigen::Vector3d::Zero();  ///< target velocity v̂ per row, m/s or rad/s
    Eigen::Vector3d softness = Eigen::Vector3d::Zero();  ///< compliance R > 0 per row, (m/s) / (N·s)
};

/// Compliance of contacts and limits. Friction obeys Coulomb's law with each choice.
enum class ContactModel {
    compliant,  ///< uses R as given
    rigid       ///< uses R / 2.5e5; the solver decreases R gradually if needed
};

/// Outcome of ContactSolver::solve().
struct ContactOutcome {
    /// not_converged: impulses are the best found; not_finite: impulses are zero
    Status status = Status::ok;
    int iterations = 0;   ///< number of factorizations
    double residual = 0;  ///< ‖γ(u) − s‖ / ‖γ(u)‖ with the norm √(xᵀ Λ⁻¹ x)
    /// False: no solution of Coulomb's law was found. Impulses are those of the convex problem.
    bool exact = true;
};

/// The solver with its workspace for at most `most_rows` rows; use one per thread. A solution does not depend
/// on the previous one.
class GRBDA_EXPORT ContactSolver {
public:
    explicit ContactSolver(int most_rows);
    ~ContactSolver();
    ContactSolver(ContactSolver&&) noexcept;
    ContactSolver& operator=(ContactSolver&&) noexcept;

    /// Computes the impulses s = γ(u), u = u* + Λ⁻¹ s.
    /// in      inverse_inertia: Λ⁻¹ [rows × rows], symmetric, positive semidefinite
    ///         free: u* [rows], velocities without impulses
    ///         laws: in the order of the rows
    ///         impulses [rows]: initial guess, zero or the impulses of the last step
    /// out     impulses [rows]
    /// errors  std::invalid_argument on a wrong size
    /// cost    per iteration rows³ / 6, or rows³ / 3 if a contact slides; rows without impulse do not count;
    ///         no allocation; deterministic
    /// source  Castro et al. 2022; Todorov 2014; here the unknowns are impulses
    ContactOutcome solve(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia,
                         const Eigen::Ref<const Eigen::VectorXd>& free, std::span<const RowLaw> laws,
                         ContactModel model, Eigen::Ref<Eigen::VectorXd> impulses);

    /// Differentiates the last solution with respect to u*. Each column du* is replaced by
    ///   ds = −(1 + Γ Λ⁻¹)⁻¹ Γ du*      Γ = −∂γ/∂u
    /// in      changes [rows × n]: columns du*. Call solve() before; its inverse_inertia and laws are
    ///         read again and must still exist
    /// out     changes: columns ds
    void differentiate(Eigen::Ref<Eigen::MatrixXd> changes) const;

private:
    class Work;
    std::unique_ptr<Work> work_;
};

}  // namespace grbda
