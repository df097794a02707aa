#include "grbda/viewer/page.hpp"

#include <stdexcept>
#include <string>

#include "arguments.hpp"
#include "describe/json_text.hpp"
#include "browser.hpp"
#include "edit.hpp"
#include "grbda/io/urdf.hpp"
#include "output.hpp"
#include "describe/summary.hpp"
#include "mass_hint.hpp"
#include "serve.hpp"
#include "terminal.hpp"

// Writes the viewer's page of a robot, or serves it.

namespace grbda::tool {

using describe::InputError;
namespace {

/// The robot as the page reads it. Joints stay as they are for a record or a program, which names them.
ViewerRobot robot_of(const ViewArguments& arguments, const Model& model) {
    LoadOptions options = load_options(arguments.model);
    if (arguments.record.empty() && !arguments.is_served) options.spherical_joints = true;
    if (arguments.model.density) {  // the page cannot compute masses
        const Resolved resolved = resolve(arguments.model);
        ViewerRobot robot = viewer_robot(write_urdf(resolved.mechanism), resolved.model);
        if (!arguments.record.empty()) robot.record = describe::read_text(arguments.record);
        return robot;
    }
    ViewerRobot robot = viewer_robot(arguments.model.files, options, model);
    if (!arguments.record.empty()) robot.record = describe::read_text(arguments.record);
    return robot;
}

void write_page(const std::string& page, const Model& model, const std::string& output) {
    if (is_for_terminal(output))
        show_in_browser(page, model.names.robot + ".html");
    else
        write_output(page, output);
}

}  // namespace

int try_robot(const ViewArguments& arguments) try {
    const Model model = load_model(arguments.model);
    if (!arguments.model.quiet) {
        print_findings(model.diagnostics, arguments.model.notes);
        std::fputs(mass_hint(model).c_str(), stderr);
    }
    std::fputs(describe::summary(model).c_str(), stdout);
    if (!is_for_terminal(arguments.output) && arguments.output.empty()) return Exit::success;
    const std::string page = viewer_template(arguments.page);
    write_page(viewer_page(robot_of(arguments, model), page), model, arguments.output);
    return Exit::success;
} catch (const LoadError&) {
    throw;
} catch (const std::runtime_error& error) {
    throw InputError(error.what());
}

int view(const ViewArguments& arguments) try {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    const std::string page = viewer_template(arguments.page);
    const Model model = load_model(arguments.model);
    const ViewerRobot robot = robot_of(arguments, model);
    if (arguments.is_served) return serve(model, robot, page, arguments.serve);
    write_page(viewer_page(robot, page), model, arguments.output);
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
