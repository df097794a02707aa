#pragma once

#include <utility>
#include <vector>

#include "tape.hpp"

// Records derivatives of recorded numbers on the same tape.

namespace grbda::generated {

/// Variables and their rates of change.
using Rates = std::vector<std::pair<Traced, Traced>>;

/// Records derivatives of `numbers` when variables move and all other inputs are constant, by one forward
/// pass.
Table<Traced> derivatives_along(const Table<Traced>& numbers, const Rates& motion);

/// Records derivatives of Σ weight · number with respect to variables, by one backward pass.
Table<Traced> gradient(const Table<Traced>& numbers, const Table<Traced>& weights,
                       const Table<Traced>& variables);

/// Returns whether a number is zero for all inputs.
bool is_zero(const Traced& number);

}  // namespace grbda::generated
