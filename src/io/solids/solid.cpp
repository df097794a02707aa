#include "io/solids/solid.hpp"

#include <cmath>
#include <vector>

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

/// Moments of inertia of a cylinder's lateral surface and its two discs.
Inertial can(double radius, double half) {
    const double square = radius * radius, wall = 4 * pi * radius * half, disc = pi * square;
    const double area = wall + 2 * disc;
    if (area == 0) return {};
    const double across = wall * (square / 2 + half * half / 3) + 2 * disc * (square / 4 + half * half);
    return centred(area, Vector3d(across, across, (wall + disc) * square) / area);
}

/// A cylinder's lateral surface with a hemisphere, whose centroid is half the radius away, at each end.
Inertial hollow_capsule(double radius, double half) {
    const double square = radius * radius, wall = 4 * pi * radius * half, ball = 4 * pi * square;
    const double area = wall + ball;
    if (area == 0) return {};
    const double across =
        wall * (square / 2 + half * half / 3) + ball * (square * 2 / 3 + half * (half + radius));
    return centred(area, Vector3d(across, across, wall * square + ball * square * 2 / 3) / area);
}

Inertial hollow_box(const Vector3d& size) {
    Vector3d faces(size.y() * size.z(), size.z() * size.x(), size.x() * size.y());
    const double area = 2 * faces.sum();
    if (area == 0) return {};
    Vector3d squares;  // ∫ x² dA along each axis
    for (Eigen::Index i = 0; i < 3; ++i)
        squares[i] = size[i] * size[i] * (faces[i] / 2 + (faces.sum() - faces[i]) / 6);
    return centred(area, (Vector3d::Constant(squares.sum()) - squares) / area);
}

Inertial hollow_ellipsoid(const Vector3d& size) {
    constexpr double thomsen = 1.6075, thickness = 1e-6;
    const Vector3d outer = size + Vector3d::Constant(thickness);
    const double volume = outer.prod() - size.prod();
    const double a = std::pow(size.x() * size.y(), thomsen), b = std::pow(size.y() * size.z(), thomsen),
                 c = std::pow(size.z() * size.x(), thomsen);
    const Vector3d squares =
        (outer.prod() * outer.cwiseAbs2() - size.prod() * size.cwiseAbs2()) / (5 * volume);
    return centred(4 * pi * std::pow((a + b + c) / 3, 1 / thomsen),
                   Vector3d::Constant(squares.sum()) - squares);
}

}  // namespace

Inertial shell_of(const Shape& shape) {
    const double radius = shape.size.x(), half = shape.size.y() / 2;
    switch (shape.kind) {
        case ShapeKind::sphere:
            return centred(4 * pi * radius * radius, Vector3d::Constant(radius * radius * 2 / 3));
        case ShapeKind::capsule: return hollow_capsule(radius, half);
        case ShapeKind::cylinder: return can(radius, half);
        case ShapeKind::box: return hollow_box(shape.size);
        case ShapeKind::ellipsoid: return hollow_ellipsoid(shape.size);
        case ShapeKind::plane:
        case ShapeKind::mesh: break;
    }
    return {};
}

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
