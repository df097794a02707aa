#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "grbda/model/data.hpp"

// NAME=1,2,3 on the command line.

namespace grbda::tool {

struct Assignment {
    std::string name;
    std::vector<double> values;  ///< none: there was no '='
};

/// Throws CallError with the option where a value is no finite number.
Assignment read_assignment(const std::string& option, const std::string& text);

/// The body whose joint has that name; CallError with the nearest one.
int joint_of_assignment(const Model& model, const std::string& option, const std::string& name);

/// Puts positions of joints into q, quaternions normalised. The bodies of these joints.
std::vector<int> put_positions(const Model& model, const std::string& option,
                               const std::vector<std::string>& texts, VectorX<double>& q);

/// Puts numbers of joints, as many as they have velocities, into x [nv_tree]; with `each`, a single one
/// stands for all of a joint.
void put_velocities(const Model& model, const std::string& option, const std::vector<std::string>& texts,
                    bool each, VectorX<double>& x);

}  // namespace grbda::tool
