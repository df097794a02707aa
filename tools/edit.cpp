#include "edit.hpp"

#include <stdexcept>
#include <utility>

#include <Eigen/Geometry>

#include "assignments.hpp"
#include "describe/describe.hpp"
#include "grbda/compile/build.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/coordinates.hpp"
#include "grbda/edit/edit.hpp"
#include "grbda/io/density.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "describe/json_text.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {

using describe::InputError;
namespace {

/// Reports errors in the names, the numbers or the configuration
/// for an edit; they are not errors in the robot's files.
void stop_on_edit(const Diagnostics& diagnostics, std::size_t before) {
    std::string called, found;
    for (std::size_t i = before; i < diagnostics.size(); ++i) {
        const Diagnostic& each = diagnostics[i];
        if (each.severity != Severity::error) continue;
        const bool is_found = each.code == Code::state || each.code == Code::not_closed;
        std::string& text = is_found ? found : called;
        text += (text.empty() ? "" : "\n") + each.subject.text + ": expected " + each.expected + ", found " +
                each.found + (each.hint.empty() ? "" : " (" + each.hint + ")");
    }
    if (!called.empty()) throw CallError(called);
    if (!found.empty()) throw NoAnswer(found);
}

/// Writes URDF+, if a model can be built from the mechanism.
int write(const Mechanism& mechanism, const ModelArguments& arguments, const std::string& output,
          Diagnostics& diagnostics) {
    stop_on_errors(diagnostics);
    build_model(mechanism, load_options(arguments), diagnostics);
    stop_on_errors(diagnostics);
    if (!arguments.quiet) print(stderr, diagnostics);
    std::string text;
    try {
        text = write_urdf(mechanism);
    } catch (const std::invalid_argument& error) {
        throw InputError(error.what());
    }
    write_output(text, output);
    return Exit::success;
}

LoopType loop_type(const std::string& name) {
    for (const LoopFacts& each : loop_facts)
        if (name == each.name) return each.type;
    return LoopType::fixed;
}

Eigen::Vector3d vector(const std::vector<double>& values, std::size_t first = 0) {
    return {values[first], values[first + 1], values[first + 2]};
}

Eigen::Vector3d axis(const std::string& option, const std::string& text) {
    const std::vector<double> values = read_numbers(option, text);
    if (values.size() != 3) throw CallError(option + " " + text + ": expected X,Y,Z");
    return vector(values);
}

/// Roll, pitch and yaw as in URDF.
Pose pose(const std::string& text) {
    const std::string where = "--place " + text;
    const std::vector<double> values = read_numbers("--place", text);
    if (values.size() != 3 && values.size() != 6)
        throw CallError(where + ": expected X,Y,Z or X,Y,Z,ROLL,PITCH,YAW");
    for (std::size_t i = 0; i < values.size(); ++i)
        i < 3 ? require_length(where, values[i]) : require_angle(where, values[i]);
    Pose result;
    result.translation = vector(values);
    if (values.size() == 3) return result;
    const Eigen::Vector3d rpy = vector(values, 3);
    result.rotation = (Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
                       Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
                       Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX()))
                          .toRotationMatrix();
    return result;
}

}  // namespace

void stop_on_errors(const Diagnostics& diagnostics) {
    if (has_errors(diagnostics)) throw LoadError(diagnostics);
}

RobotDescription read_robot(const ModelArguments& arguments, Diagnostics& diagnostics) {
    RobotDescription robot = read_description(arguments.files, diagnostics, arguments.paths);
    stop_on_errors(diagnostics);
    if (arguments.density) add_inertials(robot, *arguments.density, diagnostics, arguments.paths);
    return robot;
}

Resolved resolve(const ModelArguments& arguments) {
    LoadOptions options = load_options(arguments);
    options.rod_reduction = false;  // joints of rods can be named too
    Resolved result;
    result.robot = read_robot(arguments, result.diagnostics);
    result.mechanism = make_mechanism(result.robot, options, result.diagnostics);
    adjust_loops(options, result.mechanism, result.diagnostics);
    stop_on_errors(result.diagnostics);
    Diagnostics all = result.diagnostics;
    result.model = build_model(result.mechanism, options, all);
    stop_on_errors(all);
    return result;
}

/// Throws if a joint is not at its requested position.
void require_positions(const Model& model, const std::vector<int>& bodies, const VectorX<double>& asked,
                       const VectorX<double>& q) {
    constexpr double same = 1e-9;
    for (const int i : bodies) {
        const Body& body = model.bodies[i];
        const auto off = (q - asked).segment(body.q, position_size(body.joint)).cwiseAbs().maxCoeff();
        if (off <= same) continue;
        throw NoAnswer(
            "--q " + model.names.joints[i] + ": its loops hold it " + describe::number(off) +
            " away from there while the other joints do not move: give those too, or another --state");
    }
}

VectorX<double> configuration(const Model& model, const ConfigurationArguments& arguments) {
    VectorX<double> q = neutral_configuration(model);
    if (!arguments.state.empty()) q = state_called(model, "--state", arguments.state);
    VectorX<double> asked = q;
    const std::vector<int> bodies = put_positions(model, "--q", arguments.positions, asked);
    std::vector<int> wanted;
    for (const int i : bodies)
        for (int j = 0; j < velocity_size(model.bodies[i].joint); ++j)
            wanted.push_back(model.bodies[i].v + j);
    if (bodies.empty()) return q;
    Data data(model);
    if (closure_residual(model, data, asked).ok()) return asked;
    static_cast<void>(prefer_coordinates(model, data, q, wanted));  // closing shows whether they are
    q = asked;
    const Result result = close_loops(model, data, q);
    if (!result.ok())
        throw NoAnswer(std::string("--q: the loops cannot be closed there: ") + to_string(result.status));
    require_positions(model, bodies, asked, q);
    return q;
}

int freeze(const FreezeArguments& arguments) {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    Resolved given = resolve(arguments.model);
    if (!spares_inputs(arguments.output, given.robot.files)) return Exit::bad_call;
    const VectorX<double> q = configuration(given.model, arguments.at);
    const std::size_t before = given.diagnostics.size();
    const Mechanism frozen =
        grbda::freeze(given.mechanism, given.model, q, arguments.joints, given.diagnostics);
    stop_on_edit(given.diagnostics, before);
    return write(frozen, arguments.model, arguments.output, given.diagnostics);
}

int mount(const MountArguments& arguments) {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    Resolved given = resolve(arguments.model);
    if (!spares_inputs(arguments.output, given.robot.files)) return Exit::bad_call;
    const VectorX<double> q = configuration(given.model, arguments.at);
    Mount said;
    said.frame = arguments.frame;
    said.type = loop_type(arguments.type);
    said.name = arguments.name;
    if (!arguments.place.empty()) said.place = pose(arguments.place);
    if (!arguments.axis.empty()) said.axis = axis("--axis", arguments.axis);
    if (!arguments.axis2.empty()) said.axis2 = axis("--axis2", arguments.axis2);
    if (arguments.pitch) said.pitch = *arguments.pitch;
    if (arguments.length) require_length("--length", *arguments.length);
    said.length = arguments.length;
    const std::size_t before = given.diagnostics.size();
    const Mechanism mounted = grbda::mount(given.mechanism, given.model, q, said, given.diagnostics);
    stop_on_edit(given.diagnostics, before);
    return write(mounted, arguments.model, arguments.output, given.diagnostics);
}

}  // namespace grbda::tool
