#include <cmath>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

using cli::Json;
using cli::quoted;
using cli::Run;

// Shapes as the tool tells and writes them.

namespace {

const char* const leg = R"(<mujoco model="leg">
<compiler angle="radian" meshdir="meshes"/>
<asset><mesh name="skin" file="skin.stl" scale="0.001 0.001 0.001"/></asset>
<worldbody><geom name="ground" type="plane" size="1 1 1" friction="0.7"/>
<body name="shank"><joint name="knee"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="mesh" mesh="skin" contype="0" conaffinity="0" rgba="0.1 0.2 0.3 0.4"/>
<body name="foot" pos="0 0 -0.3"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom name="sole" type="box" size="0.1 0.05 0.02" pos="0 0 -0.1" euler="0 0 3"/>
<geom type="ellipsoid" size="0.1 0.2 0.3"/><geom type="capsule" size="0.1 0.2"/></body></body></worldbody></mujoco>)";

}  // namespace

TEST_CASE("info lists shapes with all their properties, and their number") {
    const std::string file = cli::written("leg.xml", leg);
    const Run text = cli::run("info -q " + quoted(file));
    CHECK(text.out.find("shapes     5 shapes: 4 collision, 5 visual") != std::string::npos);
    const Json shapes = cli::run("info -q --json " + quoted(file)).json().at("shapes");
    REQUIRE(shapes.size() == 5);
    const Json& ground = shapes[0];
    CHECK(ground.at("link") == "world");
    CHECK(ground.at("body") == "world");
    CHECK(ground.at("kind") == "plane");
    CHECK(ground.at("name") == "ground");
    CHECK(ground.at("size") == Json::array());
    CHECK(ground.at("friction") == 0.7);
    CHECK(ground.count("mesh") == 0);
    const Json& skin = shapes[1];
    CHECK(skin.at("mesh") == "meshes/skin.stl");
    CHECK(skin.at("size") == Json({0.001, 0.001, 0.001}));
    CHECK(skin.at("color") == Json({0.1, 0.2, 0.3, 0.4}));
    CHECK(skin.at("visual") == true);
    CHECK(skin.at("collision") == false);
    CHECK(skin.count("friction") == 0);
    const Json& sole = shapes[2];
    CHECK(sole.at("link") == "foot");
    CHECK(sole.at("body") == "shank");
    CHECK(cli::difference(sole.at("size"), {0.2, 0.1, 0.04}) < 1e-15);
    CHECK(cli::difference(sole.at("position"), {0, 0, -0.4}) < 1e-15);
    CHECK(cli::difference(sole.at("orientation"), {0, 0, std::sin(1.5), std::cos(1.5)}) < 1e-15);
}

TEST_CASE("convert writes shapes without elements that other readers of URDF do not support") {
    const std::string file = cli::written("leg.xml", leg);
    const std::string written = (cli::folder() / "leg.urdf").string();
    REQUIRE(cli::run("convert -q " + quoted(file) + " -o " + quoted(written)).exit == 0);
    const Json before = cli::run("info -q --json " + quoted(file)).json().at("shapes");
    const Json after = cli::run("info -q --json " + quoted(written)).json().at("shapes");
    CHECK(cli::difference(before, after) < 1e-15);
    const std::string text = cli::content(written);
    /// The element that contains a geometry.
    const auto around = [&](const std::string& geometry) {
        const std::size_t place = text.find("<" + geometry);
        REQUIRE(place != std::string::npos);
        std::map<std::size_t, std::string> begins;
        for (const std::string element : {"visual", "collision", "shape"})
            begins[text.rfind("<" + element, place) + 1] = element;  // 0: not there
        return begins.rbegin()->second;
    };
    for (const char* geometry : {"plane", "ellipsoid", "capsule"}) CHECK(around(geometry) == "shape");
    CHECK(around("mesh") == "visual");
    CHECK(text.find("<collision name=\"sole\" visual=\"true\">") != std::string::npos);
    const std::string there = "cd " + quoted(cli::folder().string()) + " &&";
    CHECK(cli::run("convert -q " + quoted(written), there).out == text);
}

TEST_CASE("freeze and mount write the shapes of the robot") {
    const std::string file = quoted(cli::written("leg.xml", leg));
    for (const std::string edit :
         {"freeze --joint knee --q knee=0.1 ", "mount --type revolute --frame foot "}) {
        const std::string written = (cli::folder() / "edited.urdf").string();
        const Run run = cli::run(edit + " -o " + quoted(written) + " -- " + file);
        INFO(run.err);
        REQUIRE(run.exit == 0);
        const Json shapes = cli::run("info -q --json " + quoted(written)).json().at("shapes");
        REQUIRE(shapes.size() == 5);
        const bool frozen = edit.find("freeze") == 0;
        CHECK(shapes[2].at("body") == (frozen ? "world" : "shank"));
        CHECK(shapes[2].at("link") == "foot");
        const double turned = frozen ? 1.55 : 1.5;
        CHECK(cli::difference(shapes[2].at("orientation"), {0, 0, std::sin(turned), std::cos(turned)}) <
              1e-12);
    }
}

TEST_CASE("a wrong shape is reported with its line and exit code 1") {
    std::string wrong = leg;
    wrong.replace(wrong.find("0.1 0.05 0.02"), 13, "0.1 -0.05 0.02");
    const Run run = cli::run("info " + quoted(cli::written("wrong.xml", wrong)));
    CHECK(run.exit == 1);
    CHECK(run.err.find("wrong.xml:8:1: error: geom 'sole'") != std::string::npos);
}

TEST_CASE(
    "info says whether a robot is free of self-collision at its default configuration, by its spheres") {
    const std::string arm = GRBDA_ROBOTS "/ur10e/ur10e.";
    const std::string xrdf = cli::content(arm + "xrdf");
    const auto info = [&](const std::string& text, const std::string& options) {
        return cli::run("info -q " + options + quoted(arm + "urdf") + " " +
                        quoted(cli::written("arm.xrdf", text)));
    };
    const Json found = info(xrdf, "--json ").json();
    const Json& self = found.at("self_collision");
    CHECK(self.at("free") == true);
    CHECK(self.at("spheres") == 22);
    CHECK(self.at("overlaps") == Json::array());
    CHECK(self.at("nearest").at("distance") > 0);
    CHECK(self.at("nearest").at("links").size() == 2);
    CHECK(info(xrdf, "").out.find("spheres    22 spheres in 7 links; of ") != std::string::npos);

    std::string wide = xrdf;  // links that are neighbours are looked at
    wide.erase(wide.find("  ignore:"), wide.find("geometry:\n  spheres:") - wide.find("  ignore:"));
    const Json overlapping = info(wide, "--json ").json().at("self_collision");
    CHECK(overlapping.at("free") == false);
    CHECK(overlapping.at("nearest").at("distance") < 0);
    CHECK(overlapping.at("overlaps").size() > 1);
    CHECK(info(wide, "").out.find("overlap by") != std::string::npos);
    const Run checked =
        cli::run("check " + quoted(arm + "urdf") + " " + quoted(cli::written("arm.xrdf", wide)));
    CHECK(checked.out.find("warning: spheres of '") != std::string::npos);

    const Json none = cli::run("info -q --json " + quoted(arm + "urdf")).json();
    CHECK(none.at("self_collision").is_null());
}
