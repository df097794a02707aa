#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

#include "families.hpp"
#include "grbda/algorithms/aba.hpp"
#include "grbda/algorithms/configuration.hpp"
#include "grbda/io/load.hpp"
#include "grbda/compile/build.hpp"
#include "groups.hpp"
#include "methods.hpp"
#include "reference.hpp"

// accuracy/MECHANISM/METHOD/conditioning:C: time and error of forward dynamics where numbers are bad, which
// is K_d close to losing rank, or a mass matrix of far apart eigenvalues.

namespace grbda::benchmarks {
namespace {

/// States with what is exact there: of the configuration that closes in long double, and of its rounding to
/// double, which is all that a method is given.
struct Case {
    Subject subject;
    std::vector<Reference::Solution> closed, rounded;
    double rcond = 1;  ///< the worst state's
};

/// A configuration with rcond(K_d) of `target`, to 2 %: on a way from a random configuration in a random
/// direction, there where the conditioning falls below.
std::optional<VectorX<double>> search(const Model& model, Data<double>& data, double target,
                                      std::mt19937_64& generator) {
    constexpr int steps = 200, halvings = 60;
    VectorX<double> q = random_configuration(model, generator), next(model.nq), middle(model.nq);
    VectorX<double> step =
        0.05 * random_motion(model, q, generator).yd.normalized() * std::sqrt(static_cast<double>(model.nv));
    const auto above = [&](const VectorX<double>& from, double share, VectorX<double>& to) {
        return integrate<double>(model, data, from, share * step, to) &&
               smallest_rcond(model, data, to) >= target;
    };
    if (smallest_rcond(model, data, q) < target) return std::nullopt;
    for (int i = 0; i < steps && above(q, 1, next); ++i) q = next;
    double low = 0, high = 1;
    for (int i = 0; i < halvings; ++i) {
        const double share = (low + high) / 2;
        (above(q, share, middle) ? low : high) = share;
    }
    if (!above(q, low, middle) || smallest_rcond(model, data, middle) > 1.02 * target) return std::nullopt;
    return middle;
}

std::vector<int> independent_entries(const Model& model) {
    std::vector<int> result;
    for (const Coordinate& y : independent_coordinates(model))
        result.push_back(model.bodies[y.body].q + y.component);
    return result;
}

Reference make_reference(const RobotDescription& robot, const Model& model) {
    Diagnostics diagnostics;
    const Vector3<double>& g = model.gravity;
    return {make_mechanism(robot, {}, diagnostics), independent_entries(model), {g.x, g.y, g.z}};
}

/// Adds the state at q, closed beyond double and then rounded.
void add_state(const Reference& reference, const VectorX<double>& q, std::mt19937_64& generator, Case& out) {
    const Reference::Vector closed = reference.close_loops(q.cast<Reference::Real>());
    State state = random_motion(out.subject.model, closed.cast<double>(), generator);
    const Reference::Vector yd = state.yd.cast<Reference::Real>(), tau = state.tau.cast<Reference::Real>();
    out.closed.push_back(reference.solve(closed, yd, tau));
    out.rounded.push_back(reference.solve(state.q.cast<Reference::Real>(), yd, tau));
    out.subject.states.push_back(std::move(state));
}

double rcond(const Reference::Matrix& M) {
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M.cast<double>()).eigenvalues();
    return values[0] / values[values.size() - 1];
}

/// rcond(K_d) from `least` to 1.2 · least.
Case make_loop_case(const RobotDescription& robot, double least) {
    constexpr int trials = 100000;
    Case result{{build_model(robot), {}}, {}, {}};
    const Model& model = result.subject.model;
    const Reference reference = make_reference(robot, model);
    Data<double> data(model);
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> spread(1, 1.17);
    for (int trial = 0; trial < trials && result.subject.states.size() < state_count; ++trial) {
        const std::optional<VectorX<double>> q = search(model, data, least * spread(generator), generator);
        if (!q) continue;
        add_state(reference, *q, generator, result);
        result.rcond = std::min(result.rcond, smallest_rcond(model, data, result.subject.states.back().q));
    }
    if (result.subject.states.size() < state_count) throw std::runtime_error("too few states found");
    return result;
}

Case make_mass_case(const RobotDescription& robot) {
    Case result{{build_model(robot), {}}, {}, {}};
    const Model& model = result.subject.model;
    const Reference reference = make_reference(robot, model);
    std::mt19937_64 generator(1);
    while (result.subject.states.size() < state_count) {
        add_state(reference, random_configuration(model, generator), generator, result);
        result.rcond = std::min(result.rcond, rcond(result.rounded.back().M));
    }
    return result;
}

const Case& accuracy_case(const std::string& name, const std::function<Case()>& make) {
    static std::map<std::string, std::unique_ptr<const Case>> cases;
    std::unique_ptr<const Case>& entry = cases[name];
    if (!entry) entry = std::make_unique<const Case>(make());
    return *entry;
}

/// |found − exact| / |exact| in the norm of the mass matrix.
double relative_error(const Reference::Vector& found, const Reference::Solution& exact) {
    const Reference::Vector difference = found - exact.ydd;
    return static_cast<double>(
        std::sqrt(difference.dot(exact.M * difference) / exact.ydd.dot(exact.M * exact.ydd)));
}

using Solve = std::function<VectorX<double>(const State&)>;

Solve solver(const std::string& name, const Model& model) {
    if (name == "aba")
        return [&model, data = std::make_shared<Data<double>>(model)](const State& s) -> VectorX<double> {
            static_cast<void>(aba(model, *data, s.q, s.yd, s.tau));  // NaN where it is not ok
            return data->ydd;
        };
    return [&model, which = baseline(name),
            work = std::make_shared<baselines::Workspace>(model)](const State& s) -> VectorX<double> {
        static_cast<void>(
            baselines::forward_dynamics(which, model, *work, s.q, s.yd, s.tau, Matrix6X<double>(6, 0)));
        return work->ydd;
    };
}

/// error: what the method adds. rounding: what it cannot know, the difference between the exact answers for
/// the closed configuration and for the one rounded to double.
void count_errors(benchmark::State& timer, const std::string& name, const Case& where) {
    const Solve solve = solver(name, where.subject.model);
    double error = 0, rounding = 0;
    for (std::size_t i = 0; i < state_count; ++i) {
        const VectorX<double> ydd = solve(where.subject.states[i]);
        error = std::max(error, relative_error(ydd.cast<Reference::Real>(), where.rounded[i]));
        rounding = std::max(rounding, relative_error(where.closed[i].ydd, where.rounded[i]));
    }
    timer.counters["error"] = error;
    timer.counters["rounding"] = rounding;
    timer.counters["rcond"] = where.rcond;
}

void add_case(const std::string& mechanism, const std::string& conditioning, std::function<Case()> make) {
    const auto add = [&](const std::string& which) {
        const std::string name = "accuracy/" + mechanism + "/" + which + "/conditioning:" + conditioning;
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& timer) {
            const Case& where = accuracy_case(mechanism + conditioning, make);
            if (method(which).time(timer, where.subject)) count_errors(timer, which, where);
        });
    };
    add("aba");
    for (const char* which : baseline_names) add(which);
}

}  // namespace

void register_accuracy() {
    const auto published = [](const std::string& robot) {
        Diagnostics diagnostics;
        return read_description(robot_files(robot), diagnostics);
    };
    for (const std::string target : {"1e-1", "1e-2", "1e-3", "1e-4", "6e-5"})
        for (const std::string robot : {"four_bar", "six_bar"})
            add_case(robot, target, [=] { return make_loop_case(published(robot), std::stod(target)); });
    for (const std::string target : {"1e-2", "1e-3", "1e-4", "6e-5"})  // never as well conditioned as 1e-1
        add_case("spatial_linkage", target,
                 [=] { return make_loop_case(spatial_linkage(), std::stod(target)); });
    for (const std::string ratio : {"1e0", "1e-2", "1e-4", "1e-6", "1e-8"})
        add_case("mass_ratio_chain", ratio,
                 [=] { return make_mass_case(mass_ratio_chain(1 / std::stod(ratio))); });
}

}  // namespace grbda::benchmarks
