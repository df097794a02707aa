#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "grbda/collision/collide.hpp"
#include "grbda/contact/contact.hpp"
#include "grbda/export.hpp"
#include "grbda/simulation/contact_solver.hpp"

// Time stepping of a robot with forces, contacts, joint limits and dry friction. Each step ends with closed
// loops, up to rounding.

namespace grbda {

/// The ground: none (std::monostate), a plane, or uneven ground.
using Ground = std::variant<std::monostate, Plane, HeightField>;

/// Rigid motion of the ground with a constant twist: its point at p has the velocity
///   ṗ = linear + angular × p
/// in world axes, p from the world's origin. At time t the ground is where this motion has led in t − since
/// seconds from the pose that it is given in. A plane that moves along itself is a treadmill.
struct GroundMotion {
    Eigen::Vector3d linear = Eigen::Vector3d::Zero();   ///< m/s, of the point at the world's origin
    Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< rad/s
    double since = 0;                                   ///< s, time at which the ground has the given pose
};

/// Integration method of a step. Only semi_implicit supports contacts and dry friction; adaptive supports
/// limits too.
enum class StepRule {
    semi_implicit,  ///< first order; supports contacts, limits and dry friction
    runge_kutta,    ///< fourth order, for smooth motion
    variational,    ///< second order, for smooth motion; the energy of an undriven robot does not drift
    adaptive  ///< eighth order, for smooth motion; divides a step to keep its error below the tolerance;
              ///< joints stop at their limits
};

/// Control law and limits of motors; an empty member applies to none. Motors are those of
/// motor_coordinates(), in that order, except floating joints, which independent velocities may include.
/// All are those at the motor, before its gear: it turns by the reduction (Catalogue::reduction) times the
/// position of its joint, at ω. Its torque, N·m, or N of a slide, is constant over a step,
///   τ = clip(motor_tau + stiffness (motor_target − position) + damping (motor_target_rate − ω))
/// between −torque and torque, and by its line of torque over speed between −stall (1 + ω / speed) and
/// stall (1 − ω / speed). Motors are explicit: unlike servos they need steps that are short for their
/// stiffness and damping.
struct MotorOptions {
    Table<double> stiffness;  ///< N·m/rad or N/m
    Table<double> damping;    ///< N·m·s/rad or N·s/m
    Table<double> torque;     ///< largest torque in both directions; may be infinite
    Table<double> speed;      ///< speed at which no torque is left in its direction, rad/s; may be infinite
    Table<double> stall;      ///< torque of the line at rest, above zero; empty: equal to `torque`
};

/// Options of a simulation, fixed when it starts.
struct SimulatorOptions {
    double step = 1e-3;  ///< time step h, s
    StepRule rule = StepRule::semi_implicit;
    /// Largest error in one part of an adaptive step: of positions, rad or m; of ẏ, relative to 1 + |ẏ|.
    double tolerance = 1e-8;
    ContactModel contact = ContactModel::compliant;
    double friction = 1;          ///< coefficient of surfaces without a coefficient of their own
    double stiffness = 0;         ///< of compliant contacts, N/m; 0: as stiff as the step allows
    double dissipation = 0;       ///< damping of contacts divided by their stiffness, s
    double recovery = 0.5;        ///< largest speed of the overlap correction, m/s or rad/s
    int most_contacts = 64;       ///< largest number of contacts; beyond it the deepest are kept
    bool contacts = true;         ///< false: bodies pass through the ground and one another
    bool self_collision = false;  ///< contacts between bodies that no joint or loop connects and that do not
                                  ///< overlap at the neutral configuration
    bool limits = true;           ///< enforces joint limits
    bool passive = true;          ///< applies the forces of Model::passive
    Table<double> servo_stiffness;  ///< per entry of q̇: N/m, N·m/rad; empty: no servos
    Table<double> servo_damping;    ///< per entry of q̇: N·s/m, N·m·s/rad; empty: no servos
    Table<double> servo_force;      ///< per entry of q̇: largest force of the servo at the start of a step,
                                    ///< N, N·m, may be infinite; empty: no limits
    MotorOptions motors;
    /// Number of steps by which controls act late, except external wrenches. The first controls after
    /// set_state() act until then.
    int delay = 0;

    /// Finds touches of pairs of shapes that collide() does not support, such as collide_convex. Null: these
    /// pairs do not touch. Touch::feature must be between 0 and 65535.
    int (*other_pairs)(const Placed& a, const Placed& b, double margin, std::span<Touch> touches) = nullptr;
};

/// The options with the servos of the robot's files, Catalogue::servos, and their largest forces, the limits
/// of effort, in place of servos that they had.
GRBDA_EXPORT SimulatorOptions with_servos(const Model& model, SimulatorOptions options = {});

/// A contact of the last step.
struct ContactState {
    std::uint64_t id = 0;  ///< identifies both shapes and the feature; constant over steps
    Contact contact;       ///< location at the start of the step
    double gap = 0;        ///< distance of the shapes at the start of the step, m; negative: overlap
    double friction = 0;   ///< coefficient of friction
    /// Impulse of the step along Contact::axes (two tangents, normal), N·s.
    Eigen::Vector3d impulse = Eigen::Vector3d::Zero();
    /// Links of the shapes, in Model::frames: that of contact.body and of contact.other; −1: the ground, or a
    /// shape without a link.
    int link = -1, other_link = -1;
    bool ground = false;  ///< the other surface is the ground
};

/// A force, N, and a moment, N·m, on a frame at its origin, in world axes.
struct ExternalWrench {
    int frame = 0;  ///< of a body; rods take no external wrench
    Eigen::Vector3d force = Eigen::Vector3d::Zero();
    Eigen::Vector3d moment = Eigen::Vector3d::Zero();
};

/// Forces and targets, constant over a step. An empty member represents zeros.
struct Controls {
    std::span<const double> tau_s;                  ///< [nv_tree] joint forces, N or N·m
    std::span<const double> target;                 ///< [nv_tree] target positions of servos, m or rad
    std::span<const double> target_rate;            ///< [nv_tree] target velocities of servos, m/s or rad/s
    std::span<const ExternalWrench> external = {};  ///< any number; not with StepRule::variational
    // at the motors and in their order, see MotorOptions
    std::span<const double> motor_tau = {};          ///< [motors] torques, N·m or N
    std::span<const double> motor_target = {};       ///< [motors] target positions, rad or m
    std::span<const double> motor_target_rate = {};  ///< [motors] target velocities, rad/s or m/s
};

/// Energies of the robot, J.
struct Energies {
    double kinetic = 0;
    double gravity = 0;  ///< potential energy of gravity, zero at the world's origin
    double elastic = 0;  ///< of springs and tendons if passive forces are on; without servos and contacts

    double sum() const { return kinetic + gravity + elastic; }
};

/// Energy balance of a step, J. Work is negative if it takes energy from the robot.
struct EnergyBalance {
    double change = 0;     ///< of kinetic energy and potential energy of gravity
    double controls = 0;   ///< work of Controls: tau_s, servos and external wrenches
    double passive = 0;    ///< work of springs, dampers, tendons and carried weights
    double impulses = 0;   ///< change of kinetic energy due to contacts, limits and dry friction
    double repair = 0;     ///< work of these impulses that corrects overlap and drift, zero or more
    double ground = 0;     ///< work of the moving ground, a part of `impulses`: impulse times its velocity
    double violation = 0;  ///< largest energy gain in a part of the step that no work explains

    /// Adds the balance of an adjacent step.
    void add(const EnergyBalance& other) {
        change += other.change;
        controls += other.controls;
        passive += other.passive;
        impulses += other.impulses;
        repair += other.repair;
        ground += other.ground;
        violation = violation > other.violation ? violation : other.violation;
    }
};

/// Outcome of a step.
struct StepOutcome {
    Result result;  ///< if not ok, the state is that before the step, and the contact impulses are forgotten
    ContactOutcome contact;  ///< of the contact solver, over all parts
    int contacts = 0;        ///< closed or about to close; the largest number in a part
    bool crowded = false;    ///< some part had more contacts than most_contacts
    int parts = 1;           ///< number of parts into which the step was divided
    EnergyBalance energy;    ///< zero with StepRule::variational; only impulses with StepRule::adaptive
};

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
    Result set_state(ConstVector<double> q, ConstVector<double> qd, double time = 0);

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

    const VectorX<double>& q() const;  ///< configuration [nq]
    /// Computes q̇ [nv_tree] of all joints. Not for hot paths.
    const VectorX<double>& velocity();
    double time() const;  ///< time, s
    /// Computes the state at a time within the last step of StepRule::adaptive, by dense output of order 6.
    /// Loops are closed. At an impact on a joint limit it is the state before the impact.
    /// in      time, between the start of the step and time(), s
    /// out     q [nq], qd [nv_tree]
    /// errors  std::invalid_argument on a wrong size, with another rule, for a time outside the step, or if
    ///         the state was set since; those of close_loops()
    Result state_at(double time, VectorOut<double> q, VectorOut<double> qd);
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
    ///         act on the step; Status::undefined if the
    ///         step would be divided into parts, a contact that carries load separates under the
    ///         perturbation, or the overlap correction was suppressed; those of step(). A and B are NaN then
    /// cost    two steps without the contact solver for each column and each row of a contact, three for a
    ///         force; allocates
    Result step_derivatives(const Controls& controls, MatrixOut<double> A, MatrixOut<double> B);
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
