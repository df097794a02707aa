#include <algorithm>
#include <cmath>

#include "compile/model_diagnostics_fixture.hpp"
#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/crba.hpp"
#include "grbda/io/side_files.hpp"
#include "kinematics/configuration.hpp"
#include "support/robots.hpp"

// Joints named in <start>, default_joint_positions and saved states have exactly these positions, and the
// others follow. If the loops do not allow that, a finding says how far each joint was moved.

using namespace model_diagnostics;

namespace {

using Positions = std::map<std::string, std::vector<double>>;

constexpr double kClosed = 1e-10;

std::vector<double> position(const Model& model, const std::vector<double>& q, const std::string& joint) {
    const Body& body = model.bodies[model.joint(joint).index];
    return {q.begin() + body.q, q.begin() + body.q + position_size(body.joint)};
}

double residual(const Model& model, const std::vector<double>& q) {
    Workspace<double> data(model);
    return closure_residual<double>(model, data, Eigen::Map<const Eigen::VectorXd>(q.data(), model.nq))
        .residual;
}

/// Joints that are not at their given positions.
std::vector<std::string> moved(const Model& model, const std::vector<double>& q, const Positions& said) {
    std::vector<std::string> names;
    for (const auto& [joint, values] : said)
        if (position(model, q, joint) != values) names.push_back(joint);
    return names;
}

const Diagnostic* finding(const Model& model, const std::string& subject) {
    for (const Diagnostic& entry : model.diagnostics)
        if (entry.code == Code::state && entry.subject.text == subject) return &entry;
    return nullptr;
}

RobotDescription with_state(const RobotDescription& from, const Positions& positions) {
    RobotDescription robot = from;
    StateDescription state;
    state.name = "said";
    state.positions = positions;
    robot.states = {state};
    return robot;
}

/// Joints of a configuration by name, each with a chance.
Positions drawn(const Model& model, const Eigen::VectorXd& q, double chance, test_robots::Random& random) {
    Positions positions;
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        if (std::uniform_real_distribution<double>(0, 1)(random) > chance) continue;
        positions[model.names.joints[i]] = {q.data() + body.q, q.data() + body.q + position_size(body.joint)};
    }
    return positions;
}

/// A robot cannot start here: the configuration is close to one that the algorithms report as singular.
bool nearly_singular(const Model& model, const Eigen::VectorXd& q) {
    Workspace<double> data(model);
    const Eigen::VectorXd yd = Eigen::VectorXd::Zero(model.nv);
    return !constraint_embedding<double>(model, data, q, yd).ok() ||
           test_robots::conditioning(model, data) < 1e-3;
}

/// A robot's description without the positions in its files.
RobotDescription silent(const test_robots::Robot& robot) {
    RobotDescription description = robot.description;
    description.start.clear();
    description.states.clear();
    return description;
}

}  // namespace

TEST_CASE("a slider-crank starts at the crank angle that its file names, or at the rod's or the slide's") {
    const RobotDescription robot = silent(test_robots::named("slider_crank"));
    const double r = 0.1, l = 0.3;
    for (const double angle : {0.5, -1.3, 3.0}) {
        INFO(angle);
        const double beta = std::asin(r / l * std::sin(angle));
        const Positions closed = {{"crank_joint", {angle}},
                                  {"rod_joint", {-(angle + beta)}},
                                  {"slider_joint", {r * std::cos(angle) + l * std::cos(beta) - (r + l)}}};
        for (const auto& [joint, values] : closed) {
            INFO(joint);
            RobotDescription started = robot;
            started.start = {{joint, values}};
            const Model model = build_model(started);
            CHECK(position(model, model.neutral, joint) == values);
            CHECK(finding(model, "start") == nullptr);
            CHECK(residual(model, model.neutral) < kClosed);
            const double crank = position(model, model.neutral, "crank_joint")[0];
            const double slide = position(model, model.neutral, "slider_joint")[0];
            const double its_beta = std::asin(r / l * std::sin(crank));
            CHECK(slide == Approx(r * std::cos(crank) + l * std::cos(its_beta) - (r + l)).margin(1e-9));
            const Model saved = build_model(with_state(robot, {{joint, values}}));
            REQUIRE(saved.states.size() == 1);
            CHECK(position(saved, saved.states[0].q, joint) == values);
            CHECK(saved.states[0].moved == 0);
        }
    }
}

TEST_CASE("followers of a mimic do not move the joints that default_joint_positions name") {
    const std::string text =
        robot(empty_link("base") + joint({"motor", "base", "rotor", "0 0 0"}) + link("rotor") +
              joint({"arm", "base", "upper", "1 0 0", "type=\"continuous\"", "0 0 1",
                     "<mimic joint=\"motor\" multiplier=\"10\"/>"}) +
              link("upper"));
    const std::string xrdf =
        "format: xrdf\nformat_version: 1.0\ndefault_joint_positions:\n  motor: 2.2\ncspace:\n"
        "  joint_names: [motor]\n  acceleration_limits: [1]\n  jerk_limits: [1]\n";
    Diagnostics diagnostics;
    RobotDescription description = read_urdf(text, "robot.urdf", diagnostics);
    apply_xrdf(xrdf, "robot.xrdf", description, diagnostics);
    INFO(to_string(diagnostics.empty() ? Diagnostic(Severity::note, Code::state, {}, {}) : diagnostics[0]));
    REQUIRE_FALSE(has_errors(diagnostics));
    const Model model = build_model(description);
    CHECK(position(model, model.neutral, "motor")[0] == 2.2);
    CHECK(position(model, model.neutral, "arm")[0] == Approx(22).epsilon(1e-14));
    CHECK(finding(model, "start") == nullptr);
    // the follower alone, and far away
    description.start = {{"arm", {2200}}};
    const Model far = build_model(description);
    CHECK(position(far, far.neutral, "arm")[0] == 2200);
    CHECK(position(far, far.neutral, "motor")[0] == Approx(220).epsilon(1e-14));
    // both, against each other: the independent one holds
    description.start = {{"motor", {2.2}}, {"arm", {1}}};
    const Model both = build_model(description);
    CHECK(position(both, both.neutral, "motor")[0] == 2.2);
    CHECK(position(both, both.neutral, "arm")[0] == Approx(22).epsilon(1e-14));
    const Diagnostic* warning = finding(both, "start");
    REQUIRE(warning != nullptr);
    CHECK(warning->severity == Severity::warning);
    CHECK(warning->found == "'arm' moved by 21 (rad or m)");
}

TEST_CASE("joints that the loops do not allow together move as little as need be, and the finding says so") {
    const RobotDescription robot = silent(test_robots::named("slider_crank"));
    const double rod = -0.9, slide = -0.01;
    RobotDescription started = robot;
    started.start = {{"rod_joint", {rod}}, {"slider_joint", {slide}}};
    const Model model = build_model(started);
    // the sum of squares on a fine grid of crank angles, in closed form
    const double size = model.column_scale[model.bodies[model.joint("slider_joint").index].dof];
    REQUIRE(size > 0.1);
    double least = 1e300;
    const auto sum = [&](double its_rod, double its_slide) {
        return std::pow(its_rod - rod, 2) + std::pow((its_slide - slide) / size, 2);
    };
    for (double angle = -3; angle < 3; angle += 1e-5) {
        const double beta = std::asin(0.1 / 0.3 * std::sin(angle));
        least = std::min(least, sum(-(angle + beta), 0.1 * std::cos(angle) + 0.3 * std::cos(beta) - 0.4));
    }
    const double found_rod = position(model, model.neutral, "rod_joint")[0],
                 found_slide = position(model, model.neutral, "slider_joint")[0];
    CHECK(sum(found_rod, found_slide) <= least * (1 + 1e-12));
    CHECK(sum(found_rod, found_slide) == Approx(least).epsilon(1e-6));
    CHECK(residual(model, model.neutral) < kClosed);
    const Diagnostic* warning = finding(model, "start");
    REQUIRE(warning != nullptr);
    CHECK(warning->severity == Severity::warning);
    char text[160];
    const double rod_way = std::abs(found_rod - rod), slide_way = std::abs(found_slide - slide);
    const bool rod_first = rod_way > slide_way;
    std::snprintf(text, sizeof text, "'%s' moved by %.3g, '%s' by %.3g (rad or m)",
                  rod_first ? "rod_joint" : "slider_joint", std::max(rod_way, slide_way),
                  rod_first ? "slider_joint" : "rod_joint", std::min(rod_way, slide_way));
    CHECK(warning->found == text);
}

TEST_CASE("a start at a singular pose is replaced by a regular one, and the finding says so") {
    const std::string flat = empty_link("base") + joint({"a", "base", "crank"}) + link("crank") +
                             joint({"c", "base", "rocker", "1 0 0"}) + link("rocker") +
                             joint({"b", "crank", "coupler", "0.5 0 0"}) + link("coupler") +
                             loop("closure", "coupler", "1 0 0", "rocker", "0.5 0 0");
    Diagnostics diagnostics;
    RobotDescription description = read_urdf(robot(flat), "robot.urdf", diagnostics);
    REQUIRE_FALSE(has_errors(diagnostics));
    description.start = {{"a", {0}}, {"b", {0}}, {"c", {0}}};
    const Model model = build_model(description);
    CHECK(residual(model, model.neutral) < kClosed);
    CHECK(model.reports[0].neutral_conditioning > 1e-3);
    CHECK(finding(model, "start") != nullptr);
    // at one crank angle it is regular
    description.start = {{"a", {0.4}}};
    const Model open = build_model(description);
    CHECK(position(open, open.neutral, "a")[0] == 0.4);
    CHECK(finding(open, "start") == nullptr);
}

TEST_CASE("some joints of any closed configuration are held to the bit, and the others follow") {
    int starts = 0, states = 0, held_starts = 0, held_states = 0;
    std::string failed;
    for (const test_robots::Robot* robot : test_robots::all())
        for (const double chance : {0.2, 0.5, 0.8}) {
            test_robots::Random random(77);
            const Eigen::VectorXd q = random_configuration(robot->model, random);
            const Positions said = drawn(robot->model, q, chance, random);
            if (said.empty()) continue;
            INFO(robot->name << ", chance " << chance);
            RobotDescription description = silent(*robot);
            description.start = said;
            const Model started = build_model(description, robot->options);
            ++starts;
            std::vector<std::string> off = moved(started, started.neutral, said);
            const bool held = off.empty() || nearly_singular(robot->model, q);
            held_starts += held ? 1 : 0;
            CHECK(residual(started, started.neutral) < kClosed);
            CHECK((finding(started, "start") == nullptr) == off.empty());
            if (!held) failed += to_string(*finding(started, "start")) + ": " + robot->name + "\n";

            const Model saved = build_model(with_state(robot->description, said), robot->options);
            ++states;
            REQUIRE(saved.states.size() == 1);
            off = moved(saved, saved.states[0].q, said);
            held_states += off.empty() ? 1 : 0;
            CHECK(residual(saved, saved.states[0].q) < kClosed);
            CHECK((finding(saved, "state 'said'") == nullptr) == off.empty());
            if (!off.empty())
                failed += to_string(*finding(saved, "state 'said'")) + ": " + robot->name + "\n";
        }
    INFO(failed);
    CHECK(starts > 2 * std::ssize(test_robots::all()));
    CHECK(held_starts == starts);
    CHECK(held_states == states);
}

TEST_CASE("if joints contradict the loops, independent ones stay, and the finding gives the displacements") {
    int contradicting = 0, kept = 0;
    for (const test_robots::Robot* robot : test_robots::all()) {
        test_robots::Random random(78);
        const Eigen::VectorXd q = random_configuration(robot->model, random);
        Positions said = drawn(robot->model, q, 1, random);
        for (auto& [joint, values] : said)
            if (!has_quaternion(robot->model.bodies[robot->model.joint(joint).index].joint))
                for (double& x : values) x += std::uniform_real_distribution<double>(-0.01, 0.01)(random);
        const Model model = build_model(with_state(robot->description, said), robot->options);
        INFO(robot->name);
        if (model.states.empty()) continue;
        const SavedState& state = model.states[0];
        CHECK(residual(model, state.q) < kClosed);
        const std::vector<std::string> off = moved(model, state.q, said);
        double longest = 0;
        const Diagnostic* warning = finding(model, "state 'said'");
        for (const std::string& joint : off) {
            const Body& body = model.bodies[model.joint(joint).index];
            if (has_quaternion(body.joint)) continue;
            double way = 0;
            const std::vector<double> found = position(model, state.q, joint);
            for (std::size_t j = 0; j < found.size(); ++j)
                way = std::max(way, std::abs(found[j] - said.at(joint)[j]));
            longest = std::max(longest, way);
            if (way < 1e-8 || off.size() > 12) continue;
            REQUIRE(warning != nullptr);
            char text[32];
            std::snprintf(text, sizeof text, " by %.3g", way);
            CHECK(warning->found.find(text) != std::string::npos);
            CHECK(warning->found.find("'" + joint + "'") != std::string::npos);
        }
        CHECK(state.moved >= longest);
        if (off.empty()) continue;
        ++contradicting;
        const std::vector<Coordinate> y = independent_coordinates(model);
        kept += std::none_of(y.begin(), y.end(), [&](const Coordinate& c) {
            return velocity_size(model.bodies[c.body].joint) == 1 &&
                   std::find(off.begin(), off.end(), model.names.joints[c.body]) != off.end();
        });
    }
    CHECK(2 * contradicting > std::ssize(test_robots::all()));
    CHECK(kept > 0.9 * contradicting);
}
