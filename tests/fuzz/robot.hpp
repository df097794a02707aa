#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "grbda/description.hpp"

// Laws for a robot from arbitrary bytes: findings name their place, and a robot that loads also loads from
// the output of write_urdf. A broken law ends the program, so that the fuzzer keeps the bytes.

namespace fuzz {

/// The robot that side files are applied to when the bytes hold none.
extern const char* const small_robot;

/// Bytes as robot and side file, parted by the first line "=== side file ==="; without one, all are side
/// file.
std::pair<std::string, std::string> split(const std::uint8_t* data, std::size_t size);

/// The description through make_mechanism, build_model, write_urdf, and once more.
void check(const grbda::RobotDescription& robot, const grbda::Diagnostics& findings_of_reader);

}  // namespace fuzz
