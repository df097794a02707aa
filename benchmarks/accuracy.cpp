#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "accuracy_cases.hpp"
#include "grbda/dynamics/aba.hpp"
#include "groups.hpp"
#include "methods.hpp"

// accuracy/MECHANISM/METHOD/conditioning:C: time and error of forward dynamics for badly conditioned inputs.

namespace grbda::benchmarks {
namespace {

/// |found − exact| / |exact| in the norm of the mass matrix.
double relative_error(const Reference::Vector& found, const Reference::Solution& exact) {
    const Reference::Vector difference = found - exact.ydd;
    return static_cast<double>(
        std::sqrt(difference.dot(exact.M * difference) / exact.ydd.dot(exact.M * exact.ydd)));
}

using Solve = std::function<VectorX<double>(const State&)>;

Solve solver(const std::string& name, const Model& model) {
    if (name == "aba")
        return [&model, data = std::make_shared<Data>(model)](const State& s) -> VectorX<double> {
            static_cast<void>(aba(model, *data, s.q, s.yd, s.tau));  // NaN if it is not ok
            return data->ydd;
        };
    return [&model, which = baseline(name),
            work = std::make_shared<baselines::Workspace>(model)](const State& s) -> VectorX<double> {
        static_cast<void>(
            baselines::forward_dynamics(which, model, *work, s.q, s.yd, s.tau, Matrix6X<double>(6, 0)));
        return work->ydd;
    };
}

/// error: that of the method. rounding: the unavoidable error, the difference between the exact answers for
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

void register_accuracy() { each_accuracy_case(add_case); }

}  // namespace grbda::benchmarks
