#include "grbda/serial/motors.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <Eigen/LU>

namespace grbda {
namespace {

constexpr int most_motors = 12;
constexpr double infinite = std::numeric_limits<double>::infinity();

void require_limits(const char* name, ConstMatrixRef J_m, ConstVectorRef limits) {
    require_size(name, limits.size(), J_m.rows());
    if (J_m.rows() > most_motors) throw std::invalid_argument("at most 12 motors of one cluster");
    if (!J_m.allFinite() || !limits.allFinite() || !(limits.array() > 0).all())
        throw std::invalid_argument(std::string(name) + " must be positive and finite, and J_m finite");
}

/// Calls use(rows) for each choice of `count` rows.
template <class Use>
void each_choice(int rows, int count, Use&& use) {
    for (unsigned set = 0; set < 1U << rows; ++set) {
        if (__builtin_popcount(set) != count) continue;
        std::vector<int> chosen;
        for (int i = 0; i < rows; ++i)
            if ((set >> i & 1U) != 0) chosen.push_back(i);
        use(chosen);
    }
}

MatrixX<double> rows_of_choice(ConstMatrixRef J_m, const std::vector<int>& rows) {
    return J_m(rows, Eigen::all);
}

/// The unit vector orthogonal to m − 1 rows; empty if there are several.
VectorX<double> normal_of(const MatrixX<double>& rows) {
    if (rows.rows() == 0) return VectorX<double>::Ones(1);
    const Eigen::FullPivLU<MatrixX<double>> factors(rows);
    if (factors.dimensionOfKernel() != 1) return {};
    return factors.kernel().col(0).normalized();
}

/// Maximizes Π bᵢ with A b ≤ reach, A ≥ 0. With weights w of the rows of B = A / reach, bᵢ = 1 / (m (Bᵀw)ᵢ);
/// the best w maximizes Π (Bᵀw)ᵢ⁻¹ over the simplex, found by the multiplicative update of mixtures.
VectorX<double> largest_box(const MatrixX<double>& A, const VectorX<double>& reach) {
    const auto m = static_cast<double>(A.cols());
    const MatrixX<double> B = reach.cwiseInverse().asDiagonal() * A;
    VectorX<double> w = VectorX<double>::Constant(B.rows(), 1. / static_cast<double>(B.rows()));
    for (int i = 0; i < 2000; ++i) w = w.cwiseProduct(B * (B.transpose() * w).cwiseInverse()) / m;
    const VectorX<double> box = (B.transpose() * w).cwiseInverse() / m;
    return box / (B * box).maxCoeff();  // rounding and the last iterations: inside in any case
}

double box_volume(const VectorX<double>& half_widths) { return (2 * half_widths).prod(); }

void fill_boxes(bool flat, MotorSet& set) {
    set.inside = flat ? VectorX<double>::Zero(set.normals.cols()).eval()
                      : largest_box(set.normals.cwiseAbs(), set.reach);
    set.inside_volume = box_volume(set.inside);
    set.around_volume = box_volume(set.around);
}

/// Adds a facet unless the set has it already.
void add_facet(const VectorX<double>& normal, double reach, MotorSet& set) {
    constexpr double same = 1e-12;
    for (Eigen::Index i = 0; i < set.normals.rows(); ++i)
        if (std::abs(set.normals.row(i).dot(normal)) > 1 - same) return;
    set.normals.conservativeResize(set.normals.rows() + 1, normal.size());
    set.normals.bottomRows(1) = normal.transpose();
    set.reach.conservativeResize(set.normals.rows());
    set.reach.tail(1)[0] = reach;
}

/// Vertices of |J ẏ| ≤ limits at which these rows are at their limits extend the box around the set.
void add_vertices(ConstMatrixRef J_m, ConstVectorRef limits, const std::vector<int>& rows, MotorSet& set) {
    constexpr double rounding = 1e-9;
    const MatrixX<double> J = rows_of_choice(J_m, rows);
    const Eigen::FullPivLU<MatrixX<double>> factors(J);
    if (!factors.isInvertible()) return;
    const int m = static_cast<int>(J.cols());
    for (unsigned signs = 0; signs < 1U << m; ++signs) {
        VectorX<double> at_limits(m);
        for (int i = 0; i < m; ++i)
            at_limits[i] = (signs >> i & 1U) != 0 ? limits[rows[at(i)]] : -limits[rows[at(i)]];
        const VectorX<double> vertex = factors.solve(at_limits);
        if (((J_m * vertex).cwiseAbs().array() <= (1 + rounding) * limits.array()).all())
            set.around = set.around.cwiseMax(vertex.cwiseAbs());
    }
}

void require_gains(ConstMatrixRef J_m, ConstVectorRef gains) {
    require_size("gains", gains.size(), J_m.rows());
}

}  // namespace

MotorSet torque_set(ConstMatrixRef J_m, ConstVectorRef u_max) {
    require_limits("u_max", J_m, u_max);
    const int k = static_cast<int>(J_m.rows()), m = static_cast<int>(J_m.cols());
    MotorSet set;
    set.normals.resize(0, m);
    set.around = J_m.cwiseAbs().transpose() * u_max;
    each_choice(k, m, [&](const std::vector<int>& rows) {  // parallelepipeds that tile the zonotope
        double limits = 1;
        for (const int row : rows) limits *= 2 * u_max[row];
        set.volume += limits * std::abs(rows_of_choice(J_m, rows).determinant());
    });
    if (m > 0)
        each_choice(k, m - 1, [&](const std::vector<int>& rows) {
            const VectorX<double> normal = normal_of(rows_of_choice(J_m, rows));
            if (normal.size() == m) add_facet(normal, (J_m * normal).cwiseAbs().dot(u_max), set);
        });
    const bool flat = set.reach.size() == 0 || !(set.reach.minCoeff() > 0);
    if (flat) set.volume = 0;
    fill_boxes(flat, set);
    return set;
}

MotorSet speed_set(ConstMatrixRef J_m, ConstVectorRef rate_max) {
    require_limits("rate_max", J_m, rate_max);
    const int k = static_cast<int>(J_m.rows()), m = static_cast<int>(J_m.cols());
    MotorSet set;
    set.normals = J_m;
    set.reach = rate_max;
    if (k < m || Eigen::FullPivLU<MatrixX<double>>(J_m).rank() < m) {
        set.inside = set.around = VectorX<double>::Constant(m, infinite);
        set.volume = set.inside_volume = set.around_volume = infinite;
        return set;
    }
    set.around = VectorX<double>::Zero(m);
    each_choice(k, m, [&](const std::vector<int>& rows) { add_vertices(J_m, rate_max, rows, set); });
    set.volume = k == m ? box_volume(rate_max) / std::abs(MatrixX<double>(J_m).determinant())
                        : std::numeric_limits<double>::quiet_NaN();
    fill_boxes(false, set);
    return set;
}

MatrixX<double> joint_stiffness(ConstMatrixRef J_m, const std::vector<MatrixX<double>>& rates,
                                ConstVectorRef K, ConstVectorRef u) {
    require_gains(J_m, K);
    require_size("u", u.size(), J_m.rows());
    require_size("rates", static_cast<long>(rates.size()), J_m.cols());
    MatrixX<double> K_y = J_m.transpose() * K.asDiagonal() * J_m;
    for (Eigen::Index i = 0; i < J_m.cols(); ++i) {
        const MatrixX<double>& rate = rates[static_cast<std::size_t>(i)];
        require_size("rates (rows)", rate.rows(), J_m.rows());
        require_size("rates (columns)", rate.cols(), J_m.cols());
        K_y.col(i) -= rate.transpose() * u;
    }
    return K_y;
}

MatrixX<double> joint_damping(ConstMatrixRef J_m, ConstVectorRef D) {
    require_gains(J_m, D);
    return J_m.transpose() * D.asDiagonal() * J_m;
}

MotorGains motor_gains(ConstMatrixRef J_m, ConstMatrixRef K_y) {
    require_size("K_y (rows)", K_y.rows(), J_m.cols());
    require_size("K_y (columns)", K_y.cols(), J_m.cols());
    if (!J_m.allFinite() || !K_y.allFinite()) throw std::invalid_argument("J_m and K_y must be finite");
    // normal equations of Σ gain_k j_k j_kᵀ = K_y, by coordinate descent with gains of at least 0
    const MatrixX<double> products = (J_m * J_m.transpose()).cwiseAbs2();
    const VectorX<double> right = (J_m * K_y).cwiseProduct(J_m).rowwise().sum();
    MotorGains result{VectorX<double>::Zero(J_m.rows())};
    VectorX<double>& gains = result.gains;
    constexpr double settled = 1e-15;
    for (int i = 0; i < 100000; ++i) {
        double change = 0;
        for (Eigen::Index k = 0; k < gains.size(); ++k) {
            if (!(products(k, k) > 0)) continue;
            const double before = gains[k];
            gains[k] = std::max(0., before + (right[k] - products.row(k).dot(gains)) / products(k, k));
            change = std::max(change, std::abs(gains[k] - before));
        }
        if (change <= settled * gains.cwiseAbs().sum()) break;
    }
    const double size = K_y.norm();
    result.residual = size > 0 ? (joint_damping(J_m, gains) - K_y).norm() / size : 0;
    return result;
}

}  // namespace grbda
