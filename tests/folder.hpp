#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace test_files {

/// Files in a folder of their own, gone when this is.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("grbda_test_" + std::to_string(getpid()) + "_" + std::to_string(++count))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }

private:
    static inline int count = 0;
    std::filesystem::path path_;
};

}  // namespace test_files
