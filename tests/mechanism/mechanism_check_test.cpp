#include <catch2/catch.hpp>

#include <limits>

#include <Eigen/Eigenvalues>

#include "mechanism/mechanism_fixture.hpp"

using namespace mechanism_fixture;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

/// A valid tree of two joints.
Robot arm() {
    Robot robot({"base", "upper", "lower"});
    robot.joint("shoulder", "base", "upper");
    robot.joint("elbow", "upper", "lower");
    return robot;
}

}  // namespace

TEST_CASE("names must be given and unique, links apart from joints") {
    CHECK(make(arm()).diagnostics.empty());
    Robot robot = arm();
    robot.joints[0].name = "upper";  // a link may be called so too
    CHECK(make(robot).diagnostics.empty());

    robot = arm();
    robot.joints[1].name = "shoulder";
    CHECK(
        make(robot).only_error({"joint 'shoulder'", "unique", "the first in line 200", "robot.urdf:201:1"}));
    robot.joints[1].name = "";
    CHECK(make(robot).only_error({"joint without a name", "entry 2"}));

    robot = arm();
    robot.link("upper", solid(1));
    CHECK(make(robot).only_error({"link 'upper'", "unique"}));
    robot.links.back().name = "";
    CHECK(make(robot).only_error({"link without a name"}));

    robot = arm();
    robot.loop("x", "upper", "base");
    robot.coupling("x", "upper", "lower", 1);
    robot.linear("x", {{"elbow", 1, {}}});
    CHECK(make(robot).count(Severity::error, {"'x'", "unique name among the loops and couplings"}) == 2);
    robot.loops[0].name = "";
    CHECK(make(robot).count(Severity::error, {"loop without a name"}) == 1);

    robot = arm();
    robot.frames.push_back({"lower", "upper", {}, {}});
    CHECK(make(robot).only_error({"frame 'lower'", "unique"}));
}

TEST_CASE("names with template placeholders are refused, because no URDF file can contain them") {
    for (const std::string name : {"${side}_arm", "arm_$(arg side)", "$("}) {
        INFO(name);
        Robot robot = arm();
        robot.joints[1].name = name;
        CHECK(make(robot).count(Severity::error, {"joint '" + name + "'", "a name without '${' and '$('"}) ==
              1);
        robot = arm();
        robot.name = name;
        CHECK(make(robot).only_error({"robot '" + name + "'", "a name without"}));
        robot = arm();
        robot.states.push_back({name, "", {}, {}});
        CHECK(make(robot).only_error({"state '" + name + "'", "a name without"}));
        robot.states.back() = {"home", name, {}, {}};
        CHECK(make(robot).only_error({"state 'home'", "a name without"}));
    }
    Robot robot = arm();
    robot.joints[1].name = "costs $5 {net}";
    CHECK(make(robot).diagnostics.empty());
}

TEST_CASE("unknown names are errors with the nearest known one") {
    Robot robot = arm();
    robot.joints[1].parent = "uper";
    CHECK(
        make(robot).only_error({"joint 'elbow'", "known link as parent", "'uper'", "did you mean 'upper'?"}));
    robot.joints[1].child = "lowr";
    CHECK(make(robot).count(Severity::error) == 2);

    robot = arm();
    robot.loop("l", "bse", "lower");
    CHECK(make(robot).only_error({"loop 'l'", "predecessor", "did you mean 'base'?"}));
    robot = arm();
    robot.coupling("c", "upper", "nothing_like_it", 1);
    CHECK(make(robot).only_error({"coupling 'c'", "successor", "'nothing_like_it'"}));
    CHECK(make(robot).count(Severity::error, {"did you mean"}) == 0);
    robot = arm();
    robot.linear("c", {{"elbow", 1, {}}, {"sholder", 1, {"robot.urdf", 77, 3}}});
    CHECK(make(robot).only_error({"robot.urdf:77:3", "coupling 'c'", "did you mean 'shoulder'?"}));
    robot = arm();
    robot.mimic("elbow", "sholder", 1);
    CHECK(make(robot).only_error({"joint 'elbow' (mimic)", "did you mean 'shoulder'?"}));
    robot = arm();
    robot.frames.push_back({"tool", "lowr", {}, {}});
    CHECK(make(robot).only_error({"frame 'tool'", "did you mean 'lower'?"}));
    robot = arm();
    robot.actuated = {"elbw"};
    CHECK(make(robot).only_error({"actuated joint 'elbw'", "did you mean 'elbow'?"}));
    robot = arm();
    robot.start["elbw"] = {0};
    CHECK(make(robot).only_error({"start of joint 'elbw'", "did you mean 'elbow'?"}));
}

TEST_CASE("start positions must have the size of the joint, be finite and turn quaternions") {
    Robot robot = arm();
    robot.joints[0].type = JointType::spherical;
    robot.start["shoulder"] = {0, 0, 0};
    CHECK(
        make(robot).only_error({"start of joint 'shoulder'", "4 numbers for a spherical joint", "found 3"}));
    robot.start["shoulder"] = {0, 0, 0, 0};
    CHECK(make(robot).only_error({"quaternion other than zero"}));
    robot.start["shoulder"] = {0, 0, not_a_number, 1};
    CHECK(make(robot).only_error({"finite numbers"}));
    robot.start.clear();
    robot.start["root_joint"] = {1, 2, 3, 0, 0, 0, 1};
    CHECK(make(robot).only_error({"a known joint", "'root_joint'"}));
    CHECK(make(robot, floating_base()).diagnostics.empty());
}

TEST_CASE("numbers must be finite") {
    for (const double bad : {not_a_number, infinity}) {
        Robot robot = arm();
        robot.links[1].inertial->mass = bad;
        CHECK(make(robot).only_error({"link 'upper'", "finite numbers in its inertial"}));
        robot = arm();
        robot.links[1].inertial->com[2] = bad;
        CHECK(make(robot).only_error({"link 'upper'", "finite"}));
        robot = arm();
        robot.links[1].inertial->inertia(0, 2) = bad;
        CHECK(make(robot).only_error({"link 'upper'", "finite"}));
        robot = arm();
        robot.joints[0].origin.translation[1] = bad;
        CHECK(make(robot).only_error({"joint 'shoulder'", "finite numbers in its origin"}));
        robot = arm();
        robot.joints[0].axis[1] = bad;
        CHECK(make(robot).only_error({"joint 'shoulder'", "finite numbers in its axis"}));
        robot = arm();
        robot.joints[0].damping = bad;
        CHECK(make(robot).only_error({"joint 'shoulder'", "finite damping"}));
        robot = arm();
        robot.coupling("c", "upper", "lower", bad);
        CHECK(make(robot).only_error({"coupling 'c'", "finite ratio"}));
        robot = arm();
        robot.linear("c", {{"elbow", bad, {}}});
        CHECK(make(robot).only_error({"coupling 'c'", "finite coefficient", "'elbow'"}));
        robot = arm();
        robot.linear("c", {{"elbow", 1, {}}}, bad);
        CHECK(make(robot).only_error({"coupling 'c'", "finite offset"}));
        robot = arm();
        robot.loop("l", "lower", "base").successor_origin.translation[0] = bad;
        CHECK(make(robot).only_error({"loop 'l'", "finite numbers in the successor's origin"}));
    }
    Robot robot = arm();
    robot.joints[0].limits.upper = not_a_number;
    CHECK(make(robot).only_error({"joint 'shoulder'", "numbers as limits"}));
}

TEST_CASE("moments of inertia that rounding made negative become zero, with a note") {
    // The largest moment of the robot is 0.04: 1e-12 of it is rounding, whatever the link's own moments are.
    for (const double moment : {-1e-18, -1e-15, -3e-14}) {
        INFO(moment);
        Robot robot = arm();
        robot.links[1].inertial->inertia.diagonal() << moment, 0, 0;
        const Result result = make(robot);
        CHECK(result.diagnostics.size() == 1);
        CHECK(result.count(Severity::note, {"below zero", "taken as zero", "links 'upper'"}) == 1);
        CHECK(result.mechanism.bodies[0].inertia.inertia.isZero(0));
    }
    Robot robot = arm();
    robot.links[1].inertial->inertia.diagonal() << -1e-12, 0, 0;
    CHECK(make(robot).only_error({"link 'upper'", "positive semi-definite"}));

    // Figures of six digits for a rod in turned axes: its own rounding.
    robot = arm();
    robot.links[1].inertial->inertia << 0.333333, -0.3333331, 0, -0.3333331, 0.333333, 0, 0, 0, 0.666666;
    const Result result = make(robot);
    CHECK(result.diagnostics.size() == 1);
    CHECK(result.count(Severity::note, {"taken as zero", "links 'upper'"}) == 1);
    const Eigen::Matrix3d& inertia = result.mechanism.bodies[0].inertia.inertia;
    CHECK(Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues()[0] > -1e-15);
    CHECK((inertia - robot.links[1].inertial->inertia).norm() < 1e-6);
}

TEST_CASE("masses and inertias must be possible") {
    Robot robot = arm();
    robot.links[1].inertial->mass = -1;
    CHECK(make(robot).only_error({"link 'upper'", "a mass of zero or more", "found -1"}));
    robot = arm();
    robot.links[1].inertial->inertia(0, 1) = robot.links[1].inertial->inertia(1, 0) = 0.03;
    CHECK(make(robot).only_error({"link 'upper'", "positive semi-definite", "principal moments -0.005"}));
    robot = arm();
    robot.links[1].inertial->inertia(0, 1) = 0.003;
    CHECK(make(robot).only_error({"link 'upper'", "a symmetric inertia"}));

    robot = arm();
    robot.links[1].inertial->inertia.diagonal() << 1, 1, 3;
    CHECK(make(robot).count(Severity::warning, {"link 'upper'", "1, 1, 3"}) == 1);
    CHECK_FALSE(has_errors(make(robot).diagnostics));
    CHECK(make(robot, strict()).only_error({"link 'upper'", "sum of the others"}));

    // A thin rod, turned and printed with seven digits, is no mistake.
    robot.links[1].inertial->inertia << 0.25, -0.4330127, 0, -0.4330127, 0.75, 0, 0, 0, 1;
    CHECK(make(robot, strict()).diagnostics.empty());
}

TEST_CASE("an impossible inertia of a fixed link is a warning, and an error if the base floats") {
    Robot robot({"base", "plate"});
    robot.link("arm", solid(1));
    robot.joint("f", "base", "plate", JointType::fixed);
    robot.joint("j", "plate", "arm");
    LoadOptions floating;
    floating.floating_base = true;
    for (const std::size_t link : {0u, 1u}) {
        for (const auto& [mass, moment] : {std::pair(-1., 1.), {1., -1.}}) {
            Robot changed = robot;
            changed.links[link].inertial =
                Inertial{mass, Eigen::Vector3d::Zero(), moment * Eigen::Matrix3d::Identity()};
            const Result result = make(changed);
            INFO(result.text());
            CHECK_FALSE(has_errors(result.diagnostics));
            CHECK(result.count(Severity::warning,
                               {"link '" + changed.links[link].name + "'", "stands still"}) == 1);
            CHECK(has_errors(make(changed, floating).diagnostics));
        }
    }
    robot.links[2].inertial->mass = -1;
    CHECK(make(robot).only_error({"link 'arm'", "a mass of zero or more"}));
}

TEST_CASE("joints must have an axis if their type needs one, and only then") {
    using Types = std::vector<JointType>;
    for (const JointType type : Types{JointType::revolute, JointType::continuous, JointType::prismatic,
                                      JointType::cylindrical, JointType::planar, JointType::universal}) {
        Robot robot = arm();
        robot.joints[0].type = type;
        robot.joints[0].axis.setZero();
        CHECK(make(robot).only_error({"joint 'shoulder'", "an axis that is not zero"}));
    }
    for (const JointType type : Types{JointType::fixed, JointType::spherical, JointType::floating}) {
        Robot robot = arm();
        robot.joints[0].type = type;
        robot.joints[0].axis.setConstant(not_a_number);
        robot.joints[0].axis2.setZero();
        const Result result = make(robot);
        CHECK(result.diagnostics.empty());
        CHECK(result.mechanism.bodies[0].axis.allFinite());
    }
    Robot robot = arm();
    robot.joints[0].type = JointType::universal;
    robot.joints[0].axis2 << 0, 0, -2;
    CHECK(make(robot).only_error({"joint 'shoulder'", "not parallel"}));
    robot.joints[0].axis2.setZero();
    CHECK(make(robot).only_error({"joint 'shoulder'", "an axis2 that is not zero"}));

    using LoopTypes = std::vector<LoopType>;
    for (const LoopType type :
         LoopTypes{LoopType::revolute, LoopType::continuous, LoopType::prismatic, LoopType::helical,
                   LoopType::cylindrical, LoopType::planar, LoopType::universal}) {
        robot = arm();
        robot.loop("l", "lower", "base", type).axis << 0, 0, 1e-12;
        robot.loops[0].pitch = 1;
        CHECK(make(robot).only_error({"loop 'l'", "an axis that is not zero"}));
    }
    robot = arm();
    robot.loop("l", "lower", "base", LoopType::universal).axis2 = Eigen::Vector3d::UnitX();
    CHECK(make(robot).only_error({"loop 'l'", "not parallel"}));
    robot.loops[0].type = LoopType::spherical;
    CHECK(make(robot).diagnostics.empty());
}

TEST_CASE("rotations must be rotations and limits in order") {
    Robot robot = arm();
    robot.joints[0].origin.rotation(0, 0) = 1.001;
    CHECK(make(robot).only_error({"joint 'shoulder'", "a rotation matrix in its origin", "orthonormal"}));
    robot.joints[0].origin.rotation = -Eigen::Matrix3d::Identity();
    CHECK(make(robot).only_error({"joint 'shoulder'", "a reflection"}));
    robot = arm();
    robot.frames.push_back({"tool", "lower", {}, {}});
    robot.frames[0].origin.rotation.setZero();
    CHECK(make(robot).only_error({"frame 'tool'", "a rotation matrix"}));

    robot = arm();
    robot.joints[0].limits.lower = 1;
    robot.joints[0].limits.upper = 0.5;
    CHECK(make(robot).only_error({"joint 'shoulder'", "lower 1, upper 0.5"}));
    robot.joints[0].type = JointType::continuous;
    CHECK(make(robot).diagnostics.empty());
    robot = arm();
    robot.joints[0].armature = -1;
    CHECK(make(robot).only_error({"joint 'shoulder'", "armature"}));
}

TEST_CASE("all findings are collected in one go") {
    Robot robot = arm();
    robot.links[1].inertial->mass = -1;
    robot.joints[0].axis.setZero();
    robot.joints[1].limits = {2, 1, 0, 0};
    robot.coupling("c", "upper", "lowr", 0);
    robot.actuated = {"nobody"};
    robot.loop("l", "lower", "lower");
    const Result result = make(robot);
    INFO(result.text());
    CHECK(result.count(Severity::error) == 7);
    const LoadError error(result.diagnostics);
    CHECK(std::string(error.what()).find("7 errors") != std::string::npos);
}

TEST_CASE("helical joints and loops have a finite pitch other than zero") {
    Robot robot = arm();
    robot.joints[0].type = JointType::helical;
    for (const double bad : {0.0, not_a_number, infinity}) {
        robot.joints[0].pitch = bad;
        CHECK(make(robot).only_error({"joint 'shoulder'", "a pitch other than zero, in metres per radian"}));
    }
    robot.joints[0].pitch = -0.01;
    robot.loop("l", "lower", "base", LoopType::helical);
    for (const double bad : {0.0, not_a_number, infinity}) {
        robot.loops[0].pitch = bad;
        CHECK(make(robot).only_error({"loop 'l'", "a pitch other than zero, in metres per radian"}));
    }
    robot.loops[0].pitch = -1e-10;
    CHECK(make(robot).only_error({"loop 'l'", "a pitch of at least 1e-9 m/rad"}));
    robot.loops[0].pitch = 0.02;
    const Result result = make(robot);
    CHECK(result.diagnostics.empty());
    CHECK(result.mechanism.bodies[0].pitch == -0.01);
    CHECK(result.mechanism.loops[0].pitch == 0.02);
}
