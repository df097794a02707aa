#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "grbda/export.hpp"
#include "grbda/simulation/options.hpp"

// Time stepping of a robot with forces, contacts, joint limits and dry friction. Each step ends with closed
// loops, up to rounding.

namespace grbda {

namespace simulation {
struct Setting;
struct State;
}  // namespace simulation

/// Snapshot of a simulation, including time and contact impulses. Steps from a restored snapshot reproduce
/// the results bit by bit.
class GRBDA_EXPORT SimulatorState {
public:
    SimulatorState() = default;
    double time() const { return time_; }  ///< s

    /// Returns the snapshot as bytes, which fit the same version of the library on the same kind of machine.
    /// errors  std::invalid_argument if it is empty
    std::string bytes() const;
    /// errors  std::invalid_argument if bytes() did not write them
    static SimulatorState from_bytes(std::string_view bytes);

private:
    friend class Simulator;
    friend class BatchSimulator;
    SimulatorState(const simulation::Setting& setting, const simulation::State& state);
    /// Throws std::invalid_argument if it belongs to another robot or another time step.
    const simulation::State& fitting(const simulation::Setting& setting) const;

    std::shared_ptr<const simulation::State> state_;
    double time_ = 0, step_ = 0;
    std::size_t layout_ = 0;  ///< identifies the model
};

/// Simulates one robot. Functions of a moved-from object throw std::invalid_argument.
class GRBDA_EXPORT Simulator {
public:
    /// Starts from the neutral configuration, at rest.
    /// errors  std::invalid_argument if the model was moved from, or on invalid options: a step that is not
    ///         positive, servos of a wrong size or with negative entries, an inconsistent ground, or
    ///         contacts, limits or dry friction with a rule that does not support them, or if its contacts
    ///         and delay need more memory than this machine has
    explicit Simulator(const Model& model, SimulatorOptions options = {}, const Ground& ground = {});
    ~Simulator();
    Simulator(Simulator&&) noexcept;
    Simulator& operator=(Simulator&&) noexcept;

    /// The model used for stepping: the robot, with armature added for dampers, springs and servos.
    const Model& model() const;
    const SimulatorOptions& options() const;

    /// Sets the state and forgets the contact impulses.
    /// in      q [nq] that closes the loops; qd [nv_tree] consistent with them; time, s
    /// errors  std::invalid_argument on a wrong size; Status::singular_constraint if every choice of
    ///         coordinates is singular at q; Status::not_finite. The state is then unchanged
    Result set_state(ConstVectorRef q, ConstVectorRef qd, double time = 0);

    /// Returns a snapshot for restore(). Allocates.
    SimulatorState state() const;
    /// Returns to a snapshot.
    /// errors  std::invalid_argument if it belongs to another robot or another time step
    void restore(const SimulatorState& state);

    /// Replaces the ground and its motion, from the next step on. Contacts keep their impulses and points;
    /// bodies are moved out of ground that was replaced by a higher one as out of other overlap. The pose of
    /// a moving ground follows from time(), also after set_state() and restore(). Its velocity enters the
    /// contact law. GroundMotion::since is 0 by default: ground that is set later is displaced at once by its
    /// motion until then. With since = time() it starts from the given pose.
    /// errors  std::invalid_argument as the constructor, or if the motion is not finite; nothing is changed
    ///         then
    /// cost    that of a copy; does not allocate for a height field of the same size
    void set_ground(const Ground& ground, const GroundMotion& motion = {});

    const Eigen::VectorXd& q() const;  ///< configuration [nq]
    /// Computes q̇ [nv_tree] of all joints. Not for hot paths.
    const Eigen::VectorXd& velocity();
    double time() const;  ///< time, s
    /// Computes the state at a time within the last step of StepRule::adaptive, by dense output of order 6.
    /// Loops are closed. At an impact on a joint limit it is the state before the impact.
    /// in      time, between the start of the step and time(), s
    /// out     q [nq], qd [nv_tree]
    /// errors  std::invalid_argument on a wrong size, with another rule, for a time outside the step, or if
    ///         the state was set since; those of close_loops()
    Result state_at(double time, VectorRef q, VectorRef qd);
    long switches() const;  ///< number of changes of independent coordinates, over all clusters
    std::span<const ContactState> contacts() const;  ///< contacts of the last step

    /// Advances the simulation by one time step. The step is divided into up to 8192 parts if in it
    /// - a body turns by more than 0.2 rad, or contacts let it sink more than 1 mm into another,
    /// - a body passes through the ground or through a box fixed in the world,
    /// - energy grows by more than the work of all forces and corrections and 1e-6 of the kinetic energy, or
    /// - an algorithm fails.
    /// errors  std::invalid_argument on a wrong size; if 8192 parts do not suffice, Status::not_converged
    ///         in the first case, and Status::inaccurate with the cluster that passes through or moves
    ///         fastest in the second and third; those of free_motion(), contact_inertia(), integrate() and
    ///         choose_coordinates()
    /// cost    that of these four; no allocation, except by the adaptive rule; equal states and controls give
    ///         equal bits
    StepOutcome step(const Controls& controls = {});

    /// Torques of the motors in the last step, at the motors [motors]; zero before the first.
    std::span<const double> motor_torques() const;

    /// Computes the derivatives of the next step, including its contacts, without taking the step.
    ///   δx⁺ = A δx + B δτ_s      x = (y, ẏ); δy is a displacement along the constraints, see integrate()
    /// Coordinates are those of chart(), which are chosen as in step(), at the start and at the end.
    /// out     A [2 nv × 2 nv], B [2 nv × nv_tree]
    /// errors  std::invalid_argument on a wrong size, with StepRule::adaptive, or with motors or a delay that
    ///         act on the step; Status::undefined if the step would be divided into parts, a contact that
    ///         carries load separates under the perturbation, or the overlap correction was suppressed; those
    ///         of step(). A and B are NaN then
    /// cost    two steps without the contact solver for each column and each row of a contact, three for a
    ///         force; allocates
    Result step_derivatives(const Controls& controls, MatrixRef A, MatrixRef B);
    /// Returns the independent coordinates at the current state, those of ẏ.
    const Chart& chart() const;

    /// Computes the energies at the current state; NaN if the constraints are singular. Not for hot paths.
    Energies energies();

private:
    class Work;
    Work& work() const;
    std::unique_ptr<Work> work_;
};

}  // namespace grbda
