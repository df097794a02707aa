#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

// Robots of several files, and files that do not exist, at the command line.

using namespace cli;

namespace {

constexpr double rounding = 1e-13;  // of numbers that were written and read again

/// A robot with a loop of its own in each of two attached legs; returns its file. The legs are elsewhere.
std::string robot_of_many_files() {
    std::filesystem::create_directories(folder() / "many");
    std::filesystem::create_directories(folder() / "legs");
    const std::string inertial = "<inertial pos=\"0.1 0 0\" mass=\"2\" diaginertia=\"0.1 0.2 0.25\"/>";
    written("legs/leg.xml", "<mujoco><worldbody><body name=\"thigh\">" + inertial +
                                "<joint name=\"hip\" axis=\"0 1 0\"/>" +
                                "<body name=\"shank\" pos=\"0.4 0 0\">" + inertial +
                                "<joint name=\"knee\" axis=\"0 1 0\"/></body></body>" +
                                "</worldbody><equality><joint joint1=\"knee\" joint2=\"hip\" polycoef=\"0 2 "
                                "0.3\"/></equality></mujoco>");
    written("many/trunk.xml",
            "<mujoco><body name=\"trunk\">" + inertial + "<joint name=\"lift\" type=\"slide\"/>" +
                "<replicate count=\"2\" sep=\"_\" offset=\"0 0.3 0\" euler=\"0 0 40\">" +
                "<attach model=\"leg\" body=\"thigh\" prefix=\"leg_\"/></replicate></body></mujoco>");
    return written("many/robot.xml",
                   "<mujoco><asset><model name=\"leg\" file=\"leg.xml\"/></asset><worldbody>"
                   "<include file=\"trunk.xml\"/></worldbody></mujoco>");
}

const std::string some_states = R"({"states": [{"q": {"leg_hip_0": 0.3, "leg_hip_1": -0.2, "lift": 0.1},
    "yd": {"leg_hip_0": 1, "leg_hip_1": 2, "lift": -1}, "tau": {"leg_hip_0": 3}}]})";

}  // namespace

TEST_CASE("every command takes the folders of included files") {
    const std::string file = robot_of_many_files(), legs = (folder() / "legs").string();
    for (const char* command : {"info", "check", "convert"}) {
        INFO(command);
        const Run without = run(std::string(command) + " '" + file + "'");
        CHECK(without.exit == 1);
        CHECK((without.out + without.err).find("--path FOLDER") != std::string::npos);
        CHECK(run(std::string(command) + " '" + file + "' --path '" + legs + "'").exit == 0);
    }
    CHECK(compute(file, some_states, "--path /dev --path '" + legs + "'").exit == 0);
    CHECK(compute(file, some_states).exit == 1);
    CHECK(run("check '" + file + "' --path '" + file + "'").exit == 1);
}

TEST_CASE("converting a robot of many files gives one file of the same dynamics") {
    const std::string file = robot_of_many_files(), legs = (folder() / "legs").string();
    const std::string one = (folder() / "one.urdf").string();
    REQUIRE(run("convert '" + file + "' --path '" + legs + "' -o '" + one + "'").exit == 0);
    const Json many = states_of(file, some_states, "--path '" + legs + "'");
    CHECK(many.at(0).at("status") == "ok");
    CHECK(many.at(0).at("q").size() == 5);
    CHECK(difference(many, states_of(one, some_states)) < rounding);
}

TEST_CASE("no command overwrites a file that the robot's file includes, by whatever name") {
    const std::filesystem::path all = folder() / "all";
    std::filesystem::create_directories(all / "models/arm");
    const std::string body =
        "<body name=\"a\"><joint name=\"j\"/><inertial pos=\"0 0 0\" mass=\"1\" "
        "diaginertia=\"1 1 1\"/></body>";
    written("all/part.xml", "<mujoco>" + body + "</mujoco>");
    written("all/leg.xml", "<mujoco><worldbody><include file=\"part.xml\"/></worldbody></mujoco>");
    written("all/include.xml", "<mujoco><worldbody><include file=\"part.xml\"/></worldbody></mujoco>");
    written("all/attach.xml",
            "<mujoco><asset><model name=\"leg\" file=\"leg.xml\"/></asset><worldbody>"
            "<attach model=\"leg\" prefix=\"p\"/></worldbody></mujoco>");
    written("all/models/arm/model.config", "<model><sdf version=\"1.9\">arm.sdf</sdf></model>");
    written("all/models/arm/arm.sdf",
            "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"/><joint name=\"j\" type=\"fixed\">"
            "<parent>world</parent><child>a</child></joint></model></sdf>");
    written("all/robot.sdf",
            "<sdf version=\"1.9\"><world name=\"w\"><include><uri>models/arm</uri></include>"
            "</world></sdf>");
    const std::string states = written("all/states.json", R"({"states": [{}]})");
    for (const auto& [robot, name] :
         std::vector<std::pair<std::string, std::string>>{{"include.xml", "part.xml"},
                                                          {"attach.xml", "leg.xml"},
                                                          {"attach.xml", "part.xml"},
                                                          {"robot.sdf", "models/arm/model.config"},
                                                          {"robot.sdf", "models/arm/arm.sdf"}}) {
        const std::string file = (all / name).string(), before = content(file);
        std::filesystem::remove(all / "link");
        std::filesystem::create_hard_link(file, all / "link");
        const std::string model = "'" + (all / robot).string() + "'";
        for (const std::string& call :
             {"convert " + model, "compute " + model + " --states '" + states + "'"}) {
            for (const std::string& output : {file, (all / "link").string()}) {
                INFO(call << " -o " << output);
                const Run refused = run(call + " -o '" + output + "'");
                CHECK(refused.exit == 2);
                CHECK(refused.err.find(": is an input (" + file + ")") != std::string::npos);
                CHECK(content(file) == before);
            }
            CHECK(run(call + " -o '" + (all / "result").string() + "'").exit == 0);
        }
    }
}

#if !defined(GRBDA_SANITIZED)  // sanitizers need more address space than the limit leaves
TEST_CASE("an included file needs little more than twice its size of memory") {
    constexpr std::size_t size = 64 << 20;
    const std::string body =
        "<body><joint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body>";
    written("large.xml", "<mujoco><!--" + std::string(size, 'x') + "-->" + body + "</mujoco>");
    written("large_model.xml",
            "<mujoco><!--" + std::string(size, 'x') + "--><worldbody>" + body + "</worldbody></mujoco>");
    for (const std::string& inside :
         {std::string("<worldbody><include file=\"large.xml\"/></worldbody>"),
          std::string("<asset><model name=\"m\" file=\"large_model.xml\"/></asset><worldbody><attach "
                      "model=\"m\" prefix=\"p\"/></worldbody>")}) {
        const std::string file = written("small.xml", "<mujoco>" + inside + "</mujoco>");
        const Run checked = run("check '" + file + "'", "ulimit -v " + std::to_string(3 * size / 1024) + ";");
        INFO(checked.err);
        CHECK(checked.exit == 0);
    }
}
#endif

TEST_CASE("a states file that is a pipe, a folder or too large is refused by name") {
    const std::string file = robot_of_many_files(), legs = (folder() / "legs").string();
    const auto with = [&](const std::string& states) {
        return run("compute '" + file + "' --path '" + legs + "' --states '" + states + "'", "timeout 60")
            .err;
    };
    const std::string pipe = (folder() / "pipe").string();
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(with(pipe).find(pipe + ": expected a readable file that is not empty, found a pipe") !=
          std::string::npos);
    CHECK(with(legs).find("found a folder") != std::string::npos);
    CHECK(with("/dev/zero").find("found a device") != std::string::npos);
    CHECK(with(written("empty.json", "")).find("found an empty one") != std::string::npos);
    const std::string large = written("large.json", "{}");
    std::filesystem::resize_file(large, (std::size_t{64} << 20) + 1);
    CHECK(with(large).find("more than 64 MiB") != std::string::npos);
}
