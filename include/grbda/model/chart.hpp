#pragma once

#include <cstddef>

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"
#include "grbda/table.hpp"

// The choice of the velocities that make up ẏ of a cluster with loops. A model has one choice;
// a workspace may hold another, since no choice is good in every configuration of a mechanism.

namespace grbda {

/// Coordinates of the clusters with a choice, in arrays laid out as in the model; the other clusters
/// use those of the model. A copy to another workspace of the model transfers the coordinates.
///   subset    the independent velocities are some of q̇
///   tangent   q̇ = S (N ẏ + B w): S the column scales, N an orthonormal basis of the motions at the
///             configuration of its computation, B of their complement, w determined by ẏ and the loops
struct GRBDA_EXPORT Chart {
    /// The model's choice.
    explicit Chart(const Model& model);
    // Out of line: objects for one instruction set contain charts, and share no code with other objects.
    Chart(const Chart&);
    Chart(Chart&&) noexcept;
    Chart& operator=(const Chart&);
    Chart& operator=(Chart&&) noexcept;
    ~Chart();

    /// Allocates the basis of every cluster.
    void make_room(const Model& model);

    std::size_t layout;              ///< of the model that it belongs to
    Table<int> independent;          ///< as Structure::independent
    Table<int> dependent;            ///< as Structure::dependent
    Table<EliminationBlock> blocks;  ///< as Structure::blocks
    Table<int> block_count;          ///< as Structure::block_count
    Table<int> block_lists;          ///< as Structure::block_lists
    Table<double> inertia_floor;     ///< as Constants::inertia_floor
    Table<double> basis;             ///< [N B] of tangent coordinates, laid out by Cluster::basis_begin
    Table<char> tangent;             ///< per cluster
    Table<int> version;              ///< per cluster: how often its coordinates have changed
};

}  // namespace grbda
