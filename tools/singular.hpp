#pragma once

#include <string>

#include "grbda/model/data.hpp"

namespace grbda::tool {

/// A singularity, described in words.
struct Singularity {
    std::string what, remedy;
};

/// For a cluster whose velocities do not follow from its independent ones at q: decides whether
/// its loops are singular in any coordinates, or only the choice of independent coordinates is.
Singularity singularity(const Model& model, Data& data, const VectorX<double>& q, int cluster);

}  // namespace grbda::tool
