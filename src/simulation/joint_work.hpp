#pragma once

#include "setting.hpp"

// Work of the forces of joints over a step. Forces are those at the start less what dampers and servos take
// from them there; what these do besides, as they are implicit, is a change of the kinetic energy of their
// armature.

namespace grbda::simulation {

/// J
struct Work {
    double controls = 0, passive = 0;

    double sum() const { return controls + passive; }
    void add(const Work& other, double weight) {
        controls += weight * other.controls;
        passive += weight * other.passive;
    }
};

class JointWork {
public:
    explicit JointWork(const Setting& setting);

    /// in      tau_s of move_freely() [nv_tree]; data as it left it, with the part of external wrenches
    void begin(const Setting& setting, const Data<double>& data, const VectorX<double>& q,
               const Controls& controls, const VectorX<double>& tau_s);
    /// Power at that state.
    Work power() const { return over(rate_); }
    /// Energy there of the armature that represents implicit servos and dampers.
    Work implicit_energy(const Setting& setting) const;
    /// Work over displacements of all joints [nv_tree] from there.
    Work over(const VectorX<double>& displacement) const;

private:
    VectorX<double> rate_;              ///< q̇, zero where no force acts
    VectorX<double> force_, controls_;  ///< of all joints; the controls' and servos' part
};

/// The same after kinematics with velocities.
Work implicit_energy(const Setting& setting, const Data<double>& data);

}  // namespace grbda::simulation
