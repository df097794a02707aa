#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "grbda/dynamics/aba.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "subject.hpp"

// Measures what each special kind of cluster or inertia, form and reduction gains on each robot: the time
// without it divided by the time with it, for aba, rnea and crba. The library is one that kinds.sh compiles.
// Prints a line for each that changes a robot: what, robot, and three ratios, each the median of rounds in
// which all take turns.

namespace {

using namespace grbda;
using benchmarks::State;
using benchmarks::Subject;

constexpr std::array algorithms{"aba", "rnea", "crba"};
constexpr int rounds = 15;
constexpr double round_seconds = 1e-3;

struct Variant {
    std::string name;
    Subject subject;
    std::vector<double> times[algorithms.size()];
};

double sum_of_results = 0;  // printed at the end, so that no call is left out

void call(const Subject& subject, Data& data, MatrixX<double>& M, std::size_t algorithm, const State& s) {
    switch (algorithm) {
        case 0:
            if (aba(subject.model, data, s.q, s.yd, s.tau).ok()) sum_of_results += data.ydd[0];
            break;
        case 1:
            if (rnea(subject.model, data, s.q, s.yd, s.ydd).ok()) sum_of_results += data.tau[0];
            break;
        default:
            if (crba(subject.model, data, s.q).ok()) sum_of_results += data.M(0, 0);
    }
}

/// Seconds of one call.
double time_round(const Variant& variant, std::size_t algorithm) {
    using Clock = std::chrono::steady_clock;
    Data data(variant.subject.model);
    MatrixX<double> M(variant.subject.model.nv, variant.subject.model.nv);
    const auto start = Clock::now();
    std::chrono::duration<double> elapsed{};
    long calls = 0;
    while (elapsed.count() < round_seconds) {
        for (const State& s : variant.subject.states) call(variant.subject, data, M, algorithm, s);
        calls += static_cast<long>(variant.subject.states.size());
        elapsed = Clock::now() - start;
    }
    return elapsed.count() / static_cast<double>(calls);
}

double median(std::vector<double> x) {
    std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
    return x[x.size() / 2];
}

/// The model without a kind; nothing if that changes neither clusters nor inertias.
std::optional<Model> model_without(const std::string& robot, const std::string& omitted, const Model& full) {
    LoadOptions options;
    if (omitted == "rod reduction") options.rod_reduction = false;
    if (omitted == "rotor reduction") options.rotor_reduction = false;
    setenv("GRBDA_WITHOUT", omitted.c_str(), 1);
    Model model = benchmarks::load_robot(robot, options);
    unsetenv("GRBDA_WITHOUT");
    bool same = model.nq == full.nq && model.bodies.size() == full.bodies.size();
    for (int k = 0; same && k < model.cluster_count(); ++k)
        same = model.clusters[k].kind == full.clusters[k].kind &&
               model.clusters[k].rotor_kind == full.clusters[k].rotor_kind;
    for (int i = 0; same && i < model.body_count(); ++i)
        same = model.bodies[i].inertia_kind == full.bodies[i].inertia_kind &&
               model.bodies[i].rotor == full.bodies[i].rotor;
    if (same) return std::nullopt;
    return model;
}

void measure(const std::string& robot, bool times_alone) {
    std::vector<Variant> variants;
    variants.push_back({"", benchmarks::make_subject(benchmarks::load_robot(robot)), {}});
    for (const char* omitted : {"joint", "joints", "floating_base", "planar", "tree", "rows", "rigid", "none",
                                "folded", "rotor reduction", "rod reduction"})
        if (std::optional<Model> model;
            !times_alone && (model = model_without(robot, omitted, variants[0].subject.model)))
            variants.push_back({omitted, benchmarks::make_subject(std::move(*model)), {}});
    for (int round = 0; round < rounds; ++round)
        for (std::size_t a = 0; a < algorithms.size(); ++a)
            for (Variant& variant : variants) variant.times[a].push_back(time_round(variant, a));
    for (const Variant& variant : variants) {
        std::printf("%-16s %-20s", variant.name.empty() ? "(nothing)" : variant.name.c_str(), robot.c_str());
        for (std::size_t a = 0; a < algorithms.size(); ++a) {
            const double now = median(variants.front().times[a]), time = median(variant.times[a]);
            if (variant.name.empty())
                std::printf(" %8.0f ns", 1e9 * time);
            else
                std::printf(" %6.2f", time / now);
        }
        std::printf("\n");
        std::fflush(stdout);
    }
}

}  // namespace

/// Without a kind named: times of the robots alone, for builds without some instructions.
int main(int count, char**) {
    for (const std::string& robot : benchmarks::robot_names()) measure(robot, count > 1);
    std::fprintf(stderr, "%g\n", sum_of_results);
}
