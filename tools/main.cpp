#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>

#include <CLI/CLI.hpp>

#include "arguments.hpp"
#include "completion.hpp"
#include "describe/json_text.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "version.hpp"

namespace grbda::tool {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  grbda robot.urdf                     the robot, checked, in a browser\n"
    "  grbda check robot.urdf --strict\n"
    "  grbda info robot.urdf\n"
    "  grbda info robot.urdf --dot | dot -Tsvg -o robot.svg\n"
    "  grbda compute robot.urdf --states states.json -o out.json --method dense_kkt\n"
    "  grbda convert robot.xml -o robot.urdf\n"
    "  grbda ik robot.urdf --target foot=0.1,0,-0.6\n"
    "  grbda project robot.urdf --q knee=0.31 ankle=-0.2\n"
    "  grbda simulate robot.urdf --duration 2 --ground 0 -o fall.csv\n";

constexpr const char* states_format =
    "STATES.json:\n"
    "  {\"gravity\": [0, 0, -9.81],\n"
    "   \"states\": [{\"q\": {\"knee\": 0.3}, \"yd\": {\"knee\": 1},\n"
    "               \"ydd\": {\"knee\": 0}, \"tau\": {\"knee\": 2},\n"
    "               \"wrenches\": {\"foot\": [0, 0, 50, 0, 0, 0]}}]}\n"
    "  Only \"states\" is required; dependent joints are solved for.\n"
    "\n"
    "Examples:\n"
    "  grbda compute robot.urdf --q knee=0.3 --tau knee=2\n"
    "  grbda compute robot.urdf --states states.json -o out.json\n";

void add_info(CLI::App& app, InfoArguments& arguments) {
    CLI::App& command =
        *app.add_subcommand("info", "Summary of the robot: cluster tree, constraints, coordinates");
    add_model_options(command, arguments.model);
    CLI::Option* json = command.add_flag("--json", arguments.json, "Print JSON");
    command.add_flag("--dot", arguments.dot, "Print Graphviz: spanning tree, digraph, cluster tree")
        ->excludes(json);
    command.footer(
        "Example:\n  grbda info robot.urdf\n  grbda info robot.urdf --dot | dot -Tsvg -o robot.svg\n");
}

void add_check(CLI::App& app, CheckArguments& arguments) {
    CLI::App& command = *app.add_subcommand("check", "All errors, warnings and notes about a description");
    add_model_options(command, arguments.model);
    command.add_flag("--strict", arguments.model.strict, "Report dubious values as errors, not warnings");
    command.add_flag("--json", arguments.json, "Print JSON");
    command.footer(
        "Exit code 1 if there are errors; 4 under --strict if joints are locked; otherwise 0.\n\nExample:\n  "
        "grbda check robot.urdf --strict\n");
}

void add_try(CLI::App& app, ViewArguments& arguments) {
    CLI::App& command = add_writer(
        app, "try", "Findings and a summary of the robot, and its page in a browser", arguments, "the page");
    command.add_option("--template", arguments.page, "Template of the page, as for view")->type_name("FILE");
    command.footer("\"grbda robot.urdf\" does the same.\n\nExample:\n  grbda try robot.urdf\n");
}

void add_compute(CLI::App& app, ComputeArguments& arguments) {
    CLI::App& command = add_writer(app, "compute", "Dynamics of the states in a file", arguments);
    command.add_option("--states", arguments.states, "States, a JSON file; - is standard input")
        ->type_name("FILE");
    add_list(command, "--q", arguments.q, "JOINT=NUMBERS",
             "One state instead of a file: positions; other independent joints 0");
    add_list(command, "--yd", arguments.yd, "JOINT=NUMBERS", "Its independent velocities; others 0");
    add_list(command, "--ydd", arguments.ydd, "JOINT=NUMBERS", "Its independent accelerations");
    add_list(command, "--tau", arguments.tau, "JOINT=NUMBERS", "Its joint forces; others 0");
    command
        .add_option(
            "--start", arguments.start,
            "Saved state from the robot's files at which all states begin; 'default' is the assembled "
            "configuration")
        ->type_name("NAME");
    command
        .add_option("--method", arguments.method,
                    "aba (default) uses the cluster tree. The others do not: forward dynamics uses the "
                    "method, everything else the spanning tree")
        ->check(
            CLI::IsMember({"aba", "dense_kkt", "range_space", "constrained_aba", "projection", "proximal"}));
    command.add_flag("--joint-forces", arguments.joint_forces,
                     "Add springs, damping, dry friction and gravity compensation of the robot to tau");
    add_repeated(command, "--frames", arguments.frames, "NAMES",
                 "Links or frames, a,b,c: print their pose, velocity, acceleration and Jacobian")
        ->delimiter(',');
    command.add_flag("--constraints", arguments.constraints,
                     "Print K, k, G and g of each cluster, with names of rows and columns");
    command
        .add_flag("--derivatives", arguments.derivatives,
                  "Print derivatives of inverse and forward dynamics, along closed configurations")
        ->excludes("--joint-forces")
        ->excludes("--method");
    command.footer(states_format);
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) names.push_back(command->get_name());
    return names;
}

/// Returns true after a message if the first word is no command. The parser would only report it as missing.
bool describe_command(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return false;
    const std::vector<std::string> commands = names_of_commands(app);
    const std::string word = argv[1];
    if (std::find(commands.begin(), commands.end(), word) != commands.end()) return false;
    const std::string hint = nearest_name_hint(word, commands);
    std::string list;
    for (const std::string& command : commands) list += (list.empty() ? "" : ", ") + command;
    std::fprintf(stderr, "grbda: no command '%s'%s\ncommands: %s; grbda --help says more\n", word.c_str(),
                 hint.empty() ? "" : (" (" + hint + ")").c_str(), list.c_str());
    return true;
}

/// True for a file of a robot in place of a command.
bool is_robot_file(const std::string& word, const std::vector<std::string>& commands) {
    const std::filesystem::path path(word);
    const std::string ending = path.extension().string();
    const bool has_ending = !ending.empty() && std::find(model_endings.begin(), model_endings.end(),
                                                         ending.substr(1)) != model_endings.end();
    std::error_code missing;
    return std::find(commands.begin(), commands.end(), word) == commands.end() &&
           (has_ending || std::filesystem::is_regular_file(path, missing));
}

void parse(CLI::App& app, int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && is_robot_file(words.front(), names_of_commands(app)))
        words.insert(words.begin(), "try");
    std::reverse(words.begin(), words.end());  // as the parser takes them
    app.parse(std::move(words));
}

int run(int argc, char** argv) {
    CLI::App app("Rigid-body dynamics of robots with kinematic loops", "grbda");
    app.set_version_flag("--version", version_text, "The version, how it was built, and what runs here");
    app.footer(examples);
    app.require_subcommand(1);
    InfoArguments info_arguments;
    CheckArguments check_arguments;
    ComputeArguments compute_arguments;
    ConvertArguments convert_arguments;
    FreezeArguments freeze_arguments;
    MountArguments mount_arguments;
    WorkspaceArguments workspace_arguments;
    IkArguments ik_arguments;
    ProjectArguments project_arguments;
    GenerateArguments generate_arguments;
    SerialArguments serial_arguments;
    SimulateArguments simulate_arguments;
    PlotArguments plot_arguments;
    ViewArguments try_arguments, view_arguments;
    CompletionArguments completion_arguments;
    NamesArguments names_arguments;
    add_info(app, info_arguments);
    add_check(app, check_arguments);
    add_compute(app, compute_arguments);
    add_convert(app, convert_arguments);
    add_freeze(app, freeze_arguments);
    add_mount(app, mount_arguments);
    add_workspace(app, workspace_arguments);
    add_ik(app, ik_arguments);
    add_project(app, project_arguments);
    add_generate(app, generate_arguments);
    add_serial(app, serial_arguments);
    add_simulate(app, simulate_arguments);
    add_plot(app, plot_arguments);
    add_try(app, try_arguments);
    add_view_options(
        add_writer(app, "view", "Write the robot as one page for a browser, with its loops closed",
                   view_arguments, "the page"),
        view_arguments);
    add_completion(app, completion_arguments);
    add_names(app, names_arguments);
    try {
        if (argc == 1) return std::fputs(app.help().c_str(), stdout) < 0 ? Exit::bad_input : Exit::success;
        parse(app, argc, argv);
    } catch (const CLI::ParseError& error) {
        if (describe_command(app, argc, argv)) return Exit::bad_call;
        return app.exit(error) == 0 ? Exit::success : Exit::bad_call;
    }
    if (app.got_subcommand("info")) return info(info_arguments);
    if (app.got_subcommand("check")) return check(check_arguments);
    if (app.got_subcommand("convert")) return convert(convert_arguments);
    if (app.got_subcommand("freeze")) return freeze(freeze_arguments);
    if (app.got_subcommand("mount")) return mount(mount_arguments);
    if (app.got_subcommand("workspace")) return workspace(workspace_arguments);
    if (app.got_subcommand("ik")) return ik(ik_arguments);
    if (app.got_subcommand("project")) return project(project_arguments);
    if (app.got_subcommand("generate")) return generate(generate_arguments);
    if (app.got_subcommand("serial")) return serial(serial_arguments);
    if (app.got_subcommand("simulate")) return simulate(simulate_arguments);
    if (app.got_subcommand("plot")) return plot(plot_arguments);
    if (app.got_subcommand("try")) return try_robot(try_arguments);
    if (app.got_subcommand("view")) return view(view_arguments);
    if (app.got_subcommand("names")) return print_names(names_arguments);
    if (app.got_subcommand("completion")) return completion(app, completion_arguments);
    return compute(compute_arguments);
}

}  // namespace
}  // namespace grbda::tool

int main(int argc, char** argv) {
    using namespace grbda;
    try {
        return tool::run(argc, argv);
    } catch (const LoadError& error) {
        const std::vector<std::string> words(argv, argv + argc);
        const auto is_given = [&](const char* option) {
            return std::find(words.begin(), words.end(), option) != words.end();
        };
        if (is_given("-q") || is_given("--quiet"))
            tool::print(stderr, error.diagnostics(), Severity::error);
        else
            tool::print_findings(error.diagnostics(), is_given("--notes"));
        return tool::Exit::bad_input;
    } catch (const tool::CallError& error) {
        std::fprintf(stderr, "grbda: %s\n", error.what());
        return tool::Exit::bad_call;
    } catch (const tool::NoAnswer& error) {
        std::fprintf(stderr, "grbda: %s\n", error.what());
        return tool::Exit::no_answer;
    } catch (const describe::InputError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return tool::Exit::bad_input;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "grbda: not enough memory\n");
        return tool::Exit::bad_input;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "grbda: internal error: %s\n", error.what());
        return tool::Exit::bad_call;
    }
}
