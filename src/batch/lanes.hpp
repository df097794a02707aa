#pragma once

#include <limits>

#include "engine.hpp"
#include "grbda/kernels/aba.hpp"
#include "grbda/kernels/crba.hpp"
#include "grbda/kernels/outcome.hpp"
#include "grbda/kernels/rnea.hpp"
#include "transpose.hpp"

// The kernels on W states side by side; compiled once for each instruction set.

namespace grbda {
inline namespace GRBDA_BATCH_NAMESPACE {
namespace lanes {

template <int W>
struct Workspace {
    using Scalar = Batch<double, W>;

    explicit Workspace(const Model& model) : data(model) {
        const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
        q.resize(nq);
        for (std::vector<Scalar>* x : {&yd, &force}) x->resize(nv);
        wrenches.resize(6 * model.bodies.size());
        output.resize(nv * nv);
    }

    Data<Scalar> data;
    std::vector<Scalar> q, yd, force, wrenches, output;
};

/// A group of W states; the last one of a call is filled up with copies of its last state.
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
void evaluate(const batch::Job& job, Workspace<W>& work, const Group& group) {
    using Scalar = Batch<double, W>;
    const Model& model = job.model;
    const int wrench_size = 6 * model.body_count();
    gather_states<W>(job.q, group, model.nq, work.q);
    if (job.yd.data) gather_states<W>(job.yd, group, model.nv, work.yd);
    if (job.force.data) gather_states<W>(job.force, group, model.nv, work.force);
    if (job.wrenches.data) gather_states<W>(job.wrenches, group, wrench_size, work.wrenches);
    const Scalar* wrenches = job.wrenches.data ? work.wrenches.data() : nullptr;
    Scalar* output = work.output.data();
    switch (job.method) {
        case batch::Method::aba:
            kernels::aba<Scalar>(model, work.data, work.q.data(), work.yd.data(), work.force.data(), wrenches,
                                 output);
            return;
        case batch::Method::rnea:
            kernels::rnea<Scalar>(model, work.data, work.q.data(), work.yd.data(), work.force.data(),
                                  wrenches, output);
            return;
        case batch::Method::crba:
            kernels::crba<Scalar>(model, work.data, work.q.data(), output, model.nv);
            return;
    }
}

/// True if every lane is ok, without looking at one of them.
template <int W>
bool all_ok(const batch::Job& job, const Workspace<W>& work) {
    const Batch<double, W> limit(job.singular_rcond), zero(0);
    for (int i = 0; i < job.model.cluster_count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (job.model.clusters[at].embedding == Embedding::implicit && !all(work.data.rcond[at] >= limit))
            return false;
        if (job.method == batch::Method::aba && !all(work.data.margin[at] > zero)) return false;
    }
    return true;
}

template <int W>
Result outcome_of_lane(const batch::Job& job, const Workspace<W>& work, int lane) {
    const auto number = [lane](const Batch<double, W>& x) { return x[lane]; };
    const Result constraint = kernels::constraint_outcome(job.model, work.data, job.singular_rcond, number);
    if (!constraint.ok() || job.method != batch::Method::aba) return constraint;
    return kernels::inertia_outcome(job.model, work.data, number);
}

/// Outputs and statuses of a group, and its failures into `result`.
template <int W>
void deliver(const batch::Job& job, Workspace<W>& work, const Group& group, BatchResult& result) {
    const int size = job.method == batch::Method::crba ? job.model.nv * job.model.nv : job.model.nv;
    double* to[W] = {};
    for (int lane = 0; lane < group.states; ++lane)
        to[lane] = job.output.data + (group.first + lane) * job.output.stride;
    scatter<W>(work.output.data(), size, to, group.states);
    const bool fine = all_ok(job, work);
    for (int lane = 0; lane < group.states; ++lane) {
        const Result outcome = fine ? Result{} : outcome_of_lane(job, work, lane);
        if (job.statuses) job.statuses[group.first + lane] = outcome.status;
        if (outcome.ok()) continue;
        for (int i = 0; i < size; ++i) to[lane][i] = std::numeric_limits<double>::quiet_NaN();
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
