#include "grbda/joint_types.hpp"
#include "options.hpp"

// Options of the commands that write a robot: convert, freeze, mount.

namespace grbda::tool {

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
    add_repeated(command, "--joint", arguments.joints, "JOINT", "Joint to fix; can be given several times")
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
    command.add_option("--frame", arguments.frame, "Link or frame to mount")->type_name("FRAME")->required();
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

}  // namespace grbda::tool
