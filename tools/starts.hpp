#pragma once

#include <string>
#include <vector>

#include "grbda/model/data.hpp"

// Where motions start: a saved state of the robot, or those of a states file.

namespace grbda::tool {

struct Start {
    VectorX<double> q;   ///< closes the loops
    VectorX<double> qd;  ///< keeps to them
};

struct Starts {
    Vector3<double> gravity;  ///< m/s²: that of the file, else the robot's
    std::vector<Start> states;
};

/// of  a saved state's name, or a states file; empty: as assembled. Throws CallError, InputError, or NoAnswer
/// if a state cannot be reached. Joints of rods in a states file are a note, unless `quiet`.
Starts find_starts(const Model& model, const std::string& option, const std::string& of, bool quiet);

/// True if this names a file, and no saved state.
bool is_states_file(const Model& model, const std::string& of);

}  // namespace grbda::tool
