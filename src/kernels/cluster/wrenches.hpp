#pragma once

#include "kernels/constraint/embedding.hpp"

namespace grbda::kernels {

/// Subtracts external wrenches from the bias forces data.pA. `wrenches` has six numbers for each body, force
/// first, in the body's own frame at its origin; it may be null. A wrench on a reduced rotor acts on its
/// carrier, and turn(cluster, rotor, moment) receives its axial moment.
template <class S, class Turn>
void apply_wrenches(const Model& model, Workspace<S>& data, const S* q, const S* wrenches, const Turn& turn) {
    if (!wrenches) return;
    const auto wrench = [&](int i) {
        const S* w = wrenches + 6 * i;
        return Force<S>{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
    };
    const auto in_common_frame = [](const Matrix3<S>& R, const Vector3<S>& p, const Force<S>& f) {
        const Vector3<S> force = R * f.linear;
        return Force<S>{force, R * f.angular + cross(p, force)};
    };
    for (int i = 0; i < model.body_count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!model.bodies[at].rotor) data.pA[at] -= in_common_frame(data.R[at], data.p[at], wrench(i));
    }
    for (std::size_t r = 0; r < model.rotors.size(); ++r) {
        const Rotor& rotor = model.rotors[r];
        const Body& body = model.bodies[rotor.body];
        const Matrix3<S> turned = joint_rotation(body, Matrix3<S>::identity(), turned_by(body, q + body.q),
                                                 q + body.q);  // in the carrier
        const Force<S> f = wrench(rotor.body);
        const Cluster& c = model.clusters[body.cluster];
        turn(c, rotor, dot(rotor.axis.cast<S>(), turned * f.angular));
        if (rotor.carrier == world) continue;
        const auto carrier = static_cast<std::size_t>(rotor.carrier);
        data.pA[carrier] -= in_common_frame(data.R[carrier] * turned,
                                            data.p[carrier] + data.R[carrier] * body.position.cast<S>(), f);
    }
}

}  // namespace grbda::kernels
