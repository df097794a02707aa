#include "edit/edit_fixture.hpp"
#include "grbda/compose.hpp"
#include "grbda/edit/edit.hpp"
#include "kinematics/configuration.hpp"
#include "support/body_poses.hpp"
#include "support/random_shapes.hpp"
#include "support/sample_size.hpp"

// Edits of the robot do not move shapes in their links, and no motion depends on shapes.

using namespace grbda;
using namespace edits;

namespace {

constexpr double kAgreement = equivalence::kAgreement;

Robot with_shapes(const Robot& robot, Random& random) {
    Robot result = robot;
    random_shapes::add(result.description, random);
    result.model = build_model(result.description, result.options);
    return result;
}

/// Edits could make links rods, whose shapes are in no body.
LoadOptions rods_as_bodies() {
    LoadOptions options;
    options.rod_reduction = false;
    return options;
}

Pose place_of(const BodyShape& shape) {
    return {body_poses::eigen(shape.rotation), body_poses::eigen(shape.position)};
}

/// In the world.
std::vector<Pose> places(const Model& model, const Eigen::VectorXd& q) {
    Workspace<double> data(model);
    REQUIRE(forward_kinematics<double>(model, data, q).ok());
    std::vector<Pose> result;
    for (const BodyShape& shape : model.shapes)
        result.push_back(body_poses::of_body(model, data, shape.body) * place_of(shape));
    return result;
}

double distance(const Pose& a, const Pose& b) {
    return (a.rotation - b.rotation).norm() + (a.translation - b.translation).norm();
}

bool is_singular(const Model& a, const Eigen::VectorXd& q_a, const Model& b) {
    Eigen::VectorXd q_b(b.nq);
    equivalence::copy_positions(a, q_a, b, q_b);
    Workspace<double> data(b);
    return !forward_kinematics<double>(b, data, q_b).ok();
}

void check_places(const Model& a, const Eigen::VectorXd& q_a, const Model& b) {
    Eigen::VectorXd q_b(b.nq);
    equivalence::copy_positions(a, q_a, b, q_b);
    const std::vector<Pose> before = places(a, q_a), after = places(b, q_b);
    REQUIRE(before.size() == after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        INFO("shape " << i << " of " << a.shapes[i].link);
        CHECK(distance(before[i], after[i]) < kAgreement);
        CHECK(a.shapes[i].link == b.shapes[i].link);
        CHECK(a.shapes[i].shape.size == b.shapes[i].shape.size);
    }
}

}  // namespace

TEST_CASE("every shape has the pose in its link that the description gives") {
    test_robots::at_random_states(
        test_robots::without_rods(), 1, 41, [](const Robot& robot, const State& state, Random& random) {
            const Robot shaped = with_shapes(robot, random);
            const Model& model = shaped.model;
            Workspace<double> data(model);
            REQUIRE(forward_kinematics<double>(model, data, state.q).ok());
            int next = 0;
            for (const LinkDescription& link : shaped.description.links) {
                if (link.shapes.empty()) continue;
                const int frame = model.frame(link.name).index;
                const Pose at_link{frame_orientation(model, data, frame), frame_position(model, data, frame)};
                for (const ShapeDescription& said : link.shapes) {
                    REQUIRE(at(next) < model.shapes.size());
                    const BodyShape& shape = model.shapes[next++];
                    const Pose found = body_poses::of_body(model, data, shape.body) * place_of(shape);
                    CHECK(distance(found, at_link * said.origin) < kAgreement);
                    CHECK(shape.link == link.name);
                    CHECK(shape.name == said.name);
                    CHECK(shape.visual == said.visual);
                    CHECK(shape.collision == said.collision);
                    CHECK(shape.color == said.color);
                    CHECK(shape.mask.type == said.mask.type);
                    CHECK(shape.mask.affinity == said.mask.affinity);
                    CHECK(shape.surface.has_value() == said.surface.has_value());
                }
            }
            CHECK(at(next) == model.shapes.size());
        });
}

TEST_CASE("shapes change nothing of the motion") {
    test_robots::at_random_states(
        test_robots::without_rods(), 1, 42, [](const Robot& robot, const State& state, Random& random) {
            const Robot shaped = with_shapes(robot, random);
            const bool same_rotors = shaped.model.rotors.size() == robot.model.rotors.size();
            CHECK(test_robots::relative(neutral_configuration(shaped.model),
                                        neutral_configuration(robot.model)) <=
                  (same_rotors ? 0 : kAgreement));
            CHECK(shaped.model.diagnostics.size() == robot.model.diagnostics.size());
            Workspace<double> data(robot.model), shaped_data(shaped.model);
            REQUIRE(aba<double>(robot.model, data, state.q, state.yd, state.tau).ok());
            REQUIRE(aba<double>(shaped.model, shaped_data, state.q, state.yd, state.tau).ok());
            if (same_rotors) {
                CHECK(data.ydd == shaped_data.ydd);
                return;
            }
            Eigen::MatrixXd M(robot.model.nv, robot.model.nv);  // a rotor that can touch is a body: rounding
            REQUIRE(crba<double>(shaped.model, shaped_data, state.q, M).ok());
            CHECK(test_robots::relative_by_inertia(M, shaped_data.ydd, data.ydd) < kAgreement);
        });
}

TEST_CASE("shapes of a frozen robot stay where they are") {
    int frozen = 0;
    test_robots::at_random_states(
        test_robots::without_rods(), 1, 43, [&](const Robot& robot, const State& state, Random& random) {
            const Robot shaped = with_shapes(robot, random);
            const Names& names = shaped.model.names;
            const std::string& joint = names.joints[static_cast<int>(random() % names.joints.size())];
            Diagnostics diagnostics;
            const Mechanism mechanism =
                freeze(mechanism_of(shaped), shaped.model, state.q, {joint}, diagnostics);
            if (has_errors(diagnostics)) return;  // a dead centre
            const Model model = build_model(mechanism, rods_as_bodies(), diagnostics);
            if (has_errors(diagnostics)) return;
            check_places(shaped.model, state.q, model);
            ++frozen;
        });
    CHECK(frozen > sample_size::least(50));
}

TEST_CASE("shapes of a mounted robot stay where they are") {
    int mounted = 0;
    test_robots::at_random_states(
        test_robots::without_rods(), 1, 44, [&](const Robot& robot, const State& state, Random& random) {
            const Robot shaped = with_shapes(robot, random);
            const Frame& frame = shaped.model.frames[static_cast<int>(random() % shaped.model.frames.size())];
            if (frame.body == world) return;
            Mount held;
            held.frame = frame.name;
            held.type = LoopType::spherical;
            Diagnostics diagnostics;
            Mechanism mechanism = mechanism_of(shaped);
            for (MechanismBody& body : mechanism.bodies) body.actuated = false;
            mechanism = mount(mechanism, shaped.model, state.q, held, diagnostics);
            if (has_errors(diagnostics)) return;
            const Model model = build_model(mechanism, rods_as_bodies(), diagnostics);
            if (has_errors(diagnostics)) return;                    // badly conditioned
            if (is_singular(shaped.model, state.q, model)) return;  // held there
            check_places(shaped.model, state.q, model);
            ++mounted;
        });
    CHECK(mounted > sample_size::least(50));
}

TEST_CASE("shapes of composed robots stand where those of each alone do, under its prefix") {
    std::vector<const Robot*> robots;
    for (const Robot& robot : test_robots::published())
        if (robot.model.rods.empty()) robots.push_back(&robot);
    test_robots::at_random_states(robots, 1, 45, [](const Robot& robot, const State& state, Random& random) {
        const Robot shaped = with_shapes(robot, random);
        RobotPart left, right;
        left.robot = right.robot = shaped.description;
        left.prefix = "left_";
        right.prefix = "right_";
        right.base = baselines_fixture::random_pose(random, 1);
        Diagnostics diagnostics;
        const Model whole = build_model(compose("both", {left, right}, diagnostics), shaped.options);
        REQUIRE_FALSE(has_errors(diagnostics));
        const Model& alone = shaped.model;
        Eigen::VectorXd q(whole.nq);
        for (const char* prefix : {"left_", "right_"})
            for (int i = 0; i < alone.body_count(); ++i) {
                const Body& from = alone.bodies[i];
                const Body& to = whole.bodies[whole.joint(prefix + alone.names.joints[i]).index];
                q.segment(to.q, position_size(to.joint)) = state.q.segment(from.q, position_size(from.joint));
            }
        const std::vector<Pose> single = places(alone, state.q), both = places(whole, q);
        REQUIRE(both.size() == 2 * single.size());
        for (std::size_t i = 0; i < single.size(); ++i) {
            const BodyShape& shape = whole.shapes[single.size() + i];
            CHECK(distance(both[i], single[i]) < kAgreement);
            CHECK(distance(both[single.size() + i], right.base * single[i]) < kAgreement);
            CHECK(shape.link == "right_" + alone.shapes[i].link);
            CHECK(shape.name == (alone.shapes[i].name.empty() ? "" : "right_" + alone.shapes[i].name));
        }
    });
}
