#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "grbda/io/hulls.hpp"
#include "io/solids/mesh_solid.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace grbda {
namespace {

using Eigen::Vector3d;

constexpr double hull_tolerance = 1e-6;  ///< of the extent: facets within it are merged

Vector3<double> hull_vector(const Vector3d& a) { return {a.x(), a.y(), a.z()}; }

/// Finite points, each once, in an order that does not depend on the file.
std::vector<Vector3d> distinct(std::span<const Vector3d> points) {
    std::vector<Vector3d> result(points.begin(), points.end());
    const auto key = [](const Vector3d& p) { return std::tuple(p.x(), p.y(), p.z()); };
    std::sort(result.begin(), result.end(),
              [&](const Vector3d& a, const Vector3d& b) { return key(a) < key(b); });
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

/// A run of Qhull on points.
class Quickhull {
public:
    Quickhull(std::vector<Vector3d>& points, std::string command) {
        qh_zero(qh_, nullptr);
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere(std::fopen("/dev/null", "w"),
                                                                      std::fclose);
        if (nowhere)
            is_found_ = qh_new_qhull(qh_, 3, static_cast<int>(points.size()), points.front().data(), False,
                                     command.data(), nowhere.get(), nowhere.get()) == 0;
    }
    ~Quickhull() {
        int blocks = 0, bytes = 0;
        qh_freeqhull(qh_, !qh_ALL);
        qh_memfreeshort(qh_, &blocks, &bytes);
    }
    Quickhull(const Quickhull&) = delete;
    Quickhull& operator=(const Quickhull&) = delete;

    bool is_found() const { return is_found_; }

    struct Polygon {
        Vector3d normal;
        std::vector<int> corners;  ///< indices of points, in no order
    };
    std::vector<Polygon> polygons() const {
        std::vector<Polygon> result;
        for (const facetT* facet = qh_->facet_list; facet != nullptr && facet->next != nullptr;
             facet = facet->next) {
            Polygon polygon{Vector3d(facet->normal), {}};
            vertexT *vertex, **vertexp;
            FOREACHvertex_(facet->vertices) polygon.corners.push_back(qh_pointid(qh_, vertex->point));
            result.push_back(std::move(polygon));
        }
        return result;
    }

    /// Faces that the command triangulated, seen from outside counter-clockwise.
    std::vector<std::array<std::uint32_t, 3>> triangles() const {
        std::vector<std::array<std::uint32_t, 3>> result;
        for (const facetT* facet = qh_->facet_list; facet != nullptr && facet->next != nullptr;
             facet = facet->next) {
            std::array<std::uint32_t, 3> corners{};
            std::size_t count = 0;
            vertexT *vertex, **vertexp;
            FOREACHvertex_(facet->vertices) {
                if (count < 3) corners[count] = static_cast<std::uint32_t>(qh_pointid(qh_, vertex->point));
                ++count;
            }
            if (count != 3) return {};
            if (facet->toporient) std::swap(corners[0], corners[1]);
            result.push_back(corners);
        }
        return result;
    }

private:
    std::unique_ptr<qhT> memory_ = std::make_unique<qhT>();
    qhT* qh_ = memory_.get();
    bool is_found_ = false;
};

/// Sorts the corners of a convex polygon counter-clockwise about its normal, and corrects the normal to
/// theirs.
void put_in_order(const std::vector<Vector3d>& points, Quickhull::Polygon& polygon) {
    Vector3d middle = Vector3d::Zero();
    for (const int i : polygon.corners) middle += points[at(i)] / static_cast<double>(polygon.corners.size());
    const Vector3d u = (points[at(polygon.corners[0])] - middle).normalized(), v = polygon.normal.cross(u);
    std::vector<std::pair<double, int>> by_angle;
    for (const int i : polygon.corners) {
        const Vector3d way = points[at(i)] - middle;
        by_angle.emplace_back(std::atan2(way.dot(v), way.dot(u)), i);
    }
    std::sort(by_angle.begin(), by_angle.end());
    for (std::size_t i = 0; i < by_angle.size(); ++i) polygon.corners[i] = by_angle[i].second;
    Vector3d area = Vector3d::Zero();
    for (std::size_t i = 0; i < polygon.corners.size(); ++i) {
        const int next = polygon.corners[(i + 1) % polygon.corners.size()];
        area += (points[at(polygon.corners[i])] - middle).cross(points[at(next)] - middle);
    }
    if (area.norm() > 0) polygon.normal = area.normalized();
}

/// Vertices that faces use, and their faces.
ConvexHull assembled(const std::vector<Vector3d>& points, std::vector<Quickhull::Polygon> polygons) {
    ConvexHull hull;
    std::vector<int> index(points.size(), -1);
    for (Quickhull::Polygon& polygon : polygons) {
        put_in_order(points, polygon);
        for (const int i : polygon.corners) index[at(i)] = 0;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (index[i] < 0) continue;
        index[i] = static_cast<int>(hull.vertices.size());
        hull.vertices.push_back(hull_vector(points[i]));
    }
    std::vector<std::pair<int, int>> edges;
    for (const Quickhull::Polygon& polygon : polygons) {
        ConvexHull::Face face{hull_vector(polygon.normal), 0, {static_cast<int>(hull.corners.size()), 0}};
        for (const int i : polygon.corners) hull.corners.push_back(index[at(i)]);
        face.corners.last = static_cast<int>(hull.corners.size());
        hull.faces.push_back(face);
        for (const int i : face.corners)
            edges.emplace_back(hull.corners[i],
                               hull.corners[i + 1 < face.corners.last ? i + 1 : face.corners.first]);
    }
    std::sort(edges.begin(), edges.end());
    hull.edges.resize(hull.vertices.size());
    for (const auto& [from, to] : edges) {
        Range& range = hull.edges[from];
        if (range.empty()) range.first = static_cast<int>(hull.neighbours.size());
        hull.neighbours.push_back(to);
        range.last = static_cast<int>(hull.neighbours.size());
    }
    return hull;
}

/// Sums tetrahedra with the origin, which lies about the middle. Returns the area of the surface.
double measure(ConvexHull& hull) {
    double area = 0;
    Vector3<double> moment;
    for (const ConvexHull::Face& face : hull.faces)
        for (int i = face.corners.first + 1; i + 1 < face.corners.last; ++i) {
            const Vector3<double>&a = hull.vertices[hull.corners[face.corners.first]],
                  &b = hull.vertices[hull.corners[i]], &c = hull.vertices[hull.corners[i + 1]];
            const double part = dot(a, cross(b, c)) / 6;
            hull.volume += part;
            moment += (a + b + c) * (part / 4);
            area += dot(face.normal, cross(b - a, c - a)) / 2;
        }
    hull.centre = moment * (1 / hull.volume);
    return area;
}

/// Moves the origin to the centre.
void centre(ConvexHull& hull) {
    for (Vector3<double>& vertex : hull.vertices) {
        vertex -= hull.centre;
        hull.radius = std::max(hull.radius, std::sqrt(dot(vertex, vertex)));
    }
    for (ConvexHull::Face& face : hull.faces) {
        face.offset = 0;
        for (const int i : face.corners)
            face.offset = std::max(face.offset, dot(face.normal, hull.vertices[hull.corners[i]]));
    }
}

}  // namespace

std::optional<ConvexHull> convex_hull(std::span<const Vector3d> points, std::string& found) {
    const auto is_finite = [](const Vector3d& p) { return p.allFinite(); };
    if (!std::all_of(points.begin(), points.end(), is_finite)) {
        found = "a point with a coordinate that is not a finite number";
        return std::nullopt;
    }
    found = points.empty() ? "no points" : "points that lie in one plane, or nearly so";
    constexpr std::size_t least = 4, most = std::size_t{1} << 28;
    std::vector<Vector3d> all = distinct(points);
    if (all.size() < least) return std::nullopt;
    if (all.size() > most) {
        found = "more than " + std::to_string(most) + " points";
        return std::nullopt;
    }
    Vector3d lowest = all.front(), highest = all.front();
    for (const Vector3d& p : all) {
        lowest = lowest.cwiseMin(p);
        highest = highest.cwiseMax(p);
    }
    const Vector3d middle = lowest / 2 + highest / 2;
    const double extent = (highest / 2 - lowest / 2).maxCoeff();
    constexpr double shortest = 1e-100, longest = 1e100;  // m: beyond, the volume is zero or infinite
    if (!(extent < longest)) {
        found = "points farther apart than 1e100 m";
        return std::nullopt;
    }
    if (!(extent > shortest)) return std::nullopt;
    std::vector<Vector3d> scaled(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] -= middle;
        scaled[i] = all[i] / extent;
    }
    char command[64];
    std::snprintf(command, sizeof command, "qhull Pp C-%.0e", hull_tolerance);
    const Quickhull search(scaled, command);
    if (!search.is_found()) return std::nullopt;
    ConvexHull hull = assembled(all, search.polygons());
    const double area = measure(hull);
    if (!(2 * hull.volume > hull_tolerance * extent * area)) return std::nullopt;
    if (hull.vertices.size() > std::size_t{most_hull_vertices}) {
        found = "a hull of more than " + std::to_string(most_hull_vertices) + " vertices";
        return std::nullopt;
    }
    centre(hull);
    hull.centre += hull_vector(middle);
    return hull;
}

std::optional<TriangleMesh> hull_mesh(const std::vector<Vector3d>& points, int most_vertices,
                                      std::string& found) {
    constexpr std::size_t least = 4, most = std::size_t{1} << 28;
    found = "points that lie in one plane, or nearly so";
    const auto is_finite = [](const Vector3d& p) { return p.allFinite(); };
    if (points.size() < least || points.size() > most ||
        !std::all_of(points.begin(), points.end(), is_finite))
        return std::nullopt;
    std::string command = "qhull Pp Qt";
    if (most_vertices > 0) command += " Q9 TA" + std::to_string(std::max(most_vertices - 4, 0));
    TriangleMesh mesh{points, {}};
    std::vector<Vector3d> given = points;
    const Quickhull search(given, command);
    if (search.is_found()) mesh.triangles = search.triangles();
    if (mesh.triangles.empty()) return std::nullopt;
    return mesh;
}

}  // namespace grbda
