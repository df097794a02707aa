#pragma once

#include <Eigen/Geometry>

// Converts the state of a floating base to conventions of other libraries. Pinocchio's are those of grbda.
//
//                      q                          q̇                      acceleration, force
//   grbda              x y z  qx qy qz qw         [v; ω] body            componentwise
//   MuJoCo             x y z  qw qx qy qz         v world, ω body        likewise
//   RBDL               x y z  qx qy qz … qw       v world, ω body        likewise; qw follows all joints
//   generalized_rbda   x y z  qw qx qy qz         [ω; v] body            likewise

namespace tasks {

using Position = Eigen::Matrix<double, 7, 1>;
using Velocity = Eigen::Matrix<double, 6, 1>;

/// Rotation from the base to the world; q as in grbda.
Eigen::Quaterniond orientation(const Position& q);

// Positions: from MuJoCo and generalized_rbda, and back.
Position w_last(const Position& q);
Position w_first(const Position& q);

// Positions of a whole robot without other quaternions: from RBDL, and back.
Eigen::VectorXd from_rbdl(const Eigen::VectorXd& q);
Eigen::VectorXd to_rbdl(const Eigen::VectorXd& q);

// Velocities, and forces, since their product is power: from MuJoCo and RBDL, and back; q as in grbda.
Velocity to_body(const Position& q, const Velocity& v);
Velocity to_world(const Position& q, const Velocity& v);

// Velocities, forces and accelerations: from generalized_rbda, and back.
Velocity swapped(const Velocity& v);

// Accelerations: from MuJoCo and RBDL, and back; q and v as in grbda.
Velocity acceleration_to_body(const Position& q, const Velocity& v, const Velocity& a);
Velocity acceleration_to_world(const Position& q, const Velocity& v, const Velocity& a);

}  // namespace tasks
