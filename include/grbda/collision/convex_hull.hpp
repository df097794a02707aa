#pragma once

#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

namespace grbda {

/// A convex polyhedron, such as the convex hull of a mesh. Vertices and faces are relative to its centre.
struct ConvexHull {
    struct Face {
        Vector3<double> normal;  ///< unit, outwards
        double offset = 0;       ///< m, above zero: the largest normal · p of its corners
        Range corners;           ///< its part of ConvexHull::corners, three or more
    };
    Vector3<double> centre;           ///< m, of its volume, in the frame of the shape
    double volume = 0;                ///< m³, above zero
    double radius = 0;                ///< m, of the sphere about the centre that contains it
    Table<Vector3<double>> vertices;  ///< m, in the order of x
    Table<Face> faces;                ///< polygons
    Table<int> corners;               ///< vertices of each face, counter-clockwise seen from outside
    Table<Range> edges;               ///< of each vertex: its part of `neighbours`
    Table<int> neighbours;            ///< vertices that edges connect with it
};

}  // namespace grbda
