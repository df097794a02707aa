#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "grbda/generate/generate.hpp"

// Generated code, compiled by the machine's compilers and loaded.

namespace generated_code {

using Vector = Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline constexpr const char* c99 = "cc -x c -std=gnu99 -O0 -march=native";

/// A folder of this process, removed at the end.
inline const std::filesystem::path& folder() {
    struct Folder {
        std::filesystem::path path =
            std::filesystem::temp_directory_path() / ("grbda_generated_test_" + std::to_string(getpid()));
        Folder() { std::filesystem::create_directories(path); }
        ~Folder() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
    };
    static const Folder folder;
    return folder.path;
}

/// A robot's functions in a shared object.
class Compiled {
public:
    Compiled(const grbda::Model& model, grbda::GenerateOptions options, const std::string& compiler = c99)
        : code(grbda::generate(model, options)), name_(options.name) {
        static int count = 0;
        const std::filesystem::path place = folder() / std::to_string(count++);
        std::filesystem::create_directories(place);
        std::ofstream(place / (name_ + ".h")) << code.header;
        std::ofstream(place / (name_ + ".c")) << code.source;
        const std::string object = (place / "robot.so").string();
        const std::string command = "cd '" + place.string() + "' && " + compiler +
                                    " -Wall -Wextra -Wshadow -Wconversion -Werror -shared -fPIC " + name_ +
                                    ".c -o " + object + " -lm";
        REQUIRE(std::system(command.c_str()) == 0);
        library_ = dlopen(object.c_str(), RTLD_NOW);
        REQUIRE(library_);
    }
    ~Compiled() { dlclose(library_); }
    Compiled(const Compiled&) = delete;
    Compiled& operator=(const Compiled&) = delete;

    /// Calls a function by its name without the robot's.
    template <class Result = int, class... Arguments>
    Result call(const std::string& function, Arguments... arguments) const {
        void* const symbol = dlsym(library_, (name_ + "_" + function).c_str());
        INFO(function);
        REQUIRE(symbol);
        return reinterpret_cast<Result (*)(Arguments...)>(symbol)(arguments...);
    }

    grbda::GeneratedCode code;

private:
    std::string name_;
    void* library_ = nullptr;
};

inline const double* in(const Vector& x) { return x.data(); }

}  // namespace generated_code
