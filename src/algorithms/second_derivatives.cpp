#include "grbda/algorithms/second_derivatives.hpp"

#include <algorithm>

#include "dynamics_outcome.hpp"
#include "grbda/algorithms/embedding.hpp"
#include "grbda/kernels/aba_derivatives.hpp"
#include "grbda/kernels/outcome.hpp"
#include "moving_state.hpp"

namespace grbda {
namespace {

using Number = SecondDerivatives::Number;
using ConstMatrix = Eigen::Map<const MatrixX<double>>;
constexpr int places = Number::directions;

kernels::derivatives::Target<Number> target(Table<Number>& matrix, const Model& model) {
    return {matrix.data(), model.nv};
}
kernels::derivatives::Target<double> target(Table<double>& matrix, const Model& model) {
    return {matrix.data(), model.nv};
}

/// What is given is sized, and can be computed with; data is embedded at q.
Result prepare(const Model& model, Data<double>& data, SecondDerivatives& work, ConstVector<double> q,
               ConstVector<double> yd, ConstVector<double> given, ConstVector<double> lambda,
               MatrixOut<double>& hessian) {
    require_workspace(model, data);
    require_fit("SecondDerivatives", model, work.moving.I.size(), work.moving.layout);
    for (const auto& [name, vector] : {std::pair{"yd", &yd}, {"ydd or tau", &given}, {"lambda", &lambda}})
        require_size(name, vector->size(), model.nv);
    require_size("q", q.size(), model.nq);
    require_size("hessian (rows)", hessian.rows(), 3 * model.nv);
    require_size("hessian (columns)", hessian.cols(), 3 * model.nv);
    hessian.setZero();
    Result result{Status::not_finite};
    if (kernels::usable_in_dynamics<double>(model, q.data(), yd.data(), given.data(), nullptr) &&
        kernels::usable(model, q.data(), lambda.data()))
        result = constraint_embedding<double>(model, data, q, yd);
    work.moving.chart = data.chart;
    return result;
}

/// Columns [first, first + places) of a block of the hessian, from first derivatives by columns.
void store(const Table<Number>& derivatives, const double* lambda, int n, int first, Eigen::Index rows,
           MatrixOut<double>& hessian) {
    for (int column = 0; column < n; ++column) {
        Number sum;
        for (int i = 0; i < n; ++i) sum += derivatives[column * n + i] * Number(lambda[i]);
        for (int l = 0; l < places && first + l < n; ++l) hessian(rows + column, first + l) = sum.slope[l];
    }
}

/// Columns of y: changes of first derivatives on the way along them. With these the blocks beside ẏ and ÿ are
/// known, since displacements along y commute with ẏ and ÿ.
Result follow_positions(const Model& model, const Data<double>& data, SecondDerivatives& work,
                        const double* q, const double* yd, const double* ydd, const double* lambda,
                        MatrixOut<double>& hessian) {
    const int n = model.nv;
    for (int first = 0; first < n; first += places) {
        set_off(model, data, first, q, yd, ydd, work.q.data(), work.yd.data(), work.given.data());
        kernels::rnea_derivatives<Number>(
            model, work.moving, work.q.data(), work.yd.data(), work.given.data(), nullptr,
            {target(work.by_y, model), target(work.by_yd, model), target(work.by_given, model)});
        const Result result = dynamics_outcome(model, work.moving);
        if (!result.ok()) return result;
        store(work.by_y, lambda, n, first, 0, hessian);
        store(work.by_yd, lambda, n, first, n, hessian);
        store(work.by_given, lambda, n, first, 2 * n, hessian);
    }
    hessian.topRightCorner(n, 2 * n) = hessian.bottomLeftCorner(2 * n, n).transpose();
    return {};
}

/// Block of ẏ with ẏ: inverse dynamics is quadratic in ẏ, so that its derivative at ẏ = e_j is the second one
/// along ẏ_j.
void add_unit_rates(const Model& model, Data<double>& data, SecondDerivatives& work, const double* q,
                    const double* lambda, MatrixOut<double>& hessian) {
    const int n = model.nv;
    std::fill(work.zero.begin(), work.zero.end(), 0);
    for (int j = 0; j < n; ++j) {
        std::fill(work.rate.begin(), work.rate.end(), 0);
        work.rate[j] = 1;
        kernels::rnea_derivatives<double>(
            model, data, q, work.rate.data(), work.zero.data(), nullptr,
            {target(work.scratch, model), target(work.inverse_by_yd, model), {}});
        const ConstMatrix by_yd(work.inverse_by_yd.data(), n, n);
        for (int i = 0; i < n; ++i)
            hessian(n + i, n + j) = by_yd.col(i).dot(Eigen::Map<const VectorX<double>>(lambda, n));
    }
    clear_results(data);  // they are those of the last rate
}

/// λᵀ ∂²τ; data is embedded at q.
Result inverse_hessian(const Model& model, Data<double>& data, SecondDerivatives& work, const double* q,
                       const double* yd, const double* ydd, const double* lambda,
                       MatrixOut<double>& hessian) {
    const Result result = follow_positions(model, data, work, q, yd, ydd, lambda, hessian);
    if (result.ok()) add_unit_rates(model, data, work, q, lambda, hessian);
    return result;
}

/// First derivatives of forward dynamics, and the forces μ = M⁻¹ λ on which those of inverse dynamics count.
Result forward_derivatives(const Model& model, Data<double>& data, SecondDerivatives& work, const double* q,
                           const double* yd, const double* tau, ConstVector<double> lambda) {
    const int n = model.nv;
    kernels::aba_derivatives<double>(model, data, q, yd, tau, nullptr, work.acceleration.data(),
                                     {target(work.forward_by_y, model), target(work.forward_by_yd, model),
                                      target(work.inverse_mass, model)});
    const Result constraint = dynamics_outcome(model, data);
    if (!constraint.ok()) return constraint;
    Eigen::Map<VectorX<double>>(work.force.data(), n) =
        ConstMatrix(work.inverse_mass.data(), n, n).lazyProduct(lambda);
    return inertia_outcome(model, data);
}

/// λᵀ ∂²ÿ = −Zᵀ (μᵀ ∂²τ) Z with Z = [1 0 0; 0 1 0; ∂ÿ/∂y ∂ÿ/∂ẏ M⁻¹], from μᵀ ∂²τ in place. Of that the blocks
/// of ÿ with ẏ and ÿ are zero.
void turn_forward(SecondDerivatives& work, int n, MatrixOut<double>& hessian) {
    const ConstMatrix A(work.forward_by_y.data(), n, n), B(work.forward_by_yd.data(), n, n),
        inverse(work.inverse_mass.data(), n, n);
    Eigen::Map<MatrixX<double>> P(work.scratch.data(), n, n);
    P = hessian.bottomLeftCorner(n, n);  // of ÿ with y
    hessian.topLeftCorner(n, n) += A.transpose().lazyProduct(P) + P.transpose().lazyProduct(A);
    hessian.block(n, 0, n, n) += B.transpose().lazyProduct(P);
    hessian.bottomLeftCorner(n, n) = inverse.transpose().lazyProduct(P);
    hessian.topRightCorner(n, 2 * n) = hessian.bottomLeftCorner(2 * n, n).transpose();
    hessian = -hessian;
}

}  // namespace

SecondDerivatives::SecondDerivatives(const Model& model) : moving(model) {
    const std::size_t n = at(model.nv);
    q.resize(at(model.nq));
    for (Table<Number>* x : {&yd, &given}) x->resize(n);
    for (Table<Number>* x : {&by_y, &by_yd, &by_given}) x->resize(n * n);
    for (Table<double>* x : {&acceleration, &rate, &zero, &force}) x->resize(n);
    for (Table<double>* x : {&forward_by_y, &forward_by_yd, &inverse_mass, &inverse_by_yd, &scratch})
        x->resize(n * n);
}

Result rnea_second_derivatives(const Model& model, Data<double>& data, SecondDerivatives& work,
                               ConstVector<double> q, ConstVector<double> yd, ConstVector<double> ydd,
                               ConstVector<double> lambda, MatrixOut<double> hessian) {
    Result result = prepare(model, data, work, q, yd, ydd, lambda, hessian);
    if (result.ok())
        result = inverse_hessian(model, data, work, q.data(), yd.data(), ydd.data(), lambda.data(), hessian);
    return kernels::delivered_matrices<double, MatrixOut<double>>(result, {&hessian});
}

Result aba_second_derivatives(const Model& model, Data<double>& data, SecondDerivatives& work,
                              ConstVector<double> q, ConstVector<double> yd, ConstVector<double> tau,
                              ConstVector<double> lambda, MatrixOut<double> hessian) {
    Result result = prepare(model, data, work, q, yd, tau, lambda, hessian);
    if (result.ok()) result = forward_derivatives(model, data, work, q.data(), yd.data(), tau.data(), lambda);
    if (result.ok())
        result = inverse_hessian(model, data, work, q.data(), yd.data(), work.acceleration.data(),
                                 work.force.data(), hessian);
    if (result.ok()) turn_forward(work, model.nv, hessian);
    return kernels::delivered_matrices<double, MatrixOut<double>>(result, {&hessian});
}

}  // namespace grbda
