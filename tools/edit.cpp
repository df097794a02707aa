#include "edit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <Eigen/Geometry>

#include "grbda/algorithms/closure.hpp"
#include "grbda/algorithms/configuration.hpp"
#include "grbda/algorithms/coordinates.hpp"
#include "grbda/compile/build.hpp"
#include "grbda/edit/freeze.hpp"
#include "grbda/edit/mount.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/write_urdf.hpp"
#include "describe.hpp"
#include "json_text.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {
namespace {

/// "0.1,0.2"; empty where one is no number.
std::vector<double> numbers(const std::string& text) {
    std::vector<double> values;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        char* rest = nullptr;
        values.push_back(std::strtod(word.c_str(), &rest));
        if (word.empty() || *rest != '\0' || !std::isfinite(values.back())) return {};
        begin = end + 1;
    }
    return values;
}

void take_state(const Model& model, const std::string& name, VectorX<double>& q) {
    std::vector<std::string> names;
    for (const SavedState& state : model.states) {
        if (state.name == name) {
            q = Eigen::Map<const VectorX<double>>(state.q.data(), model.nq);
            return;
        }
        names.push_back(state.name);
    }
    const std::string hint = nearest_name_hint(name, names);
    throw InputError("--state: no saved state '" + name + "'" +
                     (names.empty()  ? ": the robot has none"
                      : hint.empty() ? "; grbda info lists them"
                                     : " (" + hint + ")"));
}

void take_position(const Model& model, const std::string& said, VectorX<double>& q) {
    const std::size_t sign = said.rfind('=');
    const std::string name = said.substr(0, sign), where = "--q " + said + ": ";
    if (sign == std::string::npos) throw InputError(where + "expected JOINT=VALUE");
    for (int i = 0; i < model.body_count(); ++i) {
        if (model.names.joints[i] != name) continue;
        const Body& body = model.bodies[i];
        const std::vector<double> values = numbers(said.substr(sign + 1));
        const auto size = static_cast<std::size_t>(position_size(body.joint));
        if (values.size() != size)
            throw InputError(where + "expected " + std::to_string(size) +
                             (size == 1 ? " number" : " numbers with commas between"));
        q.segment(body.q, position_size(body.joint)) =
            Eigen::Map<const VectorX<double>>(values.data(), static_cast<Eigen::Index>(size));
        return;
    }
    const std::string hint = nearest_name_hint(name, model.names.joints);
    throw InputError(where + "no joint of this name can move" + (hint.empty() ? "" : " (" + hint + ")"));
}

/// As URDF+, if a model can be built of it.
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
    const std::vector<double> values = numbers(text);
    if (values.size() != 3) throw InputError(option + " " + text + ": expected X,Y,Z");
    return vector(values);
}

/// Roll, pitch and yaw as in URDF.
Pose pose(const std::string& text) {
    const std::vector<double> values = numbers(text);
    if (values.size() != 3 && values.size() != 6)
        throw InputError("--place " + text + ": expected X,Y,Z or X,Y,Z,ROLL,PITCH,YAW");
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

Resolved resolve(const ModelArguments& arguments) {
    const LoadOptions options = load_options(arguments);
    Resolved result;
    result.robot = read_description(arguments.files, result.diagnostics, arguments.paths);
    stop_on_errors(result.diagnostics);
    result.mechanism = make_mechanism(result.robot, options, result.diagnostics);
    stop_on_errors(result.diagnostics);
    Diagnostics all = result.diagnostics;
    result.model = build_model(result.mechanism, options, all);
    stop_on_errors(all);
    return result;
}

/// Throws where a joint is not where it was asked to be.
void require_positions(const Model& model, const std::vector<int>& bodies, const VectorX<double>& asked,
                       const VectorX<double>& q) {
    constexpr double same = 1e-9;
    for (const int i : bodies) {
        const Body& body = model.bodies[i];
        const auto off = (q - asked).segment(body.q, position_size(body.joint)).cwiseAbs().maxCoeff();
        if (off <= same) continue;
        throw InputError("--q " + model.names.joints[i] + ": its loops hold it " + number(off) +
                         " away from there, as the other joints stand: give those too, or another --state");
    }
}

VectorX<double> configuration(const Model& model, const ConfigurationArguments& arguments) {
    VectorX<double> q = neutral_configuration(model);
    if (!arguments.state.empty()) take_state(model, arguments.state, q);
    VectorX<double> asked = q;
    for (const std::string& said : arguments.positions) take_position(model, said, asked);
    std::vector<int> bodies, wanted;
    for (const std::string& said : arguments.positions) {
        bodies.push_back(body_index_of_joint(model, said.substr(0, said.find('='))));
        const Body& body = model.bodies[bodies.back()];
        for (int j = 0; j < velocity_size(body.joint); ++j) wanted.push_back(body.v + j);
    }
    if (bodies.empty()) return q;
    Data<double> data(model);
    if (closure_residual<double>(model, data, asked).ok()) return asked;
    static_cast<void>(prefer_coordinates<double>(model, data, q, wanted));  // closing says whether they do
    q = asked;
    const Result result = close_loops<double>(model, data, q);
    if (!result.ok())
        throw InputError(std::string("--q: the loops cannot be closed there: ") + to_string(result.status));
    require_positions(model, bodies, asked, q);
    return q;
}

int freeze(const FreezeArguments& arguments) {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    Resolved given = resolve(arguments.model);
    if (!spares_inputs(arguments.output, given.robot.files)) return Exit::bad_call;
    const VectorX<double> q = configuration(given.model, arguments.at);
    const Mechanism frozen =
        grbda::freeze(given.mechanism, given.model, q, arguments.joints, given.diagnostics);
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
    said.length = arguments.length;
    const Mechanism mounted = grbda::mount(given.mechanism, given.model, q, said, given.diagnostics);
    return write(mounted, arguments.model, arguments.output, given.diagnostics);
}

}  // namespace grbda::tool
