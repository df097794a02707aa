#include <cstdio>
#include <filesystem>
#include <fstream>

#include "arguments.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/write_urdf.hpp"
#include "grbda/model/build.hpp"
#include "json_text.hpp"
#include "terminal.hpp"

namespace grbda::tool {
namespace {

void stop_on_errors(const Diagnostics& diagnostics) {
    if (has_errors(diagnostics)) throw LoadError(diagnostics);
}

/// The robot with names resolved, of which a model can be built.
Mechanism load_mechanism(const ModelArguments& arguments, Diagnostics& diagnostics) {
    const LoadOptions options = load_options(arguments);
    const RobotDescription robot = read_description(arguments.files, diagnostics);
    stop_on_errors(diagnostics);
    Mechanism mechanism = make_mechanism(robot, options, diagnostics);
    stop_on_errors(diagnostics);
    build_model(mechanism, options, diagnostics);
    stop_on_errors(diagnostics);
    return mechanism;
}

/// The input that a path leads to, by whatever name; empty if none.
std::string input_at(const std::string& path, const std::vector<std::string>& inputs) {
    for (const std::string& input : inputs) {
        std::error_code missing;
        if (std::filesystem::equivalent(path, input, missing) && !missing) return input;
    }
    return {};
}

void write(const std::string& text, const std::string& path) {
    if (path.empty() || path == "-") {
        std::fputs(text.c_str(), stdout);
        if (std::fflush(stdout) != 0) throw InputError("standard output: cannot be written");
        return;
    }
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw InputError(path + ": cannot be written");
}

}  // namespace

int convert(const ConvertArguments& arguments) {
    const std::string input = input_at(arguments.output, arguments.model.files);
    if (!input.empty()) {
        std::fprintf(stderr, "%s: is an input (%s); the result needs another place\n",
                     arguments.output.c_str(), input.c_str());
        return Exit::bad_call;
    }
    Diagnostics diagnostics;
    const Mechanism mechanism = load_mechanism(arguments.model, diagnostics);
    if (!arguments.model.quiet) print(stderr, diagnostics);
    write(write_urdf(mechanism), arguments.output);
    return Exit::success;
}

}  // namespace grbda::tool
