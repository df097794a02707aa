#include "own_parameters.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "dynamics/inertial_parameters.hpp"
#include "model/inertias.hpp"

namespace grbda::simulation {
namespace {

Table<double> table_of(std::span<const double> values) { return {values.begin(), values.end()}; }

/// Returns the given gains or, if none are given, the present ones.
Table<double> gains(std::span<const double> given, const VectorX<double>& own) {
    return given.empty() ? Table<double>(own.begin(), own.end()) : table_of(given);
}

/// Adds the armature of dampers, springs and servos to the model that the steps use.
void add_implicit_armature(Setting& setting) {
    const Model& robot = setting.robot;
    Model& model = setting.model;
    model.armature = robot.armature;
    model.D0 = robot.D0;
    for (const Cluster& c : robot.clusters) {
        model.clusters[c.index].armature = c.armature;
        model.clusters[c.index].reflected = c.reflected;
    }
    const VectorX<double>& added = setting.forces.armature();
    model::add_armature({added.data(), static_cast<std::size_t>(added.size())}, model);
}

/// Copies the numbers that depend on inertial parameters.
void copy_inertial_constants(const Model& from, Model& to) {
    Table<double> numbers;
    model::visit_inertial_constants(from, [&](double x) { numbers.push_back(x); });
    auto next = numbers.begin();
    model::visit_inertial_constants(to, [&](double& x) { x = *next++; });
}

void change_servos(const SimulationParameters& given, Setting& setting) {
    if (given.servo_stiffness.empty() && given.servo_damping.empty()) return;
    if (first_massless_branch(setting.robot) >= 0)
        throw std::invalid_argument(
            "simulation: a branch of the robot has no mass; expected servos in the options only");
    setting.forces.set_servos(gains(given.servo_stiffness, setting.forces.servo_stiffness()),
                              gains(given.servo_damping, setting.forces.servo_damping()));
}

}  // namespace

OwnParameters::OwnParameters(const Setting& setting)
    : gravity_(setting.robot.gravity),
      mass_(setting.mass),
      friction_(setting.surroundings.friction()),
      servo_stiffness_(setting.forces.servo_stiffness()),
      servo_damping_(setting.forces.servo_damping()),
      motors_(setting.motors),
      fingerprint_(setting.fingerprint) {
    std::size_t size = 0;
    model::visit_inertial_constants(setting.robot, [&](double) { ++size; });
    inertial_.reserve(size);
    model::visit_inertial_constants(setting.robot, [&](double x) { inertial_.push_back(x); });
}

void OwnParameters::copy_to(Setting& setting) const {
    for (Model* model : {&setting.robot, &setting.model}) {
        const double* next = inertial_.data();
        model::visit_inertial_constants(*model, [&](double& x) { x = *next++; });
        model->gravity = gravity_;
    }
    setting.forces.set_gravity(gravity_);
    setting.forces.copy_servos(servo_stiffness_, servo_damping_);
    add_implicit_armature(setting);
    setting.surroundings.set_friction(friction_);
    setting.motors = motors_;
    setting.mass = mass_;
    setting.fingerprint = fingerprint_;
}

std::size_t OwnParameters::bytes() const {
    const auto gains = static_cast<std::size_t>(servo_stiffness_.size() + servo_damping_.size());
    return sizeof(*this) + (inertial_.capacity() + gains) * sizeof(double) +
           motors_.drives().capacity() * sizeof(MotorDrive);
}

void change_parameters(const SimulationParameters& given, Setting& setting) {
    if (!given.inertial_parameters.empty()) {
        const auto size = static_cast<Eigen::Index>(given.inertial_parameters.size());
        dynamics::set_inertial_parameters(
            Eigen::Map<const VectorX<double>>(given.inertial_parameters.data(), size), setting.robot);
        copy_inertial_constants(setting.robot, setting.model);
        setting.mass = mass_of(setting.model);
    }
    if (given.gravity) {
        const Vector3<double>& g = *given.gravity;
        if (!std::isfinite(g.x + g.y + g.z))
            throw std::invalid_argument("simulation: the gravity of a simulation is not finite");
        setting.robot.gravity = setting.model.gravity = g;
        setting.forces.set_gravity(g);
    }
    if (given.friction) {
        if (!(*given.friction >= 0 && std::isfinite(*given.friction)))
            throw std::invalid_argument("simulation: the friction of a simulation is " +
                                        std::to_string(*given.friction) + ", expected zero or more");
        setting.surroundings.set_friction(*given.friction);
    }
    change_servos(given, setting);
    setting.motors.set({table_of(given.motor_stiffness), table_of(given.motor_damping),
                        table_of(given.motor_torque), table_of(given.motor_speed),
                        table_of(given.motor_stall)});
    add_implicit_armature(setting);
    setting.fingerprint = fingerprint_of(setting.model);
}

}  // namespace grbda::simulation
