#pragma once

#include "grbda/export.hpp"
#include "grbda/model/catalogue.hpp"
#include "grbda/model/constants.hpp"
#include "grbda/model/structure.hpp"

// The compiled robot: constant, shared between threads, all numbers in double. Its parts keep what sweeps
// read apart from what they do not; a function takes the part that it reads.

namespace grbda {

struct Model : Structure, Constants, Catalogue {};

/// The same robot under another gravity, m/s², world axes.
GRBDA_EXPORT Model with_gravity(Model model, const Vector3<double>& gravity);

/// The same model with more armature: `added` per entry of q̇, kg or kg·m², zero for floating joints. Its
/// passive forces and its inertial parameters stay.
/// errors  std::invalid_argument on a wrong size, a negative or infinite number, a floating joint
GRBDA_EXPORT Model with_armature(Model model, const Table<double>& added);

}  // namespace grbda
