#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "grbda/model/data.hpp"

// Names and numbers on the command line: NAME=1,2,3, saved states, frames. All throw CallError with the
// option.

namespace grbda::tool {

struct Assignment {
    std::string name;
    std::vector<double> values;  ///< none: there was no '='
};

/// Finite numbers with commas between.
std::vector<double> read_numbers(const std::string& option, const std::string& text);
Assignment read_assignment(const std::string& option, const std::string& text);

/// What the digits of a double leave to compute with: an angle of at most 4e5 rad, a length of at most 1e9 m.
void require_angle(const std::string& where, double angle);
void require_length(const std::string& where, double length);
/// Of one of a joint's positions, whichever it is; components of quaternions are not looked at.
void require_position(const std::string& where, const Body& body, int component, double value);

/// The body whose joint has that name, or the nearest name is told.
int joint_of_assignment(const Model& model, const std::string& option, const std::string& name);

/// The frame of that name in Model::frames, or the nearest name is told.
int frame_called(const Model& model, const std::string& option, const std::string& name);

/// The configuration of the saved state of that name; "default" is the neutral one, if no state is.
VectorX<double> state_called(const Model& model, const std::string& option, const std::string& name);

/// Puts positions of joints, each at most once, into q, quaternions normalised. The bodies of these joints.
std::vector<int> put_positions(const Model& model, const std::string& option,
                               const std::vector<std::string>& texts, VectorX<double>& q);

/// Puts numbers of joints, each at most once and as many as it has velocities, into x [nv_tree]; with `each`,
/// a single one stands for all of a joint.
void put_velocities(const Model& model, const std::string& option, const std::vector<std::string>& texts,
                    bool each, VectorX<double>& x);

}  // namespace grbda::tool
