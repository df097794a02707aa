#pragma once

#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// A motion as a table: time, positions and velocities of all joints, energy, contacts.

namespace grbda::tool {

class Record {
public:
    explicit Record(const Model& model);

    void take(Simulator& simulator);
    /// Rows under a header.
    std::string as_csv() const;
    /// {"columns": […], "rows": [[…], …]}
    std::string as_json() const;

private:
    std::vector<std::string> columns_;
    std::vector<std::vector<double>> rows_;
};

}  // namespace grbda::tool
