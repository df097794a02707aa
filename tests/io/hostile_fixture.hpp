#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "grbda/io/load.hpp"
#include "support/counted_allocations.hpp"

// Files that nobody would write, and the results of loading them.

namespace hostile {

/// Files in a folder of their own, gone when this is.
class Folder {
public:
    Folder() {
        const std::string name = "grbda_hostile_" + std::to_string(std::random_device()());
        path_ = std::filesystem::temp_directory_path() / name;
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
    std::filesystem::path path_;
};

struct Outcome {
    bool loaded = false;
    grbda::Diagnostics findings;
    long allocations = 0;  ///< that loading made: a measure of its work

    std::string text() const {
        std::string all;
        for (const grbda::Diagnostic& finding : findings) all += to_string(finding).substr(0, 400) + "\n";
        return all;
    }
};

/// No file that these tests write needs more; sanitizers reserve more for themselves.
inline void limit_memory() {
#if !defined(GRBDA_SANITIZED)
    constexpr rlim_t most = rlim_t(4) << 30U;
    const rlimit limit{most, most};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
#endif
}

/// load() of these texts as files. Anything but a model or a LoadError is a failed test.
inline Outcome load_texts(const std::vector<std::string>& texts) {
    static const Folder folder;
    static const bool limited = (limit_memory(), true);
    REQUIRE(limited);
    std::vector<std::string> files;
    for (const std::string& text : texts) files.push_back(folder.write(std::to_string(files.size()), text));
    Outcome outcome;
    const long before = counted_allocations();
    try {
        outcome.findings = grbda::load(files).diagnostics;
        outcome.loaded = true;
    } catch (const grbda::LoadError& error) {
        outcome.findings = error.diagnostics();
    }
    outcome.allocations = counted_allocations() - before;
    return outcome;
}

inline std::string repeated(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

inline const char* const urdf = R"(<robot name="r">
<link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><mesh filename="arm.stl"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>
<collision><origin xyz="0 0 1"/><geometry><sphere radius="1"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>)";
inline const char* const srdf = R"(<robot name="r">
<group name="g"><joint name="j"/></group>
<group_state name="up" group="g"><joint name="j" value="0.5"/></group_state>
<passive_joint name="j"/>
</robot>)";
inline const char* const mjcf = R"(<mujoco model="m">
<worldbody><body name="arm" pos="0 0 1">
<joint name="j" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="box" size="1 1 1" rgba="1 0 0 1"/></body></worldbody>
</mujoco>)";
inline const char* const sdf = R"(<sdf version="1.9"><model name="m">
<link name="arm"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link>
<joint name="j" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>)";
inline const char* const extended = "closed_loop: []\ntype: []\nname_mot: [j]\n";
inline const char* const xrdf =
    "format: xrdf\nformat_version: 1.0\ncspace:\n  joint_names: [j]\n  acceleration_limits: [10]\n"
    "  jerk_limits: [100]\ntool_frames: [arm]\ndefault_joint_positions: {j: 0.25}\n";

/// A robot alone, or a side file with the URDF before it.
struct Sample {
    const char* name;
    std::string text;
    std::vector<std::string> with(const std::string& changed) const {
        return is_side_file ? std::vector<std::string>{urdf, changed} : std::vector<std::string>{changed};
    }
    bool is_side_file = false;
    bool is_xml = true;
};

inline const std::vector<Sample> samples = {{"URDF", urdf},
                                            {"MJCF", mjcf},
                                            {"SDF", sdf},
                                            {"SRDF", srdf, true},
                                            {"XRDF", xrdf, true, false},
                                            {"Extended URDF", extended, true, false}};

/// A robot of n links on a chain, or all on the base.
inline std::string urdf_links(int n, bool chain) {
    std::string text = "<robot name=\"r\"><link name=\"l0\"/>";
    for (int i = 1; i <= n; ++i) {
        const std::string id = std::to_string(i), parent = std::to_string(chain ? i - 1 : 0);
        text += "<link name=\"l" + id +
                "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>" +
                "</inertial></link><joint name=\"j" + id + "\" type=\"continuous\"><parent link=\"l" +
                parent + "\"/><child link=\"l" + id + "\"/></joint>\n";
    }
    return text + "</robot>";
}

inline std::string mjcf_links(int n, bool chain) {
    std::string text = "<mujoco model=\"m\"><worldbody>", ends;
    for (int i = 1; i <= n; ++i) {
        const std::string id = std::to_string(i);
        text += "<body name=\"l" + id + "\"><joint name=\"j" + id +
                "\"/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>" +
                (chain ? "\n" : "</body>\n");
    }
    return text + (chain ? repeated("</body>", n) : "") + "</worldbody></mujoco>";
}

inline std::string sdf_links(int n, bool chain) {
    std::string text = "<sdf version=\"1.9\"><model name=\"m\">";
    for (int i = 1; i <= n; ++i) {
        const std::string id = std::to_string(i);
        const std::string parent = chain && i > 1 ? "l" + std::to_string(i - 1) : "world";
        text += "<link name=\"l" + id +
                "\"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz>" +
                "</inertia></inertial></link><joint name=\"j" + id + "\" type=\"revolute\"><parent>" +
                parent + "</parent><child>l" + id + "</child><axis><xyz>0 0 1</xyz></axis></joint>\n";
    }
    return text + "</model></sdf>";
}

}  // namespace hostile
