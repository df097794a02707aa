#pragma once

#include "grbda/export.hpp"
#include "grbda/model/chart.hpp"

// In which steps K_d is inverted: its blocks follow from which dependents occur in which loops and couplings,
// and hold at all configurations.

namespace grbda::kernels {

/// Destination of the blocks of a cluster.
struct FrontPlaces {
    EliminationBlock* blocks;
    int most_fronts;
    int* lists;
    int list_size;
};

/// The largest number of blocks that a cluster may have.
GRBDA_EXPORT int most_fronts(const Cluster& c);
GRBDA_EXPORT int largest_front_list(const Cluster& c);
/// Numbers of scratch that find_fronts() takes.
GRBDA_EXPORT int planning_size(const Cluster& c);

/// One block of all rows and dependents, which needs no pattern. Returns their number, 1.
GRBDA_EXPORT int find_one_front(const Cluster& c, const int* dependent, const FrontPlaces& places);

/// EliminationBlocks of the cluster with these dependents, which are put in their order. Returns their
/// number.
///   Constraints that determine their dependents, given those of others, come in parts as small as can be,
///   so that K_d is part triangular (Dulmage and Mendelsohn 1958); rows that are more than they determine
///   make one part, found first, with all that occurs in its rows. Within a part, dependents of the fewest
///   rows are found from these, given the others; what that leaves of the rows joins those of the next.
GRBDA_EXPORT int find_fronts(const Structure& model, const Cluster& c, int* dependent,
                             const FrontPlaces& places, int* scratch);

}  // namespace grbda::kernels
