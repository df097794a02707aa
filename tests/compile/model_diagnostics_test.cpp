#include <string>
#include <vector>

#include "compile/model_diagnostics_fixture.hpp"
#include "dynamics/aba.hpp"

// Findings about robots that parse but do not make a model, or make one that deserves a remark. Each text is
// the smallest robot with that flaw, and each finding names severity, line, element and what to do.

using namespace model_diagnostics;

TEST_CASE("a wrong number of independents is refused with the right number and a set that works") {
    const Loaded many = load_text(robot(four_bar(yes, "", yes)));
    check_error(many, "joint", "a",
                {"'a'", "expected 1 independent coordinate", "rank 2", "2 are marked: 'a', 'c'",
                 "a set that works: '"});
    const Loaded few = load_text(robot(four_bar(no, no, no)));
    check_error(few, "joint", "a",
                {"expected 1 independent coordinate", "3 joint coordinates", "only 0",
                 "independent=\"false\"", "a set that works: '"});
    check_accepted(load_text(robot(four_bar(yes, no, no))));
}

TEST_CASE("independents that cannot determine the others are refused with another set") {
    // 'd' turns the coupler about its own length, which the loop's axis blocks
    const Loaded locked =
        load_text(robot(two_arms() + joint({"b", "crank", "coupler", "0 1 0"}) + link("coupler") +
                        joint({"d", "coupler", "end", "1 0 0", "type=\"continuous\" " + yes, "1 0 0"}) +
                        link("end") + loop("closure", "end", "1 0 0", "rocker", "-0.5 1 0")));
    check_error(locked, "joint", "a",
                {"determine all others", "marked 'd'", "assembled configuration", "a set that works: 'a'"});
}

TEST_CASE("a loop that cannot be assembled is refused with its remaining gap") {
    const std::string length = "<length value=\"10\"/>";  // the tips reach 4.5 m at most
    const Loaded apart =
        load_text(robot(two_arms() + loop("rod", "crank", "1 0 0", "rocker", "1 0 0", "distance", length)));
    check_error(apart, "loop", "rod",
                {"loop 'rod'", "closes all loops", "left open by 5.5", "check lengths"});

    // the second loop shares the cluster, and cannot close either
    const Loaded both = load_text(
        robot(two_arms() + loop("rod", "crank", "1 0 0", "rocker", "1 0 0", "distance", length) +
              loop("second", "crank", "1 0 0", "rocker", "1 0 0", "distance", "<length value=\"20\"/>")));
    CHECK(both.count(Severity::error) == 2);
    check_finding(both, Severity::error, "loop", "rod", {"loop 'rod'", "left open by"});
    check_finding(both, Severity::error, "loop", "second", {"loop 'second'", "left open by"});
}

TEST_CASE("a locked cluster is a warning, and an error if motion is expected") {
    const std::string truss = two_arms() + loop("pin", "crank", "1 1 0", "rocker", "-1.5 1 0");
    const Loaded structure = load_text(robot(truss));
    check_accepted(structure, 1);
    check_finding(structure, Severity::warning, "joint", "a",
                  {"'a', 'c'", "some freedom", "locked structure", "constraint rank 2"});

    const Loaded marked =
        load_text(robot(two_arms(yes) + loop("pin", "crank", "1 1 0", "rocker", "-1.5 1 0")));
    check_error(marked, "joint", "a", {"'a', 'c'", "rank 2"});

    Diagnostics diagnostics;
    RobotDescription description = read_urdf(robot(truss), "robot.urdf", diagnostics);
    description.actuated = {"c"};
    Loaded driven;
    driven.text = robot(truss);
    driven.diagnostics = build_model(description).diagnostics;
    check_finding(driven, Severity::warning, "joint", "a",
                  {"locked structure", "its motors move nothing", "a loop or coupling too many"});
}

TEST_CASE("an assembled pose outside the limits is a warning at the joint") {
    const Loaded loaded =
        load_text(robot(empty_link("base") + joint({"a", "base", "crank"}) + link("crank") +
                        joint({"c", "base", "rocker", "2.5 0 0", "type=\"revolute\"", "0 0 1",
                               "<limit lower=\"-2.2\" upper=\"-1.9\" effort=\"1\" velocity=\"1\"/>"}) +
                        link("rocker") + joint({"b", "crank", "coupler", "0 1 0"}) + link("coupler") +
                        loop("closure", "coupler", "2 0 0", "rocker", "-0.5 1 0")));
    check_accepted(loaded, 1);
    check_finding(loaded, Severity::warning, "joint", "c",
                  {"joint 'c'", "within its limits", "move the limits"});
}

TEST_CASE("massless links that can move are a warning with their names") {
    const Loaded leaf = load_text(robot(empty_link("base") + joint({"a", "base", "arm"}) + link("arm") +
                                        joint({"b", "arm", "ghost", "1 0 0"}) + empty_link("ghost")));
    check_accepted(leaf, 1);
    check_finding(leaf, Severity::warning, "joint", "b",
                  {"mass or inertia", "joint 'b'", "massless", "'ghost'", "inertial", "armature of 0.001"});
    const Loaded branch =
        load_text(robot(empty_link("base") + joint({"a", "base", "arm"}) + empty_link("arm") +
                        joint({"b", "arm", "ghost", "1 0 0"}) + empty_link("ghost")));
    check_accepted(branch, 1);
    check_finding(branch, Severity::warning, "joint", "a",
                  {"joint 'a' moves none", "'arm', 'ghost'", "kinematics works", "singular_inertia"});
    // both turn the arm alike: one combination of them moves nothing
    const Loaded coaxial = load_text(robot(empty_link("base") + joint({"a", "base", "ghost"}) +
                                           empty_link("ghost") + joint({"b", "ghost", "arm"}) + link("arm")));
    check_accepted(coaxial, 1);
    check_finding(coaxial, Severity::warning, "joint", "a",
                  {"mass or inertia", "joint 'a'", "'ghost'", "singular_inertia"});
}

TEST_CASE("a rod without inertia about itself that can only turn so is a warning") {
    const auto rod = [](const std::string& rpy, double inertia) {
        const std::string value = std::to_string(inertia);
        return "<link name=\"rod\"><inertial><origin rpy=\"" + rpy +
               "\"/><mass value=\"2\"/><inertia ixx=\"" + value + "\" ixy=\"0\" ixz=\"0\" iyy=\"" + value +
               "\" iyz=\"0\" izz=\"0\"/></inertial></link>\n";
    };
    for (double inertia = 0.01; inertia < 1; inertia *= 1.7) {
        INFO(inertia);
        const Loaded straight =
            load_text(robot(empty_link("base") + joint({"a", "base", "rod"}) + rod("0 0 0", inertia)));
        check_accepted(straight, 1);
        check_finding(straight, Severity::warning, "joint", "a", {"mass or inertia", "joint 'a'"});
        const std::string tilted = "0.21835066314633442 -0.27509584731824371 0.93629336358419923";
        const Loaded turned = load_text(
            robot(empty_link("base") + joint({"a", "base", "rod", "0 0 0", "type=\"continuous\"", tilted}) +
                  rod("0.3 0.2 0.1", inertia)));
        check_accepted(turned, 1);
        check_finding(turned, Severity::warning, "joint", "a", {"mass or inertia", "joint 'a'"});
    }
}

TEST_CASE("massless links that no freedom moves alone are accepted with a note") {
    const Loaded loaded =
        load_text(robot(empty_link("base") + joint({"a", "base", "ghost"}) + empty_link("ghost") +
                        joint({"b", "ghost", "arm", "1 0 0"}) + link("arm")));
    check_accepted(loaded);
    check_finding(loaded, Severity::note, "robot", "r", {"without mass", "'ghost'"});
}

TEST_CASE("a linkage that is flat at zero loads with a note and another neutral configuration") {
    const Loaded flat = load_text(
        robot(empty_link("base") + joint({"a", "base", "crank", "0 0 0", "type=\"continuous\" " + yes}) +
              link("crank") + joint({"c", "base", "rocker", "1 0 0"}) + link("rocker") +
              joint({"b", "crank", "coupler", "0.5 0 0"}) + link("coupler") +
              loop("closure", "coupler", "1 0 0", "rocker", "0.5 0 0")));
    check_accepted(flat);
    check_finding(flat, Severity::note, "joint", "a", {"'a', 'b', 'c'", "singular at q = 0", "neutral"});
    CHECK(flat.model.neutral != std::vector<double>(3, 0));
}

TEST_CASE("a linkage that is open at zero loads with a note") {
    const Loaded open =
        load_text(robot(two_arms() + joint({"b", "crank", "coupler", "0 1 0"}) + link("coupler") +
                        loop("closure", "coupler", "2.2 0 0", "rocker", "-0.5 1 0")));
    check_accepted(open);
    check_finding(open, Severity::note, "joint", "a", {"assembled", "open at q = 0"});
    const Loaded closed = load_text(robot(four_bar()));
    check_accepted(closed);
    INFO(closed.findings());
    for (const Diagnostic& entry : closed.diagnostics)
        CHECK(to_string(entry).find("open at q = 0") == std::string::npos);
}

TEST_CASE("loops that repeat each other load with a note on their rows") {
    const Loaded twice =
        load_text(robot(four_bar() + loop("again", "coupler", "2 0 0", "rocker", "-0.5 1 0")));
    check_accepted(twice);
    check_finding(twice, Severity::note, "joint", "a", {"redundant", "4 rows of rank 2"});
    CHECK(twice.model.nv == 1);
}

TEST_CASE("more mobility than motors is a note") {
    Diagnostics diagnostics;
    const std::string text = robot(two_arms() + joint({"b", "crank", "left", "0 1 0"}) + link("left") +
                                   joint({"d", "rocker", "right", "0 1 0"}) + link("right") +
                                   loop("tip", "left", "1 1 0", "right", "-1.5 1 0"));
    RobotDescription description = read_urdf(text, "robot.urdf", diagnostics);
    description.actuated = {"a"};
    Loaded loaded;
    loaded.text = text;
    loaded.model = build_model(description);
    loaded.diagnostics = loaded.model.diagnostics;
    check_accepted(loaded);
    check_finding(loaded, Severity::note, "joint", "a", {"more mobility than motors", "2 against 1"});
}

TEST_CASE("motors on any joints of a loop are accepted") {
    Diagnostics diagnostics;
    RobotDescription description = read_urdf(robot(four_bar(yes, no, no)), "robot.urdf", diagnostics);
    description.actuated = {"c"};
    CHECK(build_model(description).nv == 1);
}

TEST_CASE("a cluster beyond the size limit is refused with its size") {
    constexpr int joints = 4001;
    std::string text = empty_link("base"), terms;
    for (int i = 0; i < joints; ++i) {
        const std::string number = std::to_string(i);
        text += joint({"j" + number, "base", "l" + number}) + link("l" + number);
        terms += "<term joint=\"j" + number + "\"/>";
    }
    Loaded loaded =
        load_text(robot(text + "<coupling name=\"sum\" type=\"linear\">" + terms + "</coupling>\n"));
    loaded.text = robot(text);
    CHECK(loaded.count(Severity::error) == 1);
    REQUIRE_FALSE(loaded.diagnostics.empty());
    const Diagnostic& entry = loaded.diagnostics.back();
    const std::string printed = to_string(entry);
    CHECK(entry.where.line == line_of(loaded.text, "joint", "j0"));
    CHECK(printed.find("at most 4000 joint coordinates") != std::string::npos);
    CHECK(loaded.model.bodies.empty());  // no work is spent on what nobody can use
    CHECK(printed.find("4001 that") != std::string::npos);
    CHECK(printed.find("and 3989 more") != std::string::npos);
    CHECK(printed.find("split") != std::string::npos);
}

TEST_CASE("the second joint above a link is read as a loop") {
    const Loaded loaded = load_text(robot(two_arms() + joint({"b", "crank", "coupler", "0 1 0"}) +
                                          link("coupler") + joint({"e", "rocker", "coupler", "-2.5 1 0"})));
    check_accepted(loaded);
    check_finding(loaded, Severity::note, "joint", "e",
                  {"closes a loop from 'rocker' to 'coupler'", "joint 'b'", "independent"});
    REQUIRE(loaded.model.names.loops.size() == 1);
    CHECK(loaded.model.names.loops[0] == "e");
    CHECK(loaded.model.nv == 1);
}

TEST_CASE("a loop within one body is refused unless it is already satisfied") {
    const std::string arm = empty_link("base") + joint({"a", "base", "arm"}) + link("arm") +
                            fixed_joint("weld", "arm", "tool") + link("tool");
    check_error(load_text(robot(arm + loop("l", "arm", "0 0 0", "tool", "0 0 0"))), "loop", "l",
                {"loop 'l'", "move relative to each other", "'arm' and 'tool'", "fixed to each other"});
    check_error(load_text(robot(arm + loop("l", "arm", "0 0 1", "tool", "0 0 0", "fixed", ""))), "loop", "l",
                {"loop 'l'", "do not coincide"});
    check_error(load_text(robot(arm + loop("l", "arm", "0 0 1", "arm", "0 0 0"))), "loop", "l",
                {"two different links", "'arm' at both ends"});
    const Loaded consistent = load_text(robot(arm + loop("l", "arm", "0 0 1", "tool", "0 0 1", "fixed", "")));
    check_accepted(consistent, 1);
    check_finding(consistent, Severity::warning, "loop", "l", {"dropped", "repeats"});
}

TEST_CASE("an undecided ratio is shown as both equations") {
    const std::string arm =
        empty_link("base") + joint({"hip", "base", "arm"}) + link("arm") + joint({"spin", "base", "disk"});
    const std::string geared = arm + rotor_link("disk") + coupling("gear", "arm", "disk", "6");
    const std::vector<std::string> both = {"coupling 'gear'", "q[hip] = 6 q[spin]", "q[spin] = 6 q[hip]",
                                           "coupling_ratio=\"predecessor/successor\""};
    const Loaded by_rotor = load_text(robot(geared));
    check_accepted(by_rotor, 1);
    check_finding(by_rotor, Severity::warning, "coupling", "gear",
                  {both[1], both[2], "only the second", "the rotor"});
    const std::string plain = arm + link("disk") + coupling("gear", "arm", "disk", "6");
    const Loaded warned = load_text(robot(plain));
    check_accepted(warned, 1);
    check_finding(warned, Severity::warning, "coupling", "gear", both);
    LoadOptions strict;
    strict.strict = true;
    check_error(load_text(robot(plain), strict), "coupling", "gear", both);
    check_error(load_text(robot(geared), strict), "coupling", "gear", {both[1], both[2], "the rotor"});
    check_accepted(load_text(robot(geared, parser_ratio)));
}

TEST_CASE("two ratios for one pair of joints are refused with both equations") {
    const Loaded loaded = load_text(robot(
        two_arms() + coupling("first", "crank", "rocker", "2") + coupling("second", "crank", "rocker", "3"),
        parser_ratio));
    check_error(loaded, "coupling", "second",
                {"coupling 'second'", "q[c] = 3 q[a]", "q[c] = 2 q[a]", "coupling 'first'", "lock"});
}

TEST_CASE("couplings that relate no joints, or different kinds of joints, are refused") {
    const std::string arm = empty_link("base") + joint({"a", "base", "arm"}) + link("arm") +
                            fixed_joint("weld", "arm", "tool") + link("tool");
    check_error(load_text(robot(arm + coupling("k", "arm", "tool", "1"))), "coupling", "k",
                {"only fixed joints between 'arm' and 'tool'"});
    check_error(load_text(robot(arm + coupling("k", "arm", "arm", "1"))), "coupling", "k", {"'arm' as both"});
    check_error(load_text(robot(arm + joint({"s", "base", "slide", "1 0 0", "type=\"prismatic\""}) +
                                link("slide") + coupling("k", "arm", "slide", "1"))),
                "coupling", "k", {"rotations only or translations only", "'a'", "'s'"});
}

TEST_CASE("mimics of themselves, of unknown joints and in cycles are refused") {
    const auto arms = [](const std::string& a, const std::string& c) {
        const auto mimic = [](const std::string& joint) {
            return joint.empty() ? "" : "<mimic joint=\"" + joint + "\"/>";
        };
        return robot(
            empty_link("base") +
            joint({"arm_a", "base", "one", "0 0 0", "type=\"continuous\"", "0 0 1", mimic(a)}) + link("one") +
            joint({"arm_c", "base", "two", "1 0 0", "type=\"continuous\"", "0 0 1", mimic(c)}) + link("two"));
    };
    check_error(load_text(arms("arm_a", "")), "joint", "arm_a", {"joint 'arm_a'", "a mimic of itself"});
    check_error(load_text(arms("", "arm_b")), "joint", "arm_c", {"'arm_b'", "did you mean 'arm_a'"});
    check_error(load_text(arms("arm_c", "arm_a")), "joint", "arm_a", {"the cycle arm_a → arm_c → arm_a"});
}

TEST_CASE("an unknown link is refused with the nearest name") {
    check_error(load_text(robot(two_arms() + loop("l", "crnak", "0 0 0", "rocker", "0 0 0"))), "loop", "l",
                {"loop 'l'", "a known link as predecessor", "'crnak'", "did you mean 'crank'?"});
    check_error(load_text(robot(two_arms() + joint({"b", "rockr", "coupler"}) + link("coupler"))), "joint",
                "b", {"joint 'b'", "a known link as parent", "did you mean 'rocker'?"});
}

TEST_CASE("several roots are refused by name") {
    const Loaded loaded = load_text(robot(two_arms() + link("island")));
    check_error(loaded, "link", "island",
                {"exactly one root link", "2 roots: 'base', 'island'", "join them"});
}

TEST_CASE("a cycle of joints is printed") {
    const Loaded loaded = load_text(robot(empty_link("base") + joint({"a", "base", "arm"}) + link("arm") +
                                          joint({"x", "left", "right"}) + link("left") +
                                          joint({"y", "right", "left"}) + link("right")));
    INFO(loaded.findings());
    REQUIRE(loaded.count(Severity::error) == 1);
    const Diagnostic& entry = loaded.diagnostics.front();
    const bool from_left = to_string(entry).find("left → right → left") != std::string::npos;
    CHECK((from_left || to_string(entry).find("right → left → right") != std::string::npos));
    CHECK(entry.where.line == line_of(loaded.text, "joint", from_left ? "x" : "y"));
    CHECK(to_string(entry).find("'left', 'right'") != std::string::npos);
}

TEST_CASE("a chain of 100000 bodies with a geared rotor every 100 bodies loads") {
    constexpr int bodies = 100000, every = 100;
    std::string text = empty_link("l0");
    for (int i = 0; i < bodies; ++i) {
        const std::string number = std::to_string(i), parent = "l" + number,
                          child = "l" + std::to_string(i + 1);
        text += joint({"j" + number, parent, child, "0.1 0 0"}) + link(child);
        if (i % every != 0) continue;
        text += joint({"r" + number, parent, "d" + number}) + rotor_link("d" + number) +
                coupling("g" + number, child, "d" + number, "6");
    }
    const Loaded loaded = load_text(robot(text, parser_ratio));
    check_accepted(loaded);
    CHECK(loaded.model.body_count() == bodies + bodies / every);
    CHECK(loaded.model.cluster_count() == bodies);
    CHECK(loaded.model.nv == bodies);
    CHECK(loaded.model.nq == bodies + bodies / every);
    CHECK(loaded.model.rotors.size() == bodies / every);
}

TEST_CASE("a loop that is satisfied in every pose changes nothing") {
    // Both axes go through the origin, where the rod is pinned to the second link.
    const std::string arm = empty_link("base") + link("upper") + link("lower") +
                            "<joint name=\"shoulder\" type=\"continuous\"><parent link=\"base\"/>"
                            "<child link=\"upper\"/><axis xyz=\"0 0 1\"/></joint>"
                            "<joint name=\"elbow\" type=\"continuous\"><parent link=\"upper\"/>"
                            "<child link=\"lower\"/><axis xyz=\"1 0 0\"/></joint>";
    const std::string rod =
        "<loop name=\"rod\" type=\"distance\"><predecessor link=\"lower\"/>"
        "<successor link=\"base\"><origin xyz=\"2 0 1\"/></successor></loop>";
    const Loaded loaded = load_text(robot(arm + rod)), plain = load_text(robot(arm));
    check_accepted(loaded);
    REQUIRE(loaded.model.nv == 2);
    Workspace<double> data(loaded.model), expected(plain.model);
    const Eigen::Vector2d q(0.4, -0.9), yd(1.5, -2), tau(0.3, 0.7);
    REQUIRE(aba<double>(loaded.model, data, q, yd, tau).ok());
    REQUIRE(aba<double>(plain.model, expected, q, yd, tau).ok());
    CHECK((data.ydd - expected.ydd).norm() < 1e-12 * expected.ydd.norm());  // rounding
}
