#include <string>

#include <benchmark/benchmark.h>

#include "families.hpp"
#include "grbda/compile/build.hpp"
#include "groups.hpp"
#include "memory.hpp"
#include "methods.hpp"

// scaling/METHOD/clusters:N and scaling_four_bar/METHOD/clusters:N: one chain of N clusters.

namespace grbda::benchmarks {
namespace {

void add(const std::string& group, RobotDescription (*family)(int), const char* which, int clusters) {
    const std::string name = group + "/" + which + "/clusters:" + std::to_string(clusters);
    const Method& timed = method(which);
    benchmark::RegisterBenchmark(name.c_str(), [=, &timed](benchmark::State& timer) {
        const Subject& chain =
            subject(group + std::to_string(clusters), [=] { return build_model(family(clusters)); });
        if (!timed.time(timer, chain)) return;
        using benchmark::Counter;
        timer.counters["per_cluster"] =
            Counter(clusters, Counter::kIsIterationInvariantRate | Counter::kInvert);
        timer.counters["bytes_per_cluster"] = bytes_of(Data(chain.model)) / clusters;
    });
}

}  // namespace

void register_scaling() {
    for (const char* which : {"kinematics", "rnea", "aba"})
        for (const int clusters : {10, 30, 100, 300, 1000}) add("scaling", geared_chain, which, clusters);
    for (const char* which : {"kinematics", "rnea", "aba"})
        for (const int clusters : {10, 30, 100, 300, 1000})
            add("scaling_four_bar", four_bar_chain, which, clusters);
}

}  // namespace grbda::benchmarks
