#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "grbda/dynamics/aba.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/compile/build.hpp"
#include "groups.hpp"
#include "mujoco_mechanism.hpp"

// Compares mj_forward on the robots with the exact answer: mujoco/ROBOT/tree without the equality
// constraints, mujoco/ROBOT/constrained with them. The problem differs from the engine's, because MuJoCo's
// constraints are soft. A check before the timing ensures that the mechanism is the same.

namespace grbda::benchmarks {
namespace {

constexpr double tree_tolerance = 1e-8;  // rounding
// At rest, with constraints as stiff as MuJoCo allows: a thousandth of the default's softness remains.
constexpr double stiff_tolerance = 1e-2;
constexpr double stiffest_impedance = 0.9999;

struct Comparison {
    Mechanism mechanism;
    Subject subject;
    MujocoModel model;
    MujocoData data;
    std::vector<MujocoState> states;
    std::vector<VectorX<double>> qd;    ///< per state: spanning velocities
    std::vector<VectorX<double>> tree;  ///< per state: q̈ of the spanning tree without its loops
    std::vector<VectorX<double>> ydd;   ///< per state: of the robot
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

double relative(const VectorX<double>& found, const VectorX<double>& exact) {
    return (found - exact).norm() / exact.norm();
}

/// The robot with its loops cut: all coordinates are independent.
Model spanning_tree(Mechanism mechanism) {
    mechanism.loops.clear();
    mechanism.couplings.clear();
    mechanism.coordinates.clear();
    for (MechanismBody& body : mechanism.bodies) body.independent.reset();
    Diagnostics diagnostics;
    Model model = build_model(mechanism, {}, diagnostics);
    const auto massless = [](const Diagnostic& one) { return one.code == Code::inertia; };
    if (std::any_of(diagnostics.begin(), diagnostics.end(), massless))
        throw NotExpressible("massless bodies move in the spanning tree");
    return model;
}

/// Forces on the independent joints that act like τ, and zero on all others.
VectorX<double> spanning_force(const Model& model, const VectorX<double>& tau) {
    VectorX<double> result = VectorX<double>::Zero(model.nv_tree);
    const std::vector<Coordinate> coordinates = independent_coordinates(model);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const Body& body = model.bodies[coordinates[i].body];
        result[body.v + coordinates[i].component] = tau[static_cast<Eigen::Index>(i)];
    }
    return result;
}

void add_state(Comparison& comparison, const Model& tree, const State& state) {
    const Model& model = comparison.subject.model;
    Data<double> data(model), tree_data(tree);
    if (!spanning_velocity(model, data, state.q, state.yd) || !aba(model, data, state.q, state.yd, state.tau))
        throw std::runtime_error("a state is not ok");
    const VectorX<double> force = spanning_force(model, state.tau);
    if (!aba(tree, tree_data, state.q, data.qd, force)) throw std::runtime_error("a state is not ok");
    comparison.states.push_back(to_mujoco(comparison.mechanism, state.q, data.qd, force));
    comparison.qd.push_back(data.qd);
    comparison.tree.push_back(tree_data.ydd);
    comparison.ydd.push_back(data.ydd);
}

void switch_constraints(mjModel& model, bool on) {
    if (on)
        model.opt.disableflags &= ~static_cast<int>(mjDSBL_EQUALITY);
    else
        model.opt.disableflags |= mjDSBL_EQUALITY;
}

/// Relative error for each state: of ÿ with the constraints, of the spanning tree's q̈ without them.
std::vector<double> errors(Comparison& comparison, bool constrained) {
    switch_constraints(*comparison.model, constrained);
    std::vector<double> result;
    for (std::size_t i = 0; i < comparison.states.size(); ++i) {
        set_state(*comparison.model, *comparison.data, comparison.states[i]);
        mj_forward(comparison.model.get(), comparison.data.get());
        const VectorX<double> qdd = from_mujoco(comparison.mechanism, *comparison.data, comparison.qd[i]);
        result.push_back(
            constrained ? relative(independent_part<double>(comparison.subject.model, qdd), comparison.ydd[i])
                        : relative(qdd, comparison.tree[i]));
    }
    return result;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}
double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

Comparison make_comparison(const std::string& robot, double speed) {
    Comparison result;
    result.mechanism = read_mechanism(robot);
    result.subject = benchmarks::robot(robot);
    for (State& state : result.subject.states) state.yd *= speed;
    const Model tree = spanning_tree(result.mechanism);
    result.model = make_mujoco_model(result.mechanism, result.subject.model);
    result.data.reset(mj_makeData(result.model.get()));
    for (const State& state : result.subject.states) add_state(result, tree, state);
    return result;
}

/// Throws unless the tree is exact, and the stiff constrained robot is nearly exact at rest, since MuJoCo's
/// constraints omit the velocity terms of their accelerations.
void check_sameness(const std::string& robot) {
    Comparison comparison = make_comparison(robot, 0);
    mjModel& model = *comparison.model;
    for (int i = 0; i < model.neq; ++i) std::fill_n(model.eq_solimp + i * mjNIMP, 2, stiffest_impedance);
    if (!(largest(errors(comparison, false)) < tree_tolerance)) throw std::logic_error("the trees differ");
    if (!(median(errors(comparison, true)) < stiff_tolerance)) throw std::logic_error("the loops differ");
}

/// Made at first use, for both benchmarks of a robot.
Comparison& comparison(const std::string& robot) {
    static std::map<std::string, Comparison> comparisons;
    const auto found = comparisons.find(robot);
    if (found != comparisons.end()) return found->second;
    check_sameness(robot);
    return comparisons.emplace(robot, make_comparison(robot, 1)).first->second;
}

void time_mujoco(benchmark::State& timer, Comparison& robot, bool constrained) {
    const std::vector<double> error = errors(robot, constrained);
    mjModel& model = *robot.model;
    mjData& data = *robot.data;
    std::size_t next = 0;
    for (auto iteration : timer) {
        (void)iteration;
        set_state(model, data, robot.states[next]);
        mj_forward(&model, &data);
        benchmark::DoNotOptimize(data.qacc);
        benchmark::ClobberMemory();
        next = next + 1 == robot.states.size() ? 0 : next + 1;
    }
    timer.counters["error"] = median(error);
    timer.counters["largest_error"] = largest(error);
    timer.SetLabel(constrained ? "soft constraints" : "constraints switched off");
}

void register_robot(const std::string& name) {
    const Model model = load_robot(name);
    const bool closed = !model.loops.empty() || !model.couplings.empty();
    for (const bool constrained : {false, true}) {
        if (constrained && !closed) continue;
        benchmark::RegisterBenchmark(
            ("mujoco/" + name + (constrained ? "/constrained" : "/tree")).c_str(),
            [=](benchmark::State& timer) {
                try {
                    time_mujoco(timer, comparison(name), constrained);
                } catch (const std::exception& error) {
                    timer.SkipWithError(("not expressible: " + first_line(error.what())).c_str());
                }
            });
    }
}

}  // namespace
}  // namespace grbda::benchmarks

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    for (const std::string& name : grbda::benchmarks::robot_names()) grbda::benchmarks::register_robot(name);
    grbda::benchmarks::register_simulation();
    grbda::benchmarks::register_mujoco_simulation();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
