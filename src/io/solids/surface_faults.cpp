#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include <Eigen/Geometry>

#include "io/solids/mesh_solid.hpp"

namespace grbda {

namespace {

using Eigen::Vector3d;
using Index = std::uint32_t;

/// An edge of a triangle between two points.
struct Edge {
    Index low = 0, high = 0;
    bool is_forward = true;  ///< from low to high
    Index triangle = 0;
    bool joins(const Edge& other) const { return low == other.low && high == other.high; }
};

/// For each point the first of those at its place.
std::vector<Index> first_at_place(const std::vector<Vector3d>& points) {
    std::vector<Index> order(points.size()), first(points.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto key = [&](Index i) { return std::tuple(points[i].x(), points[i].y(), points[i].z(), i); };
    std::sort(order.begin(), order.end(), [&](Index i, Index j) { return key(i) < key(j); });
    for (std::size_t k = 0; k < order.size(); ++k) {
        const bool is_same = k > 0 && points[order[k]] == points[order[k - 1]];
        first[order[k]] = is_same ? first[order[k - 1]] : order[k];
    }
    return first;
}

/// The edges of all triangles whose corners differ, with those between the same two points side by side.
std::vector<Edge> sorted_edges(const TriangleMesh& mesh, const std::vector<Index>& place) {
    std::vector<Edge> edges;
    edges.reserve(3 * mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto& corners = mesh.triangles[t];
        const Index at[] = {place[corners[0]], place[corners[1]], place[corners[2]]};
        if (at[0] == at[1] || at[1] == at[2] || at[2] == at[0]) continue;
        for (std::size_t i = 0; i < 3; ++i) {
            const Index from = at[i], to = at[(i + 1) % 3];
            edges.push_back({std::min(from, to), std::max(from, to), from < to, static_cast<Index>(t)});
        }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
        return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
    });
    return edges;
}

/// Calls use(first, last) for the edges between each two points.
template <class Use>
void for_each_pair_of_points(const std::vector<Edge>& edges, Use use) {
    for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
        while (last < edges.size() && edges[last].joins(edges[first])) ++last;
        use(&edges[first], edges.data() + last);
    }
}

/// Edges without an opposite one; two triangles that face different ways are no gap.
std::vector<Edge> open_edges(const std::vector<Edge>& edges) {
    std::vector<Edge> open;
    for_each_pair_of_points(edges, [&](const Edge* first, const Edge* last) {
        const auto forward = std::count_if(first, last, [](const Edge& edge) { return edge.is_forward; });
        const auto surplus = 2 * forward - (last - first);
        if (surplus == 0 || last - first == 2) return;
        Edge edge = *first;
        edge.is_forward = surplus > 0;
        open.insert(open.end(), static_cast<std::size_t>(std::abs(surplus)), edge);
    });
    return open;
}

/// Makes points at open edges one if they are closer than the tolerance.
void weld(const std::vector<Vector3d>& points, const std::vector<Edge>& open, double tolerance,
          std::vector<Index>& place) {
    std::map<std::array<double, 3>, Index> cells;  // each has one point
    std::map<Index, Index> welded;
    const auto weld_point = [&](Index i) {
        if (welded.contains(i)) return;
        const Vector3d cell = (points[i] / tolerance).array().floor();
        for (int k = 0; k < 27; ++k) {
            const Vector3d near = cell + Vector3d(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            const auto other = cells.find({near.x(), near.y(), near.z()});
            if (other == cells.end() || (points[other->second] - points[i]).norm() > tolerance) continue;
            welded[i] = other->second;
            return;
        }
        welded[i] = cells[{cell.x(), cell.y(), cell.z()}] = i;
    };
    for (const Edge& edge : open) {
        weld_point(edge.low);
        weld_point(edge.high);
    }
    for (Index& i : place)
        if (const auto found = welded.find(i); found != welded.end()) i = found->second;
}

Index root_of(std::vector<Index>& parents, Index i) {
    while (parents[i] != i) i = parents[i] = parents[parents[i]];
    return i;
}

/// The area of cones over connected open edges, whose tips are the means of these.
double area_of_gaps(const std::vector<Vector3d>& points, const std::vector<Edge>& open) {
    std::vector<Index> parents(points.size());
    std::iota(parents.begin(), parents.end(), Index{0});
    for (const Edge& edge : open) parents[root_of(parents, edge.low)] = root_of(parents, edge.high);
    std::map<Index, std::pair<Vector3d, double>> tips;
    for (const Edge& edge : open) {
        auto& [sum, count] = tips.try_emplace(root_of(parents, edge.low), Vector3d::Zero(), 0).first->second;
        sum += points[edge.low] + points[edge.high];
        count += 2;
    }
    double area = 0;
    for (const Edge& edge : open) {
        const auto& [sum, count] = tips.at(root_of(parents, edge.low));
        const Vector3d tip = sum / count;
        area += (points[edge.low] - tip).cross(points[edge.high] - tip).norm() / 2;
    }
    return area;
}

/// Turns triangles so that neighbours agree, from one triangle of each part of the surface on; in each part
/// the smaller number of triangles counts as turned.
std::vector<std::size_t> turned_triangles(const std::vector<Edge>& edges, std::size_t count) {
    std::vector<std::vector<std::pair<Index, bool>>> neighbours(count);  // true: they face different ways
    bool all_agree = true;
    for_each_pair_of_points(edges, [&](const Edge* first, const Edge* last) {
        if (last - first != 2) return;
        const bool differ = first[0].is_forward == first[1].is_forward;
        all_agree = all_agree && !differ;
        neighbours[first[0].triangle].emplace_back(first[1].triangle, differ);
        neighbours[first[1].triangle].emplace_back(first[0].triangle, differ);
    });
    std::vector<std::size_t> result;
    if (all_agree) return result;
    std::vector<char> side(count, -1);
    for (std::size_t start = 0; start < count; ++start) {
        if (side[start] >= 0) continue;
        std::vector<std::size_t> part = {start};
        side[start] = 0;
        for (std::size_t i = 0; i < part.size(); ++i)
            for (const auto& [other, differ] : neighbours[part[i]]) {
                if (side[other] >= 0) continue;
                side[other] = differ ? static_cast<char>(1 - side[part[i]]) : side[part[i]];
                part.push_back(other);
            }
        const auto ones =
            std::count_if(part.begin(), part.end(), [&](std::size_t t) { return side[t] == 1; });
        const char fewer = 2 * static_cast<std::size_t>(ones) <= part.size() ? 1 : 0;
        std::copy_if(part.begin(), part.end(), std::back_inserter(result),
                     [&](std::size_t t) { return side[t] == fewer; });
    }
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace

std::string SurfaceFaults::turned_list() const {
    constexpr std::size_t most = 8;
    std::string list = turned.size() == 1 ? "triangle " : "triangles ";
    const std::size_t shown = std::min(turned.size(), most);
    for (std::size_t i = 0; i < shown; ++i) {
        if (i > 0) list += i + 1 < turned.size() ? ", " : " and ";
        list += std::to_string(turned[i] + 1);
    }
    return shown < turned.size() ? list + " and " + std::to_string(turned.size() - shown) + " more" : list;
}

SurfaceFaults surface_faults(const TriangleMesh& mesh) {
    constexpr double narrow = 1e-6, small = 1e-3;  // of the extent, and of the area
    SurfaceFaults faults;
    if (mesh.points.empty()) return faults;
    std::vector<Index> place = first_at_place(mesh.points);
    std::vector<Edge> edges = sorted_edges(mesh, place);
    std::vector<Edge> open = open_edges(edges);
    Vector3d lowest = mesh.points.front(), highest = lowest;
    for (const Vector3d& point : mesh.points) {
        lowest = lowest.cwiseMin(point);
        highest = highest.cwiseMax(point);
    }
    const double extent = (highest - lowest).maxCoeff();
    if (!open.empty() && extent > 0 && std::isfinite(extent)) {
        weld(mesh.points, open, narrow * extent, place);
        edges = sorted_edges(mesh, place);
        open = open_edges(edges);
    }
    faults.turned = turned_triangles(edges, mesh.triangles.size());
    double area = 0;
    for (const auto& [a, b, c] : mesh.triangles)
        area += (mesh.points[b] - mesh.points[a]).cross(mesh.points[c] - mesh.points[a]).norm() / 2;
    faults.has_gaps = !open.empty() && area_of_gaps(mesh.points, open) > small * area;
    return faults;
}

}  // namespace grbda
