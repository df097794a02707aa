#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

// Number of random cases that a law is tested on. scripts/nightly.sh runs all, with a seed of the day.

namespace sample_size {

#if defined(GRBDA_SANITIZED)
inline constexpr int kPercent = 10;
#else
inline constexpr int kPercent = 34;
#endif

/// In which random mechanisms have everything that they may have.
inline constexpr int kLeastPercent = 34;

/// The value of an environment variable, or `otherwise` if it is not set.
inline long long setting(const char* name, long long otherwise) {
    const char* value = std::getenv(name);
    return value ? std::atoll(value) : otherwise;
}

/// The share of `full` that this run tests: GRBDA_TEST_PERCENT.
inline int of(int full) {
    return std::max(1, static_cast<int>(full * setting("GRBDA_TEST_PERCENT", kPercent) / 100));
}

/// The number of cases that a sample holds at least, where the sample of a push holds `usual`; others with
/// another seed hold half of it at least.
inline int least(int usual) {
    const long long percent = std::min<long long>(setting("GRBDA_TEST_PERCENT", kPercent), 34);
    return static_cast<int>(usual * percent / 34 / 2);
}

/// Seeds that differ from run to run start here: GRBDA_TEST_SEED, or `fixed`.
inline std::uint64_t first_seed(std::uint64_t fixed) {
    return static_cast<std::uint64_t>(setting("GRBDA_TEST_SEED", static_cast<long long>(fixed)));
}

}  // namespace sample_size
