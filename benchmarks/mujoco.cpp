#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "grbda/constraints/embedding.hpp"
#include "grbda/dynamics/aba.hpp"
#include "groups.hpp"
#include "mujoco_mechanism.hpp"

// Compares mj_forward on the robots with the exact answer: mujoco/ROBOT/tree without the equality
// constraints, mujoco/ROBOT/constrained with them. The problem differs from the engine's, because MuJoCo's
// constraints are soft. A check before the timing ensures that the mechanism is the same.

namespace grbda::benchmarks {
namespace {

// At rest, with constraints as stiff as MuJoCo allows: a thousandth of the default's softness remains.
constexpr double stiff_tolerance = 1e-2;
constexpr double stiffest_impedance = 0.9999;

struct Comparison {
    PeerRobot robot;
    MujocoModel model;
    MujocoData data;
    std::vector<PeerState> states;
    std::vector<VectorX<double>> tree;  ///< per state: q̈ of the spanning tree
    std::vector<VectorX<double>> ydd;   ///< per state: of the robot
};

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
        const PeerState& state = comparison.states[i];
        set_state(*comparison.model, *comparison.data, state);
        mj_forward(comparison.model.get(), comparison.data.get());
        const Eigen::Map<const VectorX<double>> qacc(comparison.data->qacc, state.v.size());
        const VectorX<double> qdd = engine_acceleration(state, qacc);
        result.push_back(constrained ? relative_error(independent_part(comparison.robot.closed.model, qdd),
                                                      comparison.ydd[i])
                                     : relative_error(qdd, comparison.tree[i]));
    }
    return result;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}
double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

VectorX<double> acceleration(const Model& model, const State& state) {
    Data data(model);
    if (!aba(model, data, state.q, state.yd, state.tau)) throw std::runtime_error("a state is not ok");
    return data.ydd;
}

Comparison make_comparison(const std::string& name, double speed) {
    Comparison result;
    result.robot = make_peer_robot(name, speed);
    const PeerRobot& robot = result.robot;
    result.model = make_mujoco_model(robot.mechanism, robot.closed.model);
    result.data.reset(mj_makeData(result.model.get()));
    for (const State& state : robot.closed.states)
        result.ydd.push_back(acceleration(robot.closed.model, state));
    for (const State& state : robot.tree.states) {
        result.tree.push_back(acceleration(robot.tree.model, state));
        result.states.push_back(to_mujoco(robot.mechanism, state));
    }
    return result;
}

/// Throws unless the tree is exact, and the stiff constrained robot is nearly exact at rest, since MuJoCo's
/// constraints omit the velocity terms of their accelerations.
void check_sameness(const std::string& robot) {
    Comparison comparison = make_comparison(robot, 0);
    mjModel& model = *comparison.model;
    for (int i = 0; i < model.neq; ++i) std::fill_n(model.eq_solimp + i * mjNIMP, 2, stiffest_impedance);
    for (const double error : errors(comparison, false))
        if (!(error < exact_tolerance)) throw std::logic_error("the trees differ");
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
        register_peer_benchmark(
            "mujoco/" + name + (constrained ? "/constrained" : "/tree"),
            [=](benchmark::State& timer) { time_mujoco(timer, comparison(name), constrained); });
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
    grbda::benchmarks::register_worlds();
    grbda::benchmarks::register_mujoco_worlds();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
