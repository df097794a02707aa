#pragma once

#include "grbda/description.hpp"
#include "grbda/model/passive_forces.hpp"
#include "grbda/spatial/vector3.hpp"
#include "grbda/table.hpp"

// The numbers that algorithms read besides those of single bodies and loops: flat arrays, all in double.

namespace grbda {

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
    PassiveForces passive;      ///< passive forces: only joint_forces() applies them
};

}  // namespace grbda
