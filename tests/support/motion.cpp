#include "support/motion.hpp"

namespace motion {

Instant along(const grbda::Model& model, grbda::Workspace<double>& data, const test_robots::State& state,
              double t) {
    Instant instant{Eigen::VectorXd(model.nq), state.yd + t * state.ydd};
    const Eigen::VectorXd step = t * state.yd + (0.5 * t * t) * state.ydd;
    REQUIRE(grbda::integrate<double>(model, data, state.q, step, instant.q).ok());
    return instant;
}

Eigen::Quaterniond quaternion(const Eigen::VectorXd& q, int first) {
    return Eigen::Quaterniond(q[first + 3], q[first], q[first + 1], q[first + 2]);
}

Eigen::Vector3d turn(const Eigen::Quaterniond& from, const Eigen::Quaterniond& to) {
    Eigen::Quaterniond relative = from.conjugate() * to;
    if (relative.w() < 0) relative.coeffs() *= -1;
    return 2 * relative.vec() * (1 + relative.vec().squaredNorm() / 6);  // 2 asin(s)/s to second order
}

Eigen::VectorXd rate(const grbda::Model& model, const Eigen::VectorXd& before, const Eigen::VectorXd& after,
                     double time) {
    Eigen::VectorXd qd(model.nv_tree);
    for (const grbda::Body& body : model.bodies) {
        if (body.joint == grbda::JointType::spherical || body.joint == grbda::JointType::floating) {
            const bool floats = body.joint == grbda::JointType::floating;
            const int first = body.q + (floats ? 3 : 0);
            const Eigen::Quaterniond a = quaternion(before, first), b = quaternion(after, first);
            const Eigen::Vector3d angular = turn(a, b);
            qd.segment<3>(body.v + (floats ? 3 : 0)) = angular / time;
            if (!floats) continue;
            const Eigen::Quaterniond middle = a.slerp(0.5, b);
            qd.segment<3>(body.v) = middle.conjugate() *
                                    Eigen::Vector3d(after.segment<3>(body.q) - before.segment<3>(body.q)) /
                                    time;
        } else {
            const int size = grbda::velocity_size(body.joint);
            qd.segment(body.v, size) = (after.segment(body.q, size) - before.segment(body.q, size)) / time;
        }
    }
    return qd;
}

}  // namespace motion
