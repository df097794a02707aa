#include "configuration.hpp"

// Explicit instantiations for displacements of joints.

namespace grbda::kernels {

#define GRBDA_COMPILE(S)                                                         \
    template void joint_integrate(JointType, const S*, const S*, S*);            \
    template void joint_difference(JointType, const S*, const S*, S*);           \
    template void move_cluster(const Model&, const Cluster&, const S*, const S*, \
                               const std::type_identity_t<S>&, S*);
GRBDA_COMPILE(double)
#undef GRBDA_COMPILE

}  // namespace grbda::kernels
