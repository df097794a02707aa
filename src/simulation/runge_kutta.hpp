#pragma once

#include "joint_work.hpp"
#include "motion_energy.hpp"
#include "state.hpp"

// The classical rule of fourth order on the ways of all joints from q of the step, Θ' = dexp⁻¹(Θ) q̇, so that
// no quaternion needs to be mended. What the stages leave open of the loops is closed before q̇ and ÿ are
// found there: these are smooth functions of Θ, and the order stays. source  Hairer, Lubich, Wanner 2006,
// IV.8: Munthe-Kaas methods

namespace grbda::simulation {

class RungeKutta {
public:
    explicit RungeKutta(const Setting& setting);

    /// Results of move_freely() at the state, if they are known.
    struct Start {
        const Data<double>* data = nullptr;
        const VectorX<double>* tau_s = nullptr;
    };

    /// h seconds from the state.
    /// out     q_next, yd_next
    /// errors  undefined where a body turns too far in it; inaccurate where the balance of energy, whose work
    ///         is by the rule's own stages, is missed; those of dynamics and closing
    Result step(const Setting& setting, Data<double>& data, const State& state, const Controls& controls,
                double h, VectorX<double>& q_next, VectorX<double>& yd_next, const Start& start);

    // of the last step
    const Work& work() const { return work_; }
    const VectorX<double>& displacement() const { return total_way_; }  ///< of all joints
    EnergyBalance balance() const;

private:
    JointWork joint_work_;
    MotionEnergy before_, after_;
    Work work_, implicit_;
    VectorX<double> q_, yd_, total_gain_;             ///< per entry of q; of ẏ
    VectorX<double> tau_s_, way_, rate_, total_way_;  ///< per entry of q̇
};

}  // namespace grbda::simulation
