#include "options.hpp"

namespace grbda::tool {

CLI::Option* add_repeated(CLI::App& command, const char* name, std::vector<std::string>& values,
                          const char* type, const char* help) {
    return command.add_option(name, values, help)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_model_options(CLI::App& command, ModelArguments& arguments) {
    command
        .add_option(
            "MODEL", arguments.files,
            "Robot description in URDF, URDF+, MJCF or SDF, and its side files: Extended URDF's YAML, "
            "XRDF, SRDF")
        ->type_name("FILE")
        ->required()
        ->expected(1, -1);
    command
        .add_option("--coupling-ratio", arguments.coupling_ratio,
                    "Meaning of <coupling> ratios; overrides the file")
        ->check(CLI::IsMember({"predecessor/successor", "successor/predecessor"}));
    command
        .add_option("--form", arguments.form,
                    "Form of forward dynamics in clusters with loops; by default the cheapest one")
        ->check(CLI::IsMember({"jacobians", "tree", "rows"}));
    add_repeated(command, "--path", arguments.paths, "FOLDER",
                 "Folder from which the robot's file may include others; can be given several times");
    command.add_flag("--adjust", arguments.adjust,
                     "Move the frames of loops that no configuration closes, by the smallest displacement");
    command.add_flag("--floating-base", arguments.floating_base,
                     "Add the floating joint 'root_joint' above the root link");
    command.add_flag("--no-rotor-reduction", arguments.no_rotor_reduction, "Keep rotors as separate bodies");
    command.add_flag("--no-rod-reduction", arguments.no_rod_reduction,
                     "Keep rods as bodies with joint coordinates");
    command.add_flag("--spherical-joints", arguments.spherical_joints,
                     "Replace three revolute joints with axes through one point by one joint");
    command.add_flag("--ignore-mocap", arguments.ignore_mocap,
                     "Leave out constraints that hold the robot to mocap bodies of MJCF");
    command.add_flag("-q,--quiet", arguments.quiet, "Hide notes and warnings");
    command.add_flag("--notes", arguments.notes, "Print each note, not only their number");
}

void add_configuration_options(CLI::App& command, ConfigurationArguments& arguments) {
    command.add_option("--state", arguments.state, "Saved state; without one, the neutral configuration")
        ->type_name("NAME");
    add_repeated(command, "--q", arguments.positions, "JOINT=VALUE",
                 "Position of a joint there, JOINT=VALUE, or JOINT=X,Y,…; can be given several times. "
                 "Dependent joints are solved for");
}

CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                      const char* help) {
    return command.add_option(name, values, help)->type_name(type)->expected(1, -1);
}

}  // namespace grbda::tool
