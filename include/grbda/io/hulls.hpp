#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grbda/collision/convex_hull.hpp"
#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Limit on the size of a mesh file, in bytes.
inline constexpr std::size_t largest_mesh_file = std::size_t{64} << 20;

/// Limit on the vertices of a hull.
inline constexpr int most_hull_vertices = 65535;

/// Computes the convex hull of points. Faces that deviate from one plane by about a millionth of the extent,
/// or less, become one polygon, and points that are no farther outside are omitted, so that a rounded file
/// gives the faces that were drawn.
/// in      points   m, in any order, repeated or not
/// out     found    the reason if the result is empty; otherwise of no use
/// errors  none; empty for coordinates that are not finite, points in a plane, or too many vertices
/// cost    O(n log n) for n points; allocates. Safe from several threads
/// source  Barber, Dobkin, Huhdanpaa 1996, The quickhull algorithm for convex hulls (Qhull)
GRBDA_EXPORT std::optional<ConvexHull> convex_hull(std::span<const Eigen::Vector3d> points,
                                                   std::string& found);

/// Reads the meshes of shapes for collision, and sets Shape::hull. Meshes of one file and scale share a hull.
/// Models and mechanisms made from the description, and edits of these, keep the hulls. A mesh that cannot
/// be read or encloses no volume has none afterwards, with a warning (an error after apply_strictness()).
/// Reads STL, binary or not, OBJ, and MSH of MuJoCo, at most largest_mesh_file bytes. Searches a file beside
/// that of the shape, beside the robot's and in `paths`; for package://NAME/FILE and model://NAME/FILE in
/// these and all folders above them, with and without NAME.
GRBDA_EXPORT void load_hulls(RobotDescription& robot, Diagnostics& diagnostics,
                             const std::vector<std::string>& paths = {});

}  // namespace grbda
