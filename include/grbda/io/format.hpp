#pragma once

#include <optional>
#include <string>

#include "grbda/diagnostics.hpp"
#include "grbda/export.hpp"

namespace grbda {

enum class Format {
    urdf,           ///< URDF or URDF+
    mjcf,           ///< MuJoCo's
    sdf,            ///< Gazebo's
    extended_urdf,  ///< the YAML file beside a URDF
    xrdf,
    srdf,
    world_file  ///< YAML that says which robots stand where
};

/// A robot by itself, or several in a world, not a side file.
GRBDA_EXPORT bool is_robot(Format format);

/// What a user calls it: "URDF", "MJCF", …
GRBDA_EXPORT const char* to_string(Format format);

/// Tells a file's format from its content; without one, an error that says what was seen.
GRBDA_EXPORT std::optional<Format> detect_format(const std::string& text, const std::string& file,
                                                 Diagnostics& diagnostics);

}  // namespace grbda
