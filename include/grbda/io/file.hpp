#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Limits on the size of input files, in bytes. XML needs about twice its size, and a bounded amount for its
/// elements (most_elements); content of YAML or JSON files can need twenty times its size.
inline constexpr std::size_t largest_xml_file = std::size_t{512} << 20;
inline constexpr std::size_t largest_yaml_file = std::size_t{16} << 20;
inline constexpr std::size_t largest_states_file = std::size_t{64} << 20;

/// Returns the content of a regular file. Never waits: it refuses pipes and devices.
/// in      most_bytes  a larger file is not read
/// out     found       if the result is empty: what the path refers to, for example "a folder"
/// cost    memory of the file's size
GRBDA_EXPORT std::optional<std::string> read_file(const std::string& path, std::size_t most_bytes,
                                                  std::string& found);

/// Finds the file of a mesh by its address in a robot's file, as load_hulls() does: beside that file and in
/// `folders`; for package://NAME/FILE and model://NAME/FILE also in all folders above these, with and without
/// NAME. Does not read it.
/// in      mesh     Shape::mesh
/// in      robot    path of the robot's file; if it is not a regular file, only `folders` are searched
/// out     absolute path of the file, with links resolved; empty if there is no regular file at this address
GRBDA_EXPORT std::string find_mesh_file(const std::string& mesh, const std::string& robot,
                                        const std::vector<std::string>& folders = {});

/// Writes a size for messages: "512 MiB".
GRBDA_EXPORT std::string size_in_words(std::size_t bytes);

/// Format of a file.
enum class Format {
    urdf,           ///< URDF or URDF+
    mjcf,           ///< MuJoCo's
    sdf,            ///< Gazebo's
    extended_urdf,  ///< the YAML file that extends a URDF
    xrdf,
    srdf,
    world_file  ///< YAML that places several robots
};

/// Returns true for a format that describes one or several robots, false for a side file.
GRBDA_EXPORT bool is_robot(Format format);

/// Returns the name of the format for users: "URDF", "MJCF", …
GRBDA_EXPORT const char* to_string(Format format);

/// Detects a file's format from its content. If that fails, adds an error that quotes what was found.
GRBDA_EXPORT std::optional<Format> detect_format(const std::string& text, const std::string& file,
                                                 Diagnostics& diagnostics);

}  // namespace grbda
