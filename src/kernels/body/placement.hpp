#pragma once

#include "grbda/export.hpp"
#include "model/workspace.hpp"
#include "joint.hpp"

// Places bodies: R, p and s, relative to the parent body of their cluster, which is at `base`. Each branch of
// the world has a common frame of its own.

namespace grbda::kernels {

/// Orientation and position of a frame in the common frame.
template <class S>
struct Placement {
    Matrix3<S> R;
    Vector3<S> p;
};

/// Returns the placement of the body to which the cluster is attached. For a branch of the world this also
/// sets the branch's origin, that of the first moving body.
template <class S>
[[gnu::always_inline]] inline Placement<S> cluster_base(const Model& model, Workspace<S>& data,
                                                        const Cluster& c, const S* q) {
    if (c.parent_body != world) {
        const auto parent = static_cast<std::size_t>(c.parent_body);
        return {data.R[parent], data.p[parent]};
    }
    Vector3<S> origin{S(0), S(0), S(0)};
    if (!c.bodies.empty()) {
        const Body& first = model.bodies[c.bodies.first];
        origin = joint_displacement(first, q + first.q);
    }
    data.origin[c.branch] = origin;
    return {Matrix3<S>::identity(), -origin};
}

/// A placement by reference. Copying numbers that were just written in parts would stall.
template <class S>
struct PlacementView {
    const Matrix3<S>& R;
    const Vector3<S>& p;
};

template <class S>
[[gnu::always_inline]] inline PlacementView<S> placement_of(const Workspace<S>& data, const Cluster& c,
                                                            const Placement<S>& base, int body) {
    if (body == c.parent_body) return {base.R, base.p};
    return {data.R[body], data.p[body]};
}

/// Returns the velocity of a body; that of the world is zero.
template <class S>
Motion<S> velocity_of(const Workspace<S>& data, int body) {
    return body == world ? Motion<S>{} : data.v[body];
}

/// Computes the sines and cosines of the angles [begin, end) of the model.
template <class S>
GRBDA_EXPORT void turn_joints(const Model& model, Workspace<S>& data, const S* q, int begin, int end) {
    for (int i = begin; i < end; ++i) data.angle[i] = q[model.angles[i]];
    scalar::sincos(data.angle.data() + begin, end - begin, data.sine.data() + begin,
                   data.cosine.data() + begin);
}
template <class S>
void turn_joints(const Model& model, Workspace<S>& data, const S* q) {
    turn_joints(model, data, q, 0, static_cast<int>(model.angles.size()));
}

/// Returns the result of turn_joints() for body i.
template <class S>
[[gnu::always_inline]] inline Turned<S> turn_of(const Workspace<S>& data, const Body& body) {
    if (body.angle < 0) return {S(0), S(1)};
    const auto at = static_cast<std::size_t>(body.angle);
    return {data.sine[at], data.cosine[at]};
}

/// Computes R, p and s of body i from the turn `by`, with its parent at orientation R and position p.
template <class S>
GRBDA_EXPORT void place_body(const Model& model, Workspace<S>& data, int i, const Matrix3<S>& R,
                             const Vector3<S>& p, const Turned<S>& by, const S* q) {
    const Body& body = model.bodies[i];
    Matrix3<S>& R_i = data.R[i];
    Vector3<S>& p_i = data.p[i];
    if (body.joint == JointType::revolute) {
        place_revolute(body, R, p, by, R_i, p_i, data.s[body.dof]);
        return;
    }
    R_i = joint_rotation(body, R, by, q + body.q);
    p_i = p + R * joint_displacement(body, q + body.q);
    joint_subspace(body, R, R_i, p_i, &data.s[body.dof]);
}

/// Computes R, p and s of the bodies with kinematics, after turn_joints().
template <class S>
void place_cluster(const Model& model, Workspace<S>& data, const Cluster& c, const Placement<S>& base,
                   const S* q) {
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        const Turned<S> by = turn_of(data, body);
        const bool first = body.parent == c.parent_body;
        const Matrix3<S>& R = first ? base.R : data.R[body.parent];
        const Vector3<S>& p = first ? base.p : data.p[body.parent];
        if (body.joint == JointType::revolute)
            place_revolute(body, R, p, by, data.R[i], data.p[i], data.s[body.dof]);
        else
            place_body(model, data, i, R, p, by, q);
    }
}

/// Places the cluster with its parent body at rest and the origin at the cluster's first body.
template <class S>
GRBDA_EXPORT Placement<S> place_alone(const Model& model, Workspace<S>& data, const Cluster& c, const S* q) {
    Placement<S> base{Matrix3<S>::identity(), {S(0), S(0), S(0)}};
    if (c.bodies.empty()) return base;
    const Body& first = model.bodies[c.bodies.first];
    base.p = -joint_displacement(first, q + first.q);
    turn_joints(model, data, q, c.angles.first, c.angles.last);
    place_cluster(model, data, c, base, q);
    return base;
}

// Instantiated in src/kernels/.
extern template void turn_joints(const Model&, Workspace<double>&, const double*, int, int);
extern template void place_body(const Model&, Workspace<double>&, int, const Matrix3<double>&,
                                const Vector3<double>&, const Turned<double>&, const double*);
extern template Placement<double> place_alone(const Model&, Workspace<double>&, const Cluster&,
                                              const double*);

}  // namespace grbda::kernels
