#pragma once

#include <string>

#include "dialect.hpp"
#include "limbs.hpp"
#include "recording.hpp"

// Writes C functions that contain the statements of a graph.

namespace grbda::generated {

/// One function of a file: its name, its recording and the result.
struct Function {
    std::string name;  ///< without the file's prefix
    Request request;
    Recording recording;
    Woven woven;
};

/// Returns `int NAME_FUNCTION(…)`.
std::string declaration(const Dialect& dialect, const Function& function);
/// Writes the definition after `linkage`, which is empty or "static ".
std::string definition(const Dialect& dialect, const Function& function, const std::string& linkage = "");

/// Writes the declaration for many states, stored as consecutive columns.
std::string batch_declaration(const Dialect& dialect, const Function& function);
std::string batch_definition(const Dialect& dialect, const Function& function);

/// Returns whether a cluster has no formula for its dependents.
bool is_closed_by_steps(const Cluster& cluster);
/// Write the functions that close loops, around a recorded step of Newton's method.
std::string closing_declaration(const Dialect& dialect);
/// Writes the definition; `follows`: adds the static function NAME_follow() for displacements.
std::string closing_definition(const Dialect& dialect, const Model& model, const Function& step,
                               bool follows);
/// Writes statements that set the dependent coordinates of couplings alone in the array q.
std::string coupled_positions(const Model& model, const std::string& q);
/// Returns whether the code that closes loops moves joints with a quaternion.
bool closes_poses(const Model& model);
/// Returns whether there are loops or polynomials, which closing follows in steps.
bool closes_by_steps(const Model& model);

}  // namespace grbda::generated
