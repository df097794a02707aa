#include "derivatives/second_derivatives.hpp"

#include <algorithm>

#include "dynamics/dynamics_outcome.hpp"
#include "constraints/embedding.hpp"
#include "kernels/derivatives/aba_derivatives.hpp"
#include "kernels/cluster/outcome.hpp"
#include "moving_state.hpp"
#include "model/workspaces.hpp"
#include "derivatives/dynamics_derivatives.hpp"

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

/// Checks the sizes and values of the arguments, and embeds data at q.
Result prepare(const Model& model, Workspace<double>& data, SecondDerivatives& work, ConstVector<double> q,
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

/// Changes of first derivatives along each y and, behind these, along λ: work.by_given of the last call then
/// has M, and its change along λ in λ's place. The blocks beside ẏ and ÿ follow, since displacements along y
/// commute with ẏ and ÿ.
Result follow_positions(const Model& model, const Workspace<double>& data, SecondDerivatives& work,
                        const double* q, const double* yd, const double* ydd, const double* lambda,
                        MatrixOut<double>& hessian) {
    const int n = model.nv;
    for (int i = 0; i < n; ++i) {
        work.yd[i] = Number(yd[i]);
        work.given[i] = Number(ydd[i]);
    }
    for (int first = 0; first <= n; first += places) {
        const auto seed = [&](int y, int place) {
            const int direction = first + place;
            return direction == n ? lambda[y] : direction == y ? 1. : 0.;
        };
        move_positions<places>(model, data, q, seed, work.q.data());
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

/// Returns the motion of a spherical or floating joint along y_j.
Motion<double> joint_motion(const Model& model, const Workspace<double>& data, const Cluster& c,
                            const Body& body, int j) {
    double x[6] = {};
    const int size = velocity_size(body.joint);
    for (int l = 0; l < size; ++l)
        x[6 - size + l] = kernels::embedding_entry(model, data, c, body.dof - c.dof_begin + l, j);
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

/// Returns the rate of y_k in a motion of such a joint.
double rate_along(const Model& model, const Workspace<double>& data, const Cluster& c, const Body& body,
                  const Motion<double>& motion, int k) {
    const double x[6] = {motion.linear.x,  motion.linear.y,  motion.linear.z,
                         motion.angular.x, motion.angular.y, motion.angular.z};
    const int size = velocity_size(body.joint);
    const auto rate = [&](int dof) {
        const int l = dof - body.dof;
        return l >= 0 && l < size ? x[6 - size + l] : 0;
    };
    return kernels::independent_motion(model, data, c, rate, k);
}

/// Adds Aᵀ M + M A to the block of ẏ with ẏ, column j of A being the bracket of the directions λ and e_j at
/// the joint.
void add_bracket(const Model& model, const Workspace<double>& data, const Cluster& c, const Body& body,
                 const Table<Number>& M, const double* lambda, MatrixOut<double>& hessian) {
    const int n = model.nv;
    const int* const y = model.y_index.data() + c.y_begin;
    Motion<double> along{};
    for (int j = 0; j < c.m; ++j) along += joint_motion(model, data, c, body, j) * lambda[y[j]];
    for (int j = 0; j < c.m; ++j) {
        const Motion<double> bracket = cross(along, joint_motion(model, data, c, body, j));
        for (int k = 0; k < c.m; ++k) {
            const double rate = rate_along(model, data, c, body, bracket, k);
            for (int l = 0; l < n && rate != 0; ++l) {
                const double term = rate * M[l * n + y[k]].value;
                hessian(n + y[j], n + l) += term;
                hessian(n + l, n + y[j]) += term;
            }
        }
    }
}

/// Sets the block of ẏ with ẏ by Christoffel's symbols: ∂(M λ)/∂y and its transpose, less the change of M
/// along λ, after follow_positions().
void add_rates(const Model& model, const Workspace<double>& data, const SecondDerivatives& work,
               const double* lambda, MatrixOut<double>& hessian) {
    const int n = model.nv;
    const auto P = hessian.bottomLeftCorner(n, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            hessian(n + i, n + j) = P(i, j) + P(j, i) - work.by_given[j * n + i].slope[n % places];
    for (const Cluster& c : model.clusters)
        for (const int i : c.joints)  // those whose directions do not commute
            if (has_quaternion(model.bodies[i].joint))
                add_bracket(model, data, c, model.bodies[i], work.by_given, lambda, hessian);
}

/// λᵀ ∂²τ; data is embedded at q.
Result inverse_hessian(const Model& model, const Workspace<double>& data, SecondDerivatives& work,
                       const double* q, const double* yd, const double* ydd, const double* lambda,
                       MatrixOut<double>& hessian) {
    const Result result = follow_positions(model, data, work, q, yd, ydd, lambda, hessian);
    if (result.ok()) add_rates(model, data, work, lambda, hessian);
    return result;
}

/// First derivatives of forward dynamics, and the forces μ = M⁻¹ λ on which those of inverse dynamics count.
Result forward_derivatives(const Model& model, Workspace<double>& data, SecondDerivatives& work,
                           const double* q, const double* yd, const double* tau, ConstVector<double> lambda) {
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

/// λᵀ ∂²ÿ = −Zᵀ (μᵀ ∂²τ) Z with Z = [1 0 0; 0 1 0; ∂ÿ/∂y ∂ÿ/∂ẏ M⁻¹], from μᵀ ∂²τ in place. In
/// μᵀ ∂²τ the blocks of ÿ with ẏ and ÿ are zero.
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
    for (Table<double>* x : {&acceleration, &force}) x->resize(n);
    for (Table<double>* x : {&forward_by_y, &forward_by_yd, &inverse_mass, &scratch}) x->resize(n * n);
}

Result rnea_second_derivatives(const Model& model, Workspace<double>& data, SecondDerivatives& work,
                               ConstVector<double> q, ConstVector<double> yd, ConstVector<double> ydd,
                               ConstVector<double> lambda, MatrixOut<double> hessian) {
    Result result = prepare(model, data, work, q, yd, ydd, lambda, hessian);
    if (result.ok())
        result = inverse_hessian(model, data, work, q.data(), yd.data(), ydd.data(), lambda.data(), hessian);
    return kernels::delivered_matrices<double, MatrixOut<double>>(result, {&hessian});
}

Result aba_second_derivatives(const Model& model, Workspace<double>& data, SecondDerivatives& work,
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

Result rnea_second_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                               ConstVectorRef ydd, ConstVectorRef lambda) {
    Workspaces& work = data.workspaces();
    auto& second = work.extra<SecondDerivatives>(Extra::second, model);
    const Eigen::Index n = Eigen::Index{3} * model.nv;
    return rnea_second_derivatives(model, work.general, second, q, yd, ydd, lambda,
                                   sized(data.tau_hessian, n, n));
}

Result aba_second_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                              ConstVectorRef tau, ConstVectorRef lambda) {
    Workspaces& work = data.workspaces();
    auto& second = work.extra<SecondDerivatives>(Extra::second, model);
    const Eigen::Index n = Eigen::Index{3} * model.nv;
    return aba_second_derivatives(model, work.general, second, q, yd, tau, lambda,
                                  sized(data.ydd_hessian, n, n));
}

}  // namespace grbda
