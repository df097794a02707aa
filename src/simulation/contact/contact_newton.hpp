#pragma once

#include <span>
#include <vector>

#include "contact_law.hpp"
#include "factors.hpp"

// Newton's method for the impulses s with u = u* + Λ⁻¹ s and γ(u) = s. The convex problem is min ½ sᵀ Λ⁻¹ s +
// ℓ(u). With −∂γ/∂u = Ψ Ψᵀ, a step is Δs = (1 − Ψ (1 + Ψᵀ Λ⁻¹ Ψ)⁻¹ Ψᵀ Λ⁻¹) (γ − s).

namespace grbda::simulation {

using Eigen::Index;

/// The solver with its workspace for a largest number of rows. Only the first `rows` entries of vectors are
/// used.
class ContactNewton {
public:
    explicit ContactNewton(Index most_rows);

    Index most_rows() const { return most_; }
    /// Reads Λ⁻¹. u* and the laws must exist until the solution is found. Returns false if a number is not
    /// finite.
    bool pose(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia,
              const Eigen::Ref<const Eigen::VectorXd>& free, std::span<const RowLaw> laws);
    /// The impulses: initial guess and result.
    auto impulses() { return s_.head(n_); }

    /// Solves the convex problem with R times `scale`, until the residual is below `enough`.
    ContactOutcome minimise(double scale, double enough);
    /// Solves Coulomb's law. Gives up if a step would have to be shorter than this part of Newton's step,
    /// because the initial guess is then too far from the solution.
    ContactOutcome balance(double scale, double enough, double shortest = 0);
    bool slides() const;
    /// Returns whether the friction of a contact is at its limit in the present impulses.
    bool has_slid() const;
    /// Replaces each column du* by ds at the last solution.
    void differentiate(Eigen::Ref<Eigen::MatrixXd> changes);

private:
    /// A row whose impulse changes with velocities under Coulomb's law.
    struct Active {
        std::size_t law = 0;
        Index row = 0;  ///< the first of the law
        int part = 0, size = 0;
    };

    Index padded_rows() const { return whole(n_); }
    void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;
    void find_velocities();
    void step_sticking();
    void evaluate();
    double residual();
    void evaluate_coulomb_laws();
    Index build_system();
    Index build_separate_system();
    bool list_separate_rows();
    Index separate_row(Index a) const { return separate_rows_[static_cast<std::size_t>(a)]; }
    double separate_root(Index a) const { return separate_roots_[static_cast<std::size_t>(a)]; }
    Index factor();
    void project(const double* y, Index size, double* x);
    double slope_along(Eigen::VectorXd& difference) const;
    double slope_at(double alpha);
    double search(double slope);
    double evaluate_coulomb();
    double slope_times(const Active& active, const Eigen::VectorXd& x) const;
    Index build_coulomb_system();
    bool coulomb_step();
    void differentiate_coulomb(Eigen::Ref<Eigen::MatrixXd> changes);
    template <class Use>
    void each_root(const Use& use) const;

    Eigen::MatrixXd W_;  ///< Λ⁻¹, zero beyond its rows
    const double* free_ = nullptr;
    Index most_, n_ = 0;
    std::span<const RowLaw> laws_;
    double scale_ = 1;
    double least_size_ = 0;           ///< square of a part of the impulse that would stop the rows
    Eigen::VectorXd diagonal_;        ///< of Λ⁻¹
    Eigen::VectorXd s_, u_, gamma_;   ///< impulses, velocities, and γ(u)
    Eigen::VectorXd step_, moved_;    ///< Δs, Λ⁻¹ Δs
    Eigen::VectorXd before_, small_;  ///< u or s before a step; one number per column of Ψ
    Eigen::VectorXd product_;         ///< Λ⁻¹ times a column of Ψ
    Eigen::VectorXd change_;          ///< Δs before it is shortened
    Eigen::MatrixXd system_;          ///< 1 + Ψᵀ Λ⁻¹ Ψ, factored; 1 + Γ Λ⁻¹
    Eigen::VectorXd inverse_;         ///< inverses of the pivots of the former
    bool is_separate_ = false;        ///< each column of Ψ has a single entry, in one row:
    std::vector<Index> separate_rows_;
    std::vector<double> separate_roots_;
    std::vector<Active> active_;                ///< rows of the latter
    bool is_coulomb_ = false;                   ///< the law of the last solution
    std::vector<LawValue> values_;              ///< per law
    std::vector<CoulombValue> coulomb_values_;  ///< per law
};

}  // namespace grbda::simulation
