#pragma once

#include <cstddef>
#include <string>

#include "grbda/model/model.hpp"

namespace grbda::describe {

/// Number of characters in a UTF-8 text.
std::size_t width(const std::string& text);
std::string padded(const std::string& text, std::size_t to);

/// Summary of a robot in a few lines: the head of `grbda info`.
std::string summary(const Model& model);

}  // namespace grbda::describe
