#include <algorithm>
#include <cmath>
#include <cstdio>

#include <Eigen/Geometry>

#include "grbda/compile/build.hpp"
#include "grbda/compose.hpp"
#include "grbda/io/load.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "motion.hpp"

namespace scenes {
namespace {

constexpr double radius = 0.02, mass = 0.1;                             // of the ball, m and kg
constexpr double closing = 0.3, lifting = 0.7, rest = 0.2, rise = 0.1;  // s, m
constexpr double closed = -0.15;  // rad, of the fingers; they meet the ball at -0.09
constexpr double grip_friction = 0.8;
constexpr grbda::Plane table{{0, 0, 1}, -radius};
const Eigen::Vector3d origin(0.187, 0, 0);  // of the ball, between the pads, m

grbda::RobotDescription ball() {
    grbda::RobotDescription robot;
    robot.name = "ball";
    grbda::LinkDescription link;
    link.name = "ball";
    link.inertial = grbda::Inertial{mass, Eigen::Vector3d::Zero(),
                                    0.4 * mass * radius * radius * Eigen::Matrix3d::Identity()};
    grbda::ShapeDescription shape;
    shape.shape = {grbda::ShapeKind::sphere, {radius, 0, 0}, {}};
    shape.collision = true;
    link.shapes.push_back(shape);
    robot.links.push_back(link);
    return robot;
}

/// The gripper on a slide along z, with the ball between its pads, both on the world.
grbda::Model gripper_and_ball(const std::string& robots) {
    grbda::Diagnostics findings;
    grbda::RobotPart gripper, free;
    gripper.robot = grbda::read_description({robots + "/sdf_gripper/sdf_gripper.sdf"}, findings);
    gripper.prefix = "gripper_";
    gripper.joint = grbda::JointType::prismatic;
    gripper.axis = Eigen::Vector3d::UnitZ();
    free.robot = ball();
    free.prefix = "ball_";
    free.joint = grbda::JointType::floating;
    free.base.translation = origin;
    const grbda::RobotDescription both = grbda::compose("gripper_and_ball", {gripper, free}, findings);
    if (grbda::has_errors(findings)) throw grbda::LoadError(findings);
    return grbda::build_model(both);
}

/// Indices in q and q̇, which are equal: only joints of one coordinate precede the ball.
struct Places {
    int slide = 0, finger = 0, ball = 0;
};

Places places_of(const grbda::Model& model) {
    return {model.joint("gripper_base").q.first, model.joint("gripper_left_finger_joint").q.first,
            model.joint("ball_base").q.first};
}

/// From 0 to 1 between two times, smooth in velocity.
double ramp(double time, double begin, double end) {
    const double x = std::clamp((time - begin) / (end - begin), 0., 1.);
    return x * x * (3 - 2 * x);
}

grbda::SimulatorOptions options_of(const grbda::Model& model, const Places& places, double friction) {
    grbda::SimulatorOptions options;
    options.friction = friction;
    options.self_collision = true;
    options.servo_stiffness.assign(grbda::at(model.nv_tree), 0);
    options.servo_damping.assign(grbda::at(model.nv_tree), 0);
    options.servo_stiffness[places.slide] = 2e4;
    options.servo_damping[places.slide] = 400;
    options.servo_stiffness[places.finger] = 20;
    options.servo_damping[places.finger] = 0.5;
    return options;
}

/// Largest sliding velocity of the ball's surface over what it touches in the hand, m/s.
double slip_of(grbda::Simulator& simulator, const Places& places) {
    const Vector &q = simulator.q(), &qd = simulator.velocity();
    const Eigen::Matrix3d axes = Eigen::Quaterniond(q.segment<4>(places.ball + 3)).toRotationMatrix();
    const Eigen::Vector3d linear = axes * qd.segment<3>(places.ball),
                          angular = axes * qd.segment<3>(places.ball + 3),
                          hand = qd[places.slide] * Eigen::Vector3d::UnitZ();
    double slip = 0;
    for (const grbda::ContactState& x : simulator.contacts()) {
        if (!(x.impulse[2] > 0)) continue;
        const auto &p = x.contact.position, &n = x.contact.axes.z;
        const Eigen::Vector3d arm = Eigen::Vector3d(p.x, p.y, p.z) - q.segment<3>(places.ball) - origin,
                              normal(n.x, n.y, n.z), over = linear + angular.cross(arm) - hand;
        slip = std::max(slip, (over - over.dot(normal) * normal).norm());
    }
    return slip;
}

/// Distance that the ball falls out of the gripper from rest without friction, m, and its expected value.
struct Fall {
    double found = 0, expected = 0;
};

Fall fall(const grbda::Simulator& held, const grbda::Model& model, const Places& places,
          const std::vector<double>& target) {
    constexpr double time = 0.02;  // s, shorter than the ball takes to leave the pads
    grbda::Simulator simulator(model, options_of(model, places, 0), table);
    require(simulator.set_state(held.q(), Vector::Zero(model.nv_tree)));
    const double start = simulator.q()[places.ball + 2];
    Motion motion(simulator, "");
    motion.follow(places.ball + 2);
    std::printf("  without friction\n");
    motion.run(time, [&](double) { return grbda::Controls{{}, target, {}}; });
    return {start - simulator.q()[places.ball + 2], 0.5 * 9.81 * time * (time + simulator.options().step)};
}

}  // namespace

bool grip(const Setting& setting) {
    const grbda::Model model = gripper_and_ball(setting.robots);
    const Places places = places_of(model);
    grbda::Simulator simulator(model, options_of(model, places, grip_friction), table);
    const Vector start = grbda::neutral_configuration(model);
    require(simulator.set_state(start, Vector::Zero(model.nv_tree)));
    grbda::Table<double> target(targets_at(model, start));
    Motion motion(simulator, setting.record);
    motion.follow(places.ball + 2);
    const auto drive = [&](double time) {
        target[places.finger] = closed * ramp(time, 0, closing);
        target[places.slide] = rise * ramp(time, closing, closing + lifting);
        return grbda::Controls{{}, target, {}};
    };
    motion.run(closing + lifting + rest, drive);
    const double height = simulator.q()[places.ball + 2], energy = simulator.energies().sum();
    double slip = 0;
    motion.run(setting.seconds > 0 ? setting.seconds : 3, drive,
               [&] { slip = std::max(slip, slip_of(simulator, places)); });
    const double lost = energy - simulator.energies().sum();
    const Fall free = fall(simulator, model, places, target);
    Laws laws;
    laws.check("height to which the ball is lifted, m", height, 0.98 * rise, rise);
    // the pads are not quite parallel, so the ball rolls down between them: height becomes spin without
    // loss
    laws.check("slip over the pads while it is held, m/s", slip, 0, 1e-4);
    laws.check("energy lost while it is held, J", lost, -1e-5, 1e-5);
    laws.check("residual of the loops", motion.largest_residual(), 0, 1e-12);
    laws.check("fall without friction over g t (t + h) / 2", free.found / free.expected, 0.99, 1.01);
    return laws.kept();
}

}  // namespace scenes
