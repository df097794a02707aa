#pragma once

#include <vector>

#include <Eigen/Core>

#include "arrays.hpp"
#include "grbda/shape.hpp"

// Points and convex hulls between numpy and C++.

namespace grbda::python {

/// in  given  [n, 3]
std::vector<Eigen::Vector3d> points_from(const Site& site, const py::object& given);
/// Vertices of the hull of a mesh, [n, 3] in the frame of the shape; None without a hull.
py::object hull_points(const grbda::Shape& shape);

}  // namespace grbda::python
