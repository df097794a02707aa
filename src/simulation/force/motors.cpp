#include "motors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "constraints/actuation.hpp"

namespace grbda::simulation {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

double entry_of(std::span<const double> values, int i) {
    return values.empty() ? 0 : values[static_cast<std::size_t>(i)];
}

}  // namespace

double MotorDrive::limited(double tau, double omega) const {
    double lower = -torque, upper = torque;
    if (speed < unlimited) {
        lower = std::clamp(-line() * (1 + omega / speed), -torque, torque);
        upper = std::clamp(line() * (1 - omega / speed), -torque, torque);
    }
    return std::clamp(tau, lower, upper);
}

Motors::Motors(const Model& model, const MotorOptions& options) {
    for (const Coordinate& x : motor_coordinates(model)) {
        const Body& body = model.bodies[x.body];
        if (body.joint == JointType::floating) continue;
        MotorDrive drive;
        drive.v = body.v + x.component;
        drive.q = has_quaternion(body.joint) ? -1 : body.q + x.component;
        drive.reduction = model.reduction[x.body];
        drive.torque = drive.speed = unlimited;
        drives_.push_back(drive);
    }
    set(options);
}

void Motors::set(const char* what, const Table<double>& given, bool may_be_infinite,
                 double MotorDrive::*member) {
    if (given.empty()) return;
    if (given.size() != drives_.size())
        throw std::invalid_argument("simulation: the " + std::string(what) + " of motors is given for " +
                                    std::to_string(given.size()) + " motors, and there are " +
                                    std::to_string(drives_.size()));
    for (int i = 0; i < count(); ++i) {
        const double x = given[i];
        if (!(may_be_infinite ? x > 0 : x >= 0 && std::isfinite(x)))
            throw std::invalid_argument(
                "simulation: the " + std::string(what) + " of a motor is " + std::to_string(x) +
                (may_be_infinite ? ", expected above zero" : ", expected zero or more and finite"));
        drives_[i].*member = x;
    }
}

void Motors::set(const MotorOptions& options) {
    set("stiffness", options.stiffness, false, &MotorDrive::stiffness);
    set("damping", options.damping, false, &MotorDrive::damping);
    set("torque", options.torque, true, &MotorDrive::torque);
    set("speed", options.speed, true, &MotorDrive::speed);
    set("stall torque", options.stall, true, &MotorDrive::stall);
    has_law_ = false;
    for (const MotorDrive& drive : drives_) {
        has_law_ = has_law_ || drive.stiffness > 0 || drive.damping > 0 || drive.speed < unlimited;
        if (drive.q < 0 && drive.stiffness > 0)
            throw std::invalid_argument(
                "simulation: the stiffness of a motor holds a joint that turns with a quaternion");
        if (drive.speed < unlimited && !(drive.line() < unlimited))
            throw std::invalid_argument(
                "simulation: a motor has a speed but no torque; expected its torque or its stall torque");
    }
}

void Motors::add(const VectorX<double>& q, const VectorX<double>& qd, const Controls& controls,
                 VectorX<double>& tau_s, VectorX<double>& torques) const {
    for (int i = 0; i < count(); ++i) {
        const MotorDrive& drive = drives_[i];
        const double omega = drive.reduction * qd[drive.v];
        double tau = entry_of(controls.motor_tau, i) +
                     drive.damping * (entry_of(controls.motor_target_rate, i) - omega);
        if (drive.stiffness > 0)
            tau += drive.stiffness * (entry_of(controls.motor_target, i) - drive.reduction * q[drive.q]);
        torques[i] = drive.limited(tau, omega);
        tau_s[drive.v] += drive.reduction * torques[i];
    }
}

}  // namespace grbda::simulation
