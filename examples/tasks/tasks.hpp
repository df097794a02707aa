#pragma once

#include <string>
#include <vector>

#include "grbda/constraints/constraint_forces.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "grbda/simulation/simulator.hpp"

// Ten common tasks, for users of other libraries: docs/from-elsewhere-tasks.md shows tasks.cpp.

namespace tasks {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Data = grbda::Data;

/// Throws std::runtime_error with the status.
void require(const grbda::Result& result);

/// Loads a robot whose file has no floating joint, with a floating root link.
grbda::Model load_floating(const std::string& file);

/// q [nq] after moving with the velocity ẏ [nv] for h s.
Vector moved(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd, double h);

/// τ [nv] that accelerates the robot by ÿ.
Vector inverse_dynamics(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd,
                        const Vector& ydd);

/// ÿ [nv] under τ and a force [N] in world axes at the origin of a body.
Vector pushed(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd, const Vector& tau,
              int body, const Eigen::Vector3d& force);

/// M [nv × nv].
Matrix mass_matrix(const grbda::Model& model, Data& data, const Vector& q);

struct FrameMotion {
    Eigen::Vector3d position;                    ///< in the world
    Eigen::Matrix3d orientation;                 ///< from the frame to the world
    Eigen::Matrix<double, 6, 1> velocity;        ///< [linear; angular] at its origin, in world axes
    Eigen::Matrix<double, 6, Eigen::Dynamic> J;  ///< velocity = J ẏ
};
FrameMotion frame_motion(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd,
                         const std::string& frame);

struct Loops {
    Vector q;     ///< [nq] with the joint moved and all loops closed
    Matrix G, K;  ///< q̇ = G ẏ, K q̇ = 0
};
Loops close_loops(const grbda::Model& model, Data& data, const std::string& joint, double position);

struct Derivatives {
    Matrix by_y, by_yd, by_tau;  ///< derivatives of ÿ [nv × nv]
};
Derivatives forward_derivatives(const grbda::Model& model, Data& data, const Vector& q, const Vector& yd,
                                const Vector& tau);

struct Landing {
    Vector q, qd;        ///< [nq], [nv_tree]
    double impulse = 0;  ///< N·s, total upward impulse of the ground z = 0
};
Landing drop(const grbda::Model& model, const Vector& q, double seconds);

/// ÿ [nv × N] of the states in the columns of q [nq × N], ẏ and τ [nv × N].
Matrix many_accelerations(const grbda::Model& model, int threads, const Matrix& q, const Matrix& yd,
                          const Matrix& tau);

}  // namespace tasks
