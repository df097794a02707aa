#pragma once

#include "dynamics/regressor.hpp"

// Inertial parameters of a model in place of its own.

namespace grbda::dynamics {

/// Changes the model as with_inertial_parameters() does; the same errors, after which it may be changed in
/// part.
GRBDA_EXPORT void set_inertial_parameters(ConstVector<double> parameters, Model& model);

}  // namespace grbda::dynamics
