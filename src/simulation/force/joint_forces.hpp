#pragma once

#include <algorithm>
#include <utility>

#include "grbda/simulation/options.hpp"
#include "model/workspace.hpp"

// Forces of all joints over a step. Dampers and servos are implicit: they act on the joint's position and
// velocity at the end of the step, (M + Gᵀ (h d + h² k) G) Δẏ = h (…). This is additional armature on the
// joints, including dependent ones. Springs have the additional armature h² k / 4 and pull from their present
// position. With q⁺ = q + h q̇⁺ the eigenvalues of a step are then those of the implicit midpoint rule, so
// that springs lose no energy at any step size.

namespace grbda::simulation {

class JointForces {
public:
    /// Throws std::invalid_argument if servos have a wrong size, are negative, or act on joints with a
    /// quaternion.
    JointForces(const Model& model, const SimulatorOptions& options);

    /// Replaces the gains of servos [nv_tree].
    /// errors  as the constructor; the gains are then unchanged
    void set_servos(const Table<double>& stiffness, const Table<double>& damping);
    /// Returns whether a servo has a largest force.
    bool has_limits() const { return !limited_.empty(); }
    /// Sets gains that were valid before, here or in another object. Does not allocate.
    void copy_servos(const VectorX<double>& stiffness, const VectorX<double>& damping);
    /// Sets the gravity for gravity compensation.
    void set_gravity(const Vector3<double>& gravity) { model_.gravity = gravity; }
    const VectorX<double>& servo_stiffness() const { return servo_stiffness_; }
    const VectorX<double>& servo_damping() const { return servo_damping_; }

    /// Armature per entry of q̇: h d + h² k of dampers and servos, h² k / 4 of springs.
    const VectorX<double>& armature() const { return armature_; }
    /// Damping d + h k of dampers and servos per entry of q̇. Forces are those of sum() minus this times q̇.
    const VectorX<double>& damping() const { return damping_; }

    /// Computes τ_s [nv_tree]: the controls, springs at their present positions, tendons and gravity
    /// compensation. With external wrenches, data.tau_tree contains their part.
    Result sum(Workspace<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
               const Controls& controls, VectorX<double>& tau_s) const;
    /// Subtracts from τ_s the parts of the servo forces, less `damping` times the rates, that exceed their
    /// largest forces.
    template <class Rate>
    void limit_servos(const VectorX<double>& q, const Rate& rate, const VectorX<double>& damping,
                      const Controls& controls, VectorX<double>& tau_s) const;

    /// Computes τ_s of the controls and servos alone.
    void controlled(const VectorX<double>& q, const Controls& controls, VectorX<double>& tau_s) const;
    /// The part of damping() that is due to servos.
    const VectorX<double>& damping_of_servos() const { return damping_of_servos_; }
    const VectorX<double>& armature_of_servos() const { return armature_of_servos_; }
    const VectorX<double>& armature_of_passive() const { return armature_of_passive_; }

    /// Computes targets [nv_tree] with which servos hold the joints at their present positions.
    void hold(const VectorX<double>& q, Table<double>& targets) const {
        for (std::size_t v = 0; v < targets.size(); ++v) targets[v] = position_[v] < 0 ? 0 : q[position_[v]];
    }

    /// Returns the energy of springs and tendons, J.
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
    Result add_external(Workspace<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
                        std::span<const ExternalWrench> external, VectorX<double>& tau_s) const;
    Result add_carried(Workspace<double>& data, const VectorX<double>& q, const VectorX<double>& yd,
                       VectorX<double>& tau_s) const;

    Model model_;  ///< the passive forces that remain: tendons and gravity compensation
    PassiveForces passive_;
    VectorX<double> stiffness_, servo_stiffness_, servo_damping_, damping_, damping_of_servos_,
        armature_of_servos_, armature_of_passive_, armature_;  ///< per entry of q̇
    Table<int> position_;                                      ///< per entry of q̇: index in q
    Table<std::pair<int, double>> limited_;  ///< entries of q̇ with the largest force of their servo
    /// Duration over which dampers and servos are implicit; 0 if they are explicit.
    double step_;
    double half_step_ = 0;  ///< the same for springs
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
