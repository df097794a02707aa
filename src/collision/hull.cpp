#include "hull.hpp"

#include "difference.hpp"

namespace grbda::collision {

const ConvexHull::Face& face_towards(const ConvexHull& hull, int vertex, const Vector& direction) {
    const ConvexHull::Face* best = &hull.faces.front();
    double along = -std::numeric_limits<double>::infinity();
    for (const ConvexHull::Face& face : hull.faces) {
        const double d = dot(face.normal, direction);
        if (!(d > along)) continue;
        for (const int i : face.corners) {
            if (hull.corners[i] != vertex) continue;
            along = d;
            best = &face;
            break;
        }
    }
    return *best;
}

int spread_corners(const ConvexHull& hull, const ConvexHull::Face& face, std::span<int> corners) {
    const int most = static_cast<int>(corners.size());
    int count = 0;
    if (face.corners.size() <= most) {
        for (const int i : face.corners) corners[at(count++)] = hull.corners[i];
        return count;
    }
    const Vector u = square_to(face.normal), v = cross(face.normal, u);
    for (int k = 0; k < most; ++k) {
        const double angle = 2 * M_PI * k / most;
        const Vector direction = u * std::cos(angle) + v * std::sin(angle);
        int farthest = hull.corners[face.corners.first];
        for (const int i : face.corners)
            if (dot(hull.vertices[hull.corners[i]] - hull.vertices[farthest], direction) > 0)
                farthest = hull.corners[i];
        const bool is_new = count == 0 || (corners[at(count - 1)] != farthest && corners[0] != farthest);
        if (is_new) corners[at(count++)] = farthest;
    }
    return count;
}

}  // namespace grbda::collision
