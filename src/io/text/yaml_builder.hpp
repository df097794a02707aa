#pragma once

#include <string>

#include "yaml.hpp"

namespace grbda::yaml {

/// The node tree of the one document in `text`: aliases are replaced by copies, keys are unique.
/// A syntax error, or exceeding the bounds on depth and size, is reported and gives a null node.
/// cost    O(length of the text), times a logarithm; memory is bounded whatever the aliases are
Node parse(const std::string& text, const std::string& file, Diagnostics& diagnostics);

/// "key 'cspace.joint_names[2]'", or "file" for the root.
Subject subject_of(const Node& node, const std::string& file);

/// `text` in quotes, shortened if it is too long for a message.
std::string quoted(const std::string& text);

}  // namespace grbda::yaml
