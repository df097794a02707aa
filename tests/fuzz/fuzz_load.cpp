#include <filesystem>
#include <fstream>
#include <vector>

#include <unistd.h>

#include "grbda/io/load.hpp"
#include "robot.hpp"

// Reads files of any content like a user's files. With one robot the bytes may contain one side file.

namespace {

std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path memory = "/dev/shm";
    static const std::filesystem::path folder =
        (std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path()) /
        ("grbda_fuzz_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / name).string();
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto [robot_text, side_text] = fuzz::split(data, size);
    std::vector<std::string> files = {write("side", side_text)};
    if (robot_text != fuzz::small_robot) files.push_back(write("robot", robot_text));
    grbda::Diagnostics findings;
    const grbda::RobotDescription robot = grbda::read_description(files, findings);
    if (!has_errors(findings)) fuzz::check(robot, {});
    try {
        const grbda::Model model = grbda::load(files);
    } catch (const grbda::LoadError&) {
    }
    return 0;
}
