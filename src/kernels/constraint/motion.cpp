#include "motion.hpp"

// Positions, embedding and velocities of clusters, instantiated for all algorithms except the fastest ones.

namespace grbda::kernels {

#define GRBDA_COMPILE(S)                                                                             \
    template S sum_of_squares(const S*, int);                                                        \
    template S scale_numbers(const S*, const double*, int, S*);                                      \
    template void invert_blocks(const Cluster&, const Chart&, S*, S*, S*, S*);                       \
    template void turn_joints(const Model&, Workspace<S>&, const S*, int, int);                      \
    template void place_body(const Model&, Workspace<S>&, int, const Matrix3<S>&, const Vector3<S>&, \
                             const Turned<S>&, const S*);                                            \
    template void constraint_rows<S, false>(const Model&, Workspace<S>&, const Cluster&,             \
                                            const Placement<S>&, const S*);                          \
    template void constraint_bias(const Model&, Workspace<S>&, const Cluster&, const S*);            \
    template void times_complement(const Workspace<S>&, const Cluster&, const S*, S*);               \
    template void invert_dependents(const Model&, Workspace<S>&, const Cluster&, int);               \
    template void cluster_positions(const Model&, Workspace<S>&, const Cluster&, int, const S*);     \
    template void cluster_velocities(const Model&, Workspace<S>&, const Cluster&, const S*, const S*);
GRBDA_COMPILE(double)
#undef GRBDA_COMPILE

}  // namespace grbda::kernels
