#include "solid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "io/text/number.hpp"

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

struct Triangle {
    Vector3d a, b, c;
};

constexpr std::size_t stl_header = 84, stl_triangle = 50;  // bytes

/// Little-endian, on every platform.
std::uint32_t word(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

Vector3d binary_point(std::string_view bytes) {
    Vector3d point;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t bits = word(bytes.substr(4 * i));
        float coordinate;
        std::memcpy(&coordinate, &bits, sizeof coordinate);
        point[static_cast<Eigen::Index>(i)] = static_cast<double>(coordinate);
    }
    return point;
}

std::vector<Triangle> binary_stl(std::string_view text) {
    std::vector<Triangle> triangles;
    triangles.reserve((text.size() - stl_header) / stl_triangle);
    for (std::size_t at = stl_header; at + stl_triangle <= text.size(); at += stl_triangle) {
        const std::string_view corners = text.substr(at + 12);
        triangles.push_back(
            {binary_point(corners), binary_point(corners.substr(12)), binary_point(corners.substr(24))});
    }
    return triangles;
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// Removes and returns the first word of a line.
std::string_view take_word(std::string_view& line) {
    line = trim(line);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
}

std::optional<Vector3d> point_of(std::string_view numbers) {
    const auto values = parse_numbers(numbers);
    if (!values || values->size() < 3) return std::nullopt;
    return Vector3d(values->data());
}

std::optional<std::vector<Triangle>> ascii_stl(std::string_view text) {
    std::vector<Vector3d> corners;
    while (!text.empty()) {
        std::string_view line = take_line(text);
        if (take_word(line) != "vertex") continue;
        const std::optional<Vector3d> point = point_of(line);
        if (!point) return std::nullopt;
        corners.push_back(*point);
    }
    if (corners.size() % 3 != 0) return std::nullopt;
    std::vector<Triangle> triangles;
    for (std::size_t i = 0; i < corners.size(); i += 3)
        triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
    return triangles;
}

/// Index 1 is the first of the points so far, −1 the last; in "3/1/2" the 3 is used.
const Vector3d* obj_point(std::string_view word, const std::vector<Vector3d>& points) {
    const std::optional<double> number = parse_number(word.substr(0, word.find('/')));
    if (!number) return nullptr;
    const double count = static_cast<double>(points.size());
    const double index = *number < 0 ? count + *number : *number - 1;
    if (!(index >= 0 && index < count)) return nullptr;
    return &points[static_cast<std::size_t>(index)];
}

/// Faces with more corners are fans of triangles.
std::optional<std::vector<Triangle>> obj(std::string_view text) {
    std::vector<Vector3d> points;
    std::vector<Triangle> triangles;
    while (!text.empty()) {
        std::string_view line = take_line(text);
        const std::string_view kind = take_word(line);
        if (kind == "v") {
            const std::optional<Vector3d> point = point_of(line);
            if (!point) return std::nullopt;
            points.push_back(*point);
        }
        if (kind != "f") continue;
        std::vector<const Vector3d*> corners;
        while (!trim(line).empty()) {
            corners.push_back(obj_point(take_word(line), points));
            if (corners.back() == nullptr) return std::nullopt;
        }
        for (std::size_t i = 2; i < corners.size(); ++i)
            triangles.push_back({*corners[0], *corners[i - 1], *corners[i]});
    }
    return triangles;
}

bool ends_with(const std::string& name, std::string_view ending) {
    if (name.size() < ending.size()) return false;
    return std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

/// Sums the tetrahedra of the triangles with the first corner of all. With corners a, b, c relative to it,
/// the volume is a · (b × c) / 6 and ∫ x xᵀ dV = volume / 20 · (a aᵀ + b bᵀ + c cᵀ + s sᵀ), s = a + b + c.
std::optional<MeshSolid> enclosed(const std::vector<Triangle>& triangles, const Vector3d& scale) {
    constexpr double largest_gap = 1e-3;  // of the surface: the area that would close it
    if (triangles.empty()) return std::nullopt;
    const Vector3d origin = triangles.front().a.cwiseProduct(scale);
    double volume = 0, area = 0;
    Vector3d first = Vector3d::Zero(), normals = Vector3d::Zero();
    Matrix3d second = Matrix3d::Zero();
    for (const Triangle& triangle : triangles) {
        const Vector3d a = triangle.a.cwiseProduct(scale) - origin,
                       b = triangle.b.cwiseProduct(scale) - origin,
                       c = triangle.c.cwiseProduct(scale) - origin, s = a + b + c;
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
    const bool is_stl = ends_with(name, ".stl");
    if (!is_stl && !ends_with(name, ".obj")) {
        found = "neither STL nor OBJ";
        return std::nullopt;
    }
    const bool is_binary = is_stl && text.size() >= stl_header &&
                           (text.size() - stl_header) / stl_triangle >= word(text.substr(stl_header - 4)) &&
                           text.substr(0, stl_header).find("facet") == std::string_view::npos;
    std::optional<std::vector<Triangle>> triangles;
    if (is_binary) {
        triangles = binary_stl(text.substr(0, stl_header + stl_triangle * word(text.substr(stl_header - 4))));
    } else {
        triangles = is_stl ? ascii_stl(text) : obj(text);
    }
    found = triangles ? "a surface that encloses nothing" : "a file that cannot be read";
    return triangles ? enclosed(*triangles, scale) : std::nullopt;
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
