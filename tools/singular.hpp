#pragma once

#include <string>

#include "grbda/model/data.hpp"

namespace grbda::tool {

/// In words.
struct Singularity {
    std::string what, remedy;
};

/// Of a cluster whose velocities do not follow from its independent ones at q: whether its loops are singular
/// here whatever the coordinates, or only its choice of independent coordinates is.
Singularity singularity(const Model& model, Data<double>& data, const VectorX<double>& q, int cluster);

}  // namespace grbda::tool
