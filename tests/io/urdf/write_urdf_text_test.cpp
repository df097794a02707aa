#include <cmath>
#include <limits>
#include <regex>

#include <Eigen/Geometry>

#include "io/urdf/written_urdf.hpp"
#include "mechanism/mechanism_fixture.hpp"

using namespace written_urdf;
using mechanism_fixture::Robot;
using mechanism_fixture::solid;

// The text can represent any name, any number, any rotation and any coupling.

namespace {

Mechanism made(const Robot& robot, const grbda::LoadOptions& options = {}) {
    mechanism_fixture::Result result = mechanism_fixture::make(robot, options);
    for (const grbda::Diagnostic& finding : result.diagnostics) {
        INFO(to_string(finding));
        REQUIRE(finding.severity != grbda::Severity::error);
    }
    return result.mechanism;
}

/// A product of turns as near to a rotation as doubles allow.
Eigen::Matrix3d rounded(const Eigen::Matrix3d& R) {
    return Eigen::Matrix3d(1.5 * R - 0.5 * R * R.transpose() * R);
}

/// The root with one frame for each rotation.
Mechanism turned(const std::vector<Eigen::Matrix3d>& rotations) {
    Mechanism mechanism;
    mechanism.name = "turned";
    mechanism.root = "base";
    mechanism.frames.push_back({"base", grbda::world, {}});
    for (const Eigen::Matrix3d& rotation : rotations) {
        const std::string name = "frame" + std::to_string(mechanism.frames.size());
        mechanism.frames.push_back({name, grbda::world, {rotation, Eigen::Vector3d(0.1, -1e-300, 1.0 / 3)}});
    }
    return mechanism;
}

Eigen::Matrix3d about(int axis, double angle) {
    return Eigen::AngleAxisd(angle, Eigen::Vector3d::Unit(axis)).toRotationMatrix();
}

double worst_rotation(const std::vector<Eigen::Matrix3d>& rotations) {
    const Mechanism again = read(grbda::write_urdf(turned(rotations)));
    CHECK(grbda::write_urdf(again) == grbda::write_urdf(turned(rotations)));
    double worst = 0;
    for (std::size_t i = 0; i < rotations.size(); ++i) {
        const Eigen::Matrix3d found = again.frames.at(i + 1).placement.rotation;
        worst = std::max(worst, (found - rotations[i]).cwiseAbs().maxCoeff());
    }
    return worst;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("rotations are written to 1e-15 at every pitch") {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> angle(-M_PI, M_PI);
    std::vector<Eigen::Matrix3d> any, steep;
    for (int i = 0; i < 2000; ++i) {
        any.push_back(rounded(about(2, angle(random)) * about(1, angle(random)) * about(0, angle(random))));
        const double off = std::pow(10.0, std::uniform_real_distribution<double>(-18, -1)(random));
        const double pitch = (i % 2 == 0 ? 1 : -1) * (M_PI_2 - (i % 3 == 0 ? -off : off));
        steep.push_back(rounded(about(2, angle(random)) * about(1, pitch) * about(0, angle(random))));
    }
    CHECK(worst_rotation(any) <= kRotation);
    CHECK(worst_rotation(steep) <= kRotation);
}

TEST_CASE("quarter turns are written to 1e-15 whether rounded or exact") {
    std::vector<Eigen::Matrix3d> exact, rounded;
    for (int first = 0; first < 3; ++first)
        for (int second = 0; second < 3; ++second)
            for (int turns = 0; turns < 16; ++turns) {
                const Eigen::Matrix3d R =
                    about(first, M_PI_2 * (turns / 4)) * about(second, M_PI_2 * (turns % 4));
                rounded.push_back(R);
                exact.push_back(R.array().round().matrix());
            }
    CHECK(worst_rotation(rounded) <= kRotation);
    CHECK(worst_rotation(exact) <= kRotation);
}

TEST_CASE("an identity rotation is not written") {
    const std::string text = grbda::write_urdf(turned({Eigen::Matrix3d::Identity()}));
    CHECK_FALSE(contains(text, "rpy"));
    CHECK(contains(text, "<origin xyz=\"0.1 -1e-300 0.3333333333333333\"/>"));
}

TEST_CASE("names of any characters survive, and those that the writer adds avoid them") {
    const std::vector<std::string> names = {"a&b",
                                            "<link/>",
                                            "say \"no\"",
                                            "it's",
                                            " two  ends ",
                                            "tab\there",
                                            "line\nbreak",
                                            "\r",
                                            "&amp;&#38;",
                                            "Gelenk-\xC3\xBC",
                                            "\xE6\xBC\xA2\xE5\xAD\x97",
                                            "]]>",
                                            "a/b:c",
                                            "--",
                                            "world",
                                            "world_2",
                                            "base_fixed"};
    Robot robot({"base", "tool_fixed"});
    robot.joint("base_fixed_fixed", "base", "tool_fixed");
    std::string parent = "tool_fixed";
    for (const std::string& name : names) {
        robot.link(name, solid(1));
        grbda::JointDescription& joint = robot.joint(name, parent, name);
        if (name == "world" || name == "a/b:c") joint.child_origin = mechanism_fixture::at(1, 2, 3);
        robot.frames.push_back({"tip of " + name, name, mechanism_fixture::at(0, 0, 1), {}});
        robot.states.push_back({"at " + name, "", {{name, {0.5}}}, {}});
        robot.actuated.push_back(name);
        parent = name;
    }
    robot.link("world_frame", solid(1));
    robot.joint("to world_frame", "base", "world_frame");
    robot.name = "\"<&>'\"";
    robot.loop("&loop;", names[0], names[1], LoopType::spherical);
    const Mechanism fixed = check_round_trip(made(robot));
    grbda::LoadOptions floating;
    floating.floating_base = true;
    const Mechanism free = check_round_trip(made(robot, floating));
    CHECK(fixed.root == "base");
    CHECK(free.root == "world_3");
}

TEST_CASE("names that are no UTF-8 leave the file readable") {
    Robot robot({"base", "a\xFF"});
    robot.joint("j", "base", "a\xFF");
    const Mechanism again = read(grbda::write_urdf(made(robot)));
    CHECK(again.bodies.at(0).name == "a\xC3\xBF");
}

TEST_CASE("numbers of any size survive to the last bit") {
    const double smallest = std::numeric_limits<double>::denorm_min();
    Robot robot({"base", "a"});
    grbda::JointDescription& joint = robot.joint("j", "base", "a");
    joint.limits = {-9.9e15, std::nextafter(1, 2), 0.1 + 0.2, smallest, 1e22, 123456789012345678.0};
    joint.damping = smallest;
    joint.friction = 1e-7;
    joint.origin.translation << 1e49, -smallest, 5e-320;
    robot.gravity = Eigen::Vector3d(0, -0.0, -9.80665);
    check_round_trip(made(robot));
    robot.joints[0].limits.lower = -std::numeric_limits<double>::infinity();
    check_round_trip(made(robot));
}

TEST_CASE("slides without limits say so") {
    Robot robot({"base", "a"});
    robot.joint("j", "base", "a", JointType::prismatic);
    const std::string text = grbda::write_urdf(made(robot));
    CHECK(contains(text, "<limit lower=\"-1e+16\" upper=\"1e+16\" effort=\"1e+16\" velocity=\"1e+16\"/>"));
    check_round_trip(made(robot));
}

TEST_CASE("couplings over paths of joints with several coordinates are written over their paths") {
    Robot robot({"base", "a", "b", "c", "d", "e", "f"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "a", "b", JointType::universal);
    robot.joint("jc", "b", "c", JointType::universal);
    robot.joint("jd", "a", "d", JointType::universal);
    robot.joint("je", "base", "e");
    robot.joint("jf", "a", "f", JointType::planar);
    for (grbda::JointDescription& joint : robot.joints) joint.axis2 = Eigen::Vector3d::UnitY();
    robot.coupling_ratio = grbda::CouplingRatio::successor_over_predecessor;
    const auto couple = [&](const char* name, const char* predecessor, const char* successor, double ratio) {
        robot.couplings.push_back({name, grbda::GearRelation{predecessor, successor, ratio}, {}});
    };
    couple("single", "a", "e", 3);
    couple("double", "c", "d", -0.7);
    couple("locked", "a", "f", 2);
    couple("again", "d", "c", -1 / 0.7);                    // repeats "double"
    robot.linear("belt", {{"ja", 3, {}}, {"je", -1, {}}});  // repeats "single"
    const Mechanism mechanism = made(robot);
    REQUIRE(mechanism.couplings.size() == 6);
    CHECK(mechanism.couplings[1].name == "double[0]");
    CHECK(mechanism.couplings[5].name == "locked[2]");
    check_names(mechanism, check_round_trip(mechanism));
}

TEST_CASE("mimics stay mimics where the order of couplings allows") {
    Robot robot({"base", "a", "b", "c"});
    for (const char* link : {"a", "b", "c"}) robot.joint(std::string("j") + link, "base", link);
    const auto mimic = [&](const char* follower, const char* leader, double multiplier, double offset) {
        robot.mimic(follower, leader, multiplier, offset);
        robot.couplings.back().name = std::string("mimic of ") + follower;
    };
    mimic("ja", "jb", -0.5, 0.25);
    mimic("jc", "jb", 2, 0);
    const std::string text = grbda::write_urdf(made(robot));
    CHECK(contains(text, "<mimic joint=\"jb\" multiplier=\"-0.5\" offset=\"0.25\"/>"));
    CHECK(contains(text, "<mimic joint=\"jb\" multiplier=\"2\"/>"));
    CHECK_FALSE(contains(text, "<coupling"));
    check_round_trip(made(robot));
    std::swap(robot.couplings[0], robot.couplings[1]);
    CHECK(contains(grbda::write_urdf(made(robot)), "<coupling name=\"mimic of ja\" type=\"linear\">"));
    check_round_trip(made(robot));
}

TEST_CASE("couplings that no file can state are refused") {
    Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a", JointType::cylindrical);
    robot.joint("jb", "base", "b");
    Mechanism mechanism = made(robot);
    mechanism.couplings.push_back({"screw", {{0, 0, 1}, {0, 1, -2}}, 0, {}, 0, {}});
    CHECK_THROWS_AS(grbda::write_urdf(mechanism), std::invalid_argument);
}

TEST_CASE("a robot of what plain URDF knows is written as plain URDF") {
    Robot robot({"base", "a", "b", "tip"});
    robot.links[1].inertial = solid(2);
    robot.joint("ja", "base", "a").limits = {-1, 1, 2, 3, {}, {}};
    robot.joint("jb", "a", "b", JointType::prismatic).damping = 0.5;
    robot.joint("jt", "b", "tip", JointType::fixed);
    const std::string text = grbda::write_urdf(made(robot));
    const std::regex tag("<([a-z_]+)");
    const std::set<std::string> plain = {"robot", "link",   "inertial", "origin", "mass",  "inertia",
                                         "joint", "parent", "child",    "axis",   "limit", "dynamics"};
    for (std::sregex_iterator found(text.begin(), text.end(), tag), end; found != end; ++found)
        CHECK(plain.count((*found)[1]) == 1);
    CHECK(contains(text, "<robot name=\"robot\">"));
}
