#include <catch2/catch.hpp>

#include "cli_fixture.hpp"

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
    const std::string massless =
        cli::written("massless.urdf",
                     "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"/><joint name=\"j\" "
                     "type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/></joint></robot>");
    for (const std::string& file : {unknown, syntax, massless, std::string("missing.urdf")}) {
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
