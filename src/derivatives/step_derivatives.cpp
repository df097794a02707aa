#include <limits>
#include <utility>

#include "kinematics/configuration.hpp"
#include "kernels/cluster/runge_kutta.hpp"
#include "motion_derivatives.hpp"
#include "model/workspaces.hpp"
#include "derivatives/dynamics_derivatives.hpp"

// A step of an explicit integrator is a chain of motions from its start, integrate(q, δy), and of
// accelerations at their ends; so are its derivatives. The simulator has stages of its own, because it
// displaces all joints and then closes the loops, while a chain of motions displaces the independent ones.

namespace grbda {
namespace {

/// C += A B · scale, column by column; much of B is zero.
template <class S>
void add_product(const MatrixX<S>& A, const MatrixX<S>& B, S scale, MatrixX<S>& C) {
    for (Eigen::Index j = 0; j < B.cols(); ++j)
        for (Eigen::Index k = 0; k < B.rows(); ++k)
            if (const S b = B(k, j) * scale; b != 0) C.col(j) += A.col(k) * b;
}

/// Adds to the columns of C of derivatives by δy, δẏ or δτ.
template <class S>
void add_to(const MatrixX<S>& A, int which, MatrixX<S>& C) {
    const Eigen::Index n = C.rows();
    for (Eigen::Index j = 0; j < A.cols(); ++j)
        for (Eigen::Index i = 0; i < n; ++i) C(i, which * n + j) += A(i, j);
}
template <class S>
void add_identity(int which, MatrixX<S>& C) {
    for (Eigen::Index j = 0; j < C.rows(); ++j) C(j, which * C.rows() + j) += S(1);
}

/// [a, b] of twists [linear; angular], or of angular velocities.
template <class S>
Twist<S> bracket(const Twist<S>& a, const Twist<S>& b) {
    return {cross(a.w, b.v) + cross(a.v, b.w), cross(a.w, b.w)};
}
template <class S>
Twist<S> sum(const Twist<S>& a, const Twist<S>& b, S scale) {
    return {a.v + b.v * scale, a.w + b.w * scale};
}
template <class S>
void put(const Body& body, const int* y, const Twist<S>& twist, S* x) {
    const Vector3<S>* const parts[2] = {&twist.v, &twist.w};
    const bool floats = velocity_size(body.joint) == 6;
    for (int part = floats ? 0 : 1; part < 2; ++part, y += 3) {
        x[y[0]] = parts[part]->x;
        x[y[1]] = parts[part]->y;
        x[y[2]] = parts[part]->z;
    }
}

/// The rate of δ of the present stage, and its derivatives.
///   κ = ẏ + ½ [δ, ẏ] + ⅟₁₂ [δ, [δ, ẏ]] of floating and spherical joints, else ẏ
template <class S>
void find_slope(const Model& model, const Workspace<S>& data, StepDerivatives<S>& work) {
    const S half = S(0.5), twelfth = S(1. / 12);
    work.slope = work.rate;
    work.slope_by = work.rate_by;
    for (const Cluster& c : model.clusters)
        closing::each_whole_joint(model, data, c, [&](const Body& body, const int* y) {
            const Twist<S> delta = twist_of(body, y, work.displacement.data()),
                           rate = twist_of(body, y, work.rate.data()), once = bracket(delta, rate),
                           twice = bracket(delta, once);
            put(body, y, sum(sum(rate, once, half), twice, twelfth), work.slope.data());
            for (Eigen::Index j = 0; j < work.slope_by.cols(); ++j) {
                const Twist<S> d = twist_of(body, y, &work.displacement_by(0, j)),
                               r = twist_of(body, y, &work.rate_by(0, j)),
                               o = sum(bracket(d, rate), bracket(delta, r), S(1)),
                               t = sum(bracket(d, once), bracket(delta, o), S(1));
                put(body, y, sum(sum(r, o, half), t, twelfth), &work.slope_by(0, j));
            }
        });
}

/// work.at and its derivatives: q moved by work.displacement.
template <class S>
Result go(const Model& model, Workspace<S>& data, StepDerivatives<S>& work) {
    Result result = integrate<S>(model, data, work.q, work.displacement, work.at);
    if (result.ok())
        result = integrate_derivatives<S>(model, data, work, work.q, work.displacement, work.by_start,
                                          work.by_displacement);
    work.at_by.setZero();
    add_product(work.by_displacement, work.displacement_by, S(1), work.at_by);
    add_to(work.by_start, 0, work.at_by);
    return result;
}

}  // namespace

namespace step {

template <class S>
Result begin(const Model& model, Workspace<S>& data, StepDerivatives<S>& work, ConstVector<S> q,
             ConstVector<S> yd, ConstVector<S> tau) {
    require_workspace(model, data);
    require_step(model, work);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    require_size("tau", tau.size(), work.inputs);
    const double others = static_cast<double>(kernels::squares(tau.data(), work.inputs));
    if (!kernels::usable<S>(model, q.data(), yd.data(), nullptr, nullptr, others))
        return {Status::not_finite};
    work.q = q;
    work.yd = yd;
    for (VectorX<S>* x : {&work.total_displacement, &work.total_gain}) x->setZero();
    for (MatrixX<S>* x : {&work.total_displacement_by, &work.total_gain_by}) x->setZero();
    return {};
}

/// State of a stage: from the one before, whose rate of change is slope and data.ydd.
template <class S>
Result enter(const Model& model, Workspace<S>& data, StepDerivatives<S>& work, int stage,
             std::type_identity_t<S> h) {
    if (stage == 0) {
        work.at = work.q;
        work.rate = work.yd;
        for (MatrixX<S>* x : {&work.at_by, &work.rate_by, &work.displacement_by}) x->setZero();
        work.displacement.setZero();
        add_identity(0, work.at_by);
        add_identity(1, work.rate_by);
        return {};
    }
    const S portion = S(kernels::runge_kutta::portions[at(stage)]);
    work.displacement = portion * h * work.slope;
    work.displacement_by = portion * h * work.slope_by;
    work.rate = work.yd + portion * h * data.ydd;
    work.rate_by = portion * h * work.gain_by;
    work.displacement_by.rightCols(1) += portion * work.slope;
    work.rate_by.rightCols(1) += portion * data.ydd;
    add_identity(1, work.rate_by);
    return go(model, data, work);
}

template <class S>
void leave(const Model& model, const Workspace<S>& data, StepDerivatives<S>& work, Integrator integrator,
           int stage, std::type_identity_t<S> h) {
    work.gain_by.setZero();
    add_product(work.ydd_by_y, work.at_by, S(1), work.gain_by);
    add_product(work.ydd_by_yd, work.rate_by, S(1), work.gain_by);
    add_to(work.ydd_by_tau, 2, work.gain_by);
    if (integrator == Integrator::semi_implicit_euler) {
        work.total_gain = h * data.ydd;
        work.total_gain_by = h * work.gain_by;
        work.total_displacement = h * (work.yd + work.total_gain);
        work.total_gain_by.rightCols(1) += data.ydd;
        work.total_displacement_by = h * (work.rate_by + work.total_gain_by);
        work.total_displacement_by.rightCols(1) += work.yd + work.total_gain;
        return;
    }
    find_slope(model, data, work);
    const S weight = S(kernels::runge_kutta::weights[at(stage)]);
    work.total_displacement += weight * h * work.slope;
    work.total_displacement_by += weight * h * work.slope_by;
    work.total_gain += weight * h * data.ydd;
    work.total_gain_by += weight * h * work.gain_by;
    work.total_displacement_by.rightCols(1) += weight * work.slope;
    work.total_gain_by.rightCols(1) += weight * data.ydd;
}

template <class S>
Result finish(const Model& model, Workspace<S>& data, StepDerivatives<S>& work, Result result,
              VectorOut<S> q_next, VectorOut<S> yd_next, MatrixOut<S> A, MatrixOut<S> B) {
    const Eigen::Index n = model.nv;
    require_size("q_next", q_next.size(), model.nq);
    require_size("yd_next", yd_next.size(), n);
    require_size("A (rows)", A.rows(), 2 * n);
    require_size("A (columns)", A.cols(), 2 * n);
    require_size("B (rows)", B.rows(), 2 * n);
    require_size("B (columns)", B.cols(), work.inputs);
    if (result.ok()) {
        std::swap(work.displacement, work.total_displacement);
        std::swap(work.displacement_by, work.total_displacement_by);
        result = go(model, data, work);
        add_identity(1, work.total_gain_by);
        q_next = work.at;
        yd_next = work.yd + work.total_gain;
        A << work.at_by.leftCols(2 * n), work.total_gain_by.leftCols(2 * n);
        B << work.at_by.middleCols(2 * n, work.inputs), work.total_gain_by.middleCols(2 * n, work.inputs);
        work.by_duration << work.at_by.rightCols(1), work.total_gain_by.rightCols(1);
    }
    result = delivered<S>(result, A, B);
    if (result.ok() &&
        !(kernels::all_finite(q_next.data(), model.nq) && kernels::all_finite(yd_next.data(), model.nv))) {
        result = {Status::not_finite};
        static_cast<void>(delivered<S>(result, A, B));
    }
    if (!result.ok()) {
        kernels::clear<S>(q_next);
        kernels::clear<S>(yd_next);
        work.by_duration.setConstant(std::numeric_limits<S>::quiet_NaN());
    }
    return result;
}

}  // namespace step

#define GRBDA_INSTANTIATE(S)                                                                                \
    template Result step::begin<S>(const Model&, Workspace<S>&, StepDerivatives<S>&, ConstVector<S>,        \
                                   ConstVector<S>, ConstVector<S>);                                         \
    template Result step::enter<S>(const Model&, Workspace<S>&, StepDerivatives<S>&, int, S);               \
    template void step::leave<S>(const Model&, const Workspace<S>&, StepDerivatives<S>&, Integrator, int,   \
                                 S);                                                                        \
    template Result step::finish<S>(const Model&, Workspace<S>&, StepDerivatives<S>&, Result, VectorOut<S>, \
                                    VectorOut<S>, MatrixOut<S>, MatrixOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

Result integrate_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef delta) {
    Workspaces& work = data.workspaces();
    auto& step = work.extra<StepDerivatives<double>>(Extra::step, model);
    return integrate_derivatives<double>(model, work.general, step, q, delta,
                                         sized(data.dout_dq, model.nv, model.nv),
                                         sized(data.dout_ddelta, model.nv, model.nv));
}

Result difference_derivatives(const Model& model, Data& data, ConstVectorRef q0, ConstVectorRef q1) {
    Workspaces& work = data.workspaces();
    auto& step = work.extra<StepDerivatives<double>>(Extra::step, model);
    return difference_derivatives<double>(model, work.general, step, q0, q1,
                                          sized(data.ddelta_dq0, model.nv, model.nv),
                                          sized(data.ddelta_dq1, model.nv, model.nv));
}

Result step_derivatives(const Model& model, Data& data, Integrator integrator, ConstVectorRef q,
                        ConstVectorRef yd, ConstVectorRef tau, double h) {
    Workspaces& work = data.workspaces();
    auto& step = work.extra<StepDerivatives<double>>(Extra::step, model);
    const Eigen::Index n = model.nv;
    const auto dynamics = [&](ConstVectorRef at, ConstVectorRef rate, ConstVectorRef force, MatrixRef by_y,
                              MatrixRef by_yd, MatrixRef by_tau) {
        return aba_derivatives<double>(model, work.general, at, rate, force, by_y, by_yd, by_tau);
    };
    const Result result = step_derivatives<double>(
        model, work.general, step, integrator, q, yd, tau, h, dynamics, data.q_next, data.yd_next,
        sized(data.dnext_dx, 2 * n, 2 * n), sized(data.dnext_dtau, 2 * n, n));
    data.dnext_dh = step.by_duration;
    return result;
}

}  // namespace grbda
