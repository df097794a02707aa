#include <cmath>
#include <map>

#include "dynamics/rnea.hpp"
#include "kinematics/kinematics.hpp"
#include "support/baselines_kinematics.hpp"
#include "support/described.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// Frames against poses composed from the description, and their rates; Jacobians; external wrenches.

namespace {

using namespace test_robots;
using grbda::ReferenceFrame;

constexpr int kStates = 3;
constexpr double kRounding = 1e-11;
constexpr double kClosed = 1e-10;  // what close_loops promises, relative to a size of about a metre

}  // namespace

TEST_CASE("frames have the poses of the description on every robot") {
    at_random_states(all(), kStates, 41, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        if (!model.rods.empty()) return;  // no state has all joints of the description
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q).ok());
        const std::map<std::string, grbda::Pose> poses = described::poses(robot.description, model, state.q);
        for (std::size_t f = 0; f < model.frames.size(); ++f) {
            INFO(model.frames[f].name);
            const grbda::Pose& pose = poses.at(model.frames[f].name);
            const int frame = static_cast<int>(f);
            CHECK(relative(grbda::frame_position(model, data, frame), pose.translation) < kRounding);
            CHECK(relative(grbda::frame_orientation(model, data, frame), pose.rotation) < kRounding);
        }
    });
}

TEST_CASE("loops and couplings satisfy the description on every robot") {
    at_random_states(all(), kStates, 42, [](const Robot& robot, const State& state, Random&) {
        if (!robot.model.rods.empty()) return;  // as above
        const std::map<std::string, grbda::Pose> poses =
            described::poses(robot.description, robot.model, state.q);
        for (const grbda::LoopDescription& loop : described::loops(robot.description, robot.model)) {
            INFO(loop.name << " of type " << to_string(loop.type));
            CHECK(described::loop_error(robot.description, robot.model, loop, poses) < kClosed);
        }
        const auto position = [&](const std::string& joint) {
            return described::position(robot.model, state.q, joint)[0];
        };
        for (const grbda::CouplingDescription& coupling : robot.description.couplings) {
            INFO(coupling.name);
            double left = 0;
            if (const auto* const linear = coupling.as<grbda::LinearRelation>()) {
                left = linear->offset;
                for (const grbda::LinearTerm& term : linear->terms)
                    left += term.coefficient * position(term.joint);
            } else if (const auto* const cam = coupling.as<grbda::PolynomialRelation>()) {
                const double x = position(cam->leader) - cam->leader_reference;
                left = position(cam->follower) - cam->follower_reference;
                for (std::size_t i = 0; i < cam->coefficients.size(); ++i)
                    left -= cam->coefficients[i] * std::pow(x, static_cast<int>(i));
            }
            CHECK(std::abs(left) < 10 * kClosed);  // gear ratios multiply rounding
        }
    });
}

TEST_CASE("frame velocity and acceleration are the rates of frame position and orientation on every robot") {
    at_random_states(all(), kStates, 43, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model), moved(model);
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q, state.yd, state.ydd).ok());
        const int frames = static_cast<int>(model.frames.size());
        const Eigen::VectorXd rates = motion::derivative([&](double t) {
            const motion::Instant at = motion::along(model, moved, state, t);
            REQUIRE(grbda::forward_kinematics<double>(model, moved, at.q, at.yd).ok());
            Eigen::VectorXd values(18 * frames);
            for (int f = 0; f < frames; ++f)
                values.segment<18>(18 * f) << grbda::frame_position(model, moved, f),
                    grbda::frame_orientation(model, moved, f).reshaped(),
                    grbda::frame_velocity(model, moved, f, ReferenceFrame::world_aligned);
            return values;
        });
        for (int f = 0; f < frames; ++f) {
            INFO(model.frames[f].name);
            const Eigen::Matrix3d R = grbda::frame_orientation(model, data, f);
            const auto rate = rates.segment<18>(18 * f);
            const auto velocity = grbda::frame_velocity(model, data, f, ReferenceFrame::world_aligned);
            const auto acceleration =
                grbda::frame_acceleration(model, data, f, ReferenceFrame::world_aligned);
            CHECK(relative(rate.head<3>(), velocity.head<3>()) < motion::kDifferences);
            const Eigen::Vector3d w = velocity.tail<3>();
            Eigen::Matrix3d turning;
            for (int j = 0; j < 3; ++j) turning.col(j) = w.cross(R.col(j));
            CHECK(relative(rate.segment<9>(3).reshaped(3, 3), turning) < motion::kDifferences);
            CHECK(relative(rate.tail<6>(), acceleration) < motion::kDifferences);
            const auto local = grbda::frame_acceleration(model, data, f, ReferenceFrame::local);
            CHECK(relative(R * local.head<3>(), acceleration.head<3>()) < kRounding);
            CHECK(relative(R * local.tail<3>(), acceleration.tail<3>()) < kRounding);
        }
    });
}

TEST_CASE("frames without a requested motion keep none of the previous state on every robot") {
    at_random_states(all(), 1, 47, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q, state.yd, state.ydd).ok());
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q, state.yd).ok());
        const auto moving = [&](std::size_t f) { return model.frames[f].body != grbda::world; };
        for (std::size_t f = 0; f < model.frames.size(); ++f) {
            const int frame = static_cast<int>(f);
            CHECK(grbda::frame_velocity(model, data, frame, ReferenceFrame::local).allFinite());
            if (!moving(f)) continue;
            CHECK(grbda::frame_acceleration(model, data, frame, ReferenceFrame::local).hasNaN());
        }
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q).ok());
        for (std::size_t f = 0; f < model.frames.size(); ++f)
            if (moving(f))
                CHECK(
                    grbda::frame_velocity(model, data, static_cast<int>(f), ReferenceFrame::local).hasNaN());
    });
}

TEST_CASE("a frame's Jacobian times velocity is its twist on every robot") {
    at_random_states(all(), kStates, 44, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q, state.yd).ok());
        grbda::Matrix6X<double> J(6, model.nv);
        for (int f = 0; f < static_cast<int>(model.frames.size()); ++f)
            for (ReferenceFrame axes : {ReferenceFrame::local, ReferenceFrame::world_aligned}) {
                grbda::frame_jacobian<double>(model, data, f, axes, J);
                CHECK(relative(J * state.yd, grbda::frame_velocity(model, data, f, axes)) < kRounding);
            }
    });
}

TEST_CASE("external wrenches act through body Jacobians on every robot") {
    at_random_states(all(), kStates, 45, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd).ok());
        const Eigen::VectorXd free = data.tau;
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
        const Eigen::VectorXd pushed = data.tau;
        REQUIRE(grbda::forward_kinematics<double>(model, data, state.q).ok());
        Eigen::VectorXd push = Eigen::VectorXd::Zero(model.nv);
        grbda::Matrix6X<double> J(6, model.nv);
        for (int i = 0; i < model.body_count(); ++i) {
            grbda::body_jacobian<double>(model, data, i, ReferenceFrame::local, J);
            push += J.transpose() * state.wrenches.col(i);
        }
        CHECK((free - pushed - push).norm() < kRounding * (1 + free.norm() + push.norm()));
    });
}
