#pragma once

#include <string_view>

// Elements with a prefix, as <drake:joint>, are words of one program only. Most are about drawing and
// contacts; those that hold a part of the mechanism are not passed over in silence.

namespace grbda {

/// "joint" of "drake:joint"; empty without a prefix.
std::string_view foreign_name(std::string_view name);

/// Joints, couplings and constraints: without them the robot moves otherwise.
bool is_foreign_constraint(std::string_view name);

/// The inertia of a motor's rotor, whatever the program calls it.
bool is_rotor_inertia(std::string_view name);

}  // namespace grbda
