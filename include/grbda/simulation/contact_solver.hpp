#pragma once

#include <memory>
#include <span>

#include <Eigen/Core>

#include "grbda/export.hpp"
#include "grbda/status.hpp"

// Impulses at contacts, limits and joints with friction over one step: s with u = u* + Λ⁻¹ s and one law
// γ(u) = s of each, softened by R. Newton's method solves a convex problem first, written with the roots of
// the laws' derivatives, whose matrix 1 + Ψᵀ Λ⁻¹ Ψ has no eigenvalue below 1, however many contacts there are
// and whatever their rank. Its contacts differ from Coulomb's law only where they slide: there Newton's
// method goes on, with the derivatives of Coulomb's law.

namespace grbda {

/// Law of the impulses at one contact or joint, in terms of y = (v̂ − u) / R.
enum class Law : unsigned char {
    contact,  ///< three rows, two tangents and the normal: γ_n = max(0, y_n), |γ_t| ≤ friction γ_n along y_t
    lower,     ///< one row, γ = max(0, y): a limit from below
    upper,     ///< one row, γ = min(0, y)
    friction,  ///< one row, |γ| ≤ largest
    equality   ///< one row, γ = y
};
constexpr int rows_of(Law law) { return law == Law::contact ? 3 : 1; }

struct RowLaw {
    Law law = Law::contact;
    double friction = 0;                                 ///< contact: Coulomb's coefficient
    double largest = 0;                                  ///< friction: N·s, N·m·s
    Eigen::Vector3d wanted = Eigen::Vector3d::Zero();    ///< v̂, m/s or rad/s; of one row the first
    Eigen::Vector3d softness = Eigen::Vector3d::Zero();  ///< R > 0, (m/s) / (N·s); likewise
};

/// Hardness of contacts and limits. Friction obeys Coulomb's law in each.
enum class ContactModel {
    compliant,       ///< with R as given
    rigid,           ///< with R / 2.5e5, by continuation
    coulomb = rigid  ///< the former name of rigid contacts with Coulomb's law
};

struct ContactOutcome {
    Status status = Status::ok;  ///< not_converged: impulses are the best found; not_finite: they are zero
    int iterations = 0;          ///< factorizations
    double residual = 0;         ///< ‖γ − s‖ / ‖γ‖ in the metric of Λ⁻¹
    bool exact = true;  ///< false: no impulses by Coulomb's law were found; the convex solution stays
};

/// Workspace of the solver, for so many rows at most: one for each thread. No solution depends on the last.
class GRBDA_EXPORT ContactSolver {
public:
    explicit ContactSolver(int most_rows);
    ~ContactSolver();
    ContactSolver(ContactSolver&&) noexcept;
    ContactSolver& operator=(ContactSolver&&) noexcept;

    /// in      inverse_inertia Λ⁻¹ [rows × rows] symmetric, positive semidefinite; free u* [rows]; laws
    ///         in the order of the rows; impulses [rows] to start from, zero or those of the last step
    /// out     impulses [rows]
    /// errors  std::invalid_argument on a wrong size
    /// cost    rows³ / 6 for each iteration, rows³ / 3 where a contact slides, rows that are open not
    /// counted;
    ///         no allocation; deterministic
    /// source  Castro et al. 2022; Todorov 2014; here in contact space
    ContactOutcome solve(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia,
                         const Eigen::Ref<const Eigen::VectorXd>& free, std::span<const RowLaw> laws,
                         ContactModel model, Eigen::Ref<Eigen::VectorXd> impulses);

    /// Differentiates the last solution along changes of u*: ds = −(1 + Γ Λ⁻¹)⁻¹ Γ du*, column by column,
    /// Γ = −∂γ/∂u.
    /// in      changes of u* [rows × n]; after solve(), whose inverse inertia and laws must still be in place
    /// out     changes of the impulses, in their place
    void differentiate(Eigen::Ref<Eigen::MatrixXd> changes) const;

private:
    class Work;
    std::unique_ptr<Work> work_;
};

}  // namespace grbda
