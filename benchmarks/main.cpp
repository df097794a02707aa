#include <benchmark/benchmark.h>

#include "groups.hpp"

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    grbda::benchmarks::register_robots();
    grbda::benchmarks::register_chains_and_trees();
    grbda::benchmarks::register_open_chains();
    grbda::benchmarks::register_scaling();
    grbda::benchmarks::register_batch();
    grbda::benchmarks::register_growth();
    grbda::benchmarks::register_accuracy();
    grbda::benchmarks::register_accuracy_derivatives();
    grbda::benchmarks::register_load();
    grbda::benchmarks::register_operations();
    grbda::benchmarks::register_simulation();
    grbda::benchmarks::register_worlds();
#if defined(GRBDA_HAS_GENERATED)
    grbda::benchmarks::register_generated();
#endif
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
