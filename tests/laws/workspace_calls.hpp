#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "grbda/kinematics/kinematics.hpp"
#include "support/robots.hpp"

// A call of every function that takes a workspace.

namespace workspace_calls {

using Data = grbda::Data<double>;

constexpr auto kWorld = grbda::ReferenceFrame::world_aligned;

/// Runs an algorithm at a state. The state becomes the one whose numbers the workspace may hold.
using Algorithm = std::function<void(const grbda::Model&, Data&, test_robots::State&)>;
std::map<std::string, Algorithm> algorithms();

/// Reads numbers that an algorithm left; those of frames are of the given one.
using Reading = std::function<Eigen::VectorXd(const grbda::Model&, Data&, int frame)>;
/// By name, each with the algorithm that it reads.
std::map<std::string, std::pair<std::string, Reading>> readings();

}  // namespace workspace_calls
