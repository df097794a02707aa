#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// Runs the command-line tool as a user would.

namespace cli {

using Json = nlohmann::ordered_json;

struct Run {
    int exit = -1;  ///< negative: ended by a signal
    std::string out, err;
    Json json() const { return Json::parse(out); }
};

/// A folder of this process for the files of one test run; removed at the end.
inline const std::filesystem::path& folder() {
    struct Folder {
        std::filesystem::path path =
            std::filesystem::temp_directory_path() / ("grbda_cli_test_" + std::to_string(getpid()));
        Folder() { std::filesystem::create_directories(path); }
        ~Folder() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
    };
    static const Folder folder;
    return folder.path;
}

inline std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// Path of a new file with this text.
inline std::string written(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
}

/// Commands of the shell in a shell of their own; they may redirect their streams themselves.
inline Run shell(const std::string& commands) {
    const auto out = folder() / "stdout", err = folder() / "stderr";
    const std::string whole =
        "(" + commands + ") >'" + out.string() + "' 2>'" + err.string() + "' </dev/null";
    const int status = std::system(whole.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

inline Run run(const std::string& arguments, const std::string& before = "") {
    return shell(before + " '" + GRBDA_TOOL + "' " + arguments);
}

inline std::string quoted(const std::string& path) { return "'" + path + "'"; }

/// The robot's description and its side files, to stand between single quotes.
inline std::string robot(const std::string& name) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(GRBDA_ROBOTS) + "/" + name))
        if (entry.path().extension() != ".md") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    std::string list;
    for (const std::string& file : files) list += (list.empty() ? "" : "' '") + file;
    return list;
}

inline std::vector<std::string> robots() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(GRBDA_ROBOTS))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    return names;
}

/// `grbda compute` on states given as text.
inline Run compute(const std::string& model, const std::string& states, const std::string& options = "") {
    return run("compute '" + model + "' --quiet --states '" + written("states.json", states) + "' " +
               options);
}

/// The states of a successful run.
inline Json states_of(const std::string& model, const std::string& states, const std::string& options = "") {
    return compute(model, states, options).json().at("states");
}

/// Size of a number, or of the largest one in an array or object.
inline double size_of(const Json& a) {
    if (a.is_number()) return std::abs(a.get<double>());
    double largest = 0;
    if (a.is_structured())
        for (const Json& entry : a) largest = std::max(largest, size_of(entry));
    return largest;
}

/// Largest difference of the numbers in two documents of one shape, relative to 1 + the largest number beside
/// each: thin rods that spin about themselves come with accelerations far larger than the others. Infinite
/// where the shapes differ.
inline double difference(const Json& a, const Json& b, double scale = 0) {
    constexpr double unlike = std::numeric_limits<double>::infinity();
    if (a.is_number() && b.is_number()) {
        const double size = std::max(scale, std::abs(a.get<double>()));
        return std::abs(a.get<double>() - b.get<double>()) / (1 + size);
    }
    if (a.type() != b.type() || a.size() != b.size()) return unlike;
    if (!a.is_structured()) return a == b ? 0 : unlike;
    const bool numbers = std::all_of(a.begin(), a.end(), [](const Json& entry) {
        return entry.is_number() || (entry.is_array() && !entry.empty() && entry[0].is_number());
    });
    const double beside = numbers ? size_of(a) : scale;
    double largest = 0;
    for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
        if (a.is_object() && i.key() != j.key()) return unlike;
        largest = std::max(largest, difference(*i, *j, beside));
    }
    return largest;
}

/// A wrist on a ball, a slide with a plate fused to its end by a fixed joint, and a plate on the base.
inline const char* const arm = R"(<robot name="arm"><link name="base"/><link name="plinth"/>
<joint name="bolt" type="fixed"><parent link="base"/><child link="plinth"/></joint>
<joint name="ball" type="spherical"><parent link="base"/><child link="rod"/></joint>
<link name="rod"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.15"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="rod"/><child link="slider"/><origin xyz="0.3 0 0"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
<link name="slider"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.03"/></inertial></link>
<joint name="weld" type="fixed"><parent link="slider"/><child link="plate"/><origin xyz="0.2 -0.1 0.3" rpy="0 0 1.5707963267948966"/></joint>
<link name="plate"/></robot>)";

}  // namespace cli
