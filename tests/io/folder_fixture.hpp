#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"

// Robots of several files, in a folder of their own.

namespace folder_test {

/// Gone when this is.
class Folder {
public:
    Folder()
        : path_(std::filesystem::canonical(std::filesystem::temp_directory_path()) /
                ("grbda_folder_" + std::to_string(getpid()) + "_" + std::to_string(++count))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string at(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
        return at(name);
    }

private:
    static inline int count = 0;
    std::filesystem::path path_;
};

/// Every finding, a line each, with the folder's own name left out.
inline std::string in_words(const grbda::Diagnostics& findings, const Folder& folder) {
    std::string text;
    for (const grbda::Diagnostic& finding : findings) text += to_string(finding) + "\n";
    const std::string name = folder.at("");
    for (std::size_t i = text.find(name); i != std::string::npos; i = text.find(name, i))
        text.erase(i, name.size());
    return text;
}

/// The robot as one file of URDF+: the same text for the same mechanism, wherever it was read from.
inline std::string whole(const std::string& file, const std::vector<std::string>& paths = {}) {
    grbda::Diagnostics findings;
    const grbda::RobotDescription robot = grbda::read_description({file}, findings, paths);
    for (const grbda::Diagnostic& finding : findings) UNSCOPED_INFO(to_string(finding));
    REQUIRE_FALSE(has_errors(findings));
    const grbda::Mechanism mechanism = make_mechanism(robot, {}, findings);
    for (const grbda::Diagnostic& finding : findings) UNSCOPED_INFO(to_string(finding));
    REQUIRE_FALSE(has_errors(findings));
    return write_urdf(mechanism);
}

/// Message of the error when it is loaded; "" if it loads.
inline std::string refusal(const Folder& folder, const std::string& name,
                           const std::vector<std::string>& paths = {}) {
    grbda::LoadOptions options;
    options.paths = paths;
    try {
        grbda::load(folder.at(name), options);
    } catch (const grbda::LoadError& error) {
        return in_words(error.diagnostics(), folder);
    }
    return "";
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace folder_test
