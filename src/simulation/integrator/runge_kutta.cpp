#include "runge_kutta.hpp"

#include <cmath>

#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "joint_displacements.hpp"
#include "kernels/cluster/runge_kutta.hpp"
#include "turn.hpp"

namespace grbda::simulation {

RungeKutta::RungeKutta(const Setting& setting)
    : joint_work_(setting), q_(neutral_configuration(setting.model)) {
    for (VectorX<double>* x : {&yd_, &total_gain_}) x->setZero(setting.model.nv);
    for (VectorX<double>* x : {&tau_s_, &displacement_, &rate_, &total_displacement_})
        x->setZero(setting.model.nv_tree);
}

Result RungeKutta::step(const Setting& setting, Workspace<double>& data, const State& state,
                        const Controls& controls, double h, VectorX<double>& q_next, VectorX<double>& yd_next,
                        const Start& start) {
    namespace rule = kernels::runge_kutta;
    const Model& model = setting.model;
    total_displacement_.setZero();
    total_gain_.setZero();
    displacement_.setZero();
    work_ = {};
    q_ = state.q;
    yd_ = state.yd;
    for (std::size_t stage = 0; stage < rule::stages; ++stage) {
        if (const Result result = spanning_velocity<double>(model, data, q_, yd_); !result.ok())
            return result;
        rate_ = data.qd;
        displacement_rate(model, displacement_, rate_);
        const bool known = stage == 0 && start.data != nullptr;
        const Workspace<double>& there = known ? *start.data : data;
        if (known)
            tau_s_ = *start.tau_s;
        else if (const Result result = move_freely(setting, data, q_, yd_, controls, tau_s_); !result.ok())
            return result;
        joint_work_.begin(setting, there, q_, controls, tau_s_);
        work_.add(joint_work_.power(), rule::weights[stage] * h);
        if (stage == 0) {
            before_ = motion_energy(model, there);
            implicit_ = joint_work_.implicit_energy(setting);
        }
        total_displacement_ += rule::weights[stage] * h * rate_;
        total_gain_ += rule::weights[stage] * h * there.ydd;
        if (stage + 1 == rule::stages) break;
        displacement_ = rule::portions[stage + 1] * h * rate_;
        yd_ = state.yd + rule::portions[stage + 1] * h * there.ydd;
        if (const Result result = displace_joints(model, data, state.q, displacement_, q_); !result.ok())
            return result;
    }
    yd_next = state.yd + total_gain_;
    if (const Result result = displace_joints(model, data, state.q, total_displacement_, q_next);
        !result.ok())
        return result;
    if (const Result result = forward_kinematics<double>(model, data, q_next, yd_next); !result.ok())
        return result;
    if (!(largest_turn(model, data, h) < largest_turn_of_a_step)) return {Status::undefined};
    after_ = motion_energy(model, data);
    const Work end = implicit_energy(setting, data);
    implicit_ = {end.controls - implicit_.controls, end.passive - implicit_.passive};
    const double imbalance = std::abs(after_.sum() - before_.sum() - work_.sum());
    if (imbalance <= allowed_imbalance(before_, after_)) return {};
    return {Status::inaccurate, fastest_cluster(model, data), imbalance};
}

EnergyBalance RungeKutta::balance() const {
    EnergyBalance balance;
    const double grown = after_.sum() - before_.sum();
    balance.change = grown - implicit_.sum();
    balance.controls = work_.controls - implicit_.controls;
    balance.passive = work_.passive - implicit_.passive;
    balance.violation = std::abs(grown - work_.sum());
    return balance;
}

}  // namespace grbda::simulation
