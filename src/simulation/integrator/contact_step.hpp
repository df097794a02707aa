#pragma once

#include "simulation/contact/contact_points.hpp"
#include "runge_kutta.hpp"
#include "simulation/state/state.hpp"

// The semi-implicit Euler rule with impulses. The velocities at the end of a step are computed together with
// the impulses of contacts, limits and dry friction, and move the robot over the step. If bodies rotate fast,
// forces that rotate with them would add energy in a first-order rule. The motion without impulses is then
// integrated by the Runge–Kutta rule. Steps without contacts choose this by the rate of rotation, so that
// their error decreases with the step.
//
// With constant M, J and forces F over a step, (M + X) Δẏ = h F + Jᵀ s and q⁺ = q + h ẏ⁺ change the kinetic
// energy by F · Δq + sᵀ u⁺ − ½ ‖Δẏ‖². X is the armature of implicit dampers and servos. The energy grows by
// no more than the work of the forces and of the impulses. Any further growth is due to changes of M, J and F
// during the step. On moving ground u is relative to the ground; the work of the ground, sᵀ times its
// velocity, is added.

namespace grbda::simulation {

class ContactStep {
public:
    explicit ContactStep(const Setting& setting);

    /// Takes a step of h seconds from the state, whose contacts become those of this step.
    /// out     q_next, yd_next
    /// errors  undefined if a body rotates by more than 0.2 rad, or sinks more than 1 mm further into
    ///         another; inaccurate if energy grows by more than the work on the robot, or if a body passes
    ///         through another
    Result step(const Setting& setting, Workspace<double>& data, State& state, const Controls& controls,
                double h, VectorX<double>& q_next, VectorX<double>& yd_next, StepOutcome& outcome);

    // the phases of a step, in this order

    /// Computes the motion without impulses, and the rows that it may need.
    /// in      finely  use the Runge–Kutta rule, however slowly bodies rotate
    Result prepare(const Setting& setting, Workspace<double>& data, State& state, const Controls& controls,
                   double h, bool finely, StepOutcome& outcome);
    /// Computes the impulses, starting from those of the previous step; empty without rows.
    Result solve(const Setting& setting, State& state, StepOutcome& outcome);
    /// Computes the state to which the impulses lead.
    Result finish(const Setting& setting, Workspace<double>& data, State& state, double h,
                  VectorX<double>& q_next, VectorX<double>& yd_next);

    // rows, after prepare()
    Eigen::Index rows() const { return rows_; }
    std::span<const RowLaw> laws() const { return laws_; }
    std::span<const int> joints() const { return joints_; }  ///< indices in q̇, after the contacts
    auto inverse_inertia() const { return space_.inverse_inertia.topLeftCorner(rows_, rows_); }
    auto free() const { return free_.head(rows_); }  ///< u*, relative to the ground at contacts with it
    /// Returns the mean velocity over the step minus the velocity at its end, without impulses. Along normals
    /// and at limits, v̂ is reduced by it, because it concerns the configuration at the end of the step.
    double shift(Eigen::Index row) const { return fine_ ? shift_[row] : 0; }
    auto impulses() { return impulses_.head(rows_); }
    const ContactSolver& solver() const { return solver_; }
    /// Returns whether the motion without impulses was integrated by the Runge–Kutta rule.
    bool fine() const { return fine_; }
    /// Returns whether solve() undid no overlap, because that would have taken too much work.
    bool repairs_stopped() const { return repairs_stopped_; }

private:
    Result attempt(const Setting& setting, Workspace<double>& data, State& state, const Controls& controls,
                   double h, bool finely, VectorX<double>& q_next, VectorX<double>& yd_next,
                   StepOutcome& outcome);
    double work() const;
    double added_work(const Setting& setting, double& repair) const;
    Result balance(const Setting& setting, const Workspace<double>& data, const State& state,
                   const VectorX<double>& q_next, EnergyBalance& balance);
    Result move_smoothly(const Setting& setting, const Workspace<double>& data, State& state,
                         const Controls& controls, double h);
    bool sinks(const Setting& setting, const Workspace<double>& data, const State& state) const;
    Result find_shift(const Setting& setting, const State& state, double h);
    void shift_laws(const SimulatorOptions& options, double h);
    void subtract_ground(const Model& model, const MovingGround& ground, const State& state, double h);
    Result find_rows(const Setting& setting, Workspace<double>& data, State& state, double h,
                     StepOutcome& outcome);
    Result leap(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                const VectorX<double>& yd, double h, int cluster, double reach, VectorX<double>& q_next);

    ContactSpace space_;
    ContactSolver solver_;
    ContactPoints points_;
    Eigen::Index rows_ = 0;
    bool repairs_stopped_ = false;
    RungeKutta runge_kutta_;
    Workspace<double> smooth_data_;
    JointWork joint_work_;
    Work implicit_;  ///< energy of implicit servos and dampers at the start
    MotionEnergy start_;
    bool fine_ = false;  ///< the present step uses the Runge–Kutta rule
    /// Fraction of the limits on rotations and energy for the first-order rule.
    double first_order_ = 1;
    /// The velocity ẏ at the end without impulses, in the axes at the start; displacement up to there.
    VectorX<double> without_, delta_;
    VectorX<double> q_smooth_, rate_;
    VectorX<double> displacement_;    ///< of all joints
    VectorX<double> change_, tau_s_;  ///< change of ẏ by the impulses; joint forces
    VectorX<double> impulses_, free_, velocity_, shift_, mean_;  ///< by rows; mean_ of ẏ
    VectorX<double> ground_velocity_;                            ///< by rows
    Displacement ground_moves_;                                  ///< over the step
    Table<Vector3<double>> ends_before_, ends_after_;            ///< of the axes of shapes
    Table<Contact> touching_;
    Table<int> joints_;
    Table<RowLaw> laws_;
};

}  // namespace grbda::simulation
