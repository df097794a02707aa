#include "joint_displacements.hpp"

#include "constraints/closure.hpp"
#include "kinematics/configuration.hpp"
#include "twists.hpp"

namespace grbda::simulation {

void displacement_rate(const Model& model, const VectorX<double>& displacement, VectorX<double>& rate) {
    for (const Body& body : model.bodies) {
        if (!has_quaternion(body.joint)) continue;
        const Motion<double> so_far = twist_of(body, displacement);
        const kernels::TwistMap<double> map = kernels::displacement_by_end(so_far.linear, so_far.angular);
        put_twist(body, map * twist_of(body, rate), rate);
    }
}

Result displace_joints(const Model& model, Workspace<double>& data, const VectorX<double>& q,
                       const VectorX<double>& displacement, VectorX<double>& displaced) {
    spanning_integrate(model, q, displacement, displaced);
    return close_loops<double>(model, data, displaced);
}

}  // namespace grbda::simulation
