#include <algorithm>
#include <chrono>
#include <cmath>

#include "grbda/algorithms/coordinates.hpp"
#include "grbda/algorithms/factor.hpp"
#include "grbda/algorithms/kinematics.hpp"
#include "robot.hpp"

namespace grbda::view {
namespace {

constexpr double frequency = 20;    // rad/s of the spring with what it pulls
constexpr double most_weights = 5;  // limit of its force

/// Forces of joints [nv_tree] by which the spring pulls. Empty where the configuration is singular.
VectorX<double> pull(Robot& robot, const Spring& spring) {
    const Model& model = robot.simulator->model();
    Data<double>& data = robot.data;
    const VectorX<double> q = robot.simulator->q(), qd = robot.simulator->velocity();
    (void)choose_coordinates<double>(model, data, q, Marks::ignored);
    VectorX<double> yd(model.nv);
    independent_part<double>(model, data, qd, yd);
    MatrixX<double> response(model.nv, 3);
    if (!forward_kinematics<double>(model, data, q, yd).ok()) return {};
    Matrix6X<double> J(6, model.nv);
    body_jacobian<double>(model, data, spring.body, ReferenceFrame::world_aligned, J);
    // from the origin of the frame to the point
    const int frame = model.body_frame[spring.body];
    const Pose pose = pose_of(robot, spring.body);
    const Eigen::Vector3d point = pose.rotation * spring.point + pose.translation;
    const Eigen::Vector3d arm = point - frame_position(model, data, frame);
    MatrixX<double> at_point = J.topRows<3>();
    for (Eigen::Index k = 0; k < J.cols(); ++k)
        at_point.col(k) += Eigen::Vector3d(J.col(k).tail<3>()).cross(arm);
    if (!factor<double>(model, data, q).ok()) return {};
    if (!inverse_mass_times<double>(model, data, at_point.transpose(), response).ok()) return {};
    const double inverse_mass = (at_point * response).trace() / 3;
    if (!(inverse_mass > 0)) return {};
    double weight = 0;
    for (const Inertial& inertial : model.inertials) weight += 9.81 * inertial.mass;
    const double mass = 1 / inverse_mass;
    Eigen::Vector3d force =
        mass * frequency * (frequency * (spring.target - point) - 2 * Eigen::Vector3d(at_point * yd));
    const double most = most_weights * weight;
    if (force.norm() > most) force *= most / force.norm();
    VectorX<double> spanning(model.nv_tree);
    spanning_force<double>(model, data, at_point.transpose() * force, spanning);
    return spanning;
}

void show_state(Robot& robot) {
    Simulator& simulator = *robot.simulator;
    robot.q = simulator.q();
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
    Ground plane;
    if (ground) plane = Plane{{0, 0, 1}, *ground};
    robot.simulator.emplace(robot.model, options, plane);
    robot.rate_before.resize(0);
    const Result set = robot.simulator->set_state(robot.q, VectorX<double>::Zero(robot.model.nv_tree));
    if (set.ok())
        show_state(robot);
    else
        robot.simulator.reset();
    return set.status;
}

Status step_simulation(Robot& robot, double seconds, double budget, const std::optional<Spring>& spring) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begun = Clock::now();
    Simulator& simulator = *robot.simulator;
    const double end = simulator.time() + seconds - 0.5 * simulator.options().step;
    Status status = Status::ok;
    while (status == Status::ok && simulator.time() < end) {
        VectorX<double> forces;
        if (spring) forces = pull(robot, *spring);
        Controls controls;
        if (forces.size() > 0) controls.tau_s = {forces.data(), static_cast<std::size_t>(forces.size())};
        robot.rate_before = simulator.velocity();
        status = simulator.step(controls).result.status;
        if (std::chrono::duration<double, std::milli>(Clock::now() - begun).count() > budget) break;
    }
    show_state(robot);
    return status;
}

}  // namespace grbda::view
