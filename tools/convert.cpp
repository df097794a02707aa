#include <cstdio>
#include <filesystem>

#include "arguments.hpp"
#include "edit.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/file.hpp"
#include "grbda/io/mjcf.hpp"
#include "grbda/io/sdf.hpp"
#include "grbda/io/urdf.hpp"
#include "grbda/compile/build.hpp"
#include "io/mesh_places.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {
namespace {

/// The robot with resolved names, after checking that a model can be built.
/// MuJoCo does not close loops itself, so start and states are closed for it.
Mechanism resolve(const RobotDescription& robot, const LoadOptions& options, Format format,
                  Diagnostics& diagnostics) {
    Mechanism mechanism = make_mechanism(robot, options, diagnostics);
    adjust_loops(options, mechanism, diagnostics);
    stop_on_errors(diagnostics);
    LoadOptions full = options;
    full.rod_reduction = false;  // positions of all joints are written
    const Model model = build_model(mechanism, full, diagnostics);
    stop_on_errors(diagnostics);
    return format == Format::mjcf ? with_closed_states(std::move(mechanism), model) : mechanism;
}

/// The requested format, else that of the output's extension, else URDF+.
Format format_of(const ConvertArguments& arguments) {
    const std::string ending = std::filesystem::path(arguments.output).extension().string();
    const std::string word = !arguments.to.empty() ? arguments.to : ending.empty() ? "" : ending.substr(1);
    if (word == "mjcf" || word == "xml") return Format::mjcf;
    if (word == "sdf" || word == "world") return Format::sdf;
    return Format::urdf;
}

/// Makes the meshes' addresses hold from the folder of the output, or leaves the meshes out.
void settle_meshes(const ConvertArguments& arguments, const RobotDescription& robot, Format format,
                   Mechanism& mechanism, Diagnostics& diagnostics) {
    if (arguments.no_meshes) {
        std::erase_if(mechanism.shapes,
                      [](const MechanismShape& x) { return x.shape.shape.kind == ShapeKind::mesh; });
        return;
    }
    const bool is_file = !arguments.output.empty() && arguments.output != "-";
    const std::string folder =
        is_file ? std::filesystem::path(arguments.output).parent_path().string() : std::string();
    place_meshes(mechanism, format, folder, robot.where.file, arguments.model.paths, diagnostics);
}

/// Content that the format cannot represent is added to the findings.
std::string written(const Mechanism& mechanism, Format format, Diagnostics& diagnostics) {
    switch (format) {
        case Format::mjcf: return write_mjcf(mechanism, diagnostics);
        case Format::sdf: return write_sdf(mechanism, diagnostics);
        case Format::urdf:
        case Format::extended_urdf:
        case Format::xrdf:
        case Format::srdf:
        case Format::world_file: break;
    }
    return write_urdf(mechanism);
}

}  // namespace

int convert(const ConvertArguments& arguments) {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    Diagnostics diagnostics;
    const RobotDescription robot = read_robot(arguments.model, diagnostics);
    if (!spares_inputs(arguments.output, robot.files)) return Exit::bad_call;
    const Format format = format_of(arguments);
    Mechanism mechanism = resolve(robot, load_options(arguments.model), format, diagnostics);
    settle_meshes(arguments, robot, format, mechanism, diagnostics);
    const std::string text = written(mechanism, format, diagnostics);
    stop_on_errors(diagnostics);
    if (!arguments.model.quiet) print(stderr, diagnostics);
    write_output(text, arguments.output);
    return Exit::success;
}

}  // namespace grbda::tool
