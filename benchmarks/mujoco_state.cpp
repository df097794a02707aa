#include "mujoco_mechanism.hpp"

namespace grbda::benchmarks {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

/// w x y z from x y z w.
void set_quaternion(const Quaterniond& orientation, VectorX<double>& qpos, Eigen::Index begin) {
    qpos.segment<4>(begin) << orientation.w(), orientation.vec();
}

}  // namespace

PeerState to_mujoco(const Mechanism& mechanism, const State& state) {
    PeerState result = make_peer_state(state);
    for_joints(mechanism, [&](const MechanismBody& body, Eigen::Index q, Eigen::Index v) {
        if (body.type == JointType::spherical) set_quaternion(orientation(state.q, q), result.q, q);
        if (body.type != JointType::floating) return;
        const Quaterniond turn = Quaterniond(body.placement.rotation) * orientation(state.q, q + 3);
        result.q.segment<3>(q) = body.placement.translation + body.placement.rotation * state.q.segment<3>(q);
        set_quaternion(turn, result.q, q + 3);
        result.T.block<3, 3>(v, v) = turn.toRotationMatrix();
        const Vector3d linear = state.yd.segment<3>(v), angular = state.yd.segment<3>(v + 3);
        result.c.segment<3>(v) = angular.cross(linear);
    });
    transform_motion(state, result);
    return result;
}

void set_state(const mjModel& model, mjData& data, const PeerState& state) {
    mju_copy(data.qpos, state.q.data(), model.nq);
    mju_copy(data.qvel, state.v.data(), model.nv);
    mju_copy(data.qfrc_applied, state.tau.data(), model.nv);
}

}  // namespace grbda::benchmarks
