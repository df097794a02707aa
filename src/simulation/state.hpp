#pragma once

#include "floating_momentum.hpp"
#include "memory_of_contacts.hpp"
#include "setting.hpp"

// State that a simulation carries from one step to the next.

namespace grbda::simulation {

struct State {
    /// Neutral, at rest.
    explicit State(const Setting& setting);

    VectorX<double> q;   ///< [nq]
    VectorX<double> yd;  ///< [nv]
    Chart chart;         ///< coordinates that ẏ is made of
    MemoryOfContacts memory;
    FloatingMomentum momentum;
    Table<ContactState> contacts;  ///< of the last step
    double part = 0;               ///< s, proposed for the next part of an adaptive step; 0: none
    double start = 0;              ///< s, at which steps are counted from
    long steps = 0;
    long switches = 0;  ///< of coordinates

    double time(double step) const { return start + double(steps) * step; }

    /// Discards data of the steps before: the state was set, or a step was taken back.
    void forget() {
        memory.forget();
        momentum.forget();
        part = 0;
    }
};

}  // namespace grbda::simulation
