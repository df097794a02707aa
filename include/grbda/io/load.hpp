#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// Reads one robot from its files, in any order: one robot description (URDF, URDF+, MJCF or SDF) and any
/// side files (Extended URDF's YAML, XRDF, SRDF). Each is told apart by content, not by its ending. Side
/// files are applied in the order given. Findings are appended. A world file in place of the description
/// joins several robots, as compose() does; side files then speak of all of them.
///
/// Of the files that a robot's file refers to, those that it includes are read (MJCF: <include>, <attach>;
/// SDF: <include>; a world file: its robots), if they lie below the folder of that file or below one of
/// `paths`, whatever links lead there. Meshes are opened only where an MJCF body takes its mass from one.
///   paths    folders; SDF's model:// is looked for in them alone
///   limits   what is no regular file, and files larger than those in file.hpp, are refused; so are more than
///            1000 included files, 32 of them in each other, or 2 000 000 elements and attributes altogether
GRBDA_EXPORT RobotDescription read_description(const std::vector<std::string>& files,
                                               Diagnostics& diagnostics,
                                               const std::vector<std::string>& paths = {});

/// From files to a model; throws LoadError with every finding if one is an error.
///   Model model = load("robot.urdf");
///   Model leg = load({"leg.urdf", "leg.yaml"});
GRBDA_EXPORT Model load(const std::vector<std::string>& files, const LoadOptions& options = {});
GRBDA_EXPORT Model load(std::initializer_list<std::string> files, const LoadOptions& options = {});
GRBDA_EXPORT Model load(const std::string& file, const LoadOptions& options = {});

}  // namespace grbda
