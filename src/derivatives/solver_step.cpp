#include "derivatives/solver_step.hpp"

#include <algorithm>

#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "kinematics/configuration.hpp"
#include "closing/integration.hpp"
#include "kernels/cluster/outcome.hpp"
#include "moving_state.hpp"
#include "solver_forces.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

using Moving = SolverWorkspace::Moving;
constexpr int places = Moving::directions;

/// True if all independent coordinates are numbers in q.
bool has_coordinates(const Model& model) {
    return std::all_of(model.independent.begin(), model.independent.end(),
                       [&](int dof) { return kernels::position_index(model, dof) >= 0; });
}

/// Calls use(y, number of q) for every independent coordinate.
template <class Use>
void each_number(const Model& model, const Workspace<double>& data, const Use& use) {
    for (const Cluster& c : model.clusters)
        for (int j = c.y_begin; j < c.y_begin + c.m; ++j)
            use(model.y_index[j], kernels::position_index(model, data.chart.independent[j]));
}

void require_step_of(const Model& model, const SolverWorkspace& work) {
    require_fit("SolverWorkspace", model, work.step.bodies, work.step.layout);
}

/// Derivatives of τ by y and ẏ on numbers with derivatives; data is embedded at q.
void differentiate(const Model& model, const Workspace<double>& data, SolverWorkspace& work, const double* q,
                   const double* yd, const double* u) {
    const int n = model.nv;
    Workspace<Moving>& moving = *work.moving;
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
void put_motors(const Model& model, const Workspace<double>& data, SolverWorkspace& work) {
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

/// ÿ and its derivatives by y, ẏ and u, which are valid if the result is ok.
Result accelerate(const Model& model, Workspace<double>& data, SolverWorkspace& work, ConstVector<double> q,
                  ConstVector<double> yd, ConstVector<double> u, MatrixOut<double> by_y,
                  MatrixOut<double> by_yd, MatrixOut<double> by_u) {
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

/// work.tau without derivatives.
Result put_forces(const Model& model, Workspace<double>& data, SolverWorkspace& work, ConstVector<double> q,
                  ConstVector<double> yd, ConstVector<double> u) {
    Result result{Status::not_finite};
    const double others = kernels::squares(u.data(), work.nu);
    if (kernels::usable<double>(model, q.data(), yd.data(), nullptr, nullptr, others)) {
        kernels::positions(model, data, q.data());
        result = kernels::constraint_outcome(model, data);
        kernels::applied_forces(model, data, work.applied, q.data(), yd.data(), u.data(), work.scratch.data(),
                                work.tau.data());
    }
    return kernels::delivered<double>(result, work.tau);
}

void require_state(const Model& model, ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u,
                   const SolverWorkspace& work) {
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("u", u.size(), work.nu);
}

/// The rest of a step from work.q in coordinates: x⁺ = (y + δy, ẏ⁺). No configuration at x⁺ is needed, so
/// that x⁺ may be beyond a pose where assembly modes cross.
Result step_by_coordinates(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                           ConstVector<double> x, ConstVector<double> u, double h, VectorOut<double> x_next,
                           MatrixOut<double> J) {
    StepDerivatives<double>& s = work.step;
    Result result = step::begin<double>(model, data, s, work.q, work.yd, u);
    for (int stage = 0; result.ok() && stage < step::stages(work.options.integrator); ++stage) {
        result = step::enter<double>(model, data, s, stage, h);
        if (result.ok())
            result = accelerate(model, data, work, s.at, s.rate, u, s.ydd_by_y, s.ydd_by_yd, s.ydd_by_tau);
        if (result.ok()) step::leave<double>(model, data, s, work.options.integrator, stage, h);
    }
    x_next << s.total_displacement, s.total_gain;
    x_next += x;
    J << s.total_displacement_by, s.total_gain_by;
    J.diagonal().array() += 1;
    return result;
}

/// The same in displacements, from and to references.
Result step_by_displacements(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                             ConstVector<double> x, ConstVector<double> u, ConstVector<double> q_ref,
                             ConstVector<double> q_ref_next, double h, VectorOut<double> x_next,
                             MatrixOut<double> J) {
    const Eigen::Index n = model.nv;
    Result result =
        solver_state_step(model, data, work, work.q, work.yd, u, h, work.q_next, work.yd, work.A, work.B);
    if (!result.ok()) return result;
    work.d = x.head(n);
    result =
        integrate_derivatives<double>(model, data, work.step, q_ref, work.d, work.by_first, work.by_second);
    if (!result.ok()) return result;
    J << work.A, work.B, work.step.by_duration;
    J.leftCols(n).noalias() = work.A.leftCols(n).lazyProduct(work.by_second);
    result = difference_derivatives<double>(model, data, work.step, q_ref_next, work.q_next, work.by_first,
                                            work.by_second);
    if (!result.ok()) return result;
    for (Eigen::Index j = 0; j < J.cols(); ++j) {
        work.d = J.col(j).head(n);
        J.col(j).head(n).noalias() = work.by_second.lazyProduct(work.d);
    }
    result = difference<double>(model, data, q_ref_next, work.q_next, work.d);
    x_next << work.d, work.yd;
    return result;
}

}  // namespace

SolverWorkspace::SolverWorkspace(const Model& model, const SolverOptions& given)
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

Result solver_forces(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                     ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u) {
    require_workspace(model, data);
    require_step_of(model, work);
    require_state(model, q, yd, u, work);
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

Result solver_acceleration(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                           ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u) {
    require_workspace(model, data);
    require_step_of(model, work);
    require_state(model, q, yd, u, work);
    if (!work.applied.any()) return aba<double>(model, data, q, yd, u);
    Result result = put_forces(model, data, work, q, yd, u);
    if (result.ok()) return aba<double>(model, data, q, yd, work.tau);
    return kernels::delivered<double>(result, data.ydd);
}

Result solver_acceleration(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                           ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u,
                           MatrixOut<double> dydd_dy, MatrixOut<double> dydd_dyd, MatrixOut<double> dydd_du) {
    require_workspace(model, data);
    require_step_of(model, work);
    require_state(model, q, yd, u, work);
    require_size("dydd_dy (rows)", dydd_dy.rows(), model.nv);
    require_size("dydd_dy (columns)", dydd_dy.cols(), model.nv);
    require_size("dydd_dyd (rows)", dydd_dyd.rows(), model.nv);
    require_size("dydd_dyd (columns)", dydd_dyd.cols(), model.nv);
    require_size("dydd_du (rows)", dydd_du.rows(), model.nv);
    require_size("dydd_du (columns)", dydd_du.cols(), work.nu);
    Result result = accelerate(model, data, work, q, yd, u, dydd_dy, dydd_dyd, dydd_du);
    result = kernels::delivered_matrices<double, MatrixOut<double>>(result, {&dydd_dy, &dydd_dyd, &dydd_du});
    return kernels::delivered<double>(result, data.ydd);
}

Result solver_state_step(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                         ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u, double h,
                         VectorOut<double> q_next, VectorOut<double> yd_next) {
    if (work.options.integrator != Integrator::semi_implicit_euler)
        return solver_state_step(model, data, work, q, yd, u, h, q_next, yd_next, work.A, work.B);
    require_size("q_next", q_next.size(), model.nq);
    require_size("yd_next", yd_next.size(), model.nv);
    Result result = solver_acceleration(model, data, work, q, yd, u);
    if (result.ok()) {
        yd_next = yd + h * data.ydd;
        work.d = h * yd_next;
        result = integrate<double>(model, data, q, work.d, q_next);
    }
    result = kernels::delivered<double>(kernels::delivered<double>(result, q_next), yd_next);
    if (!result.ok()) kernels::clear<double>(q_next);
    return result;
}

Result solver_state_step(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                         ConstVector<double> q, ConstVector<double> yd, ConstVector<double> u, double h,
                         VectorOut<double> q_next, VectorOut<double> yd_next, MatrixOut<double> A,
                         MatrixOut<double> B) {
    require_step_of(model, work);
    const auto dynamics = [&](ConstVector<double> at, ConstVector<double> rate, ConstVector<double> inputs,
                              MatrixX<double>& by_y, MatrixX<double>& by_yd, MatrixX<double>& by_u) {
        return accelerate(model, data, work, at, rate, inputs, by_y, by_yd, by_u);
    };
    return step_derivatives<double>(model, data, work.step, work.options.integrator, q, yd, u, h, dynamics,
                                    q_next, yd_next, A, B);
}

Result solver_configuration(const Model& model, Workspace<double>& data, SolverWorkspace& work,
                            ConstVector<double> x, ConstVector<double> q_ref, VectorOut<double> q) {
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

Result solver_step(const Model& model, Workspace<double>& data, SolverWorkspace& work, ConstVector<double> x,
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
        result = work.displacements
                     ? step_by_displacements(model, data, work, x, u, q_ref, q_ref_next, h, x_next, J)
                     : step_by_coordinates(model, data, work, x, u, h, x_next, J);
    result = kernels::delivered_matrices<double, MatrixOut<double>>(result, {&J});
    if (result.ok()) result = kernels::delivered<double>(result, x_next);
    if (!result.ok()) {
        kernels::clear<double>(x_next);
        kernels::clear<double>(J);
    }
    return result;
}

SolverStep::SolverStep(const Model& model, const SolverOptions& given)
    : options(given), workspace_(std::make_unique<SolverWorkspace>(model, given)) {
    nx = workspace_->nx;
    nu = workspace_->nu;
    has_motors = workspace_->applied.has_motors();
    displacements = workspace_->displacements;
    const int n = model.nv;
    for (Eigen::VectorXd* v : {&q, &q_next}) v->setZero(model.nq);
    for (Eigen::VectorXd* v : {&yd_next, &tau}) v->setZero(n);
    for (Eigen::MatrixXd* M : {&tau_y, &tau_yd, &dydd_dy, &dydd_dyd}) M->setZero(n, n);
    for (Eigen::MatrixXd* M : {&tau_u, &dydd_du}) M->setZero(n, nu);
    x_next.setZero(nx);
    J.setZero(nx, nx + nu + 1);
    A.setZero(nx, nx);
    B.setZero(nx, nu);
}
SolverStep::SolverStep(SolverStep&&) noexcept = default;
SolverStep& SolverStep::operator=(SolverStep&&) noexcept = default;
SolverStep::~SolverStep() = default;

SolverWorkspace& SolverStep::workspace() const {
    if (workspace_ == nullptr) throw std::invalid_argument("SolverStep is empty: it was moved from");
    return *workspace_;
}

Result solver_configuration(const Model& model, Data& data, SolverStep& work, ConstVectorRef x,
                            ConstVectorRef q_ref) {
    return solver_configuration(model, data.workspaces().general, work.workspace(), x, q_ref, work.q);
}

Result solver_step(const Model& model, Data& data, SolverStep& work, const SolverPoint& at) {
    return solver_step(model, data.workspaces().general, work.workspace(), at.x, at.u, at.q_ref,
                       at.q_ref_next, at.h, work.x_next, work.J);
}

Result solver_forces(const Model& model, Data& data, SolverStep& work, ConstVectorRef q, ConstVectorRef yd,
                     ConstVectorRef u) {
    const SolverWorkspace& found = work.workspace();
    const Result result = solver_forces(model, data.workspaces().general, work.workspace(), q, yd, u);
    work.tau = found.tau;
    work.tau_y = found.tau_y;
    work.tau_yd = found.tau_yd;
    work.tau_u = found.tau_u;
    return result;
}

Result solver_acceleration(const Model& model, Data& data, SolverStep& work, ConstVectorRef q,
                           ConstVectorRef yd, ConstVectorRef u) {
    Workspace<double>& general = data.workspaces().general;
    const Result result = solver_acceleration(model, general, work.workspace(), q, yd, u);
    copy_result(general.ydd, data.ydd);
    return result;
}
Result solver_acceleration_derivatives(const Model& model, Data& data, SolverStep& work, ConstVectorRef q,
                                       ConstVectorRef yd, ConstVectorRef u) {
    Workspace<double>& general = data.workspaces().general;
    const Result result = solver_acceleration(model, general, work.workspace(), q, yd, u, work.dydd_dy,
                                              work.dydd_dyd, work.dydd_du);
    copy_result(general.ydd, data.ydd);
    return result;
}

Result solver_state_step(const Model& model, Data& data, SolverStep& work, ConstVectorRef q,
                         ConstVectorRef yd, ConstVectorRef u, double h) {
    return solver_state_step(model, data.workspaces().general, work.workspace(), q, yd, u, h, work.q_next,
                             work.yd_next);
}
Result solver_state_step_derivatives(const Model& model, Data& data, SolverStep& work, ConstVectorRef q,
                                     ConstVectorRef yd, ConstVectorRef u, double h) {
    return solver_state_step(model, data.workspaces().general, work.workspace(), q, yd, u, h, work.q_next,
                             work.yd_next, work.A, work.B);
}

}  // namespace grbda
