#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>

namespace grbda {

struct TriangleMesh {
    std::vector<Eigen::Vector3d> points;
    std::vector<std::array<std::uint32_t, 3>> triangles;  ///< indices of points
    std::size_t first_object =
        0;  ///< number of triangles before the second object or group of an OBJ file, or 0
};

/// Reads the text of an STL file, binary or not, of an OBJ file or of MuJoCo's MSH; the extension of `name`
/// decides. Empty, with the reason in `found`, if the format is another or the text is broken. All indices
/// are valid; coordinates may be infinite or NaN.
std::optional<TriangleMesh> read_triangle_mesh(std::string_view text, const std::string& name,
                                               std::string& found);

}  // namespace grbda
