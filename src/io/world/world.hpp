#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grbda/compose.hpp"
#include "io/includes.hpp"
#include "io/text/yaml.hpp"

// A world file places several robots, in YAML.

namespace grbda {

/// One robot of it, with the files that describe it; `part.robot` is empty.
struct WorldRobot {
    std::vector<std::string> files;
    RobotPart part;
};

struct World {
    std::string name;
    std::vector<WorldRobot> robots;
    std::optional<Eigen::Vector3d> gravity;  ///< replaces the gravity in the robots' files
    std::vector<StateDescription> states;    ///< by joint names with prefixes
};

/// Searches for files beside the world file and in the added folders.
World read_world(yaml::Document& document, Includes& includes);

}  // namespace grbda
