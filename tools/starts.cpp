#include "starts.hpp"

#include <algorithm>
#include <filesystem>

#include "arguments.hpp"
#include "assignments.hpp"
#include "evaluate.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "terminal.hpp"

namespace grbda::tool {

using describe::InputError;
namespace {

void require_motion_alone(const StateInput& state, const std::string& where) {
    if (state.has_ydd || !state.tau.isZero(0) || state.wrenches.cols() > 0)
        throw InputError(where +
                         ": a motion starts from positions and velocities; 'tau', 'ydd' and wrenches "
                         "are no part of that, forces over time come by --controls");
}

std::map<std::string, double> targets_of(const Model& model, const std::string& saved) {
    for (const SavedState& state : model.states)
        if (state.name == saved) return state.targets;
    return {};
}

}  // namespace

bool is_states_file(const Model& model, const std::string& of) {
    const bool saved = std::any_of(model.states.begin(), model.states.end(),
                                   [&](const SavedState& state) { return state.name == of; });
    const std::filesystem::path path(of);
    if (of == "-" || of == "/dev/stdin") return true;
    return !of.empty() && !saved && (path.extension() == ".json" || std::filesystem::is_regular_file(path));
}

Starts find_starts(const Model& model, const std::string& option, const std::string& of, bool quiet) {
    const VectorX<double> rest = VectorX<double>::Zero(model.nv_tree);
    if (of.empty()) return {model.gravity, {{neutral_configuration(model), rest}}};
    if (!is_states_file(model, of))
        return {model.gravity, {{state_called(model, option, of), rest, targets_of(model, of)}}};
    const StatesInput input = match_states(describe::read_json(describe::read_text(of), of), of, model, {});
    if (!quiet) print_ignored(input, of);
    if (input.states.empty()) throw InputError(of + ": there is no state to start from");
    Starts starts{input.gravity, {}};
    Evaluator evaluator(model, {});
    for (std::size_t i = 0; i < input.states.size(); ++i) {
        const std::string where = of + ": states[" + std::to_string(i) + "]";
        require_motion_alone(input.states[i], where);
        const Evaluation found = evaluator.evaluate(input.states[i]);
        if (!found.complete) throw NoAnswer(where + ": the robot cannot start there: " + found.message);
        starts.states.push_back({found.q, found.qd});
    }
    return starts;
}

}  // namespace grbda::tool
