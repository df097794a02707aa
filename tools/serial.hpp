#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "grbda/serial/motors.hpp"
#include "grbda/serial/serial.hpp"

// Files and report of `grbda serial`.

namespace grbda::tool {

/// Gains K and D, the same for each motor or for each serial coordinate.
struct Gains {
    double stiffness = 0, damping = 0;
};

struct SerialRequest {
    std::string name;  ///< of the files, without folder
    double tolerance = 0.1;
    std::optional<Gains> motor_gains, joint_gains;
};

/// The tables as JSON. docs/serial.md describes the format.
std::string serial_json(const Model& model, const SerialRobot& robot, const SerialRequest& request);

/// Tables with their interpolation in ISO C99.
std::string serial_c(const SerialRobot& robot, const std::string& name);

/// Report for people.
std::string serial_report(const Model& model, const SerialRobot& robot, const SerialRequest& request);

/// Limits of motors at a point of a table; empty if one of the motors has none, or there is no motor.
std::optional<MotorSet> torques_at(const SerialTable& table, const SerialPoint& point);
std::optional<MotorSet> speeds_at(const SerialTable& table, const SerialPoint& point);

/// Gains of a table at its nominal configuration, without load.
struct ConvertedGains {
    MatrixX<double> stiffness, damping;         ///< of joints, by equal gains of motors
    MotorGains motor_stiffness, motor_damping;  ///< of motors, for equal gains of joints
};
ConvertedGains convert_gains(const SerialTable& table, const SerialRequest& request);

}  // namespace grbda::tool
