#include <algorithm>
#include <cmath>

#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "support/body_poses.hpp"
#include "support/robots.hpp"

// Each name leads to the coordinates that move exactly that joint. The independent way: poses of frames are
// compared before and after a finite change of one range, and no index of the model is used to find the
// joints.

using namespace grbda;
using namespace test_robots;

namespace {

constexpr double kMoves = 1e-3;  ///< of a change by 0.1, far above what its largest lever arm could hide
constexpr double kStill = 1e-9;  ///< rounding of poses of robots of a few metres
constexpr int kStates = 2;

/// Pose of the child link of each joint in its parent link; after forward_kinematics.
std::vector<Pose> relative_poses(const Model& model, const Workspace<double>& data) {
    const auto pose = [&](const std::string& link) {
        if (link.empty()) return Pose{};  // the world
        const int frame = model.link(link).index;
        return Pose{frame_orientation(model, data, frame), frame_position(model, data, frame)};
    };
    std::vector<Pose> poses;
    for (const std::string& name : model.names.joints) {
        const NamedJoint joint = model.joint(name);
        poses.push_back(inverse(pose(joint.parent_link)) * pose(joint.child_link));
    }
    return poses;
}

double distance(const Pose& a, const Pose& b) {
    return (a.rotation - b.rotation).norm() + (a.translation - b.translation).norm();
}

/// Places of a range, which must lie in [0, size).
std::vector<int> places(const Range& range, int size) {
    CHECK(range.first >= 0);
    CHECK(range.last <= size);
    std::vector<int> all;
    for (const int i : range) all.push_back(i);
    return all;
}

void check_partition(std::vector<int> all, int size) {
    std::sort(all.begin(), all.end());
    REQUIRE(static_cast<int>(all.size()) == size);
    for (int i = 0; i < size; ++i) CHECK(all[static_cast<std::size_t>(i)] == i);
}

/// q with one joint's numbers changed; a quaternion stays a unit quaternion.
Eigen::VectorXd changed(const NamedJoint& joint, Eigen::VectorXd q) {
    auto own = q.segment(joint.q.first, joint.q.size());
    for (int i = 0; i < own.size(); ++i) own[i] += 0.1 * (i + 1);
    if (has_quaternion(joint.type)) own.tail<4>().normalize();
    return q;
}

}  // namespace

TEST_CASE("the ranges of all joints are all of q, q̇ and ẏ, each number once") {
    for (const Robot* robot : all()) {
        INFO(robot->name);
        const Model& model = robot->model;
        std::vector<int> q, v, y;
        for (const std::string& name : model.names.joints) {
            const NamedJoint joint = model.joint(name);
            CHECK(joint.name == name);
            const auto add = [](std::vector<int>& to, const std::vector<int>& more) {
                to.insert(to.end(), more.begin(), more.end());
            };
            add(q, places(joint.q, model.nq));
            add(v, places(joint.v, model.nv_tree));
            add(y, places(joint.y, model.nv));
        }
        check_partition(q, model.nq);
        check_partition(v, model.nv_tree);
        check_partition(y, model.nv);
    }
}

TEST_CASE("a change of a joint's range of q moves that joint alone") {
    at_random_states(all(), 1, 7, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        // without the loops: every joint of the tree is free, and rods, which follow loops, carry no joint
        Workspace<double> data(model);
        REQUIRE(forward_kinematics<double>(model, data, state.q).ok());
        const std::vector<Pose> before = relative_poses(model, data);
        for (std::size_t i = 0; i < before.size(); ++i) {
            // the slide of a strut moves nothing itself; its link follows the loop as rods do
            const auto follows = [&](std::size_t body) { return is_length(model, static_cast<int>(body)); };
            if (follows(i)) continue;
            const NamedJoint joint = model.joint(model.names.joints[i]);
            INFO(joint.name);
            const Result result = forward_kinematics<double>(model, data, changed(joint, state.q));
            if (!result.ok() && result.status != Status::singular_constraint) continue;
            const std::vector<Pose> after = relative_poses(model, data);
            for (std::size_t j = 0; j < after.size(); ++j) {
                if (follows(j)) continue;
                const double moved = distance(before[j], after[j]);
                if (j == i)
                    CHECK(moved > kMoves);
                else
                    CHECK(moved < kStill);
            }
        }
    });
}

TEST_CASE("a change of a joint's range of y moves no other independent joint") {
    at_random_states(all(), 1, 8, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Workspace<double> data(model);
        REQUIRE(forward_kinematics<double>(model, data, state.q).ok());
        const std::vector<Pose> before = relative_poses(model, data);
        for (std::size_t i = 0; i < before.size(); ++i) {
            const NamedJoint joint = model.joint(model.names.joints[i]);
            INFO(joint.name);
            if (joint.y.empty()) continue;
            Eigen::VectorXd delta = Eigen::VectorXd::Zero(model.nv), q(model.nq);
            delta.segment(joint.y.first, joint.y.size()).setConstant(1e-2);
            if (!integrate<double>(model, data, state.q, delta, q).ok()) continue;
            if (!forward_kinematics<double>(model, data, q).ok()) continue;
            const std::vector<Pose> after = relative_poses(model, data);
            for (std::size_t j = 0; j < after.size(); ++j) {
                const NamedJoint other = model.joint(model.names.joints[j]);
                // some components of such a joint may follow others
                if (other.y.size() < other.v.size() && !other.y.empty()) continue;
                if (is_length(model, static_cast<int>(j))) continue;
                if (j == i) CHECK(distance(before[j], after[j]) > kMoves);
                if (j != i && !other.y.empty()) CHECK(distance(before[j], after[j]) < kStill);
            }
        }
    });
}

TEST_CASE("a joint's range of q̇ is the rate of its pose") {
    constexpr double h = 1e-5, tolerance = 1e-4;  // differences of h, of rates near 1
    at_random_states(all(), kStates, 9, [&](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Workspace<double> data(model);
        if (!spanning_velocity<double>(model, data, state.q, state.yd).ok()) return;
        const Eigen::VectorXd qd = data.qd;
        std::vector<Pose> poses[2];
        for (const int side : {0, 1}) {
            Eigen::VectorXd q(model.nq);
            const Eigen::VectorXd delta = (side == 0 ? -h : h) * state.yd;
            if (!integrate<double>(model, data, state.q, delta, q).ok()) return;
            if (!forward_kinematics<double>(model, data, q).ok()) return;
            poses[side] = relative_poses(model, data);
        }
        for (std::size_t i = 0; i < poses[0].size(); ++i) {
            const NamedJoint joint = model.joint(model.names.joints[i]);
            INFO(joint.name);
            if (joint.v.size() != 1 && joint.type != JointType::floating) continue;
            if (is_length(model, static_cast<int>(i))) continue;
            const Eigen::Matrix3d turned = poses[0][i].rotation.transpose() * poses[1][i].rotation;
            const Eigen::Vector3d way = poses[1][i].translation - poses[0][i].translation;
            const Eigen::Vector3d spin(turned(2, 1) - turned(1, 2), turned(0, 2) - turned(2, 0),
                                       turned(1, 0) - turned(0, 1));
            const auto own = qd.segment(joint.v.first, joint.v.size());
            const bool slides = joint.type == JointType::prismatic;
            const double angular = slides ? 0 : own.tail(std::min<Eigen::Index>(3, own.size())).norm();
            const double scale = 1 + qd.norm();
            CHECK(std::abs(spin.norm() / 2 / (2 * h) - angular) < tolerance * scale);
            if (slides || joint.type == JointType::floating)
                CHECK(std::abs(way.norm() / (2 * h) - own.head(slides ? 1 : 3).norm()) < tolerance * scale);
        }
    });
}

TEST_CASE("a link or frame is moved by the joint that its name gives") {
    for (const Robot* robot : all()) {
        INFO(robot->name);
        const Model& model = robot->model;
        for (std::size_t i = 0; i < model.frames.size(); ++i) {
            const NamedFrame frame = model.frame(model.frames[i].name);
            INFO(frame.name);
            CHECK(frame.index == static_cast<int>(i));
            CHECK(frame.body == model.frames[i].body);
            if (frame.joint.empty()) {
                CHECK((frame.body == world || model.is_rod(frame.body)));
                CHECK((frame.q.empty() && frame.v.empty() && frame.y.empty()));
                continue;
            }
            const NamedJoint joint = model.joint(frame.joint);
            CHECK(joint.index == frame.body);
            CHECK(joint.cluster == frame.cluster);
            CHECK(joint.q.first == frame.q.first);
            CHECK(joint.v.last == frame.v.last);
            CHECK(joint.y.size() == frame.y.size());
        }
        for (const LinkDescription& link : robot->description.links)
            CHECK(model.link(link.name).index == model.frame(link.name).index);
        for (const FrameDescription& frame : robot->description.frames)
            CHECK_THROWS_AS(model.link(frame.name), std::invalid_argument);
    }
}

TEST_CASE("joints without coordinates are refused with the reason") {
    int loops = 0, rods = 0;
    for (const Robot* robot : all()) {
        const Names& names = robot->model.names;
        for (const std::string& loop : names.loops) {
            CHECK_THROWS_WITH(robot->model.joint(loop), Catch::Contains("'" + loop + "' closes a loop"));
            ++loops;
        }
        for (const RodNames& rod : names.rods)
            for (const std::string& joint : rod.joints) {
                if (std::count(names.loops.begin(), names.loops.end(), joint) != 0) continue;
                CHECK_THROWS_WITH(robot->model.joint(joint), Catch::Contains("end of the rod"));
                ++rods;
            }
    }
    CHECK(loops > 100);
    CHECK(rods > 0);
}

TEST_CASE("a listed joint with several velocities keeps them side by side in y") {
    RobotDescription robot;
    for (const char* name : {"base", "upper", "ball", "last"}) {
        LinkDescription link;
        link.name = name;
        link.inertial = Inertial{1, {0, 0, 0.1}, Eigen::Matrix3d::Identity()};
        robot.links.push_back(link);
    }
    for (int i = 0; i < 3; ++i) {
        JointDescription joint;
        joint.name = std::string("joint_") + robot.links[static_cast<std::size_t>(i) + 1].name;
        joint.type = i == 1 ? JointType::spherical : JointType::revolute;
        joint.parent = robot.links[static_cast<std::size_t>(i)].name;
        joint.child = robot.links[static_cast<std::size_t>(i) + 1].name;
        joint.origin.translation = {0, 0, 0.2};
        joint.axis = {1, 0, 0};
        robot.joints.push_back(joint);
    }
    robot.coordinates = {"joint_last", "joint_ball"};
    const Model model = build_model(robot);
    CHECK(model.joint("joint_upper").y.first == 0);
    CHECK(model.joint("joint_last").y.first == 1);
    CHECK(model.joint("joint_ball").y.first == 2);
    CHECK(model.joint("joint_ball").y.size() == 3);
}
