#pragma once

#include <string>
#include <vector>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Gives links without mass the mass and inertia of their shapes, as solids of this density: of their shapes
/// for collision, or of the visual ones if these enclose no volume. Shapes that overlap count twice. A mesh
/// that has gaps counts as its convex hull. Adds a note for each of these links, and a warning for a mesh
/// that cannot be used. Searches meshes as load_hulls() does.
/// in      density, kg/m³
/// errors  std::invalid_argument unless the density is finite and above zero
GRBDA_EXPORT void add_inertials(RobotDescription& robot, double density, Diagnostics& diagnostics,
                                const std::vector<std::string>& paths = {});

}  // namespace grbda
