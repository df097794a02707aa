#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "grbda/generate/generate.hpp"
#include "support/robots.hpp"

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
    /// `alter` changes the source before it is compiled.
    Compiled(const grbda::Model& model, grbda::GenerateOptions options, const std::string& compiler = c99,
             const std::function<void(std::string&)>& alter = {})
        : code(grbda::generate(model, options)), name_(options.name) {
        if (alter) alter(code.source);
        static std::atomic<int> count = 0;
        const std::filesystem::path place = folder() / std::to_string(count++);
        std::filesystem::create_directories(place);
        std::ofstream(place / (name_ + ".h")) << code.header;
        std::ofstream(place / (name_ + ".c")) << code.source;
        const std::string object = (place / "robot.so").string();
        const std::string command = "cd '" + place.string() + "' && " + compiler +
                                    " -Wall -Wextra -Wshadow -Wconversion -Werror -shared -fPIC " + name_ +
                                    ".c -o " + object + " -lm";
        if (std::system(command.c_str()) == 0) library_ = dlopen(object.c_str(), RTLD_NOW);
    }
    ~Compiled() {
        if (library_) dlclose(library_);
    }
    Compiled(const Compiled&) = delete;
    Compiled& operator=(const Compiled&) = delete;

    /// A symbol by its whole name, or null.
    void* symbol(const std::string& name) const {
        REQUIRE(library_);  // here, not in the thread that compiled
        return dlsym(library_, name.c_str());
    }

    /// Calls a function by its name without the robot's.
    template <class Result = int, class... Arguments>
    Result call(const std::string& function, Arguments... arguments) const {
        void* const found = symbol(name_ + "_" + function);
        INFO(function);
        REQUIRE(found);
        return reinterpret_cast<Result (*)(Arguments...)>(found)(arguments...);
    }

    grbda::GeneratedCode code;

private:
    std::string name_;
    void* library_ = nullptr;
};

/// Codes of robots by their names, two compilers at a time.
using Codes = std::map<std::string, std::unique_ptr<Compiled>>;
template <class Make>
Codes compiled(const std::vector<const test_robots::Robot*>& robots, const Make& make) {
    Codes codes;
    for (const test_robots::Robot* robot : robots) codes[robot->name];
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < robots.size(); i = next++)
            codes.at(robots[i]->name) = make(robots[i]->model);
    };
    std::thread other(work);
    work();
    other.join();
    return codes;
}

inline const double* in(const Vector& x) { return x.data(); }

}  // namespace generated_code
