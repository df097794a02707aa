#pragma once

#include <span>

#include "grbda/simulation/simulator.hpp"
#include "motion_energy.hpp"

// Momentum of what hangs on floating bases alone changes by what acts from outside, and by that only. A rule
// of first order in ẏ, whose axes turn, loses it: a step ends with the twist of the base for which momentum
// is what it has to be at the new configuration, whatever the joints do. The sums over all bodies that this
// takes give the energy of the motion as well.

namespace grbda::simulation {

class FloatingMomentum {
public:
    explicit FloatingMomentum(const Model& model);

    /// The state was set: momentum follows from it.
    void forget() { known_ = false; }
    /// Before a step, where momentum and energy are not known from the last one.
    Result begin(const Model& model, Data<double>& data, const VectorX<double>& q, const VectorX<double>& yd);
    /// ẏ after h seconds without impulses in the axes of the start, and what that adds to accelerations of
    /// contacts: of the componentwise derivative the turning of the axes is no motion.
    void straighten(const Model& model, const Data<double>& data, double h, VectorX<double>& yd) const;
    void straighten(const Model& model, const Data<double>& data, std::span<const Contact> contacts,
                    std::span<const int> joints, VectorX<double>& acceleration) const;
    /// Velocities of contacts relative to the centres of mass of the bases, after kinematics with velocities.
    void subtract_centres(const Model& model, const Data<double>& data, std::span<const Contact> contacts,
                          VectorX<double>& velocities) const;
    /// Centre of mass of what hangs on the base of a body, in the world, after begin(); null without a base
    /// or mass.
    const Vector3<double>* centre(const Model& model, int body) const;
    /// ẏ in the axes that bases have at q, from those that they have at another.
    void turn_axes(const Model& model, const VectorX<double>& q, const VectorX<double>& other,
                   VectorX<double>& yd) const;
    /// Applies what acts over h seconds, data being at the start: forces on the base, impulses of contacts.
    void act(const Model& model, const Data<double>& data, const VectorX<double>& tau_s,
             const VectorX<double>& damping, const VectorX<double>& yd,
             std::span<const ContactState> contacts, double h);
    /// Applies impulses of joints, given as in contact_inertia(), to bases themselves: their dry friction.
    void act(const Model& model, const Data<double>& data, std::span<const int> joints,
             const Eigen::Ref<const VectorX<double>>& impulses);
    /// At the end, q and ẏ being those of the joints: the bases' parts of both.
    Result end(const Model& model, Data<double>& data, double h, VectorX<double>& q, VectorX<double>& yd);
    /// After begin() that of the start, after end() that of the end.
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
    void start_energy(const Model& model, const Data<double>& data);

    struct Base {
        int cluster = 0;
        Force<double> momentum;  ///< about the centre of mass
        Vector3<double> com;     ///< in the world; not finite without mass
    };
    Table<Base> bases_;
    Table<int> fixed_;  ///< clusters that hang on no base
    MotionEnergy energy_;
    bool known_ = false;
};

}  // namespace grbda::simulation
