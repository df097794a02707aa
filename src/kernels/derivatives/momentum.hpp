#pragma once

#include "kernels/derivatives/any_cluster.hpp"
#include "kernels/derivatives/motions.hpp"

// Momentum about the centre of mass, a linear function of ẏ, and derivatives of it and of its rate. They use
// composites of inertia, of B, of momentum and of the force on the bodies, as in
// kernels/derivatives/rnea_derivatives.hpp, without gravity. Rotors contribute their spin. Armature, which is
// not a body, does not contribute. A direction moves the centre of mass by W_lin/m, so that δL = δL_o + (o −
// c) × δp − δc × p for L about c, with o the origin of the common frame.

namespace grbda::kernels {

/// Sums over all bodies; momentum and its rate are in the world's axes.
template <class S>
struct Totals {
    S mass{};
    Vector3<S> first_moment;     ///< about the world's origin
    Vector3<S> linear_momentum;  ///< and
    Vector3<S> force;            ///< rate of the linear momentum
    Vector3<S> com() const { return mass > S(0) ? first_moment * S(S(1) / mass) : first_moment; }
};

/// Adds the mass of a rotor on the world, which no carrier includes. Its centre of mass is on its axis, at
/// rest.
template <class S>
void add_fixed_mass(const Model& model, const Rotor& rotor, S& mass, Vector3<S>& first_moment) {
    const Inertial& inertial = model.inertials[rotor.body];
    const Body& body = model.bodies[rotor.body];
    const Vector3<double> com{inertial.com.x(), inertial.com.y(), inertial.com.z()};
    first_moment += ((body.position + body.rotation * com) * inertial.mass).template cast<S>();
    mass += S(inertial.mass);
}

/// Adds the masses of rods at ends on the world, which no body includes.
template <class S>
void add_fixed_mass(const Model& model, const Rod& rod, S& mass, Vector3<S>& first_moment) {
    const Loop& loop = model.loops[rod.loop];
    const auto add = [&](const LoopEnd& end, double share) {
        if (end.body != world) return;
        mass += S(rod.mass * share);
        first_moment += (end.position * (rod.mass * share)).template cast<S>();
    };
    add(loop.predecessor, 1 - rod.center);
    add(loop.successor, rod.center);
}

/// Changes along one direction, linear part first; moments are about the centre of mass.
template <class S>
struct MomentumColumn {
    Force<S> momentum_yd;                  ///< also that of the rate with ÿ
    Force<S> momentum_y, rate_y, rate_yd;  ///< in passes with velocities
};

/// Passes over composites. Moving: with velocities and accelerations, after vary_motions(); otherwise after
/// positions(). Composites of momentum are in directions.cut, those of force in pA.
template <bool Moving, class S>
class MomentumPass {
public:
    MomentumPass(const Model& model, Workspace<S>& data) : model_(model), data_(data) {
        for (const Cluster& c : model.clusters) {
            for (const int i : c.bodies) begin_body(c, i);
            for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor)
                begin_rotor(c, *rotor);
        }
        for (const Rod& rod : model.rods) {
            kernels::add_fixed_mass(model, rod, totals_.mass, totals_.first_moment);
            if (rod.strut >= 0) begin_strut(rod);
        }
    }

    const Totals<S>& totals() const { return totals_; }

    /// Calls put(column, MomentumColumn) for each velocity in the user's order.
    template <class Put>
    void columns(const Put& put) {
        for (auto c = model_.clusters.rbegin(); c != model_.clusters.rend(); ++c) {
            const Vector3<S> arm = data_.origin[c->branch] - totals_.com();
            const bool turning = Moving && derivatives::has_turning_joint(model_, *c);
            for (int k = 0; k < c->m; ++k) {
                MomentumColumn<S> sum;
                for (const int i : c->bodies) add_body(*c, i, k, sum);
                for (const Rotor* r = rotors_begin(model_, *c); r != rotors_end(model_, *c); ++r)
                    add_rotor(*c, *r, k, turning, sum);
                for (const Rod* r = rods_begin(model_, *c); r != rods_end(model_, *c); ++r)
                    add_rod(*c, *r, k, sum);
                put(model_.y_index[c->y_begin + k], about_com(sum, arm));
            }
            for (const int i : c->bodies) pass_on(*c, i);
            if (c->parent_body == world) continue;
            for (const Rod* r = rods_begin(model_, *c); r != rods_end(model_, *c); ++r) pass_on(*c, *r);
        }
    }

private:
    void begin_body(const Cluster& c, int i) {
        if constexpr (Moving)
            derivatives::begin_composites(model_, data_, i);
        else
            data_.I[i] = inertia_of(model_, data_, i);
        const RigidInertia<S>& I = data_.I[i];
        totals_.mass += I.mass;
        totals_.first_moment += I.h + data_.origin[c.branch] * I.mass;
        if constexpr (Moving) {
            const Force<S> momentum = I * data_.v[i];
            data_.directions.cut[i] = momentum;
            totals_.linear_momentum += momentum.linear;
            totals_.force += data_.pA[i].linear;
        }
    }

    void begin_rotor(const Cluster& c, const Rotor& rotor) {
        const int p = rotor.carrier;
        if (p == world) {
            add_fixed_mass(model_, rotor, totals_.mass, totals_.first_moment);
            return;
        }
        if constexpr (Moving) {
            const Gyrostat<S> r = gyrostat(model_, data_, c, rotor);
            const Vector3<S> momentum = r.h * data_.rate[rotor.dof];
            data_.directions.cut[p].angular += momentum;
            data_.directions.B[p].gamma -= skew(momentum);
            data_.pA[p].angular +=
                r.h * row_acceleration(data_, c, rotor.dof) + cross(data_.v[p].angular, momentum);
        }
    }

    void begin_strut(const Rod& rod) {
        const RodEnds<S> ends = ends_of(model_, data_, rod);
        const StrutLine<S> strut = strut_line(model_, data_, rod, ends);
        totals_.first_moment += strut.h_a + strut.h_b;
        if constexpr (Moving) {
            const derivatives::VaryingStrut<S> moving = varying(rod);
            totals_.linear_momentum += cross(moving.rates.omega, strut.h_a + strut.h_b);
            totals_.force += moving.force.a + moving.force.b;
        }
    }
    derivatives::VaryingStrut<S> varying(const Rod& rod) const {
        const derivatives::RodMotion<S> moving(model_, data_, model_.clusters[rod.cluster], rod, {});
        return derivatives::varying_strut(model_, data_, rod, moving);
    }

    /// Adds a body with all its descendants.
    void add_body(const Cluster& c, int i, int k, MomentumColumn<S>& sum) const {
        const Motion<S>& J = jacobian_of(model_, data_, c, i)[k];
        const RigidInertia<S>& I = data_.I[i];
        sum.momentum_yd += I * J;
        if constexpr (Moving) {
            const Directions<S>& d = data_.directions;
            const Motion<S>& e = derivatives::of_body(d.e, c, i)[k];
            sum.momentum_y += cross(J, d.cut[i]) + I * e;
            sum.rate_y += cross(J, data_.pA[i]) + I * derivatives::of_body(d.eta, c, i)[k] + d.B[i] * e;
            sum.rate_yd += I * derivatives::of_body(d.eta_rate, c, i)[k] + d.B[i] * J;
        }
    }

    /// Adds the spin of a rotor, which depends on the joints of its cluster.
    void add_rotor(const Cluster& c, const Rotor& rotor, int k, bool turning, MomentumColumn<S>& sum) const {
        const Gyrostat<S> r = gyrostat(model_, data_, c, rotor);
        sum.momentum_yd.angular += r.h * r.w[k];
        if constexpr (Moving) {
            const int row = rotor.dof - c.dof_begin;
            const Vector3<S> turned = cross(velocity_of(data_, rotor.carrier).angular, r.h);
            const derivatives::RateChanges<S> change = derivatives::rate_changes(data_, c, k);
            if (change.rate) {
                sum.momentum_y.angular += r.h * change.rate[row];
                sum.rate_y.angular += r.h * change.acceleration[row] + turned * change.rate[row];
            }
            sum.rate_yd.angular +=
                r.h * derivatives::acceleration_change(model_, data_, c, row, k, turning) + turned * r.w[k];
        }
    }

    /// Adds the parts of a rod that the masses at its ends do not include: the angular momentum −m_AB d × u,
    /// its rate d × f, and the spin.
    void add_rod(const Cluster& c, const Rod& rod, int k, MomentumColumn<S>& sum) const {
        if (rod.strut >= 0) return add_strut(c, rod, k, sum);
        const RodEnds<S> ends = ends_of(model_, data_, rod);
        const Vector3<S> d = ends.d(), X = displacement_between(ends, end_jacobian(model_, data_, c, ends.a),
                                                                end_jacobian(model_, data_, c, ends.b), k);
        sum.momentum_yd.angular -= cross(d, X) * S(rod.coupling);
        if (rod.guided()) {
            const SpinRow<S> row = spin_row(data_, rod, ends);
            const Motion<S>* const J = end_jacobian(model_, data_, c, ends.a);
            sum.momentum_yd.angular += row.n * (row(J ? J[k].angular : Vector3<S>{}, X) * S(rod.axial));
        }
        if constexpr (Moving) {
            const derivatives::RodMotion<S> moving(model_, data_, c, rod, Vector3<S>{});
            const derivatives::PointMotion<S> change = moving.along_y(k);
            sum.momentum_y.angular += X * S(rod.spin_momentum / rod.length) -
                                      (cross(X, moving.u) + cross(d, change.v)) * S(rod.coupling);
            sum.rate_y.angular += cross(X, moving.f) + cross(d, change.a);
            sum.rate_yd.angular += cross(d, moving.force_along_yd(k));
            if (!rod.guided()) return;
            const derivatives::SpinMotion<S> spin = derivatives::spin_motion(model_, data_, rod, moving);
            const SpinForces<S> y = spin.along(spin_change_along_y(moving, spin, k)),
                                yd = spin.along_velocities(spin_change_along_yd(moving, spin, k));
            const Vector3<S> turn = moving.a.turn(k), pair = spin.forces.pair;
            sum.momentum_y.angular += cross(turn, spin.forces.momentum) + y.momentum;
            sum.rate_y.angular += cross(turn, spin.forces.couple) + y.couple + cross(X, pair) +
                                  cross(d, cross(turn, pair) + y.pair);
            sum.rate_yd.angular += yd.couple + cross(d, yd.pair);
        }
    }

    /// Adds a strut, without the masses at its ends.
    void add_strut(const Cluster& c, const Rod& rod, int k, MomentumColumn<S>& sum) const {
        const RodEnds<S> ends = ends_of(model_, data_, rod);
        const StrutLine<S> line = strut_line(model_, data_, rod, ends);
        const StrutMotion<S> x = strut_column(line, ends, end_jacobian(model_, data_, c, ends.a),
                                              end_jacobian(model_, data_, c, ends.b), k);
        sum.momentum_yd += wrench_of(ends, momentum_of(line, x));
        if constexpr (Moving) {
            const derivatives::RodMotion<S> moving(model_, data_, c, rod, {});
            const derivatives::VaryingStrut<S> strut = derivatives::varying_strut(model_, data_, rod, moving);
            const derivatives::StrutVariation<S> y = strut.along(strut_change_along_y(moving, strut, k)),
                                                 yd = strut.along_velocities(
                                                     strut_change_along_yd(moving, strut, k));
            const StrutMotion<S> v{strut.rates.omega, moving.a.motion.v, moving.b.motion.v};
            const StrutMotion<S> change{y.omega, moving.a.along_y(k).v - cross(y.turn, v.a),
                                        moving.b.along_y(k).v - cross(y.turn, v.b)};
            const auto changed = [&](const StrutLoad<S>& now, const StrutLoad<S>& by) {
                const StrutLoad<S> total{by.a + cross(y.turn, now.a), by.b + cross(y.turn, now.b),
                                         by.moment + cross(y.turn, now.moment)};
                Force<S> whole = wrench_of(ends, total);
                whole.angular += cross(x.a, now.a) + cross(x.b, now.b);
                return whole;
            };
            sum.momentum_y += changed(momentum_of(line, v), momentum_of(line, change));
            sum.rate_y += changed(strut.force, y.force);
            sum.rate_yd += wrench_of(ends, yd.force);
        }
    }

    /// Moves moments from the origin of the common frame to the centre of mass, which is at −arm and moves.
    MomentumColumn<S> about_com(MomentumColumn<S> x, const Vector3<S>& arm) const {
        for (Force<S>* f : {&x.momentum_yd, &x.momentum_y, &x.rate_y, &x.rate_yd})
            f->angular += cross(arm, f->linear);
        if (Moving && totals_.mass > S(0)) {
            const Vector3<S> moved = x.momentum_yd.linear * S(S(1) / totals_.mass);
            x.momentum_y.angular -= cross(moved, totals_.linear_momentum);
            x.rate_y.angular -= cross(moved, totals_.force);
        }
        return x;
    }

    void pass_on(const Cluster& c, int i) {
        const int p = c.parent_body;
        if (p == world) return;
        if constexpr (Moving) {
            derivatives::pass_on(data_, c, i);
            data_.directions.cut[p] += data_.directions.cut[i];
        } else {
            data_.I[p] += data_.I[i];
        }
    }

    /// Adds the terms of a rod to the parent body of its cluster.
    void pass_on(const Cluster& c, const Rod& rod) {
        const int p = c.parent_body;
        if constexpr (Moving) {
            const derivatives::RodMotion<S> moving(model_, data_, c, rod, Vector3<S>{});
            if (rod.strut >= 0) {
                const derivatives::VaryingStrut<S> strut = varying(rod);
                const StrutMotion<S> v{strut.rates.omega, moving.a.motion.v, moving.b.motion.v};
                const RodEnds<S> ends = ends_of(model_, data_, rod);
                derivatives::pass_on_strut(moving, strut, data_.I[p], data_.directions.B[p]);
                data_.directions.cut[p] += wrench_of(ends, momentum_of(strut.line, v));
                data_.pA[p] += wrench_of(ends, strut.force);
                return;
            }
            derivatives::pass_on_rod(moving, rod, data_.I[p], data_.directions.B[p]);
            data_.directions.cut[p].angular +=
                moving.d * S(rod.spin_momentum / rod.length) - cross(moving.d, moving.u) * S(rod.coupling);
            data_.pA[p].angular += cross(moving.d, moving.f);
            if (!rod.guided()) return;
            const derivatives::SpinMotion<S> spin = derivatives::spin_motion(model_, data_, rod, moving);
            derivatives::pass_on_spin(spin, data_.directions.B[p]);
            data_.directions.cut[p].angular += spin.forces.momentum;
            data_.pA[p].angular += spin.forces.couple + cross(moving.d, spin.forces.pair);
        } else {
            add_rod_inertia(model_, data_, rod, data_.I[p]);
        }
    }

    const Model& model_;
    Workspace<S>& data_;
    Totals<S> totals_;
};

}  // namespace grbda::kernels
