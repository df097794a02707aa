#pragma once

#include <utility>
#include <vector>

#include "tape.hpp"

// Derivatives of recorded numbers, recorded on the same tape.

namespace grbda::generated {

/// Variables and their rates of change.
using Rates = std::vector<std::pair<Traced, Traced>>;

/// Derivatives of `numbers` while variables move and all other inputs stay: one pass forward.
Table<Traced> derivatives_along(const Table<Traced>& numbers, const Rates& motion);

/// Derivatives of Σ weight · number with respect to variables: one pass backward.
Table<Traced> gradient(const Table<Traced>& numbers, const Table<Traced>& weights,
                       const Table<Traced>& variables);

/// True for numbers that are zero whatever the inputs are.
bool is_zero(const Traced& number);

}  // namespace grbda::generated
