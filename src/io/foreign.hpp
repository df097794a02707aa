#pragma once

#include <string_view>

// Elements with a prefix, such as <drake:joint>, belong to one program only. Most
// concern drawing and contacts; those that contain a part of the mechanism are reported.

namespace grbda {

/// "joint" of "drake:joint"; empty if there is no prefix.
std::string_view foreign_name(std::string_view name);

/// True for joints, couplings and constraints: the robot moves differently without them.
bool is_foreign_constraint(std::string_view name);

/// True for the inertia of a motor's rotor, in the words of any program.
bool is_rotor_inertia(std::string_view name);

}  // namespace grbda
