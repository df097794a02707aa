#pragma once

#include "grbda/kernels/derivatives/rods.hpp"
#include "grbda/kernels/derivatives/row_rates.hpp"
#include "grbda/spatial/dual.hpp"

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

/// Motions of all bodies, reduced rotors and rods too, and e, η, η' of model/directions.hpp; ydd null: ÿ = 0.
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
    accelerate_rods(model, data, Motion<S>{});
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

/// A number with its changes along a direction of y and the same of ẏ.
template <class S>
using Changing = Dual<S, 2>;

template <class S>
Changing<S> changing(const S& x, const S& along_y, const S& along_yd) {
    Changing<S> out;
    out.value = x;
    out.slope[0] = along_y;
    out.slope[1] = along_yd;
    return out;
}
template <class S>
Vector3<Changing<S>> changing(const Vector3<S>& x, const Vector3<S>& along_y, const Vector3<S>& along_yd) {
    return {changing(x.x, along_y.x, along_yd.x), changing(x.y, along_y.y, along_yd.y),
            changing(x.z, along_y.z, along_yd.z)};
}
/// The change of a motion along direction `i`: 0 of y, 1 of ẏ.
template <class S>
Motion<S> change_of(const Motion<Changing<S>>& x, int i) {
    return {{x.linear.x.slope[i], x.linear.y.slope[i], x.linear.z.slope[i]},
            {x.angular.x.slope[i], x.angular.y.slope[i], x.angular.z.slope[i]}};
}

template <class S>
MovingPoint<Changing<S>> changing_end(const RodEnd<S>& end, int k) {
    const PointMotion<S> y = end.along_y(k);
    const Vector3<S> x = end.displacement(k);
    return {changing(end.r, x, {}), changing(end.motion.v, y.v, x),
            changing(end.motion.a, y.a, end.acceleration_along_yd(k))};
}

/// The same at a rod: its motion as a function of what carries it, differentiated.
template <class S>
Direction<S> rod_direction(const Model& model, const Data<S>& data, const Rod& rod, int carrier, int k) {
    const Cluster& c = model.clusters[rod.cluster];
    const RodMotion<S> moving(model, data, c, rod, {});
    const RodEnds<S> ends = ends_of(model, data, rod);
    const Motion<S> v_a = velocity_of(data, ends.a), a_a = ends.a == world ? Motion<S>{} : data.a[ends.a];
    Direction<S> at_a;
    if (moving.a.J) at_a = {moving.a.J[k], moving.a.e[k], moving.a.eta[k], moving.a.eta_rate[k]};
    const Vector3<S>&omega = v_a.angular, &x = at_a.x.angular, &e = at_a.e.angular,
          s = base_rotation(data, ends.a) * rod.line.template cast<S>();
    RodCarriers<Changing<S>> carriers;
    carriers.A = changing_end(moving.a, k);
    carriers.B = changing_end(moving.b, k);
    carriers.omega = changing(omega, cross(x, omega) + e, x);
    carriers.alpha = changing(a_a.angular, cross(x, a_a.angular) + at_a.eta.angular + cross(e, omega),
                              at_a.eta_rate.angular + cross(x, omega));
    carriers.s = changing(s, cross(x, s), {});
    carriers.inverse_length = Changing<S>(1 / rod.length);
    const Motion<Changing<S>> velocity = carriers.velocity(), acceleration = carriers.acceleration(velocity);
    const Motion<S>&v = data.v[carrier], &a = data.a[carrier];
    Direction<S> d;
    d.x = change_of(velocity, 1);
    d.e = change_of(velocity, 0);
    d.e -= cross(d.x, v);
    d.eta = change_of(acceleration, 0);
    d.eta -= cross(d.x, a) + cross(d.e, v);
    d.eta_rate = change_of(acceleration, 1);
    d.eta_rate -= cross(d.x, v);
    return d;
}

/// Calls use(column, direction) with the directions of all clusters that move a body, `column` in the user's
/// order.
template <class S, class Use>
void each_direction(const Model& model, const Data<S>& data, int body, const Use& use) {
    if (model.is_rod(body)) {
        const Rod& rod = model.rod(body);
        const Cluster& c = model.clusters[rod.cluster];
        for (int k = 0; k < c.m; ++k)
            use(model.y_index[c.y_begin + k], rod_direction(model, data, rod, body, k));
        body = c.parent_body;
    }
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
