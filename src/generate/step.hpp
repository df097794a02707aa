#pragma once

#include <string>

#include "file.hpp"

// Steps of time for solvers: tables of the independent coordinates, around the code in step_text.cpp.

namespace grbda::generated {

/// True if a joint with a quaternion is independent as a whole: x has displacements from the reference.
bool has_poses(const Model& model);
/// A joint of which only some components are independent, whose position depends on the path; −1: none.
int partly_independent_joint(const Model& model);
/// True if dependents are determined by couplings or loops.
bool has_dependents(const Model& model);

/// Number of inputs u of a step.
int inputs_of(const File& file);

/// Sizes, and the functions with their meanings.
std::string step_sizes(const File& file);
std::string step_declarations(const File& file);
std::string step_definitions(const File& file);

}  // namespace grbda::generated
