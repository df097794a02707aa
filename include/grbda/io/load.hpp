#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// Reads one robot from its files, in any order: one robot description (URDF, URDF+, MJCF or SDF) and any
/// side files (Extended URDF's YAML, XRDF, SRDF). The content, not the name, decides the format. Side
/// files are applied in the order given. Findings are appended. Instead of a robot description, a world file
/// joins several robots, see compose(); side files then apply to all of them.
///
/// A robot's file may include others (MJCF: <include>, <attach>; SDF: <include>; a world file: its robots).
/// They are read if they lie below the folder of that file or below one of `paths`, after links are resolved.
/// Other files that it refers to are not read; a mesh is opened only if an MJCF body takes its mass from it.
///   paths    folders; SDF's model:// is searched in these only
///   limits   errors are files that are not regular, files larger than the limits in file.hpp, more than
///            1000 included files or 32 nested ones, more than 2 000 000 elements and attributes
GRBDA_EXPORT RobotDescription read_description(const std::vector<std::string>& files,
                                               Diagnostics& diagnostics,
                                               const std::vector<std::string>& paths = {});

/// Loads files into a model; throws LoadError with every finding if one is an error.
///   Model model = load("robot.urdf");
///   Model leg = load({"leg.urdf", "leg.yaml"});
GRBDA_EXPORT Model load(const std::vector<std::string>& files, const LoadOptions& options = {});
GRBDA_EXPORT Model load(std::initializer_list<std::string> files, const LoadOptions& options = {});
GRBDA_EXPORT Model load(const std::string& file, const LoadOptions& options = {});

}  // namespace grbda
