#include <catch2/catch.hpp>

#include "mechanism/mechanism_fixture.hpp"
#include "mechanism/relation.hpp"

using namespace mechanism_fixture;

namespace {

constexpr CouplingRatio paper = CouplingRatio::predecessor_over_successor;
constexpr CouplingRatio parser = CouplingRatio::successor_over_predecessor;

/// torso – hip – thigh – knee – shank – ankle – foot, with a rotor on the torso and one on the thigh.
Robot leg() {
    Robot robot({"torso", "thigh", "shank", "foot"});
    robot.link("hip_rotor", rotor(0.05));
    robot.link("ankle_rotor", rotor(0.05));
    robot.joint("hip", "torso", "thigh");
    robot.joint("hip_spin", "torso", "hip_rotor");
    robot.joint("knee", "thigh", "shank");
    robot.joint("ankle_spin", "thigh", "ankle_rotor");
    robot.joint("ankle", "shank", "foot");
    return robot;
}

Robot hip_gear(double ratio) {
    Robot robot = leg();
    robot.coupling("gear", "thigh", "hip_rotor", ratio);
    return robot;
}

/// base – a – b with the joint types given, c beside a.
Robot chain(JointType a, JointType b, JointType c) {
    Robot robot({"base", "a", "b", "c"});
    robot.joint("ja", "base", "a", a);
    robot.joint("jb", "a", "b", b);
    robot.joint("jc", "base", "c", c);
    return robot;
}

constexpr JointType R = JointType::revolute;

}  // namespace

TEST_CASE("a coupling is read as in the paper or as in the public parser, according to the option") {
    CHECK(make(hip_gear(6), reading(parser)).equation(0) == "q[hip_spin] = 6 q[hip]");
    CHECK(make(hip_gear(6), reading(paper)).equation(0) == "q[hip] = 6 q[hip_spin]");
    CHECK(make(hip_gear(-0.125), reading(paper)).equation(0) == "q[hip] = -0.125 q[hip_spin]");

    Robot robot = hip_gear(6);
    robot.coupling_ratio = parser;
    const Result said = make(robot);
    CHECK(said.diagnostics.empty());
    CHECK(said.equation(0) == "q[hip_spin] = 6 q[hip]");
    CHECK(said.mechanism.couplings[0].name == "gear");
    CHECK(said.mechanism.couplings[0].where.line == 400);
    CHECK(make(robot, reading(paper)).equation(0) == "q[hip] = 6 q[hip_spin]");  // options win
}

TEST_CASE("a coupling sums the joints from the nearest common ancestor down") {
    Robot robot = leg();
    robot.coupling("gear", "foot", "ankle_rotor", 12);
    const Result result = make(robot, reading(parser));
    REQUIRE(result.mechanism.couplings.size() == 1);
    const MechanismCoupling& row = result.mechanism.couplings[0];
    REQUIRE(row.terms.size() == 3);  // q_rotor = 12 (q_knee + q_ankle)
    CHECK(result.equation(0) == "q[ankle_spin] = 12 q[knee] + 12 q[ankle]");
    CHECK(row.terms[0].body == result.body("ankle_rotor"));
    CHECK(row.terms[0].coefficient == 1);
    CHECK(row.terms[1].coefficient == -12);
    CHECK(row.terms[2].coefficient == -12);
    CHECK(row.offset == 0);
    CHECK(make(robot, reading(paper)).equation(0) == "q[knee] + q[ankle] - 12 q[ankle_spin] = 0");
}

TEST_CASE("an undecided ratio without a rotor at either end is a warning, under strict an error") {
    const auto is_warning = [](const Robot& robot) {
        const Result result = make(robot);
        const Result severe = make(robot, strict());
        return !has_errors(result.diagnostics) &&
               result.count(Severity::warning, {"coupling 'gear'", "(predecessor/successor)"}) == 1 &&
               result.mechanism.couplings.size() == 1 &&
               severe.only_error({"coupling 'gear'", "--coupling-ratio"});
    };
    Robot uneven = hip_gear(6);
    uneven.links[4].inertial = solid(0.05);  // not symmetric
    CHECK(is_warning(uneven));
    Robot looped = hip_gear(6);
    looped.loop("l", "hip_rotor", "thigh", LoopType::spherical);
    CHECK(is_warning(looped));
    Robot carrier = hip_gear(6);
    carrier.link("more", solid(1));
    carrier.joint("next", "hip_rotor", "more");
    CHECK(is_warning(carrier));
    Robot two_joints = leg();
    two_joints.coupling("gear", "hip_rotor", "ankle_rotor", 6);  // hip and ankle_spin lead there
    CHECK(is_warning(two_joints));
    Robot two_rotors = leg();
    two_rotors.link("crank_rotor", rotor(0.05));
    two_rotors.joint("crank_spin", "torso", "crank_rotor");
    two_rotors.coupling("gear", "hip_rotor", "crank_rotor", 6);
    CHECK(is_warning(two_rotors));
    CHECK(make(two_rotors).equation(0) == "q[hip_spin] = 6 q[crank_spin]");
}

TEST_CASE("equal readings need no decision") {
    for (const double ratio : {1.0, -1.0}) CHECK(make(hip_gear(ratio), strict()).diagnostics.empty());
    CHECK(make(hip_gear(-1)).equation(0) == "q[hip] = -q[hip_spin]");

    // One side empty: the foot keeps its orientation to the thigh, whatever the ratio.
    Robot parallel = leg();
    parallel.coupling("level", "thigh", "foot", 6);
    const Result below = make(parallel, strict());
    CHECK(below.diagnostics.empty());
    CHECK(below.equation(0) == "q[knee] = -q[ankle]");
    auto& level = relation_of<GearRelation>(parallel);
    std::swap(level.predecessor, level.successor);
    CHECK(make(parallel, reading(parser)).equation(0) == "q[knee] = -q[ankle]");
}

TEST_CASE("a coupling that cannot relate two joints is an error") {
    Robot robot = leg();
    robot.coupling("c", "foot", "foot", 2);
    CHECK(make(robot).only_error({"coupling 'c'", "two different links", "'foot'"}));
    robot.link("sole", solid(1));
    robot.joint("glue", "foot", "sole", JointType::fixed);
    relation_of<GearRelation>(robot).successor = "sole";
    CHECK(make(robot).only_error({"coupling 'c'", "only fixed joints between 'foot' and 'sole'"}));
    relation_of<GearRelation>(robot).successor = "hip_rotor";
    relation_of<GearRelation>(robot).ratio = 0;
    CHECK(make(robot).only_error({"coupling 'c'", "ratio other than zero"}));
}

TEST_CASE("coupled paths must have joints of one kind") {
    Robot mixed = chain(R, R, JointType::prismatic);
    mixed.coupling("c", "b", "c", 1);
    CHECK(make(mixed).only_error({"coupling 'c'", "rotations only or translations only",
                                  "revolute joint 'ja'", "prismatic joint 'jc'", "type=\"linear\""}));
    Robot unequal = chain(R, R, JointType::universal);
    unequal.coupling("c", "a", "c", 1);
    CHECK(make(unequal).only_error({"coupling 'c'", "same number of degrees of freedom"}));
    for (const JointType type : {JointType::spherical, JointType::floating}) {
        Robot ball = chain(type, R, type);
        ball.coupling("c", "a", "c", 1);
        CHECK(make(ball).only_error({"coupling 'c'", "added up", "'ja'"}));
    }
    Robot slides = chain(JointType::prismatic, JointType::prismatic, JointType::prismatic);
    slides.coupling("c", "b", "c", 1);
    CHECK(make(slides).equation(0) == "q[ja] + q[jb] - q[jc] = 0");
}

TEST_CASE("joints of two degrees of freedom are coupled component by component") {
    constexpr JointType U = JointType::universal;
    Robot robot = chain(U, U, U);
    robot.coupling("c", "a", "c", 2);
    const Result result = make(robot, reading(paper));
    INFO(result.text());
    REQUIRE(result.mechanism.couplings.size() == 2);
    CHECK(result.mechanism.couplings[0].name == "c[0]");
    CHECK(result.mechanism.couplings[1].name == "c[1]");
    CHECK(result.mechanism.couplings[1].terms[0].component == 1);
    CHECK(result.equation(0) == "q[ja][0] = 2 q[jc][0]");
    CHECK(result.equation(1) == "q[ja][1] = 2 q[jc][1]");
}

TEST_CASE("linear couplings are taken as written, and may mix kinds") {
    Robot robot = chain(R, R, JointType::prismatic);
    robot.linear("rack", {{"ja", -0.5, {}}, {"jc", 1, {}}}, 0.25);
    robot.linear("differential", {{"ja", 2, {}}, {"jb", -1, {}}, {"jc", -1, {}}}, 0.1);
    robot.mimic("jb", "jc", 3, 0.5);
    const Result result = make(robot);
    INFO(result.text());
    CHECK(result.diagnostics.empty());
    CHECK(result.equation(0) == "q[jc] = 0.5 q[ja] - 0.25");
    CHECK(result.equation(1) == "2 q[ja] - q[jb] - q[jc] + 0.1 = 0");
    CHECK(result.equation(2) == "q[jb] = 3 q[jc] + 0.5");
    CHECK(result.mechanism.couplings[2].name == "jb");
    CHECK(result.mechanism.couplings[0].offset == 0.25);
}

TEST_CASE("an equation puts a lone unit term to the left") {
    Robot robot = chain(R, R, R);
    robot.linear("one", {{"ja", -1, {}}}, 0.5);
    robot.linear("two", {{"jb", 2, {}}, {"jc", -3, {}}});
    robot.linear("three", {{"ja", 0.1, {}}, {"jb", 1, {}}, {"jc", 1.0 / 3, {}}}, -1e-7);
    robot.linear("zero", {{"jc", 1, {}}});
    const Result result = make(robot);
    CHECK(result.equation(0) == "q[ja] = 0.5");
    CHECK(result.equation(1) == "2 q[jb] - 3 q[jc] = 0");
    CHECK(result.equation(2) == "q[jb] = -0.1 q[ja] - 0.3333333333 q[jc] + 1e-07");
    CHECK(result.equation(3) == "q[jc] = 0");
}

TEST_CASE("linear couplings with a wrong term are errors") {
    Robot robot = chain(R, JointType::fixed, JointType::universal);
    robot.linear("l", {});
    CHECK(make(robot).only_error({"coupling 'l'", "at least one term"}));
    relation_of<LinearRelation>(robot).terms = {{"ja", 1, {}}, {"ja", 2, {}}};
    CHECK(make(robot).only_error({"coupling 'l'", "one term only", "'ja' twice"}));
    relation_of<LinearRelation>(robot).terms = {{"ja", 0, {}}};
    CHECK(make(robot).only_error({"coupling 'l'", "coefficient other than zero"}));
    relation_of<LinearRelation>(robot).terms = {{"ja", 1, {}}, {"jb", 2, {}}};
    CHECK(make(robot).only_error({"coupling 'l'", "a joint that moves", "joint 'jb', which is fixed"}));
    relation_of<LinearRelation>(robot).terms = {{"ja", 1, {}}, {"jc", 2, {}}};
    CHECK(make(robot).only_error({"coupling 'l'", "one degree of freedom", "universal joint 'jc' with 2"}));
    relation_of<LinearRelation>(robot).terms = {{"ja", 1, {}}, {"root_joint", 2, {}}};
    CHECK(make(robot, floating_base()).only_error({"coupling 'l'", "one degree of freedom", "root_joint"}));
}

TEST_CASE("mimics of themselves, in cycles or of unequal joints are errors") {
    Robot self = chain(R, R, R);
    self.mimic("ja", "ja", 2);
    CHECK(make(self).only_error({"joint 'ja' (mimic)", "a mimic of itself"}));

    Robot cycle = chain(R, R, R);
    cycle.mimic("ja", "jb", 2);
    cycle.mimic("jb", "jc", 2);
    CHECK(make(cycle).diagnostics.empty());
    cycle.mimic("jc", "ja", 2);
    CHECK(make(cycle).only_error({"joint 'ja' (mimic)", "the cycle ja → jb → jc → ja"}));

    Robot unequal = chain(R, R, JointType::spherical);
    unequal.mimic("ja", "jc", 1);
    CHECK(make(unequal).only_error(
        {"joint 'ja' (mimic)", "one degree of freedom", "spherical joint 'jc' with 3"}));
}

TEST_CASE("mimics with a joint that cannot move keep the joints that can move") {
    const JointType fixed = JointType::fixed;
    Robot plain = chain(R, R, fixed);
    Robot follower = plain;
    follower.mimic("jc", "ja", 2, 0.5);  // jc cannot follow
    const Result dropped = make(follower);
    CHECK(dropped.diagnostics.size() == 1);
    CHECK(dropped.count(Severity::note, {"joint 'jc' (mimic)", "a fixed joint follows no other"}) == 1);
    CHECK(dropped.mechanism.couplings.empty());
    CHECK(dropped.mechanism.bodies.size() == make(plain).mechanism.bodies.size());

    Robot leader = plain;
    leader.mimic("ja", "jc", 2, 0.5);  // jc is at 0
    const Result held = make(leader);
    CHECK(held.diagnostics.size() == 1);
    CHECK(held.count(Severity::note, {"joint 'ja' (mimic)", "held at 0.5", "joint 'jc' is fixed"}) == 1);
    CHECK(held.equation(0) == "q[ja] = 0.5");

    Robot zero = plain;
    zero.mimic("ja", "jb", 0, -0.25);
    CHECK(make(zero).diagnostics.size() == 1);
    CHECK(make(zero).count(Severity::note, {"joint 'ja' (mimic)", "held at -0.25", "multiplier is 0"}) == 1);
    CHECK(make(zero).equation(0) == "q[ja] = -0.25");

    Robot wrong = plain;
    wrong.mimic("ja", "jb", std::nan(""));
    CHECK(make(wrong).only_error({"joint 'ja' (mimic)", "finite coefficient"}));
}

TEST_CASE("two ratios for one pair are an error, the same one twice a note") {
    Robot robot = hip_gear(6);
    robot.coupling("other", "thigh", "hip_rotor", 5);
    CHECK(make(robot, reading(parser))
              .only_error({"coupling 'other'", "q[hip_spin] = 5 q[hip]", "q[hip_spin] = 6 q[hip]",
                           "of coupling 'gear'", "lock"}));
    relation_of<GearRelation>(robot, 1).ratio = 6;
    const Result twice = make(robot, reading(parser));
    CHECK_FALSE(has_errors(twice.diagnostics));
    CHECK(twice.count(Severity::note, {"coupling 'other'", "repeats", "coupling 'gear'"}) == 1);
    CHECK(twice.mechanism.couplings.size() == 1);

    robot = hip_gear(6);
    robot.linear("written_otherwise", {{"hip", 3, {}}, {"hip_spin", -0.5, {}}});
    CHECK(make(robot, reading(parser)).mechanism.couplings.size() == 1);
    relation_of<LinearRelation>(robot, 1).offset = 0.1;
    CHECK(make(robot, reading(parser)).only_error({"coupling 'written_otherwise'", "both cannot hold"}));
    relation_of<LinearRelation>(robot, 1).offset = 0;
    robot.mimic("hip_spin", "hip", -6);
    CHECK(make(robot, reading(parser)).only_error({"joint 'hip_spin' (mimic)", "of coupling 'gear'"}));
}

TEST_CASE("a differential has two different rows over the same three joints") {
    Robot robot = chain(R, R, R);
    robot.linear("sum", {{"ja", 2, {}}, {"jb", -1, {}}, {"jc", -1, {}}});
    robot.linear("difference", {{"ja", 1, {}}, {"jb", -1, {}}, {"jc", 1, {}}});
    CHECK(make(robot).diagnostics.empty());
    CHECK(make(robot).mechanism.couplings.size() == 2);
    robot.linear("again", {{"jc", 2, {}}, {"jb", 2, {}}, {"ja", -4, {}}});
    CHECK(make(robot).mechanism.couplings.size() == 2);
    CHECK(make(robot).count(Severity::note, {"coupling 'again'", "coupling 'sum'"}) == 1);
}
