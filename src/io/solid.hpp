#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "grbda/description.hpp"
#include "io/includes.hpp"

// Mass and inertia of bodies of one density, for formats that leave them to the shapes.

namespace grbda {

/// The inertial of a body of density 1 about its own centre of mass, so that `mass` is its volume. Zero for
/// planes and meshes.
Inertial solid_of(const Shape& shape);

/// The same for what a triangle mesh encloses, exact where it is closed: the sum over the tetrahedra that
/// each triangle spans with one point.
struct MeshSolid {
    Inertial solid;
    bool is_closed = false;  ///< what it encloses does not depend on that point
};

/// Of the text of an STL file, binary or not, or of an OBJ file; `name` tells which by its ending.
/// Empty: it is neither, or encloses nothing, and `found` says why.
std::optional<MeshSolid> solid_of_mesh(std::string_view text, const std::string& name,
                                       const Eigen::Vector3d& scale, std::string& found);

/// The inertial of a body that is `times` as dense.
Inertial times_as_dense(const Inertial& inertial, double times);
/// The inertial in the frame in which its own stands at `pose`.
Inertial placed_at(const Pose& pose, const Inertial& inertial);
/// Several in one frame as one body.
Inertial joined(const std::vector<Inertial>& parts);

}  // namespace grbda
