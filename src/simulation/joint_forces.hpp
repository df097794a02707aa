#pragma once

#include <algorithm>
#include <utility>

#include "grbda/simulation/simulator.hpp"

// Forces of all joints over a step. Dampers and servos act on what the joint will have done by the end of the
// step: (M + Gᵀ (h d + h² k) G) Δẏ = h (…), which more armature on the joints says, dependent ones too.
// Springs have h² k / 4 more armature and pull from where they are: with q⁺ = q + h q̇⁺ the eigenvalues of a
// step are those of the implicit midpoint rule, so that springs lose no energy at any step.

namespace grbda::simulation {

class JointForces {
public:
    /// Throws std::invalid_argument on servos of a wrong size, below zero, or on joints with a quaternion.
    JointForces(const Model& model, const SimulatorOptions& options);

    /// Replaces the gains of servos [nv_tree]. errors  as the constructor; the gains are unchanged then
    void set_servos(const Table<double>& stiffness, const Table<double>& damping);
    /// Some servo has a largest force.
    bool has_limits() const { return !limited_.empty(); }
    /// The same with gains that were set before, here or in another object. Does not allocate.
    void take_servos(const VectorX<double>& stiffness, const VectorX<double>& damping);
    /// Of weights that are carried.
    void set_gravity(const Vector3<double>& gravity) { model_.gravity = gravity; }
    const VectorX<double>& servo_stiffness() const { return servo_stiffness_; }
    const VectorX<double>& servo_damping() const { return servo_damping_; }

    /// Per entry of q̇: h d + h² k of dampers and servos, where these act in the middle of a step with half
    /// of it; h² k / 4 of springs.
    const VectorX<double>& armature() const { return armature_; }
    /// d + h k of dampers and servos per entry of q̇: forces are those of sum() less this times q̇.
    const VectorX<double>& damping() const { return damping_; }

    /// τ_s [nv_tree] of the controls, of springs where they are, and of tendons and weights. With external
    /// wrenches, data.qdd holds their part.
    Result sum(Data<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
               const Controls& controls, VectorX<double>& tau_s) const;
    /// Adds to τ_s what the largest forces of servos take off their forces, less `damping` times the rates.
    template <class Rate>
    void limit_servos(const VectorX<double>& q, const Rate& rate, const VectorX<double>& damping,
                      const Controls& controls, VectorX<double>& tau_s) const;

    /// All that acts on joints at q and q̇, whether or not these close the loops: dampers too, but no weights.
    void at(const VectorX<double>& q, const VectorX<double>& qd, const Controls& controls,
            VectorX<double>& tau_s) const;

    /// Controls and servos alone.
    void controlled(const VectorX<double>& q, const Controls& controls, VectorX<double>& tau_s) const;
    /// Their part of damping(), and of armature().
    const VectorX<double>& damping_of_servos() const { return damping_of_servos_; }
    const VectorX<double>& armature_of_servos() const { return armature_of_servos_; }
    const VectorX<double>& armature_of_passive() const { return armature_of_passive_; }

    /// Targets [nv_tree] with which servos hold the joints where they are.
    void hold(const VectorX<double>& q, Table<double>& targets) const {
        for (std::size_t v = 0; v < targets.size(); ++v) targets[v] = position_[v] < 0 ? 0 : q[position_[v]];
    }

    /// Energy of springs and tendons, J.
    double elastic_energy(const VectorX<double>& q) const;

private:
    void set_limits(const Table<double>& force);
    void sum_gains();
    void split_armature();
    void add_given(const VectorX<double>& q, const Controls& controls, VectorX<double>& tau_s) const;
    void add_controls(const VectorX<double>& q, const Controls& controls, VectorX<double>& tau_s) const;
    void add_springs(const VectorX<double>& q, VectorX<double>& tau_s) const;
    double servo_force(int v, const VectorX<double>& q, const Controls& controls) const;
    void add_servos(const VectorX<double>& q, const Controls& controls, VectorX<double>& tau_s) const;
    Result add_external(Data<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
                        std::span<const ExternalWrench> external, VectorX<double>& tau_s) const;
    Result add_carried(Data<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
                       VectorX<double>& tau_s) const;

    Model model_;  ///< what is left passive: tendons and weights
    PassiveForces passive_;
    VectorX<double> stiffness_, servo_stiffness_, servo_damping_, plain_damping_, damping_,
        damping_of_servos_, armature_of_servos_, armature_of_passive_, armature_;  ///< per entry of q̇
    Table<int> position_;                                                          ///< per entry of q̇: in q
    Table<std::pair<int, double>> limited_;  ///< entries of q̇ with the largest force of their servo
    double step_;                            ///< over which dampers and servos are implicit; 0: they are not
    double half_step_ = 0;                   ///< likewise of springs
    bool passive_acts_, springs_ = false, servos_ = false, carries_ = false;
};

template <class Rate>
void JointForces::limit_servos(const VectorX<double>& q, const Rate& rate, const VectorX<double>& damping,
                               const Controls& controls, VectorX<double>& tau_s) const {
    for (const auto& [v, largest] : limited_) {
        const double force = servo_force(v, q, controls) - damping[v] * rate(v);
        tau_s[v] += std::clamp(force, -largest, largest) - force;
    }
}

}  // namespace grbda::simulation
