#include <charconv>

#include <CLI/CLI.hpp>

#include "options.hpp"

namespace grbda::tool {
namespace {

/// The port that `--serve` names. An empty text means any free port.
int port_number(const std::string& text) {
    int port = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, port);
    if (text.empty()) return 0;
    if (error == std::errc() && stop == end && port >= 0 && port <= 65535) return port;
    throw CLI::ValidationError("--serve", "expected a port from 0 to 65535, found '" + text + "'");
}

}  // namespace

void add_view_options(CLI::App& command, ViewArguments& arguments) {
    command
        .add_option("--record", arguments.record, "Record of `simulate`, CSV or JSON, that the page replays")
        ->type_name("FILE");
    command
        .add_option("--template", arguments.page,
                    "Template of the page, if it is not where the tool is installed")
        ->type_name("FILE");
    const auto serve = [&arguments](const std::string& port) {
        arguments.is_served = true;
        arguments.serve.port = port_number(port);
    };
    CLI::Option* const served =
        command
            .add_option_function<std::string>("--serve", serve,
                                              "Serve the page on this port of 127.0.0.1, without PORT on a "
                                              "free one, and print its address; "
                                              "Ctrl-C ends it. The robot's files stand before this option")
            ->type_name("[PORT]")
            ->expected(0, 1)
            ->excludes("--output");
    command
        .add_option(
            "--rows", arguments.serve.rows,
            "Rows that a program writes, CSV as of `simulate`, which the page shows as they come; - is "
            "standard input")
        ->type_name("FILE")
        ->needs(served);
    command.footer(
        "The page contains the engine, the robot and its meshes in STL, OBJ, Collada and GLB. Without "
        "--serve it needs no network.\n"
        "\n"
        "Examples:\n"
        "  grbda view leg.urdf leg.yaml -o leg.html\n"
        "  my_program | grbda view leg.urdf leg.yaml --serve --rows -\n");
}

}  // namespace grbda::tool
