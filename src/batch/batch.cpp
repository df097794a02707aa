#include "grbda/batch/batch_data.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "grbda/model/model.hpp"
#include "kernels/constraint/embedding.hpp"
#include "workspaces.hpp"
#include "model/arguments.hpp"

namespace grbda {

using batch::Columns;
using batch::Engine;
using batch::Job;
using batch::Method;
using batch::Output;

namespace {

/// Null if the library does not contain it.
const Engine* engine_of(Simd simd) {
    switch (simd) {
        case Simd::scalar: return &batch::scalar_engine;
        case Simd::portable: return &batch::portable_engine;
#ifdef GRBDA_X86_ENGINES
        case Simd::avx2: return &batch::avx2_engine;
        case Simd::avx512: return &batch::avx512_engine;
#else
        case Simd::avx2:
        case Simd::avx512: break;
#endif
    }
    return nullptr;
}

/// The same sets for which cmake/batch.cmake compiles.
bool machine_runs(Simd simd) {
#ifdef GRBDA_X86_ENGINES
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (simd == Simd::avx2) return has_avx2;
    if (simd == Simd::avx512)
        return has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return simd == Simd::scalar || simd == Simd::portable;
}

}  // namespace

const char* to_string(Simd simd) {
    switch (simd) {
        case Simd::scalar: return "scalar";
        case Simd::portable: return "portable";
        case Simd::avx2: return "avx2";
        case Simd::avx512: return "avx512";
    }
    return "unknown";
}

int width(Simd simd) { return simd == Simd::scalar ? 1 : simd == Simd::avx512 ? 8 : 4; }

bool runs_here(Simd simd) { return engine_of(simd) && machine_runs(simd); }

Simd widest_simd() {
    for (const Simd simd : {Simd::avx512, Simd::avx2})
        if (runs_here(simd)) return simd;
    return Simd::portable;
}

BatchData::Workspaces::Workspaces(const Model& model, int threads, Simd which)
    : simd(which),
      // evaluated one by one, states get the status that names the branch
      engine(*engine_of(first_massless_branch(model) < 0 ? which : Simd::scalar)),
      nq(model.nq),
      nv(model.nv),
      bodies(model.bodies.size()),
      layout(model.layout) {
    for (int i = 0; i < threads; ++i) slots.emplace_back(engine.make(model), engine.destroy);
    if (threads == 1) return;
    pool = std::make_unique<Threads>(slots.size());
}

void BatchData::Workspaces::make_single(const Model& model) {
    if (!single.empty()) return;
    single.reserve(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) single.emplace_back(model);
}

BatchData::BatchData(const Model& model, int threads, Simd simd) {
    require_whole(model);
    if (threads < 1 || threads > most_threads)
        throw std::invalid_argument("BatchData: threads is " + std::to_string(threads) + ", expected 1 to " +
                                    std::to_string(most_threads));
    if (!runs_here(simd)) throw std::invalid_argument(std::string(to_string(simd)) + " does not run here");
    workspaces_ = std::make_unique<Workspaces>(model, threads, simd);
}
BatchData::BatchData(BatchData&&) noexcept = default;
BatchData& BatchData::operator=(BatchData&&) noexcept = default;
BatchData::~BatchData() = default;

BatchData::Workspaces& BatchData::workspaces() const {
    if (!workspaces_) throw std::invalid_argument("BatchData is empty: it was moved from");
    return *workspaces_;
}
Simd BatchData::simd() const { return workspaces().simd; }
int BatchData::threads() const { return static_cast<int>(workspaces().slots.size()); }

void batch::require_batch(const Model& model, const BatchData::Workspaces& workspaces, std::ptrdiff_t states,
                          std::span<Status> statuses) {
    require_fit("BatchData", model, workspaces.bodies, workspaces.layout);
    require_size("BatchData (made for another model): nq", workspaces.nq, model.nq);
    require_size("BatchData (made for another model): nv", workspaces.nv, model.nv);
    if (!statuses.empty()) require_size("statuses", std::ssize(statuses), states);
}

namespace {

/// Computes all states of a job.
BatchResult run(BatchData::Workspaces& workspaces, const Job& job) {
    return workspaces.run(job.states, [&](std::size_t slot, std::ptrdiff_t begin, std::ptrdiff_t end) {
        return workspaces.engine.run(job, workspaces.slots[slot].get(), begin, end);
    });
}

/// Names of an argument in messages about its size; literals, because calls do not allocate.
struct Argument {
    const char* rows;
    const char* columns;
};
constexpr Argument argument_q{"q (rows)", "q (columns)"}, argument_yd{"yd (rows)", "yd (columns)"},
    argument_tau{"tau (rows)", "tau (columns)"}, argument_ydd{"ydd (rows)", "ydd (columns)"},
    argument_M{"M (rows)", "M (columns)"}, argument_wrenches{"wrenches (rows)", "wrenches (columns)"},
    argument_dtau_dy{"dtau_dy (rows)", "dtau_dy (columns)"},
    argument_dtau_dyd{"dtau_dyd (rows)", "dtau_dyd (columns)"},
    argument_dydd_dy{"dydd_dy (rows)", "dydd_dy (columns)"},
    argument_dydd_dyd{"dydd_dyd (rows)", "dydd_dyd (columns)"},
    argument_dydd_dtau{"dydd_dtau (rows)", "dydd_dtau (columns)"};

template <class T, class States>
Columns<T> columns(const Argument& argument, States& states, long rows, long count) {
    require_size(argument.rows, states.rows(), rows);
    require_size(argument.columns, states.cols(), count);
    return {states.data(), states.outerStride()};
}

/// This many numbers per state.
Output output(const Argument& argument, MatrixOut<double>& states, int size, const Job& job) {
    return {columns<double>(argument, states, size, job.states), size};
}

/// One matrix per state.
Output square(const Argument& argument, MatrixOut<double>& states, const Job& job) {
    return output(argument, states, job.model.nv * job.model.nv, job);
}

/// The job of all calls: q and the method, after checks.
Job job(Method method, const Model& model, const BatchData::Workspaces& workspaces, ConstStates q,
        std::span<Status> statuses) {
    batch::require_batch(model, workspaces, q.cols(), statuses);
    return {method,
            model,
            q.cols(),
            columns<const double>(argument_q, q, model.nq, q.cols()),
            {},
            {},
            {},
            {},
            statuses.empty() ? nullptr : statuses.data(),
            kernels::singular_rcond<double>()};
}

using WrenchStates = const Eigen::Ref<const MatrixX<double>>*;

/// Input of all dynamics, after checks; wrenches null or without columns: none.
Job dynamics(Method method, const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
             ConstStates force, WrenchStates wrenches, std::span<Status> statuses) {
    Job all = job(method, model, batch.workspaces(), q, statuses);
    all.yd = columns<const double>(argument_yd, yd, model.nv, all.states);
    all.force =
        columns<const double>(is_forward(method) ? argument_tau : argument_ydd, force, model.nv, all.states);
    if (wrenches && wrenches->cols() > 0)
        all.wrenches =
            columns<const double>(argument_wrenches, *wrenches, 6 * model.body_count(), all.states);
    return all;
}

BatchResult run_forward(const Model& model, BatchData& batch, ConstStates q, ConstStates yd, ConstStates tau,
                        WrenchStates wrenches, MatrixOut<double>& ydd, std::span<Status> statuses) {
    Job all = dynamics(Method::aba, model, batch, q, yd, tau, wrenches, statuses);
    all.outputs[0] = output(argument_ydd, ydd, model.nv, all);
    return run(batch.workspaces(), all);
}

BatchResult run_inverse(const Model& model, BatchData& batch, ConstStates q, ConstStates yd, ConstStates ydd,
                        WrenchStates wrenches, MatrixOut<double>& tau, std::span<Status> statuses) {
    Job all = dynamics(Method::rnea, model, batch, q, yd, ydd, wrenches, statuses);
    all.outputs[0] = output(argument_tau, tau, model.nv, all);
    return run(batch.workspaces(), all);
}

/// M null: not computed.
BatchResult run_inverse_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                                    ConstStates ydd, WrenchStates wrenches, MatrixOut<double>& dtau_dy,
                                    MatrixOut<double>& dtau_dyd, MatrixOut<double>* M,
                                    std::span<Status> statuses) {
    Job all = dynamics(Method::rnea_derivatives, model, batch, q, yd, ydd, wrenches, statuses);
    all.outputs[0] = square(argument_dtau_dy, dtau_dy, all);
    all.outputs[1] = square(argument_dtau_dyd, dtau_dyd, all);
    if (M) all.outputs[2] = square(argument_M, *M, all);
    return run(batch.workspaces(), all);
}

BatchResult run_forward_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                                    ConstStates tau, WrenchStates wrenches, MatrixOut<double>& dydd_dy,
                                    MatrixOut<double>& dydd_dyd, MatrixOut<double>& dydd_dtau,
                                    MatrixOut<double>& ydd, std::span<Status> statuses) {
    Job all = dynamics(Method::aba_derivatives, model, batch, q, yd, tau, wrenches, statuses);
    all.outputs[0] = square(argument_dydd_dy, dydd_dy, all);
    all.outputs[1] = square(argument_dydd_dyd, dydd_dyd, all);
    all.outputs[2] = square(argument_dydd_dtau, dydd_dtau, all);
    all.outputs[3] = output(argument_ydd, ydd, model.nv, all);
    return run(batch.workspaces(), all);
}

}  // namespace

BatchResult aba(const Model& model, BatchData& batch, ConstStates q, ConstStates yd, ConstStates tau,
                MatrixOut<double> ydd, std::span<Status> statuses) {
    return run_forward(model, batch, q, yd, tau, nullptr, ydd, statuses);
}

BatchResult aba(const Model& model, BatchData& batch, ConstStates q, ConstStates yd, ConstStates tau,
                ConstStates wrenches, MatrixOut<double> ydd, std::span<Status> statuses) {
    return run_forward(model, batch, q, yd, tau, &wrenches, ydd, statuses);
}

BatchResult rnea(const Model& model, BatchData& batch, ConstStates q, ConstStates yd, ConstStates ydd,
                 MatrixOut<double> tau, std::span<Status> statuses) {
    return run_inverse(model, batch, q, yd, ydd, nullptr, tau, statuses);
}

BatchResult rnea(const Model& model, BatchData& batch, ConstStates q, ConstStates yd, ConstStates ydd,
                 ConstStates wrenches, MatrixOut<double> tau, std::span<Status> statuses) {
    return run_inverse(model, batch, q, yd, ydd, &wrenches, tau, statuses);
}

BatchResult crba(const Model& model, BatchData& batch, ConstStates q, MatrixOut<double> M,
                 std::span<Status> statuses) {
    Job all = job(Method::crba, model, batch.workspaces(), q, statuses);
    all.outputs[0] = square(argument_M, M, all);
    return run(batch.workspaces(), all);
}

BatchResult rnea_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                             ConstStates ydd, MatrixOut<double> dtau_dy, MatrixOut<double> dtau_dyd,
                             std::span<Status> statuses) {
    return run_inverse_derivatives(model, batch, q, yd, ydd, nullptr, dtau_dy, dtau_dyd, nullptr, statuses);
}

BatchResult rnea_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                             ConstStates ydd, MatrixOut<double> dtau_dy, MatrixOut<double> dtau_dyd,
                             MatrixOut<double> M, std::span<Status> statuses) {
    return run_inverse_derivatives(model, batch, q, yd, ydd, nullptr, dtau_dy, dtau_dyd, &M, statuses);
}

BatchResult rnea_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                             ConstStates ydd, ConstStates wrenches, MatrixOut<double> dtau_dy,
                             MatrixOut<double> dtau_dyd, MatrixOut<double> M, std::span<Status> statuses) {
    return run_inverse_derivatives(model, batch, q, yd, ydd, &wrenches, dtau_dy, dtau_dyd, &M, statuses);
}

BatchResult aba_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                            ConstStates tau, MatrixOut<double> dydd_dy, MatrixOut<double> dydd_dyd,
                            MatrixOut<double> dydd_dtau, MatrixOut<double> ydd, std::span<Status> statuses) {
    return run_forward_derivatives(model, batch, q, yd, tau, nullptr, dydd_dy, dydd_dyd, dydd_dtau, ydd,
                                   statuses);
}

BatchResult aba_derivatives(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                            ConstStates tau, ConstStates wrenches, MatrixOut<double> dydd_dy,
                            MatrixOut<double> dydd_dyd, MatrixOut<double> dydd_dtau, MatrixOut<double> ydd,
                            std::span<Status> statuses) {
    return run_forward_derivatives(model, batch, q, yd, tau, &wrenches, dydd_dy, dydd_dyd, dydd_dtau, ydd,
                                   statuses);
}

}  // namespace grbda
