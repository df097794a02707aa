#pragma once

#include <span>

#include "grbda/collision/touch.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Touches of any two of sphere, capsule, cylinder, box and ellipsoid, where they are nearest to one another
/// or deepest in one another, by search: for the pairs that collide() has no closed form for. Faces and edges
/// that lie on one another touch at the corners of what they share. All touches have one normal, along which
/// the deepest gap is the way out: moved by it, the bodies just touch. Features:
///   0 to 4     corners of the face of one that is towards b, ends of a capsule or of the side of a cylinder
///   5 to 14    where edge (feature − 5) / 2 of that face leaves that of b, or enters it
///   15 to 19   corners of the face of b
///   20         the deepest point, if it differs from all of these
///   of two spheres or capsules those of collide()
/// in      margin   m: touches with a gap below it
/// out     touches  by feature; if the span is too short, the deepest. Their normals point from b to a
/// returns how many; none for a plane or a mesh
/// cost    6 to 66 µs by kind, up to four times that of bodies whose centres nearly coincide; no allocation.
/// The gap
///         is right to 1e-8 of the sizes; of sizes that differ by a factor of a million there may be no touch
/// source  van den Bergen 2001, Proximity queries and penetration depth computation on 3D game objects
GRBDA_EXPORT int collide_convex(const Placed& a, const Placed& b, double margin, std::span<Touch> touches);

}  // namespace grbda
