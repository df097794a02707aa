#include <algorithm>
#include <chrono>
#include <cmath>

#include "grbda/constraints/coordinates.hpp"
#include "grbda/dynamics/factor.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "robot.hpp"

namespace grbda::view {
namespace {

constexpr double frequency = 20;    // rad/s of the spring with what it pulls
constexpr double most_weights = 5;  // limit of its force

/// Force of the spring on its point, N in the world, and what it does as forces of joints [nv_tree].
struct Pull {
    Eigen::Vector3d force;
    VectorX<double> tau_s;
};

/// Returns nothing where the configuration is singular.
std::optional<Pull> pull(Robot& robot, const Spring& spring) {
    const Model& model = robot.simulator->model();
    Data& data = robot.data;
    const VectorX<double> q = robot.simulator->q(), qd = robot.simulator->velocity();
    (void)choose_coordinates(model, data, q, Marks::ignored);
    VectorX<double> yd(model.nv);
    independent_part(model, data, qd, yd);
    MatrixX<double> response(model.nv, 3);
    if (!forward_kinematics(model, data, q, yd).ok()) return {};
    const PointMotion at = point_motion(robot, spring.body, spring.point);
    const MatrixX<double> J = at.jacobian.topRows<3>();
    if (!factor(model, data, q).ok()) return {};
    if (!inverse_mass_times(model, data, J.transpose(), response).ok()) return {};
    const double inverse_mass = (J * response).trace() / 3;
    if (!(inverse_mass > 0)) return {};
    double weight = 0;
    for (const Inertial& inertial : model.inertials) weight += 9.81 * inertial.mass;
    const double mass = 1 / inverse_mass;
    Pull out;
    out.force = mass * frequency * (frequency * (spring.target - at.position) - 2 * Eigen::Vector3d(J * yd));
    const double most = most_weights * weight;
    if (out.force.norm() > most) out.force *= most / out.force.norm();
    out.tau_s.resize(model.nv_tree);
    spanning_force(model, data, J.transpose() * out.force, out.tau_s);
    return out;
}

/// Adds a force at a point of the world to the wrench on a body; after forward_kinematics().
void push(Robot& robot, int body, const Eigen::Vector3d& point, const Eigen::Vector3d& force) {
    if (body == world) return;
    const int frame = robot.model.body_frame[body];
    Eigen::Matrix<double, 6, 1> wrench;
    wrench << force, (point - frame_position(robot.model, robot.data, frame)).cross(force);
    add_frame_wrench(robot.model, robot.data, frame, ReferenceFrame::world_aligned, wrench, robot.wrenches);
}

/// Writes the forces of contacts and of the spring in the last step as wrenches.
void show_pushes(Robot& robot, const std::optional<Spring>& spring, const Eigen::Vector3d& pulling) {
    robot.wrenches.setZero();
    robot.contact_points.clear();
    const Simulator& simulator = *robot.simulator;
    if (!spring && simulator.contacts().empty()) return;
    (void)choose_coordinates(robot.model, robot.data, robot.q, Marks::ignored);
    if (!forward_kinematics(robot.model, robot.data, robot.q).ok()) return;
    for (const ContactState& at : simulator.contacts()) {
        const Eigen::Vector3d force = matrix(at.contact.axes) * at.impulse / simulator.options().step;
        const Eigen::Vector3d point = vector(at.contact.position);
        push(robot, at.contact.body, point, force);
        push(robot, at.contact.other, point, -force);
        for (const Eigen::Vector3d& x : {point, force})
            for (int i = 0; i < 3; ++i) robot.contact_points.push_back(static_cast<float>(x[i]));
    }
    if (!spring) return;
    const Pose pose = pose_of(robot, spring->body);
    push(robot, spring->body, pose.rotation * spring->point + pose.translation, pulling);
}

void show_state(Robot& robot) {
    Simulator& simulator = *robot.simulator;
    robot.q = simulator.q();
    robot.qd = simulator.velocity();
    const Energies energies = simulator.energies();
    robot.figures[time_simulated] = simulator.time();
    robot.figures[kinetic] = energies.kinetic;
    robot.figures[gravity_energy] = energies.gravity;
    robot.figures[elastic] = energies.elastic;
    robot.figures[contacts] = static_cast<double>(simulator.contacts().size());
}

}  // namespace

Status start_simulation(Robot& robot, double step, std::optional<double> ground) {
    SimulatorOptions options;
    options.step = step;
    robot.ground = {};
    if (ground) robot.ground = Plane{{0, 0, 1}, *ground};
    if (robot.hold) {
        const Status held = add_servos(robot, options);
        if (held != Status::ok) return held;
    }
    robot.simulator.emplace(robot.model, options, robot.ground);
    const Status status =
        robot.simulator->set_state(robot.q, VectorX<double>::Zero(robot.model.nv_tree)).status;
    if (status != Status::ok) {
        robot.simulator.reset();
        return status;
    }
    robot.controls.setZero();
    robot.wrenches.setZero();
    show_state(robot);
    return Status::ok;
}

Status step_simulation(Robot& robot, double seconds, double budget, const std::optional<Spring>& spring) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begun = Clock::now();
    Simulator& simulator = *robot.simulator;
    const double end = simulator.time() + seconds - 0.5 * simulator.options().step;
    Status status = Status::ok;
    Eigen::Vector3d pulling = Eigen::Vector3d::Zero();
    VectorX<double> targets;
    if (robot.hold) targets = servo_targets(robot);
    while (status == Status::ok && simulator.time() < end) {
        std::optional<Pull> pulled;
        if (spring) pulled = pull(robot, *spring);
        pulling = pulled ? pulled->force : Eigen::Vector3d::Zero();
        Controls controls;
        if (pulled) controls.tau_s = {pulled->tau_s.data(), static_cast<std::size_t>(pulled->tau_s.size())};
        controls.target = {targets.data(), static_cast<std::size_t>(targets.size())};
        status = simulator.step(controls).result.status;
        if (std::chrono::duration<double, std::milli>(Clock::now() - begun).count() > budget) break;
    }
    show_state(robot);
    if (robot.hold) robot.controls = servo_forces(robot, targets);
    show_pushes(robot, spring, pulling);
    return status;
}

}  // namespace grbda::view
