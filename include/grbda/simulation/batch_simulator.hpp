#pragma once

#include <cstddef>

#include "grbda/simulation/simulator.hpp"

// Many simulations of one robot on several threads. Each gives the same bits as a Simulator, for any number
// of simulations and threads.

namespace grbda {

/// Summary of a call that steps several simulations.
struct [[nodiscard]] BatchOutcome {
    std::ptrdiff_t failures = 0;     ///< number of simulations with a failed step
    std::ptrdiff_t simulation = -1;  ///< index of the first of them; -1 without failures
    Status status = Status::ok;      ///< status of its failed step

    bool ok() const { return failures == 0; }
    explicit operator bool() const { return ok(); }
};

/// Parameters of one simulation of a batch, in place of those of the model and of SimulatorOptions. An empty
/// member changes nothing.
struct SimulationParameters {
    /// [10 (bodies + rods)] as those of inertial_parameters().
    std::span<const double> inertial_parameters = {};
    std::optional<Vector3<double>> gravity = {};  ///< m/s², world axes
    std::optional<double> friction = {};          ///< of the ground and surfaces without a coefficient
    std::span<const double> servo_stiffness = {}, servo_damping = {};  ///< [nv_tree]
    // [motors], see MotorOptions
    std::span<const double> motor_stiffness = {}, motor_damping = {}, motor_torque = {}, motor_speed = {},
                            motor_stall = {};
    std::optional<int> delay = {};  ///< steps, as SimulatorOptions::delay
};

/// Quantities that read_sensors() writes. Accelerations are means over the last step, so that they contain
/// impacts. Before the first step after set_state(), and after a step that failed, they are those of a step
/// that would start at the state, in which servos hold the joints and no other controls act.
enum class SensorKind {
    q,              ///< [nq]
    qd,             ///< q̇ [nv_tree]
    qdd,            ///< q̈ [nv_tree]
    yd,             ///< ẏ [nv], in the coordinates that the model chose
    ydd,            ///< ÿ [nv], likewise
    motor_torque,   ///< [motors] at the motors, in the last step, N·m or N
    motor_speed,    ///< [motors] at the motors, rad/s or m/s
    position,       ///< [3] of each frame, m, world axes
    orientation,    ///< [4] of each frame: quaternion x y z w, w ≥ 0
    velocity,       ///< [3] of each frame: of its origin, m/s, in its axes
    gyroscope,      ///< [3] of each frame: angular velocity, rad/s, in its axes
    accelerometer,  ///< [3] of each frame: acceleration of its origin less gravity, m/s², in its axes
    contact_force,  ///< [3] of each link: mean force of all contacts in the last step, N, world axes
    contact         ///< [1] of each link: 1 if a contact carried load in the last step, else 0
};

/// Destination of a sensor of all simulations. Numbers of simulation i begin at values + i · stride.
template <class T>
struct SensorOutput {
    SensorKind sensor = SensorKind::q;
    std::span<const int> frames =
        {};  ///< in Model::frames, for sensors of frames and links, one after another
    T* values = nullptr;
    std::ptrdiff_t stride = 0;  ///< in numbers
};

/// A ray in the world, see ray_cast().
struct Ray {
    Vector3<double> origin;     ///< m
    Vector3<double> direction;  ///< of any length above zero
};

/// Steps many independent simulations of one robot. Not thread-safe: call it from one thread at a time.
/// Functions of a moved-from object throw std::invalid_argument.
class GRBDA_EXPORT BatchSimulator {
public:
    /// Starts `count` simulations from the neutral configuration, at rest.
    /// in      threads  number of threads; at most one per core is used
    /// errors  std::invalid_argument if count or threads is below 1, or if the states need more memory than
    ///         this machine has; those of Simulator's constructor
    BatchSimulator(const Model& model, int count, SimulatorOptions options = {}, const Ground& ground = {},
                   int threads = 1);
    ~BatchSimulator();
    BatchSimulator(BatchSimulator&&) noexcept;
    BatchSimulator& operator=(BatchSimulator&&) noexcept;

    int count() const;
    const Model& model() const;
    const SimulatorOptions& options() const;

    /// Sets the state of one simulation as Simulator::set_state() does.
    /// errors  also std::invalid_argument if the index is out of range
    Result set_state(int simulation, ConstVectorRef q, ConstVectorRef qd, double time = 0);

    /// Sets the states of the marked simulations, on all threads. Loops are closed from q, in which the
    /// model's independent joints keep their positions; velocities follow from those of these joints. A
    /// simulation whose state cannot be set is left as it was.
    /// in      marked [count], nonzero: set it; empty: all. q [nq × count]; qd [nv_tree × count]; time, s
    /// out     statuses [count] or empty: of each simulation
    /// errors  std::invalid_argument on a wrong size; those of close_loops() and set_state()
    BatchOutcome set_states(std::span<const char> marked, ConstMatrixRef q, ConstMatrixRef qd,
                            double time = 0, std::span<Status> statuses = {});

    /// Changes parameters of one simulation; the others of its parameters stay. Its next steps equal, to the
    /// bit, those of a Simulator of with_inertial_parameters(model, …) with these options. State and contact
    /// impulses stay; a new delay forgets earlier controls. The first call makes a copy of the constants for
    /// each simulation and thread.
    /// errors  std::invalid_argument if the index is out of range, on a wrong size, and for numbers that
    ///         with_inertial_parameters() or Simulator's constructor refuse; nothing is changed then
    /// cost    O(bodies); allocates. A step of a batch with parameters copies parameter_bytes() for each
    ///         simulation
    void set_parameters(int simulation, const SimulationParameters& parameters);
    /// Returns one simulation to the parameters of the model and the options.
    void clear_parameters(int simulation);
    /// Memory of the parameters of each simulation, bytes; 0 before the first set_parameters().
    std::size_t parameter_bytes() const;

    /// Replaces the ground of all simulations, as Simulator::set_ground(). A moving ground is in each
    /// simulation where it is at the time of this simulation.
    void set_ground(const Ground& ground, const GroundMotion& motion = {});

    /// Returns a snapshot of one simulation, as Simulator::state(). Allocates.
    SimulatorState state(int simulation) const;
    /// Returns one simulation to a snapshot, also to that of another simulation or of a Simulator.
    /// errors  as Simulator::restore()
    void restore(int simulation, const SimulatorState& state);

    /// Advances all simulations by `steps` steps. A simulation whose step fails stops in the state before it.
    /// in      controls [count] or empty: those of each simulation, constant over all steps of the call
    /// out     outcomes [count] or empty: outcome of the last step of each simulation
    /// errors  std::invalid_argument on a wrong size
    /// cost    that of the steps; does not allocate with one thread
    BatchOutcome step(std::span<const Controls> controls = {}, int steps = 1,
                      std::span<StepOutcome> outcomes = {});

    /// Advances only the simulations first … first + count − 1. Controls and outcomes have `count` entries. A
    /// call for all simulations can thus be divided into shorter calls with the same results.
    BatchOutcome step_some(int first, int count, std::span<const Controls> controls = {}, int steps = 1,
                           std::span<StepOutcome> outcomes = {});

    /// Writes sensors of all simulations into the caller's memory, on all threads.
    /// in      outputs; memory for count() simulations at each
    /// errors  std::invalid_argument for a frame that does not exist or, of contacts, is no link, and for
    ///         null values; numbers of a simulation at a singular configuration are NaN, with its status
    /// cost    kinematics of each simulation, if an output needs it; does not allocate with one thread
    BatchOutcome read_sensors(std::span<const SensorOutput<double>> outputs);
    BatchOutcome read_sensors(std::span<const SensorOutput<float>> outputs);

    /// Finds where rays of all simulations meet the ground and shapes that collide, on all threads. A mesh
    /// is met at its convex hull, and not at all without one.
    /// in      rays [n · count], those of a simulation one after another; robot: its own shapes are met
    /// out     distances [n · count]: as of ray_cast(), in lengths of the direction; NaN if the kinematics
    ///         fail, with that status
    /// errors  std::invalid_argument if the sizes differ or are no multiple of count()
    /// cost    kinematics of each simulation, and all shapes for each ray; does not allocate with one thread
    BatchOutcome cast_rays(std::span<const Ray> rays, std::span<double> distances, bool robot = false);

    // Results of one simulation: see the functions of Simulator with the same names.
    const Eigen::VectorXd& q(int simulation) const;
    void velocity(int simulation, VectorRef qd);
    double time(int simulation) const;
    long switches(int simulation) const;
    std::span<const ContactState> contacts(int simulation) const;
    Energies energies(int simulation);
    std::span<const double> motor_torques(int simulation) const;

private:
    class Work;
    Work& work() const;
    std::unique_ptr<Work> work_;
};

}  // namespace grbda
