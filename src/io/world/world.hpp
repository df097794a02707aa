#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grbda/compose.hpp"
#include "io/includes.hpp"
#include "io/text/yaml.hpp"

// A world file: which robots stand where, in YAML.

namespace grbda {

/// A robot of it, by the files that it is read from; `part.robot` is empty.
struct WorldRobot {
    std::vector<std::string> files;
    RobotPart part;
};

struct World {
    std::string name;
    std::vector<WorldRobot> robots;
    std::optional<Eigen::Vector3d> gravity;  ///< in place of what the robots' files say
    std::vector<StateDescription> states;    ///< by joint names with prefixes
};

/// Files are looked for beside the world file and in the added folders.
World read_world(yaml::Document& document, Includes& includes);

}  // namespace grbda
