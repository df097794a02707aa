#include "solid.hpp"

#include <cmath>
#include <vector>

#include "triangle_mesh.hpp"

namespace grbda {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double pi = 3.141592653589793;

Inertial centred(double volume, const Vector3d& moments_of_unit_mass) {
    return {volume, Vector3d::Zero(), volume * Matrix3d(moments_of_unit_mass.asDiagonal())};
}

/// A cylinder with a hemisphere at each end.
Inertial capsule(double radius, double half) {
    const double square = radius * radius;
    const double cylinder = pi * square * 2 * half;
    const double ball = pi * square * radius * 4 / 3;
    const double volume = cylinder + ball;
    if (volume == 0) return {};
    const double along = (cylinder * square / 2 + ball * square * 2 / 5) / volume;
    // The hemispheres have their centres of mass 3/8 of the radius beyond the ends.
    const double across = (cylinder * (square / 4 + half * half / 3) +
                           ball * (square * 2 / 5 + half * half + radius * half * 3 / 4)) /
                          volume;
    return centred(volume, {across, across, along});
}

/// Sums the tetrahedra of the triangles with the first corner of all. With corners a, b, c relative to it,
/// the volume is a · (b × c) / 6 and ∫ x xᵀ dV = volume / 20 · (a aᵀ + b bᵀ + c cᵀ + s sᵀ), s = a + b + c.
std::optional<MeshSolid> enclosed(const TriangleMesh& mesh, const Vector3d& scale) {
    constexpr double largest_gap = 1e-3;  // of the surface: the area that would close it
    if (mesh.triangles.empty()) return std::nullopt;
    const Vector3d origin = mesh.points[mesh.triangles.front()[0]].cwiseProduct(scale);
    double volume = 0, area = 0;
    Vector3d first = Vector3d::Zero(), normals = Vector3d::Zero();
    Matrix3d second = Matrix3d::Zero();
    for (const auto& corners : mesh.triangles) {
        const auto corner = [&](std::size_t i) {
            return (mesh.points[corners[i]].cwiseProduct(scale) - origin).eval();
        };
        const Vector3d a = corner(0), b = corner(1), c = corner(2), s = a + b + c;
        const double part = a.dot(b.cross(c)) / 6;
        const Vector3d normal = (b - a).cross(c - a) / 2;
        volume += part;
        first += part / 4 * s;
        second += part / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
        normals += normal;
        area += normal.norm();
    }
    const double sign = volume < 0 ? -1 : 1;  // the triangles may be oriented inwards
    if (!(std::abs(volume) > 0) || !std::isfinite(volume) || !second.allFinite()) return std::nullopt;
    const Vector3d com = first / volume;
    const Matrix3d about_com = sign * (second - volume * com * com.transpose());
    MeshSolid result;
    result.solid = {sign * volume, origin + com, about_com.trace() * Matrix3d::Identity() - about_com};
    result.is_closed = normals.norm() <= largest_gap * area;
    return result;
}

}  // namespace

Inertial solid_of(const Shape& shape) {
    const Vector3d squares = shape.size.cwiseAbs2();
    const Vector3d sums(squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y());
    const double radius = shape.size.x(), half = shape.size.y() / 2;
    switch (shape.kind) {
        case ShapeKind::sphere:
            return centred(radius * squares.x() * pi * 4 / 3, Vector3d::Constant(squares.x() * 2 / 5));
        case ShapeKind::capsule: return capsule(radius, half);
        case ShapeKind::cylinder: {
            const double across = squares.x() / 4 + half * half / 3;
            return centred(pi * squares.x() * 2 * half, {across, across, squares.x() / 2});
        }
        case ShapeKind::box: return centred(shape.size.prod(), sums / 12);
        case ShapeKind::ellipsoid: return centred(shape.size.prod() * pi * 4 / 3, sums / 5);
        case ShapeKind::plane:
        case ShapeKind::mesh: break;
    }
    return {};
}

std::optional<MeshSolid> solid_of_mesh(std::string_view text, const std::string& name, const Vector3d& scale,
                                       std::string& found) {
    const std::optional<TriangleMesh> mesh = read_triangle_mesh(text, name, found);
    if (!mesh) return std::nullopt;
    found = "a surface that encloses nothing";
    return enclosed(*mesh, scale);
}

Inertial times_as_dense(const Inertial& inertial, double times) {
    return {times * inertial.mass, inertial.com, times * inertial.inertia};
}

Inertial placed_at(const Pose& pose, const Inertial& inertial) {
    return {inertial.mass, pose.translation + pose.rotation * inertial.com,
            pose.rotation * inertial.inertia * pose.rotation.transpose()};
}

Inertial joined(const std::vector<Inertial>& parts) {
    Inertial whole;
    for (const Inertial& part : parts) whole.mass += part.mass;
    for (const Inertial& part : parts) whole.com += part.mass / whole.mass * part.com;
    for (const Inertial& part : parts) {
        const Vector3d d = part.com - whole.com;
        whole.inertia +=
            part.inertia + part.mass * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
    }
    return whole;
}

}  // namespace grbda
