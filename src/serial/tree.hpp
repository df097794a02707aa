#pragma once

#include <optional>
#include <vector>

#include "grbda/mechanism.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda::serial {

/// The mechanism without loops and couplings, with all bodies that are not kept fixed in their parents as at
/// q. Frames, shapes and sensors of these are dropped. Empty after an error. in      mechanism with rods as
/// bodies; model, with or without rods; kept: per body of the model
std::optional<Mechanism> make_tree(const Mechanism& mechanism, const Model& model, const VectorX<double>& q,
                                   const std::vector<char>& kept, Diagnostics& diagnostics);

}  // namespace grbda::serial
