#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "grbda/constraints/actuation.hpp"
#include "grbda/constraints/constraint_forces.hpp"
#include "grbda/search/search.hpp"
#include "grbda/simulation/simulator.hpp"

// The robot that the page shows: its configuration, and the numbers that are drawn.

namespace grbda::view {

/// Buffers that the page reads, in the order of view_layout(). Each is a vector of the robot.
enum class ViewBuffer {
    q,          ///< double [nq]
    poses,      ///< float [12 × bodies]: three axes, position; by bodies in the order of q
    loop_ends,  ///< float [6 × loops]: P and Q in the world
    condition,  ///< double [3 × clusters]: rcond in the model's coordinates, in the best ones, 1 where loops
                ///< close it
    loop_forces,  ///< float [7 × loops]: force on the successor in the world, N; the part of it that statics
                  ///< determines; how many of its three components that is
    joint_forces,  ///< float [7 × bodies]: the same of the force on the body through its joint
    motor_forces,  ///< double [motors]: N, N·m
    figures,       ///< double: see Figure
    qd,            ///< double [nv_tree]: velocities of all joints; the page may write it
    controls,      ///< double [nv_tree]: forces of motors on their joints, N, N·m; the page may write it
    wrenches,      ///< double [6 × bodies]: of contacts and of the spring, in the order of Model::bodies, as
                   ///< aba() takes them; the page may write it
    stops,         ///< float [bodies]: share of a joint in what stops the last drag: positive: its limit,
                   ///< negative: its lock, 0: none
    target,        ///< double [nq]: the pose that a simulation holds
    contact_points  ///< float [6 × contacts]: position and force in the world, of the last step
};
inline constexpr int buffer_count = 14;

/// Numbers of one kind each.
enum Figure {
    residual,
    gap,
    time_simulated,
    kinetic,
    gravity_energy,
    elastic,
    motors_status,
    undriven,
    redundant,
    contacts,
    figure_count
};

struct Robot {
    explicit Robot(Model loaded);

    Model model;
    Data data;
    std::vector<int> order, place;  ///< bodies in the order of q, and the inverse
    std::vector<char> locked;       ///< per body of the model
    VectorX<double> q, shown;       ///< q is also written by the page; shown: as it was published last
    VectorX<double> last_motion;    ///< [nv_tree] of the last move that succeeded
    std::optional<Simulator> simulator;
    Ground ground;           ///< of the simulator
    bool hold = false;       ///< whether simulations hold a pose
    VectorX<double> target;  ///< [nq] the pose that is held
    VectorX<double> qd, controls;
    Matrix6X<double> wrenches;

    Determinacy determinacy;

    std::vector<float> poses, loop_ends, loop_forces, joint_forces, stops, contact_points;
    std::vector<double> condition, motor_forces, figures;
    std::array<unsigned, 2 * buffer_count> layout{};

    /// Writes poses, loop ends, conditions and the residual of q.
    void publish();
    /// The body of the model at this place in the order of q; world for −1.
    int body_at(int index) const { return index < 0 ? world : order.at(static_cast<std::size_t>(index)); }
    void describe_layout();
};

/// The robot that view_load() has loaded last; null before.
Robot* shown_robot();

/// Sizes of a robot as `grbda info` reports them: rods are not among its bodies.
struct Sizes {
    int bodies = 0, rods = 0, dof = 0, clusters = 0;
};
/// JSON for the page.
std::string description_of(const Robot& robot, const Sizes& sizes);
std::string findings_of(const Diagnostics& diagnostics);

Result move_joint(Robot& robot, int v, double delta);
SearchResult drag(Robot& robot, int body, const Eigen::Vector3d& point, const Eigen::Vector3d& target,
                  bool turn, int iterations);
/// Whether a body's joint is fixed during the drag: it is locked, or a floating base that is not dragged
/// itself.
bool stays(const Robot& robot, int body, int dragged);
/// Writes to `stops` which limits and locks keep a drag that has ended from its target.
void find_stops(Robot& robot, int body, const Eigen::Vector3d& point, const Eigen::Vector3d& target,
                const std::optional<Eigen::Matrix3d>& orientation);
/// Closes the loops near `wanted` and shows that.
SearchResult show_configuration(Robot& robot, const VectorX<double>& wanted);
/// Computes the forces at rest, or in the motion that q, qd, controls and wrenches determine.
Status compute_forces(Robot& robot, bool moving);

/// A spring between a point of a body and a target in the world.
struct Spring {
    int body = world;
    Eigen::Vector3d point, target;
};
/// Adds servos that hold the pose shown to the options of a simulation.
Status add_servos(Robot& robot, SimulatorOptions& options);
/// Target positions of the servos [nv_tree].
VectorX<double> servo_targets(const Robot& robot);
/// Forces of the servos on their joints [nv_tree].
VectorX<double> servo_forces(const Robot& robot, const VectorX<double>& targets);
/// Starts or stops holding the pose; a simulation goes on from where it is.
Status hold_pose(Robot& robot, bool on);
/// Starts at rest. If the configuration is singular, no simulation exists afterwards.
Status start_simulation(Robot& robot, double step, std::optional<double> ground);
Status step_simulation(Robot& robot, double seconds, double budget, const std::optional<Spring>& spring);

inline Eigen::Vector3d vector(const Vector3<double>& a) { return {a.x, a.y, a.z}; }
inline Eigen::Matrix3d matrix(const Matrix3<double>& a) {
    Eigen::Matrix3d out;
    out << a.x.x, a.y.x, a.z.x, a.x.y, a.y.y, a.z.y, a.x.z, a.y.z, a.z.z;
    return out;
}

/// Placement of a body in the world, after forward_kinematics().
Pose pose_of(const Robot& robot, int body);

/// A point of a body in the world, and the velocities [linear; angular] of it per ẏ [6 × nv].
struct PointMotion {
    Eigen::Vector3d position;
    Matrix6X<double> jacobian;
};
/// After forward_kinematics().
PointMotion point_motion(const Robot& robot, int body, const Eigen::Vector3d& point);

}  // namespace grbda::view
