#include "completion.hpp"

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

}  // namespace grbda::tool
