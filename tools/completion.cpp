#include "completion.hpp"

#include <cstdio>

#include "describe/describe.hpp"
#include "grbda/io/load.hpp"
#include "output.hpp"

namespace grbda::tool {

void add_completion(CLI::App& app, CompletionArguments& arguments) {
    CLI::App& command =
        *app.add_subcommand("completion", "Script with which a shell completes command lines");
    command.add_option("SHELL", arguments.shell, "Shell that reads the script")
        ->required()
        ->check(CLI::IsMember({"bash"}));
    command.add_option("-o,--output", arguments.output, "File for the script; - or none is standard output")
        ->type_name("FILE");
    command.footer(
        "Packages and cmake --install install the script; this is for other locations.\n"
        "\n"
        "Example:\n"
        "  grbda completion bash -o ~/.local/share/bash-completion/completions/grbda\n");
}

int completion(const CLI::App& app, const CompletionArguments& arguments) {
    write_output(bash_completion(command_table(app)), arguments.output);
    return Exit::success;
}

void add_names(CLI::App& app, NamesArguments& arguments) {
    CLI::App& command = *app.add_subcommand("names", "Names in a robot, for the completion script");
    command.group("");
    command.add_option("KIND", arguments.kind, "joint, frame or state")
        ->required()
        ->check(CLI::IsMember({"joint", "frame", "state"}));
    command.add_option("MODEL", arguments.files, "Robot and side files")->required();
}

int print_names(const NamesArguments& arguments) {
    const Model model = load(arguments.files);
    std::vector<std::string> names;
    if (arguments.kind == "joint")
        for (const int i : describe::bodies_in_user_order(model)) names.push_back(model.names.joints[i]);
    if (arguments.kind == "frame")
        for (const Frame& frame : model.frames) names.push_back(frame.name);
    if (arguments.kind == "state")
        for (const SavedState& state : model.states) names.push_back(state.name);
    for (const std::string& name : names) std::printf("%s\n", name.c_str());
    return Exit::success;
}

}  // namespace grbda::tool
