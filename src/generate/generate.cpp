#include "grbda/generate/generate.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

#include "acados_text.hpp"
#include "derivatives/solver_forces.hpp"
#include "examples.hpp"
#include "file.hpp"
#include "grbda/model/model.hpp"
#include "report.hpp"
#include "reserved_names.hpp"
#include "statements.hpp"
#include "step.hpp"

namespace grbda {

const char* to_string(GeneratedAlgorithm algorithm) {
    switch (algorithm) {
        case GeneratedAlgorithm::aba: return "aba";
        case GeneratedAlgorithm::rnea: return "rnea";
        case GeneratedAlgorithm::bias: return "bias";
        case GeneratedAlgorithm::crba: return "crba";
        case GeneratedAlgorithm::poses: return "poses";
        case GeneratedAlgorithm::twists: return "twists";
        case GeneratedAlgorithm::jacobians: return "jacobians";
        case GeneratedAlgorithm::close: return "close";
        case GeneratedAlgorithm::rnea_derivatives: return "rnea_derivatives";
        case GeneratedAlgorithm::aba_derivatives: return "aba_derivatives";
        case GeneratedAlgorithm::forces: return "forces";
        case GeneratedAlgorithm::forces_derivatives: return "forces_derivatives";
        case GeneratedAlgorithm::tangent: return "tangent";
        case GeneratedAlgorithm::motors: return "motors";
        case GeneratedAlgorithm::rnea_hessian: return "rnea_hessian";
        case GeneratedAlgorithm::forces_hessian: return "forces_hessian";
        case GeneratedAlgorithm::tangent_hessian: return "tangent_hessian";
        case GeneratedAlgorithm::frames_derivatives: return "frames_derivatives";
        case GeneratedAlgorithm::frames_hessian: return "frames_hessian";
    }
    return "unknown";
}

namespace {

using namespace generated;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("generate: " + what); }

/// recorded steps; compilers do not finish with larger files
constexpr std::size_t most_steps = 2'000'000;

bool is_identifier(const std::string& name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && letter(name[0]) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_of_frames(GeneratedAlgorithm algorithm) {
    return algorithm == GeneratedAlgorithm::poses || algorithm == GeneratedAlgorithm::twists ||
           algorithm == GeneratedAlgorithm::jacobians ||
           algorithm == GeneratedAlgorithm::frames_derivatives ||
           algorithm == GeneratedAlgorithm::frames_hessian;
}
bool has_wrenches(GeneratedAlgorithm algorithm) {
    return algorithm == GeneratedAlgorithm::aba || algorithm == GeneratedAlgorithm::rnea ||
           algorithm == GeneratedAlgorithm::bias;
}

/// Returns whether an algorithm does not divide by an inertia.
bool needs_no_mass(GeneratedAlgorithm algorithm) {
    switch (algorithm) {
        case GeneratedAlgorithm::aba:
        case GeneratedAlgorithm::rnea:
        case GeneratedAlgorithm::bias:
        case GeneratedAlgorithm::crba:
        case GeneratedAlgorithm::rnea_derivatives:
        case GeneratedAlgorithm::aba_derivatives: return false;
        case GeneratedAlgorithm::poses:
        case GeneratedAlgorithm::twists:
        case GeneratedAlgorithm::jacobians:
        case GeneratedAlgorithm::close:
        case GeneratedAlgorithm::forces:
        case GeneratedAlgorithm::forces_derivatives:
        case GeneratedAlgorithm::tangent:
        case GeneratedAlgorithm::motors:
        case GeneratedAlgorithm::rnea_hessian:
        case GeneratedAlgorithm::forces_hessian:
        case GeneratedAlgorithm::tangent_hessian:
        case GeneratedAlgorithm::frames_derivatives:
        case GeneratedAlgorithm::frames_hessian: break;
    }
    return true;
}

/// Returns whether GenerateOptions::batch also generates an algorithm for several states.
bool has_batches(GeneratedAlgorithm algorithm) {
    return has_wrenches(algorithm) || algorithm == GeneratedAlgorithm::crba;
}

bool includes(const GenerateOptions& options, GeneratedAlgorithm algorithm) {
    return std::find(options.algorithms.begin(), options.algorithms.end(), algorithm) !=
           options.algorithms.end();
}

void check_solver(const Model& model, const GenerateOptions& options) {
    if (includes(options, GeneratedAlgorithm::motors)) {
        for (const Motor& motor : motors_of(model))
            if (kernels::position_index(model, motor.dof) < 0)
                refuse("motors: joint '" + model.names.joints[model.dof_body[motor.dof]] +
                       "' turns about three axes, so that its motors have no position");
    }
    if (!options.step && (options.hessian || options.abi != Abi::c))
        refuse("second derivatives and functions for solvers are those of a step; set its rule, too");
    if (!options.step) return;
    if (options.hessian && has_poses(model))
        refuse("second derivatives of steps are for robots whose independent joints have no quaternion");
    if (!options.parameters.empty())
        refuse("steps for solvers with inertias as inputs are not supported; leave one of both out");
    if (const int joint = partly_independent_joint(model); joint >= 0)
        refuse(
            "step: only some components of joint '" + model.names.joints[joint] +
            "' are independent, so that displacements of its loops do not commute; choose other independent "
            "joints");
}

/// Returns the options with the algorithms that steps for solvers need.
GenerateOptions complete(const Model& model, GenerateOptions options) {
    if (!options.step) return options;
    const AppliedForces applied = applied_forces_of(model, options.motors, options.joint_forces);
    const auto add = [&](GeneratedAlgorithm algorithm) {
        if (!includes(options, algorithm)) options.algorithms.push_back(algorithm);
    };
    add(GeneratedAlgorithm::aba);
    add(GeneratedAlgorithm::aba_derivatives);
    if (closes_by_steps(model)) add(GeneratedAlgorithm::close);
    if (applied.any()) add(GeneratedAlgorithm::forces);
    if (applied.any()) add(GeneratedAlgorithm::forces_derivatives);
    if (has_dependents(model)) add(GeneratedAlgorithm::tangent);
    if (options.abi != Abi::c && !has_poses(model)) options.hessian = true;
    if (options.abi == Abi::casadi) {
        for (const GeneratedAlgorithm algorithm :
             {GeneratedAlgorithm::rnea, GeneratedAlgorithm::rnea_derivatives, GeneratedAlgorithm::tangent})
            add(algorithm);
        if (options.hessian) add(GeneratedAlgorithm::tangent_hessian);
        if (!options.frames.empty() || !model.tool_frames.empty()) {
            for (const GeneratedAlgorithm algorithm : {GeneratedAlgorithm::poses, GeneratedAlgorithm::twists,
                                                       GeneratedAlgorithm::frames_derivatives})
                add(algorithm);
            if (options.hessian) add(GeneratedAlgorithm::frames_hessian);
        }
    }
    if (options.hessian) add(GeneratedAlgorithm::rnea_hessian);
    if (options.hessian && applied.any()) add(GeneratedAlgorithm::forces_hessian);
    if (applied.has_motors() &&
        std::all_of(applied.motors.begin(), applied.motors.end(),
                    [&](const Motor& motor) { return kernels::position_index(model, motor.dof) >= 0; }))
        add(GeneratedAlgorithm::motors);
    return options;
}

void check(const Model& model, const GenerateOptions& options) {
    if (model.nv == 0) refuse("the robot has no degree of freedom");
    if (!is_identifier(options.name))
        refuse("name '" + options.name + "' is no identifier of C: letters, digits and _, no digit first");
    if (is_system_header(options.name))
        refuse("name '" + options.name +
               "' is that of a header of the system, which a compiler that looks into "
               "the folder of " +
               options.name + ".h would take for it; choose another name");
    if (options.algorithms.empty()) refuse("no algorithm is asked for");
    if (options.lanes != 0 && options.lanes != 1 && options.lanes != 2 && options.lanes != most_lanes)
        refuse("lanes is " + std::to_string(options.lanes) +
               ", expected 1, 2 or 4, or 0 for what takes least");
    if (options.batch != 0 && options.batch != 4 && options.batch != 8)
        refuse("batch is " + std::to_string(options.batch) + ", expected 4 or 8, or 0 for none");
    if (options.batch > 0 && options.iso)
        refuse("many states at a time need the vectors of GNU C: not ISO C");
    const bool closes = includes(options, GeneratedAlgorithm::close);
    const bool has_loops = std::any_of(model.clusters.begin(), model.clusters.end(),
                                       [](const Cluster& c) { return c.embedding != Embedding::none; });
    if (closes && !has_loops) refuse("the robot has no loops to close");
    const int massless = first_massless_branch(model);
    for (const GeneratedAlgorithm algorithm : options.algorithms)
        if (massless >= 0 && !needs_no_mass(algorithm))
            refuse(std::string(to_string(algorithm)) + " needs mass, and joint '" +
                   model.names.joints[model.clusters[massless].joints.first] +
                   "' moves none: give its links an inertial");
    check_solver(model, options);
}

std::vector<int> frames_of(const Model& model, const GenerateOptions& options) {
    std::vector<int> frames;
    for (const std::string& name : options.frames) frames.push_back(model.frame(name).index);
    if (frames.empty()) frames.assign(model.tool_frames.begin(), model.tool_frames.end());
    if (frames.empty()) frames.assign(model.body_frame.begin(), model.body_frame.end());
    return frames;
}

/// Returns the bodies whose inertias are inputs.
std::vector<int> parameter_bodies(const Model& model, const GenerateOptions& options) {
    std::vector<int> bodies;
    for (const std::string& name : options.parameters) {
        const int body = model.frame(name).body;
        if (body == world) refuse("parameter '" + name + "' is fixed in the world");
        if (model.is_rod(body))
            refuse("parameter '" + name + "' is a rod, part of whose mass the bodies at its ends hold");
        if (model.bodies[body].rotor)
            refuse("parameter '" + name + "' is a rotor, which its carrier's inertia holds");
        if (model.bodies[body].inertia_kind == InertiaKind::none || model.bodies[body].massless)
            refuse("parameter '" + name + "' is massless: its inertia is left out, not zero");
        if (std::find(bodies.begin(), bodies.end(), body) != bodies.end())
            refuse("parameter '" + name + "' names a body that another one names");
        bodies.push_back(body);
    }
    return bodies;
}

/// Returns each algorithm once, followed by its variant with wrenches if requested.
std::vector<Request> requests(const GenerateOptions& options, const std::vector<int>& frames) {
    std::vector<Request> result;
    std::set<GeneratedAlgorithm> seen;
    for (const GeneratedAlgorithm algorithm : options.algorithms) {
        if (!seen.insert(algorithm).second) continue;
        result.push_back({algorithm, false, is_of_frames(algorithm) ? frames : std::vector<int>{},
                          options.motors, options.joint_forces});
        if (options.wrenches && has_wrenches(algorithm)) result.push_back({algorithm, true, {}});
    }
    return result;
}

std::string name_of(const Request& request) {
    if (request.algorithm == GeneratedAlgorithm::close) return "close_step";
    return to_string(request.algorithm) + std::string(request.wrenches ? "_wrenches" : "");
}

/// Uses this number of lanes, or the number with the fewest operations.
Woven woven(const Model& model, const Recording& recording, int lanes) {
    if (lanes > 0) return weave(model, recording, lanes);
    if (find_limbs(model, recording.tape, most_lanes).groups.empty()) return weave(model, recording, 1);
    Woven best = weave(model, recording, 1);
    for (const int more : {2, most_lanes}) {
        Woven other = weave(model, recording, more);
        if (needed(other).size() < needed(best).size()) best = std::move(other);
    }
    return best;
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

}  // namespace

namespace {

void set_step(const Model& model, const GenerateOptions& options, File& file) {
    const AppliedForces applied = applied_forces_of(model, options.motors, options.joint_forces);
    file.step = options.step;
    file.step_is_forced = applied.any();
    for (const Motor& motor : applied.motors) file.step_motors.push_back(model.dof_body[motor.dof]);
    file.step_has_joint_forces = applied.joint_forces;
    file.step_has_hessian = options.hessian;
    file.abi = options.abi;
}

/// One function, made from the model with the form that needs the fewest operations.
struct Made {
    Function function;
    const Canonical* robot = nullptr;
    double library_nanoseconds = 0;  ///< in the library's own form, which is the first model
};

Made made(const std::vector<Canonical>& forms, const Request& request, const GenerateOptions& options) {
    Made best;
    for (const Canonical& robot : forms) {
        Function function{name_of(request), request, record(robot, request), {}};
        const std::size_t steps = function.recording.tape.steps.size();
        if (steps > most_steps) {
            if (&robot != &forms.front()) continue;
            refuse(function.name + " takes " + std::to_string(steps) + " operations, more than " +
                   std::to_string(most_steps) + ": the library is faster there");
        }
        function.woven = woven(robot.model, function.recording, options.iso ? 1 : options.lanes);
        if (&robot == &forms.front())
            best.library_nanoseconds = report(robot.model, function).library_nanoseconds;
        if (!best.robot || needed(function.woven).size() < needed(best.function.woven).size())
            best = {std::move(function), &robot, best.library_nanoseconds};
    }
    return best;
}

}  // namespace

GeneratedCode generate(const Model& model, const GenerateOptions& wanted,
                       const std::vector<Model>& other_forms) {
    require_whole(model);
    const GenerateOptions options = complete(model, wanted);
    check(model, options);
    const std::vector<int> parameters = parameter_bodies(model, options);
    std::vector<Canonical> forms{canonical(model, parameters)};
    for (const Model& other : other_forms) forms.push_back(canonical(other, parameters));
    const Canonical& robot = forms.front();
    const std::vector<int> frames = frames_of(model, options);
    File file{model,       {options.name, upper(options.name)}, {}, {}, {}, {},
              options.isa, std::max(options.batch, 1)};
    file.dialect.vectors = !options.iso;
    file.dialect.columns = options.columns;
    file.dialect.others = dot(model.gravity, model.gravity);
    for (const Body& body : model.bodies)
        if (has_quaternion(body.joint))
            file.dialect.quaternions.push_back(body.q + position_size(body.joint) - 4);
    GeneratedCode code;
    for (const Request& request : requests(options, frames)) {
        Made best = made(forms, request, options);
        Function& function = best.function;
        if (is_of_frames(request.algorithm)) file.frames = frames;
        code.functions.push_back(report(model, function));
        code.functions.back().library_nanoseconds = best.library_nanoseconds;
        if (options.batch > 0 && has_batches(request.algorithm)) {
            file.batches.push_back(function);
            file.batches.back().woven = weave(best.robot->model, function.recording, 1);
        }
        file.functions.push_back(std::move(function));
    }
    file.parameters = parameters;
    file.robot = &robot;
    if (options.step) set_step(model, options, file);
    file.examples = make_examples(model, robot.parameters, file.functions);
    code.header = header_text(file);
    code.source = source_text(file);
    if (options.abi == Abi::acados) code.module = acados_module(file);
    return code;
}

}  // namespace grbda
