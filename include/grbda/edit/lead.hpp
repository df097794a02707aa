#pragma once

#include <string>

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// The same robot with the coordinates of one joint independent; the others of its cluster that were stay so
/// as far as the loops allow. Building the model says whether they do.
/// errors  std::invalid_argument for an unknown joint, or if the model is of another mechanism
GRBDA_EXPORT Mechanism lead_by(const Mechanism& mechanism, const Model& model, const std::string& joint);

}  // namespace grbda
