#pragma once

#include <span>

#include "grbda/collision/touch.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Finds the touches of any two of sphere, capsule, cylinder, box and ellipsoid by an iterative method, for
/// pairs that collide() does not support. One touch is at the closest point or, if the shapes
/// overlap, at the deepest point. Faces and edges in contact touch at the corners of their common part. All
/// touches have the same normal; a displacement along it by the depth of the deepest touch separates the
/// bodies. Features:
///   0 to 4     corners of the face of a that is towards b, ends of a capsule or of the side of a cylinder
///   5 to 14    points at which edge (feature − 5) / 2 of that face leaves or enters the face of b
///   15 to 19   corners of the face of b
///   20         the deepest point, if it is not one of these
/// Two spheres or capsules have the features of collide().
/// in      margin   m: finds touches with a smaller gap
/// out     touches  by feature; if the span is too short, the deepest. Their normals point from b to a
/// returns the number of touches; 0 for a plane or a mesh
/// errors  none. The error of the gap is 1e-8 of the sizes; if these differ by a factor of a million, a
///         touch may be missed
/// cost    6 to 66 µs, depending on the kinds; four times that if the centres nearly coincide; no allocation
/// source  van den Bergen 2001, Proximity queries and penetration depth computation on 3D game objects
GRBDA_EXPORT int collide_convex(const Placed& a, const Placed& b, double margin, std::span<Touch> touches);

}  // namespace grbda
