#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/io/file.hpp"
#include "grbda/io/load.hpp"
#include "io/folder_fixture.hpp"

// One call for every format: the content of a file determines its format.

using namespace grbda;
using folder_test::Folder;

namespace {

const char* const urdf = R"(<robot name="r">
  <link name="base"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
</robot>)";
const char* const srdf = R"(<robot name="r"><group name="g"><joint name="j"/></group>
  <group_state name="up" group="g"><joint name="j" value="0.5"/></group_state></robot>)";
const char* const mjcf = R"(<mujoco model="m"><worldbody><body name="arm">
  <joint name="j"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>)";
const char* const sdf = R"(<sdf version="1.9"><model name="m"><link name="arm"/>
  <joint name="j" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>
  </model></sdf>)";
const char* const extended = "closed_loop: []\ntype: []\nname_mot: [j]\n";
const char* const xrdf =
    "format: xrdf\nformat_version: 1.0\ncspace:\n  joint_names: [j]\n  acceleration_limits: [10]\n"
    "  jerk_limits: [100]\ntool_frames: [arm]\ndefault_joint_positions: {j: 0.25}\n";

std::optional<Format> format_of(const std::string& text) {
    Diagnostics diagnostics;
    return detect_format(text, "file", diagnostics);
}

std::string refusal(const std::vector<std::string>& files) {
    try {
        load(files);
    } catch (const LoadError& error) {
        std::string text;
        for (const Diagnostic& finding : error.diagnostics()) text += to_string(finding) + "\n";
        return text;
    }
    return "loaded";
}

/// "unknown-name joint j" of each error.
std::vector<std::string> errors(const std::vector<std::string>& files) {
    std::vector<std::string> found;
    try {
        load(files);
    } catch (const LoadError& error) {
        for (const Diagnostic& finding : error.diagnostics()) {
            if (finding.severity != Severity::error) continue;
            found.push_back(to_string(finding.code) + " " + finding.subject.kind + " " +
                            finding.subject.name);
        }
    }
    return found;
}

/// A robot with one joint, after which `more` stands.
std::string with_joint(const std::string& attributes, const std::string& inside,
                       const std::string& more = "") {
    return "<robot name=\"r\"><link name=\"base\"/>\n<link name=\"arm\"/>\n<joint " + attributes + ">\n" +
           inside + "</joint>\n" + more + "</robot>";
}

}  // namespace

TEST_CASE("a format is detected by content") {
    CHECK(format_of(urdf) == Format::urdf);
    CHECK(format_of(srdf) == Format::srdf);
    CHECK(format_of(mjcf) == Format::mjcf);
    CHECK(format_of(sdf) == Format::sdf);
    CHECK(format_of(extended) == Format::extended_urdf);
    CHECK(format_of(xrdf) == Format::xrdf);
    CHECK(format_of(std::string("\xEF\xBB\xBF\n <?xml version=\"1.0\"?><!-- <sdf> -->\n") + urdf) ==
          Format::urdf);
    CHECK(format_of(std::string("# format: xrdf\n---\n") + extended) == Format::extended_urdf);
    CHECK(format_of("<robot name='r'/>") == Format::urdf);
}

TEST_CASE("an unknown format is refused with the content that was found") {
    const auto finding = [](const std::string& text) {
        Diagnostics diagnostics;
        CHECK_FALSE(detect_format(text, "file", diagnostics));
        REQUIRE(diagnostics.size() == 1);
        return to_string(diagnostics[0]);
    };
    CHECK_THAT(finding(""), Catch::Contains("an empty file"));
    CHECK_THAT(finding(" \n\t"), Catch::Contains("an empty file"));
    CHECK_THAT(finding("<COLLADA/>"), Catch::Contains("<COLLADA>"));
    CHECK_THAT(finding("<robt/>"), Catch::Contains("did you mean 'robot'?"));
    CHECK_THAT(finding("<robot"), Catch::Contains("well-formed XML"));
    CHECK_THAT(finding("{\"name\": 3}"), Catch::Contains("none of their keys"));
    CHECK_THAT(finding("hello"), Catch::Contains("neither XML nor a YAML mapping"));
    CHECK_THAT(finding("a: [1, 2"), Catch::Contains("file:"));
}

TEST_CASE("one call loads every format, whatever the names of the files") {
    const Folder folder;
    const std::string robot = folder.write("1.txt", urdf), states = folder.write("2.xml", srdf);
    const std::string motors = folder.write("3", extended), space = folder.write("4.urdf", xrdf);
    CHECK(load(robot).nv == 1);
    CHECK(load(folder.write("5.yaml", mjcf)).nv == 1);
    CHECK(load(folder.write("6.urdf", sdf)).nv == 1);
    const Model model = load({space, states, robot, motors});
    CHECK(model.nv == 1);
    CHECK(model.neutral == std::vector<double>{0.25});
    CHECK(model.actuated == std::vector<char>{1});
    CHECK(model.limits[0].acceleration == 10);
    REQUIRE(model.tool_frames.size() == 1);
    REQUIRE(model.states.size() == 1);
    CHECK(model.states[0].q[0] == 0.5);
}

TEST_CASE("files that are no robot together are refused by name") {
    const Folder folder;
    const std::string robot = folder.write("robot.urdf", urdf), other = folder.write("other.xml", mjcf);
    const std::string side = folder.write("side.yaml", extended);
    CHECK_THAT(refusal({robot, other}),
               Catch::Contains("other.xml: error") && Catch::Contains("a second robot description (MJCF)"));
    CHECK_THAT(refusal({side}), Catch::Contains("only a side file (Extended URDF's YAML)"));
    CHECK_THAT(refusal({robot, "/nowhere/at_all.yaml"}), Catch::Contains("at_all.yaml: error"));
    CHECK_THAT(refusal({}), Catch::Contains("at least one file"));
    const std::string both = refusal({folder.write("broken.urdf", "<robot name='r'><link/></robot>"),
                                      folder.write("broken.yaml", "closed_loop: [[a, b]]\ntype: [7d]\n")});
    CHECK_THAT(both, Catch::Contains("broken.urdf:1") && Catch::Contains("broken.yaml:2"));
}

TEST_CASE("wrong names are reported whatever else is wrong with their element") {
    using Errors = std::vector<std::string>;
    const Folder folder;
    const auto found = [&folder](const std::string& text) {
        INFO(text);
        return errors({folder.write("robot.urdf", text)});
    };
    const std::string unknown = "<parent link=\"bse\"/><child link=\"arm\"/>";
    const Errors both{"unknown-word joint j", "unknown-name joint j"};
    CHECK(found(with_joint("name=\"j\" type=\"revolut\"", unknown)) == both);
    CHECK(
        found(
            "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"/><joint name=\"j\" type=\"revolut\">" +
            unknown + "</joint></robot>") == both);
    CHECK(found(with_joint("name=\"j\" type=\"fixed\"", unknown + "<origin xyz=\"0 x 0\"/>")) ==
          Errors{"bad-number joint j", "unknown-name joint j"});
    const std::string known = "<parent link=\"base\"/><child link=\"arm\"/>";
    CHECK(found(with_joint(
              "name=\"j\" type=\"revolut\"", known,
              "<joint name=\"j\" type=\"fixed\"><parent link=\"arm\"/><child link=\"arm\"/></joint>")) ==
          Errors{"unknown-word joint j", "duplicate-name joint j", "same-ends joint j"});
}

TEST_CASE("every figure of an element with an error is judged, in every format") {
    using Errors = std::vector<std::string>;
    const Folder folder;
    const auto found = [&folder](const std::string& text) {
        INFO(text);
        return errors({folder.write("robot", text)});
    };
    const std::string unknown = "<parent link=\"bse\"/><child link=\"arm\"/>";
    const std::string crossed = "<limit lower=\"2\" upper=\"1\"/>";
    CHECK(found(with_joint("name=\"j\" type=\"revolut\"", unknown + crossed)) ==
          Errors{"unknown-word joint j", "unknown-name joint j", "out-of-range joint j"});
    CHECK(
        found(with_joint("name=\"j\" type=\"revolute\"",
                         unknown + crossed + "<origin xyz=\"0 x 0\"/><axis xyz=\"0 0 0\"/>")) ==
        Errors{"bad-number joint j", "unknown-name joint j", "out-of-range joint j", "out-of-range joint j"});
    CHECK(found("<robot name=\"r\"><link name=\"base\"><inertial><mass value=\"-1\"/>"
                "<inertia ixx=\"x\" iyy=\"1\" izz=\"1\"/></inertial></link><link name=\"ground\"/><joint "
                "name=\"j\" "
                "type=\"floating\"><parent link=\"ground\"/><child link=\"base\"/></joint></robot>") ==
          Errors{"bad-number link base", "out-of-range link base"});

    const auto sdf_joint = [](const std::string& type, const std::string& xyz) {
        return "<sdf version=\"1.9\"><model name=\"m\"><link name=\"arm\"/><joint name=\"j\" type=\"" + type +
               "\"><parent>wrld</parent><child>arm</child><axis><xyz>" + xyz +
               "</xyz><limit><lower>x</lower></limit></axis></joint></model></sdf>";
    };
    CHECK(found(sdf_joint("revolut", "0 0 1")) ==
          Errors{"unknown-word joint j", "unknown-name joint j", "bad-number joint j"});
    CHECK(found(sdf_joint("revolute", "0 0 0")) ==
          Errors{"unknown-name joint j", "bad-number joint j", "out-of-range joint j"});

    CHECK(
        found(
            "<mujoco><worldbody><body name=\"arm\"><inertial mass=\"-1\" diaginertia=\"1 1 1\"/>\n"
            "<joint name=\"j\" class=\"none\" type=\"hing\" axis=\"0 0 0\" range=\"2 1\"/></body></worldbody>"
            "</mujoco>") == Errors{"unknown-name joint j", "unknown-word joint j", "out-of-range joint j",
                                   "out-of-range link arm", "out-of-range joint j"});
}

TEST_CASE("an element with an error has no further errors that could follow from it, and none twice") {
    using Errors = std::vector<std::string>;
    const Folder folder;
    const auto found = [&folder](const std::string& text) {
        INFO(text);
        return errors({folder.write("robot.urdf", text)});
    };
    CHECK(found(with_joint("name=\"j\" type=\"fixed\"", "<child link=\"arm\"/>")) ==
          Errors{"missing joint j"});
    CHECK(found(with_joint(
              "name=\"j\" type=\"fixed\"", "<parent link=\"base\"/><child link=\"arm\"/>",
              "<joint name=\"k\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/>\n"
              "<mimic/></joint>")) == Errors{"missing joint k"});
    CHECK(found(with_joint("name=\"j\" type=\"continuous\"",
                           "<parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 0 0\"/>")) ==
          Errors{"out-of-range joint j"});
    // The refused axis gets a default along the other one. Only the first error is reported.
    CHECK(found(with_joint("name=\"j\" type=\"universal\"",
                           "<parent link=\"base\"/><child link=\"arm\"/>"
                           "<axis xyz=\"0 1 0\"/><axis2 xyz=\"x 0 0\"/>")) == Errors{"bad-number joint j"});
}

TEST_CASE("a file of YAML is parsed once, and errors of its text are reported once") {
    const Folder folder;
    const std::string robot = folder.write("robot.urdf", urdf);
    const std::string side = folder.write("side.yaml", std::string(extended) + "name_mot: [j]\n");
    CHECK(errors({robot, side}) == std::vector<std::string>{"syntax file " + side});
    CHECK(errors({robot, folder.write("broken.yaml", "a: [1, 2")}).size() == 1);
    CHECK(errors({robot, folder.write("twice.yaml", "a: 1\na: 2")}).size() == 1);
    CHECK(errors({robot, folder.write("other.yaml", "a: 1")}) ==
          std::vector<std::string>{"unknown-format file " + folder.write("other.yaml", "a: 1")});
    CHECK(errors({robot, "/nowhere/at_all.yaml"}) ==
          std::vector<std::string>{"unreadable file /nowhere/at_all.yaml"});
}
