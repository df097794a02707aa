#pragma once

#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/model/model.hpp"

// Limits and gains of motors, expressed in the coordinates of joints: θ̇ = J_m ẏ, τ = J_mᵀ u.

namespace grbda {

/// The set {τ : |normal · τ| ≤ reach}, a convex polytope about the origin, and boxes |τᵢ| ≤ bᵢ.
struct MotorSet {
    Eigen::MatrixXd normals;  ///< [facets × m]; a pair of opposite facets in each row
    Eigen::VectorXd reach;    ///< [facets]
    Eigen::VectorXd inside;   ///< [m] half widths of the largest box inside
    Eigen::VectorXd around;   ///< [m] half widths of the smallest box around
    double volume = 0;        ///< of the set; 0 if it is flat: motors cannot act in all directions
    double inside_volume = 0, around_volume = 0;
};

/// Computes the torques {J_mᵀ u : |u| ≤ u_max}, a zonotope; for as many motors as coordinates the set
/// |J_m⁻ᵀ τ| ≤ u_max.
/// in      J_m [k × m], of one unit in each column; u_max [k], positive and finite
/// errors  std::invalid_argument on a wrong size, limits that are not positive and finite, and for more
///         than 12 motors
/// cost    one factorization for each choice of m − 1 motors; allocates
GRBDA_EXPORT MotorSet torque_set(ConstMatrixRef J_m, ConstVectorRef u_max);

/// Computes the velocities {ẏ : |J_m ẏ| ≤ θ̇_max}. If there are fewer motors than coordinates, or J_m is
/// singular, the set is unbounded: its volumes and half widths are infinite. With more motors than
/// coordinates, `volume` is NaN: it is not computed.
/// in      J_m [k × m]; rate_max [k], positive and finite
/// errors  std::invalid_argument on a wrong size, limits that are not positive and finite, and for more
///         than 12 motors
/// cost    one factorization and 2^m vertices for each choice of m motors; allocates
GRBDA_EXPORT MotorSet speed_set(ConstMatrixRef J_m, ConstVectorRef rate_max);

/// Converts stiffnesses of motors, u = u_0 − K (θ − θ_0), to the stiffness K_y = −∂τ/∂y.
///   K_y = J_mᵀ K J_m − Σ (∂J_mᵀ/∂yᵢ u) eᵢᵀ
/// in      J_m [k × m]; rates: m matrices [k × m], ∂J_m/∂yᵢ; K [k] N·m/rad or N/m; u [k]: present torques
/// out     K_y [m × m] symmetric if J_m is a gradient
/// errors  std::invalid_argument on a wrong size
GRBDA_EXPORT Eigen::MatrixXd joint_stiffness(ConstMatrixRef J_m, const std::vector<Eigen::MatrixXd>& rates,
                                             ConstVectorRef K, ConstVectorRef u);

/// Converts damping of motors to D_y = J_mᵀ D J_m [m × m].
/// in      J_m [k × m]; D [k]
/// errors  std::invalid_argument on a wrong size
GRBDA_EXPORT Eigen::MatrixXd joint_damping(ConstMatrixRef J_m, ConstVectorRef D);

/// Gains of motors that replace gains of joints.
struct MotorGains {
    Eigen::VectorXd gains;  ///< [k], not negative
    double residual = 0;    ///< |J_mᵀ diag(gains) J_m − K_y| / |K_y|, Frobenius norm
};

/// Computes the diagonal gains of motors with the smallest residual of J_mᵀ diag(gains) J_m = K_y.
/// For a stiffness at torques u, add Σ (∂J_mᵀ/∂yᵢ u) eᵢᵀ to K_y first.
/// in      J_m [k × m]; K_y [m × m] symmetric
/// errors  std::invalid_argument on a wrong size, or numbers that are not finite
/// cost    iterative, O(k²) an iteration; allocates
GRBDA_EXPORT MotorGains motor_gains(ConstMatrixRef J_m, ConstMatrixRef K_y);

}  // namespace grbda
