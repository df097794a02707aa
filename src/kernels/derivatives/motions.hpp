#pragma once

#include "grbda/spatial/dual.hpp"
#include "rods.hpp"
#include "row_rates.hpp"

// Changes of the motions of all bodies along all directions, without gravity. The derivatives of kinematics
// and of momentum are built from them.

namespace grbda::kernels::derivatives {

/// Removes gravity from a, and from η the effect of gravity: η − x × [g; 0].
template <class S>
void take_off_gravity(const Model& model, Workspace<S>& data) {
    const Vector3<S> gravity = model.gravity.cast<S>();
    for (const Cluster& c : model.clusters)
        for (const int i : c.bodies) {
            data.a[i].linear += gravity;
            const Motion<S>* J = jacobian_of(model, data, c, i);
            Motion<S>* eta = of_body(data.directions.eta, c, i);
            for (int k = 0; k < c.m; ++k) eta[k].linear -= cross(J[k].angular, gravity);
        }
}

/// Computes the motions of all bodies, including reduced rotors and rods, and e, η, η' of Directions; null
/// ydd: ÿ = 0.
template <class S>
void vary_motions(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* ydd) {
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

/// Returns the direction at a reduced rotor, which rotates relative to its carrier.
template <class S>
Direction<S> rotor_direction(const Model& model, const Workspace<S>& data, const Cluster& c,
                             const Body& rotor, int k) {
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

/// A number with its change along a direction.
template <class S>
using Changing = Dual<S, 1>;

template <class S>
Changing<S> changing(const S& x, const S& change) {
    Changing<S> out;
    out.value = x;
    out.slope[0] = change;
    return out;
}
template <class S>
Vector3<Changing<S>> changing(const Vector3<S>& x, const Vector3<S>& change) {
    return {changing(x.x, change.x), changing(x.y, change.y), changing(x.z, change.z)};
}
template <class S>
Motion<S> change_of(const Motion<Changing<S>>& x) {
    return {{x.linear.x.slope[0], x.linear.y.slope[0], x.linear.z.slope[0]},
            {x.angular.x.slope[0], x.angular.y.slope[0], x.angular.z.slope[0]}};
}

/// Changes of the bodies at a rod's ends along direction k of its cluster.
template <class S>
class RodChange {
public:
    RodChange(const Model& model, const Workspace<S>& data, int link, int k)
        : moving_(model, data, model.clusters[model.rod(link).cluster], model.rod(link), {}), k_(k) {
        const Rod& rod = model.rod(link);
        const int a = ends_of(model, data, rod).a;
        if (moving_.a.J) at_a_ = {moving_.a.J[k], moving_.a.e[k], moving_.a.eta[k], moving_.a.eta_rate[k]};
        omega_ = velocity_of(data, a).angular;
        if (a != world) alpha_ = data.a[a].angular;
        s_ = base_rotation(data, a) * rod.reference().template cast<S>();
        guided_ = rod.guided();
        stretches_ = rod.strut >= 0;
        at_b_ = model.is_piston(link);
        inverse_length_ = 1 / rod.length;
    }

    RodCarriers<Changing<S>> along_y() const {
        const Vector3<S>&x = at_a_.x.angular, &e = at_a_.e.angular;
        const auto end = [this](const RodEnd<S>& from) {
            const PointMotion<S> change = from.along_y(k_);
            return MovingPoint<Changing<S>>{changing(from.r, from.displacement(k_)),
                                            changing(from.motion.v, change.v),
                                            changing(from.motion.a, change.a)};
        };
        return measured({end(moving_.a), end(moving_.b), changing(omega_, cross(x, omega_) + e),
                         changing(alpha_, cross(x, alpha_) + at_a_.eta.angular + cross(e, omega_)),
                         changing(s_, cross(x, s_)), Changing<S>(inverse_length_), guided_, stretches_,
                         at_b_});
    }
    /// Returns the changes along ẏ. They do not depend on accelerations, which may be unknown and are
    /// omitted.
    RodCarriers<Changing<S>> along_yd() const {
        const Vector3<S>& x = at_a_.x.angular;
        const auto end = [this](const RodEnd<S>& from) {
            return MovingPoint<Changing<S>>{changing(from.r, {}),
                                            changing(from.motion.v, from.displacement(k_)),
                                            changing(Vector3<S>{}, from.acceleration_along_yd(k_))};
        };
        return measured({end(moving_.a), end(moving_.b), changing(omega_, x),
                         changing(Vector3<S>{}, at_a_.eta_rate.angular + cross(x, omega_)), changing(s_, {}),
                         Changing<S>(inverse_length_), guided_, stretches_, at_b_});
    }

private:
    static RodCarriers<Changing<S>> measured(RodCarriers<Changing<S>> carriers) {
        carriers.measure();
        return carriers;
    }

    RodMotion<S> moving_;
    int k_;
    Direction<S> at_a_;
    Vector3<S> omega_, alpha_, s_;
    double inverse_length_ = 0;
    bool guided_ = false, stretches_ = false, at_b_ = false;
};

/// Returns the direction at a rod or piston: its motion as a function of its bodies' motion, differentiated.
template <class S>
Direction<S> rod_direction(const Model& model, const Workspace<S>& data, int link, int k) {
    const RodChange<S> change(model, data, link, k);
    const Motion<S>&v = data.v[link], &a = data.a[link];
    Direction<S> d;
    const auto by_rates = change.along_yd();
    const Motion<Changing<S>> v_rates = by_rates.velocity();
    d.x = change_of(v_rates);
    d.eta_rate = change_of(by_rates.acceleration(v_rates)) - cross(d.x, v);
    const auto by_places = change.along_y();
    const Motion<Changing<S>> v_places = by_places.velocity();
    d.e = change_of(v_places) - cross(d.x, v);
    d.eta = change_of(by_places.acceleration(v_places)) - cross(d.x, a) - cross(d.e, v);
    return d;
}

/// Calls use(column, direction) with the directions of all clusters that move a body; `column` is in the
/// user's order.
template <class S, class Use>
void each_direction(const Model& model, const Workspace<S>& data, int body, const Use& use) {
    if (model.is_rod(body)) {
        const Cluster& c = model.clusters[model.cluster_of(body)];
        for (int k = 0; k < c.m; ++k) use(model.y_index[c.y_begin + k], rod_direction(model, data, body, k));
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
