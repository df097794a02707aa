#include "ilqr.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include <oneapi/tbb/parallel_for.h>

#include "box.hpp"

namespace mpc {
namespace {

constexpr int kHalvings = 12;
constexpr double kFall = 1e-4;  // of the predicted decrease
constexpr double kLeastDamping = 1e-8, kMostDamping = 1e4;

class Stopwatch {
public:
    explicit Stopwatch(double& sum) : sum_(sum) {}
    ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double& sum_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

Report& Report::operator+=(const Report& other) {
    iterations += other.iterations;
    converged = other.converged;
    failed |= other.failed;
    derivatives += other.derivatives;
    riccati += other.riccati;
    rollouts += other.rollouts;
    engine += other.engine;
    work += other.work;
    return *this;
}

void shift(Plan& plan) {
    const auto later = [](auto& of_steps) {
        if (!of_steps.empty()) std::rotate(of_steps.begin(), of_steps.begin() + 1, of_steps.end());
        if (of_steps.size() > 1) of_steps.back() = of_steps[of_steps.size() - 2];
    };
    later(plan.x);
    later(plan.u);
    later(plan.K);
}

Solver::Solver(const grbda::Model& model, const Options& options)
    : options_(options),
      dynamics_([&model, how = options.derivatives] { return Dynamics(model, how); }),
      busy_(0.) {}

bool Solver::derivatives(const Problem& problem, const Plan& plan) {
    knots_.resize(problem.costs.size());
    std::atomic<bool> ok = true;
    const auto work = [&](std::size_t i) {
        const Stopwatch watch(busy_.local());
        Dynamics& dynamics = dynamics_.local();
        const bool last = i == plan.u.size();
        const Vector* tau = last ? nullptr : &plan.u[i];
        if (!dynamics.expand(problem.costs[i], plan.x[i], tau, knots_[i])) ok = false;
        if (tau && !dynamics.linearise(plan.x[i], *tau, problem.step, knots_[i])) ok = false;
    };
    if (options_.parallel)
        oneapi::tbb::parallel_for(std::size_t{0}, knots_.size(), work);
    else
        for (std::size_t i = 0; i < knots_.size(); ++i) work(i);
    return ok;
}

bool Solver::riccati(const Problem& problem, const Plan& plan) {
    k_.resize(plan.u.size());
    K_.resize(plan.u.size());
    slope_ = curvature_ = 0;
    Vector Vx = knots_.back().x;
    Matrix Vxx = knots_.back().xx;
    for (std::size_t i = plan.u.size(); i-- > 0;) {
        const Expansion& e = knots_[i];
        const Matrix VA = Vxx * e.A, VB = Vxx * e.B, Qux = e.B.transpose() * VA;
        const Vector Qx = e.x + e.A.transpose() * Vx, Qu = e.u + e.B.transpose() * Vx;
        Matrix Quu = e.B.transpose() * VB;
        Quu.diagonal() += e.uu;
        Matrix damped = Quu;
        damped.diagonal().array() += damping_ * Quu.diagonal().maxCoeff();
        if (!minimise_in_box(damped, Qu, -problem.tau_limit - plan.u[i], problem.tau_limit - plan.u[i], Qux,
                             k_[i], K_[i]))
            return false;
        const Vector& k = k_[i];
        const Matrix& K = K_[i];
        slope_ += k.dot(Qu);
        curvature_ += 0.5 * k.dot(Quu * k);
        Vx = Qx + K.transpose() * (Quu * k + Qu) + Qux.transpose() * k;
        const Matrix cross = K.transpose() * Qux;
        Vxx = e.xx + e.A.transpose() * VA + K.transpose() * Quu * K + cross + cross.transpose();
        Vxx = 0.5 * (Vxx + Vxx.transpose()).eval();
    }
    return Vxx.allFinite();
}

/// With `part` < 0, rolls out the plan itself from the present state, with its own feedback if it has one.
bool Solver::rollout(const Problem& problem, const State& start, const Plan& plan, double part, Plan& to) {
    const Stopwatch watch(busy_.local());
    Dynamics& dynamics = dynamics_.local();
    const std::size_t steps = plan.u.size();
    const std::vector<Matrix>& K = part < 0 ? plan.K : K_;
    to.x.resize(steps + 1);
    to.u.resize(steps);
    to.x[0] = start;
    to.cost = 0;
    Vector dx;
    for (std::size_t i = 0; i < steps; ++i) {
        to.u[i] = plan.u[i];
        if (part >= 0) to.u[i] += part * k_[i];
        if (!K.empty()) {
            if (!dynamics.difference(plan.x[i], to.x[i], dx)) return false;
            to.u[i] += K[i] * dx;
        }
        to.u[i] = to.u[i].cwiseMax(-problem.tau_limit).cwiseMin(problem.tau_limit);
        to.cost += dynamics.cost(problem.costs[i], to.x[i], &to.u[i]);
        if (!std::isfinite(to.cost)) return false;
        if (!dynamics.step(to.x[i], to.u[i], problem.step, to.x[i + 1])) return false;
    }
    to.cost += dynamics.cost(problem.costs[steps], to.x[steps], nullptr);
    return std::isfinite(to.cost);
}

/// Halves the step until the cost decreases.
bool Solver::search(const Problem& problem, const State& start, Plan& plan) {
    double part = 1;
    for (int i = 0; i <= kHalvings; ++i, part /= 2)
        if (rollout(problem, start, plan, part, trial_) &&
            plan.cost - trial_.cost >= kFall * promised(part)) {
            plan.x.swap(trial_.x);
            plan.u.swap(trial_.u);
            plan.K = K_;
            plan.cost = trial_.cost;
            return true;
        }
    return false;
}

double Solver::engine_seconds() {
    double sum = 0;
    for (const Dynamics& dynamics : dynamics_) sum += dynamics.engine_seconds;
    return sum;
}

Report Solver::solve(const Problem& problem, const State& start, Plan& plan) {
    Report report;
    const double engine_before = engine_seconds(), busy_before = busy_.combine(std::plus<double>());
    const auto timed = [](double& sum, const auto& stage) {
        const Stopwatch watch(sum);
        return stage();
    };
    report.failed = !timed(report.rollouts, [&] { return rollout(problem, start, plan, -1, trial_); });
    if (!report.failed) {
        plan.x.swap(trial_.x);
        plan.u.swap(trial_.u);
        plan.cost = report.first_cost = trial_.cost;
    }
    bool known = false;  // derivatives at the plan
    damping_ = 0;
    while (!report.failed && !report.converged && report.iterations < options_.iterations) {
        ++report.iterations;
        if (!known && !timed(report.derivatives, [&] { return derivatives(problem, plan); })) break;
        known = true;
        const bool found = timed(report.riccati, [&] { return riccati(problem, plan); });
        report.converged = found && promised(1) <= options_.tolerance * (1 + plan.cost);
        if (report.converged) break;
        if (found && timed(report.rollouts, [&] { return search(problem, start, plan); })) {
            known = false;
            damping_ = damping_ > kLeastDamping ? damping_ / 10 : 0;
        } else {
            damping_ = std::max(kLeastDamping, 10 * damping_);
            if (damping_ > kMostDamping) break;
        }
    }
    report.engine = engine_seconds() - engine_before;
    report.work = busy_.combine(std::plus<double>()) - busy_before + report.riccati;
    return report;
}

}  // namespace mpc
