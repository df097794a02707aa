#pragma once

#include "grbda/kernels/derivatives/row_rates.hpp"

// How the motions of all bodies change along all directions, without gravity: what derivatives of kinematics
// and of momentum are made of.

namespace grbda::kernels::derivatives {

/// ÿ of a cluster, null: zero, and accelerations of its bodies, minus gravity.
template <class S>
void accelerate_cluster(const Model& model, Data<S>& data, const Cluster& c, const S* ydd) {
    S* y = data.y_acceleration.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j) y[j] = ydd ? ydd[model.y_index[c.y_begin + j]] : S(0);
    const Motion<S> base = base_acceleration(model, data, c);
    for (const int i : c.bodies) {
        const Motion<S>* J = jacobian_of(model, data, c, i);
        Motion<S> a = base + data.b[i];
        for (int j = 0; j < c.m; ++j) a += J[j] * y[j];
        data.a[i] = a;
    }
}

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

/// a of the reduced rotors, after their carriers'.
template <class S>
void accelerate_rotors(const Model& model, Data<S>& data) {
    for (const Cluster& c : model.clusters)
        for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
            const Motion<S> across = data.s[rotor->dof] * data.rate[rotor->dof];
            const Motion<S> carrier = rotor->carrier == world ? Motion<S>{} : data.a[rotor->carrier];
            data.a[rotor->body] = carrier + data.s[rotor->dof] * row_acceleration(data, c, rotor->dof) +
                                  cross(velocity_of(data, rotor->carrier), across);
        }
}

/// Motions of all bodies, those of reduced rotors too, and e, η, η' of model/directions.hpp; ydd null: ÿ = 0.
template <class S>
void vary_motions(const Model& model, Data<S>& data, const S* q, const S* yd, const S* ydd) {
    move_all_bodies(model, data, q, yd);
    for (const Cluster& c : model.clusters) {
        accelerate_cluster(model, data, c, ydd);
        vary_cluster(model, data, c, q);
    }
    take_off_gravity(model, data);
    accelerate_rotors(model, data);
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
