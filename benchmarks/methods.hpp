#pragma once

#include <array>
#include <functional>
#include <string>

#include <benchmark/benchmark.h>

#include "grbda/baselines/baselines.hpp"
#include "subject.hpp"

// Methods that are timed on every subject, by the METHOD of a benchmark's name.

namespace grbda::benchmarks {

struct Method {
    const char* name;
    bool (*time)(benchmark::State& timer, const Subject& subject);  ///< false: ended with an error
};

inline constexpr std::array recursions{"aba", "rnea", "crba"};
inline constexpr std::array derivative_names{"rnea_derivatives", "aba_derivatives", "inverse_mass_matrix",
                                             "central_differences", "aba_second_derivatives"};
inline constexpr std::array baseline_names{"dense_kkt", "range_space", "constrained_aba", "projection",
                                           "proximal"};

/// aba, rnea, crba, rnea_derivatives, aba_derivatives, inverse_mass_matrix, central_differences,
/// aba_second_derivatives, constraint_forces, kinematics, closure, choice, tangent, inverse_kinematics,
/// project_configuration, the baselines' forward dynamics by their names, and spanning_inverse. Throws
/// std::invalid_argument for another name.
const Method& method(const std::string& name);

/// The forward dynamics of that name; throws std::invalid_argument for another name.
baselines::Method baseline(const std::string& name);

/// The subject is made when its first benchmark runs.
void add_benchmark(const std::string& name, const Method& method, std::function<const Subject&()> subject);

}  // namespace grbda::benchmarks
