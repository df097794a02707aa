#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <unistd.h>

#include "grbda/io/load.hpp"
#include "robot.hpp"

// A robot of several files in a folder of its own, each begun by a line "=== NAME ==="; the first is the
// robot's.

namespace {

namespace fs = std::filesystem;

struct File {
    std::string name, text;
};

/// Below the folder, and no longer than a path may be.
bool is_allowed(const std::string& name) {
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '/';
    };
    const bool plain = std::all_of(name.begin(), name.end(), is_plain);
    return plain && !name.empty() && name.size() < 40 && name.front() != '/' &&
           name.find("..") == std::string::npos;
}

std::vector<File> split_files(const std::string& text) {
    constexpr std::string_view begin = "=== ", end = " ===\n";
    std::vector<File> files;
    for (std::size_t at = text.find(begin); at != std::string::npos;) {
        const std::size_t close = text.find(end, at);
        if (close == std::string::npos) break;
        const std::string name = text.substr(at + begin.size(), close - at - begin.size());
        const std::size_t after = close + end.size();
        at = text.find(begin, after);
        if (is_allowed(name)) files.push_back({name, text.substr(after, at - after)});
    }
    return files;
}

/// Emptied at each call.
fs::path own_folder() {
    const fs::path memory = "/dev/shm";
    const fs::path folder = (fs::exists(memory) ? memory : fs::temp_directory_path()) /
                            ("grbda_fuzz_includes_" + std::to_string(getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder / "models");
    return folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<File> files = split_files(std::string(reinterpret_cast<const char*>(data), size));
    if (files.empty()) return 0;
    const fs::path folder = own_folder();
    for (const File& file : files) {
        std::error_code taken;  // a file where a folder is needed stays away
        fs::create_directories((folder / file.name).parent_path(), taken);
        std::ofstream(folder / file.name, std::ios::binary | std::ios::trunc) << file.text;
    }
    grbda::Diagnostics findings;
    const grbda::RobotDescription robot = grbda::read_description({(folder / files.front().name).string()},
                                                                  findings, {(folder / "models").string()});
    if (!has_errors(findings)) fuzz::check(robot, {});
    fs::remove_all(folder);
    return 0;
}
