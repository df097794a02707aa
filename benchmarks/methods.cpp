#include "methods.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "grbda/dynamics/aba.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/coordinates.hpp"
#include "grbda/constraints/constraint_forces.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "grbda/derivatives/second_derivatives.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/search/search.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "differences.hpp"
#include "timing.hpp"

namespace grbda::benchmarks {
namespace {

bool time_aba(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    return time_states(timer, subject, data.ydd.data(),
                       [&](const State& s) { return aba(subject.model, data, s.q, s.yd, s.tau); });
}

bool time_rnea(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    return time_states(timer, subject, data.tau.data(),
                       [&](const State& s) { return rnea(subject.model, data, s.q, s.yd, s.ydd); });
}

bool time_crba(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    (void)crba(subject.model, data, subject.states.front().q);
    return time_states(timer, subject, data.M.data(),
                       [&](const State& s) { return crba(subject.model, data, s.q); });
}

bool time_rnea_derivatives(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    const State& first = subject.states.front();
    (void)rnea_derivatives(subject.model, data, first.q, first.yd, first.ydd);
    return time_states(timer, subject, data.dtau_dy.data(), [&](const State& s) {
        return rnea_derivatives(subject.model, data, s.q, s.yd, s.ydd);
    });
}

bool time_aba_derivatives(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    const State& first = subject.states.front();
    (void)aba_derivatives(subject.model, data, first.q, first.yd, first.tau);
    return time_states(timer, subject, data.dydd_dy.data(), [&](const State& s) {
        return aba_derivatives(subject.model, data, s.q, s.yd, s.tau);
    });
}

bool time_inverse_mass_matrix(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    (void)inverse_mass_matrix(subject.model, data, subject.states.front().q);
    return time_states(timer, subject, data.M_inverse.data(),
                       [&](const State& s) { return inverse_mass_matrix(subject.model, data, s.q); });
}

bool time_central_differences(benchmark::State& timer, const Subject& subject) {
    CentralDifferences differences(subject.model);
    return time_states(timer, subject, differences.dydd_dy.data(),
                       [&](const State& s) { return differences.compute(s, usual_step); });
}

/// λᵀ ∂²ÿ, with τ as λ.
bool time_aba_second_derivatives(benchmark::State& timer, const Subject& subject) {
    const Model& model = subject.model;
    Data data(model);
    const State& first = subject.states.front();
    (void)aba_second_derivatives(model, data, first.q, first.yd, first.tau, first.tau);
    return time_states(timer, subject, data.ydd_hessian.data(), [&](const State& s) {
        return aba_second_derivatives(model, data, s.q, s.yd, s.tau, s.tau);
    });
}

bool time_constraint_forces(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    const State& first = subject.states.front();
    (void)constraint_forces(subject.model, data, first.q, first.yd, first.ydd);
    return time_states(timer, subject, data.constraint_forces.joints.data(), [&](const State& s) {
        return constraint_forces(subject.model, data, s.q, s.yd, s.ydd);
    });
}

bool time_kinematics(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    return time_states(timer, subject, &data, [&](const State& s) {
        return forward_kinematics(subject.model, data, s.q, s.yd, s.ydd);
    });
}

/// Starts from the guesses of the states; the time includes copying one.
bool time_closure(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    VectorX<double> q(subject.model.nq);
    int iterations = 0;
    const auto close = [&](const State& s) {
        q = s.guess;
        return close_loops(subject.model, data, q);
    };
    for (const State& state : subject.states) iterations += close(state).iterations;
    timer.counters["iterations"] = static_cast<double>(iterations) / static_cast<double>(state_count);
    return time_states(timer, subject, q.data(), close);
}

/// Starts from the configurations of the states with their independent coordinates moved by up to 1e-3 rad
/// or m, as in a step of a control loop; the time includes copying one.
bool time_warm_closure(benchmark::State& timer, const Subject& subject) {
    constexpr double step = 1e-3;
    const Model& model = subject.model;
    std::mt19937_64 generator(19);
    std::uniform_real_distribution<double> uniform(-step, step);
    std::vector<VectorX<double>> starts;
    for (const State& state : subject.states) {
        starts.push_back(state.q);
        for (const int dof : model.independent) {
            const Body& body = model.bodies[model.dof_body[dof]];
            starts.back()[body.q + dof - body.dof] += uniform(generator);
        }
    }
    Data data(model);
    VectorX<double> q(model.nq);
    int iterations = 0;
    const auto close = [&](const State& s) {
        q = starts[static_cast<std::size_t>(&s - subject.states.data())];
        return close_loops(model, data, q);
    };
    for (const State& state : subject.states) iterations += close(state).iterations;
    timer.counters["iterations"] = static_cast<double>(iterations) / static_cast<double>(state_count);
    return time_states(timer, subject, q.data(), close);
}

bool time_choice(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    return time_states(timer, subject, &data, [&](const State& s) {
        return choose_coordinates(subject.model, data, s.q, Marks::ignored);
    });
}

bool time_tangent(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    return time_states(timer, subject, data.ydd.data(), [&](const State& s) {
        const Result result = take_tangents(subject.model, data, s.q);
        return result.ok() ? aba(subject.model, data, s.q, s.yd, s.tau) : result;
    });
}

/// The pose of the last body at a state, from a start with all independents up to 0.1 rad or m off.
struct Errand {
    VectorX<double> start;
    FrameTarget target;
};

std::vector<Errand> errands(const Subject& subject) {
    std::mt19937_64 generator(17);
    std::uniform_real_distribution<double> off(-0.1, 0.1);
    Data data(subject.model);
    std::vector<Errand> result;
    for (const State& state : subject.states) {
        Errand errand{state.q, {subject.model.body_frame.back()}};
        if (!forward_kinematics(subject.model, data, state.q))
            throw std::runtime_error("kinematics fail at a state");
        errand.target.position = frame_position(subject.model, data, errand.target.frame);
        errand.target.orientation = frame_orientation(subject.model, data, errand.target.frame);
        VectorX<double> delta(subject.model.nv);
        for (double& x : delta) x = off(generator);
        static_cast<void>(integrate(subject.model, data, state.q, delta, errand.start));  // may end early
        result.push_back(errand);
    }
    return result;
}

/// Ignores limits. The time includes copying the start.
bool time_inverse_kinematics(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    SearchOptions options;
    options.limits = false;
    VectorX<double> q(subject.model.nq);
    const std::vector<Errand> each = errands(subject);
    int iterations = 0;
    const auto find = [&](const State& s) -> Result {
        const Errand& errand = each[static_cast<std::size_t>(&s - subject.states.data())];
        q = errand.start;
        const SearchResult found = inverse_kinematics(subject.model, data, {&errand.target, 1}, q, options);
        iterations += found.iterations;
        return {found.converged() ? Status::ok : Status::not_converged};
    };
    for (const State& state : subject.states)
        if (!find(state)) break;
    timer.counters["iterations"] = static_cast<double>(iterations) / static_cast<double>(state_count);
    return time_states(timer, subject, q.data(), find);
}

/// Starts from the guesses of the states, with weight 1 for every joint.
bool time_projection(benchmark::State& timer, const Subject& subject) {
    Data data(subject.model);
    const VectorX<double> weights = VectorX<double>::Ones(subject.model.nv_tree);
    VectorX<double> q(subject.model.nq);
    return time_states(timer, subject, q.data(), [&](const State& s) -> Result {
        q = s.guess;
        const SearchResult found = project_configuration(subject.model, data, weights, q);
        return {found.converged() ? Status::ok : Status::not_converged};
    });
}

template <baselines::Method method>
bool time_baseline(benchmark::State& timer, const Subject& subject) {
    baselines::Workspace work(subject.model);
    const Matrix6X<double> none(6, 0);
    return time_states(timer, subject, work.ydd.data(), [&](const State& s) {
        return baselines::forward_dynamics(method, subject.model, work, s.q, s.yd, s.tau, none);
    });
}

bool time_spanning_inverse(benchmark::State& timer, const Subject& subject) {
    baselines::Workspace work(subject.model);
    const Matrix6X<double> none(6, 0);
    return time_states(timer, subject, work.tau.data(), [&](const State& s) {
        return baselines::inverse_dynamics(subject.model, work, s.q, s.yd, s.ydd, none);
    });
}

constexpr Method methods[] = {{"aba", time_aba},
                              {"rnea", time_rnea},
                              {"crba", time_crba},
                              {"rnea_derivatives", time_rnea_derivatives},
                              {"aba_derivatives", time_aba_derivatives},
                              {"inverse_mass_matrix", time_inverse_mass_matrix},
                              {"central_differences", time_central_differences},
                              {"aba_second_derivatives", time_aba_second_derivatives},
                              {"constraint_forces", time_constraint_forces},
                              {"kinematics", time_kinematics},
                              {"closure", time_closure},
                              {"warm_closure", time_warm_closure},
                              {"choice", time_choice},
                              {"tangent", time_tangent},
                              {"inverse_kinematics", time_inverse_kinematics},
                              {"project_configuration", time_projection},
                              {"dense_kkt", time_baseline<baselines::Method::dense_kkt>},
                              {"range_space", time_baseline<baselines::Method::range_space>},
                              {"constrained_aba", time_baseline<baselines::Method::constrained_aba>},
                              {"projection", time_baseline<baselines::Method::projection>},
                              {"proximal", time_baseline<baselines::Method::proximal>},
                              {"spanning_inverse", time_spanning_inverse}};

}  // namespace

const Method& method(const std::string& name) {
    const auto found = std::find_if(std::begin(methods), std::end(methods),
                                    [&](const Method& candidate) { return candidate.name == name; });
    if (found == std::end(methods)) throw std::invalid_argument("no method " + name);
    return *found;
}

baselines::Method baseline(const std::string& name) {
    for (const baselines::Method candidate : baselines::all_methods)
        if (baselines::to_string(candidate) == name) return candidate;
    throw std::invalid_argument("no baseline " + name);
}

void add_benchmark(const std::string& name, const Method& method, std::function<const Subject&()> subject) {
    benchmark::RegisterBenchmark(
        name.c_str(), [&method, subject](benchmark::State& timer) { method.time(timer, subject()); });
}

}  // namespace grbda::benchmarks
