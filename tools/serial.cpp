#include "serial.hpp"

#include <filesystem>

#include "assignments.hpp"
#include "edit.hpp"
#include "grbda/compile/build.hpp"
#include "grbda/io/urdf.hpp"
#include "describe/json_text.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {
namespace {

SerialOptions serial_options(const SerialArguments& arguments) {
    SerialOptions options;
    options.ends = arguments.ends;
    options.points = arguments.points;
    options.most_change = arguments.most_change;
    for (const std::string& text : arguments.ranges) {
        const Assignment range = read_assignment("--range", text);
        if (range.values.size() != 2 || !(range.values[0] < range.values[1]))
            throw CallError("--range " + text + ": expected JOINT=LOWER,UPPER");
        options.ranges[range.name] = {range.values[0], range.values[1]};
    }
    return options;
}

std::optional<Gains> gains(const char* option, const std::string& text) {
    if (text.empty()) return {};
    const std::vector<double> values = read_numbers(option, text);
    if (values.size() != 2 || values[0] < 0 || values[1] < 0)
        throw CallError(std::string(option) + " " + text + ": expected K,D, of at least 0");
    return Gains{values[0], values[1]};
}

/// Reports names and configurations that the request has wrong; they are no errors in the robot's files.
void stop_on_request(const Diagnostics& diagnostics) {
    std::string called, found;
    for (const Diagnostic& each : diagnostics) {
        if (each.severity != Severity::error) continue;
        std::string& text = each.code == Code::unknown_name ? called : found;
        text += (text.empty() ? "" : "\n") + each.subject.text + ": expected " + each.expected + ", found " +
                each.found + (each.hint.empty() ? "" : " (" + each.hint + ")");
    }
    if (!called.empty()) throw CallError(called);
    if (!found.empty()) throw NoAnswer(found);
}

}  // namespace

int serial(const SerialArguments& arguments) {
    const std::vector<std::string> files{arguments.output + ".urdf", arguments.output + ".json",
                                         arguments.output + "_serial.c"};
    for (const std::string& file : files)
        if (!spares_inputs(file, arguments.model.files)) return Exit::bad_call;
    SerialRequest request{std::filesystem::path(arguments.output).filename().string(), arguments.tolerance,
                          gains("--motor-gains", arguments.motor_gains),
                          gains("--joint-gains", arguments.joint_gains)};
    const SerialOptions options = serial_options(arguments);
    Resolved given = resolve(arguments.model);
    for (const std::string& file : files)
        if (!spares_inputs(file, given.robot.files)) return Exit::bad_call;
    const Model model = build_model(given.mechanism, load_options(arguments.model), given.diagnostics);
    stop_on_errors(given.diagnostics);
    if (!arguments.model.quiet) print_findings(model.diagnostics, arguments.model.notes);
    Diagnostics found;
    const std::optional<SerialRobot> robot =
        serial_robot(given.mechanism, model, configuration(model, arguments.at), options, found);
    stop_on_request(found);
    make_folder(arguments.output);
    write_output(write_urdf(robot->mechanism), files[0]);
    write_output(serial_json(model, *robot, request), files[1]);
    write_output(serial_c(*robot, request.name), files[2]);
    std::fputs(serial_report(model, *robot, request).c_str(), stdout);
    return Exit::success;
}

void add_serial(CLI::App& app, SerialArguments& arguments) {
    CLI::App& command =
        *app.add_subcommand("serial", "Serial approximation: a tree, and tables of what it lacks");
    add_model_options(command, arguments.model);
    command
        .add_option("-o,--output", arguments.output,
                    "Folder, created if it is missing, and name: DIR/leg gives leg.urdf, leg.json and "
                    "leg_serial.c")
        ->type_name("FOLDER/NAME")
        ->required();
    add_configuration_options(command, arguments.at);
    add_repeated(command, "--end", arguments.ends, "LINK",
                 "Link that carries load; can be given several times. By default the heaviest body of "
                 "a cluster that carries nothing but rods, is no rod and has no motor");
    add_repeated(command, "--range", arguments.ranges, "JOINT=LOWER,UPPER",
                 "Range of a serial coordinate; can be given several times. By default the limits of its "
                 "joint, within half a turn");
    command
        .add_option("--points", arguments.points,
                    "Nodes of a table per coordinate; by default steps of at most 0.1, at least 33, 25, 9 "
                    "nodes for 1, "
                    "2, 3 coordinates")
        ->check(CLI::Range(4, 1000));
    command
        .add_option(
            "--most-change", arguments.most_change,
            "Largest factor by which the ratios of motors may leave those at the nominal configuration")
        ->check(CLI::Range(1.01, 1e6))
        ->capture_default_str();
    command
        .add_option("--tolerance", arguments.tolerance,
                    "Largest error of accelerations that the report calls tolerable, relative")
        ->check(CLI::Range(1e-9, 1e3))
        ->capture_default_str();
    command
        .add_option("--motor-gains", arguments.motor_gains,
                    "Gains of each motor: report the stiffness and damping of the joints")
        ->type_name("K,D");
    command
        .add_option("--joint-gains", arguments.joint_gains,
                    "Gains of each serial joint: report the nearest gains of the motors")
        ->type_name("K,D");
    command.footer(
        "The nominal configuration, from --state and --q, is where masses are lumped. Standard output\n"
        "reports which approximation is tolerable.\n"
        "\n"
        "Example:\n"
        "  grbda serial leg.urdf -o policy/leg --motor-gains 40,2\n");
}

}  // namespace grbda::tool
