#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>

#include "grbda/collision/collide.hpp"
#include "grbda/dynamics/contact_inertia.hpp"
#include "grbda/export.hpp"
#include "grbda/simulation/contact_solver.hpp"

// Options, inputs and outcomes of a simulation.

namespace grbda {

/// The ground: none (std::monostate), a plane, or uneven ground.
using Ground = std::variant<std::monostate, Plane, HeightField>;

/// Rigid motion of the ground with a constant twist: its point at p has the velocity
///   ṗ = linear + angular × p
/// in world axes, p from the world's origin. At time t the ground has moved for t − since seconds from the
///    given pose. A plane that moves along itself is a treadmill.
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
    Table<double> speed;      ///< speed at which no torque remains in its direction, rad/s; may be infinite
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

/// Returns the options with the servos of the robot's files, Catalogue::servos, and with their effort limits
/// as largest forces. They replace the servos of the given options.
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
    std::span<const ExternalWrench> external = {};  ///< any number
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
    EnergyBalance energy;    ///< only impulses with StepRule::adaptive
};

}  // namespace grbda
