#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

using cli::quoted;
using cli::Run;

TEST_CASE("convert writes every robot so that its info stays the same") {
    for (const std::string& name : cli::robots()) {
        INFO(name);
        if (!std::filesystem::exists(cli::robot(name))) continue;
        const std::string path = (cli::folder() / (name + ".urdf")).string();
        const Run run = cli::run("convert -q " + quoted(cli::robot(name)) + " -o " + quoted(path));
        REQUIRE(run.exit == 0);
        CHECK(run.out.empty());
        CHECK(run.err.empty());
        cli::Json before = cli::run("info --json " + quoted(cli::robot(name))).json();
        cli::Json after = cli::run("info --json " + quoted(path)).json();
        for (cli::Json* json : {&before, &after})
            for (const char* key : {"files", "file", "diagnostics"}) json->erase(key);
        CHECK(cli::difference(before, after) < 1e-6);
        const Run again = cli::run("convert -q " + quoted(path));
        CHECK(again.exit == 0);
        CHECK(again.out == cli::content(path));
    }
}

TEST_CASE("convert writes to standard output without -o or for -") {
    const std::string model = quoted(cli::robot("four_bar"));
    const Run none = cli::run("convert -q " + model);
    const Run dash = cli::run("convert -q -o - " + model);
    CHECK(none.exit == 0);
    CHECK(none.out.find("<robot name=\"four_bar\" version=\"1.2\"") != std::string::npos);
    CHECK(dash.out == none.out);
    CHECK_FALSE(std::filesystem::exists("-"));
}

TEST_CASE("convert takes the options of the model") {
    const std::string model = quoted(cli::robot("four_bar"));
    const Run run = cli::run("convert -q --floating-base " + model);
    CHECK(run.exit == 0);
    CHECK(run.out.find("<joint name=\"root_joint\" type=\"floating\">") != std::string::npos);
    CHECK(cli::run("convert --help").out.find("Example") != std::string::npos);
}

TEST_CASE("convert writes the robot with loops that --adjust closed, which loads without it") {
    std::string text = cli::content(std::string(GRBDA_ROBOTS) + "/four_bar/four_bar.urdf");
    const std::string successor = "<successor link=\"link3\">", origin = "<origin xyz=\"";
    const std::size_t place = text.find(origin, text.find(successor));
    REQUIRE(place != std::string::npos);
    const std::size_t end = text.find('"', place + origin.size());
    text.insert(end, "\" rpy=\"0.02 0 0");
    const std::string open = quoted(cli::written("open.urdf", text));
    CHECK(cli::run("check " + open).out.find("--adjust (LoadOptions::adjust)") != std::string::npos);
    const std::string closed = (cli::folder() / "closed.urdf").string();
    const Run run = cli::run("convert --adjust " + open + " -o " + quoted(closed));
    CHECK(run.exit == 0);
    CHECK(run.err.find("moved by 0 m and 0.02 rad") != std::string::npos);
    CHECK(cli::run("check " + quoted(closed)).exit == 0);
}

TEST_CASE("convert tells the findings on standard error unless it is quiet") {
    const std::string model = quoted(cli::robot("four_bar"));
    const std::string findings = cli::run("check " + model).out;
    const Run told = cli::run("convert " + model);
    CHECK(told.exit == 0);
    CHECK_FALSE(told.err.empty());
    CHECK(findings.find(told.err) == 0);
    CHECK(cli::run("convert -q " + model).out == told.out);
}

TEST_CASE("convert refuses a broken robot with its findings and writes nothing") {
    const std::string path = (cli::folder() / "never.urdf").string();
    const std::string unknown =
        cli::written("unknown.urdf",
                     "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"/><joint name=\"j\" "
                     "type=\"continuous\"><parent link=\"bse\"/><child link=\"arm\"/></joint></robot>");
    const std::string syntax = cli::written("syntax.urdf", "<robot name=\"r\"><link name=\"a\">");
    for (const std::string& file : {unknown, syntax, std::string("missing.urdf")}) {
        INFO(file);
        const Run run = cli::run("convert " + quoted(file) + " -o " + quoted(path));
        CHECK(run.exit == 1);
        CHECK(run.out.empty());
        CHECK(run.err.find("error") != std::string::npos);
        CHECK_FALSE(std::filesystem::exists(path));
    }
}

TEST_CASE("convert overwrites other files, never an input") {
    const std::string text = cli::content(cli::robot("slider_crank"));
    const std::string model = cli::written("input.urdf", text);
    const std::string alias = (cli::folder() / "alias.urdf").string();
    std::filesystem::create_symlink(model, alias);
    for (const std::string& output : {model, alias, cli::folder().string() + "/./input.urdf"}) {
        INFO(output);
        const Run run = cli::run("convert -q " + quoted(model) + " -o " + quoted(output));
        CHECK(run.exit == 2);
        CHECK(run.err.find("is an input") != std::string::npos);
        CHECK(cli::content(model) == text);
    }
    const std::string old = cli::written("old.urdf", "old");
    CHECK(cli::run("convert -q " + quoted(model) + " -o " + quoted(old)).exit == 0);
    CHECK(cli::content(old).find("<robot") != std::string::npos);
    const Run folder = cli::run("convert -q " + quoted(model) + " -o " + quoted(cli::folder().string()));
    CHECK(folder.exit == 1);
    CHECK(folder.err.find("cannot be written") != std::string::npos);
}

TEST_CASE("convert writes the format that --to names, else that of the output's ending, else URDF+") {
    const std::string model = quoted(cli::robot("four_bar"));
    const std::string mjcf = cli::run("convert -q --to mjcf " + model).out;
    CHECK(mjcf.find("<mujoco model=\"four_bar\">") != std::string::npos);
    const auto written_to = [&](const std::string& name, const std::string& options) {
        const std::string path = (cli::folder() / name).string();
        CHECK(cli::run("convert -q " + options + model + " -o " + quoted(path)).exit == 0);
        return cli::content(path);
    };
    CHECK(written_to("a.xml", "") == mjcf);
    CHECK(written_to("a.mjcf", "") == mjcf);
    CHECK(written_to("a.urdf", "--to mjcf ") == mjcf);
    CHECK(written_to("b.xml", "--to urdf ") == cli::run("convert -q " + model).out);
    const std::string arm = quoted(cli::written("arm.urdf", R"(<robot name="arm"><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>)"));
    const std::string sdf = (cli::folder() / "arm.sdf").string();
    CHECK(cli::run("convert -q " + arm + " -o " + quoted(sdf)).exit == 0);
    CHECK(cli::content(sdf).find("<sdf version=\"1.11\">") != std::string::npos);
    CHECK(cli::content(sdf) == cli::run("convert -q --to sdf " + arm).out);
    CHECK(cli::run("convert -q " + arm).out.find("<robot name=\"arm\">") != std::string::npos);
    CHECK(cli::run("convert --to usd " + model).exit == 2);
}

TEST_CASE("convert refuses what a format cannot represent, and reports omissions") {
    const std::string planar = quoted(cli::written("planar.urdf", R"(<robot name="arm"><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="planar"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
<tool_frame name="a"/></robot>)"));
    const std::string path = (cli::folder() / "planar.sdf").string();
    const Run refused = cli::run("convert " + planar + " -o " + quoted(path));
    CHECK(refused.exit == 1);
    CHECK(refused.err.find("joint 'j': expected a revolute") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(path));
    const Run told = cli::run("convert --to mjcf " + planar);
    CHECK(told.exit == 0);
    CHECK(told.err.find("MJCF does not keep tool frames: 'a'") != std::string::npos);
}

namespace {

/// A square of two triangles, or a tetrahedron.
std::string binary_stl(bool is_flat) {
    const float h = is_flat ? 0.0F : 1.0F;
    const std::array<std::array<float, 3>, 4> p = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, h}}};
    std::vector<std::array<std::size_t, 3>> triangles = {{0, 1, 2}, {1, 3, 2}};
    if (!is_flat) triangles.insert(triangles.end(), {{0, 3, 1}, {0, 2, 3}});
    std::string text(80, '\0');
    const auto put = [&](const auto& value) {
        text.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    put(static_cast<std::uint32_t>(triangles.size()));
    for (const auto& triangle : triangles) {
        text.append(12, '\0');
        for (const std::size_t i : triangle) put(p[i]);
        text.append(2, '\0');
    }
    return text;
}

/// An arm with these meshes: to be looked at, or also touched.
std::string arm_with(const std::vector<std::pair<std::string, std::string>>& meshes) {
    std::string text = R"(<robot name="arm"><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>)";
    for (const auto& [use, address] : meshes)
        text += "<" + use + "><geometry><mesh filename=\"" + address + "\"/></geometry></" + use + ">";
    return text + R"(</link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>)";
}

/// Values of an attribute.
std::vector<std::string> values(const std::string& text, const std::string& attribute) {
    std::vector<std::string> found;
    const std::string begin = " " + attribute + "=\"";
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
        const std::size_t first = at + begin.size();
        found.push_back(text.substr(first, text.find('"', first) - first));
    }
    return found;
}

}  // namespace

TEST_CASE("convert writes addresses of meshes that hold from the folder of the output") {
    namespace fs = std::filesystem;
    const fs::path root = cli::folder() / "places";
    fs::create_directories(root / "arm" / "meshes");
    fs::create_directories(root / "out" / "deep");
    cli::written("places/arm/meshes/a.stl", binary_stl(false));
    const std::string absolute = (root / "arm" / "meshes" / "a.stl").string();
    const std::string file =
        cli::written("places/arm/arm.urdf", arm_with({{"visual", "meshes/a.stl"},
                                                      {"visual", "package://arm/meshes/a.stl"},
                                                      {"visual", absolute},
                                                      {"visual", "missing/b.dae"}}));
    const auto written_to = [&](const std::string& output) {
        const std::string path = (root / output).string();
        CHECK(cli::run("convert -q " + quoted(file) + " -o " + quoted(path)).exit == 0);
        return cli::content(path);
    };
    using Addresses = std::vector<std::string>;
    const std::string package = "package://arm/meshes/a.stl", there = "../../arm/";
    CHECK(values(written_to("arm/same.urdf"), "filename") ==
          Addresses{"meshes/a.stl", package, absolute, "missing/b.dae"});
    CHECK(values(written_to("out/deep/a.urdf"), "filename") ==
          Addresses{there + "meshes/a.stl", package, absolute, there + "missing/b.dae"});
    const std::string sdf = written_to("out/deep/a.sdf");
    CHECK(sdf.find("<uri>" + there + "meshes/a.stl</uri>") != std::string::npos);
    CHECK(sdf.find("<uri>" + package + "</uri>") != std::string::npos);
    CHECK(values(written_to("out/deep/a.xml"), "file") == Addresses{there + "meshes/a.stl", absolute});
    const Run here = cli::run("convert -q " + quoted(file), "cd " + quoted((root / "out").string()) + " &&");
    CHECK(values(here.out, "filename") ==
          Addresses{"../arm/meshes/a.stl", package, absolute, "../arm/missing/b.dae"});
    const Run none = cli::run("convert --no-meshes --to mjcf " + quoted(file));
    CHECK(none.exit == 0);
    CHECK(none.out.find("mesh") == std::string::npos);
    CHECK(none.err.find("mesh") == std::string::npos);
}

TEST_CASE("convert to MJCF leaves out meshes that MuJoCo refuses, and names them") {
    cli::written("solid.stl", binary_stl(false));
    cli::written("flat.stl", binary_stl(true));
    cli::written("short.stl", binary_stl(false).substr(0, 200));
    cli::written("text.stl",
                 "solid a\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                 "vertex 0 1 0\nendloop\nendfacet\nendsolid a\n");
    cli::written("scene.dae", "<COLLADA/>");
    std::string many = binary_stl(false);
    const std::string triangles = many.substr(84);
    for (int i = 1; i <= 50000; ++i) many += triangles;
    const std::uint32_t count = 4 * 50001;
    many.replace(80, 4, reinterpret_cast<const char*>(&count), 4);
    cli::written("many.stl", many);
    const std::string file = cli::written("meshes.urdf", arm_with({{"visual", "solid.stl"},
                                                                   {"visual", "flat.stl"},
                                                                   {"collision", "flat.stl"},
                                                                   {"visual", "short.stl"},
                                                                   {"visual", "text.stl"},
                                                                   {"visual", "scene.dae"},
                                                                   {"visual", "many.stl"},
                                                                   {"visual", "package://lost/b.stl"}}));
    const std::string path = (cli::folder() / "meshes.xml").string();
    const Run run = cli::run("convert " + quoted(file) + " -o " + quoted(path));
    CHECK(run.exit == 0);
    const std::string text = cli::content(path);
    CHECK(values(text, "file") == std::vector<std::string>{"solid.stl"});
    CHECK(values(text, "mesh") == std::vector<std::string>{"mesh_1"});
    for (const char* address :
         {"flat.stl", "short.stl", "text.stl", "scene.dae", "many.stl", "package://lost/b.stl"}) {
        INFO(address);
        const std::string about = "warning: mesh '" + std::string(address) + "' of link 'a'";
        CHECK(run.err.find(about) != std::string::npos);
    }
    CHECK(run.err.find("mesh 'solid.stl'") == std::string::npos);
}
