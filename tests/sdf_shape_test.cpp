#include <Eigen/Geometry>

#include "sdf_fixture.hpp"
#include "shape_fixture.hpp"

// Shapes in SDF.

using namespace shape_test;
using sdf_test::accept;
using sdf_test::check_error;
using sdf_test::check_later_error;
using sdf_test::model;
using sdf_test::read;

namespace {

const std::string inertial =
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

/// Link 'a' in line 2; `inside` begins in line 3.
std::string link(const std::string& inside, const std::string& pose = "", const std::string& more = "") {
    return model("<link name=\"a\">" + pose + inertial + "\n" + inside + "</link>" + more);
}

std::string collision(const std::string& geometry) {
    return link("<collision name=\"c\"><geometry>\n" + geometry + "</geometry></collision>");
}

const ShapeDescription& only(const Reading& reading) { return shape(reading, "a"); }

const std::string ball = "<geometry><sphere><radius>1</radius></sphere></geometry>";

}  // namespace

TEST_CASE("sdf shapes keep kind and size") {
    const auto check = [](const std::string& geometry, ShapeKind kind, const Eigen::Vector3d& size) {
        const Reading reading = accept(collision(geometry));
        check_shape(only(reading), kind, size);
        check_origin(only(reading), Eigen::Vector3d::Zero());
        CHECK(only(reading).collision);
        CHECK_FALSE(only(reading).visual);
        CHECK(only(reading).name == "c");
    };
    check("<box><size>1 2 3</size></box>", ShapeKind::box, {1, 2, 3});
    check("<sphere><radius>0.5</radius></sphere>", ShapeKind::sphere, {0.5, 0, 0});
    check("<cylinder><radius>0.5</radius><length>2</length></cylinder>", ShapeKind::cylinder, {0.5, 2, 0});
    check("<capsule><length>2</length><radius>0.5</radius></capsule>", ShapeKind::capsule, {0.5, 2, 0});
    check("<ellipsoid><radii>1 2 3</radii></ellipsoid>", ShapeKind::ellipsoid, {1, 2, 3});
    check("<plane/>", ShapeKind::plane, {0, 0, 0});
    check("<plane><normal>0 0 1</normal><size>9 9</size></plane>", ShapeKind::plane, {0, 0, 0});
    check("<mesh><uri>foot.dae</uri></mesh>", ShapeKind::mesh, {1, 1, 1});
    // what is left out is as SDF has it
    check("<box/>", ShapeKind::box, {1, 1, 1});
    check("<sphere/>", ShapeKind::sphere, {1, 0, 0});
    check("<cylinder/>", ShapeKind::cylinder, {1, 1, 0});
    check("<capsule/>", ShapeKind::capsule, {0.5, 1, 0});
    check("<ellipsoid/>", ShapeKind::ellipsoid, {1, 1, 1});
    const Reading mesh =
        accept(collision("<mesh><uri>model://leg/foot.dae</uri><scale>1 2 3</scale></mesh>"));
    check_shape(only(mesh), ShapeKind::mesh, {1, 2, 3});
    CHECK(only(mesh).shape.mesh == "model://leg/foot.dae");
    const Reading wall = accept(collision("<plane><normal>2 0 0</normal></plane>"));
    check_origin(only(wall), Eigen::Vector3d::Zero(), turn(M_PI / 2, Eigen::Vector3d::UnitY()));
}

TEST_CASE("sdf shapes keep colour and friction, in the order of the file") {
    const Reading reading =
        accept(link("<visual name=\"v\">" + ball +
                    "<material><diffuse>0.1 0.2 0.3 0.4</diffuse></material></visual>\n"
                    "<collision name=\"c\">" +
                    ball +
                    "<surface><friction><ode><mu>0.7</mu><mu2>0.5</mu2></ode></friction>"
                    "</surface></collision><visual name=\"w\">" +
                    ball + "<material><diffuse>0.1 0.2 0.3</diffuse></material></visual><visual name=\"x\">" +
                    ball + "<material><script/></material></visual>"));
    REQUIRE(shapes(reading, "a").size() == 4);
    const std::vector<ShapeDescription>& all = shapes(reading, "a");
    CHECK(all[0].visual);
    CHECK_FALSE(all[0].collision);
    CHECK(all[0].color == Eigen::Vector4d(0.1, 0.2, 0.3, 0.4));
    CHECK_FALSE(all[0].surface);
    CHECK(all[0].where.line == 3);
    CHECK(all[1].collision);
    CHECK(all[1].surface.value().friction == 0.7);
    CHECK(all[1].where.line == 4);
    CHECK(all[2].color == Eigen::Vector4d(0.1, 0.2, 0.3, 1));
    CHECK_FALSE(all[3].color);
}

TEST_CASE("sdf shapes stand in their link, or relative to a frame") {
    const auto posed = [](const std::string& pose) {
        return "<collision name=\"c\">" + pose + ball + "</collision>";
    };
    const std::string at = "<pose>5 6 7 0 0 0.4</pose>";
    const std::string frame = "<frame name=\"f\"><pose relative_to=\"a\">1 0 0 0 0 0.5</pose></frame>";
    const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
    check_origin(only(accept(link(posed("<pose>1 2 3 0 0 0.5</pose>"), at))), {1, 2, 3}, turn(0.5, z));
    check_origin(only(accept(link(posed("<pose relative_to=\"a\">1 2 3 0 0 0.5</pose>"), at))), {1, 2, 3},
                 turn(0.5, z));
    check_origin(only(accept(link(posed("<pose relative_to=\"f\">0 0 1 0 0 0.1</pose>"), at, frame))),
                 {1, 0, 1}, turn(0.6, z));
    check_origin(only(accept(link(posed("<pose relative_to=\"__model__\">5 6 8 0 0 0.5</pose>"), at))),
                 {0, 0, 1}, turn(0.1, z));
    check_error(link(posed("<pose relative_to=\"g\"/>"), at, frame), 3, "<pose> of collision 'c'", "'g'");
}

TEST_CASE("sdf says which shapes it does not keep") {
    const Reading reading = accept(link(
        "<collision name=\"c\"><geometry><heightmap/></geometry></collision><visual name=\"v\"><geometry>"
        "<polyline/><polyline/></geometry></visual><visual "
        "name=\"e\"><geometry><empty/></geometry></visual>"));
    CHECK(shapes(reading, "a").empty());
    CHECK(has(reading, Severity::note, 3, "<heightmap>",
              "shapes that are not kept: 'heightmap of a', 'polyline of a'"));
    const Reading nothing = read(link("<visual name=\"v\"/>"));
    CHECK(has(nothing, Severity::warning, 3, "visual 'v'", "left out"));
}

TEST_CASE("sdf geometry that is wrong is an error with its line") {
    const auto check = [](const std::string& geometry, const std::string& element, const std::string& words) {
        check_error(collision(geometry), 4, element + " of collision 'c'", words);
    };
    check("<box><size>1 2</size></box>", "<size>", "3 finite numbers");
    check("<sphere><radius>big</radius></sphere>", "<radius>", "a finite number");
    check("<ellipsoid><radii>1</radii></ellipsoid>", "<radii>", "3 finite numbers");
    check("<plane><normal>0 0 0</normal></plane>", "<normal>", "a direction that is not zero");
    check("<mesh/>", "<mesh>", "an element <uri>");
    check("<boks/>", "<boks>", "did you mean 'box'?");
    check("<plane/><plane/>", "<plane>", "one shape in <geometry>");
    check_error(link("<collision name=\"c\">" + ball +
                     "<surface><friction><ode><mu>x</mu></ode></friction></surface></collision>"),
                3, "<mu> of collision 'c'", "a finite number");
    check_error(link("<visual name=\"v\">" + ball + "<material><diffuse>1 1</diffuse></material></visual>"),
                3, "<diffuse> of visual 'v'", "3 or 4 finite numbers");
    check_later_error(grbda::Code::out_of_range, collision("<sphere><radius>-1</radius></sphere>"), 3,
                      "shape 'c' of link 'a'", "found -1");
}
