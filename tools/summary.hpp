#pragma once

#include <cstddef>
#include <string>

#include "grbda/model/model.hpp"

namespace grbda::tool {

/// Characters shown by a UTF-8 text.
std::size_t width(const std::string& text);
std::string padded(const std::string& text, std::size_t to);

/// What a robot is, in a few lines: the head of `grbda info`.
std::string summary(const Model& model);

}  // namespace grbda::tool
