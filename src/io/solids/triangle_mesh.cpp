#include "io/solids/triangle_mesh.hpp"

#include <algorithm>
#include <cstring>

#include "io/text/number.hpp"

namespace grbda {

namespace {

using Eigen::Vector3d;

constexpr std::size_t stl_header = 84, stl_triangle = 50, float_point = 12;  // bytes

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

std::uint32_t count_of(const std::vector<Vector3d>& points) {
    return static_cast<std::uint32_t>(points.size());
}

/// Each three points are a triangle.
TriangleMesh with_triangles(std::vector<Vector3d> points) {
    TriangleMesh mesh{std::move(points), {}, 0};
    mesh.triangles.reserve(mesh.points.size() / 3);
    for (std::uint32_t i = 0; i + 2 < count_of(mesh.points); i += 3)
        mesh.triangles.push_back({i, i + 1, i + 2});
    return mesh;
}

TriangleMesh binary_stl(std::string_view text) {
    std::vector<Vector3d> points;
    points.reserve((text.size() - stl_header) / stl_triangle * 3);
    for (std::size_t at = stl_header; at + stl_triangle <= text.size(); at += stl_triangle)
        for (std::size_t i = 1; i <= 3; ++i)  // after the normal
            points.push_back(binary_point(text.substr(at + i * float_point)));
    return with_triangles(std::move(points));
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
    const std::string_view taken = line.substr(0, end);
    line.remove_prefix(end);
    return taken;
}

std::optional<Vector3d> point_of(std::string_view numbers) {
    const auto values = parse_numbers(numbers);
    if (!values || values->size() < 3) return std::nullopt;
    return Vector3d(values->data());
}

std::optional<TriangleMesh> ascii_stl(std::string_view text) {
    std::vector<Vector3d> corners;
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view line = take_line(rest);
        if (take_word(line) != "vertex") continue;
        const std::optional<Vector3d> point = point_of(line);
        if (!point) return std::nullopt;
        corners.push_back(*point);
    }
    const bool is_text = !corners.empty() || trim(text).substr(0, 5) == "solid";
    if (corners.size() % 3 != 0 || !is_text) return std::nullopt;
    return with_triangles(std::move(corners));
}

std::optional<TriangleMesh> stl(std::string_view text) {
    if (text.size() < stl_header || text.substr(0, stl_header).find("facet") != std::string_view::npos)
        return ascii_stl(text);
    const std::size_t count = word(text.substr(stl_header - 4));
    if ((text.size() - stl_header) / stl_triangle < count) return ascii_stl(text);
    return binary_stl(text.substr(0, stl_header + stl_triangle * count));
}

/// Index 1 is the first of the points so far, −1 the last; in "3/1/2" the 3 is used.
std::optional<std::uint32_t> obj_index(std::string_view text, const std::vector<Vector3d>& points) {
    const std::optional<double> number = parse_number(text.substr(0, text.find('/')));
    if (!number) return std::nullopt;
    const double count = static_cast<double>(points.size());
    const double index = *number < 0 ? count + *number : *number - 1;
    if (!(index >= 0 && index < count)) return std::nullopt;
    return static_cast<std::uint32_t>(index);
}

/// Adds a polygon as triangles: a quadrilateral along its shorter diagonal, others by cutting off ears.
void add_polygon(std::vector<std::uint32_t> corners, TriangleMesh& mesh) {
    const auto point = [&](std::size_t i) -> const Vector3d& { return mesh.points[corners[i]]; };
    if (corners.size() == 4 && (point(1) - point(3)).squaredNorm() <= (point(0) - point(2)).squaredNorm())
        std::rotate(corners.begin(), corners.begin() + 1, corners.end());
    Vector3d normal = Vector3d::Zero();
    for (std::size_t i = 2; i < corners.size(); ++i)
        normal += (point(i - 1) - point(0)).cross(point(i) - point(0));
    const auto turn = [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) {
        return (b - a).cross(c - a).dot(normal);
    };
    const auto is_ear = [&](std::size_t i) {  // at corner i, which no other corner enters
        const std::size_t n = corners.size();
        const Vector3d &a = point((i + n - 1) % n), &b = point(i), &c = point((i + 1) % n);
        if (!(turn(a, b, c) > 0)) return false;
        for (std::size_t k = 2; k < n - 1; ++k) {
            const Vector3d& p = point((i + k) % n);
            if (p != a && p != c && turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0)
                return false;
        }
        return true;
    };
    while (corners.size() > 4) {
        std::size_t i = 1;
        while (i < corners.size() && !is_ear(i)) ++i;
        if (i == corners.size()) i = 1;  // it crosses itself
        const std::size_t next = (i + 1) % corners.size();
        mesh.triangles.push_back({corners[i - 1], corners[i], corners[next]});
        corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (corners.size() == 4 && !is_ear(1)) std::rotate(corners.begin(), corners.begin() + 1, corners.end());
    for (std::size_t i = 2; i < corners.size(); ++i)
        mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

std::optional<TriangleMesh> obj(std::string_view text) {
    TriangleMesh mesh;
    std::vector<std::uint32_t> corners;
    while (!text.empty()) {
        std::string_view line = take_line(text);
        const std::string_view kind = take_word(line);
        if (kind == "v") {
            const std::optional<Vector3d> point = point_of(line);
            if (!point) return std::nullopt;
            mesh.points.push_back(*point);
        }
        if ((kind == "o" || kind == "g") && mesh.first_object == 0) mesh.first_object = mesh.triangles.size();
        if (kind != "f") continue;
        corners.clear();
        while (!trim(line).empty()) {
            const std::optional<std::uint32_t> index = obj_index(take_word(line), mesh.points);
            if (!index) return std::nullopt;
            corners.push_back(*index);
        }
        add_polygon(corners, mesh);
    }
    if (mesh.first_object == mesh.triangles.size()) mesh.first_object = 0;
    return mesh;
}

/// Four counts (points, normals, texture coordinates, triangles), these as floats, and indices.
std::optional<TriangleMesh> msh(std::string_view text) {
    constexpr std::size_t header = 16;
    if (text.size() < header) return std::nullopt;
    const std::uint64_t points = word(text), normals = word(text.substr(4)), textures = word(text.substr(8)),
                        triangles = word(text.substr(12));
    const std::uint64_t corners = header + float_point * (points + normals) + 8 * textures;
    if (text.size() != corners + 12 * triangles) return std::nullopt;
    TriangleMesh mesh;
    for (std::size_t i = 0; i < points; ++i)
        mesh.points.push_back(binary_point(text.substr(header + float_point * i)));
    for (std::size_t i = 0; i < triangles; ++i) {
        const std::string_view three = text.substr(corners + 12 * i);
        mesh.triangles.push_back({word(three), word(three.substr(4)), word(three.substr(8))});
        for (const std::uint32_t index : mesh.triangles.back())
            if (index >= points) return std::nullopt;
    }
    return mesh;
}

bool ends_with(const std::string& name, std::string_view ending) {
    if (name.size() < ending.size()) return false;
    return std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

}  // namespace

std::optional<TriangleMesh> read_triangle_mesh(std::string_view text, const std::string& name,
                                               std::string& found) {
    found = "a file that cannot be read";
    if (ends_with(name, ".stl")) return stl(text);
    if (ends_with(name, ".obj")) return obj(text);
    if (ends_with(name, ".msh")) return msh(text);
    found = "neither STL, OBJ nor MSH";
    return std::nullopt;
}

}  // namespace grbda
