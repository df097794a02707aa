#pragma once

#include <string>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/io/file.hpp"
#include "grbda/mechanism.hpp"

namespace grbda {

/// Makes addresses of meshes hold from the folder of the file that is written: those relative to the robot's
/// file become relative to `folder`; those with a scheme stay, except in MJCF, which has none. Leaves out,
/// with a warning, meshes in files that MuJoCo refuses, since it would refuse the robot.
///
/// in      folder   of the output
///         robot    the robot's file
///         paths    further folders in which meshes are searched
/// source  MuJoCo 3.17.0, asset/mesh
GRBDA_EXPORT void place_meshes(Mechanism& mechanism, Format format, const std::string& folder,
                               const std::string& robot, const std::vector<std::string>& paths,
                               Diagnostics& diagnostics);

}  // namespace grbda
