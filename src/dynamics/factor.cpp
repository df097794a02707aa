#include "dynamics/factor.hpp"

#include "dynamics/aba.hpp"
#include "kernels/pass/inverse_mass.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
Result motion_at_rest(Result result, Workspace<S>& data) {
    if (result.ok()) data.factors = Factors::motion;
    return result;
}

/// Column by column; `start`, where not null, is added to each.
template <class S>
Result run(const Model& model, Workspace<S>& data, Factors needed, ConstMatrix<S> f, MatrixOut<S> x,
           const S* start) {
    require_workspace(model, std::as_const(data));
    require_factors(data.factors, needed);
    require_size("right-hand side (rows)", f.rows(), model.nv);
    require_size("result (rows)", x.rows(), model.nv);
    require_size("result (columns)", x.cols(), f.cols());
    Result result;
    for (Eigen::Index j = 0; j < f.cols(); ++j) {
        auto column = x.col(j);
        kernels::inverse_mass_times<S>(model, data, f.col(j).data(), column.data());
        if (start)
            for (int i = 0; i < model.nv; ++i) column[i] += start[i];
        if (!kernels::all_finite(column.data(), model.nv)) result = {Status::not_finite};
    }
    if (!result.ok()) kernels::clear<S>(x);
    return result;
}

}  // namespace

template <class S>
Result factor(const Model& model, Workspace<S>& data, ConstVector<S> q) {
    require_size("data.tau", data.tau.size(), model.nv);
    data.tau.setZero();
    return aba<S>(model, data, q, data.tau, data.tau);
}

template <class S>
Result factor(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd) {
    require_size("data.tau", data.tau.size(), model.nv);
    data.tau.setZero();
    return motion_at_rest(aba<S>(model, data, q, yd, data.tau), data);
}

template <class S>
Result factor(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
              Wrenches<S> wrenches) {
    require_size("data.tau", data.tau.size(), model.nv);
    data.tau.setZero();
    return motion_at_rest(aba<S>(model, data, q, yd, data.tau, wrenches), data);
}

template <class S>
Result inverse_mass_times(const Model& model, Workspace<S>& data, ConstMatrix<S> f, MatrixOut<S> x) {
    return run<S>(model, data, Factors::mass, f, x, nullptr);
}

template <class S>
Result solve(const Model& model, Workspace<S>& data, ConstMatrix<S> tau, MatrixOut<S> ydd) {
    return run<S>(model, data, Factors::motion, tau, ydd, data.ydd.data());
}

#define GRBDA_INSTANTIATE(S)                                                                             \
    template Result factor<S>(const Model&, Workspace<S>&, ConstVector<S>);                              \
    template Result factor<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>);              \
    template Result factor<S>(const Model&, Workspace<S>&, ConstVector<S>, ConstVector<S>, Wrenches<S>); \
    template Result inverse_mass_times<S>(const Model&, Workspace<S>&, ConstMatrix<S>, MatrixOut<S>);    \
    template Result solve<S>(const Model&, Workspace<S>&, ConstMatrix<S>, MatrixOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

Result factor(const Model& model, Data& data, ConstVectorRef q) {
    return factor<double>(model, data.workspaces().dynamics, q);
}
Result factor(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd) {
    return factor<double>(model, data.workspaces().dynamics, q, yd);
}
Result factor(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
              ConstWrenchesRef wrenches) {
    return factor<double>(model, data.workspaces().dynamics, q, yd, wrenches);
}

Result inverse_mass_times(const Model& model, Data& data, ConstMatrixRef f, MatrixRef x) {
    return inverse_mass_times<double>(model, data.workspaces().dynamics, f, x);
}

Result solve(const Model& model, Data& data, ConstMatrixRef tau, MatrixRef ydd) {
    return solve<double>(model, data.workspaces().dynamics, tau, ydd);
}

}  // namespace grbda
