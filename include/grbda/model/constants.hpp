#pragma once

#include "grbda/spatial/inertial.hpp"
#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

// The numbers that algorithms read besides those of single bodies and loops: flat arrays, all in double.

namespace grbda {

// Passive forces of a robot's joints and bodies, independent of its motors: dampers, springs, dry
// friction, gravity compensation. Plain arrays in the user's order. joint_forces() converts them to τ.

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

/// Numbers of a model that the passes read besides Structure.
struct Constants {
    Vector3<double> gravity{0, 0, -9.81};  ///< m/s², world axes
    Table<double> neutral;                 ///< assembled configuration, nq

    Table<double> polynomials;  ///< coefficients of all polynomial couplings
    Table<double> G;            ///< constant embeddings; layout as Cluster::G_begin
    Table<double> offset;       ///< per dof of constant embeddings: q = G y + offset
    Table<double> D0;  ///< folded clusters: Σ J wᵀw + Σ j GᵀG, lower triangle; as Cluster::D_begin
    Table<Vector3<double>> momentum;  ///< per entry of `independent`: Σ J w a of rotors on the parent body
    Table<double> row_scale;          ///< per row of K: makes lengths relative to the cluster's size
    Table<double> column_scale;       ///< per dof: the same for slides
    Table<double> K_scale;            ///< per entry of K: product of both; as Cluster::K_begin
    Table<double> armature;           ///< per dof
    Table<double> inertia_floor;      ///< per entry of `independent`: D at or below it is singular
    Table<double> joint_floor;        ///< per dof: for the pivots of single joints
    Table<double> floor_root;         ///< per dof of clusters with a choice: √ of its share in such a floor

    Table<Inertial> inertials;  ///< per body, as described: without the rotors on it
    Table<Inertial>
        strut_inertials;    ///< per strut, of its cylinder and of its piston, in their axes from A and B
    PassiveForces passive;  ///< passive forces: only joint_forces() applies them
};

}  // namespace grbda
