#include "laws/rod_lagrangian.hpp"

#include "kernels/derivatives/rod_spin.hpp"
#include "kernels/body/inertia.hpp"
#include "kernels/cluster/rotors.hpp"

namespace grbda::test {
namespace {

/// Change of the Lagrangian of a strut, without the masses at its ends, along a change of d at given
/// velocities of the ends and of the body at A, which stays in place.
double lagrangian_change(const kernels::StrutLine<double>& strut, const StrutMotion<double>& v,
                         const Vector3<double>& omega_a, const Vector3<double>& gravity,
                         const Vector3<double>& d) {
    const Vector3<double>&n = strut.line.n, u = v.b - v.a, turned = u * strut.inverse;
    const double stretch = dot(n, d) * strut.inverse;
    const Vector3<double> moved = d * strut.inverse - n * stretch;  // of n
    const kernels::derivatives::RowChange<double> row = kernels::derivatives::row_change(strut.line, moved);
    const Vector3<double> Y = row.Y * strut.inverse - strut.row.Y * stretch;
    const double spin = strut.row(omega_a, u), spin_change = dot(row.X, omega_a) - dot(Y, u);
    const Vector3<double> omega =
        cross(moved, turned) - cross(n, turned) * stretch + moved * spin + n * spin_change;
    const Vector3<double> momentum = strut.theta * v.omega,
                          moment = cross(strut.h_a, cross(v.a, v.omega) + gravity) +
                                   cross(strut.h_b, cross(v.b, v.omega) + gravity) + cross(momentum, v.omega);
    return dot(kernels::momentum_of(strut, v).moment, omega) + dot(strut.line.turning(moved), moment);
}

}  // namespace

Lagrangian::Lagrangian(const Model& model, bool carries)
    : momenta_(model.bodies.size()), weights_(model.bodies.size()), carries_(carries) {}

/// Velocities; momentum and weight of each body.
void Lagrangian::spread(const Model& model, Workspace<double>& data, const VectorX<double>& q,
                        const VectorX<double>& qd) {
    kernels::turn_joints(model, data, q.data());
    for (const Cluster& c : model.clusters) {
        const kernels::Placement<double> base = kernels::cluster_base(model, data, c, q.data());
        kernels::place_cluster(model, data, c, base, q.data());
        kernels::place_rod_ends(model, data, c, base);
        for (const int i : c.bodies) {
            const Body& body = model.bodies[i];
            data.v[i] =
                kernels::velocity_of(data, body.parent) +
                kernels::joint_velocity(velocity_size(body.joint), &data.s[body.dof], qd.data() + body.v);
            const RigidInertia<double> I = kernels::inertia_of(model, data, i);
            momenta_[i] = I * data.v[i];
            weights_[i] = {model.gravity * I.mass, cross(I.h, model.gravity)};
        }
    }
    for (const Rotor& rotor : model.rotors)
        if (rotor.carrier != world)
            momenta_[rotor.carrier].angular +=
                kernels::couple_of(data, rotor) * qd[model.bodies[rotor.body].v];
    // momenta p at B and −p at A; as a point turns with its joint, p·(ω × v) goes with the slopes
    for (const Rod& rod : model.rods) {
        const kernels::RodEnds<double> ends = kernels::ends_of(model, data, rod);
        if (rod.strut >= 0) {
            add_strut(model, data, rod, ends);
            continue;
        }
        const Vector3<double> p = kernels::velocity_between(data, ends) * -rod.coupling;
        const auto add = [&](int body, const Vector3<double>& r, const Vector3<double>& momentum) {
            if (body == world) return;
            momenta_[body] += Force<double>{momentum, cross(r, momentum)};
            weights_[body].angular += cross(point_velocity(data.v[body], r), momentum);
        };
        add(ends.b, ends.B, p);
        add(ends.a, ends.A, -p);
        if (rod.guided() || rod.spin_momentum != 0) add_spin(data, rod, ends);
    }
    if (!carries_) return;
    for (const CarriedWeight& x : model.passive.weights) {
        const Vector3<double> moment = data.p[x.body] * x.mass + data.R[x.body] * x.moment;
        weights_[x.body] -= Force<double>{model.gravity * x.mass, cross(moment, model.gravity)};
    }
}

/// ½ I_s ω_s² of a guided rod, or p ω_s between balls, of Routh's function, with ω_s of the smallest turn. As
/// it does not change if all turns, its slope along d gives the one along the axis of the joint.
void Lagrangian::add_spin(const Workspace<double>& data, const Rod& rod,
                          const kernels::RodEnds<double>& ends) {
    const double inverse = 1 / rod.length;
    const kernels::RodLine<double> line = kernels::line_of(data, rod, ends);
    const kernels::SpinRow<double> row = kernels::spin_row(line, inverse);
    const Vector3<double> omega = kernels::velocity_of(data, ends.a).angular,
                          u = kernels::velocity_between(data, ends), turned = u * inverse;
    const double momentum = rod.guided() ? rod.axial * row(omega, u) : rod.spin_momentum;
    const double seen = dot(cross(line.n, line.s), turned - cross(omega, line.n));
    const Vector3<double> slope = (omega + line.s * (line.slope * seen - line.weight * dot(omega, line.n)) +
                                   (cross(line.s, turned) - omega * dot(line.s, line.n)) * line.weight) *
                                  (momentum * inverse);
    const Vector3<double> pair = row.Y * -momentum;
    const auto add = [&](int body, const Vector3<double>& r, double sign, const Vector3<double>& moment) {
        if (body == world) return;
        const Vector3<double> v = point_velocity(data.v[body], r);
        momenta_[body] += Force<double>{pair, cross(r, pair)} * sign;
        weights_[body] += Force<double>{slope, cross(r, slope) + cross(v, pair)} * sign;
        weights_[body].angular += moment;
    };
    add(ends.b, ends.B, 1, {});
    add(ends.a, ends.A, -1, -cross(ends.d(), slope) - cross(u, pair));
    if (ends.a != world) momenta_[ends.a].angular += row.X * momentum;
}

/// As it does not change if all turns but by gravity, its slope along d gives that along the axes at A.
void Lagrangian::add_strut(const Model& model, const Workspace<double>& data, const Rod& rod,
                           const kernels::RodEnds<double>& ends) {
    const kernels::StrutLine<double> strut = kernels::strut_line(model, data, rod, ends);
    const StrutMotion<double> v = kernels::velocity_of(data, strut, ends);
    const kernels::EndLoads<double> p = kernels::end_loads(strut, kernels::momentum_of(strut, v));
    const Vector3<double> omega = kernels::velocity_of(data, ends.a).angular;
    const auto along = [&](const Vector3<double>& d) {
        return lagrangian_change(strut, v, omega, model.gravity, d);
    };
    const Vector3<double> slope{along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
    const Force<double> at_b{slope, cross(ends.B, slope) + cross(v.b, p.b)};
    if (ends.b != world) {
        momenta_[ends.b] += Force<double>{p.b, cross(ends.B, p.b)};
        weights_[ends.b] += at_b;
    }
    if (ends.a == world) return;
    momenta_[ends.a] += Force<double>{p.a, cross(ends.A, p.a) + p.couple};
    weights_[ends.a] -= at_b;
    const Vector3<double> h = strut.h_a + strut.h_b;
    weights_[ends.a] += Force<double>{{}, cross(h, model.gravity)};
}

void Lagrangian::differentiate(const Model& model, Workspace<double>& data, const VectorX<double>& q,
                               const VectorX<double>& qd, VectorX<double>& momentum, VectorX<double>& slope) {
    spread(model, data, q, qd);
    for (int i = model.body_count(); i-- > 0;) {
        const Body& body = model.bodies[i];
        if (body.rotor) continue;
        const Motion<double>* s = &data.s[body.dof];
        Motion<double> before = kernels::velocity_of(data, body.parent);  // of what the joint moves against
        for (int k = 0; k < velocity_size(body.joint); ++k) {
            momentum[body.v + k] = dot(s[k], momenta_[i]);
            slope[body.v + k] = dot(cross(before, s[k]), momenta_[i]) + dot(s[k], weights_[i]);
            if (!has_quaternion(body.joint)) before += s[k] * qd[body.v + k];
        }
        if (body.parent == world) continue;
        momenta_[body.parent] += momenta_[i];
        weights_[body.parent] += weights_[i];
    }
    for (const Rotor& rotor : model.rotors) {
        const int v = model.bodies[rotor.body].v;
        slope[v] = 0;
        momentum[v] = rotor.axial_inertia * qd[v];
        if (rotor.carrier != world)
            momentum[v] += dot(kernels::couple_of(data, rotor), data.v[rotor.carrier].angular);
    }
    for (std::size_t dof = 0; dof < model.v_index.size(); ++dof) {
        const int v = model.v_index[dof];
        momentum[v] += model.armature[dof] * qd[v];
    }
}

}  // namespace grbda::test
