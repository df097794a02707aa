#include <catch2/catch.hpp>

#include <limits>

#include "mechanism/mechanism_fixture.hpp"
#include "mechanism/relation.hpp"

// Polynomial couplings as equations: how they read, what they become, and every way in which they can be
// wrong.

using namespace mechanism_fixture;

namespace {

constexpr JointType R = JointType::revolute;

CouplingDescription& add_cam(Robot& robot, const std::vector<double>& coefficients,
                             double follower_reference = 0, double leader_reference = 0,
                             const std::string& follower = "ja", const std::string& leader = "jb") {
    const std::size_t count = robot.couplings.size();
    robot.couplings.push_back(
        {"cam" + (count == 0 ? std::string() : std::to_string(count + 1)),
         PolynomialRelation{follower, leader, coefficients, follower_reference, leader_reference},
         {"robot.urdf", static_cast<int>(600 + count), 1}});
    return robot.couplings.back();
}

/// base – a – b and base – c, about z unless told otherwise.
Robot tree(JointType b = R) {
    Robot robot({"base", "a", "b", "c"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "a", "b", b);
    robot.joint("jc", "base", "c");
    return robot;
}

Robot cam(const std::vector<double>& coefficients, double follower_reference = 0,
          double leader_reference = 0) {
    Robot robot = tree();
    add_cam(robot, coefficients, follower_reference, leader_reference);
    return robot;
}

/// Both sides of the description's equation, less each other, at positions of ja and jb.
double stated(const PolynomialRelation& said, double follower, double leader) {
    double sum = 0, power = 1;
    for (const double c : said.coefficients) {
        sum += c * power;
        power *= leader - said.leader_reference;
    }
    return follower - said.follower_reference - sum;
}

/// Left-hand side of a row of the mechanism over ja and jb.
double left_side(const Result& result, const MechanismCoupling& row, double follower, double leader) {
    const auto position = [&](const MechanismTerm& term) {
        return term.body == result.body("a") ? follower : leader;
    };
    double sum = row.offset;
    if (row.polynomial.empty()) {
        for (const MechanismTerm& term : row.terms) sum += term.coefficient * position(term);
        return sum;
    }
    sum += position(row.terms[0]);
    double power = 1;
    for (const double c : row.polynomial) {
        sum -= c * power;
        power *= position(row.terms[1]) - row.reference;
    }
    return sum;
}

}  // namespace

TEST_CASE("a polynomial coupling reads as its equation") {
    const Result result = make(cam({0.1, 2, -0.5}, 0, 0.3));
    CHECK(result.diagnostics.empty());
    CHECK(result.equation(0) == "q[ja] = 0.1 + 2 (q[jb] - 0.3) - 0.5 (q[jb] - 0.3)^2");
    REQUIRE(result.mechanism.couplings.size() == 1);
    const MechanismCoupling& row = result.mechanism.couplings[0];
    CHECK(row.name == "cam");
    CHECK(row.where.line == 600);
    REQUIRE(row.terms.size() == 2);
    CHECK(row.terms[0].body == result.body("a"));
    CHECK(row.terms[1].body == result.body("b"));

    CHECK(make(cam({0, 0, 1})).equation(0) == "q[ja] = q[jb]^2");
    CHECK(make(cam({0, -1, 0, 3}, 0, -0.3)).equation(0) == "q[ja] = -(q[jb] + 0.3) + 3 (q[jb] + 0.3)^3");
    CHECK(make(cam({1, 0, -1}, 0.25)).equation(0) == "q[ja] = 1.25 - q[jb]^2");
    CHECK(make(cam({-0.25, 0, 1}, 0.25)).equation(0) == "q[ja] = q[jb]^2");
}

TEST_CASE("the row is zero exactly where the description is, whatever the degree and the references") {
    const std::vector<std::vector<double>> all = {{0.4},           {0.4, -1.2},       {0, 1},
                                                  {0.1, 2, -0.5},  {0, 0, 0, 0.7, 0}, {0.3, 0, 0},
                                                  {1, 2, 3, 4, 5}, {-0.2, 0.3, 0.4}};
    for (const std::vector<double>& coefficients : all) {
        const Robot robot = cam(coefficients, 0.7, -0.4);
        const Result result = make(robot);
        INFO(result.text());
        REQUIRE(result.mechanism.couplings.size() == 1);
        for (const double follower : {-0.9, 0.2, 1.3}) {
            for (const double leader : {-0.4, 0.0, 0.8}) {
                const double expected = stated(relation_of<PolynomialRelation>(robot), follower, leader);
                CHECK(left_side(result, result.mechanism.couplings[0], follower, leader) ==
                      Approx(expected).margin(1e-12));
            }
        }
    }
}

TEST_CASE("a polynomial of degree one or less is a linear row") {
    const Result line = make(cam({0.1, 2, 0, 0}, 0.5, 0.3));
    CHECK(line.diagnostics.empty());
    CHECK(line.mechanism.couplings.at(0).polynomial.empty());
    CHECK(line.equation(0) == "q[ja] = 2 q[jb]");  // 0.1 + 0.5 − 2 · 0.3 = 0
    const Result constant = make(cam({0.1, 0, 0}, 0.5, 0.3));
    CHECK(constant.equation(0) == "q[ja] = 0.6");
    CHECK(constant.mechanism.couplings.at(0).terms.size() == 1);
    CHECK(make(cam({0})).equation(0) == "q[ja] = 0");

    Robot repeated = cam({0, 2});
    repeated.linear("belt", {{"ja", 2, {}}, {"jb", -4, {}}});
    const Result result = make(repeated);
    CHECK(result.mechanism.couplings.size() == 1);
    CHECK(result.count(Severity::note, {"coupling 'belt'", "repeats", "coupling 'cam'"}) == 1);
}

TEST_CASE("a repeated polynomial is one row, also about another reference") {
    Robot robot = cam({0.1, 2, -0.5}, 0.2, 0.3);
    // 0.3 + 2 (x − 0.3) − 0.5 (x − 0.3)² about x = 0
    add_cam(robot, {0.3 - 0.6 - 0.045, 2.3, -0.5});
    const Result result = make(robot);
    INFO(result.text());
    CHECK_FALSE(has_errors(result.diagnostics));
    CHECK(result.mechanism.couplings.size() == 1);
    CHECK(result.count(Severity::note, {"coupling 'cam2'", "repeats", "coupling 'cam'"}) == 1);

    Robot shifted = cam({0, 0, 0, 1}, 0, 0.1);  // (x − 0.1)³: its expansion cancels where it is shifted back
    add_cam(shifted, {1e-3 * 8, 0.01 * 12, 0.1 * 6, 1}, 0, 0.3);
    CHECK(make(shifted).mechanism.couplings.size() == 1);
}

TEST_CASE("two different relations of one pair of joints are an error") {
    Robot constants = cam({0.1, 2, -0.5});
    add_cam(constants, {0.2, 2, -0.5});
    CHECK(make(constants).only_error({"coupling 'cam2'", "robot.urdf:601", "of coupling 'cam'",
                                      "q[ja] = 0.2 + 2 q[jb] - 0.5 q[jb]^2", "both cannot hold"}));
    const auto locks = [](const std::vector<double>& coefficients, const char* follower, const char* leader) {
        Robot robot = cam({0.1, 2, -0.5});
        add_cam(robot, coefficients, 0, 0, follower, leader);
        return make(robot).only_error({"coupling 'cam2'", "together they lock the joints"});
    };
    CHECK(locks({0.1, 2, -0.4}, "ja", "jb"));
    CHECK(locks({0.1, 2, -0.5, 1}, "ja", "jb"));
    CHECK(locks({0.1, 2, -0.5}, "jb", "ja"));
    CHECK(locks({0.1, 2}, "ja", "jb"));
    Robot chain = cam({0.1, 2, -0.5});
    add_cam(chain, {0.1, 2, -0.5}, 0, 0, "jb", "jc");
    CHECK(make(chain).diagnostics.empty());
    CHECK(make(chain).mechanism.couplings.size() == 2);
}

TEST_CASE("polynomials of unknown joints or of joints without exactly one degree of freedom are errors") {
    Robot unknown = tree();
    add_cam(unknown, {0, 0, 1}, 0, 0, "jd", "jb");
    CHECK(make(unknown).only_error({"coupling 'cam'", "robot.urdf:600", "a known joint", "'jd'", "'ja'"}));
    relation_of<PolynomialRelation>(unknown).follower = "ja";
    relation_of<PolynomialRelation>(unknown).leader = "hip";
    CHECK(make(unknown).only_error({"coupling 'cam'", "a known joint", "'hip'"}));

    Robot itself = tree();
    add_cam(itself, {0, 0, 1}, 0, 0, "ja", "ja");
    CHECK(make(itself).only_error({"coupling 'cam'", "a follower and a leader that differ", "'ja' as both"}));
    relation_of<PolynomialRelation>(itself).follower = relation_of<PolynomialRelation>(itself).leader = "jd";
    CHECK(make(itself).count(Severity::error, {"coupling 'cam'", "a known joint"}) == 1);

    Robot universal = tree(JointType::universal);
    add_cam(universal, {0, 0, 1});
    CHECK(make(universal).only_error(
        {"coupling 'cam'", "one degree of freedom", "universal joint 'jb' with 2"}));
    Robot welded = tree(JointType::fixed);
    add_cam(welded, {0, 0, 1});
    CHECK(make(welded).only_error({"coupling 'cam'", "a joint that moves", "joint 'jb', which is fixed"}));
    Robot floats = tree();
    add_cam(floats, {0, 0, 1}, 0, 0, "ja", "root_joint");
    CHECK(
        make(floats, floating_base()).only_error({"coupling 'cam'", "one degree of freedom", "root_joint"}));
    Robot closing = tree();
    closing.joint("jd", "c", "b");
    add_cam(closing, {0, 0, 1}, 0, 0, "ja", "jd");
    CHECK(make(closing).count(Severity::error, {"coupling 'cam'"}) == 0);  // it moves a copy of its link
}

TEST_CASE(
    "coefficients must be there, finite, of a size to compute with, and of a degree that means something") {
    const double infinite = std::numeric_limits<double>::infinity();
    const double undefined = std::numeric_limits<double>::quiet_NaN();
    CHECK(make(cam({})).only_error({"coupling 'cam'", "at least one coefficient", "none"}));
    for (const double wrong : {infinite, -infinite, undefined, 1e60, -1e308}) {
        INFO(wrong);
        CHECK(make(cam({0, wrong, 1}))
                  .only_error({"coupling 'cam'", "finite numbers up to 1e+50", "as coefficient 1"}));
        CHECK(make(cam({0, 0, 1}, wrong)).only_error({"coupling 'cam'", "as reference of joint 'ja'"}));
        CHECK(make(cam({0, 0, 1}, 0, wrong)).only_error({"coupling 'cam'", "as reference of joint 'jb'"}));
        CHECK(make(cam({wrong, wrong, wrong})).count(Severity::error) == 1);
    }
    std::vector<double> high(11, 0.1);
    CHECK(make(cam(high)).diagnostics.empty());
    high.push_back(0);  // still of degree 10
    CHECK(make(cam(high)).diagnostics.empty());
    high.back() = 1e-9;
    CHECK(make(cam(high)).only_error({"coupling 'cam'", "degree 10 or less", "degree 11"}));
}

TEST_CASE("a polynomial coupling shares the names of loops and couplings") {
    Robot nameless = cam({0, 0, 1});
    nameless.couplings[0].name.clear();
    CHECK(make(nameless).only_error({"coupling without a name"}));
    Robot twice = cam({0, 0, 1});
    add_cam(twice, {0, 0, 1}, 0, 0, "jc", "jb").name = "cam";
    CHECK(make(twice).only_error({"coupling 'cam'", "robot.urdf:601", "a unique name among the loops and"}));
    Robot looped = cam({0, 0, 1});
    looped.loop("cam", "b", "c", LoopType::distance);
    CHECK(make(looped).only_error({"coupling 'cam'", "a unique name", "line 300"}));
    Robot closing = tree();
    closing.joint("cam", "c", "b");
    add_cam(closing, {0, 0, 1});
    CHECK(make(closing).only_error({"joint 'cam'", "a loop or coupling 'cam'"}));
}
