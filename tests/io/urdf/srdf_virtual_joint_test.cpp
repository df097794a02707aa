#include <random>
#include <string>

#include "grbda/compile/build.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/io/side_files.hpp"
#include "kinematics/configuration.hpp"
#include "io/side_file_fixture.hpp"

// Virtual joints of SRDF: the place of the robot in the world.

using namespace side_file_test;
using grbda::JointType;
using grbda::Severity;

namespace {

/// Virtual joint 'v' in line 2; `more` begins in line 3.
Reading read_virtual(const std::string& type, const std::string& child = "base",
                     const std::string& parent = "world", const std::string& more = "",
                     const grbda::RobotDescription& to = robot()) {
    return read(grbda::apply_srdf,
                "<robot name=\"r\">\n<virtual_joint name=\"v\" type=\"" + type + "\" parent_frame=\"" +
                    parent + "\" child_link=\"" + child + "\"/>\n" + more + "</robot>",
                to);
}

void check_error(const Reading& reading, int line, const std::string& words) {
    CHECK(reading.count(Severity::error) == 1);
    CHECK(reading.count(Severity::warning) == 0);
    CHECK(has(reading, Severity::error, line, "virtual_joint", words));
}

}  // namespace

TEST_CASE("srdf virtual joints stand above the root, below a new link") {
    for (const JointType type : {JointType::floating, JointType::planar}) {
        const Reading reading = read_virtual(to_string(type));
        CHECK(reading.diagnostics.empty());
        REQUIRE(reading.robot.links.size() == robot().links.size() + 1);
        CHECK(reading.robot.links.back().name == "world");
        const grbda::JointDescription& joint = reading.robot.joints.back();
        CHECK(joint.name == "v");
        CHECK(joint.type == type);
        CHECK(joint.parent == "world");
        CHECK(joint.child == "base");
        CHECK(joint.axis == Eigen::Vector3d(0, 0, 1));
        CHECK(joint.where.line == 2);
    }
}

TEST_CASE("srdf fixed virtual joints change nothing, and groups and states may name them") {
    const Reading reading =
        read_virtual("fixed", "base", "world",
                     "<group name=\"g\"><joint name=\"v\"/><joint name=\"j1\"/></group>"
                     "<group_state name=\"s\" group=\"g\"><joint name=\"v\" value=\"0\"/>"
                     "<joint name=\"j1\" value=\"0\"/></group_state><passive_joint name=\"v\"/>");
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::note, 2, "virtual_joint 'v'", "'base' stays fixed"));
    CHECK(reading.robot.links.size() == robot().links.size());
    CHECK(reading.robot.groups.at(0).joints == std::vector<std::string>{"j1"});
    CHECK(reading.robot.passive.empty());
    const Reading elsewhere = read_virtual("fixed", "a");
    CHECK(has(elsewhere, Severity::warning, 2, "virtual_joint 'v'", "no effect"));
}

TEST_CASE("srdf groups and states can name a virtual joint that moves") {
    const Reading reading =
        read_virtual("planar", "base", "odom",
                     "<group name=\"g\"><joint name=\"v\"/></group><group_state name=\"s\" "
                     "group=\"g\"><joint name=\"v\" value=\"1 2 3\"/></group_state>");
    CHECK(reading.diagnostics.empty());
    CHECK(reading.robot.groups.at(0).joints == std::vector<std::string>{"v"});
    CHECK(reading.robot.states.at(0).positions.at("v") == std::vector<double>{1, 2, 3});
}

TEST_CASE("srdf refuses virtual joints that do not carry the whole robot") {
    check_error(read_virtual("floating", "a"), 2, "'a', which has a joint above it");
    for (const char* type : {"floating", "fixed"}) {
        const Reading unknown = read_virtual(type, "bse");
        CHECK(unknown.count(Severity::error) == 0);
        CHECK(has(unknown, Severity::warning, 2, "virtual_joint 'v'",
                  "the robot stays fixed in the world; did you mean 'base'"));
        CHECK(unknown.robot.joints.size() == robot().joints.size());
    }
    check_error(read_virtual("floating", "base", "tool"), 2, "'tool', which is part of it");
    check_error(read_virtual("floating", "base", ""), 2, "'parent_frame', found an empty one");
    check_error(read_virtual("revolute"), 2, "fixed, planar, floating");
    const std::string second =
        "<virtual_joint name=\"w\" type=\"planar\" parent_frame=\"map\" child_link=\"base\"/>";
    check_error(read_virtual("floating", "base", "world", second), 3, "a second one");
    const std::string again =
        "<virtual_joint name=\"v\" type=\"fixed\" parent_frame=\"map\" child_link=\"base\"/>";
    check_error(read_virtual("floating", "base", "world", again), 3, "'v' again");
    grbda::RobotDescription taken = robot();
    taken.joints[0].name = "v";
    check_error(read_virtual("floating", "base", "world", "", taken), 2, "a joint name that no other has");
}

TEST_CASE("srdf's floating virtual joint moves the robot as the floating base of the load options does") {
    constexpr double agreement = 1e-12;  // the same operations on the same numbers
    constexpr int trials = 10;
    const grbda::Model from_srdf = build_model(read_virtual("floating").robot);
    grbda::LoadOptions options;
    options.floating_base = true;
    const grbda::Model from_options = build_model(robot(), options);
    REQUIRE(from_srdf.nq == from_options.nq);
    REQUIRE(from_srdf.nv == from_options.nv);
    std::mt19937_64 random(5);
    grbda::Workspace<double> data(from_srdf), other(from_options);
    Eigen::MatrixXd M(from_srdf.nv, from_srdf.nv), N(M);
    for (int trial = 0; trial < trials; ++trial) {
        const Eigen::VectorXd q = random_configuration(from_srdf, random);
        const Eigen::VectorXd yd = Eigen::VectorXd::Random(from_srdf.nv);
        const Eigen::VectorXd ydd = Eigen::VectorXd::Random(from_srdf.nv);
        CHECK(crba<double>(from_srdf, data, q, M).ok());
        CHECK(crba<double>(from_options, other, q, N).ok());
        CHECK((M - N).norm() <= agreement * N.norm());
        CHECK(rnea<double>(from_srdf, data, q, yd, ydd).ok());
        CHECK(rnea<double>(from_options, other, q, yd, ydd).ok());
        CHECK((data.tau - other.tau).norm() <= agreement * other.tau.norm());
    }
}
