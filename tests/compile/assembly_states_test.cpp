#include <algorithm>

#include "compile/model_diagnostics_fixture.hpp"
#include "constraints/closure.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "kinematics/configuration.hpp"
#include "simulation/hard_leg.hpp"
#include "support/require_ok.hpp"

// Side files add to a model: start of assembly, saved states, order of y, tool frames, gravity.

using namespace model_diagnostics;

namespace {

RobotDescription read_robot(const std::string& text) {
    Diagnostics diagnostics;
    RobotDescription robot = read_urdf(text, "robot.urdf", diagnostics);
    REQUIRE_FALSE(has_errors(diagnostics));
    return robot;
}

void add_state(RobotDescription& robot, const std::string& name,
               const std::map<std::string, std::vector<double>>& positions) {
    StateDescription state;
    state.name = name;
    state.positions = positions;
    state.where = {"robot.srdf", static_cast<int>(robot.states.size()) + 1, 1};
    robot.states.push_back(state);
}

double position(const Model& model, const std::vector<double>& q, const std::string& joint) {
    const auto body = static_cast<std::size_t>(model.joint(joint).index);
    return q[static_cast<std::size_t>(model.bodies[body].q)];
}

double residual(const Model& model, const std::vector<double>& q) {
    Workspace<double> data(model);
    return closure_residual<double>(model, data, Eigen::Map<const Eigen::VectorXd>(q.data(), model.nq))
        .residual;
}

const Diagnostic* finding(const Model& model, const std::string& element) {
    for (const Diagnostic& entry : model.diagnostics)
        if (entry.subject.text == element) return &entry;
    return nullptr;
}

/// Five links in the plane: joints a, b on one side, c, d on the other, two degrees of freedom.
std::string five_bar() {
    return two_arms() + joint({"b", "crank", "left", "0 1 0"}) + link("left") +
           joint({"d", "rocker", "right", "0 1 0"}) + link("right") +
           loop("tip", "left", "1 1 0", "right", "-1.5 1 0");
}

/// A flat linkage: at zero all its modes of assembly meet.
std::string flat_four_bar() {
    return empty_link("base") + joint({"a", "base", "crank"}) + link("crank") +
           joint({"c", "base", "rocker", "1 0 0"}) + link("rocker") +
           joint({"b", "crank", "coupler", "0.5 0 0"}) + link("coupler") +
           loop("closure", "coupler", "1 0 0", "rocker", "0.5 0 0");
}

}  // namespace

TEST_CASE("assembly starts from saved states if the robot's own start is singular") {
    RobotDescription robot = read_robot(model_diagnostics::robot(flat_four_bar()));
    add_state(robot, "useless", {{"a", {0.}}});
    add_state(robot, "up", {{"a", {1.2}}, {"b", {-1.2}}, {"c", {1.2}}});
    const Model model = build_model(robot);
    CHECK(position(model, model.neutral, "a") == Approx(1.2));
    CHECK(position(model, model.neutral, "c") == Approx(1.2));
    CHECK(model.reports[0].start == "up");
    // a start that closes well is kept
    robot.start = {{"a", {-0.8}}, {"b", {0.8}}, {"c", {-0.8}}};
    const Model started = build_model(robot);
    CHECK(position(started, started.neutral, "a") == Approx(-0.8));
    CHECK(started.reports[0].start.empty());
}

TEST_CASE("a saved state that closes keeps every bit, and one that does not keeps what determines it") {
    RobotDescription robot = read_robot(model_diagnostics::robot(four_bar()));
    const Model plain = build_model(robot);
    Workspace<double> data(plain);
    Eigen::VectorXd q = neutral_configuration(plain), turned(plain.nq);
    REQUIRE(integrate<double>(plain, data, q, Eigen::VectorXd::Constant(1, 0.3), turned).ok());
    const auto at = [&](const std::string& name) { return turned[plain.joint(name).q.first]; };
    add_state(robot, "closed", {{"a", {at("a")}}, {"b", {at("b")}}, {"c", {at("c")}}});
    add_state(robot, "crank alone", {{"a", {at("a")}}});
    add_state(robot, "rocker alone", {{"c", {at("c")}}});
    add_state(robot, "sloppy", {{"a", {at("a")}}, {"b", {at("b") + 0.01}}, {"c", {at("c") - 0.01}}});
    add_state(robot, "nothing", {});
    const Model model = build_model(robot);
    REQUIRE(model.states.size() == 5);
    for (const SavedState& state : model.states) {
        INFO(state.name);
        CHECK(residual(model, state.q) <= 1e-10);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        INFO(model.states[i].name);
        for (const char* name : {"a", "b", "c"})
            CHECK(position(model, model.states[i].q, name) == Approx(at(name)).margin(1e-9));
        CHECK(model.states[i].moved <= 1e-12);
        CHECK(finding(model, "state '" + model.states[i].name + "'") == nullptr);
    }
    CHECK(position(model, model.states[0].q, "b") == at("b"));
    CHECK(position(model, model.states[1].q, "a") == at("a"));  // what was said is not touched
    CHECK(position(model, model.states[2].q, "c") == at("c"));

    const SavedState& sloppy = model.states[3];
    const std::string independent = model.names.joints[independent_coordinates(model)[0].body];
    const std::map<std::string, double> said = {{"a", at("a")}, {"b", at("b") + 0.01}, {"c", at("c") - 0.01}};
    CHECK(position(model, sloppy.q, independent) == said.at(independent));
    double way = 0;
    for (const auto& [name, value] : said)
        way = std::max(way, std::abs(position(model, sloppy.q, name) - value));
    CHECK(sloppy.moved == Approx(way));
    const Diagnostic* note = finding(model, "state 'sloppy'");
    REQUIRE(note != nullptr);
    CHECK(note->severity == Severity::warning);
    CHECK(note->where.file == "robot.srdf");
    CHECK(note->where.line == 4);
    CHECK(model.states[4].q == model.neutral);
}

TEST_CASE("a saved state of independent joints alone stays in the neutral assembly mode") {
    RobotDescription robot = read_robot(model_diagnostics::robot(four_bar(yes, no, no)));
    const Model plain = build_model(robot);
    Workspace<double> data(plain);
    Eigen::VectorXd q = neutral_configuration(plain), far(plain.nq);
    double a = 0;
    for (int step = 0; step < 15; ++step, a += 0.1)  // as far as the linkage goes without a jump
        if (integrate<double>(plain, data, q, Eigen::VectorXd::Constant(1, -0.1), far).ok()) q = far;
    const auto value = [&](const char* name) { return q[plain.joint(name).q.first]; };
    REQUIRE(std::abs(value("a")) > 0.5);
    add_state(robot, "far", {{"a", {value("a")}}});
    const Model model = build_model(robot);
    REQUIRE(model.states.size() == 1);
    for (const char* name : {"a", "b", "c"})
        CHECK(position(model, model.states[0].q, name) == Approx(value(name)).margin(1e-8));
}

TEST_CASE("a saved state that cannot be moved onto the loops is left out with a warning") {
    // the tips stand on the line of the bases, towards each other, where no small motion parts them
    RobotDescription robot =
        read_robot(model_diagnostics::robot(two_arms() + loop("rod", "crank", "1 0 0", "rocker", "-1 0 0",
                                                              "distance", "<length value=\"4.4\"/>")));
    add_state(robot, "folded", {{"a", {0.}}, {"c", {0.}}});
    add_state(robot, "half", {{"a", {2.5}}});
    const Model model = build_model(robot);
    REQUIRE(model.states.size() == 1);
    CHECK(model.states[0].name == "half");
    CHECK(residual(model, model.states[0].q) <= 1e-10);
    const Diagnostic* warning = finding(model, "state 'folded'");
    REQUIRE(warning != nullptr);
    CHECK(warning->severity == Severity::warning);
    CHECK(warning->where.line == 1);
    CHECK(to_string(*warning).find("left out") != std::string::npos);
}

TEST_CASE("joints listed as coordinates take their places in y in that order") {
    RobotDescription robot = read_robot(model_diagnostics::robot(
        empty_link("base") + joint({"p", "base", "l1"}) + link("l1") + joint({"q", "l1", "l2", "1 0 0"}) +
        link("l2") + joint({"r", "l2", "l3", "1 0 0"}) + link("l3") + joint({"s", "l3", "l4", "1 0 0"}) +
        link("l4")));
    const Model plain = build_model(robot);
    robot.coordinates = {"s", "p", "r"};
    const Model model = build_model(robot);
    std::vector<std::string> order;
    for (const Coordinate& c : independent_coordinates(model)) order.push_back(model.names.joints[c.body]);
    CHECK(order == std::vector<std::string>{"s", "q", "p", "r"});
    CHECK(spanning_coordinates(model).front().body == model.joint("p").index);  // q̇ keeps the file's

    // the same robot: its mass matrix and ÿ are permuted
    Eigen::PermutationMatrix<4> to;
    to.indices() << 2, 1, 3, 0;  // p, q, r, s → their places
    Workspace<double> data(plain), other(model);
    const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(4, 0.3, 1.5),
                          yd = Eigen::VectorXd::LinSpaced(4, -1, 2),
                          tau = Eigen::VectorXd::LinSpaced(4, 2, -1);
    Eigen::MatrixXd M(4, 4), permuted(4, 4);
    must(crba<double>(plain, data, q, M));
    must(crba<double>(model, other, q, permuted));
    CHECK((permuted - to * M * to.transpose()).norm() < 1e-12 * M.norm());
    REQUIRE(aba<double>(plain, data, q, yd, tau).ok());
    REQUIRE(aba<double>(model, other, q, to * yd, to * tau).ok());
    CHECK((other.ydd - to * data.ydd).norm() < 1e-9 * data.ydd.norm());
}

TEST_CASE("another order of y permutes dynamics, joints of several coordinates included") {
    const hard_leg::Rig rig = hard_leg::two_legs(1, 0.6);
    const Model plain = build_model(rig.robot);
    RobotDescription robot = rig.robot;
    const std::vector<Coordinate> before = independent_coordinates(plain);
    for (std::size_t i = before.size(); i-- > 0;) {  // backwards, each joint that is independent as a whole
        const auto body = static_cast<std::size_t>(before[i].body);
        if (before[i].component + 1 == velocity_size(plain.bodies[body].joint) &&
            plain.bodies[body].joint != JointType::spherical)
            robot.coordinates.push_back(plain.names.joints[body]);
    }
    REQUIRE(robot.coordinates.size() > 3);
    REQUIRE(robot.coordinates.back() == "base");
    const Model model = build_model(robot);
    REQUIRE(model.nv == plain.nv);
    Eigen::PermutationMatrix<Eigen::Dynamic> to(plain.nv);
    const std::vector<Coordinate> after = independent_coordinates(model);
    for (int i = 0; i < plain.nv; ++i) {
        const auto found = std::find_if(after.begin(), after.end(), [&](const Coordinate& c) {
            const Coordinate& own = before[static_cast<std::size_t>(i)];
            return c.body == own.body && c.component == own.component;
        });
        REQUIRE(found != after.end());
        to.indices()[i] = static_cast<int>(found - after.begin());
    }
    CHECK(to.indices()[0] > 5);  // the floating base goes last
    Workspace<double> data(plain), other(model);
    const Eigen::VectorXd q = neutral_configuration(plain), yd = Eigen::VectorXd::LinSpaced(plain.nv, -1, 2),
                          tau = Eigen::VectorXd::LinSpaced(plain.nv, 2, -1);
    REQUIRE(aba<double>(plain, data, q, yd, tau).ok());
    REQUIRE(aba<double>(model, other, q, to * yd, to * tau).ok());
    CHECK((other.ydd - to * data.ydd).norm() < 1e-8 * data.ydd.norm());
    Eigen::MatrixXd M(plain.nv, plain.nv), permuted(plain.nv, plain.nv);
    REQUIRE(crba<double>(plain, data, q, M).ok());
    REQUIRE(crba<double>(model, other, q, permuted).ok());
    CHECK((permuted - to * M * to.transpose()).norm() < 1e-11 * M.norm());
}

TEST_CASE("joints listed as coordinates are independent before motors, and those that cannot be are named") {
    RobotDescription robot = read_robot(model_diagnostics::robot(five_bar()));
    robot.actuated = {"a", "c"};
    robot.coordinates = {"d", "b"};
    const Model model = build_model(robot);
    std::vector<std::string> order;
    for (const Coordinate& c : independent_coordinates(model)) order.push_back(model.names.joints[c.body]);
    CHECK(order == std::vector<std::string>{"d", "b"});
    CHECK(model.reports[0].reasons.front() == "listed among the coordinates");
    for (const Diagnostic& entry : model.diagnostics) CHECK(entry.severity == Severity::note);

    robot.coordinates = {"c", "d", "a"};
    const Model more = build_model(robot);
    REQUIRE(more.nv == 2);
    int warnings = 0;
    for (const Diagnostic& entry : more.diagnostics) {
        if (entry.severity != Severity::warning) continue;
        ++warnings;
        const std::string text = to_string(entry);
        INFO(text);
        std::vector<std::string> dependent{"a", "c", "d"};
        for (const Coordinate& c : independent_coordinates(more))
            std::erase(dependent, more.names.joints[static_cast<std::size_t>(c.body)]);
        REQUIRE(dependent.size() == 1);
        CHECK(entry.subject.text == "joint '" + dependent[0] + "'");
        CHECK(text.find("constraint rank 2 leave 2") != std::string::npos);
    }
    CHECK(warnings == 1);
}

TEST_CASE("tool frames and gravity are those of the files") {
    RobotDescription robot = read_robot(model_diagnostics::robot(four_bar()));
    CHECK(build_model(robot).tool_frames.empty());
    CHECK(build_model(robot).gravity.z == -9.81);
    robot.tool_frames = {"rocker", "crank"};
    robot.gravity = Eigen::Vector3d(0, -1.6, 0.5);
    const Model model = build_model(robot);
    REQUIRE(model.tool_frames.size() == 2);
    CHECK(model.frames[model.tool_frames[0]].name == "rocker");
    CHECK(model.frames[model.tool_frames[1]].name == "crank");
    CHECK(model.gravity.y == -1.6);
    CHECK(model.gravity.z == 0.5);
}

TEST_CASE("the leader of a mimic stays where it is, and its follower takes the offset") {
    const auto arms = [](const std::string& more) {
        return read_robot(model_diagnostics::robot(
            empty_link("base") + link("a") + link("b") +
            "<joint name=\"ja\" type=\"continuous\"><parent link=\"base\"/><child link=\"a\"/>"
            "<axis xyz=\"0 1 0\"/></joint>"
            "<joint name=\"jb\" type=\"continuous\"><parent link=\"base\"/><child link=\"b\"/>"
            "<axis xyz=\"0 1 0\"/><mimic joint=\"ja\" multiplier=\"2\" offset=\"1\"/></joint>" +
            more));
    };
    const Model plain = build_model(arms(""));
    CHECK(position(plain, plain.neutral, "ja") == 0);
    CHECK(std::abs(position(plain, plain.neutral, "jb") - 1) < 1e-12);

    RobotDescription named = arms("");
    named.start = {{"ja", {0.25}}};
    const Model leader = build_model(named);
    CHECK(position(leader, leader.neutral, "ja") == 0.25);
    CHECK(std::abs(position(leader, leader.neutral, "jb") - 1.5) < 1e-12);

    named.start = {{"jb", {2}}};
    const Model follower = build_model(named);
    CHECK(position(follower, follower.neutral, "jb") == 2);
    CHECK(std::abs(position(follower, follower.neutral, "ja") - 0.5) < 1e-12);
}
