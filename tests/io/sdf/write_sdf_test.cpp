#include <algorithm>

#include "grbda/io/sdf.hpp"
#include "mechanism/mechanism_fixture.hpp"
#include "support/random_shapes.hpp"
#include "support/sample_size.hpp"
#include "support/written_joints.hpp"

using grbda::JointType;
using grbda::LoopType;
using grbda::Mechanism;
using mechanism_fixture::solid;
using test_robots::Robot;
using test_robots::State;
using written_joints::mechanism_of;
using written_joints::model_of;
using written_joints::read_again;
using written_joints::Written;
using written_joints::written;

namespace {

/// Rounding of placements, times the conditions of M and K_d at well-conditioned states.
constexpr double kSame = 1e-9;

Written write(const Mechanism& mechanism) { return written(mechanism, grbda::write_sdf); }

grbda::RobotDescription read(const std::string& text) {
    return read_again(text, "written.sdf", grbda::read_sdf);
}

std::string error_of(const Mechanism& mechanism) {
    std::string all;
    for (const grbda::Diagnostic& finding : write(mechanism).findings)
        if (finding.severity == grbda::Severity::error) all += to_string(finding) + "\n";
    return all;
}

bool is_of_sdf(JointType type) {
    return type != JointType::cylindrical && type != JointType::planar && type != JointType::floating;
}

bool is_of_sdf(LoopType type) {
    return type != LoopType::cylindrical && type != LoopType::planar && type != LoopType::distance &&
           type != LoopType::point_on_line;
}

/// The robot with what SDF has: its joints, armature of those with one axis, loops that close where all
/// joints stand at zero, and no couplings but mimics.
Mechanism for_sdf(grbda::RobotDescription robot) {
    for (grbda::JointDescription& joint : robot.joints) {
        const bool is_base = joint.type == JointType::floating && joint.parent == robot.links.front().name;
        if (!is_of_sdf(joint.type) && !is_base) joint.type = JointType::revolute;
        if (joint.type == JointType::universal || joint.type == JointType::spherical || is_base)
            joint.armature = 0;
    }
    std::erase_if(robot.loops, [](const auto& loop) { return !is_of_sdf(loop.type); });
    std::erase_if(robot.couplings, [](const auto& coupling) {
        const auto* const linear = coupling.template as<grbda::LinearRelation>();
        return linear == nullptr || linear->terms.size() != 2;
    });
    robot.start.clear();
    Mechanism mechanism = mechanism_of(robot);
    std::vector<grbda::Pose> in_world;
    const auto pose_of = [&](int body) {
        return body == grbda::world ? grbda::Pose() : in_world[static_cast<std::size_t>(body)];
    };
    for (const grbda::MechanismBody& body : mechanism.bodies)
        in_world.push_back(pose_of(body.parent) * body.placement);
    for (grbda::MechanismLoop& loop : mechanism.loops)
        loop.predecessor_placement =
            inverse(pose_of(loop.predecessor)) * pose_of(loop.successor) * loop.successor_placement;
    return mechanism;
}

/// A reader of SDF takes the joints that tie a floating part to others into the tree, and lets nothing float.
bool is_floating_tied(const Mechanism& mechanism) {
    const bool floats = std::any_of(mechanism.bodies.begin(), mechanism.bodies.end(),
                                    [](const auto& body) { return body.type == JointType::floating; });
    return floats && !mechanism.loops.empty();
}

/// One with a single link, and one joint for each coupling or force that is tried.
mechanism_fixture::Robot two_links() {
    mechanism_fixture::Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "a", "b");
    return robot;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a robot written as SDF and read again has the same dynamics") {
    int written = 0, checked = 0, loops = 0;
    for (const Robot& robot : test_robots::mechanisms().robots) {
        INFO(robot.name);
        const Mechanism mechanism = for_sdf(robot.description);
        grbda::Diagnostics findings;
        grbda::LoadOptions options;
        options.rod_reduction = false;  // joints of rods are written too
        const grbda::Model model = grbda::build_model(mechanism, options, findings);
        if (has_errors(findings)) continue;  // held by its loops
        const Written file = write(mechanism);
        if (file.text.empty()) {
            CHECK_THAT(error_of(mechanism), Catch::Contains("both follow others already"));
            continue;
        }
        ++written;
        test_robots::Random random(8);
        State state;
        if (is_floating_tied(mechanism) || !test_robots::random_state(model, random, state)) continue;
        INFO(file.text);
        const Mechanism again = mechanism_of(read(file.text));
        const grbda::Model copy = model_of(again);
        CHECK(again.loops.size() == mechanism.loops.size());
        checked += written_joints::check({mechanism, model}, state, {again, copy}, kSame);
        loops += static_cast<int>(mechanism.loops.size());
    }
    CHECK(2 * checked > written);
    CHECK(checked > sample_size::least(50));
    CHECK(loops > sample_size::least(20));
}

TEST_CASE("a robot of the library is written as SDF, with the same dynamics, or says what is in the way") {
    int written = 0;
    for (const Robot& robot : test_robots::published()) {
        INFO(robot.name);
        const Mechanism mechanism = mechanism_of(robot.description, robot.options);
        const Written file = write(mechanism);
        if (file.text.empty()) {
            CHECK_FALSE(error_of(mechanism).empty());
            continue;
        }
        ++written;
        test_robots::Random random(9);
        State state;
        if (is_floating_tied(mechanism) || !robot.model.rods.empty() ||
            !test_robots::random_state(robot.model, random, state))
            continue;
        const Mechanism again = mechanism_of(read(file.text));
        written_joints::check({mechanism, robot.model}, state, {again, model_of(again)}, kSame);
    }
    CHECK(written > 3);
}

TEST_CASE("what SDF cannot say is an error that names it") {
    mechanism_fixture::Robot robot = two_links();
    robot.joints[1].type = JointType::spherical;
    robot.joints[1].armature = 2;
    CHECK(contains(error_of(mechanism_of(robot)), "joint 'jb': expected armature only"));
    robot = two_links();
    robot.joints[0].type = JointType::planar;
    CHECK(contains(error_of(mechanism_of(robot)), "joint 'ja': expected a revolute"));
    robot = two_links();
    robot.joints[0].type = JointType::spherical;
    robot.joints[0].damping = 1;
    CHECK(contains(error_of(mechanism_of(robot)), "joint without an axis"));
    robot = two_links();
    robot.tendons.push_back({"cord", {{"ja", 1, {}}, {"jb", 1, {}}}, 1, 0, 0, 0, 0, {}});
    CHECK(contains(error_of(mechanism_of(robot)), "tendon 'cord'"));
    robot = two_links();
    robot.link("c", solid(1));
    robot.joint("jc", "b", "c");
    robot.linear("belt", {{"ja", 1, {}}, {"jb", 1, {}}, {"jc", 1, {}}});
    CHECK(contains(error_of(mechanism_of(robot)), "coupling 'belt'"));
    robot = two_links();
    robot.loop("far", "base", "b", LoopType::spherical);
    CHECK(contains(error_of(mechanism_of(robot)), "loop 'far': expected ends that meet"));
    robot = two_links();
    robot.loop("rod", "base", "b", LoopType::distance).length = 1;
    CHECK(contains(error_of(mechanism_of(robot)), "loop 'rod': expected a loop of type"));
    robot = two_links();
    robot.links[2].gravity_compensation.push_back({0.5, solid(1).com});
    CHECK(contains(error_of(mechanism_of(robot)), "link 'b': expected no weight carried"));
}

TEST_CASE("forces, limits, mimics, shapes and gravity are written as SDF and read again") {
    mechanism_fixture::Robot robot = two_links();
    robot.link("a/b", solid(1));
    robot.joint("b", "a", "a/b", JointType::universal).damping = std::vector<double>{1, 2};
    robot.joints[0].limits = {-1, 2, 3, 4, {}, {}};
    robot.joints[0].damping = 0.5;
    robot.joints[0].friction = 0.25;
    robot.joints[0].stiffness = 8;
    robot.joints[0].rest = {0.125};
    robot.mimic("jb", "ja", -2, 0.5);
    robot.gravity = Eigen::Vector3d(0, 1, -3);
    robot.links[1].gravity_compensation.push_back({1, solid(1).com});
    test_robots::Random random(4);
    random_shapes::add(robot, random);
    const Mechanism mechanism = mechanism_of(robot);
    const Written file = write(mechanism);
    INFO(file.text);
    const Mechanism again = mechanism_of(read(file.text));
    REQUIRE(again.bodies.size() == 3);
    const grbda::MechanismBody &a = again.bodies[0], &b = again.bodies[1], &wrist = again.bodies[2];
    CHECK(a.limits.lower == -1);
    CHECK(a.limits.upper == 2);
    CHECK(a.limits.velocity == 3);
    CHECK(a.limits.effort == 4);
    CHECK(a.damping == grbda::PerCoordinate(0.5));
    CHECK(a.friction == grbda::PerCoordinate(0.25));
    CHECK(a.stiffness == grbda::PerCoordinate(8));
    CHECK(a.rest == std::vector<double>{0.125});
    CHECK(a.gravity_compensation.size() == 1);
    CHECK(b.limits.lower == mechanism.bodies[1].limits.lower);
    CHECK(wrist.joint == "b_2");  // links and joints share their names
    CHECK(wrist.damping == grbda::PerCoordinate(std::vector<double>{1, 2}));
    REQUIRE(again.couplings.size() == 1);
    CHECK(again.couplings[0].terms[1].coefficient == 2);
    CHECK(again.couplings[0].offset == -0.5);
    CHECK(again.gravity == mechanism.gravity);
    std::size_t shapes = 0;
    for (const grbda::MechanismShape& shape : mechanism.shapes)
        shapes +=
            static_cast<std::size_t>(shape.shape.visual) + static_cast<std::size_t>(shape.shape.collision);
    CHECK(again.shapes.size() == shapes);
}
