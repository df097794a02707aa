#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "accuracy_cases.hpp"
#include "differences.hpp"
#include "grbda/derivatives/dynamics_derivatives.hpp"
#include "kernels/derivatives/aba_derivatives.hpp"
#include "groups.hpp"
#include "methods.hpp"
#include "timing.hpp"

// accuracy_derivatives/MECHANISM/METHOD/conditioning:C: time and error of ∂ÿ/∂y and ∂ÿ/∂ẏ for badly
// conditioned inputs; the kernels in long double are the reference.

namespace grbda::benchmarks {
namespace {

using Real = Reference::Real;
using Matrix = Reference::Matrix;

struct Derivatives {
    Matrix y, yd;
};

Derivatives exact_derivatives(const Model& model, Workspace<Real>& data, const Reference::Vector& q,
                              const State& s) {
    const Reference::Vector yd = s.yd.cast<Real>(), tau = s.tau.cast<Real>();
    Reference::Vector ydd(model.nv);
    Derivatives result{Matrix(model.nv, model.nv), Matrix(model.nv, model.nv)};
    Matrix inverse(model.nv, model.nv);
    const auto target = [&](Matrix& matrix) { return kernels::Target<Real>{matrix.data(), model.nv}; };
    kernels::aba_derivatives<Real>(model, data, q.data(), yd.data(), tau.data(), nullptr, ydd.data(),
                                   {target(result.y), target(result.yd), target(inverse)});
    return result;
}

/// |found − exact| / |exact|, columns in the norm of the mass matrix.
double relative_error(const Matrix& found, const Matrix& exact, const Matrix& M) {
    const auto square = [&](const Matrix& x) { return x.cwiseProduct(M * x).sum(); };
    const Matrix difference = found - exact;
    return static_cast<double>(std::sqrt(square(difference) / square(exact)));
}

/// The larger error of both derivatives.
double relative_error(const Derivatives& found, const Derivatives& exact, const Matrix& M) {
    return std::max(relative_error(found.y, exact.y, M), relative_error(found.yd, exact.yd, M));
}

struct Errors {
    double error = 0, rounding = 0, step = 0;
};

/// Largest errors over the states of find(state), which gives Derivatives.
template <class Find>
Errors worst_errors(const Case& where, const Find& find) {
    const Model& model = where.subject.model;
    Workspace<Real> data(model);
    Errors worst;
    for (std::size_t i = 0; i < state_count; ++i) {
        const State& s = where.subject.states[i];
        const Matrix& M = where.rounded[i].M;
        const Derivatives exact = exact_derivatives(model, data, s.q.cast<Real>(), s);
        worst.error = std::max(worst.error, relative_error(find(s), exact, M));
        worst.rounding = std::max(
            worst.rounding, relative_error(exact_derivatives(model, data, where.closed_q[i], s), exact, M));
    }
    return worst;
}

Errors errors_of_derivatives(const Case& where) {
    const Model& model = where.subject.model;
    Data data(model);
    return worst_errors(where, [&](const State& s) -> Derivatives {
        static_cast<void>(aba_derivatives(model, data, s.q, s.yd, s.tau));  // NaN if not ok
        return {data.dydd_dy.cast<Real>(), data.dydd_dyd.cast<Real>()};
    });
}

/// With the step that is best for the worst state.
Errors errors_of_differences(const Case& where) {
    CentralDifferences differences(where.subject.model);
    Errors best;
    for (int i = 0; i <= 16; ++i) {
        const double step = std::pow(10., -2 - 0.5 * i);
        bool ok = true;
        Errors found = worst_errors(where, [&](const State& s) -> Derivatives {
            ok = ok && differences.compute(s, step).ok();
            return {differences.dydd_dy.cast<Real>(), differences.dydd_dyd.cast<Real>()};
        });
        found.step = step;
        if (ok && (best.step == 0 || found.error < best.error)) best = found;
    }
    return best;
}

void report(benchmark::State& timer, const Case& where, const Errors& errors) {
    timer.counters["error"] = errors.error;
    timer.counters["digits"] = -std::log10(std::max(errors.error, 1e-19));
    timer.counters["rounding"] = errors.rounding;
    timer.counters["rcond"] = where.rcond;
}

void run_derivatives(benchmark::State& timer, const Case& where) {
    if (method("aba_derivatives").time(timer, where.subject))
        report(timer, where, errors_of_derivatives(where));
}

void run_differences(benchmark::State& timer, const Case& where) {
    const Errors errors = errors_of_differences(where);
    if (errors.step == 0) return timer.SkipWithError("differences fail for every step");
    CentralDifferences differences(where.subject.model);
    if (!time_states(timer, where.subject, differences.dydd_dy.data(),
                     [&](const State& s) { return differences.compute(s, errors.step); }))
        return;
    report(timer, where, errors);
    timer.counters["step"] = errors.step;
}

}  // namespace

void register_accuracy_derivatives() {
    each_accuracy_case(
        [](const std::string& mechanism, const std::string& conditioning, const std::function<Case()>& make) {
            const auto add = [&](const char* which, void (*run)(benchmark::State&, const Case&)) {
                const std::string name =
                    "accuracy_derivatives/" + mechanism + "/" + which + "/conditioning:" + conditioning;
                benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& timer) {
                    run(timer, accuracy_case(mechanism + conditioning, make));
                });
            };
            add("aba_derivatives", run_derivatives);
            add("central_differences", run_differences);
        });
}

}  // namespace grbda::benchmarks
