#pragma once

#include "grbda/simulation/options.hpp"

// Stores the controls of the last steps, which act with a delay.

namespace grbda::simulation {

class DelayedControls {
public:
    /// in      numbers of joint velocities and of motors
    DelayedControls(int velocities, int motors, int delay) : velocities_(velocities), motors_(motors) {
        set_delay(delay);
    }

    int delay() const { return delay_; }
    /// Forgets the controls if the delay changes. Allocates then.
    void set_delay(int delay);
    void forget() { count_ = 0; }

    /// Stores the controls of a step and returns those that act in it. Without a delay they are the same.
    Controls exchange(const Controls& controls);
    /// Removes the controls of a step that was not completed.
    void undo_exchange() {
        if (delay_ > 0) --count_;
    }

    /// Calls visit(member) for each member.
    template <class Self, class Visit>
    static void each_member(Self& self, Visit&& visit) {
        visit(self.velocities_);
        visit(self.motors_);
        visit(self.delay_);
        visit(self.count_);
        visit(self.values_);
    }

private:
    std::size_t size() const { return static_cast<std::size_t>(3 * (velocities_ + motors_)); }

    int velocities_, motors_;
    int delay_ = 0;
    long count_ = 0;        ///< number of steps since the state was set
    Table<double> values_;  ///< of delay + 1 steps: tau_s, target, target_rate, and those of the motors
};

}  // namespace grbda::simulation
