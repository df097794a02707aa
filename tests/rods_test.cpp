#include <functional>

#include "rods_fixture.hpp"

// Which links are rods, and why others stay bodies.

namespace {

using namespace rods_fixture;

/// A robot with one whole rod between its arms, and the names of its parts.
grbda::RobotDescription one_rod() {
    Builder builder(3);
    builder.add_rod(2, 5, false);
    return builder.robot;
}

/// The reason why the link like a rod of a robot stays a body; empty: it is a rod.
std::string reason(grbda::RobotDescription robot,
                   const std::function<void(grbda::RobotDescription&)>& spoil) {
    spoil(robot);
    const Model model = built(robot, true);
    if (!model.rods.empty()) return {};
    REQUIRE(model.near_rods.size() == 1);
    CHECK(model.near_rods.front().name == "rod0");
    return model.near_rods.front().reason;
}

grbda::LinkDescription& rod_of(grbda::RobotDescription& robot) {
    for (grbda::LinkDescription& link : robot.links)
        if (link.name == "rod0") return link;
    throw std::logic_error("no rod");
}
JointDescription& joint_of(grbda::RobotDescription& robot) {
    for (JointDescription& joint : robot.joints)
        if (joint.child == "rod0") return joint;
    throw std::logic_error("no rod");
}

}  // namespace

TEST_CASE("a symmetric link between two balls is a rod", "[rods]") {
    CHECK(reason(one_rod(), [](auto&) {}).empty());
    const Model model = built(one_rod(), true);
    CHECK(model.names.rods.front().name == "rod0");
    CHECK(model.loops.at(0).type == LoopType::distance);
    CHECK(built(one_rod(), false).rods.empty());
    CHECK(built(one_rod(), false).near_rods.empty());
}

TEST_CASE("each condition that a rod misses keeps it a body", "[rods]") {
    const auto has = [](const std::string& text) { return Catch::Contains(text); };
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_of(r).inertial->inertia(0, 0) *= 1.001; }),
               has("not symmetric"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_of(r).inertial->com.x() = 1e-4; }), has("off the line"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { rod_of(r).inertial->com.z() = -0.1; }),
               has("beyond its ends"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { joint_of(r).damping = 0.1; }), has("damping"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { joint_of(r).friction = 0.1; }), has("friction"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { joint_of(r).stiffness = 0.1; }), has("spring"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { joint_of(r).armature = 0.1; }), has("armature"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { r.actuated.push_back(joint_of(r).name); }), has("motor"));
    CHECK_THAT(reason(one_rod(), [](auto& r) { r.loops.front().type = LoopType::universal; }),
               has("turns about 2 axes"));
    CHECK_THAT(reason(one_rod(),
                      [](auto& r) {
                          grbda::ShapeDescription shape;
                          shape.shape.size.x() = 0.01;
                          rod_of(r).shapes.push_back(shape);
                      }),
               has("to be touched"));
}
