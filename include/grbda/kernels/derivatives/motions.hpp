#pragma once

#include "grbda/kernels/derivatives/row_rates.hpp"

// How the motions of all bodies change along all directions, without gravity: what derivatives of kinematics
// and of momentum are made of.

namespace grbda::kernels::derivatives {

/// a without gravity, and η without what gravity makes of a displacement: η − x × [g; 0].
template <class S>
void take_off_gravity(const Model& model, Data<S>& data) {
    const Vector3<S> gravity = model.gravity.cast<S>();
    for (const Cluster& c : model.clusters)
        for (const int i : c.bodies) {
            data.a[i].linear += gravity;
            const Motion<S>* J = jacobian_of(model, data, c, i);
            Motion<S>* eta = of_body(data.directions.eta, c, i);
            for (int k = 0; k < c.m; ++k) eta[k].linear -= cross(J[k].angular, gravity);
        }
}

/// Motions of all bodies, those of reduced rotors too, and e, η, η' of model/directions.hpp; ydd null: ÿ = 0.
template <class S>
void vary_motions(const Model& model, Data<S>& data, const S* q, const S* yd, const S* ydd) {
    ensure_directions(model, data);
    move_all_bodies(model, data, q, yd);
    for (const Cluster& c : model.clusters) {
        accelerate_cluster(model, data, c, ydd, base_acceleration(model, data, c));
        vary_cluster(model, data, c, q);
    }
    take_off_gravity(model, data);
    for (const Cluster& c : model.clusters) accelerate_rotors(model, data, c, Motion<S>{});
}

/// A direction of a cluster at one of its bodies.
template <class S>
struct Direction {
    Motion<S> x, e, eta, eta_rate;
};

/// The same at a reduced rotor, which turns against its carrier.
template <class S>
Direction<S> rotor_direction(const Model& model, const Data<S>& data, const Cluster& c, const Body& rotor,
                             int k) {
    const int carrier = rotor.parent, row = rotor.dof - c.dof_begin;
    Direction<S> d;
    if (carrier != c.parent_body)
        d = {jacobian_of(model, data, c, carrier)[k], of_body(data.directions.e, c, carrier)[k],
             of_body(data.directions.eta, c, carrier)[k], of_body(data.directions.eta_rate, c, carrier)[k]};
    const Motion<S>& s = data.s[rotor.dof];
    const Motion<S> v = velocity_of(data, carrier), a = carrier == world ? Motion<S>{} : data.a[carrier];
    const RateChanges<S> change = rate_changes(data, c, k);
    const S rate = change.rate ? change.rate[row] : S(0);
    const S acceleration = change.rate ? change.acceleration[row] : S(0);
    const Motion<S> z = s * data.G[c.G_begin + row * c.m + k], carried = cross(v, z), turned = s * rate;
    d.x += z;
    d.e += carried + turned;
    d.eta += cross(a, z) + cross(v, carried) + cross(v, turned) * S(2) + s * acceleration;
    d.eta_rate +=
        carried * S(2) + s * acceleration_change(model, data, c, row, k, has_turning_joint(model, c));
    return d;
}

/// Calls use(column, direction) with the directions of all clusters that move a body, `column` in the user's
/// order.
template <class S, class Use>
void each_direction(const Model& model, const Data<S>& data, int body, const Use& use) {
    while (body != world) {
        const Body& b = model.bodies[body];
        const Cluster& c = model.clusters[b.cluster];
        for (int k = 0; k < c.m; ++k) {
            const int column = model.y_index[c.y_begin + k];
            if (b.rotor)
                use(column, rotor_direction(model, data, c, b, k));
            else
                use(column,
                    Direction<S>{jacobian_of(model, data, c, body)[k], of_body(data.directions.e, c, body)[k],
                                 of_body(data.directions.eta, c, body)[k],
                                 of_body(data.directions.eta_rate, c, body)[k]});
        }
        body = c.parent_body;
    }
}

}  // namespace grbda::kernels::derivatives
