#include "grbda/algorithms/second_derivatives.hpp"

#include <algorithm>

#include "grbda/algorithms/embedding.hpp"
#include "grbda/kernels/aba_derivatives.hpp"
#include "grbda/kernels/outcome.hpp"
#include "moving_state.hpp"

namespace grbda {
namespace {

using Number = SecondDerivatives::Number;
constexpr int places = Number::directions;

/// Entries (i, first …) of the hessian from λᵀ of first derivatives by columns, row block `rows`.
void store(const Table<Number>& derivatives, ConstVector<double> lambda, int first, Eigen::Index rows,
           MatrixOut<double>& hessian) {
    const int n = static_cast<int>(lambda.size());
    for (int column = 0; column < n; ++column) {
        Number sum;
        for (int i = 0; i < n; ++i) sum += derivatives[column * n + i] * Number(lambda[i]);
        for (int l = 0; l < places && first + l < 2 * n; ++l)
            hessian(rows + column, first + l) = sum.slope[l];
    }
}

/// pass(work) leaves first derivatives of the state that was set off.
template <class Pass>
Result run(const Model& model, Data<double>& data, SecondDerivatives& work, ConstVector<double> q,
           ConstVector<double> yd, ConstVector<double> given, ConstVector<double> lambda,
           MatrixOut<double>& hessian, const Pass& pass) {
    require_workspace(model, data);
    require_fit("SecondDerivatives", model, work.moving.R.size(), work.moving.layout);
    for (const auto& [name, vector] : {std::pair{"yd", &yd}, {"ydd or tau", &given}, {"lambda", &lambda}})
        require_size(name, vector->size(), model.nv);
    require_size("q", q.size(), model.nq);
    require_size("hessian (rows)", hessian.rows(), 3 * model.nv);
    require_size("hessian (columns)", hessian.cols(), 3 * model.nv);
    const Eigen::Index n = model.nv;
    Result result{Status::not_finite};
    if (kernels::usable_in_dynamics<double>(model, q.data(), yd.data(), given.data(), nullptr) &&
        kernels::usable(model, q.data(), lambda.data()))
        result = constraint_embedding<double>(model, data, q, yd);
    work.moving.chart = data.chart;
    hessian.setZero();
    for (int first = 0; result.ok() && first < 2 * n; first += places) {
        set_off(model, data, first, q.data(), yd.data(), given.data(), work.q.data(), work.yd.data(),
                work.given.data());
        result = pass();
        store(work.by_y, lambda, first, 0, hessian);
        store(work.by_yd, lambda, first, n, hessian);
        store(work.by_given, lambda, first, 2 * n, hessian);
    }
    hessian.topRightCorner(2 * n, n) = hessian.bottomLeftCorner(n, 2 * n).transpose();
    return kernels::delivered_matrices<double, MatrixOut<double>>(result, {&hessian});
}

kernels::derivatives::Target<Number> target(Table<Number>& matrix, const Model& model) {
    return {matrix.data(), model.nv};
}

}  // namespace

SecondDerivatives::SecondDerivatives(const Model& model) : moving(model) {
    const std::size_t n = at(model.nv);
    q.resize(at(model.nq));
    for (Table<Number>* x : {&yd, &given, &ydd}) x->resize(n);
    for (Table<Number>* x : {&by_y, &by_yd, &by_given}) x->resize(n * n);
}

Result rnea_second_derivatives(const Model& model, Data<double>& data, SecondDerivatives& work,
                               ConstVector<double> q, ConstVector<double> yd, ConstVector<double> ydd,
                               ConstVector<double> lambda, MatrixOut<double> hessian) {
    return run(model, data, work, q, yd, ydd, lambda, hessian, [&] {
        kernels::rnea_derivatives<Number>(
            model, work.moving, work.q.data(), work.yd.data(), work.given.data(), nullptr,
            {target(work.by_y, model), target(work.by_yd, model), target(work.by_given, model)});
        return kernels::constraint_outcome(model, work.moving);
    });
}

Result aba_second_derivatives(const Model& model, Data<double>& data, SecondDerivatives& work,
                              ConstVector<double> q, ConstVector<double> yd, ConstVector<double> tau,
                              ConstVector<double> lambda, MatrixOut<double> hessian) {
    return run(model, data, work, q, yd, tau, lambda, hessian, [&] {
        kernels::aba_derivatives<Number>(
            model, work.moving, work.q.data(), work.yd.data(), work.given.data(), nullptr, work.ydd.data(),
            {target(work.by_y, model), target(work.by_yd, model), target(work.by_given, model)});
        const Result constraint = kernels::constraint_outcome(model, work.moving);
        return constraint.ok() ? kernels::inertia_outcome(model, work.moving) : constraint;
    });
}

}  // namespace grbda
