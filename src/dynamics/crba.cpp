#include "dynamics/crba.hpp"

#include <limits>

#include "dynamics_outcome.hpp"
#include "kernels/pass/crba.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
[[gnu::cold, gnu::noinline]] void clear_triangle(MatrixOut<S>& M, Triangle triangle) {
    const int n = static_cast<int>(M.rows());
    for (int j = 0; j < n; ++j)
        for (const int i : kernels::triangle_rows(triangle, j, n))
            M(i, j) = std::numeric_limits<S>::quiet_NaN();
}

/// The matrix as it came out, or NaN: no entry is larger than those of the diagonal.
template <class S>
Result delivered(Result result, MatrixOut<S>& M, Triangle triangle) {
    if (result.ok() &&
        !kernels::diagonal_finite(M.data(), static_cast<int>(M.rows()), static_cast<int>(M.outerStride())))
        result = {Status::not_finite};
    if (!result.ok()) clear_triangle<S>(M, triangle);
    return result;
}

}  // namespace

template <class S>
Result crba(const Model& model, Workspace<S>& data, ConstVector<S> q, MatrixOut<S> M, Triangle triangle) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("M (rows)", M.rows(), model.nv);
    require_size("M (columns)", M.cols(), model.nv);
    if (!kernels::usable(model, q.data())) return delivered<S>({Status::not_finite}, M, triangle);
    kernels::crba<S>(model, data, q.data(), M.data(), static_cast<int>(M.outerStride()), triangle);
    return delivered<S>(dynamics_outcome(model, data), M, triangle);
}

template Result crba<double>(const Model&, Workspace<double>&, ConstVector<double>, MatrixOut<double>,
                             Triangle);

Result crba(const Model& model, Data& data, ConstVectorRef q, Triangle triangle) {
    return crba<double>(model, data.workspaces().general, q, sized(data.M, model.nv, model.nv), triangle);
}

}  // namespace grbda
