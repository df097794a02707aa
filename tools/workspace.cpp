#include "grbda/search/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <utility>

#include "arguments.hpp"
#include "assignments.hpp"
#include "describe/describe.hpp"
#include "edit.hpp"
#include "describe/json_text.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

/// Joints of the swept joint's cluster in the order of q; all other joints are fixed.
std::vector<int> moved_joints(const Model& model, int body) {
    std::vector<int> bodies = describe::bodies_in_user_order(model);
    std::erase_if(bodies, [&](int i) { return model.bodies[i].cluster != model.bodies[body].cluster; });
    return bodies;
}

OrderedJson position(const Body& body, const VectorX<double>& q) {
    const int size = position_size(body.joint);
    if (size == 1) return q[body.q];
    return std::vector<double>(q.data() + body.q, q.data() + body.q + size);
}

std::string as_json(const Model& model, const Sweep& sweep) {
    const std::vector<int> joints = moved_joints(model, sweep.body);
    const auto other = [](int branch) { return branch < 0 ? OrderedJson() : OrderedJson(branch + 1); };
    OrderedJson out;
    out["joint"] = model.names.joints[sweep.body];
    out["values"] = sweep.values;
    out["guesses"] = sweep.guesses;
    out["closed"] = sweep.closed;
    out["branches"] = OrderedJson::array();
    for (const SweepBranch& branch : sweep.branches) {
        OrderedJson entry;
        entry["branch"] = out["branches"].size() + 1;
        entry["from"] = branch.points.front().value;
        entry["to"] = branch.points.back().value;
        entry["begins"] = to_string(branch.begins);
        entry["begins_with"] = other(branch.begins_with);
        entry["ends"] = to_string(branch.ends);
        entry["ends_with"] = other(branch.ends_with);
        entry["points"] = OrderedJson::array();
        for (const SweepPoint& point : branch.points) {
            OrderedJson each;
            each["value"] = point.value;
            each["rcond"] = point.rcond;
            each["within_limits"] = point.within_limits;
            for (const int i : joints) each["q"][model.names.joints[i]] = position(model.bodies[i], point.q);
            entry["points"].push_back(std::move(each));
        }
        out["branches"].push_back(std::move(entry));
    }
    return describe::write_json(out);
}

std::string as_csv(const Model& model, const Sweep& sweep) {
    const std::vector<int> joints = moved_joints(model, sweep.body);
    std::string text = "branch,value,rcond,within_limits";
    for (const int i : joints) {
        const int size = position_size(model.bodies[i].joint);
        for (int j = 0; j < size; ++j)
            text += "," + describe::csv_cell(model.names.joints[i] +
                                             (size == 1 ? "" : "[" + std::to_string(j) + "]"));
    }
    text += "\n";
    for (std::size_t b = 0; b < sweep.branches.size(); ++b)
        for (const SweepPoint& point : sweep.branches[b].points) {
            text += std::to_string(b + 1) + "," + describe::number(point.value, 17) + "," +
                    describe::number(point.rcond, 6) + "," + (point.within_limits ? "1" : "0");
            for (const int i : joints)
                for (int j = 0; j < position_size(model.bodies[i].joint); ++j)
                    text += "," + describe::number(point.q[model.bodies[i].q + j], 17);
            text += "\n";
        }
    return text;
}

std::string end_text(BranchEnd end, int with) {
    return to_string(end) + (with < 0 ? std::string() : " with " + std::to_string(with + 1));
}

std::string counted(std::size_t count, const std::string& one, const std::string& more) {
    return std::to_string(count) + " " + (count == 1 ? one : more);
}

/// For many branches: where configurations close, how many at most at one value, and how branches end.
std::string branch_statistics(const Sweep& sweep) {
    std::map<int, std::size_t> modes;  // by step
    std::size_t folds = 0, lost = 0, within = 0;
    const SweepBranch* longest = &sweep.branches.front();
    for (const SweepBranch& branch : sweep.branches) {
        for (const BranchEnd end : {branch.begins, branch.ends}) {
            folds += end == BranchEnd::fold ? 1 : 0;
            lost += end == BranchEnd::lost ? 1 : 0;
        }
        bool is_within = false;
        for (const SweepPoint& point : branch.points) {
            if (point.step >= 0) ++modes[point.step];
            is_within = is_within || point.within_limits;
        }
        within += is_within ? 1 : 0;
        if (branch.points.size() > longest->points.size()) longest = &branch;
    }
    std::size_t most = 0;
    for (const auto& [step, count] : modes) most = std::max(most, count);
    const auto number_of_longest = static_cast<std::size_t>(longest - sweep.branches.data()) + 1;
    return "  closed at " + std::to_string(modes.size()) + " of " + std::to_string(sweep.values.size()) +
           " values, with at most " + counted(most, "mode", "modes") + " at one value\n  " +
           counted(within, "branch is", "branches are") + " within limits somewhere\n  " +
           counted(folds, "end is a fold, ", "ends are folds, ") + counted(lost, "is lost", "are lost") +
           "\n  the longest is branch " + std::to_string(number_of_longest) + ", from " +
           describe::number(longest->points.front().value, 6) + " to " +
           describe::number(longest->points.back().value, 6) + "\n\n";
}

std::string as_text(const Model& model, const Sweep& sweep) {
    constexpr std::size_t many = 20;
    const std::string count = std::to_string(sweep.branches.size());
    std::string text = "joint " + model.names.joints[sweep.body] + " from " +
                       describe::number(sweep.values.front()) + " to " +
                       describe::number(sweep.values.back()) + ": " + count +
                       (sweep.branches.size() == 1 ? " branch\n" : " branches\n");
    if (sweep.branches.size() > many) text += branch_statistics(sweep);
    char line[160];
    std::snprintf(line, sizeof line, "  %6s  %10s  %10s  %-14s %-14s %9s  %s\n", "branch", "from", "to",
                  "begins", "ends", "rcond >=", "within limits");
    text += line;
    for (std::size_t b = 0; b < sweep.branches.size(); ++b) {
        const SweepBranch& branch = sweep.branches[b];
        double rcond = 1;
        std::size_t within = 0, steps = 0;
        for (const SweepPoint& point : branch.points) {
            rcond = std::min(rcond, point.rcond);
            steps += point.step >= 0 ? 1 : 0;
            within += point.step >= 0 && point.within_limits ? 1 : 0;
        }
        const std::string share = std::to_string(within) + " of " + std::to_string(steps) + " values";
        std::snprintf(line, sizeof line, "  %6zu  %10s  %10s  %-14s %-14s %9.2g  %s\n", b + 1,
                      describe::number(branch.points.front().value, 6).c_str(),
                      describe::number(branch.points.back().value, 6).c_str(),
                      end_text(branch.begins, branch.begins_with).c_str(),
                      end_text(branch.ends, branch.ends_with).c_str(), rcond, share.c_str());
        text += line;
    }
    if (sweep.guesses > 0)
        text += std::to_string(sweep.closed) + " of " + std::to_string(sweep.guesses) +
                " random guesses led to a closed configuration\n";
    return text;
}

int swept_body(const Model& model, const std::string& joint) {
    const int body = joint_of_assignment(model, "--joint", joint);
    if (position_size(model.bodies[body].joint) != 1)
        throw CallError("--joint " + joint + ": expected a joint of one coordinate, found a " +
                        to_string(model.bodies[body].joint) + " one");
    return body;
}

/// The joint's limits; if these are wider, a whole turn, or 1 m in both directions.
std::pair<double, double> range_of(const Model& model, int body) {
    const JointLimits& limits = model.limits[body];
    const double most = is_freedom(model.bodies[body].joint, 0, Freedom::slide) ? 1 : M_PI;
    const bool is_narrow = model.bounded[body] != 0 && limits.upper - limits.lower <= 2 * most;
    return is_narrow ? std::pair(limits.lower, limits.upper) : std::pair(-most, most);
}

Sweep swept(const Model& model, const VectorX<double>& q, int body, const SweepOptions& options) {
    try {
        return grbda::sweep(model, q, body, options);
    } catch (const std::invalid_argument& error) {
        throw CallError("--joint " + model.names.joints[body] + ": " + error.what());
    }
}

}  // namespace

int workspace(const WorkspaceArguments& arguments) {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    const Resolved given = resolve(arguments.model);
    if (!spares_inputs(arguments.output, given.robot.files)) return Exit::bad_call;
    const Model& model = given.model;
    const int body = swept_body(model, arguments.joint);
    const VectorX<double> q = configuration(model, arguments.at);
    if (!arguments.model.quiet) print_findings(given.diagnostics, arguments.model.notes);
    SweepOptions options;
    const auto [from, to] = range_of(model, body);
    options.from = arguments.from.value_or(from);
    options.to = arguments.to.value_or(to);
    require_position("--from", model.bodies[body], 0, options.from);
    require_position("--to", model.bodies[body], 0, options.to);
    options.steps = arguments.steps;
    options.guesses = arguments.guesses;
    options.seed = arguments.seed;
    for (const std::string& joint : arguments.watched)
        options.watched.push_back(joint_of_assignment(model, "--watch", joint));
    const Sweep result = swept(model, q, body, options);
    write_output(arguments.json  ? as_json(model, result)
                 : arguments.csv ? as_csv(model, result)
                                 : as_text(model, result),
                 arguments.output);
    if (!result.branches.empty()) return Exit::success;
    std::fprintf(stderr, "--joint %s: no closed configuration was found\n", arguments.joint.c_str());
    return Exit::no_answer;
}

}  // namespace grbda::tool
