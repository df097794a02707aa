#pragma once

#include "grbda/simulation/simulator.hpp"

// Motors with a control law and limits. Their torques are found at the start of a step, and act on the joints
// that they drive, also on dependent ones: τ = Jᵀ τ_motor, see actuation_jacobian().

namespace grbda::simulation {

/// A motor and the joint velocity that it drives.
struct MotorDrive {
    int v = 0;             ///< place in q̇
    int q = 0;             ///< place in q; −1: the joint turns with a quaternion
    double reduction = 1;  ///< turns of the motor per turn of the joint
    double stiffness = 0, damping = 0;
    double torque = 0, speed = 0;  ///< limits; infinite: none
    double stall = 0;              ///< torque of the line at rest; 0: `torque`

    double line() const { return stall > 0 ? stall : torque; }
    /// Torque within the limits, at the speed of the motor.
    double limited(double tau, double omega) const;
};

class Motors {
public:
    /// Throws std::invalid_argument as set() does.
    Motors(const Model& model, const MotorOptions& options);

    int count() const { return static_cast<int>(drives_.size()); }
    /// They may act under these controls.
    bool act(const Controls& controls) const {
        return has_law_ || !controls.motor_tau.empty() || !controls.motor_target.empty() ||
               !controls.motor_target_rate.empty();
    }

    /// Replaces what the options contain.
    /// errors  std::invalid_argument on a wrong size, a number out of range, a stiffness of a joint that
    ///         turns with a quaternion, and a speed without a torque
    void set(const MotorOptions& options);

    /// Adds the torques to the forces of joints tau_s [nv_tree].
    /// out     torques [motors]
    void add(const VectorX<double>& q, const VectorX<double>& qd, const Controls& controls,
             VectorX<double>& tau_s, VectorX<double>& torques) const;

    /// Place in q̇ and reduction of each.
    const Table<MotorDrive>& drives() const { return drives_; }

private:
    void set(const char* what, const Table<double>& given, bool may_be_infinite, double MotorDrive::*member);

    Table<MotorDrive> drives_;
    bool has_law_ = false;
};

}  // namespace grbda::simulation
