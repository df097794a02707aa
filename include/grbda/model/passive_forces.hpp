#pragma once

#include "grbda/range.hpp"
#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

// Passive forces of a robot's joints and bodies, independent of its motors: dampers, springs, dry
// friction, gravity compensation. Plain arrays in the user's order. joint_forces() converts them to τ.

namespace grbda {

/// A term of a tendon's length.
struct TendonTerm {
    int q = 0;  ///< index in q
    int v = 0;  ///< index in q̇
    double coefficient = 1;
};

/// Spring, damper and dry friction along a length L = Σ coefficient · q.
struct Tendon {
    Range terms;  ///< in PassiveForces::terms
    double stiffness = 0, damping = 0, friction = 0;
    double rest_lower = 0, rest_upper = 0;  ///< the spring is slack between both
};

/// Compensates the weight of `mass` at a point of a body with kinematics.
struct CarriedWeight {
    int body = 0;
    double mass = 0;
    Vector3<double> moment;  ///< mass times the point, in the body's frame
};

/// Passive forces of a model.
struct PassiveForces {
    Table<double> damping;    ///< per entry of q̇: N·s/m, N·m·s/rad
    Table<double> friction;   ///< per entry of q̇: N, N·m
    Table<double> stiffness;  ///< per entry of q̇: N/m, N·m/rad
    Table<double> rest;       ///< per entry of q: positions at which the springs are slack
    Table<Tendon> tendons;
    Table<TendonTerm> terms;
    Table<CarriedWeight> weights;
};

}  // namespace grbda
