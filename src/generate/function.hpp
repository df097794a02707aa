#pragma once

#include <string>

#include "dialect.hpp"
#include "limbs.hpp"
#include "recording.hpp"

// C functions that contain the statements of a graph.

namespace grbda::generated {

/// One function of a file: its name, its recording and the result.
struct Function {
    std::string name;  ///< without the file's prefix
    Request request;
    Recording recording;
    Woven woven;
};

/// `int NAME_FUNCTION(…)`
std::string declaration(const Dialect& dialect, const Function& function);
/// `linkage` precedes it: empty, or "static ".
std::string definition(const Dialect& dialect, const Function& function, const std::string& linkage = "");

/// The same for many states, stored as consecutive columns.
std::string batch_declaration(const Dialect& dialect, const Function& function);
std::string batch_definition(const Dialect& dialect, const Function& function);

/// True for clusters without a formula for their dependents.
bool is_closed_by_steps(const Cluster& cluster);
/// The functions that close loops, around a recorded step of Newton's method.
std::string closing_declaration(const Dialect& dialect);
/// `follows`: adds the static function NAME_follow() for displacements.
std::string closing_definition(const Dialect& dialect, const Model& model, const Function& step,
                               bool follows);
/// Statements that set the dependent coordinates of couplings alone in the array q.
std::string coupled_positions(const Model& model, const std::string& q);
/// True if the code that closes loops moves joints with a quaternion.
bool closes_poses(const Model& model);
/// True if there are loops or polynomials, which closing follows in steps.
bool closes_by_steps(const Model& model);

}  // namespace grbda::generated
