#include "adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dormand_prince.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/energy.hpp"
#include "kinematics/configuration.hpp"
#include "joint_displacements.hpp"
#include "twists.hpp"

namespace grbda::simulation {
namespace {

using dormand_prince::stages;

auto weights(const dormand_prince::Row& row, int count) {
    return Eigen::Map<const VectorX<double>>(row.data(), count);
}

/// Returns whether dexp⁻¹ of a rotation is near its pole at 2π.
bool turns_too_far(const Model& model, const VectorX<double>& displacement) {
    constexpr double most = 3;  // rad
    for (const Body& body : model.bodies) {
        if (!has_quaternion(body.joint)) continue;
        const Vector3<double> angle = twist_of(body, displacement).angular;
        if (!(dot(angle, angle) < most * most)) return true;
    }
    return false;
}

/// Combines the error estimates of orders 5 and 3 as DOP853 does.
double combined(double error_5, double error_3) {
    const double square = error_5 * error_5, sum = square + 0.01 * error_3 * error_3;
    return sum > 0 ? square / std::sqrt(sum) : 0;
}

}  // namespace

Adaptive::Adaptive(const Setting& setting)
    : limits_(setting), q_(neutral_configuration(setting.model)), powers_(stages + 2) {
    for (VectorX<double>* x : {&yd_, &ydd_}) x->setZero(setting.model.nv);
    for (VectorX<double>* x : {&tau_s_, &displacement_, &end_rate_}) x->setZero(setting.model.nv_tree);
    rates_.setZero(setting.model.nv_tree, stages + 2);
    accelerations_.setZero(setting.model.nv, stages + 2);
    leaving_.reserve(limits_.bounds().size());
}

Result Adaptive::begin(const Setting& setting, Workspace<double>& data, State& state,
                       const Controls& controls, double& work) {
    count_ = 0;
    time_ = 0;
    begun_ = false;
    const Result result = limits_.settle(setting, data, state.q, controls, -1, state.yd);
    work += limits_.work();
    return result;
}

/// Computes rates, accelerations and power at q_ and yd_.
Result Adaptive::evaluate(const Setting& setting, Workspace<double>& data, const Controls& controls,
                          int stage) {
    const Model& model = setting.model;
    if (const Result result = spanning_velocity<double>(model, data, q_, yd_); !result.ok()) return result;
    rates_.col(stage) = data.qd;
    if (const Result result = move_freely(setting, data, q_, yd_, controls, tau_s_); !result.ok())
        return result;
    ydd_ = data.ydd;
    if (const Result result = limits_.constrain(setting, data, q_, yd_, ydd_); !result.ok()) return result;
    accelerations_.col(stage) = ydd_;
    auto rate = rates_.col(stage);
    powers_[stage] = rate.dot(tau_s_) - rate.cwiseAbs2().dot(setting.forces.damping());
    return {};
}

Result Adaptive::attempt(const Setting& setting, Workspace<double>& data, const State& state,
                         const Controls& controls, double h, VectorX<double>& q_next,
                         VectorX<double>& yd_next) {
    const Model& model = setting.model;
    q_ = state.q;
    yd_ = state.yd;
    if (!begun_ || switches_ != state.switches)
        if (const Result result = evaluate(setting, data, controls, 0); !result.ok()) return result;
    begun_ = true;
    switches_ = state.switches;
    const auto displace = [&](const dormand_prince::Row& row, int count, VectorX<double>& q,
                              VectorX<double>& yd) {
        displacement_.noalias() = h * (rates_.leftCols(count) * weights(row, count));
        yd = state.yd;
        yd.noalias() += h * (accelerations_.leftCols(count) * weights(row, count));
        if (turns_too_far(model, displacement_)) return Result{Status::undefined};
        return displace_joints(model, data, state.q, displacement_, q);
    };
    for (int stage = 1; stage < stages; ++stage) {
        if (const Result result =
                displace(dormand_prince::a[static_cast<std::size_t>(stage)], stage, q_, yd_);
            !result.ok())
            return result;
        if (const Result result = evaluate(setting, data, controls, stage); !result.ok()) return result;
        tau_s_ = rates_.col(stage);
        displacement_rate(model, displacement_, tau_s_);
        rates_.col(stage) = tau_s_;
    }
    if (const Result result = displace(dormand_prince::b, stages, q_next, yd_next); !result.ok())
        return result;
    return find_error(setting, data, state, h, q_next, yd_next);
}

Result Adaptive::find_error(const Setting& setting, Workspace<double>& data, const State& state, double h,
                            const VectorX<double>& q_next, const VectorX<double>& yd_next) {
    double largest[2] = {0, 0};
    const dormand_prince::Row* const rows[2] = {&dormand_prince::error_5, &dormand_prince::error_3};
    for (int k = 0; k < 2; ++k) {
        displacement_.noalias() = h * (rates_.leftCols(stages) * weights(*rows[k], stages));
        yd_.noalias() = h * (accelerations_.leftCols(stages) * weights(*rows[k], stages));
        for (const double x : displacement_) largest[k] = std::max(largest[k], std::abs(x));
        for (int i = 0; i < setting.model.nv; ++i)
            largest[k] = std::max(
                largest[k], std::abs(yd_[i]) / (1 + std::max(std::abs(state.yd[i]), std::abs(yd_next[i]))));
    }
    const double tolerance = setting.options.tolerance;
    const double deviation = combined(largest[0], largest[1]);
    MechanicalState before, after;
    if (const Result result = mechanical_state<double>(setting.model, data, state.q, state.yd, before);
        !result.ok())
        return result;
    if (const Result result = mechanical_state<double>(setting.model, data, q_next, yd_next, after);
        !result.ok())
        return result;
    // rounding of energies matters if little moves far above or below the origin
    const double floor = 1e-13 * (std::abs(before.potential) + std::abs(after.potential));
    const double work = h * weights(dormand_prince::b, stages).dot(powers_.head(stages));
    const double imbalance = after.kinetic + after.potential - (before.kinetic + before.potential) - work;
    const double allowed = tolerance * (before.kinetic + after.kinetic) + floor;
    error_ = deviation / tolerance;
    if (std::abs(imbalance) > 0) error_ = std::max(error_, std::abs(imbalance) / allowed);
    return {std::isfinite(error_) ? Status::ok : Status::not_finite};
}

double Adaptive::proposal(double h) const {
    constexpr double safety = 0.9, least = 0.2, most = 5, order = 8;
    return h * (error_ > 0 ? std::clamp(safety * std::pow(error_, -1 / order), least, most) : most);
}

}  // namespace grbda::simulation
