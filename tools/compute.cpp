#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <new>
#include <stdexcept>

#include "arguments.hpp"
#include "assignments.hpp"
#include "constraints_json.hpp"
#include "evaluate.hpp"
#include "mass_hint.hpp"
#include "output.hpp"
#include "state_json.hpp"
#include "terminal.hpp"

namespace grbda::tool {

using describe::InputError;
using describe::OrderedJson;
namespace {

std::optional<baselines::Method> method_of(const std::string& name) {
    using baselines::Method;
    for (const Method method : baselines::all_methods)
        if (name == baselines::to_string(method)) return method;
    return std::nullopt;
}

/// The frames with these names, each once.
std::vector<int> frames_named(const Model& model, const std::vector<std::string>& names) {
    std::vector<int> frames;
    for (const std::string& name : names) {
        const int frame = frame_called(model, "--frames", name);
        if (std::find(frames.begin(), frames.end(), frame) == frames.end()) frames.push_back(frame);
    }
    return frames;
}

/// Results of all states as JSON; counts states without a result.
std::string evaluated(const Model& model, const EvaluationOptions& options,
                      const std::vector<StateInput>& states, std::size_t& without) {
    Evaluator evaluator(model, options);
    const StateWriter writer(model);
    OrderedJson out;
    out["coordinates"] = writer.coordinates();
    if (options.constraints) out["constrained_clusters"] = constraint_structure(model);
    out["states"] = OrderedJson::array();
    for (const StateInput& state : states) {
        const Evaluation evaluation = evaluator.evaluate(state);
        without += evaluation.complete ? 0 : 1;
        out["states"].push_back(writer.state(evaluation));
    }
    return describe::write_json(out);
}

std::string gigabytes(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g GB", bytes / 1e9);
    return text;
}

/// Rejects, before the computation, a request that would run out of memory, mainly for dense
/// mass matrices. A later check would be too late, since destroying large JSON needs memory too.
void check_memory(const Model& model, std::size_t states, bool derivatives, const std::string& file) {
    const double matrices = derivatives ? 6 : 1;
    const double as_numbers = (1 + matrices) * sizeof(double);  // bytes for each entry: M, and G besides
    const double as_json = 40 * matrices;                       // a value of the document, and its digits
    const double entries = double(model.nv) * model.nv;
    const double need = entries * (as_numbers + as_json * double(states));
    try {
        if (need >= double(std::numeric_limits<std::ptrdiff_t>::max())) throw std::bad_alloc();
        ::operator delete(::operator new(static_cast<std::size_t>(need)));
    } catch (const std::bad_alloc&) {
        throw InputError(file + ": not enough memory: the dense mass matrix of " + std::to_string(model.nv) +
                         " degrees of freedom takes " + gigabytes(entries * sizeof(double)) +
                         ", and all of " + std::to_string(states) + (states == 1 ? " state" : " states") +
                         " as JSON about " + gigabytes(need));
    }
}

/// {"knee": 0.3, "ball": [0, 0, 0, 1]}, from "JOINT=NUMBERS".
OrderedJson by_joint(const std::string& option, const std::vector<std::string>& texts) {
    OrderedJson map = OrderedJson::object();
    for (const std::string& text : texts) {
        const Assignment given = read_assignment(option, text);
        if (given.values.empty()) throw CallError(option + " " + text + ": expected JOINT=NUMBERS");
        if (map.contains(given.name))
            throw CallError(option + " " + given.name + ": this joint is given twice");
        if (given.values.size() == 1)
            map[given.name] = given.values.front();
        else
            map[given.name] = given.values;
    }
    return map;
}

/// The states of the file, or the one of the command line.
Json states_of(const ComputeArguments& arguments) {
    const std::pair<const char*, const std::vector<std::string>*> given[] = {
        {"q", &arguments.q}, {"yd", &arguments.yd}, {"ydd", &arguments.ydd}, {"tau", &arguments.tau}};
    Json state = Json::object();
    for (const auto& [key, texts] : given)
        if (!texts->empty()) state[key] = by_joint(std::string("--") + key, *texts);
    if (arguments.states.empty() == state.empty())
        throw CallError(state.empty() ? "expected --states FILE, or a state by --q JOINT=NUMBERS"
                                      : "expected either --states, or --q, --yd, --ydd and --tau");
    if (arguments.states.empty()) {
        Json whole = Json::object();
        whole["states"] = Json::array({state});
        return whole;
    }
    return describe::read_json(describe::read_text(arguments.states), arguments.states);
}

StatesInput input_of(const ComputeArguments& arguments, const std::string& source, const Model& model,
                     const VectorX<double>& start) {
    const Json states = states_of(arguments);
    if (!arguments.states.empty()) return match_states(states, source, model, start);
    try {
        return match_states(states, source, model, start);
    } catch (const InputError& error) {
        throw CallError(error.what());
    }
}

}  // namespace

int compute(const ComputeArguments& arguments) {
    std::vector<std::string> inputs = arguments.model.files;
    if (!arguments.states.empty()) inputs.push_back(arguments.states);
    if (!spares_inputs(arguments.output, inputs)) return Exit::bad_call;
    const Model loaded = load_model(arguments.model);
    if (!spares_inputs(arguments.output, loaded.files)) return Exit::bad_call;
    if (!arguments.model.quiet) print_findings(loaded.diagnostics, arguments.model.notes);
    const EvaluationOptions options{method_of(arguments.method), arguments.joint_forces,
                                    frames_named(loaded, arguments.frames), arguments.constraints,
                                    arguments.derivatives};
    const VectorX<double> start =
        arguments.start.empty() ? VectorX<double>() : state_called(loaded, "--start", arguments.start);
    const std::string source = arguments.states.empty() ? "command line" : arguments.states;
    const StatesInput input = input_of(arguments, source, loaded, start);
    if (!arguments.model.quiet) print_ignored(input, source);
    const Model model = with_gravity(loaded, input.gravity);

    std::size_t without = 0;
    check_memory(model, input.states.size(), arguments.derivatives, source);
    write_output(evaluated(model, options, input.states, without), arguments.output);
    if (without > 0 && !arguments.model.quiet)
        std::fprintf(stderr, "%s: %zu of %zu states without a result, as their status says\n%s",
                     source.c_str(), without, input.states.size(), mass_hint(model).c_str());
    return Exit::success;
}

}  // namespace grbda::tool
