#pragma once

#include <algorithm>
#include <limits>

#include "engine.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/derivatives/aba_derivatives.hpp"
#include "kernels/pass/crba.hpp"
#include "kernels/cluster/outcome.hpp"
#include "kernels/pass/rnea.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "kernels/derivatives/rnea_derivatives.hpp"
#include "transpose.hpp"

// The kernels on W states side by side, compiled once for each instruction set.

namespace grbda {
inline namespace GRBDA_BATCH_NAMESPACE {
namespace lanes {

template <int W>
struct Workspace {
    using Scalar = Batch<double, W>;

    explicit Workspace(const Model& model) : data(model), tiles(model) {
        const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
        q.resize(nq);
        for (std::vector<Scalar>* x : {&yd, &force}) x->resize(nv);
        wrenches.resize(6 * model.bodies.size());
        output.resize(model.has_long_loops() ? nv : 3 * nv * nv + nv);
    }

    grbda::Workspace<Scalar> data;
    std::vector<Scalar> q, yd, force, wrenches;
    std::vector<Scalar> output;  ///< consecutive
    Tiles<W> tiles;
    bool cleared = false;  ///< the output contains a mass matrix, or zeros
};

/// A group of W states; copies of the last state fill the last group of a call.
struct Group {
    std::ptrdiff_t first;
    int states;
};

template <int W>
void gather_states(const batch::Columns<const double>& columns, const Group& group, int size,
                   std::vector<Batch<double, W>>& batches) {
    const double* at[W];
    for (int lane = 0; lane < W; ++lane)
        at[lane] =
            columns.data + (group.first + (lane < group.states ? lane : group.states - 1)) * columns.stride;
    gather<W>(at, size, batches.data());
}

template <int W>
int output_size(const batch::Job& job) {
    int size = 0;
    for (const batch::Output& output : job.outputs) size += output.size;
    return size;
}

template <class Scalar>
void evaluate_derivatives(const batch::Job& job, grbda::Workspace<Scalar>& data, const Scalar* q,
                          const Scalar* yd, const Scalar* force, const Scalar* wrenches, Scalar* output) {
    const Model& model = job.model;
    const int square = model.nv * model.nv;
    const auto target = [&](int i) {
        return kernels::derivatives::Target<Scalar>{output + i * square, model.nv};
    };
    if (job.method == batch::Method::rnea_derivatives) {
        const auto M = job.outputs[2].size ? target(2) : kernels::derivatives::Target<Scalar>{};
        kernels::rnea_derivatives<Scalar>(model, data, q, yd, force, wrenches, {target(0), target(1), M});
    } else {
        kernels::aba_derivatives<Scalar>(model, data, q, yd, force, wrenches, output + 3 * square,
                                         {target(0), target(1), target(2)});
    }
}

/// M, or its lower triangle; entries that are zero in every state are written once.
template <int W>
void evaluate_mass_matrix(const Model& model, Workspace<W>& work) {
    using Scalar = Batch<double, W>;
    using Index = std::ptrdiff_t;
    const Index n = model.nv;
    Scalar* M = work.output.data();
    if (!work.cleared) std::fill_n(M, n * n, Scalar(0));
    work.cleared = true;
    if (held_whole(model.nv))
        kernels::mass_matrix<Scalar>(model, work.data, work.q.data(),
                                     [=](Index i, Index j, const Scalar& value) {
                                         M[j * n + i] = value;
                                         M[i * n + j] = value;
                                     });
    else
        kernels::mass_matrix<Scalar>(
            model, work.data, work.q.data(),
            [=](Index i, Index j, const Scalar& value) { M[std::min(i, j) * n + std::max(i, j)] = value; });
}

/// Storage for a method's results; for a model with long loops the first call with a matrix allocates it.
template <int W>
void ensure_output(const batch::Job& job, Workspace<W>& work) {
    const auto nv = static_cast<std::size_t>(job.model.nv);
    const bool derivatives =
        job.method == batch::Method::rnea_derivatives || job.method == batch::Method::aba_derivatives;
    const std::size_t size = derivatives                         ? 3 * nv * nv + nv
                             : job.method == batch::Method::crba ? nv * nv
                                                                 : nv;
    if (work.output.size() < size) work.output.resize(size);
}

template <int W>
void evaluate(const batch::Job& job, Workspace<W>& work, const Group& group) {
    using Scalar = Batch<double, W>;
    const Model& model = job.model;
    const int wrench_size = 6 * model.body_count();
    gather_states<W>(job.q, group, model.nq, work.q);
    if (job.yd.data) gather_states<W>(job.yd, group, model.nv, work.yd);
    if (job.force.data) gather_states<W>(job.force, group, model.nv, work.force);
    if (job.wrenches.data) gather_states<W>(job.wrenches, group, wrench_size, work.wrenches);
    const Scalar* wrenches = job.wrenches.data ? work.wrenches.data() : nullptr;
    ensure_output(job, work);
    Scalar* output = work.output.data();
    work.cleared = work.cleared && job.method == batch::Method::crba;
    switch (job.method) {
        case batch::Method::aba:
            kernels::aba<Scalar>(model, work.data, work.q.data(), work.yd.data(), work.force.data(), wrenches,
                                 output);
            return;
        case batch::Method::rnea:
            kernels::rnea<Scalar>(model, work.data, work.q.data(), work.yd.data(), work.force.data(),
                                  wrenches, output);
            return;
        case batch::Method::crba: evaluate_mass_matrix(model, work); return;
        case batch::Method::rnea_derivatives:
        case batch::Method::aba_derivatives:
            evaluate_derivatives<Scalar>(job, work.data, work.q.data(), work.yd.data(), work.force.data(),
                                         wrenches, output);
            return;
    }
}

/// Input and output of a call for a group; null and 0 if not given.
template <int W>
struct Numbers {
    const Batch<double, W>* x;
    int size;
};

template <int W>
struct Given {
    Numbers<W> q, yd, force, wrenches;
};

template <int W>
Given<W> given(const batch::Job& job, const Workspace<W>& work) {
    const auto numbers = [](const batch::Columns<const double>& columns, const auto& x, int size) {
        return columns.data ? Numbers<W>{x.data(), size} : Numbers<W>{nullptr, 0};
    };
    const Model& model = job.model;
    return {numbers(job.q, work.q, model.nq), numbers(job.yd, work.yd, model.nv),
            numbers(job.force, work.force, model.nv),
            numbers(job.wrenches, work.wrenches, 6 * model.body_count())};
}

/// Σ term(x), in several sums: a single one would wait for each addition.
template <int W, class Term>
[[gnu::always_inline]] inline Batch<double, W> sum_of(const Numbers<W>& numbers, const Term& term) {
    Batch<double, W> a(0), b(0), c(0), d(0);
    int i = 0;
    for (; i + 4 <= numbers.size; i += 4) {
        a += term(numbers.x[i]);
        b += term(numbers.x[i + 1]);
        c += term(numbers.x[i + 2]);
        d += term(numbers.x[i + 3]);
    }
    for (; i < numbers.size; ++i) a += term(numbers.x[i]);
    return (a + b) + (c + d);
}

/// Σ x², below the square of the limit only if each number is below the limit.
template <int W>
Batch<double, W> squares(const Numbers<W>& numbers) {
    return sum_of<W>(numbers, [](const Batch<double, W>& x) { return x * x; });
}

/// Σ 0·x: zero, but NaN if a result is NaN or infinite. For M only the diagonal: no entry is larger.
template <int W>
Batch<double, W> zeros(const batch::Job& job, const Workspace<W>& work) {
    const Batch<double, W> zero(0);
    if (job.method != batch::Method::crba)
        return sum_of<W>({work.output.data(), output_size<W>(job)},
                         [&](const Batch<double, W>& x) { return x * zero; });
    Batch<double, W> sum = zero;
    for (int i = 0; i < job.model.nv; ++i)
        sum += work.output[static_cast<std::size_t>(i * (job.model.nv + 1))] * zero;
    return sum;
}

/// For each lane, the sum of the squares of the input, with gravity if it acts.
template <int W>
Batch<double, W> given_squares(const batch::Job& job, const Workspace<W>& work) {
    const Given<W> g = given(job, work);
    const Vector3<double>& gravity = job.model.gravity;
    const Batch<double, W> others(job.method == batch::Method::crba ? 0 : dot(gravity, gravity));
    return (squares(g.q) + squares(g.yd)) + (squares(g.force) + squares(g.wrenches)) + others;
}
constexpr double largest_squares = largest_given * largest_given;

/// True if every lane is ok, without testing them one by one.
template <int W>
bool all_ok(const batch::Job& job, const Workspace<W>& work) {
    const Batch<double, W> limit(job.singular_rcond), zero(0);
    if (!all(Batch<double, W>(largest_squares) > given_squares(job, work)) || !all(zeros(job, work) >= zero))
        return false;
    for (int i = 0; i < job.model.cluster_count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (job.model.clusters[at].embedding == Embedding::implicit && !all(work.data.rcond[at] >= limit))
            return false;
        if (is_forward(job.method) && !all(work.data.margin[at] > zero)) return false;
    }
    return true;
}

template <int W>
Result outcome_of_lane(const batch::Job& job, const Workspace<W>& work, int lane) {
    const auto number = [lane](const Batch<double, W>& x) { return x[lane]; };
    if (!(number(given_squares(job, work)) < largest_squares)) return {Status::not_finite};
    Result result = kernels::constraint_outcome(job.model, work.data, job.singular_rcond, number);
    if (result.ok() && is_forward(job.method))
        result = kernels::inertia_outcome(job.model, work.data, number);
    if (result.ok() && !(number(zeros(job, work)) == 0)) return {Status::not_finite};
    return result;
}

inline double* column(const batch::Output& output, std::ptrdiff_t state) {
    return output.columns.data + state * output.columns.stride;
}

inline void clear_state(const batch::Job& job, std::ptrdiff_t state) {
    for (const batch::Output& output : job.outputs)
        for (int i = 0; i < output.size; ++i)
            column(output, state)[i] = std::numeric_limits<double>::quiet_NaN();
}

/// Writes outputs and statuses of a group, and adds its failures to `result`.
template <int W>
void deliver(const batch::Job& job, Workspace<W>& work, const Group& group, BatchResult& result) {
    const Batch<double, W>* from = work.output.data();
    for (const batch::Output& output : job.outputs) {
        if (output.size == 0) continue;
        double* to[W];  // copies of the last state write the same once more
        for (int lane = 0; lane < W; ++lane)
            to[lane] = column(output, group.first + std::min(lane, group.states - 1));
        if (job.method == batch::Method::crba && !held_whole(job.model.nv))
            scatter_symmetric<W>(from, job.model.nv, to, work.tiles);
        else
            scatter<W>(from, output.size, to);
        from += output.size;
    }
    const bool fine = all_ok(job, work);
    for (int lane = 0; lane < group.states; ++lane) {
        const Result outcome = fine ? Result{} : outcome_of_lane(job, work, lane);
        if (job.statuses) job.statuses[group.first + lane] = outcome.status;
        if (outcome.ok()) continue;
        clear_state(job, group.first + lane);
        if (result.failures++ == 0) {
            result.state = group.first + lane;
            result.status = outcome.status;
            result.cluster = outcome.cluster;
        }
    }
}

template <int W>
BatchResult run(const batch::Job& job, void* workspace, std::ptrdiff_t begin, std::ptrdiff_t end) {
    Workspace<W>& work = *static_cast<Workspace<W>*>(workspace);
    BatchResult result;
    for (std::ptrdiff_t first = begin; first < end; first += W) {
        const Group group{first, end - first < W ? static_cast<int>(end - first) : W};
        evaluate(job, work, group);
        deliver(job, work, group, result);
    }
    return result;
}

template <int W>
void* make(const Model& model) {
    return new Workspace<W>(model);
}

template <int W>
void destroy(void* workspace) {
    delete static_cast<Workspace<W>*>(workspace);
}

template <int W>
constexpr batch::Engine engine() {
    return {W, make<W>, destroy<W>, run<W>};
}

}  // namespace lanes
}  // namespace GRBDA_BATCH_NAMESPACE
}  // namespace grbda
