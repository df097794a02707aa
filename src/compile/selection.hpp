#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Core>

// Selection of independent velocities one by one, at one state. The gain of row j of an orthonormal
// basis N of the motions is the length of its part orthogonal to the rows taken so far.

namespace grbda::compile {

/// Uses N itself: for few motions.
/// cost    motions² for each gain
class MotionSelection {
public:
    /// N, dofs × motions.
    explicit MotionSelection(Eigen::MatrixXd motions) : N_(std::move(motions)) {}

    double gain(int j) const { return remainder(j).norm(); }
    void take(int j) {
        const Eigen::VectorXd rest = remainder(j);
        const double length = rest.norm();
        if (length > 0) taken_.push_back(rest / length);
    }

private:
    Eigen::VectorXd remainder(int j) const {
        Eigen::VectorXd row = N_.row(j).transpose();
        for (int pass = 0; pass < 2; ++pass)
            for (const Eigen::VectorXd& unit : taken_) row -= unit * unit.dot(row);
        return row;
    }

    Eigen::MatrixXd N_;
    std::vector<Eigen::VectorXd> taken_;  ///< orthonormal
};

/// Uses the complement of N, for few constraints: with q_j the rows of an orthonormal basis Q of the row
/// space of K, N Nᵀ = 1 − Q Qᵀ, and the gain follows from the leverage of row j among those not taken:
///   gain² = 1 − q_jᵀ C⁻¹ q_j     C = Σ q qᵀ over those not taken
/// cost    rank² for each gain and each row taken; dofs · rank more where gains are small, which makes rows
///         dependent or K_d ill-conditioned
class BlockedSelection {
public:
    /// Q, dofs × rank.
    explicit BlockedSelection(const Eigen::MatrixXd& blocked)
        : Q_(blocked), T_(Eigen::MatrixXd::Identity(blocked.cols(), blocked.cols())) {}

    double gain(int j) const { return length(whitened(j), j); }
    void take(int j) {
        const Eigen::VectorXd v = whitened(j);
        const double leverage = v.squaredNorm(), rest = length(v, j);
        if (!(rest > 0)) return;
        Q_.row(j).setZero();
        if (!(leverage > 0)) return;
        const Eigen::VectorXd along = v / std::sqrt(leverage);
        // without row j the column along it is shorter; those perpendicular to it are unchanged
        T_ += (1 / rest - 1) * (T_ * along) * along.transpose();
        if (rest < small) straighten(along);
    }

private:
    static constexpr double small = 0.1;  ///< shorter lengths would have lost digits

    Eigen::VectorXd whitened(int j) const { return T_.transpose() * Q_.row(j).transpose(); }

    /// Length of the unit column of Q T along v after removing row j, which is v.
    double length(const Eigen::VectorXd& v, int j) const {
        const double leverage = v.squaredNorm();
        if (leverage < 1 - small * small) return std::sqrt(1 - leverage);
        Eigen::VectorXd column = Q_ * (T_ * (v / std::sqrt(leverage)));
        column[j] = 0;
        return column.norm();
    }

    /// Makes the column along `along` perpendicular to the others and of unit length again.
    void straighten(const Eigen::VectorXd& along) {
        const Eigen::VectorXd before = T_ * along, column = Q_ * before;
        Eigen::VectorXd others = T_.transpose() * (Q_.transpose() * column);
        others -= along * along.dot(others);
        Eigen::VectorXd after = before - T_ * others;
        after /= (Q_ * after).norm();
        T_ += (after - before) * along.transpose();
    }

    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Q_;  ///< rows taken: zero
    Eigen::MatrixXd T_;  ///< T Tᵀ = C⁻¹: Q T has orthonormal columns
};

}  // namespace grbda::compile
