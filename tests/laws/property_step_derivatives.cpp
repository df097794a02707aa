#include <algorithm>
#include <cmath>

#include "constraints/embedding.hpp"
#include "derivatives/step_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "kernels/body/configuration.hpp"
#include "support/charts.hpp"
#include "support/differences.hpp"

// A step in time with its derivatives, against differences of a step that is written out here. Derivatives of
// the dynamics are those of its kernels on numbers with derivatives.

namespace {

using namespace test_robots;
using namespace differences;
using grbda::Integrator;
using grbda::StepDerivatives;

constexpr double kSame = 1e-10;        // closing the loops once more, over the condition of K_d
constexpr double kDifferences = 1e-6;  // of differences, times the condition of M

/// Derivatives of aba() by numbers with derivatives, q moving along G.
class Dynamics {
public:
    Dynamics(const Model& model, Workspace<double>& data) : model_(model), data_(data), moving_(model) {}

    template <class Out>
    grbda::Result operator()(const VectorXd& q, const VectorXd& yd, const VectorXd& tau, Out& by_y,
                             Out& by_yd, Out& by_tau) {
        const int n = model_.nv;
        for (int first = 0; first < 3 * n; first += places) {
            if (!fill(q, yd, tau, first)) return {grbda::Status::singular_constraint};
            std::vector<Number> ydd(static_cast<std::size_t>(n)),
                wrenches(static_cast<std::size_t>(6 * model_.body_count()));
            moving_.chart = data_.chart;
            grbda::kernels::aba<Number>(model_, moving_, q_.data(), yd_.data(), tau_.data(), wrenches.data(),
                                        ydd.data());
            for (int l = 0; l < places && first + l < 3 * n; ++l) {
                const int j = first + l;
                Out& out = j < n ? by_y : j < 2 * n ? by_yd : by_tau;
                for (int i = 0; i < n; ++i) out(i, j % n) = ydd[static_cast<std::size_t>(i)].slope[l];
            }
        }
        return grbda::aba<double>(model_, data_, q, yd, tau);
    }

private:
    static constexpr int places = 4;
    using Number = grbda::Dual<double, places>;

    bool fill(const VectorXd& q, const VectorXd& yd, const VectorXd& tau, int first) {
        const int n = model_.nv;
        const auto numbers = [](const VectorXd& x, std::vector<Number>& out) {
            out.clear();
            for (const double value : x) out.emplace_back(value);
        };
        numbers(q, q_);
        numbers(yd, yd_);
        numbers(tau, tau_);
        Eigen::MatrixXd rates = Eigen::MatrixXd::Zero(model_.nv_tree, places);
        for (int l = 0; l < places && first + l < 3 * n; ++l) {
            const int j = first + l;
            const auto at = static_cast<std::size_t>(j % n);
            if (j >= 2 * n) tau_[at].slope[l] = 1;
            if (j >= n && j < 2 * n) yd_[at].slope[l] = 1;
            if (j >= n) continue;
            if (!grbda::spanning_velocity<double>(model_, data_, q, VectorXd::Unit(n, j)).ok()) return false;
            rates.col(l) = data_.qd;
        }
        for (const grbda::Body& body : model_.bodies) {
            Number delta[6];
            for (int i = 0; i < grbda::velocity_size(body.joint); ++i)
                for (int l = 0; l < places; ++l) delta[i].slope[l] = rates(body.v + i, l);
            Number* const at = q_.data() + body.q;
            grbda::kernels::joint_integrate(body.joint, at, delta, at);
        }
        return true;
    }

    const Model& model_;
    Workspace<double>& data_;
    Workspace<Number> moving_;
    std::vector<Number> q_, yd_, tau_;
};

/// A step by itself, as the header has it.
class Stepper {
public:
    Stepper(const Model& model, Workspace<double>& data) : model_(model), data_(data) {
        const std::vector<grbda::Coordinate> y = grbda::independent_coordinates(model, data.chart);
        for (int i = 0; i < model.body_count(); ++i) {
            const grbda::JointType joint = model.bodies[i].joint;
            if (!grbda::has_quaternion(joint)) continue;
            std::vector<int> places(6, -1);
            int found = 0;
            for (int j = 0; j < model.nv; ++j) {
                const grbda::Coordinate& at = y[static_cast<std::size_t>(j)];
                if (at.body != i) continue;
                places[static_cast<std::size_t>(at.component)] = j;
                ++found;
            }
            places.resize(static_cast<std::size_t>(grbda::velocity_size(joint)));
            if (found == grbda::velocity_size(joint)) whole_.push_back(places);
        }
    }

    bool step(Integrator integrator, VectorXd& q, VectorXd& yd, const VectorXd& tau, double h) {
        const VectorXd start = q, zero = VectorXd::Zero(model_.nv);
        if (!accelerate(q, yd, tau)) return false;
        if (integrator == Integrator::semi_implicit_euler) {
            yd += h * data_.ydd;
            return moved(model_, data_, start, h * yd, q);
        }
        const VectorXd v1 = yd, a1 = data_.ydd, k1 = v1;
        const VectorXd w2 = h / 2 * k1, v2 = yd + h / 2 * a1;
        if (!moved(model_, data_, start, w2, q) || !accelerate(q, v2, tau)) return false;
        const VectorXd a2 = data_.ydd, k2 = slope(w2, v2), w3 = h / 2 * k2, v3 = yd + h / 2 * a2;
        if (!moved(model_, data_, start, w3, q) || !accelerate(q, v3, tau)) return false;
        const VectorXd a3 = data_.ydd, k3 = slope(w3, v3), w4 = h * k3, v4 = yd + h * a3;
        if (!moved(model_, data_, start, w4, q) || !accelerate(q, v4, tau)) return false;
        const VectorXd a4 = data_.ydd, k4 = slope(w4, v4);
        yd += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        return moved(model_, data_, start, h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), q);
    }

private:
    bool accelerate(const VectorXd& q, const VectorXd& yd, const VectorXd& tau) {
        return grbda::aba<double>(model_, data_, q, yd, tau).ok();
    }
    VectorXd slope(const VectorXd& way, const VectorXd& rate) const {
        VectorXd result = rate;
        for (const std::vector<int>& at : whole_) {
            const Eigen::Index n = static_cast<Eigen::Index>(at.size());
            MatrixXd ad = MatrixXd::Zero(n, n);
            const auto cross = [&](std::size_t first) {
                Eigen::Matrix3d matrix;
                matrix << 0, -way[at[first + 2]], way[at[first + 1]], way[at[first + 2]], 0, -way[at[first]],
                    -way[at[first + 1]], way[at[first]], 0;
                return matrix;
            };
            ad.bottomRightCorner<3, 3>() = cross(at.size() - 3);
            if (n == 6) ad.topLeftCorner<3, 3>() = cross(3);
            if (n == 6) ad.topRightCorner<3, 3>() = cross(0);
            result(at) += ad * (0.5 * rate(at) + ad * rate(at) / 12);
        }
        return result;
    }

    const Model& model_;
    Workspace<double>& data_;
    std::vector<std::vector<int>> whole_;
};

}  // namespace

TEST_CASE("derivatives of a step are its differences, on every robot") {
    constexpr double h = 2e-3;
    int states = 0, stepped = 0;
    at_random_states(all(), 1, 916, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const int n = model.nv;
        for (const charts::Kind kind : {charts::Kind::own, charts::Kind::tangent})
            for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::runge_kutta}) {
                Workspace<double> data(model);
                if (!charts::take(kind, model, data, state.q, random)) continue;
                INFO("coordinates " << static_cast<int>(kind) << ", stages "
                                    << grbda::step::stages(integrator));
                StepDerivatives<double> work(model);
                Stepper stepper(model, data);
                Dynamics dynamics(model, data);
                VectorXd q = state.q, yd(n), tau = VectorXd::Zero(n);
                REQUIRE(grbda::spanning_velocity<double>(model, data, q, random_vector(random, n, 0.5)).ok());
                grbda::independent_part<double>(model, data, data.qd, yd);
                const VectorXd yd0 = yd;
                ++states;
                if (!stepper.step(integrator, q, yd, tau, h)) continue;
                if ((yd - yd0).norm() > 0.5) continue;  // light parts, which differ no more
                ++stepped;
                VectorXd q_next = state.q, yd_next = yd0;
                MatrixXd A(2 * n, 2 * n), B(2 * n, n);
                REQUIRE(grbda::step_derivatives<double>(model, data, work, integrator, q_next, yd_next, tau,
                                                        h, dynamics, q_next, yd_next, A, B)
                            .ok());
                CHECK(relative(q_next, q) < kSame);
                CHECK(relative(yd_next, yd) < kSame);
                const auto end = [&](VectorXd q1, VectorXd yd1, const VectorXd& tau1) {
                    VectorXd result(2 * n);
                    REQUIRE(stepper.step(integrator, q1, yd1, tau1, h));
                    result << between(model, data, q, q1), yd1 - yd;
                    return result;
                };
                MatrixXd differences(2 * n, 3 * n);
                differences << columns(
                    n, 2 * n,
                    [&](const VectorXd& t) { return end(moved(model, data, state.q, t), yd0, tau); }),
                    columns(n, 2 * n, [&](const VectorXd& t) { return end(state.q, yd0 + t, tau); }),
                    columns(n, 2 * n, [&](const VectorXd& t) { return end(state.q, yd0, tau + t); });
                CHECK(relative(A, differences.leftCols(2 * n)) < kDifferences);
                CHECK(relative(B, differences.rightCols(n)) < kDifferences);
            }
    });
    CHECK(2 * stepped > states);
}

TEST_CASE("a Runge–Kutta step is of fourth order if no joint is partly independent") {
    constexpr double h = 0.02, kSlow = 1e-4, kRounds = 1e-11;
    constexpr double kOrder = 16;  // 32 of fourth order, 8 of second
    int robots = 0, fourth = 0;
    at_random_states(all(), 1, 917, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const bool turns = std::any_of(model.bodies.begin(), model.bodies.end(), [](const grbda::Body& body) {
            return grbda::has_quaternion(body.joint);
        });
        if (!turns || is_looped(model)) return;
        Workspace<double> data(model);
        Stepper stepper(model, data);
        const VectorXd yd0 = random_vector(random, model.nv, 2), tau = VectorXd::Zero(model.nv);
        const auto error = [&](double step) {
            VectorXd q = state.q, yd = yd0, halves = state.q, yd_halves = yd0;
            const bool good = stepper.step(Integrator::runge_kutta, q, yd, tau, step) &&
                              stepper.step(Integrator::runge_kutta, halves, yd_halves, tau, step / 2) &&
                              stepper.step(Integrator::runge_kutta, halves, yd_halves, tau, step / 2);
            return good ? between(model, data, q, halves).norm() : 1;
        };
        const double coarse = error(h), fine = error(h / 2);
        if (coarse > kSlow || fine < kRounds) return;
        ++robots;
        fourth += coarse > kOrder * fine ? 1 : 0;
    });
    CHECK(robots > 5);
    CHECK(10 * fourth > 8 * robots);
}
