#include <catch2/catch.hpp>

#include "mechanism/mechanism_fixture.hpp"

// Requirements on shapes, and their places in the model.

using namespace mechanism_fixture;

namespace {

ShapeDescription ball(double radius) {
    ShapeDescription shape;
    shape.shape.kind = ShapeKind::sphere;
    shape.shape.size.x() = radius;
    shape.where = {"robot.urdf", 7, 1};
    return shape;
}

/// base, arm on a joint, tool fixed on the arm; all x metres apart.
Robot arm() {
    Robot robot({"base", "arm", "tool"});
    robot.joint("j", "base", "arm");
    robot.joint("f", "arm", "tool", JointType::fixed);
    return robot;
}

/// Second of two shapes; the shapes that are left of them.
std::vector<MechanismShape> check_warning(const ShapeDescription& shape, const std::string& words) {
    Robot robot = arm();
    robot.links[1].shapes = {ball(1), shape};
    const Result result = make(robot);
    INFO(result.text());
    CHECK(result.diagnostics.size() == 1);
    CHECK(result.count(Severity::warning, {"robot.urdf:7:1", "shape 2 of link 'arm'", words}) == 1);
    return result.mechanism.shapes;
}

void check_left_out(const ShapeDescription& shape, const std::string& words) {
    CHECK(check_warning(shape, words).size() == 1);
}

}  // namespace

TEST_CASE("shapes go with their links through fixed joints, in their order") {
    Robot robot = arm();
    ShapeDescription shape = ball(1);
    shape.origin = turned(0.5, Eigen::Vector3d::UnitZ(), {0, 2, 0});
    for (LinkDescription& link : robot.links) {
        shape.name = link.name + " ball";
        link.shapes = {shape};
    }
    const Result result = make(robot);
    CHECK(result.diagnostics.empty());
    REQUIRE(result.mechanism.shapes.size() == 3);
    const int bodies[] = {world, 0, 0};
    const Eigen::Vector3d places[] = {{0, 2, 0}, {0, 2, 0}, {1, 2, 0}};
    for (int i = 0; i < 3; ++i) {
        const MechanismShape& found = result.mechanism.shapes[i];
        const LinkDescription& link = robot.links[static_cast<std::size_t>(i)];
        CHECK(found.body == bodies[i]);
        CHECK(found.link == link.name);
        CHECK(found.shape.name == link.shapes[0].name);
        CHECK((found.placement.translation - places[i]).norm() < 1e-15);
        CHECK((found.placement.rotation - shape.origin.rotation).norm() < 1e-15);
        CHECK((found.shape.origin.translation - shape.origin.translation).norm() == 0);
    }
}

TEST_CASE("shapes that cannot exist are left out, with a warning at their place") {
    ShapeDescription shape = ball(-1);
    check_left_out(shape, "a sphere whose size is not below zero, found -1");
    shape = ball(std::nan(""));
    check_left_out(shape, "finite numbers as its size");
    shape = ball(1e60);
    check_left_out(shape, "a sphere whose size is below 1e+50");
    shape.shape = {ShapeKind::box, {1, -2, 3}, {}};
    check_left_out(shape, "found 1 -2 3");
    shape.shape = {ShapeKind::mesh, {1, 1, 1}, {}};
    check_left_out(shape, "the address of a mesh");
    shape.shape.mesh = "${folder}/foot.stl";
    check_left_out(shape, "a name without '${'");
    shape = ball(1);
    shape.name = "$(arg name)";
    Robot robot = arm();
    robot.links[2].shapes = {shape};
    CHECK(make(robot).count(Severity::warning,
                            {"shape '$(arg name)' of link 'tool'", "a name without '${'"}) == 1);
    shape = ball(1);
    shape.origin.rotation *= 2;
    check_left_out(shape, "a rotation matrix in its origin");
}

TEST_CASE("friction and colours that cannot exist are dropped, with a warning, and the shape is kept") {
    ShapeDescription shape = ball(1);
    const auto kept = [&](const std::string& words) {
        const std::vector<MechanismShape> shapes = check_warning(shape, words);
        REQUIRE(shapes.size() == 2);
        return shapes[1].shape;
    };
    for (const double friction : {-1., HUGE_VAL}) {
        shape.surface = Surface{friction};
        CHECK_FALSE(kept("a finite friction of zero or more").surface);
    }
    shape.surface.reset();
    shape.color = Eigen::Vector4d(0, 0, std::nan(""), 1);
    CHECK_FALSE(kept("finite numbers as its colour").color);
}

TEST_CASE("a shape that reads fewer numbers of size may have any in the others") {
    ShapeDescription shape = ball(1);
    shape.shape.size.z() = std::nan("");
    ShapeDescription plane;
    plane.shape = {ShapeKind::plane, {-1, -1, -1}, {}};
    ShapeDescription mirrored;
    mirrored.shape = {ShapeKind::mesh, {-1, 1, 1}, "foot.stl"};
    Robot robot = arm();
    robot.links[0].shapes = {shape, plane, mirrored};
    const Result result = make(robot);
    INFO(result.text());
    CHECK(result.diagnostics.empty());
    CHECK(result.mechanism.shapes.size() == 3);
}

TEST_CASE("shapes without extent are omitted, with a note that names their links") {
    ShapeDescription flat, point = ball(0), short_capsule, mesh;
    flat.shape = {ShapeKind::box, {1, 1, 0}, {}};
    short_capsule.shape = {ShapeKind::capsule, {1, 0, 0}, {}};
    mesh.shape = {ShapeKind::mesh, {0, 1, 1}, "foot.stl"};
    Robot robot = arm();
    robot.links[0].shapes = {flat, point, ball(1)};
    robot.links[1].shapes = {short_capsule};
    robot.links[2].shapes = {mesh};
    const Result result = make(robot);
    CHECK(result.diagnostics.size() == 1);
    CHECK(result.count(Severity::note, {"shapes whose size is zero are left out: links 'base', 'tool'"}) ==
          1);
    REQUIRE(result.mechanism.shapes.size() == 2);
    CHECK(result.mechanism.shapes[1].shape.shape.kind == ShapeKind::capsule);
}

TEST_CASE("colours are cut to numbers from 0 to 1, with a note") {
    Robot robot = arm();
    robot.links[0].shapes = {ball(1)};
    robot.links[0].shapes[0].color = Eigen::Vector4d(255, -1, 0.5, 1);
    const Result result = make(robot);
    CHECK(result.count(Severity::note, {"colours are cut", "links 'base'"}) == 1);
    CHECK(result.mechanism.shapes[0].shape.color == Eigen::Vector4d(1, 0, 0.5, 1));
}

TEST_CASE("three joints that become a spherical one take the shapes of the links between with them") {
    Robot robot({"base"});
    for (const char* name : {"x", "y"}) robot.link(name, std::nullopt).shapes = {ball(1)};
    robot.link("hand", solid(1));
    const char* const links[] = {"base", "x", "y", "hand"};
    for (int i = 0; i < 3; ++i) {
        JointDescription& joint = robot.joint("j" + std::to_string(i), links[i], links[i + 1]);
        joint.origin = {};
        joint.axis = Eigen::Vector3d::Unit(i);
    }
    LoadOptions options;
    options.spherical_joints = true;
    const Result result = make(robot, options);
    CHECK(result.count(Severity::note, {"one spherical joint", "shapes of the links between them"}) == 1);
    CHECK(result.mechanism.shapes.empty());
}
