#pragma once

#include <random>

#include "grbda/search/search.hpp"

namespace grbda::tool {

/// A closed configuration from which a search starts, within the limits if possible: every other one is drawn
/// joint by joint and then closed, so that it may be in another assembly mode.
VectorX<double> random_start(const Model& model, Data& data, int number, std::mt19937_64& generator);

}  // namespace grbda::tool
