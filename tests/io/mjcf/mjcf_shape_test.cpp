#include <Eigen/Geometry>

#include "io/mjcf/mjcf_fixture.hpp"
#include "io/shape_fixture.hpp"

// Geoms of MJCF as shapes.

using namespace shape_test;
using mjcf_test::accept;
using mjcf_test::check_error;
using mjcf_test::world;

namespace {

const std::string inertial = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>";

/// Body 'b' in line 2; `geom` begins in line 3.
std::string body(const std::string& geom, const std::string& sections = "") {
    return world("<body name=\"b\">" + inertial + "\n" + geom + "</body>", sections);
}

std::string geom(const std::string& attributes) { return "<geom " + attributes + "/>"; }

const ShapeDescription& only(const Reading& reading) { return shape(reading, "b"); }

const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();

}  // namespace

TEST_CASE("mjcf geoms are shapes with whole lengths") {
    const auto check = [](const std::string& attributes, ShapeKind kind, const Eigen::Vector3d& size) {
        const Reading reading = accept(body(geom(attributes)));
        check_shape(only(reading), kind, size);
        check_origin(only(reading), Eigen::Vector3d::Zero());
        CHECK(reading.diagnostics.empty());
    };
    check("size=\"0.5\"", ShapeKind::sphere, {0.5, 0, 0});
    check("type=\"capsule\" size=\"0.5 2\"", ShapeKind::capsule, {0.5, 4, 0});
    check("type=\"cylinder\" size=\"0.5 2\"", ShapeKind::cylinder, {0.5, 4, 0});
    check("type=\"box\" size=\"1 2 3\"", ShapeKind::box, {2, 4, 6});
    check("type=\"ellipsoid\" size=\"1 2 3\"", ShapeKind::ellipsoid, {1, 2, 3});
    check("type=\"plane\" size=\"9 9 1\"", ShapeKind::plane, {0, 0, 0});
}

TEST_CASE("mjcf geoms between two ends are placed between them") {
    const Reading capsule = accept(body(geom("type=\"capsule\" size=\"0.5\" fromto=\"1 0 0 1 0 3\"")));
    check_shape(only(capsule), ShapeKind::capsule, {0.5, 3, 0});
    CHECK((only(capsule).origin.translation - Eigen::Vector3d(1, 0, 1.5)).norm() < 1e-14);
    CHECK((only(capsule).origin.rotation.col(2) + z).norm() < 1e-14);
    const Reading box = accept(body(geom("type=\"box\" size=\"0.5\" fromto=\"0 0 0 3 0 0\"")));
    check_shape(only(box), ShapeKind::box, {1, 1, 3});
}

TEST_CASE("mjcf geoms have poses of every kind, in frames and with defaults") {
    const auto placed = [](const std::string& attributes) {
        return only(accept(body(geom("size=\"1\" " + attributes))));
    };
    check_origin(placed("pos=\"1 2 3\" quat=\"0 0 0 2\""), {1, 2, 3}, turn(M_PI, z));
    check_origin(placed("euler=\"0 0 90\""), {0, 0, 0}, turn(M_PI / 2, z));
    check_origin(placed("axisangle=\"0 0 1 90\""), {0, 0, 0}, turn(M_PI / 2, z));
    const Reading framed =
        accept(body("<frame pos=\"1 0 0\" euler=\"0 0 90\"><geom size=\"1\" pos=\"1 0 0\"/></frame>"));
    check_origin(only(framed), {1, 1, 0}, turn(M_PI / 2, z));
    const std::string classes =
        "<default><geom type=\"capsule\" size=\"0.1 0.2\" friction=\"0.7\" rgba=\"0.1 0.2 0.3 0.4\"/>"
        "<default class=\"seen\"><geom contype=\"0\" conaffinity=\"0\"/></default></default>";
    const Reading inherited = accept(body(geom("name=\"g\"") + geom("class=\"seen\" size=\"0.3\""), classes));
    REQUIRE(shapes(inherited, "b").size() == 2);
    const ShapeDescription &first = shapes(inherited, "b")[0], &second = shapes(inherited, "b")[1];
    check_shape(first, ShapeKind::capsule, {0.1, 0.4, 0});
    CHECK(first.name == "g");
    CHECK(first.visual);
    CHECK(first.collision);
    CHECK(first.surface.value().friction == 0.7);
    CHECK(first.color == Eigen::Vector4d(0.1, 0.2, 0.3, 0.4));
    CHECK(first.where.line == 3);
    check_shape(second, ShapeKind::capsule, {0.3, 0.4, 0});
    CHECK(second.visual);
    CHECK_FALSE(second.collision);
    CHECK_FALSE(second.surface);
}

TEST_CASE("mjcf geoms are touched unless neither of their masks has a bit") {
    const auto touched = [](const std::string& attributes) {
        return only(accept(body(geom("size=\"1\" " + attributes)))).collision;
    };
    CHECK(touched(""));
    CHECK(touched("contype=\"0\""));
    CHECK(touched("conaffinity=\"0\""));
    CHECK(touched("group=\"3\""));
    CHECK(touched("contype=\"0\" conaffinity=\"2\""));
    CHECK_FALSE(touched("contype=\"0\" conaffinity=\"0\""));
    CHECK_FALSE(only(accept(body(geom("size=\"1\"")))).surface);
    CHECK(only(accept(body(geom("size=\"1\" friction=\"0.3 0.1 0.1\"")))).surface.value().friction == 0.3);
}

TEST_CASE("mjcf geoms of the worldbody belong to the world, those of bodies to their link") {
    const Reading reading = accept(
        world("<geom type=\"plane\" size=\"1 1 1\"/><body name=\"b\">" + inertial +
              "<joint name=\"x\"/><joint name=\"y\" axis=\"0 1 0\"/><geom size=\"1\"/><body name=\"c\">" +
              "<geom size=\"2\"/></body></body>"));
    check_shape(shape(reading, "world"), ShapeKind::plane, {0, 0, 0});
    check_shape(only(reading), ShapeKind::sphere, {1, 0, 0});
    check_shape(shape(reading, "c"), ShapeKind::sphere, {2, 0, 0});
}

TEST_CASE("mjcf meshes have the place and scale of their asset") {
    const auto check = [](const std::string& compiler, const std::string& mesh, const std::string& uri,
                          const Eigen::Vector3d& scale) {
        const Reading reading =
            accept(body(geom("type=\"mesh\" mesh=\"m\""),
                        "<compiler " + compiler + "/><asset><mesh " + mesh + "/></asset>"));
        check_shape(only(reading), ShapeKind::mesh, scale);
        CHECK(only(reading).shape.mesh == uri);
    };
    check("", "name=\"m\" file=\"a/foot.stl\"", "a/foot.stl", {1, 1, 1});
    check("", "file=\"a/m.stl\" scale=\"1 2 -3\"", "a/m.stl", {1, 2, -3});
    check("meshdir=\"d\"", "file=\"a/m.stl\"", "d/a/m.stl", {1, 1, 1});
    check("meshdir=\"d/\" assetdir=\"e\"", "file=\"m.stl\"", "d/m.stl", {1, 1, 1});
    check("assetdir=\"e\" strippath=\"true\"", "file=\"a/m.stl\"", "e/m.stl", {1, 1, 1});
    check("meshdir=\"d\"", "file=\"/m.stl\"", "/m.stl", {1, 1, 1});
    const std::string classes = "<default><mesh scale=\"2 2 2\"/></default>";
    const Reading moved =
        accept(body(geom("type=\"mesh\" mesh=\"m\" pos=\"1 0 0\""),
                    classes + "<asset><mesh file=\"m.stl\" refpos=\"1 0 0\" refquat=\"1 0 0 1\"/></asset>"));
    check_shape(only(moved), ShapeKind::mesh, {2, 2, 2});
    check_origin(only(moved), {1, 2, 0}, turn(-M_PI / 2, z));
}

TEST_CASE("mjcf geoms without a colour have that of their material") {
    const std::string assets = "<asset><material name=\"m\" rgba=\"0.1 0.2 0.3 0.4\"/></asset>";
    CHECK(only(accept(body(geom("size=\"1\" material=\"m\""), assets))).color ==
          Eigen::Vector4d(0.1, 0.2, 0.3, 0.4));
    CHECK(only(accept(body(geom("size=\"1\" material=\"m\" rgba=\"1 0 0 1\""), assets))).color ==
          Eigen::Vector4d(1, 0, 0, 1));
    CHECK_FALSE(only(accept(body(geom("size=\"1\" material=\"n\""), assets))).color);
}

TEST_CASE("mjcf reports the geoms that it omits") {
    const Reading reading =
        accept(body("\n" + geom("name=\"h\" type=\"hfield\" hfield=\"x\"") +
                    geom("type=\"mesh\" mesh=\"m\"") + geom("name=\"f\" type=\"box\" mesh=\"m\"")));
    CHECK(shapes(reading, "b").empty());
    CHECK(has(reading, Severity::note, 4, "geom 'h'", "'h', 'one of b', 'f'"));
}

TEST_CASE("mjcf geoms that are wrong are errors with their line, with an inertial too") {
    check_error(body(geom("size=\"-1\"")), 3, "<geom> of body 'b'", "1 numbers above zero as size");
    check_error(body(geom("type=\"box\" size=\"1 1\"")), 3, "<geom>", "3 numbers above zero as size");
    check_error(body(geom("type=\"capsule\" size=\"1\"")), 3, "<geom>", "2 numbers above zero as size");
    check_error(body(geom("size=\"big\"")), 3, "<geom>", "at most 3 finite numbers");
    check_error(body(geom("type=\"ball\" size=\"1\"")), 3, "<geom>", "type to be one of");
    check_error(body(geom("size=\"1\" contype=\"x\"")), 3, "<geom>", "a finite number in 'contype'");
    check_error(body(geom("type=\"capsule\" size=\"1\" fromto=\"1 1 1 1 1 1\"")), 3, "<geom>",
                "a direction that is not zero");
}

TEST_CASE(
    "appearance never refuses an mjcf: colour and friction that are wrong are not used, with a warning") {
    const auto check = [](const std::string& attributes, const std::string& words) {
        return only(mjcf_test::check_warning(body(geom("size=\"1\" " + attributes)), 3, "<geom>", words));
    };
    CHECK_FALSE(check("rgba=\"red\"", "at most 4 finite numbers in 'rgba'").color);
    CHECK_FALSE(check("friction=\"x\"", "at most 3 finite numbers in 'friction'").surface);
    mjcf_test::check_later_warning(grbda::Code::out_of_range,
                                   body(geom("name=\"g\" size=\"1\" friction=\"-1\"")), 3,
                                   "shape 'g' of link 'b'", "a finite friction of zero or more");
}

TEST_CASE("contact parameters of mjcf geoms that the simulation does not use are reported") {
    const auto warned = [](const std::string& attributes, const std::string& words) {
        mjcf_test::check_warning(body(geom("name=\"g\" size=\"1\" " + attributes)), 3, "geom 'g'", words);
    };
    warned("condim=\"6\" friction=\"1 0.05 0.01\"", "another condim of 'g'");
    warned("condim=\"1\"", "another condim of 'g'");
    warned("solref=\"-1000 0\"", "a solref that lets bodies rebound, of 'g'");
    warned("solref=\"0.02 0.5\"", "a solref that lets bodies rebound, of 'g'");
    for (const char* quiet : {"condim=\"3\"", "solref=\"0.02 1\"", "solref=\"-100 -20\"",
                              "condim=\"6\" contype=\"0\" conaffinity=\"0\""})
        CHECK(accept(body(geom(std::string("size=\"1\" ") + quiet))).diagnostics.empty());
}

TEST_CASE("mjcf geoms keep which of them touch which, and bodies which of them never do") {
    const auto mask = [](const std::string& attributes) {
        return only(accept(body(geom("size=\"1\" " + attributes)))).mask;
    };
    CHECK(mask("").type == 1);
    CHECK(mask("").affinity == 1);
    CHECK(mask("contype=\"6\" conaffinity=\"0\"").type == 6);
    CHECK(mask("contype=\"6\" conaffinity=\"0\"").affinity == 0);
    CHECK(mask("contype=\"-1\"").type == ~0U);
    CHECK(mask("contype=\"1e300\"").type == 2147483647U);
    CHECK(grbda::may_touch({6, 0}, {0, 2}));
    CHECK(grbda::may_touch({0, 2}, {6, 0}));
    CHECK_FALSE(grbda::may_touch({6, 0}, {6, 0}));
    CHECK_FALSE(grbda::may_touch({6, 1}, {0, 8}));

    const std::string other = "<body name=\"c\">" + inertial + "</body>";
    const Reading reading = accept(world("<body name=\"b\">" + inertial + "</body>" + other,
                                         "<contact><exclude body1=\"b\" body2=\"c\"/></contact>"));
    CHECK(reading.robot.self_collision.ignore ==
          std::map<std::string, std::vector<std::string>>{{"b", {"c"}}});
    const Reading unknown = mjcf_test::read(world("<body name=\"b\">" + inertial + "</body>",
                                                  "<contact>\n<exclude body1=\"b\" body2=\"d\"/></contact>"));
    CHECK(has(unknown, grbda::Severity::warning, 4, "<exclude>", "'d'"));
    CHECK(unknown.robot.self_collision.ignore.empty());
}

TEST_CASE("mjcf pairs of geoms that touch are a warning that names them") {
    const Reading reading =
        mjcf_test::read(body(geom("name=\"g\" size=\"1\" contype=\"0\" conaffinity=\"0\""),
                             "<contact>\n<pair geom1=\"g\" geom2=\"floor\"/><pair name=\"p\" geom1=\"g\" "
                             "geom2=\"g\"/></contact>"));
    CHECK(has(reading, grbda::Severity::warning, 5, "<pair>", "not used: 'g-floor', 'p'"));
    CHECK(reading.count(grbda::Severity::warning) == 1);
}
