#pragma once

#include <span>

#include "grbda/collision/convex_hull.hpp"
#include "grbda/collision/height_field.hpp"
#include "grbda/export.hpp"
#include "grbda/shape.hpp"
#include "grbda/spatial/vector3.hpp"

// Contact points of simple shapes and convex hulls, without state: equal input gives equal output, bit by
// bit. No allocation. Lengths and coordinates below 1e100 m never give NaN. If the direction of a normal is
// undefined, as for two spheres with one centre, it is an axis of the second body.

namespace grbda {

/// A pair of closest points of two surfaces, or of deepest points if they overlap.
struct Touch {
    Vector3<double> position;  ///< m, midway between both surfaces, in the world
    Vector3<double> normal;    ///< unit, from the second body to the first
    double gap = 0;            ///< m, along the normal; negative if they overlap
    int feature = 0;           ///< identifies the corner, cap or end; the same in all calls; below 65536
};

/// Largest number of touches of a pair.
inline constexpr int most_touches = 10;

/// A shape with its pose in the world.
struct Placed {
    ShapeKind kind = ShapeKind::sphere;
    Vector3<double> size;                                    ///< m, zero or more: as Shape::size
    Vector3<double> position;                                ///< m, of its centre
    Matrix3<double> rotation = Matrix3<double>::identity();  ///< from its axes to those of the world
    const ConvexHull* hull = nullptr;                        ///< of a mesh; null: it touches nothing
};

/// Places a shape by the pose of its frame. The result refers to the hull of a mesh, and has the hull's
/// centre as its position.
inline Placed placed(const Shape& shape, const Vector3<double>& position, const Matrix3<double>& rotation) {
    Placed result{shape.kind, {shape.size.x(), shape.size.y(), shape.size.z()}, position, rotation};
    if (shape.kind != ShapeKind::mesh || !shape.hull) return result;
    result.position += rotation * shape.hull->centre;
    result.hull = shape.hull.get();
    return result;
}

/// The half-space normal · p <= offset, which is solid.
struct Plane {
    Vector3<double> normal{0, 0, 1};  ///< unit
    double offset = 0;                ///< m
};

/// The half-space of a shape of kind plane.
inline Plane plane_of(const Placed& shape) {
    return {shape.rotation.z, dot(shape.rotation.z, shape.position)};
}

/// Returns whether collide() supports this pair of shapes. Symmetric in a and b.
///   plane     with sphere, capsule, cylinder, box, ellipsoid, mesh
///   sphere    with sphere, capsule, cylinder, box
///   capsule   with capsule, box
GRBDA_EXPORT bool can_collide(ShapeKind a, ShapeKind b);

/// Returns the radius of the bounding sphere about the shape's centre, m; infinite for a plane and for a mesh
/// without a hull.
GRBDA_EXPORT double bounding_radius(const Placed& shape);

/// Finds the touches of a body with a plane. Candidates are the lowest point of a sphere or an ellipsoid, the
/// caps of a capsule, the 4 deepest corners of a box, and on both rims of a cylinder the lowest point and
/// four fixed ones; the vertices of a convex hull or, if more than `most_touches` are within the margin, the
/// deepest one and up to 8 corners of its face that is towards the ground. Features:
///   capsule   0, 1: cap at −z, at +z
///   box       0 to 7; bits 1, 2, 4: corner on the side of +x, +y, +z
///   cylinder  0, 1: lowest point of the rim at −z, at +z; 2 to 5 and 6 to 9: points on +x, +y, −x, −y of
///             the one and of the other
///   mesh      index of the vertex
/// in      margin   m: finds touches with a smaller gap
/// out     touches  by feature; if the span is too short, the deepest
/// returns the number of touches; 0 for a plane or a mesh without a hull
/// cost    no allocation
GRBDA_EXPORT int collide(const Placed& body, const Plane& ground, double margin, std::span<Touch> touches);

/// The same on uneven ground: the gap of a candidate is its distance from the closest point of the ground;
/// the normal points along it. The lowest points of a cylinder or an ellipsoid are those for the slope below,
/// exact to first order on curved ground. Between its candidates a body can penetrate a ridge.
/// in      ground   consistent, see is_consistent
/// cost    proportional to the cells within the gap; no allocation
GRBDA_EXPORT int collide(const Placed& body, const HeightField& ground, double margin,
                         std::span<Touch> touches);

/// Finds the touches of two shapes. Features:
///   two capsules      0: where they cross; 1, 2: ends of a at −z and +z; 3, 4: those of b
///   capsule and box   0, 1: ends at −z and +z of the part of the axis above the closest face, or a closer
///                     point beyond them; 0 if the axis leaves the box across an edge
///   one is a plane    as above
///   others            0
/// in      margin   m: finds touches with a smaller gap
/// out     touches  by feature; if the span is too short, the deepest. Their normals point from b to a
/// returns the number of touches; 0 for kinds that cannot collide
/// cost    no allocation
GRBDA_EXPORT int collide(const Placed& a, const Placed& b, double margin, std::span<Touch> touches);

/// Finds the touches of any two of sphere, capsule, cylinder, box, ellipsoid and hull of a mesh by an
/// iterative method, for pairs that collide() does not support. One touch is at the closest point or, if the
/// shapes overlap, at the deepest point. Faces and edges in contact touch at the corners of their common
/// part. All touches have the same normal; a displacement along it by the depth of the deepest touch
/// separates the bodies. Features:
///   0 to 4     corners of the face of a that is towards b, ends of a capsule or of the side of a cylinder.
///              If a face of a hull has more corners, 5 of them that lie far apart represent it
///   5 to 14    points at which edge (feature − 5) / 2 of that face leaves or enters the face of b
///   15 to 19   corners of the face of b
///   20         the deepest point, if it is not one of these
/// Two spheres or capsules have the features of collide().
/// in      margin   m: finds touches with a smaller gap
/// out     touches  by feature; if the span is too short, the deepest. Their normals point from b to a
/// returns the number of touches; 0 for a plane or a mesh without a hull
/// errors  none. The error of the gap is 1e-8 of the sizes, of hulls with 40 vertices or more up to 2e-6, as
///         their faces are plane to a millionth; if these differ by a factor of a million, a
///         touch may be missed
/// cost    6 to 66 µs, depending on the kinds; four times that if the centres nearly coincide; two
///         round hulls of 1000 vertices 400 µs; no allocation
/// source  van den Bergen 2001, Proximity queries and penetration depth computation on 3D game objects
GRBDA_EXPORT int collide_convex(const Placed& a, const Placed& b, double margin, std::span<Touch> touches);

/// Finds where a ray meets a solid: origin + t · direction with the smallest t >= 0. A mesh is
/// met at its hull, and not at all without one.
/// in      direction, of any length above zero
/// returns t; 0 if the origin is inside; infinity without a hit
/// cost    no allocation
GRBDA_EXPORT double ray_cast(const Placed& shape, const Vector3<double>& origin,
                             const Vector3<double>& direction);
GRBDA_EXPORT double ray_cast(const Plane& ground, const Vector3<double>& origin,
                             const Vector3<double>& direction);
/// The same on uneven ground, which is consistent, see is_consistent. The ground is solid below its heights,
/// so that a ray can also meet the sides of cells at a border or beside unknown samples.
/// cost    proportional to the cells that the ray passes; no allocation
GRBDA_EXPORT double ray_cast(const HeightField& ground, const Vector3<double>& origin,
                             const Vector3<double>& direction);

}  // namespace grbda
