#pragma once

#include <limits>
#include <span>

#include "distance.hpp"

// Vertices and faces of convex hulls, for directions in the hull's axes.

namespace grbda::collision {

/// Returns the vertex that is farthest along a direction; if several are, one of them. Tries all of fewer
/// than 40 vertices. Among more it climbs along edges, since a convex surface has no other summit.
inline int farthest_vertex(const ConvexHull& hull, const Vector& direction) {
    constexpr int many = 40;
    const int count = static_cast<int>(hull.vertices.size());
    int best = direction.x > 0 ? count - 1 : 0;
    double reach = dot(hull.vertices[best], direction);
    const auto try_vertex = [&](int i) {
        const double height = dot(hull.vertices[i], direction);
        if (!(height > reach)) return;
        reach = height;
        best = i;
    };
    if (count < many) {
        for (int i = 0; i < count; ++i) try_vertex(i);
        return best;
    }
    for (int last = -1; last != best;) {
        last = best;
        for (const int k : hull.edges[last]) try_vertex(hull.neighbours[k]);
    }
    return best;
}

/// Returns the face at a vertex that is most perpendicular to the direction.
const ConvexHull::Face& face_towards(const ConvexHull& hull, int vertex, const Vector& direction);

/// Chooses corners of a face, counter-clockwise: all if they fit, otherwise those farthest along directions
/// that are spread evenly. Returns their number.
int spread_corners(const ConvexHull& hull, const ConvexHull::Face& face, std::span<int> corners);

}  // namespace grbda::collision
