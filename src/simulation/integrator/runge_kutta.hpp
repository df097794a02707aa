#pragma once

#include "joint_work.hpp"
#include "simulation/state/motion_energy.hpp"
#include "simulation/state/state.hpp"

// The classical fourth-order rule on the displacements of all joints from q at the start, Θ' = dexp⁻¹(Θ) q̇,
// so that no quaternion has to be normalized. Each stage closes the loops before it computes q̇ and ÿ. These
// are smooth functions of Θ, so that the order is preserved.
// source  Hairer, Lubich, Wanner 2006, IV.8: Munthe-Kaas methods

namespace grbda::simulation {

class RungeKutta {
public:
    explicit RungeKutta(const Setting& setting);

    /// Results of move_freely() at the state, if known.
    struct Start {
        const Workspace<double>* data = nullptr;
        const VectorX<double>* tau_s = nullptr;
    };

    /// Takes a step of h seconds from the state.
    /// out     q_next, yd_next
    /// errors  undefined if a body rotates too far; inaccurate if the energy balance, with the work from the
    ///         rule's own stages, exceeds its tolerance; those of dynamics and closing
    Result step(const Setting& setting, Workspace<double>& data, const State& state, const Controls& controls,
                double h, VectorX<double>& q_next, VectorX<double>& yd_next, const Start& start);

    // results of the last step
    const Work& work() const { return work_; }
    const VectorX<double>& displacement() const { return total_displacement_; }  ///< of all joints
    EnergyBalance balance() const;

private:
    JointWork joint_work_;
    MotionEnergy before_, after_;
    Work work_, implicit_;
    VectorX<double> q_, yd_, total_gain_;                               ///< per entry of q; of ẏ
    VectorX<double> tau_s_, displacement_, rate_, total_displacement_;  ///< per entry of q̇
};

}  // namespace grbda::simulation
