#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "families.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "groups.hpp"
#include "memory.hpp"
#include "subject.hpp"

// load/100_bodies: from a URDF+ file to a model; load/ROBOT: of each robot of robots/, with its memory.

namespace grbda::benchmarks {
namespace {

/// A file that is deleted with its owner.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() /
                ("grbda_benchmarks_" + std::to_string(getpid()) + ".urdf")) {
        std::ofstream(path_) << text;
    }
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

void time_load(benchmark::State& timer, const RobotDescription& robot) {
    Diagnostics diagnostics;
    const TemporaryFile file(write_urdf(make_mechanism(robot, {}, diagnostics)));
    timer.counters["bodies"] = load(file.path()).body_count();
    for (auto iteration : timer) {
        (void)iteration;
        benchmark::DoNotOptimize(load(file.path()));
    }
}

/// A robot's own files; counters: bytes of its model and of one workspace.
void time_robot(benchmark::State& timer, const std::string& robot) {
    const std::vector<std::string> files = robot_files(robot);
    const Model model = load(files);
    timer.counters["bodies"] = model.body_count();
    timer.counters["model_bytes"] = bytes_of(model);
    timer.counters["data_bytes"] = bytes_of(Data(model));
    for (auto iteration : timer) {
        (void)iteration;
        benchmark::DoNotOptimize(load(files));
    }
}

}  // namespace

void register_load() {
    // a floating base and 99 bodies: 33 four-bars, the family with the most work at load
    benchmark::RegisterBenchmark("load/100_bodies",
                                 [](benchmark::State& timer) { time_load(timer, four_bar_tree(3, 11)); });
    for (const std::string& robot : robot_names())
        benchmark::RegisterBenchmark(("load/" + robot).c_str(),
                                     [=](benchmark::State& timer) { time_robot(timer, robot); });
}

}  // namespace grbda::benchmarks
