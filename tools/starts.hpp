#pragma once

#include <map>
#include <string>
#include <vector>

#include "grbda/model/data.hpp"

// Starts of motions: a saved state of the robot, or the states of a states file.

namespace grbda::tool {

struct Start {
    VectorX<double> q;                           ///< closes the loops
    VectorX<double> qd;                          ///< satisfies the loops
    std::map<std::string, double> targets = {};  ///< of servos, by joint, if the saved state gives them
};

struct Starts {
    Vector3<double> gravity;  ///< m/s²: from the file, else the robot's
    std::vector<Start> states;
};

/// of  a saved state's name, or a states file; empty: the assembled configuration.
///     Throws CallError, InputError, or NoAnswer if a state cannot be reached. Joints of rods in a states
///     file give a note, unless `quiet`.
Starts find_starts(const Model& model, const std::string& option, const std::string& of, bool quiet);

/// True if this names a file, and not a saved state.
bool is_states_file(const Model& model, const std::string& of);

}  // namespace grbda::tool
