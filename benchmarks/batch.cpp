#include "grbda/batch/batch_data.hpp"

#include <string>

#include <benchmark/benchmark.h>

#include "groups.hpp"
#include "subject.hpp"

// batch/ROBOT/METHOD/width:W/threads:T: many states in one call; width 1 is one state after the other. Items
// are states.

namespace grbda::benchmarks {
namespace {

constexpr Eigen::Index batch_states = 1024;

/// The states of a robot, repeated with another stride for each quantity, so that groups differ.
struct Columns {
    explicit Columns(const Subject& subject) {
        const Model& model = subject.model;
        q.resize(model.nq, batch_states);
        for (MatrixX<double>* x : {&yd, &ydd, &tau}) x->resize(model.nv, batch_states);
        for (Eigen::Index i = 0; i < batch_states; ++i) {
            const auto drawn = [&](Eigen::Index step) -> const State& {
                return subject.states[static_cast<std::size_t>(i * step + i / 64) % subject.states.size()];
            };
            q.col(i) = drawn(1).q;
            yd.col(i) = drawn(3).yd;
            ydd.col(i) = drawn(5).ydd;
            tau.col(i) = drawn(7).tau;
        }
    }

    MatrixX<double> q, yd, ydd, tau;
};

/// Results of the methods.
struct Outputs {
    explicit Outputs(const Model& model) : vector(model.nv, batch_states) {
        for (MatrixX<double>& x : matrices) x.resize(model.nv * model.nv, batch_states);
    }

    MatrixX<double> vector;
    MatrixX<double> matrices[3];  ///< each column is one whole matrix
};

/// A method on all columns at once.
struct BatchMethod {
    const char* name;
    BatchResult (*call)(const Model&, BatchData&, const Columns&, Outputs& out);
};

constexpr BatchMethod batch_methods[] = {
    {"aba", [](const Model& model, BatchData& batch, const Columns& x,
               Outputs& out) { return aba(model, batch, x.q, x.yd, x.tau, out.vector); }},
    {"rnea", [](const Model& model, BatchData& batch, const Columns& x,
                Outputs& out) { return rnea(model, batch, x.q, x.yd, x.ydd, out.vector); }},
    {"crba", [](const Model& model, BatchData& batch, const Columns& x,
                Outputs& out) { return crba(model, batch, x.q, out.matrices[0]); }},
    {"rnea_derivatives",
     [](const Model& model, BatchData& batch, const Columns& x, Outputs& out) {
         return rnea_derivatives(model, batch, x.q, x.yd, x.ydd, out.matrices[0], out.matrices[1]);
     }},
    {"aba_derivatives",
     [](const Model& model, BatchData& batch, const Columns& x, Outputs& out) {
         return aba_derivatives(model, batch, x.q, x.yd, x.tau, out.matrices[0], out.matrices[1],
                                out.matrices[2], out.vector);
     }},
};

void time_batch(benchmark::State& timer, const std::string& name, const BatchMethod& method, Simd simd,
                int threads) {
    const Subject& subject = robot(name);
    const Model& model = subject.model;
    const Columns columns(subject);
    BatchData batch(model, threads, simd);
    Outputs out(model);
    if (!method.call(model, batch, columns, out)) return timer.SkipWithError("a state is not ok");
    for (auto iteration : timer) {
        (void)iteration;
        benchmark::DoNotOptimize(method.call(model, batch, columns, out).failures);
        benchmark::DoNotOptimize(out.vector.data());
        benchmark::DoNotOptimize(out.matrices[0].data());
        benchmark::ClobberMemory();
    }
    timer.SetItemsProcessed(timer.iterations() * batch_states);
    timer.SetLabel(to_string(simd));
}

/// The best instruction set with this width that the machine supports.
bool find_simd(int states, Simd& found) {
    for (const Simd simd : {Simd::avx512, Simd::avx2, Simd::portable, Simd::scalar}) {
        found = simd;
        if (grbda::width(simd) == states && runs_here(simd)) return true;
    }
    return false;
}

}  // namespace

void register_batch() {
    for (const char* robot : {"mit_humanoid", "mini_cheetah", "tello", "digit_leg"})
        for (const BatchMethod& method : batch_methods)
            for (const int states : {1, 4, 8})
                for (const int threads : {1, 2}) {
                    Simd simd;
                    if (!find_simd(states, simd)) continue;
                    const std::string name = std::string("batch/") + robot + "/" + method.name +
                                             "/width:" + std::to_string(states) +
                                             "/threads:" + std::to_string(threads);
                    benchmark::RegisterBenchmark(name.c_str(), [=, &method](benchmark::State& timer) {
                        time_batch(timer, robot, method, simd, threads);
                    })->UseRealTime();
                }
}

}  // namespace grbda::benchmarks
