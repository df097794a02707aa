#pragma once

#include "state.hpp"

// The semi-implicit rule of Euler with impulses: velocities at the end of a step, found together with the
// impulses of contacts, limits and dry friction, lead there.

namespace grbda::simulation {

class ContactStep {
public:
    explicit ContactStep(const Setting& setting);

    /// h seconds from the state, whose contacts become those of this step.
    /// in      coarse  steps are taken in which a body turns by more than 0.2 rad; else they are undefined
    /// out     q_next, yd_next
    Result step(const Setting& setting, Data<double>& data, State& state, const Controls& controls, double h,
                bool coarse, VectorX<double>& q_next, VectorX<double>& yd_next, StepOutcome& outcome);

private:
    Result meet(const Setting& setting, Data<double>& data, State& state, double h, VectorX<double>& yd_next,
                StepOutcome& outcome);
    Result solve(const Setting& setting, Data<double>& data, State& state, double h, VectorX<double>& yd_next,
                 StepOutcome& outcome);

    ContactSpace<double> space_;
    ContactSolver solver_;
    VectorX<double> change_, tau_s_, impulses_, free_;
    Table<Contact> touching_;
    Table<int> joints_;
    Table<RowLaw> laws_;
};

}  // namespace grbda::simulation
