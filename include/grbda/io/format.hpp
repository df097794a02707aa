#pragma once

#include <optional>
#include <string>

#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"

namespace grbda {

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
