#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Geometry>

#include "grbda/constraints/coordinates.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "robot.hpp"

// At the end of a drag the pull on the body, Jᵀ r, is balanced by the limits and locks that stop it (Karush,
// Kuhn and Tucker):  Jᵀ r = Σ λ a,  with a the row of G of a joint, in the direction that is blocked, and λ ≥
// 0.

namespace grbda::view {
namespace {

constexpr double at_limit = 1e-5;     // rad, m
constexpr double least_share = 1e-3;  // of the pull
constexpr int sweeps = 400;

struct Stop {
    int body;  ///< −1: a floating base that stays; it is not named
    bool lock;
    VectorX<double> row;
};

void add_limits(const Robot& robot, const MatrixX<double>& G, std::vector<Stop>& stops) {
    const Model& model = robot.model;
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        const auto at = static_cast<std::size_t>(i);
        if (model.bounded[at] == 0 || !facts(body.joint).has_range || robot.locked[at] != 0) continue;
        const double x = robot.q[body.q];
        if (x > model.limits[at].upper - at_limit) stops.push_back({i, false, G.row(body.v)});
        if (x < model.limits[at].lower + at_limit) stops.push_back({i, false, -G.row(body.v)});
    }
}

void add_fixed(const Robot& robot, const MatrixX<double>& G, int dragged, std::vector<Stop>& stops) {
    for (int i = 0; i < robot.model.body_count(); ++i) {
        if (!stays(robot, i, dragged)) continue;
        const Body& body = robot.model.bodies[i];
        const bool locked = robot.locked[static_cast<std::size_t>(i)] != 0;
        for (int k = 0; k < velocity_size(body.joint); ++k)
            for (const double sign : {1., -1.})
                stops.push_back({locked ? i : -1, true, sign * G.row(body.v + k)});
    }
}

/// λ ≥ 0 with the least |pull − Σ λ a|, one after the other. Returns the forces λ |a|.
std::vector<double> balance(VectorX<double> pull, const std::vector<Stop>& stops) {
    std::vector<double> forces(stops.size());
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t i = 0; i < stops.size(); ++i) {
            const double length = stops[i].row.norm();
            if (length < 1e-12) continue;
            const double next = std::max(0., forces[i] + stops[i].row.dot(pull) / length);
            pull -= (next - forces[i]) / length * stops[i].row;
            forces[i] = next;
        }
    return forces;
}

}  // namespace

void find_stops(Robot& robot, int body, const Eigen::Vector3d& point, const Eigen::Vector3d& target,
                const std::optional<Eigen::Matrix3d>& orientation) {
    const Model& model = robot.model;
    std::fill(robot.stops.begin(), robot.stops.end(), 0.f);
    (void)choose_coordinates(model, robot.data, robot.q, Marks::ignored);
    const VectorX<double> still = VectorX<double>::Zero(model.nv);
    if (!constraint_embedding(model, robot.data, robot.q, still).ok()) return;
    const Eigen::MatrixXd& G = robot.data.G;
    if (!forward_kinematics(model, robot.data, robot.q).ok()) return;
    const PointMotion at = point_motion(robot, body, point);
    Eigen::Matrix<double, 6, 1> missing = Eigen::Matrix<double, 6, 1>::Zero();
    missing.head<3>() = target - at.position;
    if (orientation) {
        const Eigen::AngleAxisd turn(
            *orientation * frame_orientation(model, robot.data, model.body_frame[body]).transpose());
        missing.tail<3>() = turn.angle() * turn.axis();
    }
    std::vector<Stop> stops;
    add_limits(robot, G, stops);
    add_fixed(robot, G, body, stops);
    const std::vector<double> forces = balance(at.jacobian.transpose() * missing, stops);
    const double least = least_share * missing.norm() * at.jacobian.norm();
    for (std::size_t i = 0; i < stops.size(); ++i) {
        if (stops[i].body < 0 || forces[i] < least) continue;
        float& share =
            robot.stops[static_cast<std::size_t>(robot.place[static_cast<std::size_t>(stops[i].body)])];
        const auto force = static_cast<float>(forces[i] / (missing.norm() * at.jacobian.norm()));
        share = stops[i].lock ? std::min(share, -force) : std::max(share, force);
    }
}

}  // namespace grbda::view
