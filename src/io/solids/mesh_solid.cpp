#include "io/solids/mesh_solid.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace grbda {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d area_vector(const TriangleMesh& mesh, const std::array<std::uint32_t, 3>& corners) {
    const Vector3d& a = mesh.points[corners[0]];
    return (mesh.points[corners[1]] - a).cross(mesh.points[corners[2]] - a) / 2;
}

Vector3d surface_centroid(const TriangleMesh& mesh) {
    double area = 0;
    Vector3d moment = Vector3d::Zero();
    for (const auto& corners : mesh.triangles) {
        const double part = area_vector(mesh, corners).norm();
        area += part;
        for (const std::uint32_t i : corners) moment += part / 3 * mesh.points[i];
    }
    return area > 0 ? Vector3d(moment / area) : Vector3d::Zero();
}

/// Sums of a measure, and its first and second moments, about a point.
struct Moments {
    double measure = 0;
    Vector3d first = Vector3d::Zero();
    Matrix3d second = Matrix3d::Zero();
};

/// Sums triangles, or their tetrahedra with `origin`. With corners a, b, c relative to it and s = a + b + c,
/// a tetrahedron has the volume V = a · (b × c) / 6, ∫ x dV = V / 4 · s and ∫ x xᵀ dV = V / 20 · (a aᵀ + b bᵀ
/// + c cᵀ + s sᵀ). A triangle of area A has A / 3 and A / 12 in their place.
Moments sum_about(const TriangleMesh& mesh, MeshMass kind, const Vector3d& origin) {
    const bool is_shell = kind == MeshMass::shell;
    Moments sum;
    for (const auto& corners : mesh.triangles) {
        const Vector3d a = mesh.points[corners[0]] - origin, b = mesh.points[corners[1]] - origin,
                       c = mesh.points[corners[2]] - origin, s = a + b + c;
        double part = is_shell ? area_vector(mesh, corners).norm() : a.dot(b.cross(c)) / 6;
        if (kind == MeshMass::legacy) part = std::abs(part);
        sum.measure += part;
        sum.first += part / (is_shell ? 3 : 4) * s;
        sum.second += part / (is_shell ? 12 : 20) *
                      (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
    return sum;
}

}  // namespace

std::optional<Inertial> inertial_of_mesh(TriangleMesh mesh, MeshMass kind, std::string& found,
                                         int most_vertices) {
    if (kind == MeshMass::convex || mesh.triangles.empty()) {
        std::optional<TriangleMesh> hull = hull_mesh(mesh.points, most_vertices, found);
        if (!hull) return std::nullopt;
        mesh = *std::move(hull);
        if (kind == MeshMass::convex) kind = MeshMass::exact;
    }
    found = "a surface that encloses nothing";
    const Vector3d middle = surface_centroid(mesh);
    const Moments about_middle = sum_about(mesh, kind, middle);
    if (!(std::abs(about_middle.measure) > 0)) return std::nullopt;
    const Vector3d com = middle + about_middle.first / about_middle.measure;
    // MuJoCo sums anew about this point; only for closed surfaces that equals the parallel-axis theorem.
    const Moments about_com = sum_about(mesh, kind, com);
    const double sign = about_com.measure < 0 ? -1 : 1;
    const Matrix3d second = sign * about_com.second;
    if (!(std::abs(about_com.measure) > 0) || !std::isfinite(about_com.measure) || !second.allFinite())
        return std::nullopt;
    return Inertial{sign * about_com.measure, com, second.trace() * Matrix3d::Identity() - second};
}

}  // namespace grbda
