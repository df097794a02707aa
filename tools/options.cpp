#include "options.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

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
    command.add_flag("-q,--quiet", arguments.quiet, "Hide notes and warnings");
    command.add_flag("--notes", arguments.notes, "Print each note, not only their number");
    add_loading_options(command, arguments);
}

namespace {

/// Lists an option under a heading of its own in the help.
void put_under_loading(CLI::Option* option) { option->group("Options of loading"); }

}  // namespace

void add_loading_options(CLI::App& command, ModelArguments& arguments) {
    const auto flag = [&](const char* name, bool& value, const char* help) {
        put_under_loading(command.add_flag(name, value, help));
    };
    put_under_loading(
        command
            .add_option("--density", arguments.density,
                        "Density of links without mass, kg/m3: their mass is that of their shapes")
            ->check(CLI::Range(1e-6, 1e6)));
    put_under_loading(command
                          .add_option("--coupling-ratio", arguments.coupling_ratio,
                                      "Meaning of <coupling> ratios; overrides the file")
                          ->check(CLI::IsMember({"predecessor/successor", "successor/predecessor"})));
    put_under_loading(
        command
            .add_option("--form", arguments.form,
                        "Form of forward dynamics in clusters with loops; by default the cheapest one")
            ->check(CLI::IsMember({"jacobians", "tree", "rows"})));
    put_under_loading(
        add_repeated(command, "--path", arguments.paths, "FOLDER",
                     "Folder from which the robot's file may include others; can be given several times"));
    flag("--adjust", arguments.adjust,
         "Move the frames of loops that no configuration closes, by the smallest displacement");
    flag("--floating-base", arguments.floating_base,
         "Add the floating joint 'root_joint' above the root link");
    flag("--no-rotor-reduction", arguments.no_rotor_reduction, "Keep rotors as separate bodies");
    flag("--no-rod-reduction", arguments.no_rod_reduction, "Keep rods as bodies with joint coordinates");
    flag("--spherical-joints", arguments.spherical_joints,
         "Replace three revolute joints with axes through one point by one joint");
    flag("--ignore-mocap", arguments.ignore_mocap,
         "Leave out constraints that hold the robot to mocap bodies of MJCF");
}

void add_configuration_options(CLI::App& command, ConfigurationArguments& arguments) {
    command.add_option("--state", arguments.state, "Saved state; without one, the neutral configuration")
        ->type_name("STATE");
    add_repeated(command, "--q", arguments.positions, "JOINT=VALUE",
                 "Position of a joint there, JOINT=VALUE, or JOINT=X,Y,…; can be given several times. "
                 "Dependent joints are solved for");
}

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

CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                      const char* help) {
    return command.add_option(name, values, help)->type_name(type)->expected(1, -1);
}

}  // namespace grbda::tool
