#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "grbda/model/model.hpp"

namespace grbda {

/// Reads one robot from its files, in any order: one robot description (URDF, URDF+, MJCF or SDF) and any
/// side files (Extended URDF's YAML, XRDF, SRDF). Each is told apart by content, not by its ending. Side
/// files are applied in the order given. Files that a file refers to are not opened. Findings are appended.
RobotDescription read_description(const std::vector<std::string>& files, Diagnostics& diagnostics);

/// From files to a model; throws LoadError with every finding if one is an error.
///   Model model = load("robot.urdf");
///   Model leg = load({"leg.urdf", "leg.yaml"});
Model load(const std::vector<std::string>& files, const LoadOptions& options = {});
Model load(std::initializer_list<std::string> files, const LoadOptions& options = {});
Model load(const std::string& file, const LoadOptions& options = {});

}  // namespace grbda
