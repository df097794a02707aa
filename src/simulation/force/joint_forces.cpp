#include "joint_forces.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/joint_forces.hpp"
#include "kinematics/kinematics.hpp"
#include "kernels/cluster/joint_forces.hpp"
#include "kernels/cluster/rotor_motion.hpp"

namespace grbda::simulation {
namespace {

/// Returns numbers per entry of q̇; zeros if none are given.
VectorX<double> numbers(const char* what, const Table<double>& given, const Model& model) {
    if (given.empty()) return VectorX<double>::Zero(model.nv_tree);
    if (static_cast<int>(given.size()) != model.nv_tree)
        throw std::invalid_argument("simulation: " + std::string(what) + " is given for " +
                                    std::to_string(given.size()) + " joint velocities, and there are " +
                                    std::to_string(model.nv_tree));
    for (const double x : given)
        if (!(x >= 0 && std::isfinite(x)))
            throw std::invalid_argument("simulation: " + std::string(what) + " of a joint is " +
                                        std::to_string(x) + ", expected zero or more");
    return Eigen::Map<const VectorX<double>>(given.data(), model.nv_tree);
}

/// Returns the duration over which servos and dampers are implicit.
double implicit_step(const SimulatorOptions& options) {
    switch (options.rule) {
        case StepRule::semi_implicit: return options.step;
        case StepRule::runge_kutta:
        case StepRule::adaptive: break;
    }
    return 0;
}

/// Returns the index in q of each entry of q̇; −1 for rotations with a quaternion.
Table<int> positions_of(const Model& model) {
    Table<int> result(model.v_index.size(), -1);
    for (const Body& body : model.bodies)
        for (int k = 0; k < velocity_size(body.joint); ++k)
            if (!has_quaternion(body.joint)) result[body.v + k] = body.q + k;
    return result;
}

}  // namespace

JointForces::JointForces(const Model& model, const SimulatorOptions& options)
    : model_(model),
      passive_(model.passive),
      position_(positions_of(model)),
      step_(implicit_step(options)),
      passive_acts_(options.passive) {
    if (options.rule != StepRule::runge_kutta) half_step_ = options.step / 2;
    if (options.passive) {
        carries_ = !passive_.tendons.empty() || !passive_.weights.empty();
    } else {
        model_.passive.tendons.clear();
        model_.passive.weights.clear();
    }
    for (int v = 0; v < model.nv_tree; ++v)
        springs_ = springs_ || (options.passive && passive_.stiffness[v] != 0);
    set_servos(options.servo_stiffness, options.servo_damping);
    set_limits(options.servo_force);
    for (Table<double>* x : {&model_.passive.damping, &model_.passive.friction, &model_.passive.stiffness})
        x->assign(x->size(), 0);
}

void JointForces::set_servos(const Table<double>& stiffness, const Table<double>& damping) {
    const VectorX<double> k = numbers("servo stiffness", stiffness, model_),
                          d = numbers("servo damping", damping, model_);
    for (int v = 0; v < model_.nv_tree; ++v)
        if (k[v] > 0 && position_[v] < 0)
            throw std::invalid_argument("simulation: a servo holds a joint that turns with a quaternion");
    servo_stiffness_ = k;
    servo_damping_ = d;
    sum_gains();
}

/// Without a number, or with infinity, the force of a servo is not limited.
void JointForces::set_limits(const Table<double>& force) {
    if (force.empty()) return;
    if (static_cast<int>(force.size()) != model_.nv_tree)
        throw std::invalid_argument("simulation: servo force is given for " + std::to_string(force.size()) +
                                    " joint velocities, and there are " + std::to_string(model_.nv_tree));
    for (int v = 0; v < model_.nv_tree; ++v) {
        const double largest = force[static_cast<std::size_t>(v)];
        if (!(largest >= 0))
            throw std::invalid_argument("simulation: servo force of a joint is " + std::to_string(largest) +
                                        ", expected zero or more");
        if (std::isfinite(largest)) limited_.push_back({v, largest});
    }
}

void JointForces::copy_servos(const VectorX<double>& stiffness, const VectorX<double>& damping) {
    servo_stiffness_ = stiffness;
    servo_damping_ = damping;
    sum_gains();
}

/// Sums the stiffness and damping of all joints over servos and passive forces.
void JointForces::sum_gains() {
    const int n = model_.nv_tree;
    stiffness_.setZero(n);
    damping_ = servo_damping_;
    if (passive_acts_) {
        stiffness_ += Eigen::Map<const VectorX<double>>(passive_.stiffness.data(), n);
        damping_ += Eigen::Map<const VectorX<double>>(passive_.damping.data(), n);
    }
    servos_ = (servo_stiffness_.array() > 0).any() || (servo_damping_.array() > 0).any();
    damping_ += step_ * servo_stiffness_;
    damping_of_servos_ = servo_damping_ + step_ * servo_stiffness_;
    split_armature();
}

void JointForces::split_armature() {
    armature_of_servos_ = step_ * damping_of_servos_;
    // a negative spring would reduce the inertia; it acts as at the start of a step
    armature_of_passive_ =
        (step_ * (damping_ - damping_of_servos_) + half_step_ * half_step_ * stiffness_).cwiseMax(0);
    for (const Body& body : model_.bodies)
        if (body.joint == JointType::floating)
            for (VectorX<double>* x : {&armature_of_servos_, &armature_of_passive_})
                x->segment<6>(body.v).setZero();
    armature_ = armature_of_servos_ + armature_of_passive_;
}

void JointForces::add_servos(const VectorX<double>& q, const Controls& controls,
                             VectorX<double>& tau_s) const {
    for (int v = 0; v < model_.nv_tree; ++v) tau_s[v] += servo_force(v, q, controls);
}

/// Returns the force of a servo at zero velocity.
double JointForces::servo_force(int v, const VectorX<double>& q, const Controls& controls) const {
    const auto at = static_cast<std::size_t>(v);
    double force = 0;
    if (servo_stiffness_[v] > 0)
        force +=
            servo_stiffness_[v] * ((controls.target.empty() ? 0 : controls.target[at]) - q[position_[v]]);
    if (!controls.target_rate.empty()) force += servo_damping_[v] * controls.target_rate[at];
    return force;
}

/// Adds the forces of tendons and gravity compensation.
Result JointForces::add_carried(Workspace<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
                                VectorX<double>& tau_s) const {
    if (const Result result = spanning_velocity<double>(model_, data, q, yd); !result.ok()) return result;
    if (const Result result = grbda::joint_forces<double>(model_, data, q, data.qd); !result.ok())
        return result;
    spanning_force<double>(model_, data, data.tau, data.tau_tree);
    tau_s += data.tau_tree;
    return {};
}

/// Adds the joint forces that do the same work as the external wrenches.
Result JointForces::add_external(Workspace<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
                                 std::span<const ExternalWrench> external, VectorX<double>& tau_s) const {
    if (const Result result = forward_kinematics<double>(model_, data, q, yd); !result.ok()) return result;
    data.tau.setZero();
    for (const ExternalWrench& x : external) {
        const Vector3<double> force{x.force[0], x.force[1], x.force[2]},
            moment{x.moment[0], x.moment[1], x.moment[2]};
        const Frame& frame = model_.frames[x.frame];
        const Vector3<double> at = data.p[frame.body] + data.R[frame.body] * frame.position;
        kernels::each_jacobian_column(model_, data, frame.body, [&](int y, const Motion<double>& column) {
            data.tau[y] += dot(column.linear, force) + dot(column.angular, moment + cross(at, force));
        });
    }
    spanning_force<double>(model_, data, data.tau, data.tau_tree);
    tau_s += data.tau_tree;
    return {};
}

void JointForces::add_springs(const VectorX<double>& q, VectorX<double>& tau_s) const {
    for (const Body& body : model_.bodies) {
        if (!kernels::has_spring(body, passive_.stiffness)) continue;
        double force[6];
        kernels::spring_forces<double>(body, passive_, q.data() + body.q, force);
        for (int k = 0; k < velocity_size(body.joint); ++k) tau_s[body.v + k] += force[k];
    }
}

void JointForces::add_given(const VectorX<double>& q, const Controls& controls,
                            VectorX<double>& tau_s) const {
    if (springs_) add_springs(q, tau_s);
    add_controls(q, controls, tau_s);
}

void JointForces::controlled(const VectorX<double>& q, const Controls& controls,
                             VectorX<double>& tau_s) const {
    tau_s.setZero();
    add_controls(q, controls, tau_s);
}

void JointForces::add_controls(const VectorX<double>& q, const Controls& controls,
                               VectorX<double>& tau_s) const {
    if (!controls.tau_s.empty())
        tau_s += Eigen::Map<const VectorX<double>>(controls.tau_s.data(), model_.nv_tree);
    if (servos_) add_servos(q, controls, tau_s);
}

double JointForces::elastic_energy(const VectorX<double>& q) const {
    double sum = 0;
    for (const Body& body : model_.bodies) {
        if (!springs_ || !kernels::has_spring(body, passive_.stiffness)) continue;
        double pull[6] = {};  // −k times the displacement from rest
        kernels::spring_forces<double>(body, passive_, q.data() + body.q, pull);
        for (int k = 0; k < velocity_size(body.joint); ++k)
            if (const double stiffness = passive_.stiffness[body.v + k]; stiffness != 0)
                sum += pull[k] * pull[k] / (2 * stiffness);
    }
    for (const Tendon& tendon : model_.passive.tendons) {
        double length = 0;
        for (const int i : tendon.terms)
            length += model_.passive.terms[i].coefficient * q[model_.passive.terms[i].q];
        const double stretch =
            std::max(length - tendon.rest_upper, 0.) + std::min(length - tendon.rest_lower, 0.);
        sum += tendon.stiffness * stretch * stretch / 2;
    }
    return sum;
}

Result JointForces::sum(Workspace<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
                        const Controls& controls, VectorX<double>& tau_s) const {
    tau_s.setZero();
    add_given(q, controls, tau_s);
    if (has_limits() && servos_) {
        if (const Result result = spanning_velocity<double>(model_, data, q, yd); !result.ok()) return result;
        limit_servos(
            q, [&](int v) { return data.qd[v]; }, damping_of_servos_, controls, tau_s);
    }
    if (carries_)
        if (const Result result = add_carried(data, q, yd, tau_s); !result.ok()) return result;
    return controls.external.empty() ? Result{} : add_external(data, q, yd, controls.external, tau_s);
}

}  // namespace grbda::simulation
