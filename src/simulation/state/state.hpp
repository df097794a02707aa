#pragma once

#include "simulation/force/delayed_controls.hpp"
#include "floating_momentum.hpp"
#include "simulation/contact/memory_of_contacts.hpp"
#include "setting.hpp"

// State that a simulation carries from one step to the next.

namespace grbda::simulation {

struct State {
    /// Starts in the neutral configuration at rest.
    explicit State(const Setting& setting);
    /// Creates an empty state, to be read from bytes.
    State() : chart(Model()), memory(0), momentum(Model()), delayed(0, 0, 0), fingerprint(0) {}

    VectorX<double> q;    ///< [nq]
    VectorX<double> yd;   ///< [nv]
    VectorX<double> ydd;  ///< [nv] mean over the last step; NaN before the first step
    Chart chart;          ///< coordinates of ẏ
    MemoryOfContacts memory;
    FloatingMomentum momentum;
    Table<ContactState> contacts;  ///< of the last step
    DelayedControls delayed;
    VectorX<double> motor_torques;  ///< of the last step [motors]
    std::size_t fingerprint;        ///< of the setting on which `momentum` depends
    double part = 0;                ///< s, proposed for the next part of an adaptive step; 0: none
    double start = 0;               ///< s, time from which steps are counted
    double elapsed = 0;             ///< s, in the completed parts of the present step
    long steps = 0;
    long switches = 0;  ///< number of coordinate changes

    double time(double step) const { return start + double(steps) * step + elapsed; }

    /// Calls visit(member) for each member.
    template <class Self, class Visit>
    static void each_member(Self& self, Visit&& visit) {
        visit(self.q);
        visit(self.yd);
        visit(self.ydd);
        auto& c = self.chart;
        visit(c.layout);
        visit(c.independent);
        visit(c.dependent);
        visit(c.blocks);
        visit(c.block_count);
        visit(c.block_lists);
        visit(c.inertia_floor);
        visit(c.basis);
        visit(c.tangent);
        visit(c.version);
        MemoryOfContacts::each_member(self.memory, visit);
        FloatingMomentum::each_member(self.momentum, visit);
        visit(self.contacts);
        DelayedControls::each_member(self.delayed, visit);
        visit(self.motor_torques);
        visit(self.fingerprint);
        visit(self.part);
        visit(self.start);
        visit(self.elapsed);
        visit(self.steps);
        visit(self.switches);
    }

    /// Copies another state, which may belong to another setting; keeps the delay.
    void follow(const State& other, const Setting& setting) {
        const int delay = delayed.delay();
        *this = other;
        delayed.set_delay(delay);
        update_constants(setting.fingerprint);
    }
    /// Updates the state after a change of the model's inertias, armature or gravity.
    void update_constants(std::size_t of_setting) {
        if (fingerprint != of_setting) momentum.forget();
        fingerprint = of_setting;
    }

    /// Discards the data of previous steps, because the state was set or a step was undone.
    void forget() {
        memory.forget();
        momentum.forget();
        part = 0;
    }
};

}  // namespace grbda::simulation
