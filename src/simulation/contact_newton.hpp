#pragma once

#include <span>
#include <vector>

#include "contact_law.hpp"

// Newton's method for impulses s, u = u* + Λ⁻¹ s, γ(u) = s. The convex problem is min ½ sᵀ Λ⁻¹ s + ℓ(u): with
// −∂γ/∂u = Ψ Ψᵀ a step is Δs = (1 − Ψ (1 + Ψᵀ Λ⁻¹ Ψ)⁻¹ Ψᵀ Λ⁻¹) (γ − s).

namespace grbda::simulation {

using Eigen::Index;

/// With its memory, for so many rows at most. Of the vectors the first `rows` numbers count.
class ContactNewton {
public:
    explicit ContactNewton(Index most_rows);

    Index most_rows() const { return most_; }
    /// What stays in place until the solution is found.
    void pose(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia,
              const Eigen::Ref<const Eigen::VectorXd>& free, std::span<const RowLaw> laws);
    /// Impulses: to start from, and found.
    auto impulses() { return s_.head(n_); }

    /// Of the convex problem with R times `scale`, until the residual is below `enough`.
    ContactOutcome minimise(double scale, double enough);
    /// Of Coulomb's law likewise.
    ContactOutcome balance(double scale, double enough);
    bool slides() const;
    /// Whether some contact slides by Coulomb's law at the present impulses.
    bool slides_by_coulomb(double scale);
    /// ds for du* at the last solution, column by column in their place.
    void differentiate(Eigen::Ref<Eigen::MatrixXd> changes);

private:
    /// A row whose impulse changes with velocities by Coulomb's law.
    struct Active {
        std::size_t law = 0;
        Index row = 0;  ///< the first of the law
        int part = 0, size = 0;
    };

    void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;
    void find_velocities();
    void evaluate();
    double least_size() const;
    double residual();
    Index factor();
    void project(const Eigen::VectorXd& x, Index size);
    double slope_at(double alpha);
    double search(double slope);
    double evaluate_coulomb();
    double slope_times(const Active& active, const Eigen::VectorXd& x) const;
    Index build_coulomb_system();
    bool coulomb_step();
    void differentiate_coulomb(Eigen::Ref<Eigen::MatrixXd> changes);
    template <class Use>
    void each_root(const Use& use) const;

    const double* W_ = nullptr;
    const double* free_ = nullptr;
    Index most_, n_ = 0, stride_ = 0;
    std::span<const RowLaw> laws_;
    double scale_ = 1;
    Eigen::VectorXd s_, u_, gamma_;             ///< impulses, velocities, what the laws make of these
    Eigen::VectorXd step_, moved_;              ///< Δs, Λ⁻¹ Δs
    Eigen::VectorXd before_, small_;            ///< u or s before a step; numbers by columns of Ψ
    Eigen::VectorXd product_;                   ///< Λ⁻¹ times a column of Ψ
    Eigen::VectorXd change_;                    ///< Δs before it is shortened
    Eigen::MatrixXd system_;                    ///< 1 + Ψᵀ Λ⁻¹ Ψ, factored; 1 + Γ Λ⁻¹
    std::vector<Active> active_;                ///< rows of the latter
    bool is_coulomb_ = false;                   ///< the law of the last solution
    std::vector<LawValue> values_;              ///< per law
    std::vector<CoulombValue> coulomb_values_;  ///< per law
};

}  // namespace grbda::simulation
