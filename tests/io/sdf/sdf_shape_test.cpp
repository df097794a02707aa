#include <Eigen/Geometry>

#include "io/sdf/sdf_fixture.hpp"
#include "io/shape_fixture.hpp"

// Shapes in SDF.

using namespace shape_test;
using sdf_test::accept;
using sdf_test::check_later_warning;
using sdf_test::check_warning;
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

TEST_CASE("sdf shapes have poses in their link, or relative to a frame") {
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
    check_warning(link(posed("<pose relative_to=\"g\"/>"), at, frame), 3, "<pose> of collision 'c'", "'g'");
}

TEST_CASE("sdf inertials that are automatic are those of the collisions, each of one density") {
    const std::string body =
        "<collision name=\"c\"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 "
        "3</size></box></geometry></collision>"
        "<collision name=\"d\"><pose>0 0 -1 0 0 "
        "0</pose><density>50</density><geometry><sphere><radius>0.5</radius>"
        "</sphere></geometry></collision><collision name=\"p\"><geometry><plane/></geometry></collision>"
        "<visual name=\"v\"><geometry><mesh><uri>a.stl</uri></mesh></geometry></visual>";
    const auto read_link = [](const std::string& inside) {
        return model("<link name=\"a\">\n" + inside + "</link>");
    };
    const auto read_inertial = [&](const std::string& inside) {
        return accept(read_link("<inertial auto=\"true\">" + inside + "</inertial>\n" + body))
            .link("a")
            .inertial.value();
    };
    // 12 · 1/12 (b² + c²) and 2/5 m r², each moved to the common centre of mass
    const double box = 100 * 6, sphere = 50 * 4 / 3. * M_PI / 8, height = (box - sphere) / (box + sphere);
    const double spread = box * (1 - height) * (1 - height) + sphere * (1 + height) * (1 + height);
    const Eigen::Vector3d moments(box * 13 / 12 + sphere / 10 + spread, box * 10 / 12 + sphere / 10 + spread,
                                  box * 5 / 12 + sphere / 10);
    const grbda::Inertial given = read_inertial("<density>100</density>");
    CHECK(given.mass == Approx(box + sphere));
    CHECK((given.com - Eigen::Vector3d(0, 0, height)).norm() < 1e-14);
    CHECK((given.inertia - Eigen::Matrix3d(moments.asDiagonal())).norm() < 1e-12 * moments.norm());
    const grbda::Inertial scaled = read_inertial("<density>100</density><mass>7</mass>");
    CHECK(scaled.mass == Approx(7));
    CHECK((scaled.inertia - 7 / given.mass * given.inertia).norm() < 1e-12 * scaled.inertia.norm());
    CHECK(read_inertial("").mass == Approx(10 * box + sphere));
    sdf_test::check_error(read_link("<inertial auto=\"true\"/>"), 3, "<inertial>",
                          "collisions that have a volume");
    sdf_test::check_error(
        read_link("<inertial auto=\"true\"/><collision name=\"c\"><geometry><mesh><uri>a.stl</uri></mesh>"
                  "</geometry></collision>"),
        3, "<inertial>", "auto=\"true\" and collision 'c'");
}

TEST_CASE("sdf reports the shapes that it omits") {
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

TEST_CASE("appearance never refuses an sdf: a shape that cannot be read is omitted with a warning") {
    const auto check = [](const std::string& geometry, const std::string& element, const std::string& words) {
        const Reading reading = check_warning(collision(geometry), 4, element + " of collision 'c'", words);
        grbda::Diagnostics findings;
        CHECK(grbda::make_mechanism(reading.robot, {}, findings).shapes.empty());
        CHECK_FALSE(grbda::has_errors(findings));
    };
    check("<box><size>1 2</size></box>", "<size>", "3 finite numbers");
    check("<sphere><radius>big</radius></sphere>", "<radius>", "a finite number");
    check("<ellipsoid><radii>1</radii></ellipsoid>", "<radii>", "3 finite numbers");
    check("<mesh/>", "<mesh>", "an element <uri>");
    check("<boks/>", "<boks>", "did you mean 'box'?");
    check_later_warning(grbda::Code::out_of_range, collision("<sphere><radius>-1</radius></sphere>"), 3,
                        "shape 'c' of link 'a'", "found -1");
}

TEST_CASE("appearance never refuses an sdf: what is wrong with a shape is not used, the first one counts") {
    const auto check = [](const std::string& inside, const std::string& element, const std::string& words) {
        return shape(check_warning(link(inside), 3, element, words), "a");
    };
    const auto geometry = [](const std::string& inside) {
        return "<collision name=\"c\"><geometry>" + inside + "</geometry></collision>";
    };
    CHECK(check(geometry("<mesh><uri>a.stl</uri><uri>b.stl</uri></mesh>"), "<uri> of collision 'c'",
                "the first is used")
              .shape.mesh == "a.stl");
    CHECK(check(geometry("<plane/><plane/>"), "<plane>", "one shape in <geometry>").shape.kind ==
          ShapeKind::plane);
    CHECK(check(geometry("<plane><normal>0 0 0</normal></plane>"), "<normal>", "a direction that is not zero")
              .shape.kind == ShapeKind::plane);
    const auto surface = [&](const std::string& mu) {
        return "<collision name=\"c\">" + ball + "<surface><friction><ode><mu>" + mu +
               "</mu></ode></friction></surface></collision>";
    };
    CHECK_FALSE(check(surface("x"), "<mu> of collision 'c'", "a finite number").surface);
    CHECK_FALSE(check("<visual name=\"v\">" + ball + "<material><diffuse>1 1</diffuse></material></visual>",
                      "<diffuse> of visual 'v'", "3 or 4 finite numbers")
                    .color);
    check_later_warning(grbda::Code::out_of_range, link(surface("-1")), 3, "shape 'c' of link 'a'",
                        "a finite friction of zero or more, found -1");
}

TEST_CASE("contact parameters of sdf collisions that the simulation does not use are reported") {
    const auto check = [](const std::string& surface, const std::string& element, const std::string& hint) {
        check_warning(
            link("<collision name=\"c\">" + ball + "<surface>" + surface + "</surface></collision>"), 3,
            element, hint);
    };
    check("<bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>",
          "<restitution_coefficient> of collision 'c'", "contacts do not rebound here");
    check("<friction><torsional><coefficient>0.1</coefficient></torsional></friction>",
          "<coefficient> of collision 'c'", "contacts have no torsional friction here");
    const std::string none = "<bounce><restitution_coefficient>0</restitution_coefficient></bounce>";
    CHECK(accept(link("<collision name=\"c\">" + ball + "<surface>" + none + "</surface></collision>"))
              .count(grbda::Severity::warning) == 0);
}
