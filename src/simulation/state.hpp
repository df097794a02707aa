#pragma once

#include "delayed_controls.hpp"
#include "floating_momentum.hpp"
#include "memory_of_contacts.hpp"
#include "setting.hpp"

// State that a simulation carries from one step to the next.

namespace grbda::simulation {

struct State {
    /// Neutral, at rest.
    explicit State(const Setting& setting);
    /// Empty, to be read from bytes.
    State() : chart(Model()), memory(0), momentum(Model()), delayed(0, 0, 0), fingerprint(0) {}

    VectorX<double> q;    ///< [nq]
    VectorX<double> yd;   ///< [nv]
    VectorX<double> ydd;  ///< [nv] mean over the last step; NaN: no step has found it
    Chart chart;          ///< coordinates that ẏ is made of
    MemoryOfContacts memory;
    FloatingMomentum momentum;
    Table<ContactState> contacts;  ///< of the last step
    DelayedControls delayed;
    VectorX<double> motor_torques;  ///< of the last step [motors]
    std::size_t fingerprint;        ///< of the setting on which `momentum` depends
    double part = 0;                ///< s, proposed for the next part of an adaptive step; 0: none
    double start = 0;               ///< s, at which steps are counted from
    double elapsed = 0;             ///< s, in the parts of the present step that are done
    long steps = 0;
    long switches = 0;  ///< of coordinates

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

    /// Copies another state, which another setting may have led to; keeps the delay.
    void follow(const State& other, const Setting& setting) {
        const int delay = delayed.delay();
        *this = other;
        delayed.set_delay(delay);
        take_constants(setting.fingerprint);
    }
    /// The model's inertias, armature or gravity may have changed.
    void take_constants(std::size_t of_setting) {
        if (fingerprint != of_setting) momentum.forget();
        fingerprint = of_setting;
    }

    /// Discards data of the steps before: the state was set, or a step was taken back.
    void forget() {
        memory.forget();
        momentum.forget();
        part = 0;
    }
};

}  // namespace grbda::simulation
