#include "accuracy_cases.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <Eigen/Eigenvalues>

#include "families.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/compile/build.hpp"
#include "grbda/io/load.hpp"

namespace grbda::benchmarks {
namespace {

/// A configuration with rcond(K_d) of `target`, to 2 %: where the conditioning falls below it on a path from
/// a random configuration in a random direction.
std::optional<VectorX<double>> search(const Model& model, Data& data, double target,
                                      std::mt19937_64& generator) {
    constexpr int steps = 200, halvings = 60;
    VectorX<double> q = random_configuration(model, generator), next(model.nq), middle(model.nq);
    VectorX<double> step =
        0.05 * random_motion(model, q, generator).yd.normalized() * std::sqrt(static_cast<double>(model.nv));
    const auto above = [&](const VectorX<double>& from, double share, VectorX<double>& to) {
        return integrate(model, data, from, share * step, to) && smallest_rcond(model, data, to) >= target;
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

/// Adds the state at q, closed beyond double precision and then rounded.
void add_state(const Reference& reference, const VectorX<double>& q, std::mt19937_64& generator, Case& out) {
    const Reference::Vector closed = reference.close_loops(q.cast<Reference::Real>());
    State state = random_motion(out.subject.model, closed.cast<double>(), generator);
    const Reference::Vector yd = state.yd.cast<Reference::Real>(), tau = state.tau.cast<Reference::Real>();
    out.closed_q.push_back(closed);
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
    Case result{{build_model(robot), {}}, {}, {}, {}};
    const Model& model = result.subject.model;
    const Reference reference = make_reference(robot, model);
    Data data(model);
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
    Case result{{build_model(robot), {}}, {}, {}, {}};
    const Model& model = result.subject.model;
    const Reference reference = make_reference(robot, model);
    std::mt19937_64 generator(1);
    while (result.subject.states.size() < state_count) {
        add_state(reference, random_configuration(model, generator), generator, result);
        result.rcond = std::min(result.rcond, rcond(result.rounded.back().M));
    }
    return result;
}

}  // namespace

const Case& accuracy_case(const std::string& name, const std::function<Case()>& make) {
    static std::map<std::string, std::unique_ptr<const Case>> cases;
    std::unique_ptr<const Case>& entry = cases[name];
    if (!entry) entry = std::make_unique<const Case>(make());
    return *entry;
}

void each_accuracy_case(
    const std::function<void(const std::string&, const std::string&, std::function<Case()>)>& add) {
    const auto published = [](const std::string& robot) {
        Diagnostics diagnostics;
        return read_description(robot_files(robot), diagnostics);
    };
    for (const std::string target : {"1e-1", "1e-2", "1e-3", "1e-4", "6e-5"})
        for (const std::string robot : {"four_bar", "six_bar"})
            add(robot, target, [=] { return make_loop_case(published(robot), std::stod(target)); });
    for (const std::string target : {"1e-2", "1e-3", "1e-4", "6e-5"})  // never as well conditioned as 1e-1
        add("spatial_linkage", target, [=] { return make_loop_case(spatial_linkage(), std::stod(target)); });
    for (const std::string ratio : {"1e0", "1e-2", "1e-4", "1e-6", "1e-8"})
        add("mass_ratio_chain", ratio,
            [=] { return make_mass_case(mass_ratio_chain(1 / std::stod(ratio))); });
}

}  // namespace grbda::benchmarks
