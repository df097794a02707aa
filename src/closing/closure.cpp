#include "closure.hpp"

// Explicit instantiations for the closing of loops.

namespace grbda::closing {

#define GRBDA_COMPILE(S)                                                                                 \
    template bool at_right_root(const Model&, const Workspace<S>&, const Cluster&, const Placement<S>&); \
    template void close_couplings(const Model&, const Cluster&, S*);                                     \
    template Result close_from_guess(const Model&, Workspace<S>&, int, S*);                              \
    template Result continue_from_neutral(const Model&, Workspace<S>&, int, S*);
GRBDA_COMPILE(double)
#undef GRBDA_COMPILE

}  // namespace grbda::closing
