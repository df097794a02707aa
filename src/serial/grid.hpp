#pragma once

#include <optional>

#include "study.hpp"

namespace grbda::serial {

/// A range for each coordinate of a cluster.
struct Box {
    VectorX<double> lower, upper;  ///< [m]
};

/// Grid of a cluster: calls use(y, q) at each point, the last coordinate fastest.
/// Empty after an error, for example if the nominal configuration is singular.
struct Grid {
    std::vector<VectorX<double>> nodes;  ///< per coordinate
    std::vector<VectorX<double>> q;      ///< per point: the closed configuration
};
std::optional<Grid> make_grid(const Model& model, const ClusterRoles& roles, const VectorX<double>& q,
                              const SerialOptions& options, Study& study, Diagnostics& diagnostics);

/// Displacement [nv] of the whole robot by that of a cluster's serial coordinates.
VectorX<double> whole_displacement(int nv, const ClusterRoles& roles, const VectorX<double>& delta);

/// Positions of coordinates in q.
VectorX<double> positions_of(const Model& model, const std::vector<Coordinate>& coordinates,
                             const VectorX<double>& q);

/// J_m of a cluster [k × m], after study.inertia().
MatrixX<double> motor_jacobian(const Model& model, const ClusterRoles& roles, const Study& study);

/// Moves an index to the next point of the box; false after the last. The last component varies fastest.
bool next_point(const std::vector<int>& first, const std::vector<int>& last, std::vector<int>& index);

}  // namespace grbda::serial
