#include "grbda/io/hulls.hpp"
#include "io/solids/mesh_solid.hpp"

namespace grbda {

std::optional<ConvexHull> convex_hull(std::span<const Eigen::Vector3d>, std::string& found) {
    found = "a build without Qhull, which computes hulls";
    return std::nullopt;
}

std::optional<TriangleMesh> hull_mesh(const std::vector<Eigen::Vector3d>&, int, std::string& found) {
    found = "a build without Qhull, which computes hulls";
    return std::nullopt;
}

}  // namespace grbda
