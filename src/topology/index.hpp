#pragma once

#include <cstddef>

namespace grbda::topology {

/// Bodies and nodes are stored as int (−1 is the world), containers count in std::size_t.
constexpr std::size_t index(int number) { return static_cast<std::size_t>(number); }

}  // namespace grbda::topology
