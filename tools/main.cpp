#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include <CLI/CLI.hpp>

#include "arguments.hpp"
#include "completion.hpp"
#include "grbda/joint_types.hpp"
#include "describe/json_text.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "version.hpp"

namespace grbda::tool {
namespace {

constexpr const char* examples =
    "Examples:\n"
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
    "Example:\n"
    "  grbda compute robot.urdf --states states.json -o out.json\n";

/// Adds a number that must be finite: words such as nan and inf are rejected.
CLI::Option* add_number(CLI::App& command, const char* name, std::optional<double>& value, const char* help) {
    return command.add_option(name, value, help)
        ->check(CLI::Validator(
            [](const std::string& text) {
                return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : "expected a finite number";
            },
            ""));
}

void add_seed(CLI::App& command, std::uint64_t& seed, const char* help) {
    const auto is_seed = [](const std::string& text) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool whole = error == std::errc() && end == text.data() + text.size();
        return whole ? std::string() : "expected a whole number from 0 to 2^64 - 1, found '" + text + "'";
    };
    command.add_option("--seed", seed, help)->check(CLI::Validator(is_seed, ""))->capture_default_str();
}

/// Adds a command that writes a result for the robot, at a configuration if its arguments contain one.
template <class Arguments>
CLI::App& add_writer(CLI::App& app, const char* name, const char* help, Arguments& arguments,
                     const char* written = "the result") {
    CLI::App& command = *app.add_subcommand(name, help);
    add_model_options(command, arguments.model);
    if constexpr (requires { arguments.at; }) add_configuration_options(command, arguments.at);
    command
        .add_option("-o,--output", arguments.output,
                    std::string("File for ") + written + "; - or none is standard output")
        ->type_name("FILE");
    return command;
}

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
        "Exit code 0 without errors, otherwise 1.\n\nExample:\n  grbda check robot.urdf --strict\n");
}

void add_compute(CLI::App& app, ComputeArguments& arguments) {
    CLI::App& command = add_writer(app, "compute", "Dynamics of the states in a file", arguments);
    command.add_option("--states", arguments.states, "States, a JSON file; - is standard input")
        ->type_name("FILE")
        ->required();
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

void add_convert(CLI::App& app, ConvertArguments& arguments) {
    CLI::App& command = add_writer(app, "convert", "Write the robot as one file in URDF+, MJCF or SDF",
                                   arguments, "the file");
    command
        .add_option(
            "--to", arguments.to,
            "Format of the file; by default from the output's extension: .xml or .mjcf is MJCF, .sdf or "
            ".world is SDF, others are URDF+, which is plain URDF if that suffices")
        ->check(CLI::IsMember({"urdf", "mjcf", "sdf"}));
    command.add_flag("--no-meshes", arguments.no_meshes, "Leave out shapes that are meshes");
    command.footer(
        "The file has the same dynamics to rounding: bodies with fused inertia, frames, joints, loops,\n"
        "couplings, motors, states, shapes. Sensors and groups are omitted.\n"
        "Addresses of meshes hold from the folder of the output. For MJCF, meshes that MuJoCo refuses are "
        "left out.\n"
        "A robot is not written if it has errors, or if the format cannot represent its motion.\n"
        "\n"
        "Examples:\n"
        "  grbda convert leg.urdf leg.yaml -o whole_leg.urdf\n"
        "  grbda convert leg.urdf --to mjcf -o leg.xml\n");
}

void add_freeze(CLI::App& app, FreezeArguments& arguments) {
    CLI::App& command = add_writer(app, "freeze", "Write the robot with some joints fixed, as one URDF+ file",
                                   arguments, "the URDF+");
    add_repeated(command, "--joint", arguments.joints, "NAME", "Joint to fix; can be given several times")
        ->required();
    command.footer(
        "The file has fewer bodies and the same frames. Its dynamics is that of the robot while these\n"
        "joints are at rest. Joints that lose all freedom are fixed too.\n"
        "\n"
        "Example:\n"
        "  grbda freeze hand.urdf --joint thumb --q thumb=0.4 -o stiff_thumb.urdf\n");
}

void add_mount(CLI::App& app, MountArguments& arguments) {
    CLI::App& command =
        add_writer(app, "mount", "Write the robot with a frame fixed in the world, as one URDF+ file",
                   arguments, "the URDF+");
    command.add_option("--frame", arguments.frame, "Link or frame to mount")->type_name("NAME")->required();
    std::vector<std::string> types;
    for (const LoopFacts& each : loop_facts)
        if (each.type != LoopType::floating) types.push_back(each.name);
    command.add_option("--type", arguments.type, "Type of the loop that mounts it; by default fixed")
        ->check(CLI::IsMember(types));
    command
        .add_option("--place", arguments.place,
                    "Pose of the mount in the world; by default the present pose of the frame")
        ->type_name("X,Y,Z[,ROLL,PITCH,YAW]");
    command.add_option("--axis", arguments.axis, "Axis of the loop in the frame; by default 1,0,0")
        ->type_name("X,Y,Z");
    command.add_option("--axis2", arguments.axis2, "Second axis of a universal loop; by default 0,1,0")
        ->type_name("X,Y,Z");
    add_number(command, "--pitch", arguments.pitch, "Pitch of a helical loop, m/rad");
    add_number(command, "--length", arguments.length, "Length of a distance loop, m");
    command.add_option("--name", arguments.name, "Name of the loop; by default FRAME_mount")
        ->type_name("NAME");
    command.footer(
        "The file has an additional loop, from the world to the frame.\n"
        "\n"
        "Example:\n"
        "  grbda mount humanoid.urdf --floating-base --frame left_foot -o on_one_foot.urdf\n");
}

void add_workspace(CLI::App& app, WorkspaceArguments& arguments) {
    CLI::App& command = add_writer(
        app, "workspace", "Workspace of a joint through its loops, in all assembly modes found", arguments);
    command.add_option("--joint", arguments.joint, "Joint to sweep, independent or dependent")
        ->type_name("NAME")
        ->required();
    add_number(command, "--from", arguments.from, "Its first value; by default its limit, or -pi, -1 m");
    add_number(command, "--to", arguments.to, "Its last value; by default its limit, or pi, 1 m");
    command.add_option("--steps", arguments.steps, "Number of steps")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command
        .add_option("--guesses", arguments.guesses,
                    "Number of random guesses at each value, to find assembly modes")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    add_seed(command, arguments.seed, "Seed of the guesses");
    command
        .add_option("--watch", arguments.watched,
                    "Joint whose position distinguishes modes; by default all of the cluster")
        ->type_name("NAME");
    CLI::Option* json = command.add_flag("--json", arguments.json, "Print JSON, with q at each value");
    command.add_flag("--csv", arguments.csv, "Print CSV, a line for each value and branch")->excludes(json);
    command.footer(
        "Other independent joints do not move.\n"
        "\n"
        "Example:\n"
        "  grbda workspace four_bar.urdf --joint crank --csv -o modes.csv\n");
}

void add_ik(CLI::App& app, IkArguments& arguments) {
    CLI::App& command = add_writer(
        app, "ik", "Inverse kinematics: a configuration in which frames reach their targets", arguments);
    add_list(command, "--target", arguments.targets, "FRAME=x,y,z[,qx,qy,qz,qw]",
             "Target of a link or frame in the world: a position, an orientation qx,qy,qz,qw, or both")
        ->required();
    add_list(command, "--hold", arguments.held, "JOINT",
             "Joints that keep their starting position, dependent ones too");
    add_list(command, "--start", arguments.start, "STATE|JOINT=NUMBERS",
             "A saved state, and positions of joints; dependent ones are a guess. By default as assembled");
    command
        .add_option("--starts", arguments.starts,
                    "Number of starts to try; those after the first are random, in other assembly modes, too")
        ->check(CLI::Range(1, 1000000));
    add_seed(command, arguments.seed, "Seed of the random starts");
    command.add_option("--iterations", arguments.iterations, "Largest number of steps from each start")
        ->check(CLI::Range(1, 1000000));
    command
        .add_option("--tolerance", arguments.tolerance, "Largest gap of a target that is reached, m and rad")
        ->check(CLI::Range(1e-14, 1.));
    command.add_flag("--no-limits", arguments.no_limits, "Ignore the limits of joints");
    command.footer(
        "Loops stay closed, limits are kept. If targets are out of reach, the status is \"nearest\" with\n"
        "the gap of each target, and the exit code is 3.\n"
        "\n"
        "Example:\n"
        "  grbda ik leg.urdf --target foot=0.1,0,-0.6 --hold hip_yaw --start hip_pitch=0.2 --starts 20\n");
}

void add_project(CLI::App& app, ProjectArguments& arguments) {
    CLI::App& command = add_writer(app, "project", "The nearest state that closes the loops", arguments);
    add_list(command, "--q", arguments.q, "JOINT=NUMBERS", "Positions, as measured; others as assembled");
    add_list(command, "--qd", arguments.qd, "JOINT=NUMBERS", "Velocities; others 0");
    add_list(command, "--qdd", arguments.qdd, "JOINT=NUMBERS", "Accelerations; others 0");
    CLI::Option* weights = add_list(command, "--weights", arguments.weights, "JOINT=NUMBERS",
                                    "Weight of the square of a joint's motion; 1 for the others");
    command.add_flag("--inertia", arguments.inertia, "Weight by the mass matrix of the spanning tree")
        ->excludes(weights);
    command.add_flag("--limits", arguments.limits, "Keep the limits of joints, too");
    command
        .add_option("--starts", arguments.starts,
                    "Number of starts to try; those after the first are random, in other assembly modes, too")
        ->check(CLI::Range(1, 1000000));
    add_seed(command, arguments.seed, "Seed of the random starts");
    command.footer(
        "With --starts the nearest configuration of all starts is the result, and \"start\" says which one\n"
        "led there: 0 is the given one.\n"
        "\n"
        "Example:\n"
        "  grbda project leg.urdf --q knee=0.31 ankle=-0.2 --qd knee=1 --weights knee=100\n");
}

/// Returns true after a message if the first word is no command. The parser would only report it as missing.
bool describe_command(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return false;
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        commands.push_back(command->get_name());
    const std::string word = argv[1];
    if (std::find(commands.begin(), commands.end(), word) != commands.end()) return false;
    const std::string hint = nearest_name_hint(word, commands);
    std::string list;
    for (const std::string& command : commands) list += (list.empty() ? "" : ", ") + command;
    std::fprintf(stderr, "grbda: no command '%s'%s\ncommands: %s; grbda --help says more\n", word.c_str(),
                 hint.empty() ? "" : (" (" + hint + ")").c_str(), list.c_str());
    return true;
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
    ViewArguments view_arguments;
    CompletionArguments completion_arguments;
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
    add_view_options(
        add_writer(app, "view", "Write the robot as one page for a browser, with its loops closed",
                   view_arguments, "the page"),
        view_arguments);
    add_completion(app, completion_arguments);
    try {
        app.parse(argc, argv);
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
    if (app.got_subcommand("view")) return view(view_arguments);
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
