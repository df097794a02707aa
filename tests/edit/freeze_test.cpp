#include "grbda/edit/edit.hpp"
#include "support/dense.hpp"

#include <algorithm>

#include "edit/edit_fixture.hpp"
#include "dynamics/joint_forces.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"
#include "support/body_poses.hpp"

// A robot with fixed joints is the same robot in motions that do not move these joints: with ẏ = N ẏ_frozen,
// M_frozen = Nᵀ M N, and likewise for all forces.

using namespace grbda;
using namespace edits;
using test_robots::relative;

namespace {

#if defined(GRBDA_SANITIZED)
constexpr int kStates = 1;  // building takes its time there
#else
constexpr int kStates = 3;
#endif
constexpr double kAgreement = equivalence::kAgreement;

/// One joint, several, or all of a cluster.
std::vector<std::string> some_joints(const Model& model, Random& random) {
    std::vector<std::string> names(model.names.joints.begin(), model.names.joints.end());
    std::shuffle(names.begin(), names.end(), random);
    const std::uint64_t kind = random() % 4;
    if (kind == 0) names.resize(std::min<std::size_t>(names.size(), 3));
    if (kind == 1 || kind == 2) names.resize(1);
    if (kind < 3) return names;
    const int cluster = model.joint(names.front()).cluster;
    std::erase_if(names, [&](const std::string& name) { return model.joint(name).cluster != cluster; });
    return names;
}

/// Degrees of freedom that fixing these joints removes; −1 if rounding decides.
int freedom_taken(const Model& model, Workspace<double>& data, const Eigen::VectorXd& q,
                  const std::vector<std::string>& joints) {
    REQUIRE(constraint_embedding<double>(model, data, q, Eigen::VectorXd::Zero(model.nv)).ok());
    const Eigen::MatrixXd G = explicit_jacobian(model, data);
    std::vector<int> rows;
    for (const std::string& joint : joints) {
        const Body& body = model.bodies[model.joint(joint).index];
        for (int j = 0; j < velocity_size(body.joint); ++j) rows.push_back(body.v + j);
    }
    if (model.nv == 0 || rows.empty()) return 0;
    const Eigen::VectorXd values = dense::singular_values(G(rows, Eigen::all));
    int rank = 0;
    for (const double value : values) {
        if (value > 1e-10 && value < 1e-4) return -1;
        rank += value >= 1e-4 ? 1 : 0;
    }
    return rank;
}

/// Wrenches on the bodies of `full`, moved to those of `frozen` that they are part of.
Matrix6X<double> moved_wrenches(const Model& full, const Matrix6X<double>& wrenches, const Model& frozen) {
    const auto pose = [](const Frame& frame) {
        return Pose{body_poses::eigen(frame.rotation), body_poses::eigen(frame.position)};
    };
    Matrix6X<double> result = Matrix6X<double>::Zero(6, frozen.body_count());
    for (int i = 0; i < full.body_count(); ++i) {
        const Frame& from = full.frames[full.body_frame[i]];
        const Frame& to = frozen.frames[frozen.frame(from.name).index];
        if (to.body == world) continue;
        const Pose X = pose(to) * inverse(pose(from));
        const Eigen::Vector3d force = X.rotation * wrenches.col(i).head<3>();
        result.col(to.body).head<3>() += force;
        result.col(to.body).tail<3>() += X.rotation * wrenches.col(i).tail<3>() + X.translation.cross(force);
    }
    return result;
}

/// False: not compared, since the frozen robot's independents are badly conditioned there.
bool same_dynamics(const Model& full, const State& state, const Model& frozen, Random& random) {
    Workspace<double> data(full), frozen_data(frozen);
    Eigen::VectorXd q(frozen.nq);
    equivalence::copy_positions(full, state.q, frozen, q);
    REQUIRE(closure_residual<double>(frozen, frozen_data, q).ok());
    const Eigen::VectorXd yd = test_robots::random_vector(random, frozen.nv);
    const Eigen::VectorXd ydd = test_robots::random_vector(random, frozen.nv);
    if (!constraint_embedding<double>(frozen, frozen_data, q, yd).ok() ||
        !well_conditioned(frozen, frozen_data))
        return false;
    const std::vector<int> map = equivalence::velocity_map(frozen, full);
    const Eigen::MatrixXd N = velocities(frozen, frozen_data, full);
    REQUIRE(spanning_acceleration<double>(frozen, frozen_data, q, yd, ydd).ok());
    const Eigen::VectorXd qd = frozen_data.qd, qdd = frozen_data.qdd;
    const Eigen::VectorXd full_yd = independent_part(full, equivalence::mapped(map, qd));
    const Eigen::VectorXd full_ydd = independent_part(full, equivalence::mapped(map, qdd));
    REQUIRE(spanning_acceleration<double>(full, data, state.q, full_yd, full_ydd).ok());
    CHECK(relative(data.qd, equivalence::mapped(map, qd)) < kAgreement);
    CHECK(relative(data.qdd, equivalence::mapped(map, qdd)) < kAgreement);

    const Eigen::VectorXd full_qd = data.qd;
    REQUIRE(rnea<double>(full, data, state.q, full_yd, full_ydd, state.wrenches).ok());
    REQUIRE(rnea<double>(frozen, frozen_data, q, yd, ydd, moved_wrenches(full, state.wrenches, frozen)).ok());
    CHECK(relative(N.transpose() * data.tau, frozen_data.tau) < kAgreement);
    Eigen::MatrixXd M(full.nv, full.nv), frozen_M(frozen.nv, frozen.nv);
    REQUIRE(crba<double>(full, data, state.q, M).ok());
    REQUIRE(crba<double>(frozen, frozen_data, q, frozen_M).ok());
    CHECK(relative(N.transpose() * M * N, frozen_M) < kAgreement);
    REQUIRE(joint_forces<double>(full, data, state.q, full_qd).ok());
    REQUIRE(joint_forces<double>(frozen, frozen_data, q, qd).ok());
    CHECK(relative(N.transpose() * data.tau, frozen_data.tau) < kAgreement);
    check_frames(full, data, state.q, frozen, frozen_data, q);
    return true;
}

RobotDescription urdf(const std::string& elements) {
    Diagnostics diagnostics;
    RobotDescription robot = read_urdf("<robot name=\"r\">" + elements + "</robot>", "r.urdf", diagnostics);
    INFO(findings(diagnostics));
    REQUIRE_FALSE(has_errors(diagnostics));
    return robot;
}

std::string link(const std::string& name) {
    return "<link name=\"" + name +
           "\"><inertial><origin xyz=\"0.1 0.2 0.3\"/><mass value=\"2\"/>"
           "<inertia ixx=\"0.03\" iyy=\"0.04\" izz=\"0.05\"/></inertial></link>";
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& inside = "") {
    return "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/><origin xyz=\"0.3 0 0.1\"/><axis xyz=\"0 1 0\"/>" + inside +
           "</joint>";
}

/// A chain of three joints a, b, c, a fourth, d, beside them, and what is said of these.
const std::string chain = link("base") + link("A") + link("B") + link("C") + link("D") +
                          joint("a", "base", "A") + joint("b", "A", "B") + joint("c", "B", "C") +
                          joint("d", "base", "D");

struct Edit {
    Mechanism before;
    Model model;
    Mechanism after;
    Diagnostics diagnostics;
};

Edit frozen(const std::string& elements, const std::vector<std::string>& joints,
            const std::map<std::string, double>& at = {}) {
    Edit edit;
    Diagnostics reading;
    edit.before = make_mechanism(urdf(elements), {}, reading);
    edit.model = build_model(edit.before, {}, reading);
    INFO(findings(reading));
    REQUIRE_FALSE(has_errors(reading));
    Eigen::VectorXd q = neutral_configuration(edit.model);
    for (const auto& [joint, value] : at) q[edit.model.joint(joint).q.first] = value;
    Workspace<double> data(edit.model);
    REQUIRE(close_loops<double>(edit.model, data, q).ok());
    edit.after = freeze(edit.before, edit.model, q, joints, edit.diagnostics);
    return edit;
}

std::vector<std::string> joints_left(const Edit& edit) {
    std::vector<std::string> names;
    for (const MechanismBody& body : edit.after.bodies) names.push_back(body.joint);
    return names;
}

using Joints = std::vector<std::string>;

}  // namespace

TEST_CASE("a robot with frozen joints has the dynamics of the robot whose joints do not move") {
    int drawn = 0, checked = 0, counted = 0, locked = 0;
    test_robots::at_random_states(
        test_robots::without_rods(), kStates, 71,
        [&](const Robot& robot, const State& state, Random& random) {
            if (robot.model.body_count() == 0) return;
            ++drawn;
            const std::vector<std::string> names = some_joints(robot.model, random);
            INFO("frozen: " << names.front() << " and " << names.size() - 1 << " more");
            Diagnostics diagnostics;
            const Mechanism mechanism = freeze(mechanism_of(robot), robot.model, state.q, names, diagnostics);
            INFO(findings(diagnostics));
            REQUIRE_FALSE(has_errors(diagnostics));
            grbda::LoadOptions options = robot.options;
            options.rod_reduction =
                false;  // a strut whose slide is frozen is a rod, whose joints have no place in q̇
            const Model model = build_model(mechanism, options, diagnostics);
            INFO(findings(diagnostics));
            if (has_errors(diagnostics)) {
                WARN(robot.name << " " << names.front() << "\n" << findings(diagnostics));
                return;
            }
            const bool nearly_rigid = std::any_of(model.reports.begin(), model.reports.end(),
                                                  [](const auto& each) { return each.misfit_rows > 0; });
            if (nearly_rigid) return;  // a row next to redundant was left out, with a warning
            Workspace<double> data(robot.model);
            const int taken = freedom_taken(robot.model, data, state.q, names);
            if (taken >= 0) {
                CHECK(model.nv == robot.model.nv - taken);
                ++counted;
            }
            locked += model.nv == 0 ? 1 : 0;
            checked += same_dynamics(robot.model, state, model, random) ? 1 : 0;
        });
    INFO(drawn << " drawn, " << checked << " compared, " << counted << " counted, " << locked << " rigid");
    CHECK(10 * checked > 9 * drawn);
    CHECK(10 * counted > 9 * drawn);
    CHECK(locked > 0);
    CHECK(2 * locked < drawn);
}

TEST_CASE("a frozen floating base stays where it was") {
    const Robot& robot = test_robots::named("digit_leg");
    LoadOptions options;
    options.floating_base = true;
    Diagnostics diagnostics;
    const Mechanism floating = make_mechanism(robot.description, options, diagnostics);
    const Model model = build_model(floating, options, diagnostics);
    REQUIRE_FALSE(has_errors(diagnostics));
    Random random(72);
    State state;
    REQUIRE(test_robots::random_state(model, random, state));
    const Mechanism fixed = freeze(floating, model, state.q, {"root_joint"}, diagnostics);
    const Model frozen = build_model(fixed, options, diagnostics);
    INFO(findings(diagnostics));
    REQUIRE_FALSE(has_errors(diagnostics));
    CHECK(frozen.nv == robot.model.nv);
    CHECK(same_dynamics(model, state, frozen, random));
}

TEST_CASE("joints that couplings leave without freedom are frozen too") {
    const std::string couplings =
        "<coupling name=\"sum\" type=\"linear\"><term joint=\"a\"/><term joint=\"b\" coefficient=\"2\"/>"
        "<term joint=\"c\"/><offset value=\"0.1\"/></coupling>"
        "<coupling name=\"cam\" type=\"polynomial\"><follower joint=\"d\"/><leader joint=\"a\"/>"
        "<polynomial coefficients=\"0.1 1 0.5\"/></coupling>";
    SECTION("a follower with its leader") {
        const Edit edit = frozen(chain + couplings, {"a"}, {{"a", 0.4}, {"b", 0.2}});
        CHECK((joints_left(edit) == Joints{"b", "c"}));
        REQUIRE(edit.after.couplings.size() == 1);
        CHECK(edit.after.couplings[0].offset == Approx(0.1 + 0.4));
        CHECK(findings(edit.diagnostics).find("joint 'd': frozen too") != std::string::npos);
        CHECK(findings(edit.diagnostics).find("coupling 'cam' holds it") != std::string::npos);
    }
    SECTION("a leader with its follower, and the last of a sum") {
        const Edit edit = frozen(chain + couplings, {"d", "c"}, {{"a", 0.4}, {"b", 0.2}});
        CHECK(joints_left(edit).empty());
        CHECK(edit.after.couplings.empty());
    }
    SECTION("a rotor with its joint") {
        const Robot& chain_of_rotors = test_robots::named("revolute_rotor_chain");
        Diagnostics diagnostics;
        const Mechanism after = freeze(mechanism_of(chain_of_rotors), chain_of_rotors.model,
                                       neutral_configuration(chain_of_rotors.model), {"joint2"}, diagnostics);
        CHECK(after.bodies.size() == 4);
        CHECK(after.couplings.size() == 2);
    }
}

TEST_CASE("joints that the loops leave without freedom are frozen too, whatever is marked") {
    const Robot& robot = test_robots::named("slider_crank");
    Mechanism mechanism = mechanism_of(robot);
    for (MechanismBody& body : mechanism.bodies) body.actuated = true;
    Diagnostics diagnostics;
    Eigen::VectorXd q = neutral_configuration(robot.model);
    Workspace<double> data(robot.model);
    q[robot.model.joint("crank_joint").q.first] = 0.7;
    REQUIRE(close_loops<double>(robot.model, data, q).ok());
    const Mechanism after = freeze(mechanism, robot.model, q, {"slider_joint"}, diagnostics);
    CHECK(after.bodies.empty());
    CHECK(after.loops.empty());
    CHECK(findings(diagnostics)
              .find("joint 'crank_joint': frozen too: it has no freedom left, its loops hold it") !=
          std::string::npos);
    const Model model = build_model(after, {}, diagnostics);
    CHECK_FALSE(has_errors(diagnostics));
    CHECK(model.nv == 0);
    CHECK(model.frames.size() == robot.model.frames.size());
}

TEST_CASE("a distance loop keeps its length") {
    const std::string rod =
        "<loop name=\"rod\" type=\"distance\"><predecessor link=\"C\"/>"
        "<successor link=\"D\"><origin xyz=\"0 0 0.5\"/></successor></loop>";  // as at q = 0
    const Edit edit = frozen(chain + rod, {"b"}, {{"a", 0.1}, {"b", 0.1}});
    REQUIRE(edit.after.loops.size() == 1);
    CHECK(edit.after.loops[0].length == edit.before.loops[0].length);
    CHECK((joints_left(edit) == Joints{"a", "c", "d"}));
}

TEST_CASE("roles of frozen joints go, those of others stay") {
    const std::string said =
        "<transmission name=\"ta\"><joint name=\"a\"/></transmission>"
        "<transmission name=\"tc\"><joint name=\"c\"/></transmission>"
        "<coordinates><joint name=\"c\"/><joint name=\"a\"/><joint name=\"b\"/></coordinates>"
        "<start><joint name=\"a\" value=\"0.9\"/></start>"
        "<state name=\"same\"><joint name=\"a\" value=\"0.25\"/><joint name=\"b\" value=\"0.5\"/></state>"
        "<state name=\"elsewhere\"><joint name=\"a\" value=\"0.5\"/><joint name=\"b\" value=\"0.5\"/></state>"
        "<state name=\"empty\"><joint name=\"a\" value=\"0.25\"/></state>"
        "<state name=\"other\"><joint name=\"d\" value=\"-1\"/></state>"
        "<tendon name=\"t\" stiffness=\"3\" rest_length=\"0.1 0.2\"><term joint=\"a\" coefficient=\"2\"/>"
        "<term joint=\"c\" coefficient=\"-1\"/></tendon>"
        "<tendon name=\"gone\" stiffness=\"3\"><term joint=\"a\" coefficient=\"2\"/></tendon>";
    const Edit edit = frozen(chain + said, {"a"}, {{"a", 0.25}, {"d", 0.125}});
    CHECK((joints_left(edit) == Joints{"b", "c", "d"}));
    REQUIRE(edit.after.coordinates.size() == 2);
    CHECK(edit.after.bodies[edit.after.coordinates[0]].joint == "c");
    CHECK(edit.after.bodies[edit.after.coordinates[1]].joint == "b");
    CHECK(edit.after.bodies[1].actuated);
    CHECK_FALSE(edit.after.bodies[0].actuated);
    CHECK((edit.after.start ==
           std::map<std::string, std::vector<double>>{{"b", {0}}, {"c", {0}}, {"d", {0.125}}}));
    REQUIRE(edit.after.states.size() == 2);
    CHECK(edit.after.states[0].name == "same");
    CHECK(edit.after.states[0].positions.size() == 1);
    CHECK(edit.after.states[1].name == "other");
    CHECK(findings(edit.diagnostics)
              .find("state 'elsewhere': expected frozen joints where they are, found "
                    "joint 'a' elsewhere: left out") != std::string::npos);
    REQUIRE(edit.after.tendons.size() == 1);
    CHECK(edit.after.tendons[0].terms.size() == 1);
    CHECK(edit.after.tendons[0].rest_lower == Approx(0.1 - 0.5));
    CHECK(edit.after.tendons[0].rest_upper == Approx(0.2 - 0.5));
    // the same forces of tendons, springs and dampers
    Random random(73);
    State state;
    REQUIRE(test_robots::random_state(edit.model, random, state));
    Diagnostics diagnostics;
    const Mechanism after = freeze(edit.before, edit.model, state.q, {"a"}, diagnostics);
    CHECK(same_dynamics(edit.model, state, build_model(after, {}, diagnostics), random));
}

TEST_CASE("springs, weights and tendons of frozen robots pull as before") {
    const std::string springs =
        link("base") + link("A") + link("B") + link("C") +
        joint("a", "base", "A", "<dynamics damping=\"0.3\" friction=\"0.1\"/>") +
        joint("b", "A", "B", "<dynamics damping=\"0.2\"/>") + joint("c", "B", "C") +
        "<tendon name=\"t\" stiffness=\"3\" damping=\"0.5\" friction=\"0.2\" rest_length=\"0.1 0.2\">"
        "<term joint=\"a\" coefficient=\"2\"/><term joint=\"c\" coefficient=\"-1\"/></tendon>";
    RobotDescription robot = urdf(springs);
    robot.links[2].gravity_compensation.push_back({1.5, {0.1, 0.2, 0.3}});
    robot.joints[1].stiffness = 4;
    robot.joints[1].rest = {0.3};
    Diagnostics diagnostics;
    const Mechanism before = make_mechanism(robot, {}, diagnostics);
    const Model model = build_model(before, {}, diagnostics);
    INFO(findings(diagnostics));
    REQUIRE_FALSE(has_errors(diagnostics));
    Random random(74);
    State state;
    REQUIRE(test_robots::random_state(model, random, state));
    for (const char* name : {"a", "b", "c"}) {
        INFO(name);
        const Mechanism after = freeze(before, model, state.q, {name}, diagnostics);
        CHECK(same_dynamics(model, state, build_model(after, {}, diagnostics), random));
    }
}

TEST_CASE("a frozen robot can be written and read again") {
    for (const Robot& robot : test_robots::published()) {
        INFO(robot.name);
        Random random(75);
        State state;
        if (!test_robots::random_state(robot.model, random, state)) continue;
        Diagnostics diagnostics;
        const Mechanism after =
            freeze(mechanism_of(robot), robot.model, state.q, some_joints(robot.model, random), diagnostics);
        const std::string text = write_urdf(after);
        RobotDescription again = read_urdf(text, "again.urdf", diagnostics);
        LoadOptions full;
        full.rod_reduction = false;
        const Model read = build_model(again, full);
        Diagnostics built;
        CHECK(read.nv == build_model(after, full, built).nv);
        CHECK(read.body_count() == static_cast<int>(after.bodies.size()));
    }
}
