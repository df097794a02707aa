#include <Eigen/Geometry>

#include "io/shape_fixture.hpp"
#include "io/urdf/urdf_fixture.hpp"

// Shapes in URDF and URDF+.

using namespace shape_test;
using urdf_test::accept;
using urdf_test::check_error;
using urdf_test::check_later_warning;
using urdf_test::check_warning;
using urdf_test::read;

namespace {

/// Link 'a' in line 2; `inside` begins in line 3.
std::string link(const std::string& inside, const std::string& more = "") {
    return urdf_test::robot("<link name=\"a\">\n" + inside + "</link>\n" + more);
}

std::string collision(const std::string& geometry) {
    return link("<collision><geometry>\n" + geometry + "</geometry></collision>");
}

const ShapeDescription& only(const Reading& reading) { return shape(reading, "a"); }

}  // namespace

TEST_CASE("urdf shapes keep kind and size") {
    const auto check = [](const std::string& geometry, ShapeKind kind, const Eigen::Vector3d& size) {
        const Reading reading = accept(collision(geometry));
        check_shape(only(reading), kind, size);
        check_origin(only(reading), Eigen::Vector3d::Zero());
        CHECK(reading.diagnostics.empty());
    };
    check("<box size=\"1 2 3\"/>", ShapeKind::box, {1, 2, 3});
    check("<sphere radius=\"0.5\"/>", ShapeKind::sphere, {0.5, 0, 0});
    check("<cylinder radius=\"0.5\" length=\"2\"/>", ShapeKind::cylinder, {0.5, 2, 0});
    check("<capsule radius=\"0.5\" length=\"2\"/>", ShapeKind::capsule, {0.5, 2, 0});
    check("<ellipsoid radii=\"1 2 3\"/>", ShapeKind::ellipsoid, {1, 2, 3});
    check("<plane/>", ShapeKind::plane, {0, 0, 0});
    check("<mesh filename=\"foot.stl\"/>", ShapeKind::mesh, {1, 1, 1});
    check("<mesh filename=\"foot.stl\" scale=\"1 -2 3\"/>", ShapeKind::mesh, {1, -2, 3});
    check("<mesh filename=\"foot.stl\" scale=\"0.001\"/>", ShapeKind::mesh, {0.001, 0.001, 0.001});
    const Reading mesh = accept(collision("<mesh filename=\"package://robot/foot.stl\"/>"));
    CHECK(only(mesh).shape.mesh == "package://robot/foot.stl");
    const Reading wall = accept(collision("<plane normal=\"2 0 0\"/>"));
    check_origin(only(wall), Eigen::Vector3d::Zero(), turn(M_PI / 2, Eigen::Vector3d::UnitY()));
}

TEST_CASE("urdf shapes keep name, origin, colour, friction and place, in the order of the file") {
    const Reading reading = accept(link(
        "<collision name=\"sole\"><origin xyz=\"1 2 3\" rpy=\"0 0 0.5\"/><geometry><sphere radius=\"1\"/>"
        "</geometry><friction value=\"0.7\"/></collision>\n"
        "<visual><geometry><sphere radius=\"2\"/></geometry><material name=\"m\">"
        "<color rgba=\"0.1 0.2 0.3 0.4\"/></material></visual>"));
    REQUIRE(shapes(reading, "a").size() == 2);
    const ShapeDescription &sole = shapes(reading, "a")[0], &seen = shapes(reading, "a")[1];
    CHECK(sole.name == "sole");
    CHECK(sole.collision);
    CHECK_FALSE(sole.visual);
    check_origin(sole, {1, 2, 3}, turn(0.5, Eigen::Vector3d::UnitZ()));
    CHECK(sole.surface.value().friction == 0.7);
    CHECK_FALSE(sole.color);
    CHECK(sole.where.line == 3);
    CHECK(seen.name.empty());
    CHECK(seen.visual);
    CHECK_FALSE(seen.collision);
    CHECK_FALSE(seen.surface);
    CHECK(seen.color == Eigen::Vector4d(0.1, 0.2, 0.3, 0.4));
    CHECK(seen.where.line == 4);
}

TEST_CASE("urdf materials are named by the robot, or by the visual that has them first") {
    const auto visual = [](const std::string& material) {
        return "<visual><geometry><sphere radius=\"1\"/></geometry>" + material + "</visual>";
    };
    const std::string red = "<color rgba=\"1 0 0 1\"/>", blue = "<color rgba=\"0 0 1 1\"/>";
    const Reading reading = accept(urdf_test::robot(
        "<link name=\"a\">" + visual("<material name=\"red\"/>") + visual("<material name=\"blue\"/>") +
        visual("<material name=\"red\">" + blue + "</material>") + visual("<material name=\"unknown\"/>") +
        visual("<material name=\"\"/>") + visual("") + "</link><link name=\"b\">" +
        visual("<material name=\"blue\">" + blue + "</material>") +
        visual("<material>" + red + "</material>") + "</link><material name=\"red\">" + red +
        "</material><material name=\"red\">" + blue + "</material>"));
    const auto color = [&](const char* name, std::size_t index) {
        return shapes(reading, name)[index].color;
    };
    CHECK(color("a", 0) == Eigen::Vector4d(1, 0, 0, 1));
    CHECK(color("a", 1) == Eigen::Vector4d(0, 0, 1, 1));
    CHECK(color("a", 2) == Eigen::Vector4d(0, 0, 1, 1));
    for (std::size_t index = 3; index < 6; ++index) CHECK_FALSE(color("a", index));
    CHECK(color("b", 0) == Eigen::Vector4d(0, 0, 1, 1));
    CHECK(color("b", 1) == Eigen::Vector4d(1, 0, 0, 1));
}

TEST_CASE(
    "urdf visual and collision that are equal are two shapes, unless the collision says that it is both") {
    const std::string inside = " name=\"s\"><geometry><sphere radius=\"1\"/></geometry>";
    const std::string other = " name=\"s\"><geometry><sphere radius=\"2\"/></geometry>";
    const std::string color = "<material name=\"m\"><color rgba=\"1 0 0 1\"/></material>";
    const std::string visual = "<visual" + inside + color + "</visual>";
    CHECK(shapes(accept(link(visual + "<collision" + inside + "</collision>")), "a").size() == 2);
    const std::string both = "<collision visual=\"true\"";
    const Reading one = accept(link(visual + both + inside + "</collision>"));
    CHECK(only(one).visual);
    CHECK(only(one).collision);
    CHECK(only(one).color == Eigen::Vector4d(1, 0, 0, 1));
    const Reading twice = accept(link(visual + visual + both + inside + "</collision>"));
    CHECK(shapes(twice, "a").size() == 2);
    const Reading others = accept(link(visual + both + other + "</collision>"));
    REQUIRE(shapes(others, "a").size() == 2);
    CHECK(shapes(others, "a")[1].visual);
    const Reading alone = accept(link(both + inside + "</collision>"));
    CHECK(only(alone).visual);
    CHECK(only(alone).collision);
}

TEST_CASE("urdf+ shapes say what they are for") {
    const std::string inside = "><geometry><ellipsoid radii=\"1 2 3\"/></geometry></shape>";
    for (const bool visual : {true, false}) {
        for (const bool touched : {true, false}) {
            const auto word = [](bool flag) { return flag ? "=\"true\"" : "=\"false\""; };
            const Reading reading = accept(
                link(std::string("<shape visual") + word(visual) + " collision" + word(touched) + inside));
            CHECK(only(reading).visual == visual);
            CHECK(only(reading).collision == touched);
        }
    }
    const Reading unsaid = accept(link("<shape" + inside));
    CHECK(only(unsaid).visual);
    CHECK(only(unsaid).collision);
    check_warning(link("<shape visual=\"yes\"" + inside), 3, "<shape> of link 'a'",
                  "visual to be one of true");
}

TEST_CASE("urdf+ shapes say which of them touch") {
    const auto touch = [](const std::string& attributes) {
        return link("<collision><geometry><sphere radius=\"1\"/></geometry>\n<touch " + attributes +
                    "/></collision>");
    };
    const Reading reading = accept(touch("contype=\"4294967295\" conaffinity=\"6\""));
    CHECK(only(reading).mask.type == ~0U);
    CHECK(only(reading).mask.affinity == 6);
    CHECK(only(accept(touch("contype=\"0\""))).mask.affinity == 1);
    for (const char* wrong : {"contype=\"-1\"", "contype=\"0.5\"", "conaffinity=\"4294967296\""})
        check_warning(touch(wrong), 4, "<touch>", "a whole number of at most 32 bits");
}

TEST_CASE("urdf geometry that says nothing is left out with a warning") {
    for (const char* inside : {"<visual/>", "<visual><geometry/></visual>", "<collision name=\"c\"/>",
                               "<collision><geometry><drake:thing/></geometry></collision>"}) {
        const Reading reading = read(link(inside));
        INFO(inside);
        CHECK(reading.count(Severity::error) == 0);
        CHECK(
            has(reading, Severity::warning, 3, contains(inside, "name") ? "'c'" : "of link 'a'", "left out"));
        CHECK(shapes(reading, "a").empty());
    }
}

TEST_CASE("appearance never refuses a urdf: a shape that cannot be read is left out with a warning") {
    const auto check = [](const std::string& geometry, const std::string& element, const std::string& words) {
        const Reading reading = check_warning(collision(geometry), 4, element + " of link 'a'", words);
        grbda::Diagnostics findings;
        grbda::RobotDescription robot = reading.robot;
        CHECK(grbda::make_mechanism(robot, {}, findings).shapes.empty());
        CHECK_FALSE(grbda::has_errors(findings));
    };
    check("<box size=\"1 2\"/>", "<box>", "3 finite numbers in 'size'");
    check("<box size=\"1 2 three\"/>", "<box>", "3 finite numbers in 'size'");
    check("<box/>", "<box>", "attribute 'size'");
    check("<sphere/>", "<sphere>", "attribute 'radius'");
    check("<sphere radius=\"inf\"/>", "<sphere>", "a finite number");
    check("<cylinder radius=\"1\"/>", "<cylinder>", "attribute 'length'");
    check("<capsule length=\"1\"/>", "<capsule>", "attribute 'radius'");
    check("<ellipsoid radii=\"1\"/>", "<ellipsoid>", "3 finite numbers in 'radii'");
    check("<mesh/>", "<mesh>", "attribute 'filename'");
    check("<mesh filename=\"${folder}/a.stl\"/>", "<mesh>", "expand it first");
    check("<spere radius=\"1\"/>", "<spere>", "did you mean 'sphere'?");
    check("<octomap/>", "<octomap>", "<cylinder>");
}

TEST_CASE("appearance never refuses a urdf: what is wrong with a shape is not used, the first one counts") {
    const auto check = [](const std::string& inside, const std::string& element, const std::string& words) {
        return only(check_warning(link(inside), 3, element, words));
    };
    const std::string ball = "<geometry><sphere radius=\"1\"/></geometry>";
    const std::string red = "<color rgba=\"1 0 0 1\"/>", green = "<color rgba=\"0 1 0 1\"/>";
    const Eigen::Vector4d is_red(1, 0, 0, 1);
    CHECK(check("<visual>" + ball + "<material name=\"x\">" + red + "</material><material name=\"y\">" +
                    green + "</material></visual>",
                "material 'y'", "the first is used")
              .color == is_red);
    CHECK(check("<visual>" + ball + "<material>" + red + green + "</material></visual>", "<color>",
                "the first is used")
              .color == is_red);
    CHECK_FALSE(check("<visual>" + ball + "<material><color rgba=\"1 1 1\"/></material></visual>",
                      "<color> of link 'a'", "4 finite numbers in 'rgba'")
                    .color);
    CHECK_FALSE(check("<collision>" + ball + "<friction value=\"much\"/></collision>",
                      "<friction> of link 'a'", "a finite number in 'value'")
                    .surface);
    check_origin(check("<collision>" + ball + "<origin/><origin xyz=\"1 0 0\"/></collision>", "<origin>",
                       "the first is used"),
                 Eigen::Vector3d::Zero());
    check_shape(
        check("<collision><geometry><sphere radius=\"1\"/><box size=\"1 1 1\"/></geometry></collision>",
              "<box>", "one shape in <geometry>, found 2"),
        ShapeKind::sphere, {1, 0, 0});
    const auto mesh = [&](const std::string& scale, const std::string& words) {
        return check(
            "<visual><geometry><mesh filename=\"a.stl\" scale=\"" + scale + "\"/></geometry></visual>",
            "<mesh>", words);
    };
    check_shape(mesh("1 2 3 4", "found 4"), ShapeKind::mesh, {1, 2, 3});
    check_shape(mesh("1 2", "3 finite numbers in 'scale'"), ShapeKind::mesh, {1, 1, 1});
    check_shape(mesh("nan", "a finite number in 'scale'"), ShapeKind::mesh, {1, 1, 1});
    CHECK(check("<collision><geometry><plane normal=\"0 0 0\"/></geometry></collision>", "<plane>",
                "a normal that is not zero")
              .shape.kind == ShapeKind::plane);
    const Reading reading = read(link("<visual><geometri><sphere radius=\"1\"/></geometri></visual>"));
    CHECK(reading.count(Severity::error) == 0);
    CHECK(has(reading, Severity::warning, 3, "<geometri>", "did you mean <geometry>?"));
}

TEST_CASE("joints in a visual of a urdf are still an error") {
    check_error(link("<visual><joint name=\"j\"/></visual>"), 3, "joint 'j'", "<joint> in <robot>");
}

TEST_CASE("figures of urdf shapes that no shape can have are warnings with their line") {
    const auto check = [](const std::string& text, int line, const std::string& element,
                          const std::string& words) {
        check_later_warning(grbda::Code::out_of_range, text, line, element, words);
    };
    check(link("\n<collision name=\"c\"><geometry><sphere radius=\"-1\"/></geometry></collision>"), 4,
          "shape 'c' of link 'a'", "a sphere whose size is not below zero, found -1");
    check(link("<visual><geometry><plane/></geometry></visual>\n<visual><geometry><box size=\"1 -2 "
               "3\"/></geometry></visual>"),
          4, "shape 2 of link 'a'", "found 1 -2 3");
    check(link("<visual><geometry><box size=\"1 1e60 3\"/></geometry></visual>"), 3, "shape 1 of link 'a'",
          "below 1e+50");
    check(link("<visual><geometry><sphere radius=\"1\"/></geometry><friction value=\"-1\"/></visual>"), 3,
          "shape 1", "friction of zero or more");
    check(link("<visual><origin xyz=\"1e60 0 0\"/><geometry><sphere radius=\"1\"/></geometry></visual>"), 3,
          "shape 1", "lengths below");
}
