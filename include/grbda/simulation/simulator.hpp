#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "grbda/collision/collide.hpp"
#include "grbda/contact/contact.hpp"
#include "grbda/export.hpp"
#include "grbda/simulation/contact_solver.hpp"

// A robot in motion: forces, contacts, limits and friction over steps of time, its loops closed at the end of
// each to rounding. Free functions implement the step; this class owns the state and the memory.

namespace grbda {

/// The ground: absent, a plane, or uneven.
using Ground = std::variant<std::monostate, Plane, HeightField>;

/// Rule of a step.
enum class StepRule {
    semi_implicit,  ///< of first order; with contacts, limits and dry friction
    runge_kutta,    ///< of fourth order, for smooth motion alone: without these
    variational,    ///< of second order, likewise: the energy of what nothing drives does not drift
    adaptive        ///< of eighth order, likewise, in parts that keep the error below the tolerance
};

struct SimulatorOptions {
    double step = 1e-3;  ///< h, s
    StepRule rule = StepRule::semi_implicit;
    double tolerance =
        1e-8;  ///< adaptive: error of a part, of positions in rad or m, of ẏ relative to 1 + |ẏ|
    ContactModel contact = ContactModel::compliant;
    double friction = 1;            ///< of surfaces that say nothing
    double stiffness = 0;           ///< of compliant surfaces, N/m; 0: as hard as a step allows
    double dissipation = 0;         ///< τ of surfaces, s: their damping over their stiffness
    double recovery = 0.5;          ///< m/s or rad/s at most, at which overlap is undone
    int most_contacts = 64;         ///< deeper ones first
    bool contacts = true;           ///< false: bodies pass through the ground and one another
    bool self_collision = false;    ///< between bodies that no joint connects, apart as assembled
    bool limits = true;             ///< of joints
    bool passive = true;            ///< what Model::passive holds
    Table<double> servo_stiffness;  ///< per entry of q̇: N/m, N·m/rad; empty: no servos
    Table<double> servo_damping;    ///< per entry of q̇: N·s/m, N·m·s/rad; likewise

    /// Touches of shapes that collide() does not know together, such as collide_convex; null: none.
    int (*other_pairs)(const Placed& a, const Placed& b, double margin, std::span<Touch> touches) = nullptr;
};

/// A contact of the last step.
struct ContactState {
    std::uint64_t id = 0;  ///< of both shapes and the feature: the same from step to step
    Contact contact;       ///< where it was when the step began
    double gap = 0;        ///< m, then
    double friction = 0;
    Eigen::Vector3d impulse =
        Eigen::Vector3d::Zero();  ///< N·s over the step, along its axes: two tangents, normal
};

/// Forces and targets that act on the robot over a step. An empty member means none.
struct Controls {
    std::span<const double> tau_s;        ///< [nv_tree] forces of joints, N or N·m
    std::span<const double> target;       ///< [nv_tree] positions that servos hold, m or rad
    std::span<const double> target_rate;  ///< [nv_tree]
};

/// J
struct Energies {
    double kinetic = 0;
    double gravity = 0;  ///< zero at the world's origin
    double elastic = 0;  ///< of springs and tendons, where passive forces act; of servos and contacts none

    double sum() const { return kinetic + gravity + elastic; }
};

/// Balance of energy over a step, J. Work that takes energy from the robot is negative.
struct EnergyBalance {
    double change = 0;     ///< of kinetic energy and that of gravity
    double controls = 0;   ///< work of given forces and servos
    double passive = 0;    ///< work of springs, dampers, tendons and carried weights
    double impulses = 0;   ///< of contacts, limits and dry friction: what they change of the kinetic energy
    double repair = 0;     ///< work by which they undo overlap and drift, zero or more
    double violation = 0;  ///< by which energy grows beyond controls, passive forces and repair, at most

    /// Adds what comes before or after.
    void add(const EnergyBalance& other) {
        change += other.change;
        controls += other.controls;
        passive += other.passive;
        impulses += other.impulses;
        repair += other.repair;
        violation = violation > other.violation ? violation : other.violation;
    }
};

/// Outcome of a step.
struct StepOutcome {
    Result result;  ///< not ok: the state is that before the step, and contacts begin anew
    ContactOutcome contact;
    int contacts = 0;      ///< with a gap that it might close; of a step in parts the most in one
    bool crowded = false;  ///< there were more than most_contacts, in some part
    int parts = 1;         ///< that the step was taken in
    EnergyBalance energy;  ///< zero with the variational and the adaptive rule
};

namespace simulation {
struct State;
}

/// All that a simulation carries from one step to the next, impulses and time too: steps from it give equal
/// bits.
class GRBDA_EXPORT SimulatorState {
public:
    double time() const { return time_; }  ///< s

private:
    friend class Simulator;
    std::shared_ptr<const simulation::State> state_;
    double time_ = 0, step_ = 0;
    std::size_t layout_ = 0;  ///< of the model
};

/// One simulation. Functions of one that was moved from throw std::invalid_argument.
class GRBDA_EXPORT Simulator {
public:
    /// From the neutral configuration, at rest.
    /// errors  std::invalid_argument if the model was moved from; on options that mean nothing: a step
    ///         not above zero, servos of another size or below zero, contacts, limits or dry friction with
    ///         a rule that does not support them, inconsistent ground
    explicit Simulator(const Model& model, SimulatorOptions options = {}, const Ground& ground = {});
    ~Simulator();
    Simulator(Simulator&&) noexcept;
    Simulator& operator=(Simulator&&) noexcept;

    /// The robot with its dampers, springs and servos as armature.
    const Model& model() const;
    const SimulatorOptions& options() const;

    /// Starts anew from a state, without memory of contacts.
    /// in      q [nq] closing the loops; qd [nv_tree] that keeps to them; time, s
    /// errors  std::invalid_argument on a wrong size; Status::singular_constraint in any coordinates, or
    ///         not_finite: the state is as before then
    Result set_state(ConstVector<double> q, ConstVector<double> qd, double time = 0);

    /// A copy of the state, to go on from later; it allocates.
    SimulatorState state() const;
    /// errors  std::invalid_argument if it is of another robot or of another step
    void restore(const SimulatorState& state);

    const VectorX<double>& q() const;  ///< [nq]
    /// q̇ [nv_tree]; no hot path
    const VectorX<double>& velocity();
    double time() const;    ///< s
    long switches() const;  ///< how often a cluster has changed its coordinates
    std::span<const ContactState> contacts() const;

    /// One step, in parts where a body turns by more than 0.2 rad in it, where it fails, where energy grows
    /// by more than the work of all forces and repair, within 1e-6 of the kinetic energy, or where a body
    /// passes through the ground or a box of the world.
    /// errors  std::invalid_argument on a wrong size; Status::inaccurate, with the cluster that moves fastest
    ///         or that passes through, if 1024 parts do not suffice; what free_motion(), contact_inertia(),
    ///         integrate() and choose_coordinates() report
    /// cost    that of these; no allocation; deterministic: equal states and controls give equal bits
    StepOutcome step(const Controls& controls = {});

    /// Derivatives of the step that step() takes from here with these controls, through its contacts; it is
    /// not taken.
    ///   δx⁺ = A δx + B δτ_s      x = (y, ẏ), of q a change in the tangent, as integrate() moves it
    /// in the coordinates of chart(), which this chooses as step() would; the end is in the same ones
    /// out     A [2 nv × 2 nv], B [2 nv × nv_tree]
    /// errors  std::invalid_argument on a wrong size; Status::undefined where the step would be taken in
    ///         parts, or a contact that carries load separates under the perturbation, or the overlap
    ///         correction was suppressed; those of step(). NaN then
    /// cost    two steps for each column and each row of a contact, three for a force, without the solver; it
    ///         allocates
    Result step_derivatives(const Controls& controls, MatrixOut<double> A, MatrixOut<double> B);
    /// Coordinates that ẏ is made of at the state.
    const Chart& chart() const;

    /// At the state; NaN where velocities are not defined. No hot path.
    Energies energies();

private:
    class Work;
    Work& work() const;
    std::unique_ptr<Work> work_;
};

}  // namespace grbda
