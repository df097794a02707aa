#include <string>

#include <benchmark/benchmark.h>

#include "families.hpp"
#include "grbda/compile/build.hpp"
#include "groups.hpp"
#include "methods.hpp"

// growth/chain/METHOD/clusters:N and growth/branches/METHOD/clusters:N: derivatives of one chain of N
// clusters, where every cluster has a block with each of its ancestors, and of branches of ten.

namespace grbda::benchmarks {
namespace {

constexpr int branch_depth = 10;

RobotDescription branches(int clusters) { return geared_branches(clusters / branch_depth, branch_depth); }

/// Pairs of a cluster with itself or an ancestor.
double pairs(const Model& model) {
    double sum = 0;
    for (const Cluster& c : model.clusters)
        for (int k = c.index; k != world; k = model.clusters[k].parent_cluster) ++sum;
    return sum;
}

void add(const std::string& shape, RobotDescription (*family)(int), const char* which, int clusters) {
    const std::string group = "growth/" + shape + "/";
    const Method& timed = method(which);
    const auto run = [=, &timed](benchmark::State& timer) {
        const Subject& made =
            subject(group + std::to_string(clusters), [=] { return build_model(family(clusters)); });
        if (!timed.time(timer, made)) return;
        using benchmark::Counter;
        const auto flags = Counter::kIsIterationInvariantRate | Counter::kInvert;
        timer.counters["per_cluster"] = Counter(clusters, flags);
        timer.counters["per_pair"] = Counter(pairs(made.model), flags);
    };
    benchmark::RegisterBenchmark((group + which + "/clusters:" + std::to_string(clusters)).c_str(), run);
}

}  // namespace

void register_growth() {
    for (const char* which : {"aba", "rnea", "rnea_derivatives"})
        for (const int clusters : {10, 100, 1000}) {
            add("chain", geared_chain, which, clusters);
            add("branches", branches, which, clusters);
        }
    for (const char* which : {"inverse_mass_matrix", "aba_derivatives"})
        for (const int clusters : {10, 100, 1000}) {
            if (clusters < 1000) add("chain", geared_chain, which, clusters);  // grows with the cube
            add("branches", branches, which, clusters);
        }
}

}  // namespace grbda::benchmarks
