#include <malloc.h>

#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "families.hpp"
#include "grbda/compile/build.hpp"
#include "groups.hpp"
#include "methods.hpp"

// scaling/METHOD/clusters:N and scaling_four_bar/METHOD/clusters:N: one chain of N clusters.

namespace grbda::benchmarks {
namespace {

std::size_t allocated_bytes() {
#ifdef __GLIBC__
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/// Mean of many workspaces, because malloc reuses a few blocks of each size that it already counts as used.
double workspace_bytes(const Model& model) {
    constexpr std::size_t copies = 64;
    const std::size_t before = allocated_bytes();
    const std::vector<Data<double>> workspaces(copies, Data<double>(model));
    return static_cast<double>(allocated_bytes() - before) / static_cast<double>(copies);
}

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
        timer.counters["bytes_per_cluster"] = workspace_bytes(chain.model) / clusters;
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
