#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenario.hpp"

// Model predictive control of robots with loops: plans, once by exact derivatives and once by finite
// differences, then a run in which each plan starts from the last one. Reports the total time of all
// threads beside the elapsed time.

namespace mpc {

void require(const grbda::Result& result) {
    if (!result) throw std::runtime_error(grbda::to_string(result.status));
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

Problem problem_at(const Scenario& s, double time) {
    Problem problem;
    problem.step = s.step;
    problem.tau_limit = s.tau_limit;
    for (int i = 0; i <= s.steps; ++i) problem.costs.push_back(s.cost(time + i * s.step, i == s.steps));
    return problem;
}

Plan first_guess(const Scenario& s) {
    Plan plan;
    plan.u.assign(static_cast<std::size_t>(s.steps), s.tau_guess);
    return plan;
}

struct Planned {
    Plan plan;
    Report report;
    double seconds = 0;
};

Planned planned(const Scenario& s, Derivatives derivatives) {
    Options options;
    options.derivatives = derivatives;
    Solver solver(s.model, options);
    Planned result{first_guess(s), {}, 0};
    const auto begin = Clock::now();
    result.report = solver.solve(problem_at(s, 0), s.start, result.plan);
    result.seconds = seconds_since(begin);
    if (result.report.failed) throw std::runtime_error("the first guess leads into a singular configuration");
    return result;
}

void print(const char* name, const Report& r, double seconds) {
    const double sum = r.derivatives + r.riccati + r.rollouts;
    std::printf(
        "  %-18s %5d iterations, %8.1f per s | derivatives %2.0f %%, Riccati %2.0f %%, rollouts %2.0f %%"
        " | in grbda %2.0f %%\n",
        name, r.iterations, r.iterations / seconds, 100 * r.derivatives / sum, 100 * r.riccati / sum,
        100 * r.rollouts / sum, 100 * r.engine / r.work);
}

double largest_difference(const std::vector<Vector>& a, const std::vector<Vector>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, (a[i] - b[i]).cwiseAbs().maxCoeff());
    return largest;
}

/// Both kinds of derivatives must lead to the same plan.
bool compare(const Scenario& s) {
    const Planned exact = planned(s, Derivatives::exact), differences = planned(s, Derivatives::differences);
    const double by_exact = exact.report.derivatives / exact.report.iterations,
                 by_differences = differences.report.derivatives / differences.report.iterations;
    const double apart = largest_difference(exact.plan.u, differences.plan.u) / s.tau_limit.maxCoeff();
    const double cost_apart = std::abs(exact.plan.cost - differences.plan.cost) / exact.plan.cost;
    std::printf("First plan, cost %.6g at the start\n", exact.report.first_cost);
    print("exact", exact.report, exact.seconds);
    print("finite differences", differences.report, differences.seconds);
    std::printf("  cost %.9g and %.9g, %.1e apart; tau apart by %.1e of its limit\n", exact.plan.cost,
                differences.plan.cost, cost_apart, apart);
    std::printf(
        "  derivatives %.3f ms and %.3f ms an iteration, ratio %.1f; to the plan %.1f ms and %.1f ms\n",
        1e3 * by_exact, 1e3 * by_differences, by_differences / by_exact, 1e3 * exact.seconds,
        1e3 * differences.seconds);
    return exact.report.converged && differences.report.converged && apart < 1e-4 && cost_apart < 1e-8 &&
           exact.plan.cost < 0.5 * exact.report.first_cost;
}

/// Moves the robot under the first τ of each plan, and replans from its new state.
bool run(const Scenario& s) {
    Options options;
    Solver solver(s.model, options), follower(s.model, [&] {
        Options few = options;
        few.iterations = s.iterations;
        return few;
    }());
    Dynamics plant(s.model, Derivatives::exact);
    Plan plan = first_guess(s);
    State at = s.start, next;
    if (solver.solve(problem_at(s, 0), at, plan).failed) throw std::runtime_error("no plan from the start");
    Report total;
    std::vector<double> times;
    const int plans = static_cast<int>(std::lround(s.duration / s.step)),
              parts = static_cast<int>(std::lround(s.step / s.plant_step));
    for (int i = 0; i < plans; ++i) {
        const Problem problem = problem_at(s, i * s.step);
        const auto begin = Clock::now();
        const Report report = follower.solve(problem, at, plan);
        times.push_back(seconds_since(begin));
        if (report.failed) throw std::runtime_error("the plan leads into a singular configuration");
        total += report;
        for (int part = 0; part < parts; ++part) {
            if (!plant.step(at, plan.u.front(), s.plant_step, next))
                throw std::runtime_error("the robot moved into a singular configuration");
            std::swap(at, next);
        }
        shift(plan);
    }
    double sum = 0;
    for (const double time : times) sum += time;
    std::sort(times.begin(), times.end());
    const double miss = s.miss(at);
    std::printf("Run of %.1f s, plans of %d steps of %g ms, %d iterations at most, robot in steps of %g ms\n",
                s.duration, s.steps, 1e3 * s.step, s.iterations, 1e3 * s.plant_step);
    print("exact", total, sum);
    std::printf("  a plan takes %.2f ms (median), %.2f ms at most; %.2f s for %.1f s\n",
                1e3 * times[times.size() / 2], 1e3 * times.back(), sum, s.duration);
    std::printf("  at the end %.2g %s from the goal (%g counts as reached), |yd| %.2g\n", miss,
                s.unit.c_str(), s.bound, at.yd.norm());
    return miss < s.bound;
}

bool both(const Scenario& s) {
    std::printf("%s: %d bodies, %d degrees of freedom%s\n", s.name.c_str(), s.model.body_count(), s.model.nv,
                s.note.c_str());
    const bool same = compare(s), reached = run(s);
    std::printf("  %s; %s\n\n", same ? "one plan by both derivatives" : "TWO PLANS",
                reached ? "goal reached" : "GOAL MISSED");
    return same && reached;
}

}  // namespace
}  // namespace mpc

int main(int argc, char** argv) {
    const std::string what = argc == 4 ? argv[1] : "";
    if (what != "four_bar" && what != "legs" && what != "all" && what != "check") {
        std::fprintf(
            stderr,
            "usage: grbda_mpc four_bar|legs|all|check examples/mpc robots/digit/digit.urdf\n"
            "check is a short version of all; 1 where a goal is missed or the derivatives lead apart\n");
        return 2;
    }
    try {
        bool good = true;
        if (what != "legs") good &= mpc::both(mpc::four_bar(argv[2]));
        if (what != "four_bar") {
            mpc::Scenario legs = mpc::legs(argv[3], what == "check" ? 0.7 : 2);
            if (what == "check") legs.steps = 12;
            good &= mpc::both(legs);
        }
        return good ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
