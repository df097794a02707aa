#pragma once

#include <stdexcept>
#include <string>

#include "grbda/status.hpp"

/// Ends a test that needs the outputs of the algorithm if the Result, or BatchResult, is not ok.
template <class Outcome>
void must(const Outcome& outcome) {
    if (!outcome.ok()) throw std::runtime_error(std::string("not ok: ") + to_string(outcome.status));
}
