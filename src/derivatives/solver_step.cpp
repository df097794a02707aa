#include "grbda/derivatives/solver_step.hpp"

#include <algorithm>

#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "kernels/integration.hpp"
#include "kernels/outcome.hpp"
#include "moving_state.hpp"
#include "solver_forces.hpp"

namespace grbda {
namespace {

using Moving = SolverStep::Moving;
constexpr int places = Moving::directions;

/// True if all independent coordinates are numbers in q.
bool has_coordinates(const Model& model) {
    return std::all_of(model.independent.begin(), model.independent.end(),
                       [&](int dof) { return kernels::position_index(model, dof) >= 0; });
}

/// Calls use(y, number of q) for every independent coordinate.
template <class Use>
void each_number(const Model& model, const Data<double>& data, const Use& use) {
    for (const Cluster& c : model.clusters)
        for (int j = c.y_begin; j < c.y_begin + c.m; ++j)
            use(model.y_index[j], kernels::position_index(model, data.chart.independent[j]));
}

void require_step_of(const Model& model, const SolverStep& work) {
    require_fit("SolverStep", model, work.step.bodies, work.step.layout);
}

/// Derivatives of τ by y and ẏ on numbers with derivatives; data is embedded at q.
void differentiate(const Model& model, const Data<double>& data, SolverStep& work, const double* q,
                   const double* yd, const double* u) {
    const int n = model.nv;
    Data<Moving>& moving = *work.moving;
    moving.chart = data.chart;
    for (int i = 0; i < work.nu; ++i) work.moving_u[i] = Moving(u[i]);
    for (int first = 0; first < 2 * n; first += places) {
        const auto seed = [&](int y, int place) { return y == first + place ? 1. : 0.; };
        move_positions<places>(model, data, q, seed, work.moving_q.data());
        for (int i = 0; i < n; ++i) {
            work.moving_yd[i] = Moving(yd[i]);
            if (const int place = n + i - first; place >= 0 && place < places)
                work.moving_yd[i].slope[place] = 1;
        }
        kernels::positions(model, moving, work.moving_q.data());
        kernels::applied_forces(model, moving, work.applied, work.moving_q.data(), work.moving_yd.data(),
                                work.moving_u.data(), work.moving_scratch.data(), work.moving_tau.data());
        for (int l = 0; l < places && first + l < 2 * n; ++l) {
            const int direction = first + l;
            MatrixX<double>& by = direction < n ? work.tau_y : work.tau_yd;
            for (int i = 0; i < n; ++i) by(i, direction % n) = work.moving_tau[i].slope[l];
        }
    }
}

/// τ = J_mᵀ u: its derivative by u.
void put_motors(const Model& model, const Data<double>& data, SolverStep& work) {
    if (!work.applied.has_motors()) {
        work.tau_u.setIdentity();
        return;
    }
    work.tau_u.setZero();
    for (std::size_t m = 0; m < work.applied.motors.size(); ++m) {
        const Motor& motor = work.applied.motors[m];
        const Cluster& c = model.clusters[model.bodies[model.dof_body[motor.dof]].cluster];
        for (int j = 0; j < c.m; ++j)
            work.tau_u(model.y_index[c.y_begin + j], static_cast<Eigen::Index>(m)) =
                motor.reduction * kernels::embedding_entry(model, data, c, motor.dof - c.dof_begin, j);
    }
}

/// ÿ and its derivatives by y, ẏ and u.
Result accelerate(const Model& model, Data<double>& data, SolverStep& work, ConstVector<double> q,
                  ConstVector<double> yd, ConstVector<double> u, MatrixX<double>& by_y,
                  MatrixX<double>& by_yd, MatrixX<double>& by_u) {
    if (!work.applied.any()) return aba_derivatives<double>(model, data, q, yd, u, by_y, by_yd, by_u);
    Result result = solver_forces(model, data, work, q, yd, u);
    if (result.ok())
        result = aba_derivatives<double>(model, data, q, yd, work.tau, by_y, by_yd, work.inverse);
    if (!result.ok()) return result;
    by_y.noalias() += work.inverse.lazyProduct(work.tau_y);
    by_yd.noalias() += work.inverse.lazyProduct(work.tau_yd);
    by_u.noalias() = work.inverse.lazyProduct(work.tau_u);
    return result;
}

/// Makes the derivatives of a step, at q, those of x.
Result put_jacobian(const Model& model, Data<double>& data, SolverStep& work, ConstVector<double> x,
                    ConstVector<double> q_ref, ConstVector<double> q_ref_next, MatrixOut<double> J) {
    const Eigen::Index n = model.nv;
    J << work.A, work.B, work.step.by_duration;
    if (!work.displacements) return {};
    work.d = x.head(n);
    Result result =
        integrate_derivatives<double>(model, data, work.step, q_ref, work.d, work.by_first, work.by_second);
    if (!result.ok()) return result;
    J.leftCols(n).noalias() = work.A.leftCols(n).lazyProduct(work.by_second);
    result = difference_derivatives<double>(model, data, work.step, q_ref_next, work.q_next, work.by_first,
                                            work.by_second);
    if (!result.ok()) return result;
    for (Eigen::Index j = 0; j < J.cols(); ++j) {
        work.d = J.col(j).head(n);
        J.col(j).head(n).noalias() = work.by_second.lazyProduct(work.d);
    }
    return {};
}

}  // namespace

SolverStep::SolverStep(const Model& model, const SolverOptions& given)
    : options(given),
      applied(applied_forces_of(model, given.motors, given.joint_forces)),
      step(model, applied.inputs(model)) {
    const int n = model.nv;
    nx = 2 * n;
    nu = applied.inputs(model);
    displacements = given.displacements || !has_coordinates(model);
    for (VectorX<double>* v : {&q, &q_next}) v->setZero(model.nq);
    for (VectorX<double>* v : {&yd, &d, &tau}) v->setZero(n);
    for (MatrixX<double>* M : {&tau_y, &tau_yd, &inverse, &by_first, &by_second}) M->setZero(n, n);
    tau_u.setZero(n, nu);
    A.setZero(nx, nx);
    B.setZero(nx, nu);
    if (!applied.any()) return;
    moving.emplace(model);
    moving_q.resize(at(model.nq));
    for (Table<Moving>* x : {&moving_yd, &moving_tau}) x->resize(at(n));
    moving_u.resize(at(nu));
    moving_scratch.resize(at(2 * model.nv_tree));
    scratch.resize(at(2 * model.nv_tree));
}

Result solver_forces(const Model& model, Data<double>& data, SolverStep& work, ConstVector<double> q,
                     ConstVector<double> yd, ConstVector<double> u) {
    require_workspace(model, data);
    require_step_of(model, work);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("u", u.size(), work.nu);
    Result result{Status::not_finite};
    const double others = kernels::squares(u.data(), work.nu);
    if (kernels::usable<double>(model, q.data(), yd.data(), nullptr, nullptr, others)) {
        kernels::positions(model, data, q.data());
        result = kernels::constraint_outcome(model, data);
        if (!work.applied.any()) {
            work.tau = u;
            work.tau_y.setZero();
            work.tau_yd.setZero();
        } else {
            kernels::applied_forces(model, data, work.applied, q.data(), yd.data(), u.data(),
                                    work.scratch.data(), work.tau.data());
            differentiate(model, data, work, q.data(), yd.data(), u.data());
        }
        put_motors(model, data, work);
    }
    return kernels::delivered<double>(result, work.tau);
}

Result solver_configuration(const Model& model, Data<double>& data, SolverStep& work, ConstVector<double> x,
                            ConstVector<double> q_ref, VectorOut<double> q) {
    require_workspace(model, data);
    require_step_of(model, work);
    require_size("x", x.size(), model.nv);
    require_size("q_ref", q_ref.size(), model.nq);
    require_size("q", q.size(), model.nq);
    if (!work.displacements)
        for (const Cluster& c : model.clusters)
            if (kernels::is_on_tangent(data, c))
                throw std::invalid_argument(
                    "solver_step: tangent coordinates have no positions; set SolverOptions::displacements");
    work.d = x;
    if (!work.displacements) each_number(model, data, [&](int y, int i) { work.d[y] -= q_ref[i]; });
    const Result result = integrate<double>(model, data, q_ref, work.d, q);
    if (result.ok() && !work.displacements)  // without the rounding of the difference
        each_number(model, data, [&](int y, int i) { q[i] = x[y]; });
    return kernels::delivered<double>(result, q);
}

Result solver_step(const Model& model, Data<double>& data, SolverStep& work, ConstVector<double> x,
                   ConstVector<double> u, ConstVector<double> q_ref, ConstVector<double> q_ref_next, double h,
                   VectorOut<double> x_next, MatrixOut<double> J) {
    const int n = model.nv;
    require_size("x", x.size(), work.nx);
    require_size("u", u.size(), work.nu);
    require_size("q_ref_next", q_ref_next.size(), model.nq);
    require_size("x_next", x_next.size(), work.nx);
    require_size("J (rows)", J.rows(), work.nx);
    require_size("J (columns)", J.cols(), work.nx + work.nu + 1);
    work.yd = x.tail(n);
    Result result = solver_configuration(model, data, work, x.head(n), q_ref, work.q);
    if (result.ok())
        result = step_derivatives<double>(
            model, data, work.step, work.options.integrator, work.q, work.yd, u, h,
            [&](ConstVector<double> q, ConstVector<double> yd, ConstVector<double> inputs,
                MatrixX<double>& by_y, MatrixX<double>& by_yd, MatrixX<double>& by_u) {
                return accelerate(model, data, work, q, yd, inputs, by_y, by_yd, by_u);
            },
            work.q_next, work.yd, work.A, work.B);
    if (result.ok()) result = put_jacobian(model, data, work, x, q_ref, q_ref_next, J);
    if (result.ok()) {
        x_next.tail(n) = work.yd;
        if (work.displacements)
            result = difference<double>(model, data, q_ref_next, work.q_next, work.d);
        else
            each_number(model, data, [&](int y, int i) { work.d[y] = work.q_next[i]; });
        x_next.head(n) = work.d;
    }
    result = kernels::delivered_matrices<double, MatrixOut<double>>(result, {&J});
    if (result.ok()) result = kernels::delivered<double>(result, x_next);
    if (!result.ok()) {
        kernels::clear<double>(x_next);
        kernels::clear<double>(J);
    }
    return result;
}

}  // namespace grbda
