#include <algorithm>
#include <cmath>
#include <limits>

#include "constraints/embedding.hpp"
#include "derivatives/step_derivatives.hpp"
#include "kernels/body/exponential.hpp"
#include "support/charts.hpp"
#include "support/differences.hpp"
#include "support/robots.hpp"

// Derivatives of integrate() and difference(): against their differences, series of the exponential map, and
// each other.

namespace {

using namespace test_robots;
using namespace differences;
using grbda::StepDerivatives;
using motion::kDifferences;

constexpr double kComfortable = 0.02;  // rcond(K_d) at both ends of a way; below, differences lose digits
constexpr double kRounding = 1e-10;    // of products of derivatives
constexpr double kCorrected = 1e-5;    // of products, over a way there and back that differ by kBack
constexpr double kJumps = 1e-4;        // of difference(), which takes another path when its ends move
constexpr double kBack = 1e-6;         // rounding over rcond, there and back

/// A way from a state, with coordinates; short ones take one step of the path, long ones several. In short
/// ones every other coordinate stands still.
struct Way {
    const Model& model;
    Workspace<double>& data;
    StepDerivatives<double>& work;
    VectorXd q, delta, end;
};
bool is_comfortable(const Way& way, const VectorXd& q) {
    return grbda::spanning_velocity<double>(way.model, way.data, q, way.delta).ok() &&
           conditioning(way.model, way.data) >= kComfortable;
}
template <class Law>
void along_ways(std::uint64_t seed, Law&& law) {
    int ways = 0, followed = 0;
    at_random_states(all(), 1, seed, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        for (const charts::Kind kind : charts::kinds)
            for (const double size : {0.003, 0.3}) {
                Workspace<double> data(model);
                StepDerivatives<double> work(model);
                if (!charts::take(kind, model, data, state.q, random)) continue;
                INFO("coordinates " << static_cast<int>(kind) << ", size " << size);
                ++ways;
                Way way{model, data, work, state.q, random_vector(random, model.nv, size), {}};
                for (int j = 0; size < 0.1 && j < model.nv; j += 2) way.delta[j] = 0;
                if (!moved(model, data, way.q, way.delta, way.end)) continue;
                if (!is_comfortable(way, way.q) || !is_comfortable(way, way.end)) continue;
                ++followed;
                law(way);
            }
    });
    CHECK(2 * followed > ways);
}

struct Pair {
    explicit Pair(const Model& model) : first(model.nv, model.nv), second(first) {}
    MatrixXd first, second;
};
Pair by_motion(const Way& way, const VectorXd& q, const VectorXd& delta) {
    Pair result(way.model);
    REQUIRE(grbda::integrate_derivatives<double>(way.model, way.data, way.work, q, delta, result.first,
                                                 result.second)
                .ok());
    return result;
}
Pair by_ends(const Way& way) {
    Pair result(way.model);
    REQUIRE(grbda::difference_derivatives<double>(way.model, way.data, way.work, way.q, way.end, result.first,
                                                  result.second)
                .ok());
    return result;
}

}  // namespace

TEST_CASE("derivatives of the exponential map are its series, at every angle up to two turns") {
    using Wide = Eigen::Matrix<long double, 6, 6>;
    using grbda::Vector3;
    constexpr double kExact = 1e-14;
    Random random(911);
    const auto matrix = [](const grbda::kernels::TwistMap<double>& map) {
        Eigen::Matrix<double, 6, 6> result = Eigen::Matrix<double, 6, 6>::Zero();
        const auto block = [](const grbda::Matrix3<double>& M) {
            Eigen::Matrix3d columns;
            columns << M.x.x, M.y.x, M.z.x, M.x.y, M.y.y, M.z.y, M.x.z, M.y.z, M.z.z;
            return columns;
        };
        result.topLeftCorner<3, 3>() = result.bottomRightCorner<3, 3>() = block(map.A);
        result.topRightCorner<3, 3>() = block(map.B);
        return result;
    };
    const auto cross = [](const Eigen::Vector3d& a) {
        Eigen::Matrix<long double, 3, 3> result;
        result << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
        return result;
    };
    for (int i = 0; i < 4000; ++i) {
        const double exponent = i % 2 ? 0 : random_vector(random, 1, 8)[0] - 8,
                     angle = i < 2
                                 ? 0
                                 : 4 * M_PI * std::abs(random_vector(random, 1)[0]) * std::pow(10, exponent);
        const Eigen::Vector3d v = random_vector(random, 3), w = random_vector(random, 3).normalized() * angle;
        const Vector3<double> linear{v.x(), v.y(), v.z()}, angular{w.x(), w.y(), w.z()};
        Wide ad = Wide::Zero(), power = Wide::Identity(), start = power, way = power;
        ad.topLeftCorner<3, 3>() = ad.bottomRightCorner<3, 3>() = cross(w);
        ad.topRightCorner<3, 3>() = cross(v);
        for (int k = 1; k < 100; ++k) {
            power = (-power * ad / k).eval();
            start += power;
            way += power / (k + 1);
        }
        INFO("angle " << angle);
        const auto error = [](const Eigen::Matrix<double, 6, 6>& found, const Wide& expected) {
            return static_cast<double>((found.cast<long double>() - expected).cwiseAbs().maxCoeff());
        };
        CHECK(error(matrix(grbda::kernels::change_by_start(linear, angular)), start) < kExact);
        const Eigen::Matrix<double, 6, 6> by_displacement =
            matrix(grbda::kernels::end_by_displacement(linear, angular));
        CHECK(error(by_displacement, way) < kExact);
        if (angle > 1.2 * M_PI) continue;
        CHECK(error(matrix(grbda::kernels::displacement_by_end(linear, angular)) * by_displacement,
                    Wide::Identity()) < kExact);
    }
}

TEST_CASE("derivatives of integrate are its differences, on every robot in all coordinates") {
    int looped = 0, ways = 0, jumps = 0;
    along_ways(912, [&](const Way& way) {
        const Model& model = way.model;
        Workspace<double>& data = way.data;
        const Pair found = by_motion(way, way.q, way.delta);
        // where the next way takes its steps otherwise, what is mixed jumps: there are no differences then
        int iterations = -1;
        bool jumped = false;
        const auto end = [&](const VectorXd& q, const VectorXd& delta) {
            VectorXd out(model.nq);
            const grbda::Result result = grbda::integrate<double>(model, data, q, delta, out);
            REQUIRE(result.ok());
            if (iterations < 0) iterations = result.iterations;
            jumped = jumped || result.iterations != iterations;
            return between(model, data, way.end, out);
        };
        CHECK(end(way.q, way.delta).norm() < kRounding);
        const auto error_at = [&](double h) {
            const MatrixXd by_start = columns(
                model.nv, model.nv,
                [&](const VectorXd& t) { return end(moved(model, data, way.q, t), way.delta); }, h);
            const MatrixXd by_displacement = columns(
                model.nv, model.nv, [&](const VectorXd& t) { return end(way.q, way.delta + t); }, h);
            return std::max(relative(found.first, by_start), relative(found.second, by_displacement));
        };
        double error = error_at(motion::kStep);
        if (error > kDifferences) error = error_at(motion::kStep / 10);  // a jump may be that near
        const bool jump = jumped && is_looped(model) && error > kDifferences;
        if (!jump) CHECK(error < kDifferences);
        jumps += jump ? 1 : 0;
        ++ways;
        looped += is_looped(model) ? 1 : 0;
    });
    CHECK(looped > 20);
    CHECK(100 * jumps < ways);
}

TEST_CASE("derivatives of difference are its differences, and undo those of integrate") {
    int ways = 0, there_and_back = 0;
    along_ways(913, [&](const Way& way) {
        ++ways;
        const Model& model = way.model;
        Workspace<double>& data = way.data;
        VectorXd back(model.nv);
        if (!grbda::difference<double>(model, data, way.q, way.end, back).ok()) return;
        if (relative(back, way.delta) > kBack) return;  // another way leads there, too
        ++there_and_back;
        const Pair found = by_ends(way), motion = by_motion(way, way.q, way.delta);
        const auto delta = [&](const VectorXd& q0, const VectorXd& q1) -> VectorXd {
            return between(model, data, q0, q1) - way.delta;
        };
        const MatrixXd by_start = columns(model.nv, model.nv, [&](const VectorXd& t) {
            return delta(moved(model, data, way.q, t), way.end);
        });
        const MatrixXd by_end = columns(model.nv, model.nv, [&](const VectorXd& t) {
            return delta(way.q, moved(model, data, way.end, t));
        });
        CHECK(relative(found.first, by_start) < kJumps);
        CHECK(relative(found.second, by_end) < kJumps);
        CHECK(relative(found.second * motion.second, MatrixXd::Identity(model.nv, model.nv)) < kCorrected);
        CHECK(relative(found.first + found.second * motion.first, MatrixXd::Zero(model.nv, model.nv)) <
              kCorrected);
    });
    CHECK(10 * there_and_back > 8 * ways);
}

TEST_CASE("two motions along one direction are one: of all joints but those independent in part") {
    at_random_states(all(), 2, 914, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        if (is_looped(model)) return;
        Workspace<double> data(model);
        StepDerivatives<double> work(model);
        const VectorXd delta = random_vector(random, model.nv, 0.2);
        Way way{model, data, work, state.q, delta, {}};
        if (!moved(model, data, way.q, delta, way.end)) return;
        const Pair first = by_motion(way, way.q, delta), second = by_motion(way, way.end, 2 * delta),
                   both = by_motion(way, way.q, 3 * delta);
        CHECK(relative(second.first * first.first, both.first) < kRounding);
        CHECK(relative(first.first * delta, delta) < kRounding);
        CHECK(relative(first.second * delta, delta) < kRounding);
        CHECK(relative(second.first * first.second + 2 * second.second, 3 * both.second) < kRounding);
    });
}

TEST_CASE("derivatives of motions are NaN if they fail, and wrong sizes are refused") {
    const Model& model = named("digit_leg").model;
    Workspace<double> data(model);
    StepDerivatives<double> work(model), other(named("four_bar").model);
    const VectorXd q = grbda::neutral_configuration(model), delta = VectorXd::Constant(model.nv, 0.01);
    VectorXd bad = delta;
    bad[0] = std::numeric_limits<double>::quiet_NaN();
    Pair out(model);
    out.first.setZero();
    out.second.setZero();
    CHECK(grbda::integrate_derivatives<double>(model, data, work, q, bad, out.first, out.second).status ==
          grbda::Status::not_finite);
    CHECK(out.first.array().isNaN().all());
    CHECK(out.second.array().isNaN().all());
    REQUIRE(
        grbda::integrate_derivatives<double>(model, data, work, q, 0 * delta, out.first, out.second).ok());
    CHECK(out.first.isIdentity());
    CHECK(out.second.isIdentity());
    MatrixXd small(model.nv, model.nv - 1);
    CHECK_THROWS_AS(grbda::integrate_derivatives<double>(model, data, work, q, delta, out.first, small),
                    std::invalid_argument);
    CHECK_THROWS_AS(grbda::difference_derivatives<double>(model, data, work, q, q, small, out.second),
                    std::invalid_argument);
    CHECK_THROWS_AS(grbda::integrate_derivatives<double>(model, data, other, q, delta, out.first, out.second),
                    std::invalid_argument);
}
