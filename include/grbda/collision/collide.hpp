#pragma once

#include <span>

#include "grbda/collision/height_field.hpp"
#include "grbda/collision/touch.hpp"
#include "grbda/export.hpp"

// Contact points of simple shapes: closed forms without state, so that equal input has equal output, bit by
// bit. They do not allocate. Lengths and coordinates below 1e100 m never give NaN; a distance of zero, as
// between the centres of two spheres, has no direction, and gets that of an axis of the second body.

namespace grbda {

/// Are touches found between shapes of these kinds? The same for (a, b) and (b, a).
///   plane     with sphere, capsule, cylinder, box, ellipsoid
///   sphere    with sphere, capsule, cylinder, box
///   capsule   with capsule, box
GRBDA_EXPORT bool can_collide(ShapeKind a, ShapeKind b);

/// Radius of the sphere about the shape's centre that contains it, in m; infinite for a plane and for a mesh.
GRBDA_EXPORT double bounding_radius(const Placed& shape);

/// Touches of the points of a body that can be lowest: the one of a sphere or of an ellipsoid, the caps of
/// a capsule, the 4 deepest corners of a box, on both rims of a cylinder the lowest point and four fixed
/// ones. Features:
///   capsule   0, 1: cap at −z, at +z
///   box       0 to 7; bits 1, 2, 4: corner on the side of +x, +y, +z
///   cylinder  0, 1: lowest point of the rim at −z, at +z; 2 to 5 and 6 to 9: points on +x, +y, −x, −y of
///             the one and of the other
/// in      margin   m: touches with a gap below it
/// out     touches  by feature; if the span is too short, the deepest
/// returns how many; none for a plane or a mesh
/// cost    no allocation
GRBDA_EXPORT int collide(const Placed& body, const Plane& ground, double margin, std::span<Touch> touches);

/// The same on uneven ground: the gap of a point is its distance from the nearest point of the ground, and
/// the normal is along it. A cylinder or an ellipsoid is lowest against the slope under it: to first order
/// where the ground bends below them. Parts of a body between the points above can sink in at a ridge.
/// in      ground   consistent, see is_consistent
/// cost    that of the cells nearer than the gap; no allocation
GRBDA_EXPORT int collide(const Placed& body, const HeightField& ground, double margin,
                         std::span<Touch> touches);

/// Touches of two shapes. Features:
///   two capsules      0: where they cross; 1, 2: ends of a at −z and +z; 3, 4: those of b
///   capsule and box   0, 1: ends at −z and +z of the part of the axis that is above the nearest face, or
///                     what is nearer beyond them; 0 where the axis leaves the box across an edge
///   one is a plane    as above
///   others            0
/// in      margin   m: touches with a gap below it
/// out     touches  by feature; if the span is too short, the deepest. Their normals point from b to a
/// returns how many; none for kinds that cannot collide
/// cost    no allocation
GRBDA_EXPORT int collide(const Placed& a, const Placed& b, double margin, std::span<Touch> touches);

}  // namespace grbda
