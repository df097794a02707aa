#include <cstdio>

#include "arguments.hpp"
#include "edit.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/write_urdf.hpp"
#include "grbda/compile/build.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {
namespace {

/// The robot with names resolved, of which a model can be built.
Mechanism resolve(const RobotDescription& robot, const LoadOptions& options, Diagnostics& diagnostics) {
    Mechanism mechanism = make_mechanism(robot, options, diagnostics);
    stop_on_errors(diagnostics);
    build_model(mechanism, options, diagnostics);
    stop_on_errors(diagnostics);
    return mechanism;
}

}  // namespace

int convert(const ConvertArguments& arguments) {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    Diagnostics diagnostics;
    const RobotDescription robot =
        read_description(arguments.model.files, diagnostics, arguments.model.paths);
    stop_on_errors(diagnostics);
    if (!spares_inputs(arguments.output, robot.files)) return Exit::bad_call;
    const Mechanism mechanism = resolve(robot, load_options(arguments.model), diagnostics);
    if (!arguments.model.quiet) print(stderr, diagnostics);
    write_output(write_urdf(mechanism), arguments.output);
    return Exit::success;
}

}  // namespace grbda::tool
