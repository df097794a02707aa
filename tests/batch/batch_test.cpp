#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <random>

#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "simd/batch.hpp"
#include "support/robots.hpp"

// The scalar of many states: each lane is what a plain number would be, with the instructions that these
// tests are compiled for.

namespace {

using grbda::Batch;

constexpr double kUlp = 3;

template <class T>
concept has_value = requires(const T& x) {
    value_of(x);
};
static_assert(!has_value<Batch<double, 4>>);
static_assert(!std::convertible_to<decltype(Batch<double, 4>() > Batch<double, 4>()), bool>);

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// |found − exact| in units of the last place of `exact`.
double error(double found, long double exact) {
    const double rounded = static_cast<double>(exact), size = std::abs(rounded);
    if (std::isnan(rounded)) return std::isnan(found) ? 0 : 1e300;
    const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
    return static_cast<double>(std::abs(static_cast<long double>(found) - exact)) / ulp;
}

/// Largest error of sine and cosine over all lanes.
template <int W>
double sincos_error(const double (&x)[W]) {
    using S = Batch<double, W>;
    S s, c;
    grbda::scalar::sincos(S::load(x), s, c);
    double worst = 0;
    for (int i = 0; i < W; ++i) {
        const auto exact = static_cast<long double>(x[i]);
        worst = std::max({worst, error(s[i], std::sin(exact)), error(c[i], std::cos(exact))});
        CHECK(same(s[i], sin(S(x[i]))[0]));  // independent of the other lanes
        CHECK(same(c[i], cos(S(x[i]))[W - 1]));
    }
    return worst;
}

template <int W>
void check_arithmetic() {
    using S = Batch<double, W>;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double special[] = {0.,    -0., 1.5, -2.25, nan, 1e308, std::numeric_limits<double>::infinity(),
                              1e-310};
    for (const double a : special)
        for (const double b : special) {
            double x[W], y[W];
            for (int i = 0; i < W; ++i) {
                x[i] = i % 2 ? a : 3;
                y[i] = i % 2 ? b : 4;
            }
            const S u = S::load(x), v = S::load(y);
            S sum = u, difference = u, product = u, quotient = u;
            sum += v;
            difference -= v;
            product *= v;
            quotient /= v;
            for (int i = 0; i < W; ++i) {
                CHECK(same(u[i], x[i]));
                CHECK((same((u + v)[i], x[i] + y[i]) && same(sum[i], x[i] + y[i])));
                CHECK((same((u - v)[i], x[i] - y[i]) && same(difference[i], x[i] - y[i])));
                CHECK((same((u * v)[i], x[i] * y[i]) && same(product[i], x[i] * y[i])));
                CHECK((same((u / v)[i], x[i] / y[i]) && same(quotient[i], x[i] / y[i])));
                CHECK(same((-u)[i], -x[i]));
                CHECK(same(sqrt(u)[i], std::sqrt(x[i])));
                CHECK(same(copysign(u, v)[i], std::copysign(x[i], y[i])));
                CHECK(same(min(u, v)[i], std::min(x[i], y[i])));
            }
            CHECK(!all(u > v));
            CHECK(all(v > u) == (b > a));
            CHECK(all(v >= u) == (b >= a));
        }
}

template <int W>
void check_sincos() {
    std::mt19937_64 random(1);
    double x[W];
    for (const double range : {1e-300, 1e-8, 0.7, 4., 100., 9.9e4, 3e5, 1e12, 1e300}) {
        INFO("up to " << range);
        std::uniform_real_distribution<double> uniform(-range, range);
        double worst = 0;
        for (int trial = 0; trial < 500; ++trial) {
            for (double& lane : x) lane = uniform(random);
            worst = std::max(worst, sincos_error(x));
        }
        CHECK(worst <= kUlp);
    }
    for (int k = -70; k <= 70;
         ++k) {  // about the multiples of π/4, where one of them vanishes or the branch changes
        for (int i = 0; i < W; ++i) x[i] = k * 0.78539816339744830962 * (1 + (i - 1) * 1e-15);
        CHECK(sincos_error(x) <= kUlp);
    }
    const double special[] = {0.,
                              -0.,
                              std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(),
                              1e5,
                              -1e5,
                              1e22,
                              5e-324};
    for (const double value : special) {
        for (int i = 0; i < W; ++i) x[i] = i == 1 ? value : 0.3 * i;
        CHECK(sincos_error(x) <= kUlp);
    }
}

}  // namespace

TEST_CASE("each lane of a batch calculates as a plain number") {
    check_arithmetic<4>();
    check_arithmetic<8>();
}

TEST_CASE("sine and cosine of a batch are right to 3 ulp in every lane") {
    check_sincos<4>();
    check_sincos<8>();
}

TEST_CASE("kernels take batches in a program of its own") {
    constexpr int W = 8;
    constexpr double rounding = 1e-9;  // times the condition of M scaled
    using S = Batch<double, W>;
    for (const test_robots::Robot& robot : test_robots::published()) {
        INFO(robot.name);
        const grbda::Model& model = robot.model;
        test_robots::Random random(3);
        std::vector<test_robots::State> states(W);
        bool drawn = true;
        for (test_robots::State& state : states) drawn = drawn && random_state(model, random, state);
        if (!drawn) continue;
        const auto lanes = [&](Eigen::VectorXd test_robots::State::*member) {
            std::vector<S> result;
            for (Eigen::Index i = 0; i < (states[0].*member).size(); ++i) {
                double values[W];
                for (std::size_t lane = 0; lane < W; ++lane) values[lane] = (states[lane].*member)[i];
                result.push_back(S::load(values));
            }
            return result;
        };
        using test_robots::State;
        grbda::Workspace<S> batch(model);
        grbda::Workspace<double> data(model);
        const std::vector<S> q = lanes(&State::q), yd = lanes(&State::yd), tau = lanes(&State::tau);
        std::vector<S> ydd(yd.size());
        grbda::kernels::aba<S>(model, batch, q.data(), yd.data(), tau.data(), nullptr, ydd.data());
        for (std::size_t lane = 0; lane < W; ++lane) {
            const State& state = states[lane];
            Eigen::VectorXd found(model.nv);
            for (int i = 0; i < model.nv; ++i)
                found[i] = ydd[static_cast<std::size_t>(i)][static_cast<int>(lane)];
            Eigen::MatrixXd M(model.nv, model.nv);
            REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
            REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau).ok());
            CHECK(test_robots::relative_by_inertia(M, found, data.ydd) < rounding);
        }
    }
}
