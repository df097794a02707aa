#include "lagrangian.hpp"

#include "kernels/inertia.hpp"
#include "kernels/rotors.hpp"

namespace grbda::simulation {

Lagrangian::Lagrangian(const Model& model, bool carries)
    : momenta_(model.bodies.size()), weights_(model.bodies.size()), carries_(carries) {}

/// Velocities; momentum and weight of each body.
void Lagrangian::spread(const Model& model, Data<double>& data, const VectorX<double>& q,
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
        const Vector3<double> p = kernels::velocity_between(data, ends) * -rod.coupling;
        const auto add = [&](int body, const Vector3<double>& r, const Vector3<double>& momentum) {
            if (body == world) return;
            momenta_[body] += Force<double>{momentum, cross(r, momentum)};
            weights_[body].angular += cross(point_velocity(data.v[body], r), momentum);
        };
        add(ends.b, ends.B, p);
        add(ends.a, ends.A, -p);
        if (rod.universal) add_spin(data, rod, ends);
    }
    if (!carries_) return;
    for (const CarriedWeight& x : model.passive.weights) {
        const Vector3<double> moment = data.p[x.body] * x.mass + data.R[x.body] * x.moment;
        weights_[x.body] -= Force<double>{model.gravity * x.mass, cross(moment, model.gravity)};
    }
}

/// ½ I_s ω_s² of a rod with a universal joint. As it does not change if all turns, its slope along d gives
/// the one along the axis of the joint.
void Lagrangian::add_spin(const Data<double>& data, const Rod& rod, const kernels::RodEnds<double>& ends) {
    const double inverse = 1 / rod.length;
    const kernels::RodLine<double> line = kernels::line_of(data, rod, ends);
    const kernels::SpinRow<double> row = kernels::spin_row(line, inverse);
    const Vector3<double> omega = kernels::velocity_of(data, ends.a).angular,
                          u = kernels::velocity_between(data, ends), turned = u * inverse;
    const double momentum = rod.axial * row(omega, u);
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

void Lagrangian::differentiate(const Model& model, Data<double>& data, const VectorX<double>& q,
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

}  // namespace grbda::simulation
