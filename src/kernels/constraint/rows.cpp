#include "rows.hpp"
#include "gap.hpp"

// Explicit instantiations for the rows of loops and couplings.

namespace grbda::kernels {

#define GRBDA_COMPILE(S)                                                                                     \
    template Placement<S> place_alone(const Model&, Workspace<S>&, const Cluster&, const S*);                \
    template void constraint_rows<S, true>(const Model&, Workspace<S>&, const Cluster&, const Placement<S>&, \
                                           const S*);
GRBDA_COMPILE(double)
#undef GRBDA_COMPILE
template bool right_root(const Loop&, const PlacementView<double>&, const PlacementView<double>&);
template LoopGap loop_gap(const Model&, const Workspace<double>&, const Loop&, bool);

}  // namespace grbda::kernels
