#pragma once

#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// What drives a robot over time, from a table: forces of joints, positions and rates that servos hold.

namespace grbda::tool {

class ControlTable {
public:
    /// Empty: nothing drives.
    explicit ControlTable(const Model& model);
    /// A table of comma-separated values with a header: `time`, then joints, whose forces the column has, or
    /// `target:JOINT` and `rate:JOINT`. Of joints with several velocities `JOINT[0]` and so on. Times grow;
    /// between them values are interpolated, before and after they stay. Throws InputError with the line:
    /// unknown names, values that are no numbers, rows of other lengths.
    ControlTable(const Model& model, const std::string& text, const std::string& file);

    /// At a time; joints without a target hold where they began.
    Controls at(double time);
    void hold(const VectorX<double>& q);
    /// Throws CallError if a column is for a servo that there is not: it would be passed over.
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
    std::vector<int> position_;  ///< per velocity: in q, or −1
    std::vector<double> tau_s_, target_, rate_;
};

}  // namespace grbda::tool
