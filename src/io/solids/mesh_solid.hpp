#pragma once

#include <optional>
#include <string>

#include "io/includes.hpp"
#include "io/solids/solid.hpp"
#include "io/solids/triangle_mesh.hpp"

// Mass and inertia of bodies of uniform density whose shape is a triangle mesh.

namespace grbda {

/// Reads the file of a mesh: one that the robot's file may include, or else one that find_mesh_file() finds.
/// A text that is not a file has none. Empty, with the reason in `found`, if there is no such file, or a
/// larger one.
std::optional<std::string> read_mesh_text(Includes& includes, const std::string& address,
                                          const std::vector<std::string>& beside, std::string& found);

/// The bodies that MJCF derives from a mesh, see <mesh inertia="…">.
enum class MeshMass : unsigned char {
    exact,   ///< the enclosed solid
    legacy,  ///< all tetrahedra of a triangle with the centroid of the surface, those in notches and outside,
             ///< too
    convex,  ///< the solid of the convex hull
    shell    ///< the surface
};

/// Computes the inertial of a body of density 1 from a mesh, so that `mass` is a volume, or the area of a
/// shell. Closed meshes may be oriented inwards. An open mesh is summed over tetrahedra with the
/// area-weighted centroid of the surface, so that the order of triangles and corners does not matter. A mesh
/// without triangles has those of its hull.
/// in      most_vertices  limit on the vertices of the hull, if above zero
/// out     found          the reason if the result is empty
/// source  MuJoCo 3.17.0, asset/mesh/inertia
std::optional<Inertial> inertial_of_mesh(TriangleMesh mesh, MeshMass kind, std::string& found,
                                         int most_vertices = 0);

/// Triangulates the convex hull of points; its triangles face outwards.
/// in      most_vertices  limit on its vertices, if above zero: those that Qhull adds first
/// out     found          the reason if the result is empty
std::optional<TriangleMesh> hull_mesh(const std::vector<Eigen::Vector3d>& points, int most_vertices,
                                      std::string& found);

/// Reasons for which a surface encloses no volume.
struct SurfaceFaults {
    bool has_gaps = false;
    std::vector<std::size_t> turned;  ///< triangles that face the other way than their neighbours
    /// "triangles 3 and 4", counted from 1
    std::string turned_list() const;
};

/// Finds edges of triangles without an opposite edge. Gaps that are narrower than a millionth of the extent,
/// or that less than a thousandth of the surface would close, do not count.
SurfaceFaults surface_faults(const TriangleMesh& mesh);

}  // namespace grbda
