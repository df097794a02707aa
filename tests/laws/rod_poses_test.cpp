#include "derivatives/kinematics_derivatives.hpp"
#include "mechanism/rods_fixture.hpp"
#include "support/differences.hpp"

// A rod in all directions. Its pose is a convention that no direction may leave undefined: whatever it is,
// the rod's line goes from end to end, and all points of the line move as both ends say.

namespace {

using namespace rods_fixture;
using Eigen::Matrix3d;
using grbda::ReferenceFrame;
using grbda::Workspace;

constexpr double kLength = 0.5;

/// A rod upright on the ground or on a body that turns, and at its other end a ball on three slides.
grbda::RobotDescription pendulum(bool turning) {
    grbda::RobotDescription robot;
    robot.name = "pendulum";
    const auto link = [&](const char* name, double mass, const Vector3d& com) {
        grbda::LinkDescription out;
        out.name = name;
        out.inertial = grbda::Inertial{mass, com, Vector3d(0.02, 0.02, 0.001).asDiagonal()};
        robot.links.push_back(out);
    };
    const auto joint = [&](const char* parent, const char* child, JointType type, const Vector3d& axis,
                           const Vector3d& place) {
        JointDescription out;
        out.name = std::string(child) + "_joint";
        out.type = type;
        out.parent = parent;
        out.child = child;
        out.origin.translation = place;
        out.axis = axis;
        robot.joints.push_back(out);
    };
    link("ground", 1, {0, 0, 0});
    link("base", 2, {0.1, 0, 0});
    joint("ground", "base", JointType::continuous, Vector3d(1, 2, 0.5).normalized(), {0, 0, 0});
    const char* carrier = turning ? "base" : "ground";
    link("x", 1, {0, 0, 0});
    link("y", 1, {0, 0, 0});
    link("ball", 1, {0, 0.1, 0});
    joint(carrier, "x", JointType::prismatic, Vector3d::UnitX(), {0, 0, kLength});
    joint("x", "y", JointType::prismatic, Vector3d::UnitY(), {0, 0, 0});
    joint("y", "ball", JointType::prismatic, Vector3d::UnitZ(), {0, 0, 0});
    link("rod", 0.3, {0, 0, 0.2});
    joint(carrier, "rod", JointType::spherical, Vector3d::UnitZ(), {0, 0, 0});
    LoopDescription loop;
    loop.name = "end";
    loop.type = LoopType::spherical;
    loop.predecessor = "rod";
    loop.successor = "ball";
    loop.predecessor_origin.translation = {0, 0, kLength};
    robot.loops.push_back(loop);
    return robot;
}

struct Case {
    Case(bool turning, const Vector3d& direction, std::uint64_t seed)
        : model(built(pendulum(turning), true)) {
        REQUIRE(model.rods.size() == 1);
        Random random(seed);
        q = VectorXd::Zero(model.nq);
        const auto set = [&](const std::string& name, double value) {
            q[model.bodies[at(equivalence::find(model.names.joints, name + "_joint"))].q] = value;
        };
        set("base", 0.7);
        set("x", kLength * direction.x());
        set("y", kLength * direction.y());
        set("ball", kLength * (direction.z() - 1));
        yd = random_vector(random, model.nv);
        ydd = random_vector(random, model.nv);
        rod = model.frame("rod").index;
        ball = model.frame("ball").index;
    }
    Model model;
    VectorXd q, yd, ydd;
    int rod = 0, ball = 0;
};

void check_pose(const Case& x) {
    Workspace<double> data(x.model);
    REQUIRE(grbda::forward_kinematics<double>(x.model, data, x.q, x.yd, x.ydd).ok());
    const Matrix3d R = grbda::frame_orientation(x.model, data, x.rod);
    CHECK((R.transpose() * R - Matrix3d::Identity()).norm() < 1e-14);
    CHECK(R.determinant() > 0);
    const Vector3d d =
        grbda::frame_position(x.model, data, x.ball) - grbda::frame_position(x.model, data, x.rod);
    CHECK((kLength * R.col(2) - d).norm() < 1e-14);
}

/// v_B = v_A + ω × d, and a_B = a_A + α × d + ω × (ω × d), in which turns about the line do not matter.
void check_motion(const Case& x, double spin) {
    Workspace<double> data(x.model);
    REQUIRE(grbda::forward_kinematics<double>(x.model, data, x.q, x.yd, x.ydd).ok());
    const auto axes = ReferenceFrame::world_aligned;
    const Vector3d d =
        grbda::frame_position(x.model, data, x.ball) - grbda::frame_position(x.model, data, x.rod);
    const Eigen::Matrix<double, 6, 1> v = grbda::frame_velocity(x.model, data, x.rod, axes),
                                      v_B = grbda::frame_velocity(x.model, data, x.ball, axes),
                                      a = grbda::frame_acceleration(x.model, data, x.rod, axes),
                                      a_B = grbda::frame_acceleration(x.model, data, x.ball, axes);
    const Vector3d omega = v.tail<3>(), alpha = a.tail<3>();
    CHECK((v.head<3>() + omega.cross(d) - v_B.head<3>()).norm() < 1e-12 * spin);
    CHECK((a.head<3>() + alpha.cross(d) + omega.cross(omega.cross(d)) - a_B.head<3>()).norm() <
          1e-11 * spin * spin);
    CHECK(omega.norm() < 100 * spin);
    grbda::Matrix6X<double> J(6, x.model.nv);
    grbda::frame_jacobian<double>(x.model, data, x.rod, axes, J);
    CHECK((J * x.yd - v).norm() < 1e-12 * spin + 1e-15 * spin * spin);  // 1 + s·n is known to 1e-16 / off
}

/// Derivatives of ω × d + v_A are those of v_B.
void check_derivatives(const Case& x, double spin) {
    Workspace<double> data(x.model);
    REQUIRE(grbda::forward_kinematics_derivatives<double>(x.model, data, x.q, x.yd, x.ydd).ok());
    const auto axes = ReferenceFrame::world_aligned;
    const Vector3d d =
        grbda::frame_position(x.model, data, x.ball) - grbda::frame_position(x.model, data, x.rod);
    MatrixXd y(6, x.model.nv), yd = y, y_B = y, yd_B = y;
    grbda::frame_velocity_derivatives<double>(x.model, data, x.rod, axes, y, yd);
    grbda::frame_velocity_derivatives<double>(x.model, data, x.ball, axes, y_B, yd_B);
    const Vector3d omega = grbda::frame_velocity(x.model, data, x.rod, axes).tail<3>();
    for (int k = 0; k < x.model.nv; ++k) {
        const Vector3d displaced = yd_B.col(k).head<3>() - yd.col(k).head<3>();
        const Vector3d of_end =
            y.col(k).head<3>() + Vector3d(y.col(k).tail<3>()).cross(d) + omega.cross(displaced);
        CHECK((of_end - y_B.col(k).head<3>()).norm() < 1e-11 * spin * spin);
        CHECK((yd.col(k).head<3>() + Vector3d(yd.col(k).tail<3>()).cross(d) - yd_B.col(k).head<3>()).norm() <
              1e-12 * spin);
    }
}

}  // namespace

TEST_CASE("a rod has a pose and a motion in all directions, the one opposite to its first too", "[rods]") {
    for (const bool turning : {false, true})
        for (const double angle :
             {0.0, 1e-12, 1e-3, 1.0, M_PI - 1e-2, M_PI - 1e-5, M_PI - 1e-7, M_PI - 1e-12, M_PI})
            for (const double around : {0.0, 0.4, 2.0}) {
                INFO("turning " << turning << ", " << angle << " rad from the first direction, around "
                                << around);
                const double across = angle == M_PI ? 0 : std::sin(angle);
                const Case x(turning, {across * std::cos(around), across * std::sin(around), std::cos(angle)},
                             3);
                // the turn about the line is as fast as 2 / (angle from opposite), down to 1.4e-6
                const double off = M_PI - angle;
                const double spin = off < 1.4e-6 ? 1 : std::max(1.0, 1 / off);
                check_pose(x);
                check_motion(x, spin);
                check_derivatives(x, spin);
            }
}

TEST_CASE("the turn of a rod's frame is its angular velocity, near the opposite direction too", "[rods]") {
    for (const double angle : {0.0, 0.3, 2.0, 3.0}) {
        INFO(angle);
        const Case x(true, {std::sin(angle), 0, std::cos(angle)}, 5);
        State state;
        state.q = x.q;
        state.yd = x.yd;
        const auto pose = [&](const State& at) -> VectorXd {
            Workspace<double> data(x.model);
            REQUIRE(grbda::forward_kinematics<double>(x.model, data, at.q).ok());
            const Matrix3d R = grbda::frame_orientation(x.model, data, x.rod);
            return R.reshaped();
        };
        MatrixXd slopes;
        REQUIRE(differences::along_configurations(x.model, state, pose, slopes));
        Workspace<double> data(x.model);
        REQUIRE(grbda::forward_kinematics<double>(x.model, data, x.q, x.yd, x.ydd).ok());
        const Vector3d omega =
            grbda::frame_velocity(x.model, data, x.rod, ReferenceFrame::world_aligned).tail<3>();
        const VectorXd rates = slopes * x.yd;
        const Matrix3d R = grbda::frame_orientation(x.model, data, x.rod),
                       rate = Matrix3d(rates.reshaped(3, 3)) * R.transpose();
        const Vector3d found(rate(2, 1), rate(0, 2), rate(1, 0));
        CHECK((found - omega).norm() < 1e-6 * (1 + omega.norm()));
    }
}

TEST_CASE("a rod near an axis of its universal joint moves as the link", "[rods]") {
    for (const bool turning : {false, true})
        for (const double off : {1.0, 0.1, 1e-2, 1e-6}) {
            INFO("turning " << turning << ", " << off << " rad from the axis");
            grbda::RobotDescription robot = pendulum(turning);
            for (JointDescription& joint : robot.joints)
                if (joint.child == "rod") {
                    joint.type = JointType::universal;
                    joint.axis = Vector3d::UnitX();
                }
            const Model reduced = built(robot, true), full = full_model(robot, reduced);
            REQUIRE(reduced.rods.size() == 1);
            REQUIRE(reduced.nv == full.nv);
            VectorXd q = VectorXd::Zero(full.nq), q_reduced = VectorXd::Zero(reduced.nq);
            const auto place = [&](const std::string& name) -> double& {
                return q[full.bodies[at(equivalence::find(full.names.joints, name + "_joint"))].q];
            };
            const double first = 0.4, second = M_PI / 2 - off;
            place("base") = 0.7;
            (&place("rod"))[0] = first;
            (&place("rod"))[1] = second;
            place("x") = kLength * std::sin(second);
            place("y") = kLength * -std::sin(first) * std::cos(second);
            place("ball") = kLength * (std::cos(first) * std::cos(second) - 1);
            equivalence::copy_positions(full, q, reduced, q_reduced);
            Random random(8);
            const VectorXd yd = random_vector(random, reduced.nv), ydd = random_vector(random, reduced.nv);
            const MatrixXd T = selection(full, reduced).transpose();
            Workspace<double> data(reduced), full_data(full);
            REQUIRE(grbda::closure_residual<double>(full, full_data, q).ok());
            if (off < 1e-5) {  // both are singular
                CHECK(grbda::rnea<double>(reduced, data, q_reduced, yd, ydd).status ==
                      grbda::Status::singular_constraint);
                CHECK(grbda::aba<double>(reduced, data, q_reduced, yd, ydd).status ==
                      grbda::Status::singular_constraint);
                CHECK_FALSE(grbda::aba<double>(full, full_data, q, yd, ydd).ok());
                continue;
            }
            REQUIRE(grbda::rnea<double>(reduced, data, q_reduced, yd, ydd).ok());
            REQUIRE(grbda::rnea<double>(full, full_data, q, VectorXd(T * yd), VectorXd(T * ydd)).ok());
            CHECK(relative(T * data.tau, full_data.tau) < 1e-9);
        }
}
