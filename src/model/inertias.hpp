#pragma once

#include <span>
#include <type_traits>

#include "grbda/model/model.hpp"

// Masses and inertias in the form that passes read, from those of the description.

namespace grbda::model {

/// Adds an inertia given in `pose` to a body's mass, centre of mass and inertia about it.
void add_inertial(const Inertial& added, const Pose& pose, Inertial& into);

/// Sets mass, centre of mass and principal moments of a body. The inertia about the centre of mass is stored
/// as its smallest principal moment and two dyads, all positive: their sum has no cancellation.
void set_inertial(const Inertial& from, Body& body);

/// Sets the same of a link of a linkage, whose frame is known.
void set_inertial(const Body& body, Link& link);

/// Computes the constants that rotors and armature make: D0, momentum and the kinds of coaxial rotors.
void fold_rotors(Model& model);

/// Adds armature to joints, per entry of q̇, which is valid as with_armature() expects it. Allocates only if
/// some branch of the robot has no mass.
GRBDA_EXPORT void add_armature(std::span<const double> added, Model& model);

/// Calls visit(x) for the numbers of a cluster that depend on its rotors.
template <class C, class Visit>
void visit_rotors(C& c, const Visit& visit) {
    visit(c.momentum);
    const bool coaxial = c.rotor_kind == RotorKind::coaxial;
    double kind = (c.reflected ? 2 : 0) + (coaxial ? 1 : 0);
    visit(kind);
    if constexpr (!std::is_const_v<C>) {
        c.reflected = kind >= 2;
        if (c.is_spinning()) c.rotor_kind = kind == 1 || kind == 3 ? RotorKind::coaxial : RotorKind::carried;
    }
}

/// Calls visit(x) for each number that depends on inertial parameters and armature. The order is that of the
/// model; `M` is Model or const Model. Flags become numbers.
template <class M, class Visit>
void visit_inertial_constants(M& model, const Visit& visit) {
    const auto visit_vector = [&](auto& v) {
        visit(v.x);
        visit(v.y);
        visit(v.z);
    };
    for (auto& inertial : model.inertials) {
        visit(inertial.mass);
        for (int k = 0; k < 3; ++k) visit(inertial.com[k]);
        for (int k = 0; k < 9; ++k) visit(inertial.inertia(k % 3, k / 3));
    }
    for (auto& body : model.bodies) {
        visit(body.mass);
        visit(body.inertia);
        visit_vector(body.com);
        visit_vector(body.middle);
        visit_vector(body.largest);
    }
    for (auto& linkage : model.linkages)
        for (auto& link : linkage.links) {
            visit(link.moment);
            visit_vector(link.com);
            visit_vector(link.middle);
            visit_vector(link.largest);
        }
    for (auto& rotor : model.rotors) visit(rotor.axial_inertia);
    for (auto& rod : model.rods) {
        visit(rod.mass);
        visit(rod.center);
        visit(rod.transverse);
        visit(rod.axial);
        visit(rod.coupling);
    }
    for (auto& c : model.clusters) visit_rotors(c, visit);
    for (auto& x : model.D0) visit(x);
    for (auto& x : model.momentum) visit_vector(x);
}

}  // namespace grbda::model
