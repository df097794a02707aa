#include "engine.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"

// Computes one state after the other, by the functions for single states.

namespace grbda::batch {
namespace {

using Vector = Eigen::Map<const VectorX<double>>;

template <class T>
T* column(const Columns<T>& columns, std::ptrdiff_t state) {
    return columns.data + state * columns.stride;
}

/// Output number i as a square matrix, and as a vector.
Eigen::Map<MatrixX<double>> matrix(const Job& job, int i, std::ptrdiff_t state) {
    return {column(job.outputs[i].columns, state), job.model.nv, job.model.nv};
}
Eigen::Map<VectorX<double>> vector(const Job& job, int i, std::ptrdiff_t state) {
    return {column(job.outputs[i].columns, state), job.model.nv};
}

Result evaluate_derivatives(const Job& job, Workspace<double>& data, const Vector& q, const Vector& yd,
                            const Vector& force, Wrenches<double> wrenches, std::ptrdiff_t state) {
    const Model& model = job.model;
    const auto out = [&](int i) { return matrix(job, i, state); };
    if (job.method == Method::aba_derivatives) {
        const Result result =
            aba_derivatives<double>(model, data, q, yd, force, wrenches, out(0), out(1), out(2));
        vector(job, 3, state) = data.ydd;
        return result;
    }
    if (job.outputs[2].columns.data)
        return rnea_derivatives<double>(model, data, q, yd, force, wrenches, out(0), out(1), out(2));
    return rnea_derivatives<double>(model, data, q, yd, force, out(0), out(1));  // M comes with wrenches
}

Result evaluate(const Job& job, Workspace<double>& data, std::ptrdiff_t state) {
    const Model& model = job.model;
    const Vector q(column(job.q, state), model.nq);
    if (job.method == Method::crba) return crba<double>(model, data, q, matrix(job, 0, state));
    const Vector yd(column(job.yd, state), model.nv), force(column(job.force, state), model.nv);
    const Eigen::Ref<const Matrix6X<double>, 0, Eigen::OuterStride<6>> wrenches =
        Eigen::Map<const Matrix6X<double>>(job.wrenches.data ? column(job.wrenches, state) : nullptr, 6,
                                           job.wrenches.data ? model.body_count() : 0);
    if (job.method == Method::aba_derivatives || job.method == Method::rnea_derivatives)
        return evaluate_derivatives(job, data, q, yd, force, wrenches, state);
    const bool forward = job.method == Method::aba;
    const Result result = forward ? aba<double>(model, data, q, yd, force, wrenches)
                                  : rnea<double>(model, data, q, yd, force, wrenches);
    vector(job, 0, state) = forward ? data.ydd : data.tau;
    return result;
}

void* make(const Model& model) { return new Workspace<double>(model); }

void destroy(void* workspace) { delete static_cast<Workspace<double>*>(workspace); }

BatchResult run(const Job& job, void* workspace, std::ptrdiff_t begin, std::ptrdiff_t end) {
    Workspace<double>& data = *static_cast<Workspace<double>*>(workspace);
    BatchResult result;
    for (std::ptrdiff_t state = begin; state < end; ++state) {
        const Result outcome = evaluate(job, data, state);
        if (job.statuses) job.statuses[state] = outcome.status;
        if (!outcome && result.failures++ == 0) {
            result.state = state;
            result.status = outcome.status;
            result.cluster = outcome.cluster;
        }
    }
    return result;
}

}  // namespace

const Engine scalar_engine{1, make, destroy, run};

}  // namespace grbda::batch
