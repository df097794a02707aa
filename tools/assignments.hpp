#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "grbda/model/data.hpp"

// Names and numbers on the command line: NAME=1,2,3, saved
// states, frames. All functions throw CallError with the option.

namespace grbda::tool {

struct Assignment {
    std::string name;
    std::vector<double> values;  ///< empty: there was no '='
};

/// Reads finite numbers separated by commas.
std::vector<double> read_numbers(const std::string& option, const std::string& text);
Assignment read_assignment(const std::string& option, const std::string& text);

/// Limits due to the precision of a double: an angle of at most 4e5 rad, a length of at most 1e9 m.
void require_angle(const std::string& where, double angle);
void require_length(const std::string& where, double length);
/// Checks one of a joint's positions; components of quaternions are not checked.
void require_position(const std::string& where, const Body& body, int component, double value);

/// The body whose joint has that name; otherwise throws with the nearest name.
int joint_of_assignment(const Model& model, const std::string& option, const std::string& name);

/// The frame of that name in Model::frames; otherwise throws with the nearest name.
int frame_called(const Model& model, const std::string& option, const std::string& name);

/// The configuration of that saved state; "default" is the neutral one if no state has this name.
VectorX<double> state_called(const Model& model, const std::string& option, const std::string& name);

/// Sets positions of joints in q, each at most once; normalizes quaternions. Returns these joints' bodies.
std::vector<int> put_positions(const Model& model, const std::string& option,
                               const std::vector<std::string>& texts, VectorX<double>& q);

/// Sets numbers of joints in x [nv_tree], each joint at most once and with one number
/// per velocity; with `each`, a single number applies to all velocities of a joint.
void put_velocities(const Model& model, const std::string& option, const std::vector<std::string>& texts,
                    bool each, VectorX<double>& x);

}  // namespace grbda::tool
