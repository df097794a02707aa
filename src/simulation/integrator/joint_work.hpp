#pragma once

#include "simulation/state/setting.hpp"

// Work of the joint forces over a step. Forces are those at the start minus the forces of dampers and servos
// there. The remaining effect of dampers and servos, which are implicit, is a change of the kinetic energy of
// their armature.

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

    /// in      tau_s of move_freely() [nv_tree]; data as move_freely() left it, with the part of external
    ///         wrenches
    void begin(const Setting& setting, const Workspace<double>& data, const VectorX<double>& q,
               const Controls& controls, const VectorX<double>& tau_s);
    /// Returns the power at that state.
    Work power() const { return over(rate_); }
    /// Returns the energy, at that state, of the armature that represents implicit servos and dampers.
    Work implicit_energy(const Setting& setting) const;
    /// Returns the work over displacements of all joints [nv_tree] from that state.
    Work over(const VectorX<double>& displacement) const;

private:
    VectorX<double> rate_;              ///< q̇, zero if no force acts
    VectorX<double> force_, controls_;  ///< of all joints; the part of controls and servos
};

/// Returns the same energy after kinematics with velocities.
Work implicit_energy(const Setting& setting, const Workspace<double>& data);

}  // namespace grbda::simulation
