#pragma once

#include "grbda/simulation/options.hpp"

// Motors with a control law and limits. Their torques are computed at the start of a step and act on the
// joints that they drive, including dependent ones: τ = Jᵀ τ_motor, see actuation_jacobian().

namespace grbda::simulation {

/// A motor and the joint velocity that it drives.
struct MotorDrive {
    int v = 0;             ///< index in q̇
    int q = 0;             ///< index in q; −1 if the joint rotates with a quaternion
    double reduction = 1;  ///< turns of the motor per turn of the joint
    double stiffness = 0, damping = 0;
    double torque = 0, speed = 0;  ///< limits; infinite if unlimited
    double stall = 0;              ///< torque at zero speed on the torque–speed line; 0: `torque`

    double line() const { return stall > 0 ? stall : torque; }
    /// Returns the torque within the limits, at the speed of the motor.
    double limited(double tau, double omega) const;
};

class Motors {
public:
    /// Throws std::invalid_argument as set() does.
    Motors(const Model& model, const MotorOptions& options);

    int count() const { return static_cast<int>(drives_.size()); }
    /// Returns whether motors may act under these controls.
    bool act(const Controls& controls) const {
        return has_law_ || !controls.motor_tau.empty() || !controls.motor_target.empty() ||
               !controls.motor_target_rate.empty();
    }

    /// Replaces the control laws and limits by those of the options.
    /// errors  std::invalid_argument on a wrong size, a number out of range, a stiffness of a joint that
    ///         rotates with a quaternion, and a speed without a torque
    void set(const MotorOptions& options);

    /// Adds the torques to the forces of joints tau_s [nv_tree].
    /// out     torques [motors]
    void add(const VectorX<double>& q, const VectorX<double>& qd, const Controls& controls,
             VectorX<double>& tau_s, VectorX<double>& torques) const;

    /// The index in q̇ and the reduction of each motor.
    const Table<MotorDrive>& drives() const { return drives_; }

private:
    void set(const char* what, const Table<double>& given, bool may_be_infinite, double MotorDrive::*member);

    Table<MotorDrive> drives_;
    bool has_law_ = false;
};

}  // namespace grbda::simulation
