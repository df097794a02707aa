#pragma once

#include <array>
#include <span>
#include <variant>
#include <vector>

#include <pybind11/stl.h>

#include "grbda/simulation/batch_simulator.hpp"
#include "grbda/simulation/simulator.hpp"

#include "arrays.hpp"
#include "parameters.hpp"

// Common part of the simulations of one robot and of many.

namespace grbda::python {

/// The ground of simulations and its motion, for copies.
struct Surface {
    template <class Simulated>
    void set(Simulated& simulated, const Ground& other, const GroundMotion& moved) {
        simulated.set_ground(other, moved);
        ground = other;
        motion = moved;
    }
    py::tuple stored() const;
    static Surface from(const py::tuple& state);

    Ground ground;
    GroundMotion motion;
};

struct Simulation : Work {
    Simulation(const RobotPointer& of, const SimulatorOptions& options, const Ground& ground)
        : Work(of), value(of->model, options, ground), surface{ground, {}} {}

    Simulator value;
    Surface surface;
};

/// Parameters that a simulation of a batch was given, for copies; an empty row was not given.
struct OwnRows {
    std::vector<double> inertial_parameters, gravity, friction, servo_stiffness, servo_damping,
        motor_stiffness, motor_damping, motor_torque, motor_speed, motor_stall, delay;

    SimulationParameters parameters() const;
    /// Takes the rows that another has.
    void add(const OwnRows& other);
    std::array<std::vector<double>*, 11> all();
};

struct Simulations : Work {
    Simulations(const RobotPointer& of, int count, const SimulatorOptions& options, const Ground& ground,
                int count_of_threads)
        : Work(of),
          value(of->model, count, options, ground, count_of_threads),
          surface{ground, {}},
          threads(count_of_threads),
          motors(static_cast<int>(value.motor_torques(0).size())) {}

    BatchSimulator value;
    Surface surface;
    std::vector<OwnRows> own;  ///< of each simulation; empty: none was given any
    int threads;
    int motors;  ///< number of motors
};

/// Inputs of a call with their names, to report which one is not finite.
using Inputs = std::vector<std::pair<const char*, const Eigen::VectorXd*>>;
std::string cause_among(const Inputs& inputs, const Result& result);

/// Controls of motors as Python gives them.
struct MotorControls {
    py::object tau, target, rate;
};

/// Arrays of Python that are kept alive during a step.
class Given {
public:
    Given(const Model& model, int motor_count, const py::object& tau_s, const py::object& target,
          const py::object& rate, const py::object& external, const MotorControls& motors);
    Controls controls() const;
    Inputs inputs() const;

private:
    Eigen::VectorXd tau_s_, target_, rate_, motor_tau_, motor_target_, motor_rate_;
    std::vector<ExternalWrench> external_;
};

/// External wrenches of `count` simulations, one after the other: from {frame: [6] or [count, 6]}, or
/// nothing.
std::vector<ExternalWrench> external_wrenches(const Model& model, const py::object& given, int count);

using Floor = std::variant<std::monostate, Plane, HeightField>;
Ground ground_of(const Floor& floor);
/// None: zeros.
GroundMotion motion_of_ground(const py::object& linear, const py::object& angular, double since);
HeightField height_field(const py::object& heights, std::pair<double, double> spacing,
                         const py::object& origin);

inline std::vector<ContactState> listed(std::span<const ContactState> contacts) {
    return {contacts.begin(), contacts.end()};
}

/// A read-only copy, because writing to it would not change the simulation.
py::object read_only(const Eigen::VectorXd& values);

void bind_outcomes(py::module_& module);
using BatchSimulatorClass = py::class_<Simulations, std::shared_ptr<Simulations>>;
void bind_batch_simulator(py::module_& module);
void bind_parameters(BatchSimulatorClass& type);
void bind_sensors(BatchSimulatorClass& type);

}  // namespace grbda::python
