#pragma once

#include <cstddef>
#include <span>

#include "grbda/export.hpp"
#include "grbda/model/body.hpp"
#include "grbda/model/cluster.hpp"
#include "grbda/model/loops.hpp"

// The compiled robot as the passes read it, and how its inversion of K_d is planned.

namespace grbda {

/// Up to this size, a block with as many rows of K as dependents is solved by cofactors.
inline constexpr int largest_closed_form = 3;

/// Rows of K and the dependents determined by them: one step of inverting K_d. The rows belong
/// to constraints that share these dependents; other dependents in them are determined before.
struct EliminationBlock {
    Range columns;        ///< of the dependents that it determines, from the cluster's first
    Range support;        ///< columns where its columns' rows of P are not zero, in whole blocks
    int rows = 0;         ///< of K
    int normals = 0;      ///< its first rows, each equal to the `normal` row of another block
    int met = 0;          ///< dependents in its rows that later blocks of the list determine
    int list = 0;         ///< its numbers, in the cluster's of Structure::block_lists: rows of K,
                          ///< from the cluster's first; columns of K determined and met, in whole
                          ///< blocks; those met again, as dependents from the cluster's first
    bool passes = false;  ///< the remainder of its rows enters later blocks
    bool normal = false;  ///< the remainder is one row, the first of three: along its two columns' normal
};

/// Lengths of the flat arrays that clusters share, in the order of their
/// offsets in Cluster, and the storage that the largest cluster needs.
struct Sizes {
    int G = 0;            ///< dofs × m; not for clusters without embedding
    int K = 0;            ///< rows × dofs
    int J = 0;            ///< bodies × m; not for direct clusters
    int e = 0;            ///< bodies × m
    int W = 0;            ///< m
    int D = 0;            ///< m × m
    int inverse = 0;      ///< dependents × padded rows
    int basis = 0;        ///< dofs × dofs, of clusters with a choice
    int widest = 1;       ///< m
    int row_rates = 0;    ///< rows × m
    int Q = 0;            ///< rows × rows, of rows passed on
    int passing = 0;      ///< velocities × rows that pass them
    int row_factors = 0;  ///< of rows that end together
    int scratch = 1;      ///< numbers for inverting and closing
    int planning = 0;     ///< numbers for finding the blocks
};

/// For clusters with more velocities whose rows are passed on, Data has
/// no storage that grows with their square until an algorithm needs it.
inline constexpr int long_loop = 100;

/// The compiled robot as the passes read it: bodies, loops, couplings and clusters in pass order.
struct Structure {
    int nq = 0;        ///< spanning positions
    int nv_tree = 0;   ///< spanning velocities
    int nv = 0;        ///< degrees of freedom
    int rows = 0;      ///< of K, all clusters
    int branches = 0;  ///< number of clusters attached to the world

    Table<Body> bodies;
    Table<Cluster> clusters;
    Table<Rotor> rotors;
    Table<Loop> loops;
    Table<LoopRow> loop_rows;  ///< of all loops, one after the other
    Table<LoopTerm> loop_terms;
    Table<Linkage> linkages;
    Table<Coupling> couplings;
    Table<CouplingTerm> coupling_terms;
    Table<Rod> rods;  ///< per cluster
    Table<RodTerm> rod_terms;
    Table<Strut> struts;
    Table<int> combined;  ///< couplings whose first joint is a combined coordinate, with coefficient −1

    Table<int> independent;  ///< per cluster: its independent dofs, in the order of q̇
    Table<int> dependent;    ///< per cluster: its dependent dofs, in the order of the blocks
    Table<EliminationBlock>
        blocks;              ///< per cluster: those in use, and storage for others in other coordinates
    Table<int> block_count;  ///< per cluster
    Table<int> block_lists;  ///< per cluster: their rows and columns
    Table<Mark> marks;       ///< per body: of its joint
    Table<int> y_index;      ///< per entry of `independent`: its place in y
    Table<int> v_index;      ///< dof → place in q̇
    Table<int> dof_body;     ///< dof → its body
    Table<PassedRows> passed_rows;  ///< per body: of rows passed on
    Table<int> slot_row;            ///< per slot: row, from its cluster's first
    Table<int> slot_up;  ///< per slot: that of the same row at the parent body; −1: ended, or the world
    Table<int> angles;   ///< in pass order: positions in q that are angles of rotation

    Sizes sizes;
    Sizes swept;  ///< excludes arrays that grow with the square of long loops: G, J, D and bases
                  ///< of clusters with more than long_loop velocities whose rows are passed on
    bool has_long_loops() const { return swept.J < sizes.J; }
    std::size_t layout = 0;  ///< hash of everything that determines the sizes in Data

    int body_count() const { return static_cast<int>(bodies.size()); }
    int cluster_count() const { return static_cast<int>(clusters.size()); }

    // Frames and shapes are fixed in bodies or in rods, of struts in the cylinder or the piston: rod r has
    // index body_count() + r, and the piston of strut s comes after all rods.
    int rod_count() const { return static_cast<int>(rods.size()); }
    int carrier_count() const { return body_count() + rod_count() + static_cast<int>(struts.size()); }
    bool is_rod(int carrier) const { return carrier >= body_count(); }
    bool is_piston(int carrier) const { return carrier >= body_count() + rod_count(); }
    int piston(int strut) const { return body_count() + rod_count() + strut; }
    const Rod& rod(int carrier) const {
        const int r = carrier - body_count();
        return rods[is_piston(carrier) ? struts[r - rod_count()].rod : r];
    }
    int cluster_of(int carrier) const {
        return is_rod(carrier) ? rod(carrier).cluster : bodies[carrier].cluster;
    }
};

/// Kept rows of a loop; the first one's row of K is Loop::row.
inline std::span<const LoopRow> rows_of(const Structure& structure, const Loop& loop) {
    return {structure.loop_rows.data() + loop.rows_begin, static_cast<std::size_t>(loop.rows)};
}

/// False for a moved-from model, which keeps its sizes but has lost its bodies.
inline bool is_whole(const Structure& structure) { return structure.bodies.empty() == (structure.nq == 0); }
/// Throws std::invalid_argument for a moved-from model.
GRBDA_EXPORT void require_whole(const Structure& structure);

}  // namespace grbda
