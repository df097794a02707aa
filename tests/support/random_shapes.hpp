#pragma once

#include "support/baselines_fixture.hpp"

// Robots with shapes of every kind.

namespace random_shapes {

using baselines_fixture::Random;
using baselines_fixture::uniform;

grbda::ShapeDescription draw(Random& random);

/// Some in each link, neighbours that are alike among them.
void add(grbda::RobotDescription& robot, Random& random);

}  // namespace random_shapes
