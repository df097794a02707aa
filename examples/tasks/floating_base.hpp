#pragma once

#include <Eigen/Geometry>

// The state of a floating base in the conventions of other libraries. Pinocchio's are those of grbda.
//
//                      q                          q̇                      acceleration, force
//   grbda              x y z  qx qy qz qw         [v; ω] body            componentwise
//   MuJoCo             x y z  qw qx qy qz         v world, ω body        likewise
//   RBDL               x y z  qx qy qz … qw       v world, ω body        likewise; qw stands after all joints
//   generalized_rbda   x y z  qw qx qy qz         [ω; v] body            likewise

namespace tasks {

using Position = Eigen::Matrix<double, 7, 1>;
using Velocity = Eigen::Matrix<double, 6, 1>;

/// From the base to the world; q as in grbda.
Eigen::Quaterniond orientation(const Position& q);

// Positions: of MuJoCo and generalized_rbda, and back.
Position w_last(const Position& q);
Position w_first(const Position& q);

// Positions of a whole robot without other quaternions: of RBDL, and back.
Eigen::VectorXd from_rbdl(const Eigen::VectorXd& q);
Eigen::VectorXd to_rbdl(const Eigen::VectorXd& q);

// Velocities, and forces alike, for their product is power: of MuJoCo and RBDL, and back; q as in grbda.
Velocity to_body(const Position& q, const Velocity& v);
Velocity to_world(const Position& q, const Velocity& v);

// Velocities, forces and accelerations of generalized_rbda, and back.
Velocity swapped(const Velocity& v);

// Accelerations: of MuJoCo and RBDL, and back; q and v as in grbda.
Velocity acceleration_to_body(const Position& q, const Velocity& v, const Velocity& a);
Velocity acceleration_to_world(const Position& q, const Velocity& v, const Velocity& a);

}  // namespace tasks
