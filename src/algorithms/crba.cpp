#include "grbda/algorithms/crba.hpp"

#include "grbda/kernels/crba.hpp"
#include "grbda/kernels/outcome.hpp"

namespace grbda {

template <class S>
Result crba(const Model& model, Data<S>& data, ConstVector<S> q, MatrixOut<S> M) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("M (rows)", M.rows(), model.nv);
    require_size("M (columns)", M.cols(), model.nv);
    if (!kernels::usable(model, q.data())) return kernels::delivered_matrix<S>({Status::not_finite}, M);
    kernels::crba<S>(model, data, q.data(), M.data(), static_cast<int>(M.outerStride()));
    return kernels::delivered_matrix<S>(kernels::constraint_outcome(model, data), M);
}

template Result crba<double>(const Model&, Data<double>&, ConstVector<double>, MatrixOut<double>);
template Result crba<float>(const Model&, Data<float>&, ConstVector<float>, MatrixOut<float>);

}  // namespace grbda
