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
