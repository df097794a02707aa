#pragma once

#include "grbda/export.hpp"
#include "grbda/model/chart.hpp"

// Plans the steps in which K_d is inverted. The blocks follow from the dependents that occur in each loop and
// coupling, so that they are valid at all configurations.

namespace grbda::kernels {

/// Destination of the blocks of a cluster.
struct BlockPlaces {
    EliminationBlock* blocks;
    int most_blocks;
    int* lists;
    int list_size;
};

/// Returns the largest number of blocks of a cluster.
GRBDA_EXPORT int most_blocks(const Cluster& c);
GRBDA_EXPORT int largest_block_list(const Cluster& c);
/// Returns the size of the scratch space that find_blocks() needs.
GRBDA_EXPORT int planning_size(const Cluster& c);

/// Makes one block of all rows and dependents, which needs no pattern. Returns the number of blocks, 1.
GRBDA_EXPORT int find_single_block(const Cluster& c, const int* dependent, const BlockPlaces& places);

/// Finds the blocks of the cluster with these dependents, and reorders the dependents. Returns the number of
/// blocks.
///   Constraints are divided into the smallest parts that determine their dependents from those of others, so
///   that K_d is block triangular (Dulmage and Mendelsohn 1958). Rows in excess form one part, found first,
///   with all that occurs in them. Within a part, the dependents with the fewest rows are determined by
///   these, given the others. The remaining rows are passed to the next block.
GRBDA_EXPORT int find_blocks(const Structure& model, const Cluster& c, int* dependent,
                             const BlockPlaces& places, int* scratch);

}  // namespace grbda::kernels
