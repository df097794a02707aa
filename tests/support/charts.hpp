#pragma once

#include <algorithm>
#include <string>

#include "constraints/coordinates.hpp"
#include "kinematics/kinematics.hpp"
#include "support/robots.hpp"

// Coordinates that a motion can be written in.

namespace charts {

enum class Kind { own, chosen, any, tangent };
inline constexpr Kind kinds[] = {Kind::own, Kind::chosen, Kind::any, Kind::tangent};

/// Takes such coordinates at q; `any`: those of random joints, well or badly conditioned. False: singular.
bool take(Kind kind, const grbda::Model& model, grbda::Workspace<double>& data, const Eigen::VectorXd& q,
          test_robots::Random& random);

}  // namespace charts
