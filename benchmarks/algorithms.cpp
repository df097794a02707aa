#include <string>

#include <benchmark/benchmark.h>

#include "grbda/algorithms/aba.hpp"
#include "grbda/algorithms/crba.hpp"
#include "grbda/algorithms/rnea.hpp"
#include "grbda/baselines/baselines.hpp"
#include "robots.hpp"

// One benchmark for each algorithm and robot, named ALGORITHM/ROBOT. Each call has another state than the
// last one, and its result is used.

namespace grbda::benchmarks {
namespace {

/// Times step(state), which returns a Result; `output` is where the numbers are.
template <class Step>
void time_states(benchmark::State& timer, const Robot& robot, const double* output, Step&& step) {
    for (const State& state : robot.states) {
        const Result result = step(state);
        if (result.status == Status::undefined) {
            timer.SkipWithError("the method is undefined for this robot");
            return;
        }
        if (!result) {
            timer.SkipWithError("a state is not ok");
            return;
        }
    }
    std::size_t next = 0;
    for (auto iteration : timer) {
        (void)iteration;
        benchmark::DoNotOptimize(step(robot.states[next]).status);
        benchmark::DoNotOptimize(output);
        benchmark::ClobberMemory();
        next = (next + 1) % state_count;
    }
}

void time_aba(benchmark::State& timer, const std::string& name) {
    const Robot& robot = benchmarks::robot(name);
    Data<double> data(robot.model);
    time_states(timer, robot, data.ydd.data(),
                [&](const State& s) { return aba(robot.model, data, s.q, s.yd, s.tau); });
}

void time_rnea(benchmark::State& timer, const std::string& name) {
    const Robot& robot = benchmarks::robot(name);
    Data<double> data(robot.model);
    time_states(timer, robot, data.tau.data(),
                [&](const State& s) { return rnea(robot.model, data, s.q, s.yd, s.ydd); });
}

void time_crba(benchmark::State& timer, const std::string& name) {
    const Robot& robot = benchmarks::robot(name);
    Data<double> data(robot.model);
    MatrixX<double> M(robot.model.nv, robot.model.nv);
    time_states(timer, robot, M.data(), [&](const State& s) { return crba(robot.model, data, s.q, M); });
}

void time_baseline(benchmark::State& timer, const std::string& name, baselines::Method method) {
    const Robot& robot = benchmarks::robot(name);
    baselines::Workspace work(robot.model);
    const Matrix6X<double> none(6, 0);
    time_states(timer, robot, work.ydd.data(), [&](const State& s) {
        return baselines::forward_dynamics(method, robot.model, work, s.q, s.yd, s.tau, none);
    });
}

void time_projected_inverse(benchmark::State& timer, const std::string& name) {
    const Robot& robot = benchmarks::robot(name);
    baselines::Workspace work(robot.model);
    const Matrix6X<double> none(6, 0);
    time_states(timer, robot, work.tau.data(), [&](const State& s) {
        return baselines::inverse_dynamics(robot.model, work, s.q, s.yd, s.ydd, none);
    });
}

void register_all() {
    using baselines::Method;
    for (const std::string name : robot_names) {
        const auto add = [&](const std::string& algorithm, auto run) {
            benchmark::RegisterBenchmark((algorithm + "/" + name).c_str(),
                                         [=](benchmark::State& timer) { run(timer, name); });
        };
        add("aba", time_aba);
        for (const Method method :
             {Method::dense_kkt, Method::range_space, Method::projection, Method::proximal})
            add(std::string("baselines_") + to_string(method),
                [=](benchmark::State& timer, const std::string& robot) {
                    time_baseline(timer, robot, method);
                });
        add("rnea", time_rnea);
        add("baselines_inverse_dynamics", time_projected_inverse);
        add("crba", time_crba);
    }
}

}  // namespace
}  // namespace grbda::benchmarks

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    grbda::benchmarks::register_all();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
