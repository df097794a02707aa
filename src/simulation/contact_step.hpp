#pragma once

#include "runge_kutta.hpp"
#include "state.hpp"

// The semi-implicit rule of Euler with impulses: velocities at the end of a step, found together with the
// impulses of contacts, limits and dry friction, lead there. Where bodies turn fast, forces that turn with
// them would feed energy into a rule of first order: what happens without impulses is then by Runge and
// Kutta's.

namespace grbda::simulation {

class ContactStep {
public:
    explicit ContactStep(const Setting& setting);

    /// h seconds from the state, whose contacts become those of this step.
    /// out     q_next, yd_next
    /// errors  undefined where a body turns by more than 0.2 rad
    Result step(const Setting& setting, Data<double>& data, State& state, const Controls& controls, double h,
                VectorX<double>& q_next, VectorX<double>& yd_next, StepOutcome& outcome);

    // the parts of a step, one after the other

    /// Its motion without impulses, and the rows that it may need.
    Result prepare(const Setting& setting, Data<double>& data, State& state, const Controls& controls,
                   double h, StepOutcome& outcome);
    /// Impulses, from those of the step before; without rows there are none.
    Result solve(const Setting& setting, State& state, StepOutcome& outcome);
    /// Where they lead.
    Result finish(const Setting& setting, Data<double>& data, State& state, double h, VectorX<double>& q_next,
                  VectorX<double>& yd_next);

    // of the rows, after prepare()
    Eigen::Index rows() const { return rows_; }
    std::span<const RowLaw> laws() const { return laws_; }
    std::span<const int> joints() const { return joints_; }  ///< places in q̇, after the contacts
    auto inverse_inertia() const { return space_.inverse_inertia.topLeftCorner(rows_, rows_); }
    auto free() const { return free_.head(rows_); }  ///< u*
    auto impulses() { return impulses_.head(rows_); }
    const ContactSolver& solver() const { return solver_; }
    /// In solve() no overlap was undone, as it would have taken too much work.
    bool repairs_stopped() const { return repairs_stopped_; }

private:
    double work() const;
    Result move_smoothly(const Setting& setting, const Data<double>& data, State& state,
                         const Controls& controls, double h);
    Result find_rows(const Setting& setting, Data<double>& data, State& state, double h,
                     StepOutcome& outcome);
    Result leap(const Setting& setting, Data<double>& data, const VectorX<double>& q,
                const VectorX<double>& yd, double h, int cluster, double reach, VectorX<double>& q_next);

    ContactSpace<double> space_;
    ContactSolver solver_;
    Eigen::Index rows_ = 0;
    bool repairs_stopped_ = false;
    RungeKutta runge_kutta_;
    Data<double> smooth_data_;
    bool fast_ = false;              ///< the present step is by it
    VectorX<double> without_, way_;  ///< ẏ at the end without impulses, in axes of the start; way to there
    VectorX<double> q_smooth_, rate_;
    VectorX<double> change_, tau_s_;  ///< what impulses change of ẏ; forces of joints
    VectorX<double> impulses_, free_, velocity_;
    Table<Contact> touching_;
    Table<int> joints_;
    Table<RowLaw> laws_;
};

}  // namespace grbda::simulation
