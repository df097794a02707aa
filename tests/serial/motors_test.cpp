#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include <Eigen/LU>

#include "grbda/serial/motors.hpp"
#include "support/robots.hpp"

// Limits and gains of motors in the coordinates of joints: torques by random torques of motors, volumes by
// counting random points, gains by differences of torques.

using namespace grbda;
using test_robots::Random;
using test_robots::random_vector;

namespace {

MatrixX<double> random_matrix(Random& random, Eigen::Index rows, Eigen::Index columns) {
    return Eigen::Map<const MatrixX<double>>(random_vector(random, rows * columns).data(), rows, columns);
}
VectorX<double> random_limits(Random& random, Eigen::Index size) {
    return random_vector(random, size).array() + 1.5;
}

bool contains(const MotorSet& set, const VectorX<double>& x) {
    constexpr double rounding = 1e-12;
    return ((set.normals * x).cwiseAbs().array() <= (1 + rounding) * set.reach.array()).all();
}

VectorX<double> random_in_box(Random& random, const VectorX<double>& half_widths) {
    return random_vector(random, half_widths.size()).cwiseProduct(half_widths);
}

/// Corners of the box inside are in the set, one of them on its surface, and no random box in the set is
/// larger.
void check_inside(const MotorSet& set, Random& random) {
    const MatrixX<double> A = set.reach.cwiseInverse().asDiagonal() * set.normals.cwiseAbs();
    CHECK((A * set.inside).maxCoeff() == Approx(1).epsilon(1e-9));
    for (int i = 0; i < 3000; ++i) {
        const VectorX<double> factors = (0.2 * random_vector(random, set.inside.size())).array().exp();
        VectorX<double> box = set.inside.cwiseProduct(factors);
        box /= (A * box).maxCoeff();
        CHECK((2 * box).prod() <= (1 + 1e-6) * set.inside_volume);
    }
}

/// The share of random points of the box around that are in the set is that of the volumes.
void check_volume(const MotorSet& set, Random& random) {
    constexpr int points = 40000;
    int inside = 0;
    for (int i = 0; i < points; ++i) inside += contains(set, random_in_box(random, set.around)) ? 1 : 0;
    const double share = static_cast<double>(inside) / points, expected = set.volume / set.around_volume;
    CHECK(std::abs(share - expected) < 5 * std::sqrt(expected * (1 - expected) / points) + 1e-9);
}

}  // namespace

TEST_CASE("the torque set contains what motors can do, and only that") {
    Random random(1);
    for (const auto& [k, m] :
         std::vector<std::pair<int, int>>{{1, 1}, {2, 2}, {3, 3}, {2, 1}, {3, 2}, {5, 3}}) {
        INFO(k << " motors of " << m << " coordinates");
        const MatrixX<double> J = random_matrix(random, k, m);
        const VectorX<double> limits = random_limits(random, k);
        const MotorSet set = torque_set(J, limits);
        VectorX<double> most = VectorX<double>::Zero(m);
        for (int i = 0; i < 2000; ++i) {
            const VectorX<double> tau = J.transpose() * random_in_box(random, limits);
            CHECK(contains(set, tau));
            most = most.cwiseMax(tau.cwiseAbs());
        }
        CHECK((most.array() <= set.around.array() * (1 + 1e-12)).all());
        for (int i = 0; i < 1 << k;
             ++i) {  // vertices are on the surface or inside; some reach the box around
            VectorX<double> u = limits;
            for (int j = 0; j < k; ++j)
                if ((i >> j & 1) != 0) u[j] = -u[j];
            const VectorX<double> vertex = J.transpose() * u;
            CHECK(contains(set, vertex));
            most = most.cwiseMax(vertex.cwiseAbs());
        }
        CHECK(most.isApprox(set.around, 1e-12));
        if (k == m)
            for (int i = 0; i < 500; ++i) {
                const VectorX<double> tau = random_in_box(random, set.around);
                const VectorX<double> u = J.transpose().inverse() * tau;
                CHECK(contains(set, tau) == (u.cwiseAbs().array() <= limits.array() * (1 + 1e-12)).all());
            }
        check_volume(set, random);
        check_inside(set, random);
    }
}

TEST_CASE("the speed set contains the speeds at which all motors are within their limits") {
    Random random(2);
    for (const auto& [k, m] : std::vector<std::pair<int, int>>{{1, 1}, {2, 2}, {3, 3}, {3, 2}}) {
        INFO(k << " motors of " << m << " coordinates");
        const MatrixX<double> J = random_matrix(random, k, m);
        const VectorX<double> limits = random_limits(random, k);
        const MotorSet set = speed_set(J, limits);
        VectorX<double> most = VectorX<double>::Zero(m);
        for (int i = 0; i < 20000; ++i) {
            const VectorX<double> yd = random_in_box(random, 1.5 * set.around);
            const bool is_possible = ((J * yd).cwiseAbs().array() <= limits.array()).all();
            CHECK(contains(set, yd) == is_possible);
            if (is_possible) most = most.cwiseMax(yd.cwiseAbs());
        }
        CHECK((most.array() <= set.around.array() * (1 + 1e-12)).all());
        CHECK((most.array() >= set.around.array() * 0.7).all());
        if (k == m) check_volume(set, random);
        if (k != m) CHECK(std::isnan(set.volume));
        check_inside(set, random);
    }
}

TEST_CASE("motors that cannot act in all directions have a flat torque set and unbounded speeds") {
    const MatrixX<double> J = (MatrixX<double>(1, 2) << 1, 2).finished();
    const VectorX<double> limits = VectorX<double>::Constant(1, 3);
    const MotorSet torques = torque_set(J, limits), speeds = speed_set(J, limits);
    CHECK(torques.volume == 0);
    CHECK(torques.inside.isZero(0));
    CHECK(torques.around.isApprox(Eigen::Vector2d(3, 6)));
    CHECK(std::isinf(speeds.volume));
    CHECK(std::isinf(speeds.inside[0]));
    MatrixX<double> parallel(2, 2);
    parallel << 1, 2, 2, 4;
    CHECK(torque_set(parallel, Eigen::Vector2d(1, 1)).volume == 0);
    CHECK(std::isinf(speed_set(parallel, Eigen::Vector2d(1, 1)).volume));
    CHECK_THROWS_AS(torque_set(J, Eigen::Vector2d(1, 1)), std::invalid_argument);
    CHECK_THROWS_AS(torque_set(J, VectorX<double>::Constant(1, -1)), std::invalid_argument);
    CHECK_THROWS_AS(speed_set(J, VectorX<double>::Constant(1, std::numeric_limits<double>::infinity())),
                    std::invalid_argument);
}

TEST_CASE("gains of motors give the stiffness that differences of torques have") {
    // motors θ = A y + ½ yᵀ B_k y
    Random random(3);
    const int k = 3, m = 2;
    const MatrixX<double> A = random_matrix(random, k, m);
    std::vector<MatrixX<double>> B;
    for (int i = 0; i < k; ++i) {
        const MatrixX<double> each = random_matrix(random, m, m);
        B.push_back(each + each.transpose());
    }
    const auto theta = [&](const VectorX<double>& y) {
        VectorX<double> result = A * y;
        for (int i = 0; i < k; ++i) result[i] += y.dot(B[static_cast<std::size_t>(i)] * y) / 2;
        return result;
    };
    const auto jacobian = [&](const VectorX<double>& y) {
        MatrixX<double> J = A;
        for (int i = 0; i < k; ++i) J.row(i) += (B[static_cast<std::size_t>(i)] * y).transpose();
        return J;
    };
    std::vector<MatrixX<double>> rates(m, MatrixX<double>(k, m));
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < k; ++j)
            rates[static_cast<std::size_t>(i)].row(j) = B[static_cast<std::size_t>(j)].row(i);
    const VectorX<double> y0 = random_vector(random, m), u0 = random_vector(random, k, 5),
                          K = random_limits(random, k);
    const auto tau = [&](const VectorX<double>& y) -> VectorX<double> {
        return jacobian(y).transpose() * (u0 - K.cwiseProduct(theta(y) - theta(y0)));
    };
    const MatrixX<double> K_y = joint_stiffness(jacobian(y0), rates, K, u0);
    constexpr double step = 1e-5;
    for (int i = 0; i < m; ++i) {
        const VectorX<double> e = VectorX<double>::Unit(m, i) * step;
        CHECK(((tau(y0 - e) - tau(y0 + e)) / (2 * step) - K_y.col(i)).norm() < 1e-8);
    }
    CHECK(K_y.isApprox(K_y.transpose()));
    const MatrixX<double> D_y = joint_damping(A, K);
    const VectorX<double> yd = random_vector(random, m);
    CHECK((D_y * yd).isApprox(A.transpose() * K.cwiseProduct(A * yd)));
}

TEST_CASE("gains of motors come back from the stiffness that they give") {
    Random random(4);
    for (int trial = 0; trial < 20; ++trial) {
        const MatrixX<double> J = random_matrix(random, 3, 3);
        const VectorX<double> K = random_limits(random, 3);
        const MotorGains found = motor_gains(J, joint_damping(J, K));
        CHECK(found.gains.isApprox(K, 1e-6));
        CHECK(found.residual < 1e-9);
        // others cannot be reached: no near gains are better
        const MatrixX<double> wanted = random_limits(random, 3).asDiagonal();
        const MotorGains nearest = motor_gains(J, wanted);
        CHECK(nearest.gains.minCoeff() >= 0);
        CHECK(nearest.residual == Approx((joint_damping(J, nearest.gains) - wanted).norm() / wanted.norm()));
        for (int i = 0; i < 50; ++i) {
            const VectorX<double> other = (nearest.gains + random_vector(random, 3, 0.1)).cwiseMax(0);
            CHECK((joint_damping(J, other) - wanted).norm() >= nearest.residual * wanted.norm() * (1 - 1e-9));
        }
    }
    CHECK_THROWS_AS(motor_gains(MatrixX<double>::Ones(2, 2), MatrixX<double>::Ones(3, 3)),
                    std::invalid_argument);
}
