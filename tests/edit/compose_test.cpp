#include "grbda/compose.hpp"

#include <map>
#include <string>
#include <vector>

#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/joint_forces.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"
#include "mechanism/relation.hpp"
#include "support/robots.hpp"

// Several robots as one: the laws for each single robot hold for it as a part.

using namespace grbda;
using test_robots::relative;

namespace {

constexpr double kRounding = 1e-11;

RobotDescription robot_of(const std::string& name) {
    Diagnostics diagnostics;
    RobotDescription robot =
        read_description({std::string(GRBDA_ROBOTS) + "/" + name + "/" + name + ".urdf"}, diagnostics);
    REQUIRE_FALSE(has_errors(diagnostics));
    return robot;
}

RobotDescription urdf(const std::string& elements) {
    Diagnostics diagnostics;
    RobotDescription robot = read_urdf("<robot name=\"r\">" + elements + "</robot>", "r.urdf", diagnostics);
    REQUIRE_FALSE(has_errors(diagnostics));
    return robot;
}

std::string link(const std::string& name, const std::string& mass = "2") {
    return "<link name=\"" + name + "\"><inertial><origin xyz=\"0.1 0.2 0.3\"/><mass value=\"" + mass +
           "\"/><inertia ixx=\"0.03\" iyy=\"0.04\" izz=\"0.05\"/></inertial></link>";
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& inside = "<axis xyz=\"0 1 0\"/>",
                  const std::string& type = "continuous") {
    return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/>" + inside + "</joint>";
}

const std::string arm = link("foot") + link("arm") + joint("swing", "foot", "arm");

RobotPart part(RobotDescription robot, const std::string& prefix, const std::string& parent = "") {
    RobotPart result;
    result.robot = std::move(robot);
    result.prefix = prefix;
    result.parent = parent;
    return result;
}

struct Composed {
    RobotDescription robot;
    Diagnostics diagnostics;
    std::string findings() const {
        std::string text;
        for (const Diagnostic& entry : diagnostics) text += to_string(entry) + "\n";
        return text;
    }
};

Composed composed(const std::vector<RobotPart>& parts) {
    Composed result;
    result.robot = compose("all", parts, result.diagnostics);
    return result;
}

Model model_of(const std::vector<RobotPart>& parts) {
    const Composed result = composed(parts);
    INFO(result.findings());
    REQUIRE(result.diagnostics.empty());
    return build_model(result.robot);
}

/// Place in y of each independent coordinate, by joint and component.
std::map<std::pair<std::string, int>, int> places_in_y(const Model& model, const std::string& prefix = "") {
    std::map<std::pair<std::string, int>, int> places;
    int place = 0;
    for (const Coordinate& each : independent_coordinates(model)) {
        places[{prefix + model.names.joints[each.body], each.component}] = place++;
    }
    return places;
}

/// Indices of the single robot's coordinates among those of the whole.
std::vector<int> rows_in(const Model& whole, const Model& single, const std::string& prefix) {
    const auto places = places_in_y(whole);
    std::vector<int> rows(static_cast<std::size_t>(single.nv));
    for (const auto& [coordinate, place] : places_in_y(single, prefix)) {
        REQUIRE(places.count(coordinate) == 1);
        rows[static_cast<std::size_t>(place)] = places.at(coordinate);
    }
    return rows;
}

/// Copies the single robot's q into the whole's.
void place_q(const Model& whole, const Model& single, const std::string& prefix, const Eigen::VectorXd& q,
             Eigen::VectorXd& q_whole) {
    for (int i = 0; i < single.body_count(); ++i) {
        const Body& from = single.bodies[static_cast<std::size_t>(i)];
        const std::string name = prefix + single.names.joints[static_cast<std::size_t>(i)];
        const Body& to = whole.bodies[static_cast<std::size_t>(whole.joint(name).index)];
        q_whole.segment(to.q, position_size(to.joint)) = q.segment(from.q, position_size(from.joint));
    }
}

/// The single robot's spanning velocities in the whole's.
void place_v(const Model& whole, const Model& single, const std::string& prefix, const Eigen::VectorXd& v,
             Eigen::VectorXd& v_whole) {
    for (int i = 0; i < single.body_count(); ++i) {
        const Body& from = single.bodies[static_cast<std::size_t>(i)];
        const std::string name = prefix + single.names.joints[static_cast<std::size_t>(i)];
        const Body& to = whole.bodies[static_cast<std::size_t>(whole.joint(name).index)];
        v_whole.segment(to.v, velocity_size(to.joint)) = v.segment(from.v, velocity_size(from.joint));
    }
}

Eigen::MatrixXd mass_matrix(const Model& model, const Eigen::VectorXd& q) {
    Workspace<double> data(model);
    Eigen::MatrixXd M(model.nv, model.nv);
    REQUIRE(crba<double>(model, data, q, M).ok());
    return M;
}

Eigen::VectorXd acceleration(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& yd,
                             const Eigen::VectorXd& tau) {
    Workspace<double> data(model);
    REQUIRE(aba<double>(model, data, q, yd, tau).ok());
    return data.ydd;
}

double total_mass(const RobotDescription& robot) {
    double mass = 0;
    for (const LinkDescription& entry : robot.links) mass += entry.inertial ? entry.inertial->mass : 0;
    return mass;
}

const Eigen::Matrix3d quarter_turn = (Eigen::Matrix3d() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished();

}  // namespace

TEST_CASE("robots composed on the world do not feel each other") {
    const std::vector<std::string> names = {"mini_cheetah", "four_bar", "planar_leg_linkage", "four_bar"};
    std::vector<RobotPart> parts;
    std::vector<Model> singles;
    int degrees = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        parts.push_back(part(robot_of(names[i]), names[i] + std::to_string(i) + "/"));
        singles.push_back(build_model(parts.back().robot));
        degrees += singles.back().nv;
    }
    const Model whole = model_of(parts);
    REQUIRE(whole.nv == degrees);

    test_robots::Random random(7);
    Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(whole.neutral.data(), whole.nq);
    Eigen::VectorXd yd(degrees), tau(degrees), ydd(degrees);
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(degrees, degrees);
    for (std::size_t i = 0; i < names.size(); ++i) {
        test_robots::State state;
        REQUIRE(test_robots::random_state(singles[i], random, state));
        place_q(whole, singles[i], parts[i].prefix, state.q, q);
        const std::vector<int> rows = rows_in(whole, singles[i], parts[i].prefix);
        yd(rows) = state.yd;
        tau(rows) = state.tau;
        ydd(rows) = acceleration(singles[i], state.q, state.yd, state.tau);
        M(rows, rows) = mass_matrix(singles[i], state.q);
    }
    CHECK(relative(mass_matrix(whole, q), M) < kRounding);
    CHECK(relative(acceleration(whole, q, yd, tau), ydd) < kRounding);
}

TEST_CASE("a robot attached with a pose is the robot written out by hand") {
    const std::string by_hand =
        link("one_foot") + link("one_arm") + link("two_foot") + link("two_arm") +
        joint("one_swing", "one_foot", "one_arm") +
        joint("two_base", "one_arm", "two_foot",
              "<origin xyz=\"0.5 0.25 -0.125\" rpy=\"0 0 1.5707963267948966\"/><axis xyz=\"0 0 1\"/>") +
        joint("two_swing", "two_foot", "two_arm");
    RobotPart second = part(urdf(arm), "two_", "one_arm");
    second.joint = JointType::revolute;
    second.axis = Eigen::Vector3d::UnitZ();
    second.base = {quarter_turn, Eigen::Vector3d(0.5, 0.25, -0.125)};
    const Model hand = build_model(urdf(by_hand)), whole = model_of({part(urdf(arm), "one_"), second});
    REQUIRE(whole.names.joints == hand.names.joints);
    const Eigen::Vector3d q(0.3, -0.7, 1.1), yd(1, -2, 3), tau(0.1, 0.2, 0.3);
    CHECK(relative(mass_matrix(whole, q), mass_matrix(hand, q)) < kRounding);
    CHECK(relative(acceleration(whole, q, yd, tau), acceleration(hand, q, yd, tau)) < kRounding);
}

TEST_CASE("attaching a robot to a frame equals attaching it to the link with the frame's pose") {
    RobotDescription carrier = urdf(arm);
    carrier.frames.push_back({"tool", "arm", {quarter_turn, Eigen::Vector3d(1, 2, 3)}, {}});
    RobotPart on_frame = part(urdf(arm), "b_", "a_tool"), on_link = part(urdf(arm), "b_", "a_arm");
    on_frame.base.translation = Eigen::Vector3d(0.1, 0, 0);
    on_link.base = {quarter_turn, Eigen::Vector3d(1, 2.1, 3)};
    const Eigen::Vector2d q(0.4, 0.9);
    const Model frame = model_of({part(carrier, "a_"), on_frame});
    CHECK(relative(mass_matrix(frame, q), mass_matrix(model_of({part(carrier, "a_"), on_link}), q)) <
          kRounding);
}

TEST_CASE("a robot fixed on another's link adds its mass, in either order of the parts") {
    const RobotDescription dog = robot_of("mini_cheetah"), leg = robot_of("planar_leg_linkage");
    RobotPart carrier = part(dog, "dog/"), carried = part(leg, "leg/", "dog/" + dog.links.back().name);
    for (const auto& parts : {std::vector{carrier, carried}, std::vector{carried, carrier}}) {
        const Composed result = composed(parts);
        CHECK(result.findings().empty());
        CHECK(total_mass(result.robot) == Approx(total_mass(dog) + total_mass(leg)));
        double moving = 0;
        for (const Inertial& inertial : build_model(result.robot).inertials) moving += inertial.mass;
        CHECK(moving == Approx(total_mass(dog) + total_mass(leg)));
    }
}

TEST_CASE("the same robot twice needs only a prefix") {
    const RobotDescription tello = robot_of("tello");
    const Model twice = model_of({part(tello, ""), part(tello, "second_")});
    CHECK(twice.nv == 2 * build_model(tello).nv);
    const Composed clash = composed({part(tello, ""), part(tello, "")});
    CHECK_THAT(clash.findings(), Catch::Contains("names of links and frames that no other part has") &&
                                     Catch::Contains("names of joints") && Catch::Contains("another prefix"));
}

TEST_CASE("parts that state different readings of ratios keep their equations") {
    const std::string rotor =
        "<link name=\"rotor\"><inertial><mass value=\"1\"/><inertia ixx=\"1e-4\" "
        "iyy=\"2e-4\" izz=\"1e-4\"/></inertial></link>" +
        joint("spin", "foot", "rotor") +
        "<coupling name=\"gear\"><predecessor link=\"arm\"/><successor link=\"rotor\"/>"
        "<ratio value=\"6\"/></coupling>";
    RobotDescription geared = urdf(arm + rotor), other = geared, silent = geared;
    geared.coupling_ratio = CouplingRatio::successor_over_predecessor;
    other.coupling_ratio = CouplingRatio::predecessor_over_successor;
    const Model mixed = model_of({part(geared, "a_"), part(other, "b_"), part(urdf(arm), "c_")});
    CHECK(mixed.names.equations[0] == "q[a_spin] = 6 q[a_swing]");
    CHECK(mixed.names.equations[1] == "q[b_spin] = 0.1666666667 q[b_swing]");
    const Composed undecided = composed({part(geared, "a_"), part(silent, "b_")});
    CHECK_THAT(undecided.findings(), Catch::Contains("r.urdf:1:1: error: part 2 (prefix 'b_')") &&
                                         Catch::Contains("another part states successor/predecessor") &&
                                         Catch::Contains("set coupling_ratio"));
    relation_of<grbda::GearRelation>(silent).ratio = -1;
    CHECK(composed({part(geared, "a_"), part(silent, "b_")}).findings().empty());
}

TEST_CASE("motors of one part do not mark the joints of another") {
    const RobotDescription unsaid = urdf(arm);
    RobotDescription named = unsaid, passive = urdf(arm + link("hand") + joint("wrist", "arm", "hand"));
    named.actuated = {"swing"};
    passive.passive = {"swing"};
    RobotPart turning = part(unsaid, "t_");
    turning.joint = JointType::continuous;
    const auto motors = [](const std::vector<RobotPart>& parts) {
        const Model model = model_of(parts);
        std::string list;
        for (std::size_t i = 0; i < model.actuated.size(); ++i) {
            if (model.actuated[i]) list += model.names.joints[i] + " ";
        }
        return list;
    };
    CHECK(motors({part(named, "n_"), part(unsaid, "u_"), turning}) == "n_swing ");
    CHECK(motors({part(passive, "p_"), part(unsaid, "u_"), turning}) == "p_wrist ");
    CHECK(motors({part(unsaid, "u_"), part(passive, "p_"), part(named, "n_"), turning}) ==
          "p_wrist n_swing ");
    CHECK(motors({part(unsaid, "u_"), turning}).empty());
}

TEST_CASE("parts agree on gravity, and a warning names the gravity of a part without one") {
    RobotDescription earth = urdf(arm), moon = earth;
    const RobotDescription silent = earth;
    earth.gravity = Eigen::Vector3d(0, 0, -9.81);
    moon.gravity = Eigen::Vector3d(0, 0, -1.62);
    CHECK(composed({part(earth, "a_"), part(silent, "b_")}).findings().empty());
    CHECK(composed({part(moon, "a_"), part(moon, "b_")}).robot.gravity->z() == -1.62);
    CHECK_THAT(composed({part(silent, "a_"), part(moon, "b_")}).findings(),
               Catch::Contains("warning: part 1 (prefix 'a_')") && Catch::Contains("0 0 -1.62 of part 2"));
    CHECK_THAT(composed({part(earth, "a_"), part(moon, "b_")}).findings(),
               Catch::Contains("error: part 2") && Catch::Contains("0 0 -1.62 beside 0 0 -9.81 of part 1"));
}

TEST_CASE("every name of a part gets its prefix") {
    RobotDescription robot = urdf(arm);
    robot.frames.push_back({"tool", "arm", {}, {}});
    robot.start["swing"] = {0.5};
    robot.states.push_back({"home", "all", {{"swing", {0.25}}}, {}});
    robot.coordinates = {"swing"};
    robot.tool_frames = {"tool"};
    robot.groups.push_back({"all", {"arm"}, {"swing"}, {}});
    robot.geometries.push_back({"balls", {{"arm", {{Eigen::Vector3d::Zero(), 1}}}}});
    robot.collision = {"balls", {{"arm", 0.1}}, {{"arm", {"foot"}}}};
    robot.self_collision = robot.collision;
    robot.couplings.push_back({"cam", grbda::PolynomialRelation{"swing", "swing", {0, 1}, 0, 0}, {}});
    const RobotDescription whole = composed({part(robot, "a_"), part(robot, "b_")}).robot;
    CHECK(whole.frames[1].name == "b_tool");
    CHECK(whole.frames[1].link == "b_arm");
    CHECK(whole.start.at("b_swing") == std::vector<double>{0.5});
    CHECK(whole.states[1].name == "b_home");
    CHECK(whole.states[1].group == "b_all");
    CHECK(whole.states[1].positions.count("b_swing") == 1);
    CHECK(whole.coordinates == std::vector<std::string>{"a_swing", "b_swing"});
    CHECK(whole.tool_frames == std::vector<std::string>{"a_tool", "b_tool"});
    CHECK(whole.groups[1].name == "b_all");
    CHECK(whole.groups[1].links[0] == "b_arm");
    CHECK(whole.groups[1].joints[0] == "b_swing");
    CHECK(whole.couplings[1].name == "b_cam");
    CHECK(relation_of<grbda::PolynomialRelation>(whole, 1).follower == "b_swing");
    CHECK(relation_of<grbda::PolynomialRelation>(whole, 1).leader == "b_swing");
    REQUIRE(whole.geometries.size() == 3);
    CHECK(whole.geometries[2].name == "a_balls+b_balls");
    CHECK(whole.geometries[2].spheres.count("b_arm") == 1);
    CHECK(whole.collision.geometry == "a_balls+b_balls");
    CHECK(whole.self_collision.geometry == "a_balls+b_balls");
    CHECK(whole.collision.buffer_distance.at("b_arm") == 0.1);
    CHECK(whole.collision.ignore.at("b_arm") == std::vector<std::string>{"b_foot"});
}

TEST_CASE("parts that do not fit together are refused with what to change") {
    const RobotDescription robot = urdf(arm);
    const auto findings = [](const std::vector<RobotPart>& parts) { return composed(parts).findings(); };
    CHECK_THAT(findings({}), Catch::Contains("at least one part"));
    CHECK_THAT(
        findings({part(robot, "a_"), part(robot, "b_", "a_arn")}),
        Catch::Contains("part 2 (prefix 'b_')") && Catch::Contains("found 'a_arn' (did you mean 'a_arm'"));
    CHECK_THAT(findings({part(robot, "a_", "b_arm"), part(robot, "b_", "a_arm")}),
               Catch::Contains("attached to one another, by 'b_arm', 'a_arm'"));
    CHECK_THAT(findings({part(urdf(link("one") + link("two")), "a_")}),
               Catch::Contains("exactly one root link") && Catch::Contains("2: 'a_one', 'a_two'"));
    CHECK_THAT(findings({part(RobotDescription(), "a_")}), Catch::Contains("found no links"));
    CHECK(findings({part(urdf(link("world")), "")}).empty());  // a root called world is the world
    CHECK_THAT(findings({part(urdf(link("a") + link("b") + joint("base", "a", "b")), "")}),
               Catch::Contains("no joint called 'base'"));
    RobotDescription posed = urdf(link("other"));
    posed.states.push_back({"home", "", {}, {}});
    RobotDescription posed_too = urdf(arm);
    posed_too.states = posed.states;
    posed_too.joints[0].name = "else";
    RobotPart second = part(posed_too, "");
    CHECK_THAT(findings({part(posed, ""), second}), Catch::Contains("names of states"));
}

TEST_CASE("a wrong number of a part is reported once, at its place in the part's file") {
    const std::string crossed = joint("swing", "a", "b", "\n<limit lower=\"1\" upper=\"0\"/>", "revolute");
    const RobotDescription robot = urdf(link("a") + link("b") + crossed);
    Composed all = composed({part(robot, "left_"), part(robot, "right_")});
    make_mechanism(all.robot, {}, all.diagnostics);
    CHECK_THAT(all.findings(), Catch::Matches("r.urdf:2:1: error: joint 'left_swing': expected [^\n]*\n"));
}

TEST_CASE("each part keeps its joint forces among the others") {
    RobotDescription sprung = robot_of("four_bar");
    for (JointDescription& joint : sprung.joints) {
        joint.damping = 0.5;
        joint.friction = 0.25;
        joint.stiffness = 3;
        joint.rest = {0.75};
    }
    for (LinkDescription& link : sprung.links) link.gravity_compensation = {{0.5, {0.1, 0.2, 0.3}}};
    std::vector<LinearTerm> terms;
    for (const JointDescription& joint : sprung.joints)
        if (joint.type != JointType::fixed) terms.push_back({joint.name, 0.5, {}});
    terms.resize(2);
    sprung.tendons.push_back({"t", terms, 4, 2, 1, 0.25, 0.5, {}});
    const Model single = build_model(sprung);
    const Composed both = composed({part(sprung, "left_"), part(sprung, "right_")});
    INFO(both.findings());
    const Model whole = build_model(both.robot);
    CHECK(whole.names.tendons == std::vector<std::string>{"left_t", "right_t"});
    std::mt19937_64 generator(5);
    Workspace<double> data(single), data_whole(whole);
    Eigen::VectorXd q_whole = neutral_configuration(whole), expected(whole.nv);
    Eigen::VectorXd qd_whole = Eigen::VectorXd::Zero(whole.nv_tree);
    for (const std::string prefix : {"left_", "right_"}) {
        const Eigen::VectorXd q = random_configuration(single, generator);
        const Eigen::VectorXd yd = test_robots::random_vector(generator, single.nv);
        REQUIRE(spanning_velocity<double>(single, data, q, yd).ok());
        const Eigen::VectorXd qd = data.qd;
        REQUIRE(joint_forces<double>(single, data, q, qd).ok());
        place_q(whole, single, prefix, q, q_whole);
        place_v(whole, single, prefix, qd, qd_whole);
        const std::vector<int> rows = rows_in(whole, single, prefix);
        for (std::size_t i = 0; i < rows.size(); ++i)
            expected[rows[i]] = data.tau[static_cast<Eigen::Index>(i)];
    }
    REQUIRE(joint_forces<double>(whole, data_whole, q_whole, qd_whole).ok());
    CHECK(relative(data_whole.tau, expected) < kRounding);
    CHECK(composed({part(sprung, "a_"), part(sprung, "a_")}).findings().find("names of tendons") !=
          std::string::npos);
}
