#include "dynamics.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>

#include "grbda/constraints/embedding.hpp"
#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/joint_forces.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"

namespace mpc {
namespace {

constexpr double kDifference = 1e-6;  // rounding and curvature cause about the same error here

bool any(const grbda::Table<double>& figures) {
    return std::any_of(figures.begin(), figures.end(), [](double x) { return x != 0; });
}

}  // namespace

Dynamics::Dynamics(const grbda::Model& model, Derivatives how)
    : model_(model),
      how_(how),
      stiffness_(Vector::Zero(model.nv)),
      damping_(Vector::Zero(model.nv)),
      data_(model),
      tau_(model.nv),
      delta_(model.nv),
      q_(model.nq),
      ydd_(model.nv),
      by_y_(model.nv, model.nv),
      by_yd_(model.nv, model.nv),
      by_tau_(model.nv, model.nv),
      J_(6, model.nv) {
    const grbda::PassiveForces& passive = model.passive;
    Vector stiffness = Eigen::Map<const Vector>(passive.stiffness.data(), model.nv_tree),
           damping = Eigen::Map<const Vector>(passive.damping.data(), model.nv_tree);
    passive_ = any(passive.stiffness) || any(passive.damping);
    int i = 0;
    for (const grbda::Coordinate& y : grbda::independent_coordinates(model)) {
        const grbda::Body& body = model.bodies[y.body];
        if (grbda::has_quaternion(body.joint))
            throw std::invalid_argument("y has coordinates of joint '" + model.names.joints[y.body] +
                                        "', which has a quaternion: hold it by a mount, or freeze it");
        const int v = body.v + y.component;
        stiffness_[i] = stiffness[v];
        damping_[i++] = damping[v];
        stiffness[v] = damping[v] = 0;
    }
    if (stiffness.any() || damping.any() || any(passive.friction) || !passive.tendons.empty() ||
        !passive.weights.empty())
        throw std::invalid_argument("expected only springs and dampers on independent joints");
}

template <class Call>
bool Dynamics::engine(const Call& call) {
    const auto begin = std::chrono::steady_clock::now();
    const bool ok = call().ok();
    engine_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return ok;
}

/// Sets tau_ to τ plus the forces of springs and dampers.
bool Dynamics::applied_forces(const State& at, const Vector& tau) {
    tau_ = tau;
    if (!passive_) return true;
    if (!engine([&] { return grbda::spanning_velocity(model_, data_, at.q, at.yd); }) ||
        !engine([&] { return grbda::joint_forces(model_, data_, at.q, data_.qd); }))
        return false;
    tau_ += data_.tau;
    return true;
}

bool Dynamics::acceleration(const Vector& q, const Vector& yd, const Vector& tau, Vector& ydd) {
    if (!engine([&] { return grbda::aba(model_, data_, q, yd, tau); })) return false;
    ydd = data_.ydd;
    return true;
}

bool Dynamics::step(const State& from, const Vector& tau, double h, State& to) {
    if (!applied_forces(from, tau) || !acceleration(from.q, from.yd, tau_, ydd_)) return false;
    to.yd = from.yd + h * ydd_;
    to.q.resize(model_.nq);
    delta_ = h * to.yd;
    return engine([&] { return grbda::integrate(model_, data_, from.q, delta_, to.q); });
}

bool Dynamics::difference(const State& from, const State& to, Vector& dx) {
    dx.resize(2 * model_.nv);
    dx.tail(model_.nv) = to.yd - from.yd;
    return engine([&] { return grbda::difference(model_, data_, from.q, to.q, dx.head(model_.nv)); });
}

bool Dynamics::exact_derivatives(const State& at) {
    if (!engine([&] { return grbda::aba_derivatives(model_, data_, at.q, at.yd, tau_); })) return false;
    by_y_ = data_.dydd_dy;
    by_yd_ = data_.dydd_dyd;
    by_tau_ = data_.M_inverse;
    return true;
}

/// Adds ÿ with coordinate i changed, over twice the change, to column i of each matrix.
bool Dynamics::column(const State& at, int i, double change, Matrix& by_y, Matrix& by_yd, Matrix& by_tau) {
    const double scale = 1 / (2 * change);
    delta_.setZero();
    delta_[i] = change;
    if (!engine([&] { return grbda::integrate(model_, data_, at.q, delta_, q_); }) ||
        !acceleration(q_, at.yd, tau_, ydd_))
        return false;
    by_y.col(i) += scale * ydd_;
    if (!acceleration(at.q, at.yd + delta_, tau_, ydd_)) return false;
    by_yd.col(i) += scale * ydd_;
    if (!acceleration(at.q, at.yd, tau_ + delta_, ydd_)) return false;
    by_tau.col(i) += scale * ydd_;
    return true;
}

bool Dynamics::difference_derivatives(const State& at) {
    for (Matrix* by : {&by_y_, &by_yd_, &by_tau_}) by->setZero();
    for (int i = 0; i < model_.nv; ++i)
        for (const double change : {kDifference, -kDifference})
            if (!column(at, i, change, by_y_, by_yd_, by_tau_)) return false;
    return true;
}

bool Dynamics::linearise(const State& at, const Vector& tau, double h, Expansion& out) {
    const int n = model_.nv;
    if (!applied_forces(at, tau)) return false;
    if (!(how_ == Derivatives::exact ? exact_derivatives(at) : difference_derivatives(at))) return false;
    if (passive_) {  // both kinds: springs and dampers are linear in y and ẏ here
        by_y_ -= by_tau_ * stiffness_.asDiagonal();
        by_yd_ -= by_tau_ * damping_.asDiagonal();
    }
    out.A.setIdentity(2 * n, 2 * n);
    out.B.resize(2 * n, n);
    out.A.bottomLeftCorner(n, n) = h * by_y_;
    out.A.bottomRightCorner(n, n) += h * by_yd_;
    out.B.bottomRows(n) = h * by_tau_;
    // δq⁺ = δq + h δẏ⁺: integrate() adds δy to independent joints
    out.A.topRows(n) += h * out.A.bottomRows(n);
    out.B.topRows(n) = h * out.B.bottomRows(n);
    return true;
}

double Dynamics::cost(const Cost& cost, const State& at, const Vector* tau) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    Vector dx;
    if (!difference(cost.goal, at, dx)) return infinite;
    double sum = cost.y_weight.dot(dx.head(model_.nv).cwiseAbs2()) +
                 cost.yd_weight.dot(dx.tail(model_.nv).cwiseAbs2());
    if (tau) sum += cost.tau_weight.dot((*tau - cost.tau_goal).cwiseAbs2());
    if (cost.frame >= 0) {
        if (!engine([&] { return grbda::forward_kinematics(model_, data_, at.q); })) return infinite;
        sum +=
            cost.point_weight * (grbda::frame_position(model_, data_, cost.frame) - cost.point).squaredNorm();
    }
    return std::isfinite(sum) ? sum / 2 : infinite;
}

bool Dynamics::expand(const Cost& cost, const State& at, const Vector* tau, Expansion& out) {
    const int n = model_.nv;
    if (!difference(cost.goal, at, out.x)) return false;
    out.x.head(n).array() *= cost.y_weight.array();
    out.x.tail(n).array() *= cost.yd_weight.array();
    out.xx.setZero(2 * n, 2 * n);
    out.xx.diagonal() << cost.y_weight, cost.yd_weight;
    out.uu = cost.tau_weight;
    if (tau) out.u = cost.tau_weight.cwiseProduct(*tau - cost.tau_goal);
    if (cost.frame < 0) return true;
    if (!engine([&] { return grbda::forward_kinematics(model_, data_, at.q); })) return false;
    grbda::frame_jacobian(model_, data_, cost.frame, grbda::ReferenceFrame::world_aligned, J_);
    const auto J = J_.topRows<3>();
    const Eigen::Vector3d miss = grbda::frame_position(model_, data_, cost.frame) - cost.point;
    out.x.head(n) += cost.point_weight * J.transpose() * miss;
    out.xx.topLeftCorner(n, n) += cost.point_weight * J.transpose() * J;
    return true;
}

}  // namespace mpc
