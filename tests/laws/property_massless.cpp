#include "grbda/compile/build.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/factor.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Kinematics needs no mass: a robot whose links lost their inertials moves as the robot with them, and
// dynamics is refused.

namespace {

using namespace test_robots;
using Eigen::VectorXd;
using grbda::Data;
using grbda::Model;
using grbda::Status;

/// The robot with links that have neither mass nor, at their joints, armature.
grbda::RobotDescription without_mass(grbda::RobotDescription robot) {
    for (grbda::LinkDescription& link : robot.links) link.inertial.reset();
    for (grbda::JointDescription& joint : robot.joints) joint.armature = 0;
    return robot;
}

/// Rods and reduced rotors depend on masses: both robots keep all bodies.
grbda::LoadOptions with_all_bodies(grbda::LoadOptions options) {
    options.rod_reduction = false;
    options.rotor_reduction = false;
    return options;
}

}  // namespace

TEST_CASE("robots without mass have the same kinematics, and no dynamics") {
    int compared = 0;
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const grbda::LoadOptions options = with_all_bodies(robot.options);
        const Model heavy = build_model(robot.description, options);
        const Model light = build_model(without_mass(robot.description), options);
        REQUIRE(light.nq == heavy.nq);
        REQUIRE(light.names.joints == heavy.names.joints);
        CHECK(grbda::first_massless_branch(light) >= 0);
        Random random(821);
        State x;
        if (!random_state(heavy, random, x)) continue;
        Data of_heavy(heavy), of_light(light);
        must(spanning_velocity(heavy, of_heavy, x.q, x.yd));
        const VectorXd yd = independent_part(light, of_heavy.qd);
        if (!forward_kinematics(light, of_light, x.q, yd)) continue;  // singular in its own coordinates
        must(forward_kinematics(heavy, of_heavy, x.q, x.yd));
        for (int frame = 0; frame < static_cast<int>(heavy.frames.size()); ++frame) {
            const auto pose = frame_pose(heavy, of_heavy, frame).matrix();
            CHECK(relative(frame_pose(light, of_light, frame).matrix(), pose) < 1e-12);
            constexpr auto axes = grbda::ReferenceFrame::world_aligned;
            CHECK(relative(frame_velocity(light, of_light, frame, axes),
                           frame_velocity(heavy, of_heavy, frame, axes)) < 1e-8);
        }
        VectorXd q = x.q;
        must(close_loops(light, of_light, q));
        must(closure_residual(light, of_light, q));
        must(integrate(light, of_light, x.q, 0.01 * yd, q));
        CHECK(aba(light, of_light, x.q, yd, yd).status == Status::singular_inertia);
        CHECK(rnea(light, of_light, x.q, yd, yd).status == Status::singular_inertia);
        CHECK(crba(light, of_light, x.q).status == Status::singular_inertia);
        CHECK(factor(light, of_light, x.q).status == Status::singular_inertia);
        ++compared;
    }
    CHECK(compared >= 16);
}
