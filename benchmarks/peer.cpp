#include "peer.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include <Eigen/LU>

#include "grbda/compile/build.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/io/load.hpp"
#include "methods.hpp"
#include "timing.hpp"

namespace grbda::benchmarks {
namespace {

void require_ok(const Result& result) {
    if (!result) throw std::runtime_error("a state is not ok");
}

/// Combined coordinates are massless bodies after all others, each with its coupling.
void remove_combined(Mechanism& mechanism) {
    const auto is_combined = [&](const MechanismTerm& term) {
        return mechanism.bodies[static_cast<std::size_t>(term.body)].combined;
    };
    std::erase_if(mechanism.couplings, [&](const MechanismCoupling& coupling) {
        return std::any_of(coupling.terms.begin(), coupling.terms.end(), is_combined);
    });
    std::erase_if(mechanism.bodies, [](const MechanismBody& body) { return body.combined; });
}

Model build(const Mechanism& mechanism, Diagnostics& diagnostics) {
    LoadOptions options;
    options.rod_reduction = false;
    return build_model(mechanism, options, diagnostics);
}

Model spanning_tree(Mechanism mechanism) {
    mechanism.loops.clear();
    mechanism.couplings.clear();
    mechanism.coordinates.clear();
    for (MechanismBody& body : mechanism.bodies) body.independent.reset();
    Diagnostics diagnostics;
    Model model = build(mechanism, diagnostics);
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

State spanning_state(const Model& model, Data& data, const State& state) {
    require_ok(spanning_acceleration(model, data, state.q, state.yd, state.ydd));
    return {state.q, data.qd, data.qdd, spanning_force(model, state.tau), state.q};
}

/// The engine's result of a method, in the coordinates of the tree.
class Reference {
public:
    explicit Reference(const PeerRobot& robot)
        : robot_(robot), tree_(robot.tree.model), closed_(robot.closed.model) {}

    MatrixX<double> result(PeerMethod method, std::size_t i) {
        const Model& tree = robot_.tree.model;
        const State& state = robot_.tree.states[i];
        switch (method) {
            case PeerMethod::aba:
                require_ok(aba(tree, tree_, state.q, state.yd, state.tau));
                return tree_.ydd;
            case PeerMethod::rnea:
                require_ok(rnea(tree, tree_, state.q, state.yd, state.ydd));
                return tree_.tau;
            case PeerMethod::crba: require_ok(crba(tree, tree_, state.q)); return tree_.M;
            case PeerMethod::constrained: return closed_acceleration(robot_.closed.states[i]);
        }
        throw std::logic_error("unknown method");
    }

private:
    VectorX<double> closed_acceleration(const State& state) {
        const Model& model = robot_.closed.model;
        require_ok(aba(model, closed_, state.q, state.yd, state.tau));
        const VectorX<double> ydd = closed_.ydd;
        require_ok(spanning_acceleration(model, closed_, state.q, state.yd, ydd));
        return closed_.qdd;
    }

    const PeerRobot& robot_;
    Data tree_, closed_;
};

const char* name_of(PeerMethod method) {
    switch (method) {
        case PeerMethod::aba: return "aba";
        case PeerMethod::rnea: return "rnea";
        case PeerMethod::crba: return "crba";
        case PeerMethod::constrained: return "constrained";
    }
    throw std::logic_error("unknown method");
}

MatrixX<double> engine_result(PeerMethod method, const PeerState& state, const MatrixX<double>& found) {
    switch (method) {
        case PeerMethod::aba:
        case PeerMethod::constrained: return engine_acceleration(state, found);
        case PeerMethod::rnea: return state.T.transpose() * found;
        case PeerMethod::crba: return state.T.transpose() * found * state.T;
    }
    throw std::logic_error("unknown method");
}

/// A robot in the engine and in a library.
struct Comparison {
    explicit Comparison(const std::string& name) : robot(make_peer_robot(name)) {}

    PeerRobot robot;
    std::unique_ptr<Peer> peer;
    std::vector<PeerState> states;
    std::map<PeerMethod, double> largest_error;  ///< of each method that was compared
};

std::string difference(std::size_t state, double error) {
    std::ostringstream text;
    text << "the results in state " << state << " differ by " << error << " of their norm";
    return text.str();
}

/// Throws unless the results agree in every state.
double compare(Comparison& comparison, PeerMethod method) {
    Reference reference(comparison.robot);
    double largest = 0;
    for (std::size_t i = 0; i < comparison.states.size(); ++i) {
        const PeerState& state = comparison.states[i];
        comparison.peer->run(method, state);
        const double error = relative_error(engine_result(method, state, comparison.peer->result(method)),
                                            reference.result(method, i));
        if (!(error < exact_tolerance)) throw std::logic_error(difference(i, error));
        largest = std::max(largest, error);
    }
    return largest;
}

/// Made at first use, for all benchmarks of a robot.
Comparison& comparison(const PeerLibrary& library, const std::string& robot) {
    static std::map<std::string, Comparison> comparisons;
    Comparison& result = comparisons.try_emplace(robot, robot).first->second;
    if (!result.peer) {
        result.peer = library.make(result.robot);
        for (const State& state : result.robot.tree.states)
            result.states.push_back(result.peer->convert(state));
    }
    return result;
}

void time_peer(benchmark::State& timer, Comparison& comparison, PeerMethod method) {
    if (comparison.largest_error.count(method) == 0)
        comparison.largest_error[method] = compare(comparison, method);
    const Subject& tree = comparison.robot.tree;
    time_states(timer, tree, comparison.peer.get(), [&](const State& state) {
        comparison.peer->run(method,
                             comparison.states[static_cast<std::size_t>(&state - tree.states.data())]);
        return Result{};
    });
    timer.counters["largest_error"] = comparison.largest_error.at(method);
}

/// The library, then the engine on the same tree if the robot has loops or couplings, and on the robot
/// itself.
void register_method(const PeerLibrary& library, const std::string& robot, bool closed, PeerMethod method) {
    const std::string name = library.name + '/' + robot + '/' + name_of(method);
    const auto compared = [library, robot]() -> Comparison& { return comparison(library, robot); };
    register_peer_benchmark(name, [=](benchmark::State& timer) { time_peer(timer, compared(), method); });
    if (method == PeerMethod::constrained) return;
    const Method& own = benchmarks::method(name_of(method));
    if (closed)
        register_peer_benchmark(name + "/grbda_tree",
                                [=](benchmark::State& timer) { own.time(timer, compared().robot.tree); });
    register_peer_benchmark(name + "/grbda", [=](benchmark::State& timer) {
        compared();
        own.time(timer, benchmarks::robot(robot));
    });
}

}  // namespace

Mechanism read_mechanism(const std::string& robot) {
    Diagnostics diagnostics;
    Mechanism mechanism = make_mechanism(read_description(robot_files(robot), diagnostics), {}, diagnostics);
    remove_combined(mechanism);
    return mechanism;
}

PeerRobot make_peer_robot(const std::string& name, double speed) {
    PeerRobot result;
    result.mechanism = read_mechanism(name);
    Diagnostics diagnostics;
    result.closed = make_subject(build(result.mechanism, diagnostics));
    result.tree.model = spanning_tree(result.mechanism);
    Data data(result.closed.model);
    for (State& state : result.closed.states) {
        state.yd *= speed;
        result.tree.states.push_back(spanning_state(result.closed.model, data, state));
    }
    return result;
}

PeerState make_peer_state(const State& state) {
    PeerState result;
    result.q = state.q;
    result.T = MatrixX<double>::Identity(state.yd.size(), state.yd.size());
    result.c = VectorX<double>::Zero(state.yd.size());
    return result;
}

void transform_motion(const State& state, PeerState& result) {
    result.v = result.T * state.yd;
    result.a = result.T * (state.ydd + result.c);
    result.tau = result.T.transpose().partialPivLu().solve(state.tau);
}

VectorX<double> engine_acceleration(const PeerState& state, const VectorX<double>& a) {
    return state.T.partialPivLu().solve(a) - state.c;
}

Eigen::Quaterniond orientation(const VectorX<double>& q, Eigen::Index begin) {
    return Eigen::Quaterniond(q.segment<4>(begin)).normalized();
}

double relative_error(const MatrixX<double>& found, const MatrixX<double>& exact) {
    return (found - exact).norm() / exact.norm();
}

void register_peer_benchmark(const std::string& name, std::function<void(benchmark::State&)> time) {
    benchmark::RegisterBenchmark(name.c_str(), [time = std::move(time)](benchmark::State& timer) {
        const auto skip = [&](const std::string& why) {
            timer.SkipWithError(why.substr(0, why.find('\n')).c_str());
        };
        try {
            time(timer);
        } catch (const NotExpressible& error) {
            skip(std::string("not expressible: ") + error.what());
        } catch (const std::exception& error) {
            skip(error.what());
        }
    });
}

int run_peer(int argc, char** argv, const PeerLibrary& library) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    for (const std::string& robot : robot_names()) {
        const Model model = load_robot(robot);
        const bool closed = !model.loops.empty() || !model.couplings.empty();
        for (const PeerMethod method : library.methods)
            if (closed || method != PeerMethod::constrained) register_method(library, robot, closed, method);
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

}  // namespace grbda::benchmarks
