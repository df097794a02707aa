#pragma once

#include "grbda/model/data.hpp"
#include "roles.hpp"

namespace grbda::serial {

/// Dynamics of the full robot and of its tree in the same serial coordinates.
class Study {
public:
    Study(const Model& full, const Model& tree, const Roles& roles);

    /// Moves q by δ in serial coordinates. Returns false if the loops do not close along the path.
    bool move(const VectorX<double>& q, const VectorX<double>& delta, VectorX<double>& out);

    /// Computes G, M and M_tree at q. Returns false at a singular configuration.
    bool inertia(const VectorX<double>& q);
    /// Computes h and h_tree at (q, ẏ); after inertia(q).
    bool forces(const VectorX<double>& q, const VectorX<double>& yd) { return forces(full_, tree_, q, yd); }
    /// The same with the gravity of other models, which are otherwise equal.
    bool forces(const Model& full, const Model& tree, const VectorX<double>& q, const VectorX<double>& yd);

    /// Orientation at q of the topmost link of a body; that of the world is the identity.
    Eigen::Matrix3d orientation(const VectorX<double>& q, int body);
    /// Row of G of a coordinate of the full robot; after inertia().
    auto velocity_row(const Coordinate& coordinate) const { return G_.row(velocity_of(full_, coordinate)); }

    MatrixX<double> M, M_tree;  ///< [nv × nv] in serial coordinates
    VectorX<double> h, h_tree;  ///< [nv] τ at ÿ = 0

private:
    VectorX<double> tree_configuration(const VectorX<double>& q) const;

    const Model& full_;
    const Model& tree_;
    const MatrixX<double>& to_full_;
    Data data_, tree_data_;
    std::vector<int> positions_, velocities_;  ///< per entry of q and ẏ of the tree: that of q and q̇
    MatrixX<double> G_, G_tree_;               ///< velocities of both by serial ones
};

}  // namespace grbda::serial
