#include "grbda/constraints/closure.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "robot.hpp"

namespace grbda::view {
namespace {

constexpr double near_enough = 1e-5;  // m, rad: less than a pixel

}  // namespace

bool stays(const Robot& robot, int body, int dragged) {
    const Body& candidate = robot.model.bodies[body];
    return robot.locked[static_cast<std::size_t>(body)] != 0 ||
           (body != dragged && robot.model.clusters[candidate.cluster].kind == ClusterKind::floating_base);
}

SearchResult drag(Robot& robot, int body, const Eigen::Vector3d& point, const Eigen::Vector3d& target,
                  bool turn, int iterations) {
    const Model& model = robot.model;
    FrameTarget wanted;
    wanted.frame = model.body_frame[body];
    const Frame& frame = model.frames[wanted.frame];
    wanted.point = matrix(frame.rotation).transpose() * (point - vector(frame.position));
    wanted.position = target;
    if (turn) {
        (void)forward_kinematics(model, robot.data, robot.q);
        wanted.orientation = frame_orientation(model, robot.data, wanted.frame);
    }
    SearchOptions options;
    options.iterations = iterations;
    for (int i = 0; i < model.body_count(); ++i)
        if (stays(robot, i, body)) options.held.push_back(i);
    VectorX<double> q = robot.q;
    const SearchResult result = inverse_kinematics(model, robot.data, {&wanted, 1}, q, options,
                                                   {.length = near_enough, .angle = near_enough});
    robot.figures[gap] = robot.data.gaps.empty() ? 0 : robot.data.gaps[0].length;
    const bool moved = result.outcome != Outcome::open && result.outcome != Outcome::invalid &&
                       result.outcome != Outcome::infeasible;
    if (moved && closure_residual(model, robot.data, q).ok()) robot.q = q;
    if (result.outcome != Outcome::converged) find_stops(robot, body, point, target, wanted.orientation);
    return result;
}

}  // namespace grbda::view
