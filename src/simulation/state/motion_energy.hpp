#pragma once

#include <cmath>

#include "model/workspace.hpp"
#include "kernels/pass/half_inverse.hpp"
#include "kernels/rod/rods.hpp"

// Energy of a robot in motion, from the kinematics in a workspace.

namespace grbda::simulation {

/// J
struct MotionEnergy {
    double kinetic = 0;  ///< with all armature, including that of implicit dampers, springs and servos
    double gravity = 0;
    double mass = 0;  ///< of the bodies

    double sum() const { return kinetic + gravity; }
};

/// Sums over the bodies and rotors of some clusters, at the origin of their common frame.
struct Total {
    RigidInertia<double> inertia;
    Force<double> momentum;
    double kinetic = 0;  ///< J, without armature

    Vector3<double> com() const { return inertia.h * (1 / inertia.mass); }
};

/// Adds one cluster, after kinematics with velocities.
inline void add_cluster(const Model& model, const Workspace<double>& data, const Cluster& c, Total& total) {
    for (const int i : c.bodies) {
        const RigidInertia<double> I = kernels::inertia_of(model, data, i);
        const Force<double> momentum = I * data.v[i];
        total.inertia += I;
        total.momentum += momentum;
        total.kinetic += dot(data.v[i], momentum) / 2;
    }
    for (const int r : c.rotors) {
        const Rotor& rotor = model.rotors[r];
        const Vector3<double> couple = kernels::couple_of(data, rotor);
        const double spin = kernels::joint_rate(model, data, rotor.dof);
        total.momentum.angular += couple * spin;
        total.kinetic += dot(couple, kernels::velocity_of(data, rotor.carrier).angular) * spin +
                         rotor.axial_inertia * spin * spin / 2;
    }
    for (const int r : c.rods) {
        const Rod& rod = model.rods[r];
        const kernels::RodEnds<double> ends = kernels::ends_of(model, data, rod);
        if (rod.strut >= 0) {
            const kernels::StrutLine<double> strut = kernels::strut_line(model, data, rod, ends);
            const StrutMotion<double> v = kernels::velocity_of(data, strut, ends);
            const kernels::StrutLoad<double> momentum = kernels::momentum_of(strut, v);
            total.inertia += kernels::inertia_of(strut, ends);
            total.momentum += kernels::wrench_of(ends, momentum);
            total.kinetic += kernels::power(v, momentum) / 2;
            continue;
        }
        const Vector3<double> u = kernels::velocity_between(data, ends);
        kernels::subtract_pair(rod, ends.d(), total.inertia.angular);
        total.momentum.angular -= cross(ends.d(), u) * rod.coupling;
        total.kinetic -= rod.coupling * dot(u, u) / 2;
        if (rod.spin_momentum != 0) {
            total.momentum.angular += ends.d() * (rod.spin_momentum / rod.length);
            total.kinetic += rod.spin_momentum * rod.spin_momentum / (2 * rod.axial);
        }
        if (!rod.guided()) continue;
        const kernels::SpinRow<double> row = kernels::spin_row(data, rod, ends);
        const double spin = kernels::spin_of(data, ends, row);
        total.momentum.angular += row.n * (rod.axial * spin);
        total.kinetic += rod.axial * spin * spin / 2;
    }
}

/// Returns gᵀ Σ m c.
inline double gravity_moment(const Model& model, const Workspace<double>& data, const Cluster& c,
                             const Total& total) {
    return dot(model.gravity, total.inertia.h + data.origin[c.branch] * total.inertia.mass);
}

/// Computes the energy after kinematics with velocities, or after free_motion().
inline MotionEnergy motion_energy(const Model& model, const Workspace<double>& data) {
    MotionEnergy energy;
    for (const Cluster& c : model.clusters) {
        Total total;
        add_cluster(model, data, c, total);
        energy.kinetic += total.kinetic;
        energy.gravity -= gravity_moment(model, data, c, total);
        energy.mass += total.inertia.mass;
        if (!c.armature) continue;
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) {
            const double rate = kernels::joint_rate(model, data, dof);
            energy.kinetic += model.armature[dof] * rate * rate / 2;
        }
    }
    return energy;
}

/// Tolerance of the energy balance of a step, relative to the sum of the kinetic energies at both ends.
/// Smooth motion over a thousand steps then keeps its energy within a thousandth.
constexpr double energy_tolerance = 1e-6;

/// Returns the tolerance of a balance between two states: a share of the usual one, plus rounding of the
/// potential. Both are zero for a robot that rests with its centre of mass at the world's origin, but
/// rounding is not.
inline double allowed_imbalance(const MotionEnergy& before, const MotionEnergy& after, double share = 1) {
    constexpr double rounding = 1e-13, rest = 1e-12;  // m²/s²: (1 µm/s)²
    return share * energy_tolerance * (before.kinetic + after.kinetic) +
           rounding * (std::abs(before.gravity) + std::abs(after.gravity)) + rest * after.mass;
}

/// Returns the cluster whose joints move fastest, for which a step is too long.
inline int fastest_cluster(const Model& model, const Workspace<double>& data) {
    double fastest = -1;
    int cluster = -1;
    for (int dof = 0; dof < model.nv_tree; ++dof) {
        const Body& body = model.bodies[model.dof_body[dof]];
        const double rate = std::abs(kernels::joint_rate(model, data, dof));
        if (body.rotor || !(rate > fastest)) continue;
        fastest = rate;
        cluster = body.cluster;
    }
    return cluster;
}

}  // namespace grbda::simulation
