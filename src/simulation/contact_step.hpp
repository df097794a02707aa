#pragma once

#include "contact_points.hpp"
#include "runge_kutta.hpp"
#include "state.hpp"

// The semi-implicit rule of Euler with impulses: velocities at the end of a step, found together with the
// impulses of contacts, limits and dry friction, lead there. If bodies turn fast, forces that turn with
// them would feed energy into a rule of first order: what happens without impulses is then by Runge and
// Kutta's. Steps without contacts choose it by the rate of turning, so that their error falls with the step.
//
// With M, J and the forces F of a step fixed, (M + X) Δẏ = h F + Jᵀ s and q⁺ = q + h ẏ⁺ change the kinetic
// energy by F · Δq + sᵀ u⁺ − ½ ‖Δẏ‖², X being implicit dampers and servos: it grows by no more than the work
// of forces and what impulses add. Any growth beyond that comes from M, J and F that change during the step.
// On moving ground u is relative to the ground, and the ground's own work, sᵀ times its velocity, comes in
// addition.

namespace grbda::simulation {

class ContactStep {
public:
    explicit ContactStep(const Setting& setting);

    /// h seconds from the state, whose contacts become those of this step.
    /// out     q_next, yd_next
    /// errors  undefined where a body turns by more than 0.2 rad, or sinks further than 1 mm into another;
    ///         inaccurate where energy grows beyond what acts on the robot, or a body passes through another
    Result step(const Setting& setting, Data<double>& data, State& state, const Controls& controls, double h,
                VectorX<double>& q_next, VectorX<double>& yd_next, StepOutcome& outcome);

    // the parts of a step, one after the other

    /// Its motion without impulses, and the rows that it may need.
    /// in      finely  by Runge and Kutta's rule, however slowly bodies turn
    Result prepare(const Setting& setting, Data<double>& data, State& state, const Controls& controls,
                   double h, bool finely, StepOutcome& outcome);
    /// Impulses, starting from those of the step before; empty without rows.
    Result solve(const Setting& setting, State& state, StepOutcome& outcome);
    /// Where they lead.
    Result finish(const Setting& setting, Data<double>& data, State& state, double h, VectorX<double>& q_next,
                  VectorX<double>& yd_next);

    // of the rows, after prepare()
    Eigen::Index rows() const { return rows_; }
    std::span<const RowLaw> laws() const { return laws_; }
    std::span<const int> joints() const { return joints_; }  ///< places in q̇, after the contacts
    auto inverse_inertia() const { return space_.inverse_inertia.topLeftCorner(rows_, rows_); }
    auto free() const { return free_.head(rows_); }  ///< u*, relative to the ground at contacts with it
    /// Mean velocities over the step less those at its end, without impulses: v̂ is less by it along normals
    /// and at limits, as it is about where the step leads.
    double shift(Eigen::Index row) const { return fine_ ? shift_[row] : 0; }
    auto impulses() { return impulses_.head(rows_); }
    const ContactSolver& solver() const { return solver_; }
    /// Motion without impulses was by Runge and Kutta's rule.
    bool fine() const { return fine_; }
    /// In solve() no overlap was undone, as it would have taken too much work.
    bool repairs_stopped() const { return repairs_stopped_; }

private:
    Result attempt(const Setting& setting, Data<double>& data, State& state, const Controls& controls,
                   double h, bool finely, VectorX<double>& q_next, VectorX<double>& yd_next,
                   StepOutcome& outcome);
    double work() const;
    double added_work(const Setting& setting, double& repair) const;
    Result balance(const Setting& setting, const Data<double>& data, const State& state,
                   const VectorX<double>& q_next, EnergyBalance& balance);
    Result move_smoothly(const Setting& setting, const Data<double>& data, State& state,
                         const Controls& controls, double h);
    bool sinks(const Setting& setting, const Data<double>& data, const State& state) const;
    Result find_shift(const Setting& setting, const State& state, double h);
    void shift_laws(const SimulatorOptions& options, double h);
    void subtract_ground(const Model& model, const MovingGround& ground, const State& state, double h);
    Result find_rows(const Setting& setting, Data<double>& data, State& state, double h,
                     StepOutcome& outcome);
    Result leap(const Setting& setting, Data<double>& data, const VectorX<double>& q,
                const VectorX<double>& yd, double h, int cluster, double reach, VectorX<double>& q_next);

    ContactSpace<double> space_;
    ContactSolver solver_;
    ContactPoints points_;
    Eigen::Index rows_ = 0;
    bool repairs_stopped_ = false;
    RungeKutta runge_kutta_;
    Data<double> smooth_data_;
    JointWork joint_work_;
    Work implicit_;  ///< energy of implicit servos and dampers at the start
    MotionEnergy start_;
    bool fine_ = false;              ///< the present step is by it
    double first_order_ = 1;         ///< fraction of the limits on turns and energy for first order
    VectorX<double> without_, way_;  ///< ẏ at the end without impulses, in axes of the start; way to there
    VectorX<double> q_smooth_, rate_;
    VectorX<double> displacement_;    ///< of all joints
    VectorX<double> change_, tau_s_;  ///< what impulses change of ẏ; forces of joints
    VectorX<double> impulses_, free_, velocity_, shift_, mean_;  ///< by rows; mean_ of ẏ
    VectorX<double> ground_velocity_;                            ///< by rows
    Displacement ground_moves_;                                  ///< over the step
    Table<Vector3<double>> ends_before_, ends_after_;            ///< of the axes of shapes
    Table<Contact> touching_;
    Table<int> joints_;
    Table<RowLaw> laws_;
};

}  // namespace grbda::simulation
