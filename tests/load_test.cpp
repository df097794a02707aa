#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/io/format.hpp"
#include "grbda/io/load.hpp"

// One call for every format: files are told apart by what they hold.

using namespace grbda;

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

/// Files in a folder of their own, gone when this is.
class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("grbda_load_" + std::to_string(++count))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }

private:
    static inline int count = 0;
    std::filesystem::path path_;
};

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

}  // namespace

TEST_CASE("a format is told by content") {
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

TEST_CASE("what is no known format is refused with what was seen") {
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

TEST_CASE("one call loads every format, whatever the files are called") {
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
