#include <Eigen/Geometry>

#include "mujoco_mechanism.hpp"

namespace grbda::benchmarks {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

/// Calls f(body, first position, first velocity) for each body.
template <class F>
void for_joints(const Mechanism& mechanism, F&& f) {
    Eigen::Index q = 0, v = 0;
    for (const MechanismBody& body : mechanism.bodies) {
        f(body, q, v);
        q += position_size(body.type);
        v += velocity_size(body.type);
    }
}

/// w x y z from x y z w.
void set_quaternion(const Quaterniond& orientation, VectorX<double>& qpos, Eigen::Index begin) {
    qpos.segment<4>(begin) << orientation.w(), orientation.vec();
}

Quaterniond quaternion(const VectorX<double>& q, Eigen::Index begin) {
    return Quaterniond(q.segment<4>(begin)).normalized();
}

}  // namespace

MujocoState to_mujoco(const Mechanism& mechanism, const VectorX<double>& q, const VectorX<double>& qd,
                      const VectorX<double>& tau) {
    MujocoState state{q, qd, tau};
    for_joints(mechanism, [&](const MechanismBody& body, Eigen::Index at, Eigen::Index v) {
        if (body.type == JointType::spherical) set_quaternion(quaternion(q, at), state.qpos, at);
        if (body.type != JointType::floating) return;
        const Quaterniond orientation = Quaterniond(body.placement.rotation) * quaternion(q, at + 3);
        state.qpos.segment<3>(at) = body.placement.translation + body.placement.rotation * q.segment<3>(at);
        set_quaternion(orientation, state.qpos, at + 3);
        state.qvel.segment<3>(v) = orientation * Vector3d(qd.segment<3>(v));
        state.qfrc.segment<3>(v) = orientation * Vector3d(tau.segment<3>(v));
    });
    return state;
}

void set_state(const mjModel& model, mjData& data, const MujocoState& state) {
    mju_copy(data.qpos, state.qpos.data(), model.nq);
    mju_copy(data.qvel, state.qvel.data(), model.nv);
    mju_copy(data.qfrc_applied, state.qfrc.data(), model.nv);
}

VectorX<double> from_mujoco(const Mechanism& mechanism, const mjData& data, const VectorX<double>& qd) {
    VectorX<double> qdd = Eigen::Map<const VectorX<double>>(data.qacc, qd.size());
    for_joints(mechanism, [&](const MechanismBody& body, Eigen::Index at, Eigen::Index v) {
        if (body.type != JointType::floating) return;
        const mjtNum* w = data.qpos + at + 3;
        const Vector3d acceleration =
            Quaterniond(w[0], w[1], w[2], w[3]).conjugate() * Vector3d(qdd.segment<3>(v));
        const Vector3d linear = qd.segment<3>(v), angular = qd.segment<3>(v + 3);
        qdd.segment<3>(v) = acceleration - angular.cross(linear);
    });
    return qdd;
}

}  // namespace grbda::benchmarks
