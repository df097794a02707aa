#pragma once

#include <cstddef>

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"
#include "grbda/range.hpp"
#include "grbda/table.hpp"

// Which velocities of a cluster with loops stand for ẏ. A model has one choice; a workspace may hold another,
// since none is good in every configuration of a mechanism.

namespace grbda {

/// Coordinates of the clusters with a choice, in arrays as the model lays them out; of all other clusters
/// those of the model. Copied from one workspace of the model to another it takes its coordinates along.
///   subset    the independent velocities are some of q̇
///   tangent   q̇ = S (N ẏ + B w): S the column scales, N an orthonormal basis of the motions at the
///             configuration where it was taken, B of their complement, w what the loops make of ẏ
struct GRBDA_EXPORT Chart {
    /// The model's choice.
    explicit Chart(const Model& model);
    // Out of line: objects for one instruction set hold charts, and share nothing with other objects.
    Chart(const Chart&);
    Chart(Chart&&) noexcept;
    Chart& operator=(const Chart&);
    Chart& operator=(Chart&&) noexcept;
    ~Chart();

    /// Room for the basis of every cluster.
    void make_room(const Model& model);

    std::size_t layout;           ///< of the model that it was made for
    Table<int> independent;       ///< as Structure::independent
    Table<int> dependent;         ///< as Structure::dependent
    Table<Front> fronts;          ///< as Structure::fronts
    Table<int> front_count;       ///< as Structure::front_count
    Table<int> front_lists;       ///< as Structure::front_lists
    Table<double> inertia_floor;  ///< as Constants::inertia_floor
    Table<double> basis;          ///< [N B] of clusters on a tangent, as laid out by Cluster::basis_begin
    Table<char> tangent;          ///< per cluster
    Table<int> version;           ///< per cluster: how often its coordinates have changed
};

}  // namespace grbda
