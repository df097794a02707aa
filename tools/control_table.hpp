#pragma once

#include <map>
#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// Control of a robot over time, from a table: forces of joints, target positions and rates of servos.

namespace grbda::tool {

class ControlTable {
public:
    /// An empty table: no control.
    explicit ControlTable(const Model& model);
    /// Reads a table of comma-separated values with a header: `time`, then a joint's name for its
    /// force, or `target:JOINT` and `rate:JOINT`. Joints with several velocities use `JOINT[0]` and so
    /// on. Times increase; values are interpolated between them and constant before and after. Throws
    /// InputError with the line for unknown names, values that are not numbers, rows of other lengths.
    ControlTable(const Model& model, const std::string& text, const std::string& file);

    /// Controls at a time.
    Controls at(double time);
    /// Sets the targets of servos without a column: the initial positions, and for servos of the robot that
    /// `options` has those given by joint, as far as their ranges allow.
    void hold(const Model& model, const SimulatorOptions& options, const VectorX<double>& q,
              const std::map<std::string, double>& targets);
    /// Throws CallError if a column is for a servo that does not exist and would be ignored.
    void require_servos(const Model& model, const SimulatorOptions& options) const;

private:
    enum class Kind { force, target, rate };
    struct Column {
        Kind kind = Kind::force;
        int v = 0;
    };
    Column column(const Model& model, const std::string& name, const std::string& where) const;
    std::vector<double>& of(Kind kind);

    std::vector<Column> columns_;
    std::vector<double> times_;
    std::vector<std::vector<double>> rows_;
    std::vector<int> position_;  ///< per velocity: index in q, or −1
    std::vector<double> tau_s_, target_, rate_;
};

}  // namespace grbda::tool
