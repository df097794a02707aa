#include "aba.hpp"
#include "kinds/visit.hpp"

// Forward dynamics, from which what builds a model learns how much inertia there is.

namespace grbda::kernels {

#define GRBDA_COMPILE(S)                                                                             \
    template void aba(const Model&, Workspace<S>&, const S*, const S*, const S*, const S*, S*, bool, \
                      const JointForces<S>*);
GRBDA_COMPILE(double)
#undef GRBDA_COMPILE

}  // namespace grbda::kernels
