#include <cmath>

#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "kinematics/kinematics.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"
#include "support/sample_size.hpp"

// Power is the rate of energy; force and moment are the rates of momentum.

namespace {

using namespace test_robots;
using grbda::MechanicalState;

constexpr int kStates = 3;
constexpr double kRounding = 1e-11;

Eigen::Vector3d gravity(const grbda::Model& model) {
    return {model.gravity.x, model.gravity.y, model.gravity.z};
}

MechanicalState mechanics(const grbda::Model& model, grbda::Workspace<double>& data, const Eigen::VectorXd& q,
                          const Eigen::VectorXd& yd) {
    MechanicalState result;
    REQUIRE(grbda::mechanical_state<double>(model, data, q, yd, result).ok());
    return result;
}

/// The state with the acceleration that its forces and wrenches cause.
State caused(const grbda::Model& model, grbda::Workspace<double>& data, State state) {
    REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
    state.ydd = data.ydd;
    return state;
}

/// One floating body carries everything else, and nothing but it touches the world.
bool floats_freely(const grbda::Model& model) {
    if (model.branches != 1 || model.clusters.empty()) return false;
    const grbda::Cluster& base = model.clusters.front();
    if (base.embedding != grbda::Embedding::none) return false;
    return model.bodies[base.bodies.first].joint == grbda::JointType::floating;
}

/// Part of the force on a floating base that accelerates its armature, an apparent mass without a body.
Eigen::Matrix<double, 6, 1> taken_by_armature(const grbda::Model& model, const State& moving) {
    const grbda::Cluster& base = model.clusters.front();
    const int v = model.bodies[base.bodies.first].v;
    const Eigen::Vector3d linear = moving.yd.segment<3>(v), angular = moving.yd.segment<3>(v + 3);
    Eigen::Matrix<double, 6, 1> rate = moving.ydd.segment<6>(v);
    rate.head<3>() += angular.cross(linear);
    return model.armature[base.dof_begin] * rate;
}

Eigen::Matrix3d orientation(const grbda::Model& model, const grbda::Workspace<double>& data, int body) {
    return grbda::frame_orientation(model, data, model.body_frame[body]);
}
Eigen::Vector3d position(const grbda::Model& model, const grbda::Workspace<double>& data, int body) {
    return grbda::frame_position(model, data, model.body_frame[body]);
}

}  // namespace

TEST_CASE("power of forces and wrenches is the rate of energy on every robot") {
    at_random_states(all(), kStates, 31, [](const Robot& robot, const State& given, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        const State state = caused(model, data, given);
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q, state.yd).ok());
        double power = state.tau.dot(state.yd);
        for (int i = 0; i < model.body_count(); ++i)
            power += state.wrenches.col(i).dot(
                grbda::frame_velocity(model, data, model.body_frame[i], grbda::ReferenceFrame::local));
        double size = 0;
        const double rate = motion::derivative([&](double t) -> Eigen::VectorXd {
            const motion::Instant at = motion::along(model, data, state, t);
            const MechanicalState now = mechanics(model, data, at.q, at.yd);
            size = now.kinetic + std::abs(now.potential);
            return Eigen::VectorXd::Constant(1, now.kinetic + now.potential);
        })[0];
        CHECK(std::abs(rate - power) <
              motion::kDifferences * (1 + std::abs(power) + size + state.ydd.norm()));
    });
}

TEST_CASE("force and moment are the rates of momentum on every floating robot") {
    std::vector<const Robot*> floating;
    for (const Robot* robot : all())
        if (floats_freely(robot->model)) floating.push_back(robot);
    REQUIRE(std::ssize(floating) > sample_size::least(15));
    at_random_states(floating, kStates, 32, [](const Robot& robot, const State& given, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        State state = given;
        const int base = model.clusters.front().bodies.first;
        const State moving = caused(model, data, state);
        const MechanicalState now = mechanics(model, data, state.q, state.yd);
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q).ok());
        state.wrenches.col(base) += state.tau.segment<6>(model.bodies[base].v);
        state.wrenches.col(base) -= taken_by_armature(model, moving);
        Eigen::Vector3d force = now.mass * gravity(model), moment = Eigen::Vector3d::Zero();
        for (int i = 0; i < model.body_count(); ++i) {
            const Eigen::Matrix3d R = orientation(model, data, i);
            const Eigen::Vector3d f = R * state.wrenches.col(i).head<3>();
            force += f;
            moment += R * state.wrenches.col(i).tail<3>() + (position(model, data, i) - now.com).cross(f);
        }
        const auto momentum = [&](double t) -> Eigen::VectorXd {
            const motion::Instant at = motion::along(model, data, moving, t);
            const MechanicalState then = mechanics(model, data, at.q, at.yd);
            return (Eigen::VectorXd(6) << then.linear_momentum, then.angular_momentum).finished();
        };
        const Eigen::VectorXd expected = (Eigen::VectorXd(6) << force, moment).finished();
        CHECK((motion::derivative(momentum) - expected).norm() <
              motion::kDifferences * (1 + expected.norm() + moving.ydd.norm()));
    });
}

TEST_CASE("momentum is mass times the velocity of the centre of mass on every robot") {
    at_random_states(all(), kStates, 33, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        const MechanicalState now = mechanics(model, data, state.q, state.yd);
        const Eigen::VectorXd velocity = motion::derivative([&](double t) -> Eigen::VectorXd {
            const motion::Instant at = motion::along(model, data, state, t);
            return mechanics(model, data, at.q, at.yd).com;
        });
        CHECK(relative(now.mass * velocity, now.linear_momentum) < motion::kDifferences);
    });
}

TEST_CASE("kinetic energy is half of the mass matrix between velocities on every robot") {
    at_random_states(all(), kStates, 35, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        Eigen::MatrixXd M(model.nv, model.nv);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        const double expected = 0.5 * state.yd.dot(M * state.yd);
        const double found = mechanics(model, data, state.q, state.yd).kinetic;
        CHECK(std::abs(found - expected) <= kRounding * expected);
    });
}

TEST_CASE("mass, centre, momentum and energy are sums over bodies on every robot") {
    at_random_states(all(), kStates, 34, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        if (!model.rods.empty()) return;  // those are compared with rods as bodies
        grbda::Workspace<double> data(model);
        const MechanicalState found = mechanics(model, data, state.q, state.yd);
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q, state.yd).ok());
        double mass = 0, kinetic = 0;
        Eigen::Vector3d first_moment = Eigen::Vector3d::Zero(), linear = first_moment, angular = first_moment;
        grbda::Matrix6X<double> J(6, model.nv);
        for (int i = 0; i < model.body_count(); ++i) {
            const grbda::Inertial& body = model.inertials[i];
            grbda::body_jacobian<double>(model, data, i, grbda::ReferenceFrame::world_aligned, J);
            const Eigen::Matrix3d R = orientation(model, data, i);
            const Eigen::Vector3d arm = R * body.com, centre = position(model, data, i) + arm;
            const Eigen::VectorXd twist = J * state.yd;
            const Eigen::Vector3d omega = twist.tail<3>(), velocity = twist.head<3>() + omega.cross(arm);
            const Eigen::Vector3d spin = R * body.inertia * R.transpose() * omega;
            mass += body.mass;
            first_moment += body.mass * centre;
            linear += body.mass * velocity;
            angular += body.mass * (centre - found.com).cross(velocity) + spin;
            kinetic += 0.5 * (body.mass * velocity.squaredNorm() + spin.dot(omega));
        }
        CHECK(std::abs(found.mass - mass) <= kRounding * mass);
        CHECK((found.mass * found.com - first_moment).norm() <= kRounding * (1 + first_moment.norm()));
        CHECK(relative(found.linear_momentum, linear) < kRounding);
        CHECK(relative(found.angular_momentum, angular) < kRounding);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
        for (std::size_t dof = 0; dof < model.armature.size(); ++dof)
            kinetic += 0.5 * model.armature[dof] * std::pow(data.qd[model.v_index[dof]], 2);
        CHECK(std::abs(found.kinetic - kinetic) <= kRounding * (1 + kinetic));
        const double potential = -gravity(model).dot(first_moment);
        CHECK(std::abs(found.potential - potential) <= kRounding * (1 + std::abs(potential)));
    });
}
