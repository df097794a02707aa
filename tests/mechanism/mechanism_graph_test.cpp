#include <catch2/catch.hpp>

#include <algorithm>

#include "mechanism/mechanism_fixture.hpp"

using namespace mechanism_fixture;

namespace {

/// Composed placements of a few metres: rounding only.
constexpr double rounding = 1e-14;

const std::string& joint_of(const Result& result, const std::string& body) {
    return result.mechanism.bodies.at(static_cast<std::size_t>(result.body(body))).joint;
}

}  // namespace

TEST_CASE("the tree must have exactly one root") {
    Robot two({"a", "b", "c"});
    two.joint("j", "a", "b");
    CHECK(make(two).only_error({"exactly one root", "2 roots: 'a', 'c'", "robot.urdf:102"}));
    CHECK(make(Robot()).only_error({"at least one link"}));

    Robot none({"a", "b"});
    none.joint("j1", "a", "b");
    none.joint("j2", "b", "a");
    CHECK(make(none).only_error({"the cycle a → b → a", "joint 'j1'"}));
}

TEST_CASE("links that no root reaches are named with the cycle above them") {
    Robot robot({"base", "x", "y", "z", "tail", "arm"});
    robot.joint("j1", "base", "arm");
    robot.joint("j2", "x", "y");
    robot.joint("j3", "y", "z");
    robot.joint("j4", "z", "x");
    robot.joint("j5", "y", "tail");
    const Result result = make(robot);
    INFO(result.text());
    CHECK(result.only_error({"the cycle ", "x → y", "y → z", "z → x", "'x', 'y', 'z', 'tail'"}));
    robot.joints.erase(robot.joints.begin());  // and a second root
    CHECK(make(robot).count(Severity::error, {"the cycle"}) == 1);
    CHECK(make(robot).count(Severity::error, {"2 roots: 'base', 'arm'"}) == 1);
}

TEST_CASE("a joint from a link to itself is an error, and not a second one about roots") {
    Robot robot({"a", "b"});
    robot.joint("j", "a", "b");
    robot.joint("self", "a", "a");
    CHECK(make(robot).only_error({"joint 'self'", "differ", "'a' as both"}));
}

TEST_CASE("the first of two joints with one child is the tree joint and the other a loop") {
    Robot robot({"base", "a", "b", "c"});
    robot.joint("ja", "base", "a");
    robot.joint("jc", "base", "c");
    robot.joint("ab", "a", "b");
    JointDescription& second = robot.joint("cb", "c", "b", JointType::continuous);
    second.origin = turned(0.5, {1, 0, 0}, {0, 2, 0});
    second.axis << 0, 3, 4;
    const Result result = make(robot);
    INFO(result.text());
    CHECK(result.diagnostics.size() == 1);
    CHECK(result.count(Severity::note, {"joint 'cb'", "closes a loop", "joint 'ab'"}) == 1);
    CHECK(joint_of(result, "b") == "ab");
    REQUIRE(result.mechanism.loops.size() == 1);
    const MechanismLoop& loop = result.mechanism.loops[0];
    CHECK(loop.name == "cb");
    CHECK(loop.type == LoopType::revolute);
    CHECK(loop.predecessor == result.body("c"));
    CHECK(loop.successor == result.body("b"));
    CHECK(loop.predecessor_placement.rotation.isApprox(second.origin.rotation, rounding));
    CHECK(loop.predecessor_placement.translation.isApprox(second.origin.translation, rounding));
    CHECK(loop.successor_placement.rotation.isIdentity(rounding));
    CHECK(loop.successor_placement.translation.isZero(rounding));
    CHECK(loop.axis.isApprox(Eigen::Vector3d(0, 0.6, 0.8), rounding));

    robot.joints[3].independent = true;
    const Result marked = make(robot);
    CHECK(joint_of(marked, "b") == "cb");
    CHECK(marked.mechanism.loops.at(0).name == "ab");
    robot.joints[2].independent = true;  // both: the first, and what is lost is said aloud
    CHECK(joint_of(make(robot), "b") == "ab");
    CHECK(make(robot).count(Severity::warning, {"joint 'cb'", "no coordinate"}) == 1);
}

TEST_CASE("two joints between the same two links are a joint and a loop") {
    Robot robot({"base", "door"});
    robot.joint("upper_hinge", "base", "door");
    robot.joint("lower_hinge", "base", "door").origin = at(1, 0, -1);
    const Result result = make(robot);
    CHECK_FALSE(has_errors(result.diagnostics));
    CHECK(joint_of(result, "door") == "upper_hinge");
    CHECK(result.mechanism.loops.at(0).predecessor == world);
    CHECK(result.mechanism.loops.at(0).successor == 0);
}

TEST_CASE("of two joints with one child the one that keeps the tree connected is taken") {
    // A → B, C → B, B → C has only one reading, in any order of the document.
    std::vector<int> order{0, 1, 2};
    const char* const ends[3][3] = {{"AB", "A", "B"}, {"CB", "C", "B"}, {"BC", "B", "C"}};
    do {
        Robot robot({"A", "B", "C"});
        for (const int i : order) robot.joint(ends[i][0], ends[i][1], ends[i][2]);
        const Result result = make(robot);
        INFO(result.text());
        CHECK_FALSE(has_errors(result.diagnostics));
        CHECK(joint_of(result, "B") == "AB");
        CHECK(joint_of(result, "C") == "BC");
        CHECK(result.mechanism.loops.at(0).name == "CB");
    } while (std::next_permutation(order.begin(), order.end()));

    // Not even a mark can make a cycle the tree.
    Robot marked({"A", "B", "C"});
    marked.joint("AB", "A", "B");
    marked.joint("CB", "C", "B").independent = true;
    marked.joint("BC", "B", "C");
    CHECK(joint_of(make(marked), "B") == "AB");
    CHECK(make(marked).count(Severity::warning, {"joint 'CB'"}) == 1);
}

TEST_CASE("every loop type of a second joint is that of the joint; a floating one is dropped") {
    const std::vector<std::pair<JointType, LoopType>> types{
        {JointType::fixed, LoopType::fixed},         {JointType::revolute, LoopType::revolute},
        {JointType::continuous, LoopType::revolute}, {JointType::prismatic, LoopType::prismatic},
        {JointType::helical, LoopType::helical},     {JointType::cylindrical, LoopType::cylindrical},
        {JointType::universal, LoopType::universal}, {JointType::planar, LoopType::planar},
        {JointType::spherical, LoopType::spherical}};
    Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "base", "b");
    robot.joint("second", "a", "b").pitch = 0.01;
    for (const auto& [joint_type, loop_type] : types) {
        robot.joints[2].type = joint_type;
        const Result result = make(robot);
        CHECK(result.mechanism.loops.at(0).type == loop_type);
        CHECK(result.mechanism.loops.at(0).axis2 == Eigen::Vector3d::UnitX());
        CHECK(result.mechanism.loops.at(0).pitch == 0.01);
    }
    robot.joints[2].type = JointType::floating;
    CHECK(make(robot).mechanism.loops.empty());
    CHECK(make(robot).count(Severity::note, {"joint 'second'", "constrains nothing"}) == 1);
}

TEST_CASE("of two joints with one child the one without motor, limits and forces closes the loop") {
    using Equip = void (*)(Robot&);
    const std::vector<Equip> equipments{
        [](Robot& r) { r.joints[2].damping = 2; },
        [](Robot& r) { r.joints[2].friction = 2; },
        [](Robot& r) { r.joints[2].stiffness = 2; },
        [](Robot& r) { r.joints[2].armature = 2; },
        [](Robot& r) { r.joints[2].limits.lower = -1; },
        [](Robot& r) { r.joints[2].limits.effort = 5; },
        [](Robot& r) { r.joints[2].limits.velocity = 5; },
        [](Robot& r) { r.actuated = {"second"}; },
        [](Robot& r) { r.coordinates = {"second"}; },
        [](Robot& r) {
            r.start = {{"second", {0.1}}};
        },
        [](Robot& r) {
            r.states = {{"home", "", {{"second", {0.1}}}, {}}};
        },
        [](Robot& r) {
            r.linear("l", {{"ja", 1, {}}, {"second", 2, {}}});
        },
    };
    for (const Equip equip : equipments) {
        Robot robot({"base", "a", "b"});
        robot.joint("ja", "base", "a");
        robot.joint("jb", "base", "b");
        robot.joint("second", "a", "b");
        equip(robot);
        const Result result = make(robot);
        INFO(result.text());
        CHECK_FALSE(has_errors(result.diagnostics));
        CHECK(joint_of(result, "b") == "second");
        REQUIRE(result.mechanism.loops.size() == 1);
        CHECK(result.mechanism.loops[0].name == "jb");
        CHECK(result.mechanism.loops[0].type == LoopType::revolute);
    }
}

TEST_CASE("a joint that would close a loop and lose something moves a copy of its link") {
    for (const JointType type :
         {JointType::revolute, JointType::prismatic, JointType::helical, JointType::cylindrical,
          JointType::universal, JointType::planar, JointType::spherical}) {
        Robot robot({"base", "a", "b"});
        robot.joint("ja", "base", "a");
        robot.joint("jb", "base", "b").damping = 1;
        JointDescription& second = robot.joint("second", "a", "b", type);
        second.damping = 2;
        second.pitch = 0.01;
        second.child_origin = at(0, 0.3, 0);
        robot.actuated = {"second", "jb"};
        robot.frames.push_back({"b_second", "a", {}, {}});  // a name that is taken
        const Result result = make(robot);
        INFO(result.text());
        CHECK(result.diagnostics.size() == 3);  // the cut, forces, the massless copy
        CHECK(result.count(Severity::note, {"joint 'second'", "copy of 'b'", "'second_closure'"}) == 1);
        CHECK(joint_of(result, "b") == "jb");
        REQUIRE(result.mechanism.bodies.size() == 3);
        const MechanismBody& copy =
            result.mechanism.bodies.at(static_cast<std::size_t>(result.body("b_second_")));
        CHECK(copy.joint == "second");
        CHECK(copy.type == type);
        CHECK(copy.parent == result.body("a"));
        CHECK(copy.inertia.mass == 0);
        CHECK(copy.actuated);
        CHECK(copy.damping == PerCoordinate(2));
        REQUIRE(result.mechanism.loops.size() == 1);
        const MechanismLoop& loop = result.mechanism.loops[0];
        CHECK(loop.type == LoopType::fixed);
        CHECK(loop.predecessor == result.body("b_second_"));
        CHECK(loop.successor == result.body("b"));
        CHECK(loop.predecessor_placement.translation == Eigen::Vector3d(0, -0.3, 0));
        CHECK(loop.successor_placement.translation.isZero(0));
    }
}

TEST_CASE("gears keep the tree, as they sum over its paths") {
    Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "base", "b");
    robot.joint("second", "a", "b").damping = 2;
    robot.coupling("gear", "a", "b", 1);
    const Result result = make(robot);
    INFO(result.text());
    CHECK(joint_of(result, "b") == "jb");
    CHECK(joint_of(result, "b_second") == "second");
}

TEST_CASE("a joint that closes a loop has a name of its own") {
    Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "base", "b");
    robot.joint("second", "a", "b");
    robot.loop("second", "a", "base");
    CHECK(make(robot).only_error({"joint 'second'", "unique name among the loops"}));
}

TEST_CASE("frames of a loop that the file leaves open are a warning, and an error under strict") {
    Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "a", "b");
    robot.frames.push_back({"closing_rod_1", "base", at(1, 0, 0), {}});
    robot.frames.push_back({"closing_rod_2", "b", at(1, 0, 0), {}});
    LoadOptions strict;
    strict.strict = true;
    CHECK(make(robot).count(Severity::warning, {"closing_rod_1", "closing_rod_2"}) == 1);
    CHECK(make(robot, strict).only_error({"closing_rod_1", "closing_rod_2"}));
    robot.loop("rod", "b", "base");
    CHECK(make(robot, strict).count(Severity::error) == 0);
    robot.loops.clear();
    robot.frames[1].link = "base";  // fixed together: nothing to close
    CHECK(make(robot, strict).count(Severity::error) == 0);
    robot.frames[1] = {"closing_other_2", "b", {}, {}};
    CHECK(make(robot, strict).count(Severity::error) == 0);
}

TEST_CASE("loops keep their frames, unit axes and types") {
    Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "base", "b");
    LoopDescription& loop = robot.loop("l", "a", "b", LoopType::continuous);
    loop.axis << 0, 0, 5;
    loop.predecessor_origin = at(1, 2, 3);
    robot.loop("u", "a", "base", LoopType::universal).axis2 << 0, 2, 0;
    const Mechanism m = make(robot).mechanism;
    REQUIRE(m.loops.size() == 2);
    CHECK(m.loops[0].type == LoopType::revolute);
    CHECK(m.loops[0].axis == Eigen::Vector3d::UnitZ());
    CHECK(m.loops[0].predecessor_placement.translation == Eigen::Vector3d(1, 2, 3));
    CHECK(m.loops[1].successor == world);
    CHECK(m.loops[1].axis2 == Eigen::Vector3d::UnitY());

    robot.loop("nothing", "a", "b", LoopType::floating);
    CHECK(make(robot).mechanism.loops.size() == 2);
    CHECK(make(robot).count(Severity::note, {"loop 'nothing'", "constrains nothing"}) == 1);
}

TEST_CASE("a rod has the given length, else that at zero joint positions") {
    Robot robot({"base", "a", "b", "c"});
    robot.joint("ja", "base", "a").origin = turned(std::acos(-1.0) / 2, {0, 0, 1}, {1, 0, 0});
    robot.joint("jb", "a", "b");  // one metre along x of a, which is y of the base
    robot.joint("jc", "base", "c").origin = at(0, 0, 2);
    LoopDescription& rod = robot.loop("rod", "b", "c", LoopType::distance);
    rod.predecessor_origin = at(0, 0, 2);
    rod.successor_origin = at(0, 4, 0);
    // P at (1, 1, 2), Q at (0, 4, 2).
    CHECK(make(robot).mechanism.loops.at(0).length == Approx(std::sqrt(10.0)));
    rod.length = 0.75;
    CHECK(make(robot).mechanism.loops.at(0).length == 0.75);
    for (const double length : {0.0, -1.0, std::nan("")}) {
        robot.loops[0].length = length;
        CHECK(make(robot).only_error({"loop 'rod'", "length above zero"}));
    }
    robot.loops[0].length.reset();
    robot.loops[0].successor_origin = at(1, 1, 0);
    CHECK(make(robot).only_error({"loop 'rod'", "distance 0"}));
}

TEST_CASE("a loop within one body is an error, except a fixed one that agrees") {
    Robot robot({"base", "a", "b", "c"});
    robot.joint("ja", "base", "a");
    robot.joint("ab", "a", "b", JointType::fixed);
    robot.joint("jc", "base", "c");
    LoopDescription& loop = robot.loop("l", "a", "b", LoopType::fixed);
    loop.predecessor_origin = at(1, 0.5, 0);
    loop.successor_origin = at(0, 0.5, 0);
    const Result consistent = make(robot);
    CHECK(consistent.mechanism.loops.empty());
    CHECK_FALSE(has_errors(consistent.diagnostics));
    CHECK(consistent.count(Severity::warning, {"loop 'l'", "dropped"}) == 1);

    robot.loops[0].successor_origin = at(0, 0.5, 1e-6);
    CHECK(make(robot).only_error({"loop 'l'", "fixed to each other", "do not coincide"}));
    robot.loops[0].successor_origin = at(0, 0.5, 0);
    robot.loops[0].type = LoopType::revolute;
    CHECK(make(robot).only_error({"loop 'l'", "fixed to each other"}));
    robot.loops[0].successor = "a";
    CHECK(make(robot).only_error({"loop 'l'", "two different links", "'a' at both ends"}));
    robot.loops[0].predecessor = "base";
    robot.loops[0].successor = "ground";
    robot.link("ground", std::nullopt);
    robot.joint("bolt", "base", "ground", JointType::fixed);
    CHECK(make(robot).only_error({"loop 'l'", "both fixed in the world"}));
}
