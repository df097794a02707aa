#pragma once

#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// A motion as a table: time, positions and velocities of all joints, energies, contacts, residual.

namespace grbda::tool {

class Record {
public:
    explicit Record(const Model& model);

    const std::vector<std::string>& columns() const { return columns_; }
    /// Returns a row; `residual` is that of the loops at this time.
    std::vector<double> row(Simulator& simulator, double residual) const;

private:
    std::vector<std::string> columns_;
};

}  // namespace grbda::tool
