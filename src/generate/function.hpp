#pragma once

#include <string>

#include "dialect.hpp"
#include "limbs.hpp"
#include "recording.hpp"

// C functions around the statements of a graph.

namespace grbda::generated {

/// One function of a file: what it is called, what was recorded and what has become of it.
struct Function {
    std::string name;  ///< without that of the file
    Request request;
    Recording recording;
    Woven woven;
};

/// `int NAME_FUNCTION(…)`
std::string declaration(const Dialect& dialect, const Function& function);
/// `linkage` stands before it: nothing, or "static ".
std::string definition(const Dialect& dialect, const Function& function, const std::string& linkage = "");

/// The same for many states, columns one behind the other.
std::string batch_declaration(const Dialect& dialect, const Function& function);
std::string batch_definition(const Dialect& dialect, const Function& function);

/// True for clusters whose dependents have no formula.
bool is_closed_by_steps(const Cluster& cluster);
/// Closing loops, around a recorded step of Newton's method.
std::string closing_declaration(const Dialect& dialect);
std::string closing_definition(const Dialect& dialect, const Model& model, const Function& step);

}  // namespace grbda::generated
