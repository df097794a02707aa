#pragma once

#include <string>

#include "file.hpp"

// Writes steps of time for solvers: tables of the independent coordinates, around the code in step_text.cpp.

namespace grbda::generated {

/// Returns whether all components of a joint with a quaternion are independent: x then has displacements from
/// the reference.
bool has_poses(const Model& model);
/// Returns a joint with independent and dependent components, whose position depends on the path;
/// otherwise −1.
int partly_independent_joint(const Model& model);
/// Returns whether couplings or loops determine dependents.
bool has_dependents(const Model& model);

/// Returns the number of inputs u of a step.
int inputs_of(const File& file);

/// Writes sizes, and the functions with their descriptions.
std::string step_sizes(const File& file);
std::string step_declarations(const File& file);
std::string step_definitions(const File& file);

}  // namespace grbda::generated
