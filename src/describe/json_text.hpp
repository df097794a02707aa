#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "grbda/diagnostics.hpp"

// JSON as text. Reading is stricter than the underlying parser: a repeated key, a number
// that is not finite in double and nesting deeper than in any of our formats are errors.

namespace grbda::describe {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// Thrown for a user's file that cannot be used; what() has one line per problem.
class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns the whole content of a file; "-" is standard input. Throws InputError.
std::string read_text(const std::string& path);

/// Throws InputError: "file:line:column: states[3].q.knee: what is wrong".
Json read_json(const std::string& text, const std::string& file);

/// Uses several lines except for short values: a list of numbers, a row of a matrix, a map of joints.
/// Doubles can be read back without loss; those that are not finite become null.
std::string write_json(const OrderedJson& json);

OrderedJson to_json(const Diagnostics& diagnostics);

}  // namespace grbda::describe
