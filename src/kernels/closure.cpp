#include "closure.hpp"
#include "gap.hpp"

// Closing the loops of a cluster.

namespace grbda::kernels {

#define GRBDA_COMPILE(S)                                                                                \
    template bool at_right_root(const Model&, const Data<S>&, const Cluster&, const Placement<S>&);     \
    template void close_couplings(const Model&, const Cluster&, S*);                                    \
    template Placement<S> place_alone(const Model&, Data<S>&, const Cluster&, const S*);                \
    template void constraint_rows<S, true>(const Model&, Data<S>&, const Cluster&, const Placement<S>&, \
                                           const S*);                                                   \
    template Result close_from_guess(const Model&, Data<S>&, int, S*);                                  \
    template Result continue_from_neutral(const Model&, Data<S>&, int, S*);
GRBDA_COMPILE(double)
#undef GRBDA_COMPILE
template bool right_root(const Loop&, const PlacementView<double>&, const PlacementView<double>&);
template LoopGap loop_gap(const Model&, const Data<double>&, const Loop&, bool);

}  // namespace grbda::kernels
