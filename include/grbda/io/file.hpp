#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "grbda/export.hpp"

namespace grbda {

/// The largest files that are read, in bytes. XML needs about twice its size, and a bounded amount for its
/// elements (most_elements); what is read from YAML or JSON can need twenty times its size.
inline constexpr std::size_t largest_xml_file = std::size_t{512} << 20;
inline constexpr std::size_t largest_yaml_file = std::size_t{16} << 20;
inline constexpr std::size_t largest_states_file = std::size_t{64} << 20;

/// The content of a regular file, by whatever path. Never waits: a pipe or a device is not opened for long.
/// in      most_bytes  a larger file is not read
/// out     found       where nothing is returned: what stands there instead, as "a folder"
/// cost    memory of the file's size, and no more
GRBDA_EXPORT std::optional<std::string> read_file(const std::string& path, std::size_t most_bytes,
                                                  std::string& found);

/// "512 MiB"
GRBDA_EXPORT std::string size_in_words(std::size_t bytes);

}  // namespace grbda
