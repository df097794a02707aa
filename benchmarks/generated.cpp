#include <string>

#include <benchmark/benchmark.h>

#include "four_bar.h"
#include "groups.hpp"
#include "mini_cheetah.h"
#include "mit_humanoid.h"
#include "six_bar.h"
#include "subject.hpp"
#include "tello.h"
#include "two_legs.h"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/batch/batch_data.hpp"

// generated/ROBOT/METHOD/library and …/generated: generated code and the library, on the same states.

namespace grbda::benchmarks {
namespace {

using Recursion = int (*)(const double* q, const double* yd, const double* given, double* result);
using MassMatrix = int (*)(const double* q, double* M);
using Batch = long (*)(long states, const double* q, const double* yd, const double* given, double* result,
                       int* status);

/// A robot of robots/ and its generated functions.
struct Code {
    const char* robot;
    Recursion aba, rnea;
    MassMatrix crba;
    Batch aba_batch;
};

constexpr Code codes[] = {
    {"four_bar", four_bar_aba, four_bar_rnea, four_bar_crba, four_bar_aba_batch},
    {"six_bar", six_bar_aba, six_bar_rnea, six_bar_crba, six_bar_aba_batch},
    {"tello", tello_aba, tello_rnea, tello_crba, tello_aba_batch},
    {"digit", two_legs_aba, two_legs_rnea, two_legs_crba, nullptr},
    {"mini_cheetah", mini_cheetah_aba, mini_cheetah_rnea, mini_cheetah_crba, mini_cheetah_aba_batch},
    {"mit_humanoid", mit_humanoid_aba, mit_humanoid_rnea, mit_humanoid_crba, mit_humanoid_aba_batch},
};

/// Calls work(state) for one state after the other; false means failure.
template <class Work>
void time_states(benchmark::State& timer, const Subject& subject, const Work& work) {
    std::size_t i = 0;
    for (auto iteration : timer) {
        (void)iteration;
        if (!work(subject.states[i])) return timer.SkipWithError("a state is not ok");
        i = (i + 1) % subject.states.size();
        benchmark::ClobberMemory();
    }
}

template <class Work>
void add(const Code& code, const std::string& method, const std::string& whose, const Work& work) {
    benchmark::RegisterBenchmark(
        ("generated/" + std::string(code.robot) + "/" + method + "/" + whose).c_str(),
        [code, work](benchmark::State& timer) {
            const Subject& subject = robot(code.robot);
            Data data(subject.model);
            VectorX<double> result(subject.model.nv);
            MatrixX<double> M(subject.model.nv, subject.model.nv);
            time_states(timer, subject,
                        [&](const State& x) { return work(code, subject.model, data, x, result, M); });
            benchmark::DoNotOptimize(result.data());
            benchmark::DoNotOptimize(M.data());
        });
}

void add_recursions(const Code& code) {
    using V = VectorX<double>;
    using M = MatrixX<double>;
    add(code, "aba", "library", [](const Code&, const Model& m, Data& d, const State& x, V&, M&) {
        return aba(m, d, x.q, x.yd, x.tau).ok();
    });
    add(code, "aba", "generated", [](const Code& c, const Model&, Data&, const State& x, V& out, M&) {
        return c.aba(x.q.data(), x.yd.data(), x.tau.data(), out.data()) == 0;
    });
    add(code, "rnea", "library", [](const Code&, const Model& m, Data& d, const State& x, V&, M&) {
        return rnea(m, d, x.q, x.yd, x.ydd).ok();
    });
    add(code, "rnea", "generated", [](const Code& c, const Model&, Data&, const State& x, V& out, M&) {
        return c.rnea(x.q.data(), x.yd.data(), x.ydd.data(), out.data()) == 0;
    });
    add(code, "crba", "library",
        [](const Code&, const Model& m, Data& d, const State& x, V&, M&) { return crba(m, d, x.q).ok(); });
    add(code, "crba", "generated", [](const Code& c, const Model&, Data&, const State& x, V&, M& out) {
        return c.crba(x.q.data(), out.data()) == 0;
    });
}

constexpr Eigen::Index batch_states = 1024;

/// generated/ROBOT/batch/…: forward dynamics of 1024 states on one thread.
void time_batch(benchmark::State& timer, const Code& code, bool generated) {
    const Subject& subject = robot(code.robot);
    const Model& model = subject.model;
    MatrixX<double> q(model.nq, batch_states), yd(model.nv, batch_states), tau = yd, ydd = yd;
    for (Eigen::Index i = 0; i < batch_states; ++i) {
        const State& x = subject.states[static_cast<std::size_t>(i + i / 64) % subject.states.size()];
        q.col(i) = x.q;
        yd.col(i) = x.yd;
        tau.col(i) = x.tau;
    }
    BatchData batch(model, 1);
    for (auto iteration : timer) {
        (void)iteration;
        const long failures =
            generated ? code.aba_batch(batch_states, q.data(), yd.data(), tau.data(), ydd.data(), nullptr)
                      : static_cast<long>(aba(model, batch, q, yd, tau, ydd).failures);
        if (failures > 0) return timer.SkipWithError("a state is not ok");
        benchmark::ClobberMemory();
    }
    timer.SetItemsProcessed(timer.iterations() * batch_states);
}

}  // namespace

void register_generated() {
    for (const Code& code : codes) {
        add_recursions(code);
        if (!code.aba_batch) continue;
        for (const bool generated : {false, true})
            benchmark::RegisterBenchmark(
                ("generated/" + std::string(code.robot) + "/batch/" + (generated ? "generated" : "library"))
                    .c_str(),
                [code, generated](benchmark::State& timer) { time_batch(timer, code, generated); });
    }
}

}  // namespace grbda::benchmarks
