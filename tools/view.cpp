#include "grbda/viewer/page.hpp"

#include <stdexcept>
#include <string>

#include "arguments.hpp"
#include "describe/json_text.hpp"
#include "output.hpp"
#include "serve.hpp"

// Writes the viewer's page of a robot, or serves it.

namespace grbda::tool {

using describe::InputError;
namespace {

/// The robot as the page reads it. Joints stay as they are for a record or a program, which names them.
ViewerRobot robot_of(const ViewArguments& arguments, const Model& model) {
    LoadOptions options = load_options(arguments.model);
    if (arguments.record.empty() && !arguments.is_served) options.spherical_joints = true;
    ViewerRobot robot = viewer_robot(arguments.model.files, options, model);
    if (!arguments.record.empty()) robot.record = describe::read_text(arguments.record);
    return robot;
}

}  // namespace

int view(const ViewArguments& arguments) try {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    const std::string page = viewer_template(arguments.page);
    const Model model = load_model(arguments.model);
    const ViewerRobot robot = robot_of(arguments, model);
    if (arguments.is_served) return serve(model, robot, page, arguments.serve);
    write_output(viewer_page(robot, page), arguments.output);
    return Exit::success;
} catch (const LoadError&) {
    throw;
} catch (const CallError&) {
    throw;
} catch (const std::invalid_argument& error) {
    throw CallError(error.what());
} catch (const std::runtime_error& error) {
    throw InputError(error.what());
}

}  // namespace grbda::tool
