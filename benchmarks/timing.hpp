#pragma once

#include <benchmark/benchmark.h>

#include "grbda/status.hpp"
#include "subject.hpp"

namespace grbda::benchmarks {

/// Returns false, and ends the benchmark with an error, unless step(state) is ok for every state.
template <class Step>
bool all_ok(benchmark::State& timer, const Subject& subject, Step&& step) {
    for (const State& state : subject.states) {
        const Result result = step(state);
        if (result) continue;
        timer.SkipWithError(result.status == Status::undefined ? "the method is undefined for this model"
                                                               : "a state is not ok");
        return false;
    }
    return true;
}

/// Times step(state), which returns a Result, cycling through the states; `output` holds its results.
/// Returns false if a state is not ok.
template <class Step>
bool time_states(benchmark::State& timer, const Subject& subject, const void* output, Step&& step) {
    if (!all_ok(timer, subject, step)) return false;
    std::size_t next = 0;
    for (auto iteration : timer) {
        (void)iteration;
        benchmark::DoNotOptimize(step(subject.states[next]).status);
        benchmark::DoNotOptimize(output);
        benchmark::ClobberMemory();
        next = next + 1 == subject.states.size() ? 0 : next + 1;
    }
    return true;
}

}  // namespace grbda::benchmarks
