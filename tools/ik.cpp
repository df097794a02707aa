#include <random>

#include <Eigen/Geometry>

#include "arguments.hpp"
#include "assignments.hpp"
#include "by_joint.hpp"
#include "describe/describe.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "grbda/search/search.hpp"
#include "modes.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

Eigen::Matrix3d rotation_of(const std::string& text, const double* quaternion) {
    const Eigen::Quaterniond q(quaternion[3], quaternion[0], quaternion[1], quaternion[2]);
    constexpr double smallest_quaternion = 1e-6;
    if (q.norm() < smallest_quaternion)
        throw CallError("--target " + text + ": expected a quaternion x,y,z,w, found one of length zero");
    return q.normalized().toRotationMatrix();
}

FrameTarget target_of(const Model& model, const std::string& text) {
    const Assignment given = read_assignment("--target", text);
    FrameTarget target;
    target.frame = frame_called(model, "--target", given.name);
    const std::vector<double>& x = given.values;
    if (x.size() == 3 || x.size() == 7) target.position = Eigen::Vector3d(x[0], x[1], x[2]);
    if (x.size() == 4 || x.size() == 7) target.orientation = rotation_of(text, x.data() + x.size() - 4);
    if (!target.position && !target.orientation)
        throw CallError("--target " + given.name +
                        ": expected a position x,y,z, an orientation qx,qy,qz,qw, or both after '=', found " +
                        std::to_string(x.size()) + (x.size() == 1 ? " number" : " numbers"));
    if (target.position)
        for (const double coordinate : *target.position) require_length("--target " + text, coordinate);
    return target;
}

/// For each frame its position at most once, and its orientation.
std::vector<FrameTarget> targets_of(const Model& model, const std::vector<std::string>& texts) {
    std::vector<FrameTarget> targets;
    for (const std::string& text : texts) {
        targets.push_back(target_of(model, text));
        for (std::size_t i = 0; i + 1 < targets.size(); ++i) {
            const FrameTarget &a = targets[i], &b = targets.back();
            if (a.frame == b.frame && ((a.position && b.position) || (a.orientation && b.orientation)))
                throw CallError("--target " + text + ": this frame has a target already");
        }
    }
    return targets;
}

/// Assembled, or a saved state, with the given joints.
VectorX<double> start_of(const Model& model, const std::vector<std::string>& texts) {
    VectorX<double> q = neutral_configuration(model);
    std::vector<std::string> joints;
    const std::string* state = nullptr;
    for (const std::string& text : texts) {
        if (text.find('=') != std::string::npos) {
            joints.push_back(text);
            continue;
        }
        if (state != nullptr)
            throw CallError("--start " + text + ": expected one state, found " + *state + " too");
        state = &text;
        q = state_called(model, "--start", text);
    }
    put_positions(model, "--start", joints, q);
    return q;
}

/// Result from one start.
struct Found {
    SearchResult result;
    VectorX<double> q;
    std::vector<Gap> gaps;
    int start = 0;
};

int rank(const SearchResult& result) {
    switch (result.outcome) {
        case Outcome::converged: return 0;
        case Outcome::nearest: return 1;
        case Outcome::unfinished:
        case Outcome::blocked: return 2;
        case Outcome::infeasible: return 3;
        case Outcome::open:
        case Outcome::invalid: break;
    }
    return 4;
}

bool better(const Found& a, const Found& b) {
    const int rank_a = rank(a.result), rank_b = rank(b.result);
    if (rank_a == 0 || rank_b == 0 || std::max(rank_a, rank_b) > 2) return rank_a < rank_b;
    return a.result.cost < b.result.cost;  // the nearer one is better, however the search ended
}

/// Searches from the start, then from random ones, until the targets are met.
Found search(const Model& model, const IkArguments& arguments, const std::vector<FrameTarget>& targets,
             const VectorX<double>& start) {
    SearchOptions options;
    options.limits = !arguments.no_limits;
    options.iterations = arguments.iterations;
    for (const std::string& joint : arguments.held)
        options.held.push_back(joint_of_assignment(model, "--hold", joint));
    std::sort(options.held.begin(), options.held.end());
    options.held.erase(std::unique(options.held.begin(), options.held.end()), options.held.end());
    options.held_at.assign(start.data(), start.data() + start.size());
    TargetTolerance tolerance{arguments.tolerance, arguments.tolerance};
    Data data(model);
    std::mt19937_64 generator(arguments.seed);
    Found best;
    for (int i = 0; i < arguments.starts && !best.result.converged(); ++i) {
        Found found;
        found.start = i;
        found.q = i == 0 ? start : random_start(model, data, i, generator);
        found.result = inverse_kinematics(model, data, targets, found.q, options, tolerance);
        found.gaps = data.gaps;
        if (i == 0 || better(found, best)) best = found;
    }
    return best;
}

const char* meaning(const SearchResult& result) {
    switch (result.outcome) {
        case Outcome::converged: return "";
        case Outcome::nearest:
            return "no motion along the loops comes nearer to the targets to first order; --starts looks "
                   "from other configurations";
        case Outcome::blocked:
            return "the motion to the targets meets a fold or a singular configuration of the loops";
        case Outcome::infeasible:
            return "limits and held joints could not be kept; --starts looks in other assembly modes, "
                   "--no-limits ignores limits";
        case Outcome::unfinished: return "more --iterations would be needed";
        case Outcome::open: return "the start does not close the loops";
        case Outcome::invalid: break;
    }
    return "numbers too large to compute with";
}

OrderedJson vector_json(const Eigen::VectorXd& x) {
    OrderedJson list = OrderedJson::array();
    for (const double entry : x) list.push_back(entry + 0.0);
    return list;
}

OrderedJson found_json(const Model& model, const std::vector<FrameTarget>& targets, const Found& found) {
    Data data(model);
    OrderedJson out;
    out["status"] = to_string(found.result.outcome);
    if (*meaning(found.result) != 0) out["message"] = meaning(found.result);
    out["start"] = found.start;
    out["iterations"] = found.result.iterations;
    out["closure_residual"] = closure_residual(model, data, found.q).residual;
    out["targets"] = OrderedJson::array();
    static_cast<void>(forward_kinematics(model, data, found.q));  // blocked joints may be singular
    for (std::size_t i = 0; i < targets.size(); ++i) {
        OrderedJson target;
        target["frame"] = model.frames[targets[i].frame].name;
        if (targets[i].position) target["length"] = found.gaps[i].length;
        if (targets[i].orientation) target["angle"] = found.gaps[i].angle;
        target["position"] = vector_json(frame_position(model, data, targets[i].frame));
        const Eigen::Quaterniond turn(frame_orientation(model, data, targets[i].frame));
        target["orientation"] = vector_json(turn.coeffs());
        out["targets"].push_back(target);
    }
    out["q"] = positions_by_joint(model, describe::bodies_in_user_order(model), found.q);
    return out;
}

}  // namespace

int ik(const IkArguments& arguments) {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    const Model model = load_model(arguments.model);
    if (!spares_inputs(arguments.output, model.files)) return Exit::bad_call;
    if (!arguments.model.quiet) print_findings(model.diagnostics, arguments.model.notes);
    const std::vector<FrameTarget> targets = targets_of(model, arguments.targets);
    VectorX<double> start = start_of(model, arguments.start);
    Data data(model);
    const Result closed = close_loops(model, data, start);
    if (!closed.ok()) {
        OrderedJson out;
        out["status"] = to_string(Outcome::open);
        out["message"] = std::string("closing the loops of the start: ") + to_string(closed.status);
        out["residuals"] = residuals_by_name(model, data, start);
        write_output(describe::write_json(out), arguments.output);
        return Exit::no_answer;
    }
    const Found found = search(model, arguments, targets, start);
    write_output(describe::write_json(found_json(model, targets, found)), arguments.output);
    return found.result.converged() ? Exit::success : Exit::no_answer;
}

}  // namespace grbda::tool
