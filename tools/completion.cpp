#include "completion.hpp"

#include "output.hpp"

namespace grbda::tool {

void add_completion(CLI::App& app, CompletionArguments& arguments) {
    CLI::App& command =
        *app.add_subcommand("completion", "Script with which a shell completes command lines");
    command.add_option("SHELL", arguments.shell, "Shell that reads the script")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}));
    command.add_option("-o,--output", arguments.output, "File for the script; - or none is standard output")
        ->type_name("FILE");
    command.footer(
        "Packages and cmake --install install both scripts; this is for other locations.\n"
        "\n"
        "Example:\n"
        "  grbda completion bash -o ~/.local/share/bash-completion/completions/grbda\n");
}

int completion(const CLI::App& app, const CompletionArguments& arguments) {
    const std::vector<CommandFacts> table = command_table(app);
    write_output(arguments.shell == "zsh" ? zsh_completion(table) : bash_completion(table), arguments.output);
    return Exit::success;
}

}  // namespace grbda::tool
