#include <catch2/catch.hpp>

#include <random>

#include "mechanism/mechanism_fixture.hpp"
#include "mechanism/relation.hpp"

using namespace mechanism_fixture;

// Direction of a ratio if neither the file nor an option sets it: the one that makes rotors the faster
// side.

namespace {

constexpr CouplingRatio paper = CouplingRatio::predecessor_over_successor;
constexpr CouplingRatio parser = CouplingRatio::successor_over_predecessor;

/// torso – hip – thigh – knee – shank, with a rotor on the torso and one on the thigh.
Robot leg() {
    Robot robot({"torso", "thigh", "shank"});
    robot.link("hip_rotor", rotor(0.05));
    robot.link("knee_rotor", rotor(0.05));
    robot.joint("hip", "torso", "thigh");
    robot.joint("hip_spin", "torso", "hip_rotor");
    robot.joint("knee", "thigh", "shank");
    robot.joint("knee_spin", "thigh", "knee_rotor");
    return robot;
}

Robot hip_gear(const std::string& predecessor, const std::string& successor, double ratio) {
    Robot robot = leg();
    robot.coupling("gear", predecessor, successor, ratio);
    return robot;
}

using Random = std::mt19937;

bool toss(Random& random) { return std::bernoulli_distribution(0.5)(random); }

int below(Random& random, std::size_t count) {
    return std::uniform_int_distribution<int>(0, static_cast<int>(count) - 1)(random);
}

/// Faster side over slower side, of either sign.
double gear_ratio(Random& random) {
    return (toss(random) ? 1 : -1) * std::uniform_real_distribution<double>(1.5, 12)(random);
}

/// Adds the coupling of a file with this convention whose first link turns `speed` times as fast as the
/// second. Either link may be the predecessor.
void geared(Robot& robot, Random& random, CouplingRatio reading, const std::string& faster,
            const std::string& slower, double speed) {
    const bool faster_first = toss(random);
    const std::string name = "coupling" + std::to_string(robot.couplings.size());
    const double ratio = faster_first == (reading == paper) ? speed : 1 / speed;
    robot.coupling(name, faster_first ? faster : slower, faster_first ? slower : faster, ratio);
}

/// A random tree in which some joints have rotors, on the parent or higher, and some a belt to another link.
Robot geared_tree(Random& random, CouplingRatio reading) {
    Robot robot({"base"});
    std::vector<int> parents = {-1};
    const int count = 2 + below(random, 8);
    for (int i = 1; i <= count; ++i) {
        const std::string name = "link" + std::to_string(i);
        const int parent = below(random, parents.size());
        const std::string parent_name = robot.links[static_cast<std::size_t>(parent)].name;
        robot.link(name, solid(1));
        robot.joint("joint" + std::to_string(i), parent_name, name);
        parents.push_back(parent);
    }
    for (int i = 1; i <= count; ++i) {
        if (i > 1 && toss(random)) continue;
        const std::string name = "link" + std::to_string(i), spinning = "rotor" + std::to_string(i);
        int carrier = parents[static_cast<std::size_t>(i)];
        if (carrier > 0 && toss(random)) carrier = parents[static_cast<std::size_t>(carrier)];
        robot.link(spinning, rotor(0.05));
        robot.joint("spin" + std::to_string(i), robot.links[static_cast<std::size_t>(carrier)].name,
                    spinning);
        geared(robot, random, reading, spinning, name, gear_ratio(random));
    }
    robot.link("pulley", solid(0.2));
    robot.joint("pulley_joint", "base", "pulley");
    geared(robot, random, reading, "pulley", "link1", toss(random) ? 3 : 1.0 / 3);  // no rotor, either way
    return robot;
}

/// The same, down to the last bit.
bool equal(const Mechanism& a, const Mechanism& b) {
    if (a.couplings.size() != b.couplings.size()) return false;
    for (std::size_t i = 0; i < a.couplings.size(); ++i) {
        const MechanismCoupling &x = a.couplings[i], &y = b.couplings[i];
        if (x.name != y.name || x.offset != y.offset || x.terms.size() != y.terms.size()) return false;
        for (std::size_t k = 0; k < x.terms.size(); ++k) {
            if (x.terms[k].body != y.terms[k].body || x.terms[k].coefficient != y.terms[k].coefficient)
                return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("an undecided ratio is read so that a rotor is the faster side, with a warning") {
    struct Case {
        const char *predecessor, *successor;
        double ratio;
        const char *equation, *reading;
    };
    const Case cases[] = {
        {"thigh", "hip_rotor", 6, "q[hip_spin] = 6 q[hip]", "successor/predecessor"},
        {"thigh", "hip_rotor", -6, "q[hip_spin] = -6 q[hip]", "successor/predecessor"},
        {"thigh", "hip_rotor", 0.125, "q[hip] = 0.125 q[hip_spin]", "predecessor/successor"},
        {"hip_rotor", "thigh", 6, "q[hip_spin] = 6 q[hip]", "predecessor/successor"},
        {"hip_rotor", "thigh", -0.125, "q[hip] = -0.125 q[hip_spin]", "successor/predecessor"},
        {"shank", "hip_rotor", 8, "q[hip_spin] = 8 q[hip] + 8 q[knee]", "successor/predecessor"},
    };
    for (const Case& one : cases) {
        const Robot robot = hip_gear(one.predecessor, one.successor, one.ratio);
        const Result result = make(robot);
        INFO(result.text());
        CHECK(result.equation(0) == one.equation);
        CHECK(result.diagnostics.size() == 1);
        CHECK(result.count(Severity::warning, {"coupling 'gear'", one.equation, "(predecessor/successor) or ",
                                               std::string("pass --coupling-ratio ") + one.reading,
                                               std::string("coupling_ratio=\"") + one.reading + "\""}) == 1);
        const Result severe = make(robot, strict());
        CHECK(severe.diagnostics.size() == 1);
        CHECK(severe.only_error({"coupling 'gear'", one.equation, "--coupling-ratio"}));
    }
}

TEST_CASE("couplings without a rotor take the reading that those with one agree on") {
    Robot robot = hip_gear("thigh", "hip_rotor", 6);
    robot.link("pulley", solid(0.2));
    robot.joint("turn", "torso", "pulley");
    robot.coupling("belt", "thigh", "pulley", 0.5);
    const Result result = make(robot);
    CHECK(result.diagnostics.size() == 1);
    CHECK(result.equation(1) == "q[turn] = 0.5 q[hip]");
    std::swap(robot.couplings[0], robot.couplings[1]);  // whichever comes first
    CHECK(make(robot).diagnostics.size() == 1);
    CHECK(make(robot).equation(0) == "q[turn] = 0.5 q[hip]");
}

TEST_CASE("a link without inertia is no rotor") {
    Robot robot = leg();
    robot.link("tip", std::nullopt);
    robot.joint("tip_joint", "torso", "tip");
    robot.coupling("gear", "thigh", "tip", 6);
    CHECK(make(robot).count(Severity::warning, {"coupling 'gear'", "makes the rotor"}) == 0);
    robot.links.back().inertial = rotor(0.05);
    CHECK(make(robot).count(Severity::warning, {"coupling 'gear'", "makes the rotor"}) == 1);
}

TEST_CASE("couplings that need different readings are an error that names both") {
    Robot robot = hip_gear("thigh", "hip_rotor", 6);
    robot.coupling("other", "shank", "knee_rotor", 1.0 / 8);
    CHECK(make(robot).diagnostics.size() == 1);
    CHECK(make(robot).only_error({"coupling 'other'", "q[knee] = 0.125 q[knee_spin]", "only the first",
                                  "in coupling 'gear' only the second", "--coupling-ratio"}));
    CHECK(make(robot, reading(paper)).diagnostics.empty());
    CHECK(make(robot, reading(parser)).diagnostics.empty());
    relation_of<GearRelation>(robot, 1).ratio = 8;
    CHECK(make(robot).count(Severity::warning, {"as in each of 2 couplings"}) == 1);
    relation_of<GearRelation>(robot, 1).ratio = 1;  // says nothing
    CHECK(make(robot).diagnostics.size() == 1);
    CHECK(make(robot).equation(0) == "q[hip_spin] = 6 q[hip]");
}

TEST_CASE("random geared trees load alike with and without an explicit convention") {
    constexpr int trees = 300;
    for (const CouplingRatio reading : {paper, parser}) {
        for (int seed = 0; seed < trees; ++seed) {
            INFO("seed " << seed);
            Random random(static_cast<unsigned>(seed));
            Robot robot = geared_tree(random, reading);
            const Result unsaid = make(robot);
            INFO(unsaid.text());
            REQUIRE(unsaid.diagnostics.size() == 1);
            CHECK(unsaid.count(Severity::warning, {"--coupling-ratio"}) == 1);
            CHECK(make(robot, strict()).count(Severity::error) == 1);
            robot.coupling_ratio = reading;
            const Result said = make(robot);
            REQUIRE(said.diagnostics.empty());
            REQUIRE(said.mechanism.couplings.size() == robot.couplings.size());
            CHECK(equal(unsaid.mechanism, said.mechanism));
        }
    }
}

TEST_CASE("random geared trees of mixed conventions are refused") {
    constexpr int trees = 300;
    for (int seed = 0; seed < trees; ++seed) {
        INFO("seed " << seed);
        Random random(static_cast<unsigned>(seed));
        Robot robot = geared_tree(random, toss(random) ? paper : parser);
        const std::size_t with_rotor = robot.couplings.size() - 1;
        if (with_rotor < 2) continue;
        auto& other = relation_of<GearRelation>(robot, static_cast<std::size_t>(below(random, with_rotor)));
        other.ratio = 1 / other.ratio;
        CHECK(make(robot).only_error({"a statement of what the ratio means", "but in coupling"}));
        robot.coupling_ratio = paper;
        CHECK(make(robot).diagnostics.empty());
    }
}
