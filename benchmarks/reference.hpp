#pragma once

#include <vector>

#include <Eigen/Core>

#include "grbda/mechanism.hpp"

namespace grbda::benchmarks {

/// Forward dynamics in long double by the dense KKT system, from the placements of the mechanism, with
/// points and axes in world axes. Shares neither code nor formulas with the engine and its baselines.
/// For revolute joints on bodies in the order of q, closed by revolute loop joints.
class Reference {
public:
    using Real = long double;
    using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
    using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

    struct Solution {
        Vector ydd;
        Matrix M;  ///< in independent coordinates
    };

    /// independents: entries of q in the order of y. Throws std::invalid_argument for other joints.
    Reference(const Mechanism& mechanism, std::vector<int> independents, const Eigen::Vector3d& gravity);

    /// Newton's method from q, with the independent entries fixed.
    Vector close_loops(Vector q) const;

    Solution solve(const Vector& q, const Vector& yd, const Vector& tau) const;

private:
    using Vector3 = Eigen::Matrix<Real, 3, 1>;
    using Matrix3 = Eigen::Matrix<Real, 3, 3>;

    struct Moved {
        Matrix3 rotation;
        Vector3 position, axis;
        Vector3 omega, alpha, acceleration;  ///< the last two at q̈ = 0
    };
    /// A point fixed in a body, with a direction.
    struct Fixture {
        int body;
        Vector3 arm, position, direction;
        Vector3 acceleration, rate, rate_of_rate;  ///< of the point; of the direction; at q̈ = 0
    };

    std::vector<Moved> place(const Vector& q) const;
    void set_velocities(const Vector& qd, std::vector<Moved>& bodies) const;
    Fixture fixture(const std::vector<Moved>& bodies, int body, const Pose& placement,
                    const Eigen::Vector3d& axis) const;
    bool moves(int joint, int body) const;
    void mass_and_bias(const std::vector<Moved>& bodies, Matrix& H, Vector& C) const;
    /// The loops' closure error φ, K = ∂φ/∂q and k = −K̇ q̇, without redundant rows.
    void constraints(const std::vector<Moved>& bodies, Vector& phi, Matrix& K, Vector& k) const;
    /// [K; E] x = [top; bottom], where E selects the independents.
    Matrix solve_for_dependents(const Matrix& K, const Matrix& top, const Matrix& bottom) const;

    Mechanism mechanism_;
    std::vector<int> independents_;
    Vector3 gravity_;
};

}  // namespace grbda::benchmarks
