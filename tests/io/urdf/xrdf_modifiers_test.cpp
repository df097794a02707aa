#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "grbda/compile/build.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/io/load.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "io/urdf/xrdf_fixture.hpp"
#include "support/require_ok.hpp"

// Modifiers of XRDF: frames that it adds, and the base frame that it sets.

using namespace xrdf_test;
using grbda::Severity;
using Names = std::vector<std::string>;

namespace {

constexpr double kSame = 1e-12;  // the same operations on numbers that are the same up to rounding

const grbda::FrameDescription& frame_of(const Reading& reading, const std::string& name) {
    for (const grbda::FrameDescription& frame : reading.robot.frames)
        if (frame.name == name) return frame;
    FAIL("no frame " << name);
    return reading.robot.frames.front();
}

std::string set_base(const std::string& link) { return "modifiers:\n  - set_base_frame: " + link + "\n"; }

Names names_of_links(const grbda::RobotDescription& robot) {
    Names names;
    for (const grbda::LinkDescription& link : robot.links) names.push_back(link.name);
    return names;
}

/// A cspace of this one joint and the base.
std::string xrdf_of(const std::string& joint, const std::string& base) {
    return "format: xrdf\nformat_version: 1.0\ncspace: {joint_names: ['" + joint +
           "'], acceleration_limits: [1], jerk_limits: [1]}\n" + set_base(base);
}

/// Mounts the robot on a rail and adds a swinging link, which the robot itself does not need.
void hang_up(grbda::RobotDescription& robot, const std::string& root) {
    for (const char* name : {"hall", "carriage", "crane"}) {
        grbda::LinkDescription link;
        link.name = name;
        link.inertial = grbda::Inertial{2, Eigen::Vector3d(0.1, 0.2, 0.3), Eigen::Matrix3d::Identity()};
        robot.links.insert(robot.links.begin(), link);
    }
    const auto joint = [&](const std::string& name, grbda::JointType type, const std::string& parent,
                           const std::string& child) {
        grbda::JointDescription description;
        description.name = name;
        description.type = type;
        description.parent = parent;
        description.child = child;
        description.origin.translation = Eigen::Vector3d(1, 2, 3);
        description.origin.rotation = Eigen::AngleAxisd(1, Eigen::Vector3d::UnitX()).toRotationMatrix();
        robot.joints.insert(robot.joints.begin(), description);
    };
    joint("swing", grbda::JointType::revolute, "hall", "crane");
    joint("mount", grbda::JointType::fixed, "carriage", root);
    joint("rail", grbda::JointType::prismatic, "hall", "carriage");
}

/// One joint that an XRDF may name; empty: none.
std::string some_coordinate(const grbda::Model& model) {
    for (const grbda::Coordinate& coordinate : independent_coordinates(model)) {
        const auto body = static_cast<std::size_t>(coordinate.body);
        if (grbda::velocity_size(model.bodies[body].joint) == 1) return model.names.joints[body];
    }
    return {};
}

void check_same_dynamics(const grbda::Model& a, const grbda::Model& b) {
    REQUIRE(a.nq == b.nq);
    REQUIRE(a.nv == b.nv);
    constexpr int trials = 3;
    std::mt19937_64 random(7);
    grbda::Workspace<double> data(a), other(b);
    Eigen::MatrixXd M(a.nv, a.nv), N(M);
    for (int trial = 0; trial < trials; ++trial) {
        const Eigen::VectorXd q = random_configuration(a, random);
        const Eigen::VectorXd yd = Eigen::VectorXd::Random(a.nv);
        const Eigen::VectorXd ydd = Eigen::VectorXd::Random(a.nv);
        const grbda::Result result = crba<double>(a, data, q, M);
        REQUIRE(crba<double>(b, other, q, N).status == result.status);
        if (!result.ok()) continue;
        CHECK((M - N).norm() <= kSame * (1 + N.norm()));
        must(rnea<double>(a, data, q, yd, ydd));
        must(rnea<double>(b, other, q, yd, ydd));
        CHECK((data.tau - other.tau).norm() <= kSame * (1 + other.tau.norm()));
    }
}

}  // namespace

TEST_CASE("xrdf frames stand in links, whatever their order and whatever carries them") {
    const std::string turn =
        "position: [0, 0, 1], orientation: {w: 0, xyz: [0, 0, 2]}";  // half a turn about z
    Names entries = {add_frame("p", "tool"), add_frame("q", "p"), add_frame("s", "q", turn),
                     add_frame("t", "site")};
    std::sort(entries.begin(), entries.end());
    grbda::RobotDescription with_site = robot();
    with_site.frames.push_back({"site", "b", {Eigen::Matrix3d::Identity(), Eigen::Vector3d(0, 1, 0)}, {}});
    do {
        const Reading reading = read_xrdf(
            required + "modifiers:\n" + entries[0] + entries[1] + entries[2] + entries[3], with_site);
        CHECK(reading.count(Severity::error) == 0);
        CHECK(reading.count(Severity::warning) == 1);  // the quaternion of length 2
        CHECK(reading.robot.frames.size() == 5);
        CHECK(frame_of(reading, "p").link == "tool");
        CHECK(frame_of(reading, "q").link == "tool");
        CHECK(frame_of(reading, "q").origin.translation == Eigen::Vector3d(2, 4, 6));
        CHECK(frame_of(reading, "s").origin.translation == Eigen::Vector3d(2, 4, 7));
        CHECK((frame_of(reading, "s").origin.rotation.diagonal() - Eigen::Vector3d(-1, -1, 1)).norm() <
              kSame);
        CHECK(frame_of(reading, "t").link == "b");
        CHECK(frame_of(reading, "t").origin.translation == Eigen::Vector3d(1, 3, 3));
    } while (std::next_permutation(entries.begin(), entries.end()));
}

TEST_CASE("xrdf frames move as links on fixed joints at the same places do") {
    const Eigen::Quaterniond first = Eigen::Quaterniond(0.5, -0.5, 0.1, 0.7).normalized();
    const Eigen::Quaterniond second = Eigen::Quaterniond(0.2, 0.3, -0.9, 0.1).normalized();
    const auto transform = [](const Eigen::Vector3d& p, const Eigen::Quaterniond& r) {
        std::ostringstream text;
        text.precision(17);
        text << "position: [" << p[0] << ", " << p[1] << ", " << p[2] << "], orientation: {w: " << r.w()
             << ", xyz: [" << r.x() << ", " << r.y() << ", " << r.z() << "]}";
        return text.str();
    };
    const Eigen::Vector3d p(0.3, -0.2, 0.5), s(-0.4, 0.1, 0.6);
    const Reading reading = accept("modifiers:\n" + add_frame("two", "one", transform(s, second)) +
                                   add_frame("one", "d", transform(p, first)));
    grbda::RobotDescription by_links = robot();
    const auto attach = [&](const std::string& name, const std::string& parent, const grbda::Pose& pose) {
        grbda::LinkDescription link;
        link.name = name;
        by_links.links.push_back(link);
        grbda::JointDescription joint;
        joint.name = "to_" + name;
        joint.type = grbda::JointType::fixed;
        joint.parent = parent;
        joint.child = name;
        joint.origin = pose;
        by_links.joints.push_back(joint);
    };
    attach("one", "d", {first.toRotationMatrix(), p});
    attach("two", "one", {second.toRotationMatrix(), s});
    by_links.start = reading.robot.start;
    const grbda::Model frames = build_model(reading.robot), links = build_model(by_links);
    grbda::Workspace<double> data(frames), other(links);
    std::mt19937_64 random(11);
    for (int trial = 0; trial < 10; ++trial) {
        const Eigen::VectorXd q = random_configuration(frames, random);
        must(forward_kinematics<double>(frames, data, q));
        must(forward_kinematics<double>(links, other, q));
        for (const char* name : {"one", "two"}) {
            const int a = frames.frame(name).index, b = links.frame(name).index;
            REQUIRE(a >= 0);
            CHECK((frame_position(frames, data, a) - frame_position(links, other, b)).norm() < kSame);
            CHECK((frame_orientation(frames, data, a) - frame_orientation(links, other, b)).norm() < kSame);
        }
    }
}

TEST_CASE("xrdf frames may have their fields beside add_frame, as a list's indentation has it") {
    const std::string fields =
        "    frame_name: tip\n    parent_frame_name: tool\n    joint_name: to_tip\n    joint_type: FIXED\n"
        "    fixed_transform:\n      position: [1, 2, 3]\n      orientation:\n        w: 1.0\n        xyz: "
        "[0, 0, 0]\n";
    const Reading reading =
        accept("modifiers:\n  - add_frame:\n" + fields + "  - set_base_frame: \"base\"\n");
    CHECK(reading.diagnostics.empty());
    CHECK(frame_of(reading, "tip").origin.translation == Eigen::Vector3d(1, 2, 3));
}

TEST_CASE("xrdf joints of frames are FIXED where they do not say") {
    std::string entry = add_frame("tip", "tool");
    const std::string said = "joint_type: FIXED, ";
    entry.erase(entry.find(said), said.size());
    const Reading reading = accept("modifiers:\n" + entry);
    CHECK(reading.diagnostics.empty());
    CHECK(frame_of(reading, "tip").origin.translation == Eigen::Vector3d(1, 2, 3));
}

TEST_CASE("xrdf refuses frames that cannot be placed") {
    const auto error = [](const std::string& entry, const std::string& element, const std::string& words) {
        check_error("modifiers:\n" + entry, 8, element, words);
    };
    const std::string identity = "orientation: {w: 1, xyz: [0, 0, 0]}";
    error(add_frame("tip", "tol"), "parent_frame_name",
          "a known link or frame, found 'tol' (did you mean 'tool'");
    error(add_frame("a", "tool"), "frame_name", "'a' again");
    error(add_frame("tip", "tip"), "parent_frame_name", "the cycle 'tip' → 'tip'");
    error(add_frame("tip", "tool", "position: [0, 0], " + identity), "position", "3 numbers, found 2");
    error(add_frame("tip", "tool", "position: [0, 0, 0]"), "fixed_transform", "'orientation'");
    error(add_frame("tip", "tool", identity), "fixed_transform", "'position'");
    error(add_frame("tip", "tool", "position: [0, 0, 0], orientation: {w: 0, xyz: [0, 0, 0]}"), "orientation",
          "a quaternion of length 1, found zero");
    error(add_frame("tip", "tool", "position: [0, 0, 0], orientation: {xyz: [0, 0, 0]}"), "orientation",
          "'w'");
    error(add_frame("tip", "tool", "position: [0, 0, 0], " + identity, "REVOLUTE"), "joint_type",
          "FIXED, found 'REVOLUTE'");
    const Reading reading = read_xrdf(required + "modifiers:\n  - add_frame: {frame_name: tip}\n");
    CHECK(reading.count(Severity::error) == 3);
    for (const char* key : {"parent_frame_name", "joint_name", "fixed_transform"})
        CHECK(has(reading, Severity::error, 8, "add_frame", "the key '" + std::string(key) + "'"));
}

TEST_CASE("xrdf names added frames and their joints apart, and prints cycles of frames") {
    check_error("modifiers:\n" + add_frame("p", "q") + add_frame("q", "s") + add_frame("s", "p") +
                    add_frame("above", "p"),
                8, "parent_frame_name", "the cycle 'p' → 's' → 'q' → 'p'");
    const Reading twice = read_xrdf(required + "modifiers:\n" + add_frame("p", "a") + add_frame("p", "b"));
    CHECK(twice.count(Severity::error) == 2);  // the frame and its joint
    CHECK(has(twice, Severity::error, 9, "frame_name", "'p' again"));
    CHECK(has(twice, Severity::error, 9, "joint_name", "'joint_p' again"));
    check_error("modifiers:\n  - add_frames: {}\n", 8, "modifiers[0]",
                "add_frame or set_base_frame, found 'add_frames' (did you mean 'add_frame'");
    check_error("modifiers:\n  - {}\n", 8, "modifiers[0]", "found none");
    check_error("modifiers: {}\n", 7, "modifiers", "a list");
    check_error("modifiers:\n  - add_frame: tip\n", 8, "modifiers[0].add_frame", "a mapping");
}

TEST_CASE("a robot pruned by xrdf moves as the robot written without what is above") {
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(GRBDA_ROBOTS)) {
        if (!entry.is_directory()) continue;
        const std::string name = entry.path().filename().string();
        INFO(name);
        grbda::Diagnostics diagnostics;
        grbda::RobotDescription alone =
            grbda::read_description({(entry.path() / (name + ".urdf")).string()}, diagnostics);
        if (grbda::has_errors(diagnostics)) continue;
        const grbda::Model model = build_model(alone);
        const std::string root = grbda::make_mechanism(alone, {}, diagnostics).root;
        const std::string coordinate = some_coordinate(model);
        if (coordinate.empty()) continue;
        ++compared;
        const std::string text = xrdf_of(coordinate, root);
        grbda::RobotDescription hung = alone;
        hang_up(hung, root);
        const Reading pruned = read_xrdf(text, hung);
        const Reading same = read_xrdf(text, alone);
        CHECK(has(pruned, Severity::note, 5, "set_base_frame",
                  "links 'carriage', 'crane', 'hall' and joints 'mount'"));
        CHECK(same.count(Severity::note) <= 1);
        CHECK(names_of_links(pruned.robot) == names_of_links(alone));
        check_same_dynamics(build_model(pruned.robot), build_model(same.robot));
    }
    CHECK(compared >= 10);
}

TEST_CASE("xrdf's base takes along what is below it, and nothing that speaks of the rest") {
    grbda::RobotDescription described = robot();
    described.frames = {{"at_left", "left", {}, {}}, {"at_b", "b", {}, {}}};
    described.passive = {"slide", "j2"};
    described.tool_frames = {"at_left", "left", "tool"};
    described.start = {{"slide", {0.01}}, {"j2", {1}}};
    described.states.push_back({"s", "", {{"spin", {1}}, {"j2", {1}}}, {}});
    described.groups.push_back({"g", {"c", "b"}, {"ball", "j2"}, {}});
    described.geometries.push_back({"g", {{"left", {{}}}, {"at_left", {{}}}, {"b", {{}}}}});
    described.self_collision.ignore = {{"b", {"left", "tool"}}, {"left", {"b"}}};
    described.collision.buffer_distance = {{"left", 1}, {"b", 2}};
    const Reading reading = read_xrdf(
        "format: xrdf\nformat_version: 1.0\ncspace: {joint_names: [j2], acceleration_limits: [1], "
        "jerk_limits: [1]}\n" +
            set_base("a"),
        described);
    CHECK(reading.count(Severity::error) == 0);
    const grbda::RobotDescription& left = reading.robot;
    CHECK(names_of_links(left) == Names{"a", "b", "tool"});
    CHECK(left.joints.size() == 2);
    CHECK(left.couplings.empty());
    REQUIRE(left.frames.size() == 1);
    CHECK(left.frames[0].name == "at_b");
    CHECK(left.passive == Names{"j2"});
    CHECK(left.tool_frames == Names{"tool"});
    CHECK(left.start.size() == 1);
    CHECK(left.states.at(0).positions.size() == 1);
    CHECK(left.groups.at(0).links == Names{"b"});
    CHECK(left.groups.at(0).joints == Names{"j2"});
    CHECK(left.geometries.at(0).spheres.size() == 1);
    CHECK(left.self_collision.ignore == std::map<std::string, Names>{{"b", {"tool"}}});
    CHECK(left.collision.buffer_distance.size() == 1);
}

TEST_CASE("xrdf names what is left out as such") {
    const std::string head =
        "format: xrdf\nformat_version: 1.0\ncspace: {joint_names: [j2], acceleration_limits: "
        "[1], jerk_limits: [1]}\n" +
        set_base("a");
    const auto error = [&](const std::string& section, const std::string& words) {
        check_finding(Severity::error, head + section, 6, "", words);
    };
    error("tool_frames: [left]\n", "'left', which is not below the base 'a'");
    error("default_joint_positions: {slide: 0}\n", "'slide', which is not below the base 'a'");
    error(add_frame("tip", "left"), "at or below the base 'a', found 'left', which is not");
    check_finding(Severity::error,
                  "format: xrdf\nformat_version: 1.0\ncspace: {joint_names: [j1], acceleration_limits: "
                  "[1], jerk_limits: [1]}\n" +
                      set_base("a"),
                  3, "cspace.joint_names[0]", "'j1', which is not below the base 'a'");
    grbda::RobotDescription motors = robot();
    motors.actuated = {"j1"};
    check_finding(Severity::warning, head, 5, "set_base_frame", "a motor at or below", motors);
}

TEST_CASE("xrdf has one base frame, a link") {
    check_error("modifiers:\n  - set_base_frame: bas\n", 8, "set_base_frame", "did you mean 'base'");
    check_error("modifiers:\n  - set_base_frame: tip\n" + add_frame("tip", "tool"), 8, "set_base_frame",
                "'tip', which is a frame without links below it");
    check_error("modifiers:\n  - set_base_frame: base\n  - set_base_frame: a\n", 9, "set_base_frame",
                "one base frame, found 'a' after 'base'");
    accept("modifiers:\n  - set_base_frame: base\n  - set_base_frame: base\n");
}

TEST_CASE("xrdf refuses a base that would cut a loop or a coupling") {
    const std::string ends = "<predecessor link=\"b\"/><successor link=\"left\"/>";
    const auto error = [](const std::string& base, const std::string& more, const std::string& words) {
        const std::string joint = base == "a" ? "j2" : "spin";
        check_finding(Severity::error, xrdf_of(joint, base), 5, "set_base_frame", words, robot(more));
    };
    error("a", "<loop name=\"l\" type=\"spherical\">" + ends + "</loop>",
          "loop 'l', of which 'left' would be left out");
    error("a", "<coupling name=\"k\">" + ends + "<ratio value=\"1\"/></coupling>",
          "coupling 'k', of which 'left' would be left out");
    error("a", "<coupling name=\"k\" type=\"linear\"><term joint=\"j1\"/><term joint=\"j2\"/></coupling>",
          "coupling 'k', of which 'j1' would be left out");
    error("a", "<tendon name=\"t\"><term joint=\"j1\"/><term joint=\"j2\"/></tendon>",
          "tendon 't', of which 'j1' would be left out");
    error("c",
          "<link name=\"e\"/><joint name=\"m\" type=\"continuous\"><parent link=\"d\"/><child link=\"e\"/>"
          "<mimic joint=\"j1\"/></joint>",
          "mimic of m, of which 'j1' would be left out");
    error("a", "<joint name=\"second\" type=\"spherical\"><parent link=\"left\"/><child link=\"b\"/></joint>",
          "joint 'second', of which 'left' would be left out");
    error("a", "<joint name=\"second\" type=\"spherical\"><parent link=\"left\"/><child link=\"a\"/></joint>",
          "a second one, 'second', which closes a loop");
    error("a", "<joint name=\"second\" type=\"spherical\"><parent link=\"b\"/><child link=\"a\"/></joint>",
          "a second one, 'second', which closes a loop");
    error("a",
          "<loop name=\"l\" type=\"spherical\"><predecessor link=\"d\"/><successor link=\"tool\"/></loop>",
          "loop 'l', of which 'd' would be left out");
    grbda::RobotDescription polynomial = robot();
    polynomial.couplings.push_back({"p", grbda::PolynomialRelation{"j2", "slide", {0, 1}, 0, 0}, {}});
    check_finding(Severity::error, xrdf_of("j2", "a"), 5, "set_base_frame",
                  "coupling 'p', of which 'slide' would be left out", polynomial);
}

TEST_CASE(
    "xrdf leaves out loops and couplings that are wholly above or beside the base, and keeps those below") {
    const auto loops = [](const std::string& a, const std::string& b) {
        const std::string ends = "<predecessor link=\"" + a + "\"/><successor link=\"" + b + "\"/>";
        return robot("<loop name=\"l\" type=\"spherical\">" + ends + "</loop><coupling name=\"k\">" + ends +
                     "<ratio value=\"1\"/></coupling><tendon name=\"t\"><term joint=\"" +
                     (a == "left" ? "slide" : "j2") + "\"/></tendon>");
    };
    const Reading without = read_xrdf(xrdf_of("j2", "a"), loops("left", "d"));
    CHECK(without.count(Severity::error) == 0);
    CHECK(without.robot.loops.empty());
    CHECK(without.robot.couplings.empty());
    CHECK(without.robot.tendons.empty());
    const Reading with = read_xrdf(xrdf_of("j2", "a"), loops("a", "tool"));
    CHECK(with.count(Severity::error) == 0);
    CHECK(with.robot.loops.size() == 1);
    CHECK(with.robot.couplings.size() == 1);
    CHECK(with.robot.tendons.size() == 1);
}
