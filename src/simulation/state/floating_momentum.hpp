#pragma once

#include <span>

#include "grbda/simulation/options.hpp"
#include "motion_energy.hpp"

// Momentum of floating bases. The momentum of a floating base and its descendants changes only by external
// forces. A rule of first order in ẏ, whose axes rotate, does not conserve it. A step therefore ends with the
// twist of the base that gives the required momentum at the new configuration, for any motion of the joints.
// The sums over all bodies also give the kinetic energy.

namespace grbda::simulation {

class FloatingMomentum {
public:
    explicit FloatingMomentum(const Model& model);

    /// Forgets the momentum, because the state was set.
    void forget() { known_ = false; }
    /// Computes momentum and energy before a step, unless they are known from the last one.
    Result begin(const Model& model, Workspace<double>& data, const VectorX<double>& q,
                 const VectorX<double>& yd);
    /// Computes ẏ after h seconds without impulses in the axes at the start, and its contribution to the
    /// accelerations of contacts. The rotation of the axes, a part of the componentwise derivative, is not
    /// motion.
    void straighten(const Model& model, const Workspace<double>& data, double h, VectorX<double>& yd) const;
    void straighten(const Model& model, const Workspace<double>& data, std::span<const Contact> contacts,
                    std::span<const int> joints, VectorX<double>& acceleration) const;
    /// Subtracts the velocities of the centres of mass of the bases from those of contacts, after kinematics
    /// with velocities.
    void subtract_centres(const Model& model, const Workspace<double>& data,
                          std::span<const Contact> contacts, VectorX<double>& velocities) const;
    /// Returns the centre of mass of the base of a body with its descendants, in the world, after begin();
    /// null without a base or mass.
    const Vector3<double>* centre(const Model& model, int body) const;
    /// Converts ẏ from the axes of bases at another configuration to their axes at q.
    void turn_axes(const Model& model, const VectorX<double>& q, const VectorX<double>& other,
                   VectorX<double>& yd) const;
    /// Applies the effects of h seconds, with data at the start: forces on the base and impulses of contacts.
    void act(const Model& model, const Workspace<double>& data, const VectorX<double>& tau_s,
             const VectorX<double>& damping, const VectorX<double>& yd,
             std::span<const ContactState> contacts, double h);
    /// Applies dry friction of the bases themselves: impulses of joints as in contact_inertia().
    void act(const Model& model, const Workspace<double>& data, std::span<const int> joints,
             const Eigen::Ref<const VectorX<double>>& impulses);
    /// Computes the parts of q and ẏ of the bases at the end, from those of the joints.
    Result end(const Model& model, Workspace<double>& data, double h, VectorX<double>& q,
               VectorX<double>& yd);
    /// The energy: after begin() that at the start, after end() that at the end.
    const MotionEnergy& energy() const { return energy_; }

    /// Calls visit(member) for each member.
    template <class Self, class Visit>
    static void each_member(Self& self, Visit&& visit) {
        visit(self.bases_);
        visit(self.fixed_);
        visit(self.energy_);
        visit(self.known_);
    }

private:
    void start_energy(const Model& model, const Workspace<double>& data);

    struct Base {
        int cluster = 0;
        Force<double> momentum;  ///< about the centre of mass
        Vector3<double> com;     ///< in the world; not finite without mass
    };
    Table<Base> bases_;
    Table<int> fixed_;  ///< clusters without a floating base
    MotionEnergy energy_;
    bool known_ = false;
};

}  // namespace grbda::simulation
