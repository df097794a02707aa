#include "options.hpp"

// Options of the commands that search configurations: workspace, ik, project.

namespace grbda::tool {

void add_workspace(CLI::App& app, WorkspaceArguments& arguments) {
    CLI::App& command = add_writer(
        app, "workspace", "Workspace of a joint through its loops, in all assembly modes found", arguments);
    command.add_option("--joint", arguments.joint, "Joint to sweep, independent or dependent")
        ->type_name("JOINT")
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
        ->type_name("JOINT");
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

}  // namespace grbda::tool
