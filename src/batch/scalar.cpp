#include "engine.hpp"
#include "grbda/algorithms/aba.hpp"
#include "grbda/algorithms/crba.hpp"
#include "grbda/algorithms/rnea.hpp"

// One state after the other, by the calls for single states.

namespace grbda::batch {
namespace {

using Vector = Eigen::Map<const VectorX<double>>;

template <class T>
T* column(const Columns<T>& columns, std::ptrdiff_t state) {
    return columns.data + state * columns.stride;
}

Result evaluate(const Job& job, Data<double>& data, std::ptrdiff_t state) {
    const Model& model = job.model;
    const Vector q(column(job.q, state), model.nq);
    double* output = column(job.output, state);
    if (job.method == Method::crba)
        return crba<double>(model, data, q, Eigen::Map<MatrixX<double>>(output, model.nv, model.nv));
    const Vector yd(column(job.yd, state), model.nv), force(column(job.force, state), model.nv);
    const Eigen::Map<const Matrix6X<double>> wrenches(
        job.wrenches.data ? column(job.wrenches, state) : nullptr, 6,
        job.wrenches.data ? model.body_count() : 0);
    const bool forward = job.method == Method::aba;
    const Result result = forward ? aba<double>(model, data, q, yd, force, wrenches)
                                  : rnea<double>(model, data, q, yd, force, wrenches);
    Eigen::Map<VectorX<double>>(output, model.nv) = forward ? data.ydd : data.tau;
    return result;
}

void* make(const Model& model) { return new Data<double>(model); }

void destroy(void* workspace) { delete static_cast<Data<double>*>(workspace); }

BatchResult run(const Job& job, void* workspace, std::ptrdiff_t begin, std::ptrdiff_t end) {
    Data<double>& data = *static_cast<Data<double>*>(workspace);
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
