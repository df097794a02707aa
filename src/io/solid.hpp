#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "grbda/description.hpp"
#include "io/includes.hpp"

// Mass and inertia of bodies of uniform density, for formats that derive them from shapes.

namespace grbda {

/// The inertial of a body of density 1 about its own centre of mass, so that `mass` is its volume. Zero for
/// planes and meshes.
Inertial solid_of(const Shape& shape);

/// The same for the solid that a triangle mesh encloses, exact if it is
/// closed: the sum over the tetrahedra of each triangle with one point.
struct MeshSolid {
    Inertial solid;
    bool is_closed = false;  ///< the enclosed solid does not depend on that point
};

/// Reads the text of a mesh, see read_triangle_mesh(). Empty, with the reason in `found`, if it is broken or
/// encloses nothing.
std::optional<MeshSolid> solid_of_mesh(std::string_view text, const std::string& name,
                                       const Eigen::Vector3d& scale, std::string& found);

/// The inertial of a body that is `times` as dense.
Inertial times_as_dense(const Inertial& inertial, double times);
/// The inertial in the parent frame of `pose`.
Inertial placed_at(const Pose& pose, const Inertial& inertial);
/// Several inertials in one frame as one body.
Inertial joined(const std::vector<Inertial>& parts);

}  // namespace grbda
