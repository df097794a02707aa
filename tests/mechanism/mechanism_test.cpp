#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

#include "mechanism/mechanism_fixture.hpp"
#include "support/counted_allocations.hpp"

using namespace mechanism_fixture;

namespace {

/// Composed placements of a few metres: rounding only.
constexpr double rounding = 1e-14;

std::vector<std::string> body_names(const Mechanism& mechanism) {
    std::vector<std::string> names;
    for (const MechanismBody& body : mechanism.bodies) names.push_back(body.name);
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("bodies come depth-first with siblings in document order of their joints") {
    Robot robot({"d", "base", "c", "a", "b", "e"});
    robot.joint("to_b", "base", "b");
    robot.joint("to_c", "base", "c");
    robot.joint("to_e", "b", "e");
    robot.joint("to_a", "b", "a");
    robot.joint("to_d", "c", "d");
    const Result result = make(robot);
    INFO(result.text());
    CHECK(result.diagnostics.empty());
    CHECK(result.mechanism.name == "robot");
    CHECK(result.mechanism.root == "base");
    CHECK(body_names(result.mechanism) == Names{"b", "e", "a", "c", "d"});
    CHECK(result.mechanism.bodies[2].parent == 0);
    CHECK(result.mechanism.bodies[3].parent == world);
    CHECK(result.mechanism.bodies[4].parent == 3);
    CHECK(result.mechanism.bodies[4].joint == "to_d");
}

TEST_CASE("children below a fixed link are numbered at the place of that link") {
    Robot robot({"base", "plate", "first", "second"});
    robot.joint("weld", "base", "plate", JointType::fixed);
    robot.joint("to_second", "base", "second");
    robot.joint("to_first", "plate", "first");
    CHECK(body_names(make(robot).mechanism) == Names{"first", "second"});
}

TEST_CASE("fixed joints are fused with poses carried into joints, loops and frames") {
    Robot robot({"base", "mount", "arm", "hand", "finger", "peg"});
    const Pose mount = turned(0.3, {1, 2, 3}, {0.1, 0.2, 0.3});
    const Pose hand = turned(-0.7, {0, 1, 1}, {0.4, 0, 0.1});
    const Pose finger = turned(1.1, {1, 0, 1}, {0, 0.2, 0});
    robot.joint("j1", "base", "mount", JointType::fixed).origin = mount;
    robot.joint("j2", "mount", "arm");
    robot.joint("j3", "arm", "hand", JointType::fixed).origin = hand;
    robot.joint("j4", "hand", "finger").origin = finger;
    robot.joint("j5", "base", "peg");
    LoopDescription& loop = robot.loop("l", "hand", "mount", LoopType::spherical);
    loop.predecessor_origin = at(0, 0, 1);
    loop.successor_origin = at(0, 2, 0);
    robot.frames.push_back({"tool", "hand", at(3, 0, 0), {}});

    const Result result = make(robot);
    INFO(result.text());
    REQUIRE(result.diagnostics.empty());
    const Mechanism& m = result.mechanism;
    REQUIRE(body_names(m) == Names{"arm", "finger", "peg"});
    CHECK(m.bodies[0].placement.rotation.isApprox(mount.rotation, rounding));
    CHECK(m.bodies[0].placement.translation.isApprox((mount * at(1, 0, 0)).translation, rounding));
    CHECK(m.bodies[1].parent == 0);
    CHECK(m.bodies[1].placement.rotation.isApprox((hand * finger).rotation, rounding));
    CHECK(m.bodies[1].placement.translation.isApprox((hand * finger).translation, rounding));

    REQUIRE(m.loops.size() == 1);
    CHECK(m.loops[0].predecessor == 0);
    CHECK(m.loops[0].successor == world);
    CHECK(m.loops[0].predecessor_placement.translation.isApprox((hand * at(0, 0, 1)).translation, rounding));
    CHECK(m.loops[0].successor_placement.translation.isApprox((mount * at(0, 2, 0)).translation, rounding));

    REQUIRE(m.frames.size() == robot.links.size() + 1);
    const std::vector<int> bodies{world, world, 0, 0, 1, 2, 0};
    for (std::size_t i = 0; i < bodies.size(); ++i) CHECK(m.frames[i].body == bodies[i]);
    CHECK(m.frames[1].name == "mount");
    CHECK(m.frames[1].placement.rotation.isApprox(mount.rotation, rounding));
    CHECK(m.frames[3].placement.translation.isApprox(hand.translation, rounding));
    CHECK(m.frames[6].name == "tool");
    CHECK(m.frames[6].placement.translation.isApprox((hand * at(3, 0, 0)).translation, rounding));
}

TEST_CASE("two point masses on a fixed link make the dumbbell of the textbook") {
    Robot robot;
    robot.link("base", std::nullopt);
    Inertial point;
    point.mass = 2;
    robot.link("near", point);
    point.mass = 1;
    point.com << 0, 0, 0.5;  // becomes x = 0.5 in the body by the turn below
    robot.link("far", point);
    robot.joint("axle", "base", "near");
    const Pose quarter = turned(std::acos(-1.0) / 2, {0, 1, 0}, {1, 0, 0});
    robot.joint("rod", "near", "far", JointType::fixed).origin = quarter;
    const Result result = make(robot);
    REQUIRE(result.mechanism.bodies.size() == 1);
    const Inertial& inertia = result.mechanism.bodies[0].inertia;
    // Masses 2 and 1 at x = 0 and 1.5: com at 0.5, reduced mass 2/3, 2/3 · 1.5² = 1.5 about y and z.
    CHECK(inertia.mass == Approx(3));
    CHECK((inertia.com - Eigen::Vector3d(0.5, 0, 0)).norm() < rounding);
    const Eigen::Vector3d moments(0, 1.5, 1.5);
    CHECK((inertia.inertia - Eigen::Matrix3d(moments.asDiagonal())).cwiseAbs().maxCoeff() < rounding);
}

TEST_CASE("a fused inertia is that of its parts about the body's origin") {
    Robot robot({"base", "top", "middle", "end"});
    robot.links[2].inertial = solid(2);
    robot.links[3].inertial = solid(0.3);
    const Pose middle = turned(0.4, {1, 1, 0}, {0.1, 0, 0.2});
    const Pose end = turned(2, {0, 1, 3}, {0, 0.3, 0});
    robot.joint("j", "base", "top");
    robot.joint("f1", "top", "middle", JointType::fixed).origin = middle;
    robot.joint("f2", "middle", "end", JointType::fixed).origin = end;
    const Inertial whole = make(robot).mechanism.bodies.at(0).inertia;

    const auto about_origin = [](const Inertial& part, const Pose& pose) {
        const Eigen::Vector3d c = pose.translation + pose.rotation * part.com;
        const Eigen::Matrix3d turned_inertia = pose.rotation * part.inertia * pose.rotation.transpose();
        return Eigen::Matrix3d(
            turned_inertia + part.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose()));
    };
    const Eigen::Matrix3d expected = about_origin(solid(1), Pose()) + about_origin(solid(2), middle) +
                                     about_origin(solid(0.3), middle * end);
    CHECK(whole.mass == Approx(3.3));
    CHECK((about_origin(whole, Pose()) - expected).cwiseAbs().maxCoeff() < rounding);
}

TEST_CASE("links fixed to a fixed root are part of the world") {
    Robot robot({"base", "pedestal", "arm"});
    robot.joint("bolt", "base", "pedestal", JointType::fixed);
    robot.joint("hinge", "pedestal", "arm");
    const Result result = make(robot);
    CHECK(body_names(result.mechanism) == Names{"arm"});
    CHECK(result.mechanism.bodies[0].inertia.mass == 1);

    const Result free = make(robot, floating_base());
    INFO(free.text());
    CHECK_FALSE(has_errors(free.diagnostics));
    REQUIRE(body_names(free.mechanism) == Names{"base", "arm"});
    CHECK(free.mechanism.bodies[0].joint == "root_joint");
    CHECK(free.mechanism.bodies[0].type == JointType::floating);
    CHECK(free.mechanism.bodies[0].parent == world);
    CHECK(free.mechanism.bodies[0].inertia.mass == 2);
    CHECK(free.mechanism.bodies[1].parent == 0);
    CHECK(free.mechanism.frames[1].body == 0);
    CHECK(make(Robot({"brick"})).mechanism.bodies.empty());
    CHECK(make(Robot({"brick"}), floating_base()).mechanism.bodies.size() == 1);
}

TEST_CASE("a floating base is refused if the base would not float") {
    Robot robot({"base", "torso", "leg"});
    robot.links[0].inertial.reset();
    robot.joint("float", "base", "torso", JointType::floating);
    robot.joint("hip", "torso", "leg");
    CHECK_FALSE(has_errors(make(robot).diagnostics));
    CHECK(make(robot, floating_base()).only_error({"joint 'float'", "floats already"}));
    robot.links[0].inertial = solid(1);
    CHECK_FALSE(has_errors(make(robot, floating_base()).diagnostics));

    Robot named({"base", "arm"});
    named.joint("root_joint", "base", "arm");
    CHECK(make(named).diagnostics.empty());
    CHECK(make(named, floating_base()).only_error({"joint 'root_joint'", "rename"}));
    Robot link({"root_joint", "arm"});
    link.joint("j", "root_joint", "arm");
    CHECK(make(link, floating_base()).only_error({"link 'root_joint'", "rename"}));
}

TEST_CASE("continuous joints and revolute ones without limits are unbounded revolute joints") {
    Robot robot({"base", "a", "b", "c", "d"});
    robot.joint("ja", "base", "a", JointType::continuous).limits.upper = 1;
    robot.joint("jb", "base", "b");
    robot.joint("jc", "base", "c").limits.lower = -1;
    robot.joint("jd", "base", "d", JointType::prismatic).axis << 0, 3, 4;
    const Mechanism m = make(robot).mechanism;
    CHECK(m.bodies[0].type == JointType::revolute);
    CHECK_FALSE(m.bodies[0].bounded);
    CHECK(m.bodies[0].limits.upper == std::numeric_limits<double>::infinity());
    CHECK_FALSE(m.bodies[1].bounded);
    CHECK(m.bodies[2].bounded);
    CHECK(m.bodies[3].axis.isApprox(Eigen::Vector3d(0, 0.6, 0.8)));
}

TEST_CASE("actuated joints, start, damping and armature are carried to the bodies") {
    Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a").armature = 0.25;
    JointDescription& ball = robot.joint("jb", "a", "b", JointType::spherical);
    ball.damping = 0.5;
    ball.independent = false;
    robot.actuated = {"ja"};
    robot.start = {{"jb", {0, 0, 0, 2}}, {"ja", {0.3}}};
    const Result result = make(robot);
    CHECK(result.mechanism.bodies[0].actuated);
    CHECK_FALSE(result.mechanism.bodies[1].actuated);
    CHECK(result.mechanism.bodies[0].armature == 0.25);
    CHECK(result.mechanism.bodies[1].damping == 0.5);
    CHECK(result.mechanism.bodies[1].independent == false);
    CHECK(result.mechanism.start.at("jb") == std::vector<double>{0, 0, 0, 1});
    CHECK(result.mechanism.start.at("ja") == std::vector<double>{0.3});
    CHECK(result.count(Severity::note, {"damping", "'jb'"}) == 1);
    CHECK(result.diagnostics.size() == 1);
}

TEST_CASE("bodies without mass and inertia are listed in one note") {
    Robot robot({"base", "a", "b", "c"});
    robot.links[0].inertial.reset();  // the world needs none
    robot.links[1].inertial.reset();
    robot.links[2].inertial = Inertial();
    robot.joint("ja", "base", "a");
    robot.joint("jb", "a", "b");
    robot.joint("jc", "b", "c");
    const Result result = make(robot);
    CHECK(result.diagnostics.size() == 1);
    CHECK(result.count(Severity::note, {"without mass", "'a', 'b'"}) == 1);
    robot.joint("fix", "b", "d", JointType::fixed);
    robot.link("d", solid(1));
    CHECK(make(robot).count(Severity::note, {"'b'"}) == 0);
}

TEST_CASE("symmetry about an axis is judged relative to the body's size") {
    const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
    CHECK(is_axisymmetric(rotor(0.05), z));
    CHECK(is_axisymmetric(rotor(0.05), -3 * z));
    CHECK_FALSE(is_axisymmetric(rotor(0.05), Eigen::Vector3d::UnitX()));
    CHECK_FALSE(is_axisymmetric(rotor(0.05), Eigen::Vector3d(0, 1e-3, 1)));
    CHECK_FALSE(is_axisymmetric(solid(1), z));
    CHECK_FALSE(is_axisymmetric(rotor(0.05), Eigen::Vector3d::Zero()));
    CHECK(is_axisymmetric(Inertial(), z));

    Inertial moved = rotor(0.05);
    moved.com << 0, 0, 0.4;
    CHECK(is_axisymmetric(moved, z));
    moved.com << 1e-13, 0, 0.4;
    CHECK(is_axisymmetric(moved, z));
    moved.com << 1e-6, 0, 0.4;
    CHECK_FALSE(is_axisymmetric(moved, z));
    moved.mass = 0;  // has no centre of mass
    CHECK(is_axisymmetric(moved, z));

    Inertial uneven = rotor(0.05);
    uneven.inertia(0, 0) *= 1 + 1e-6;
    CHECK_FALSE(is_axisymmetric(uneven, z));
    uneven = rotor(0.05);
    uneven.inertia(0, 1) = uneven.inertia(1, 0) = 1e-7;
    CHECK_FALSE(is_axisymmetric(uneven, z));

    const Pose pose = turned(0.8, {3, 1, 2}, {0, 0, 0});
    Inertial oblique = rotor(0.05);
    oblique.inertia = (pose.rotation * oblique.inertia * pose.rotation.transpose()).eval();
    CHECK(is_axisymmetric(oblique, pose.rotation * z));
}

TEST_CASE("a chain of 100,000 links and as many wrong names take linear work") {
    constexpr int count = 100'000;
    constexpr long most_allocations = 100;  // for each link and each wrong name
    Robot robot;
    robot.links.reserve(count);
    for (int i = 0; i < count; ++i) robot.link("link_" + std::to_string(i), solid(1));
    for (int i = 1; i < count; ++i) {
        const JointType type = i % 3 == 0 ? JointType::fixed : JointType::revolute;
        const std::string parent = "link_" + std::to_string(i - 1);
        robot.joint("joint_" + std::to_string(i), parent, "link_" + std::to_string(i), type);
    }
    robot.loop("whole", "link_1", "link_99998", LoopType::spherical);
    robot.coupling("long", "link_99998", "link_0", 1);

    const long before = counted_allocations();
    const Result result = make(robot);
    CHECK(result.diagnostics.empty());
    CHECK(result.mechanism.bodies.size() == 66'666);
    CHECK(result.mechanism.couplings.at(0).terms.size() == 66'666);
    for (int i = 0; i < count; ++i) robot.actuated.push_back("join_" + std::to_string(i));
    CHECK(make(robot).count(Severity::error) == count);
    CHECK(counted_allocations() - before < most_allocations * count);
    std::reverse(robot.joints.begin(), robot.joints.end());
    robot.joints.back().parent = "link_99999";  // the whole chain as one cycle, and link_0 apart
    robot.actuated.clear();
    CHECK(make(robot).count(Severity::error, {"cycle", "more"}) == 1);
}
