#pragma once

#include <cstddef>

namespace grbda {

/// Place in a container of the standard library, whose indices have no sign.
constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace grbda
