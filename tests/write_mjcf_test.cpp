#include <algorithm>

#include "grbda/io/mjcf.hpp"
#include "grbda/io/write_mjcf.hpp"
#include "mechanism_fixture.hpp"
#include "written_joints.hpp"

using grbda::LoopType;
using grbda::Mechanism;
using mechanism_fixture::solid;
using test_robots::Robot;
using written_joints::mechanism_of;
using written_joints::model_of;

namespace {

/// Rounding of placements and quaternions, times the conditions of M and K_d at well-conditioned states.
constexpr double kSame = 1e-9;

struct Written {
    std::string text;
    grbda::Diagnostics findings;
};

Written write(const Mechanism& mechanism) {
    Written written;
    written.text = grbda::write_mjcf(mechanism, written.findings);
    CHECK(written.text.empty() == has_errors(written.findings));
    return written;
}

grbda::RobotDescription read(const std::string& text) {
    grbda::Diagnostics findings;
    grbda::RobotDescription robot = grbda::read_mjcf(text, "written.xml", findings);
    for (const grbda::Diagnostic& finding : findings) {
        INFO(text);
        INFO(to_string(finding));
        CHECK(finding.severity == grbda::Severity::note);
    }
    return robot;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool is_of_mjcf(LoopType type) {
    return type == LoopType::fixed || type == LoopType::revolute || type == LoopType::spherical ||
           type == LoopType::distance || type == LoopType::universal;
}

/// The only error, as text.
std::string error_of(const Mechanism& mechanism) {
    std::string all;
    for (const grbda::Diagnostic& finding : write(mechanism).findings)
        if (finding.severity == grbda::Severity::error) all += to_string(finding) + "\n";
    return all;
}

}  // namespace

TEST_CASE("a robot written as MJCF and read again has the same dynamics") {
    int written = 0, refused = 0, checked = 0;
    test_robots::at_random_states(
        test_robots::all(), 1, 91, [&](const Robot& robot, const test_robots::State& state, auto&) {
            const Mechanism mechanism = mechanism_of(robot.description, robot.options);
            const Written file = write(mechanism);
            if (file.text.empty()) {
                ++refused;
                return;
            }
            ++written;
            INFO(file.text);
            const Mechanism again = mechanism_of(read(file.text));
            const grbda::Model model = model_of(again);
            checked += written_joints::check({mechanism, robot.model}, state, {again, model}, kSame);
        });
    CHECK(written > refused);
    CHECK(10 * checked > 9 * written);
}

TEST_CASE("what is not written as MJCF is a loop, a coupling or a body that MuJoCo does not have") {
    for (const Robot* const robot : test_robots::all()) {
        INFO(robot->name);
        const Mechanism mechanism = mechanism_of(robot->description, robot->options);
        const bool has_other_loops =
            std::any_of(mechanism.loops.begin(), mechanism.loops.end(),
                        [](const grbda::MechanismLoop& loop) { return !is_of_mjcf(loop.type); });
        const std::string errors = error_of(mechanism);
        INFO(errors);
        if (has_other_loops) CHECK(contains(errors, "a loop of type fixed"));
        if (!has_other_loops && !errors.empty())
            CHECK((contains(errors, "mass and moments") || contains(errors, "of inertia of which none") ||
                   contains(errors, "degree") || contains(errors, "hinges and slides")));
    }
}

TEST_CASE("robots of the library are written as MJCF, but for bodies that MuJoCo does not move") {
    for (const Robot& robot : test_robots::published()) {
        INFO(robot.name);
        const std::string errors = error_of(mechanism_of(robot.description, robot.options));
        INFO(errors);
        const bool is_odd = robot.name == "planar_leg_linkage" || robot.name == "revolute_rotor_chain" ||
                            robot.name == "mini_cheetah" || robot.name == "tello";
        if (!is_odd) CHECK(errors.empty());
        if (is_odd) CHECK(contains(errors, "MuJoCo"));
    }
}
