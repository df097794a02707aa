#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "grbda/baselines/dense.hpp"
#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/io/urdf.hpp"
#include "grbda/kinematics/configuration.hpp"

// Shows the cluster tree of one robot, and compares forward dynamics, inverse dynamics and mass matrix of
// the engine with the baselines: differences on random states and times.

namespace {

using namespace grbda;

constexpr int state_count = 100;
constexpr int batches = 30;
// The rounding of two different algorithms on one well-conditioned state is orders of magnitude smaller.
constexpr double agreement = 1e-9;

struct State {
    VectorX<double> q, yd, ydd, tau;
};

VectorX<double> random_vector(int size, double scale, std::mt19937_64& generator) {
    std::uniform_real_distribution<double> uniform(-scale, scale);
    return VectorX<double>::NullaryExpr(size, [&] { return uniform(generator); });
}

std::vector<State> random_states(const Model& model) {
    std::mt19937_64 generator(1);
    std::vector<State> states;
    for (int i = 0; i < state_count; ++i)
        states.push_back({random_configuration(model, generator), random_vector(model.nv, 3, generator),
                          random_vector(model.nv, 10, generator), random_vector(model.nv, 20, generator)});
    return states;
}

void require(const Result& result) {
    if (!result) throw std::runtime_error(to_string(result.status));
}

double relative_difference(const MatrixX<double>& a, const MatrixX<double>& b) {
    return (a - b).norm() / b.norm();
}

using Step = std::function<void(const State&)>;

/// Median over batches of the time of one call, in microseconds; each call uses a different state.
double median_time(const std::vector<State>& states, const Step& step) {
    std::vector<double> times;
    for (int batch = 0; batch < batches; ++batch) {
        const auto begin = std::chrono::steady_clock::now();
        for (const State& state : states) step(state);
        const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
        times.push_back(elapsed.count() / state_count);
    }
    std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
    return times[batches / 2];
}

/// One line of the table. Both steps store their result where `difference` reads it.
bool compare(const char* name, const std::vector<State>& states, const Step& engine, const Step& baseline,
             const std::function<double()>& difference) {
    double largest = 0;
    for (const State& state : states) {
        engine(state);
        baseline(state);
        const double one = difference();
        if (!(one <= largest)) largest = one;  // keeps a NaN
    }
    const double fast = median_time(states, engine), slow = median_time(states, baseline);
    std::printf("%-53s %10.1e %10.2f %12.2f %8.1f\n", name, largest, fast, slow, slow / fast);
    return largest <= agreement;
}

bool compare_all(const Model& model, const std::vector<State>& states) {
    Data data(model);
    baselines::Workspace work(model);
    const MatrixX<double> no_wrenches(6, 0);
    const auto kkt = [&](const State& s) {
        require(baselines::dense_kkt(model, work, s.q, s.yd, s.tau, no_wrenches));
    };
    const auto inverse = [&](const State& s) {
        require(baselines::inverse_dynamics(model, work, s.q, s.yd, s.ydd, no_wrenches));
    };
    bool agree = compare(
        "forward dynamics: ABA, dense KKT by LU", states,
        [&](const State& s) { require(aba(model, data, s.q, s.yd, s.tau)); }, kkt,
        [&] { return relative_difference(data.ydd, work.ydd); });
    agree &= compare(
        "inverse dynamics: RNEA, projection", states,
        [&](const State& s) { require(rnea(model, data, s.q, s.yd, s.ydd)); }, inverse,
        [&] { return relative_difference(data.tau, work.tau); });
    agree &= compare(
        "mass matrix: CRBA, GᵀHG of the projection", states,
        [&](const State& s) { require(crba(model, data, s.q)); }, inverse,
        [&] { return relative_difference(data.M, work.M); });
    return agree;
}

/// Prints the cluster tree: joints with an independent coordinate ●, dependent ones ○.
void show(const Model& model) {
    std::printf("%s: %d bodies in %d clusters, %d degrees of freedom\n\n", model.names.robot.c_str(),
                model.body_count(), model.cluster_count(), model.nv);
    for (const Cluster& c : model.clusters) {
        int depth = 1;
        for (int k = c.parent_cluster; k != world; k = model.clusters[k].parent_cluster) ++depth;
        std::printf("%*s", 2 * depth, "");
        for (const int i : c.joints) {
            const auto is_of_joint = [&](int j) { return model.dof_body[model.independent[j]] == i; };
            bool independent = false;
            for (int j = c.y_begin; j < c.y_begin + c.m; ++j) independent |= is_of_joint(j);
            std::printf("%s %s  ", independent ? "●" : "○", model.names.joints[i].c_str());
        }
        std::printf("\n");
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: grbda_demo MODEL\n");
        return 2;
    }
    try {
        const Model model = load_urdf(argv[1]);
        show(model);
        std::printf("\n%d random states, one thread\n\n", state_count);
        std::printf("%-53s %10s %10s %12s %8s\n", "", "largest", "engine", "baseline", "");
        std::printf("%-53s %10s %10s %12s %8s\n", "", "rel. diff.", "us", "us", "ratio");
        const bool agree = compare_all(model, random_states(model));
        std::printf("\n%s\n", agree ? "The engine agrees with the baselines." : "DISAGREEMENT beyond 1e-9.");
        return agree ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
