#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "grbda/io/side_files.hpp"
#include "io/side_file_fixture.hpp"

// The SRDF reader: groups, states, virtual and passive joints, end effectors, collisions.

using namespace side_file_test;
using grbda::JointType;
using grbda::Severity;
using Names = std::vector<std::string>;

namespace {

/// The elements stand from line 2 on.
Reading read_srdf(const std::string& elements, const grbda::RobotDescription& to = robot()) {
    INFO(elements);
    return read(grbda::apply_srdf, "<robot name=\"r\">\n" + elements + "\n</robot>\n", to);
}

Reading accept(const std::string& elements, const grbda::RobotDescription& to = robot()) {
    Reading reading = read_srdf(elements, to);
    CHECK(reading.count(Severity::error) == 0);
    CHECK(reading.count(Severity::warning) == 0);
    return reading;
}

/// One finding of this severity, and nothing else but notes.
Reading check_finding(Severity severity, const std::string& elements, int line, const std::string& element,
                      const std::string& words) {
    INFO(elements);
    Reading reading = read_srdf(elements);
    CHECK(reading.count(Severity::error) == (severity == Severity::error ? 1 : 0));
    CHECK(reading.count(Severity::warning) == (severity == Severity::warning ? 1 : 0));
    CHECK(has(reading, severity, line, element, words));
    return reading;
}

void check_error(const std::string& elements, int line, const std::string& element,
                 const std::string& words) {
    check_finding(Severity::error, elements, line, element, words);
}

void check_warning(const std::string& elements, int line, const std::string& element,
                   const std::string& words) {
    check_finding(Severity::warning, elements, line, element, words);
}

const std::string all_groups =
    "<group name=\"all\"><link name=\"base\"/><joint name=\"j1\"/><joint name=\"j2\"/><joint name=\"f\"/>"
    "<joint name=\"slide\"/><joint name=\"mirror\"/><joint name=\"ball\"/><joint name=\"spin\"/></group>\n";

/// State 's' of group 'all' in line 3; `inside` begins in line 4.
std::string state(const std::string& inside) {
    return all_groups + "<group_state name=\"s\" group=\"all\">\n" + inside + "</group_state>";
}

std::set<std::string> as_set(const Names& names) { return {names.begin(), names.end()}; }

const grbda::GroupDescription& group_of(const Reading& reading, const std::string& name) {
    for (const grbda::GroupDescription& group : reading.robot.groups)
        if (group.name == name) return group;
    FAIL("no group " << name);
    return reading.robot.groups.front();
}

}  // namespace

TEST_CASE("srdf states need no group: they are of the joints that they name") {
    const Reading reading =
        accept("<group_state name=\"up\">\n<joint name=\"j1\" value=\"0.5\"/></group_state>");
    CHECK(has(reading, Severity::note, 2, "group_state 'up'", "no attribute 'group'"));
    REQUIRE(reading.robot.states.size() == 1);
    CHECK(reading.robot.states[0].name == "up");
    CHECK(reading.robot.states[0].group.empty());
    CHECK(reading.robot.states[0].positions.at("j1") == std::vector<double>{0.5});
}

TEST_CASE("srdf groups: a link brings the joint above it, a joint the link below it") {
    const Reading reading =
        accept("<group name=\"g\"><link name=\"b\"/><joint name=\"slide\"/><link name=\"base\"/></group>");
    REQUIRE(reading.robot.groups.size() == 1);
    CHECK(reading.robot.groups[0].name == "g");
    CHECK(reading.robot.groups[0].links == Names{"b", "left", "base"});
    CHECK(reading.robot.groups[0].joints == Names{"j2", "slide"});
    CHECK(reading.robot.groups[0].where.line == 2);
    CHECK(reading.diagnostics.empty());
}

TEST_CASE("srdf chains run along the tree, over the nearest common ancestor where they must") {
    const Reading reading = accept(
        "<group name=\"down\"><chain base_link=\"base\" tip_link=\"tool\"/></group>"
        "<group name=\"across\"><chain base_link=\"b\" tip_link=\"d\"/></group>"
        "<group name=\"up\"><chain base_link=\"b\" tip_link=\"base\"/></group>");
    CHECK(group_of(reading, "down").joints == Names{"j1", "j2", "f"});
    CHECK(group_of(reading, "down").links == Names{"a", "b", "tool"});
    CHECK(group_of(reading, "across").joints == Names{"j2", "j1", "ball", "spin"});
    CHECK(group_of(reading, "across").links == Names{"b", "a", "c", "d"});
    CHECK(group_of(reading, "up").joints == Names{"j2", "j1"});
}

TEST_CASE("srdf chains are the joints that are above one end and not above the other") {
    constexpr int links = 60;
    constexpr int trials = 50;
    std::mt19937 random(3);
    grbda::RobotDescription tree;
    tree.name = "r";
    std::vector<std::set<std::string>> above(links);
    for (int i = 0; i < links; ++i) {
        grbda::LinkDescription link;
        link.name = "l" + std::to_string(i);
        tree.links.push_back(link);
        if (i == 0) continue;
        const int parent = static_cast<int>(random() % static_cast<unsigned>(i));
        grbda::JointDescription joint;
        joint.name = "j" + std::to_string(i);
        joint.parent = "l" + std::to_string(parent);
        joint.child = link.name;
        tree.joints.push_back(joint);
        above[static_cast<std::size_t>(i)] = above[static_cast<std::size_t>(parent)];
        above[static_cast<std::size_t>(i)].insert(joint.name);
    }
    std::shuffle(tree.joints.begin(), tree.joints.end(), random);
    for (int trial = 0; trial < trials; ++trial) {
        const std::size_t base = random() % links;
        const std::size_t tip = (base + 1 + random() % (links - 1)) % links;
        std::set<std::string> expected;
        std::set_symmetric_difference(above[base].begin(), above[base].end(), above[tip].begin(),
                                      above[tip].end(), std::inserter(expected, expected.end()));
        const Reading reading = accept("<group name=\"g\"><chain base_link=\"l" + std::to_string(base) +
                                           "\" tip_link=\"l" + std::to_string(tip) + "\"/></group>",
                                       tree);
        CHECK(as_set(reading.robot.groups.at(0).joints) == expected);
        CHECK(reading.robot.groups[0].joints.size() == expected.size());
    }
}

TEST_CASE("srdf groups within groups are written out, whatever their order in the file") {
    Names elements = {
        "<group name=\"all\"><group name=\"arm\"/><group name=\"hand\"/><link name=\"d\"/></group>",
        "<group name=\"arm\"><chain base_link=\"base\" tip_link=\"b\"/></group>",
        "<group name=\"hand\"><group name=\"arm\"/><joint name=\"slide\"/></group>"};
    std::sort(elements.begin(), elements.end());
    do {
        const Reading reading = accept(elements[0] + elements[1] + elements[2]);
        CHECK(group_of(reading, "all").joints == Names{"j1", "j2", "slide", "spin"});
        CHECK(group_of(reading, "all").links == Names{"a", "b", "left", "d"});
        CHECK(group_of(reading, "hand").joints == Names{"j1", "j2", "slide"});
    } while (std::next_permutation(elements.begin(), elements.end()));
}

TEST_CASE("srdf refuses groups that contain themselves and prints the cycle") {
    check_error("<group name=\"g\"><group name=\"g\"/></group>", 2, "group 'g'", "the cycle 'g' → 'g'");
    const Reading reading = read_srdf(
        "<group name=\"x\"><group name=\"b\"/></group>\n<group name=\"b\"><group name=\"c\"/></group>\n"
        "<group name=\"c\"><link name=\"a\"/><group name=\"b\"/></group>");
    CHECK(reading.count(Severity::error) == 1);
    CHECK(has(reading, Severity::error, 3, "group 'b'", "the cycle 'b' → 'c' → 'b'"));
}

TEST_CASE("srdf groups name what the robot has, each group once") {
    check_warning("<group name=\"g\">\n<link name=\"tol\"/></group>", 3, "link 'tol'", "did you mean 'tool'");
    check_warning("<group name=\"g\">\n<joint name=\"slid\"/></group>", 3, "joint 'slid'",
                  "did you mean 'slide'");
    check_warning("<group name=\"g\">\n<group name=\"h\"/></group>", 3, "group 'h'", "a known group");
    check_error("<group name=\"g\">\n<chain base_link=\"base\"/></group>", 3, "<chain> of group 'g'",
                "'tip_link'");
    check_warning("<group name=\"g\">\n<chain base_link=\"bas\" tip_link=\"a\"/></group>", 3, "<chain>",
                  "a known link in 'base_link'");
    check_warning(
        "<group name=\"g\"><link name=\"a\"/></group>\n<group name=\"g\"><link name=\"b\"/></group>", 3,
        "group 'g'", "no other");
    check_error("<group><link name=\"a\"/></group>", 2, "<group> of robot 'r'", "'name', found none");
    check_finding(Severity::warning, "<group name=\"g\"/>", 2, "group 'g'", "found none");
    check_finding(Severity::warning, "<group name=\"g\">\n<chain base_link=\"a\" tip_link=\"a\"/></group>", 3,
                  "<chain>", "two different links");
}

TEST_CASE("srdf states keep their positions, several for a joint of several degrees of freedom") {
    const Reading reading =
        accept(state("<joint name=\"j1\" value=\"0.5\"/><joint name=\"j2\" value=\" 1 \"/>\n"
                     "<joint name=\"ball\" value=\"0 0 0.6 0.8\"/>"));
    REQUIRE(reading.robot.states.size() == 1);
    const grbda::StateDescription& state = reading.robot.states[0];
    CHECK(state.name == "s");
    CHECK(state.group == "all");
    CHECK(state.where.line == 3);
    CHECK(state.positions.size() == 3);
    CHECK(state.positions.at("j1") == std::vector<double>{0.5});
    CHECK(state.positions.at("ball") == std::vector<double>{0, 0, 0.6, 0.8});
    REQUIRE(reading.diagnostics.size() == 1);  // fixed joints and followers are not missed
    CHECK(has(reading, Severity::note, 3, "group_state 's'", "starts, 'slide', 'spin'"));
}

TEST_CASE("srdf refuses positions that a joint cannot take") {
    check_error(state("<joint name=\"j3\" value=\"0\"/>"), 4, "joint 'j3'", "did you mean 'j1'");
    check_warning(state("<joint name=\"f\" value=\"0\"/>"), 4, "joint 'f'", "which is fixed");
    check_error(state("<joint name=\"j1\"/>"), 4, "joint 'j1'", "'value', found none");
    check_error(state("<joint name=\"j1\" value=\"0 1\"/>"), 4, "joint 'j1'", "a finite number");
    check_error(state("<joint name=\"j1\" value=\"nan\"/>"), 4, "joint 'j1'", "a finite number");
    check_error(state("<joint name=\"ball\" value=\"0\"/>"), 4, "joint 'ball'", "4 finite numbers");
    check_error(state("<joint name=\"j1\" value=\"0\"/>\n<joint name=\"j1\" value=\"1\"/>"), 5, "joint 'j1'",
                "a second one");
    check_warning("<group_state name=\"s\" group=\"g\"/>", 2, "group_state 's'", "a known group");
    check_error(all_groups + "<group_state group=\"all\"/>", 3, "<group_state>", "'name', found none");
}

TEST_CASE("srdf warns of positions beyond the limits, not of those that rounding put there") {
    const Reading reading = check_finding(Severity::warning, state("<joint name=\"j2\" value=\"2.1\"/>"), 4,
                                          "joint 'j2'", "between -0.5 and 2, found 2.1");
    CHECK(reading.robot.states.at(0).positions.at("j2") == std::vector<double>{2.1});
    check_finding(Severity::warning, state("<joint name=\"slide\" value=\"-0.001\"/>"), 4, "joint 'slide'",
                  "between 0 and 0.04");
    accept(state("<joint name=\"j2\" value=\"2.0000001\"/>"));
    accept(state("<joint name=\"spin\" value=\"99\"/>"));
}

TEST_CASE("srdf leaves out the value of a joint that is not in the state's group") {
    const Reading reading =
        check_finding(Severity::warning,
                      "<group name=\"g\"><joint name=\"j1\"/></group>\n<group_state name=\"s\" group=\"g\">\n"
                      "<joint name=\"j1\" value=\"0\"/>\n<joint name=\"j2\" value=\"1\"/></group_state>",
                      5, "joint 'j2'", "a joint of group 'g'");
    CHECK(reading.robot.states.at(0).positions.size() == 1);
}

TEST_CASE("srdf states of one name in several groups are distinguished by the group") {
    const std::string two =
        "<group name=\"g\"><joint name=\"j1\"/></group>"
        "<group name=\"h\"><joint name=\"j2\"/></group>\n";
    const auto state = [](const std::string& name, const std::string& group, const std::string& joint) {
        return "<group_state name=\"" + name + "\" group=\"" + group + "\"><joint name=\"" + joint +
               "\" value=\"1\"/></group_state>\n";
    };
    const Reading reading =
        accept(two + state("home", "g", "j1") + state("home", "h", "j2") + state("up", "h", "j2"));
    REQUIRE(reading.robot.states.size() == 3);
    CHECK(reading.robot.states[0].name == "g/home");
    CHECK(reading.robot.states[1].name == "h/home");
    CHECK(reading.robot.states[2].name == "up");
    CHECK(has(reading, Severity::note, 4, "group_state 'home'", "called 'h/home'"));
    check_error(two + state("home", "g", "j1") + state("home", "g", "j1"), 4, "group_state 'home'", "again");
    grbda::RobotDescription with_state = robot();
    with_state.states.push_back({"up", "", {}, {}});
    CHECK(accept(two + state("up", "h", "j2"), with_state).robot.states.at(1).name == "h/up");
}

TEST_CASE("srdf passive joints are listed once; a fixed one has no motor anyway") {
    const Reading reading = accept(
        "<passive_joint name=\"slide\"/><passive_joint name=\"ball\"/><passive_joint name=\"slide\"/>\n"
        "<passive_joint name=\"f\"/>");
    CHECK(reading.robot.passive == Names{"slide", "ball"});
    CHECK(has(reading, Severity::note, 3, "passive_joint 'f'", "fixed"));
    check_warning("<passive_joint name=\"balls\"/>", 2, "passive_joint 'balls'", "did you mean 'ball'");
}

TEST_CASE("srdf end effectors make their parent link a tool frame") {
    const std::string group = "<group name=\"g\"><link name=\"left\"/></group>\n";
    const Reading reading = accept(group +
                                   "<end_effector name=\"e\" group=\"g\" parent_link=\"tool\"/>"
                                   "<end_effector name=\"h\" group=\"g\" parent_link=\"tool\"/>");
    CHECK(reading.robot.tool_frames == Names{"tool"});
    CHECK(has(reading, Severity::note, 3, "end_effector 'e'", "'tool' is a tool frame"));
    check_error(group + "<end_effector name=\"e\" group=\"g\"/>", 3, "end_effector 'e'", "'parent_link'");
    check_warning(group + "<end_effector name=\"e\" group=\"x\" parent_link=\"tool\"/>", 3,
                  "end_effector 'e'", "a known group");
    check_warning(group + "<end_effector name=\"e\" group=\"g\" parent_link=\"tool\" parent_group=\"x\"/>", 3,
                  "end_effector 'e'", "'parent_group'");
}

TEST_CASE("srdf collisions are masked by pair: disabled before enabled before the default of a link") {
    const Reading pairs = accept(
        "<disable_collisions link1=\"b\" link2=\"a\" reason=\"Adjacent\"/>"
        "<disable_collisions link1=\"a\" link2=\"b\"/>");
    CHECK(pairs.robot.self_collision.ignore == std::map<std::string, Names>{{"a", {"b"}}});
    const Reading defaults = accept(
        "<disable_default_collisions link=\"base\"/><enable_collisions link1=\"tool\" link2=\"base\"/>"
        "<enable_collisions link1=\"d\" link2=\"base\"/><disable_collisions link1=\"base\" link2=\"d\"/>");
    CHECK(defaults.robot.self_collision.ignore ==
          std::map<std::string, Names>{{"base", {"a", "b", "left", "right", "c", "d"}}});
    check_warning("<disable_collisions link1=\"tol\" link2=\"a\"/>", 2, "<disable_collisions>",
                  "did you mean 'tool'");
    check_error("<enable_collisions link1=\"a\"/>", 2, "<enable_collisions>", "'link2'");
    check_finding(Severity::warning, "<disable_collisions link1=\"a\" link2=\"a\"/>", 2,
                  "<disable_collisions>", "one link twice");
}

TEST_CASE("srdf sphere approximations are a geometry") {
    const Reading reading = accept(
        "<link_sphere_approximation link=\"a\"><sphere center=\"1 2 3\" radius=\"0.5\"/>"
        "<sphere center=\"0 0 0\" radius=\"0\"/></link_sphere_approximation>");
    REQUIRE(reading.robot.geometries.size() == 1);
    const auto& spheres = reading.robot.geometries[0].spheres.at("a");
    REQUIRE(spheres.size() == 2);
    CHECK(spheres[0].center == Eigen::Vector3d(1, 2, 3));
    CHECK(spheres[0].radius == 0.5);
    CHECK(reading.robot.self_collision.geometry == reading.robot.geometries[0].name);
    check_error(
        "<link_sphere_approximation link=\"a\">\n<sphere center=\"1 2\" radius=\"1\"/>"
        "</link_sphere_approximation>",
        3, "<sphere>", "3 finite numbers in 'center'");
    check_warning("<link_sphere_approximation link=\"z\"/>", 2, "<link_sphere_approximation>",
                  "a known link");
}

TEST_CASE("srdf of another robot is a warning, unknown elements are one note") {
    const Reading other = read(grbda::apply_srdf, "<robot name=\"q\"/>", robot());
    REQUIRE(other.diagnostics.size() == 1);
    CHECK(has(other, Severity::warning, 1, "robot 'q'", "'r', found 'q'"));
    const Reading unknown =
        accept("<gripper/><gripper/><group name=\"g\"><link name=\"a\"><x/></link></group>");
    REQUIRE(unknown.diagnostics.size() == 1);
    CHECK(has(unknown, Severity::note, 2, "robot 'r'", "<gripper> (2 times)"));
    CHECK(contains(to_string(unknown.diagnostics[0]), "<x>"));
    const Reading broken = read(grbda::apply_srdf, "<robot name=\"r\"><group>", robot());
    CHECK(broken.count(Severity::error) == 1);
    const Reading sdf = read(grbda::apply_srdf, "<sdf/>", robot());
    CHECK(has(sdf, Severity::error, 1, "<sdf>", "<robot>"));
}

TEST_CASE("srdf that would need endless lists ends early") {
    constexpr int links = 3000;
    grbda::RobotDescription chain;
    chain.name = "r";
    std::string text;
    for (int i = 0; i < links; ++i) {
        grbda::LinkDescription link;
        link.name = "l" + std::to_string(i);
        chain.links.push_back(link);
        text += "<group name=\"g" + std::to_string(i) + "\"><chain base_link=\"l0\" tip_link=\"" + link.name +
                "\"/></group><disable_default_collisions link=\"" + link.name + "\"/>\n";
        if (i == 0) continue;
        grbda::JointDescription joint;
        joint.name = "j" + std::to_string(i);
        joint.parent = "l" + std::to_string(i - 1);
        joint.child = link.name;
        chain.joints.push_back(joint);
    }
    const Reading reading = read_srdf(text, chain);
    CHECK(reading.count(Severity::error) == 2);
    std::size_t members = 0;
    for (const grbda::GroupDescription& group : reading.robot.groups) members += group.joints.size();
    CHECK(members < 1'100'000);
}

TEST_CASE("srdf refuses what xacro should have replaced") {
    check_error("<group name=\"g\"><link name=\"a\"/></group>\n<xacro:arm name=\"b\"/>", 3, "xacro:arm 'b'",
                "a file without xacro");
}
