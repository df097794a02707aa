#include <cmath>
#include <random>
#include <utility>

#include "arguments.hpp"
#include "assignments.hpp"
#include "by_joint.hpp"
#include "describe/describe.hpp"
#include "grbda/baselines/baselines.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/search/search.hpp"
#include "modes.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace grbda::tool {

using describe::OrderedJson;
namespace {

constexpr const char* message_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::converged: return "";
        case Outcome::blocked: return "the motion along the loops ends: a fold, or a singular configuration";
        case Outcome::infeasible: return "limits could not be kept; --starts looks in other assembly modes";
        case Outcome::unfinished: return "it does not settle";
        case Outcome::open: return "no configuration that closes the loops was found near";
        case Outcome::nearest:
        case Outcome::invalid: break;
    }
    return "numbers too large to compute with";
}

/// One number per velocity, or the mass matrix of the tree at q.
MatrixX<double> metric_of(const Model& model, const ProjectArguments& arguments, const VectorX<double>& q) {
    VectorX<double> weights = VectorX<double>::Ones(model.nv_tree);
    put_velocities(model, "--weights", arguments.weights, true, weights);
    for (const double weight : weights)
        if (weight < 0) throw CallError("--weights: expected numbers that are not negative");
    if (!arguments.inertia) return weights;
    baselines::Workspace work(model);
    const VectorX<double> still = VectorX<double>::Zero(model.nv);
    const Result result = baselines::inverse_dynamics(model, work, q, still, still, Matrix6X<double>(6, 0));
    if (!result.ok() && !work.H.allFinite()) return weights;
    return work.H;
}

/// Stores a state's velocity or acceleration in `out`, and its displacement. Returns false if it has none.
template <class Project>
bool project_rates(const Model& model, const char* key, const char* moved_key, const std::string& option,
                   const std::vector<std::string>& given, const Project& project, VectorX<double>& x,
                   OrderedJson& out) {
    x.setZero(model.nv_tree);
    put_velocities(model, option, given, false, x);
    const VectorX<double> before = x;
    const std::vector<int> bodies = describe::bodies_in_user_order(model);
    const Result result = project(x);
    if (!result.ok()) {
        out["status"] = to_string(result.status);
        out["message"] = option + (result.status == Status::not_finite ? ": numbers too large to compute with"
                                                                       : ": no unique projection here");
        return false;
    }
    const VectorX<double> moved = x - before;
    out[key] = velocities_by_joint(model, bodies, x);
    out[moved_key] = velocities_by_joint(model, bodies, moved);
    return true;
}

/// A configuration and the start that led to it.
struct Projected {
    SearchResult result;
    VectorX<double> q, moved;
    int start = 0;
};

/// The nearest to the given q: from a random start, the search goes back towards it along the loops.
Projected nearest_of_starts(const Model& model, Data& data, const MatrixX<double>& W,
                            const VectorX<double>& given, const ProjectArguments& arguments) {
    std::mt19937_64 generator(arguments.seed);
    Projected best;
    for (int i = 0; i < arguments.starts; ++i) {
        Projected next{{}, given, {}, i};
        SearchOptions options;
        options.limits = arguments.limits;
        if (i > 0) {
            const VectorX<double> from = random_start(model, data, i, generator);
            options.from.assign(from.data(), from.data() + from.size());
        }
        next.result = project_configuration(model, data, W, next.q, options);
        next.moved = data.moved;
        const bool nearer =
            next.result.converged() && (!best.result.converged() || next.result.cost < best.result.cost);
        if (i == 0 || nearer) best = std::move(next);
    }
    return best;
}

OrderedJson projected(const Model& model, const ProjectArguments& arguments) {
    VectorX<double> q = neutral_configuration(model), qd, qdd;
    put_positions(model, "--q", arguments.q, q);
    const MatrixX<double> W = metric_of(model, arguments, q);
    Data data(model);
    OrderedJson out;
    out["status"] = "ok";
    const OrderedJson before = residuals_by_name(model, data, q);
    const Projected nearest = nearest_of_starts(model, data, W, q, arguments);
    const SearchResult& result = nearest.result;
    q = nearest.q;
    if (!result.converged()) {
        out["status"] = to_string(result.outcome);
        out["message"] = message_of(result.outcome);
    }
    out["residuals_before"] = before;
    if (arguments.starts > 1) out["start"] = nearest.start;
    if (!result.converged()) return out;
    const std::vector<int> bodies = describe::bodies_in_user_order(model);
    out["iterations"] = result.iterations;
    out["closure_residual"] = closure_residual(model, data, q).residual;
    out["distance"] = std::sqrt(2 * result.cost);
    out["q"] = positions_by_joint(model, bodies, q);
    out["moved"] = velocities_by_joint(model, bodies, nearest.moved);
    if (arguments.qd.empty() && arguments.qdd.empty()) return out;
    const auto velocity = [&](VectorX<double>& x) { return project_velocity(model, data, W, q, x); };
    const auto acceleration = [&](VectorX<double>& x) {
        return project_acceleration(model, data, W, q, qd, x);
    };
    if (project_rates(model, "qd", "qd_moved", "--qd", arguments.qd, velocity, qd, out) &&
        !arguments.qdd.empty())
        project_rates(model, "qdd", "qdd_moved", "--qdd", arguments.qdd, acceleration, qdd, out);
    return out;
}

}  // namespace

int project(const ProjectArguments& arguments) {
    if (!spares_inputs(arguments.output, arguments.model.files)) return Exit::bad_call;
    const Model model = load_model(arguments.model);
    if (!spares_inputs(arguments.output, model.files)) return Exit::bad_call;
    if (!arguments.model.quiet) print_findings(model.diagnostics, arguments.model.notes);
    const OrderedJson out = projected(model, arguments);
    write_output(describe::write_json(out), arguments.output);
    return out["status"] == "ok" ? Exit::success : Exit::no_answer;
}

}  // namespace grbda::tool
