#pragma once

#include <vector>

#include "grbda/description.hpp"

// Mass and inertia of bodies of uniform density, for formats that derive them from shapes.

namespace grbda {

/// The inertial of a body of density 1 about its own centre of mass, so that `mass` is its volume. Zero for
/// planes and meshes.
Inertial solid_of(const Shape& shape);
/// The same for a shell of density 1 on the surface of the shape, so that `mass` is its area. Ellipsoids are
/// approximated as MuJoCo does: Thomsen's area, and the moments of a layer of 1 µm.
Inertial shell_of(const Shape& shape);

/// The inertial of a body that is `times` as dense.
Inertial times_as_dense(const Inertial& inertial, double times);
/// The inertial in the parent frame of `pose`.
Inertial placed_at(const Pose& pose, const Inertial& inertial);
/// Several inertials in one frame as one body.
Inertial joined(const std::vector<Inertial>& parts);

}  // namespace grbda
