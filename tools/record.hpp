#pragma once

#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// A motion as a table: time, positions and velocities of all joints, energies, contacts, residual.

namespace grbda::tool {

class Record {
public:
    explicit Record(const Model& model);

    /// residual  of the loops there
    void take(Simulator& simulator, double residual);

    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<std::vector<double>>& rows() const { return rows_; }

private:
    std::vector<std::string> columns_;
    std::vector<std::vector<double>> rows_;
};

}  // namespace grbda::tool
