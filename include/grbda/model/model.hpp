#pragma once

#include <string>

#include "grbda/export.hpp"
#include "grbda/model/catalogue.hpp"
#include "grbda/model/constants.hpp"
#include "grbda/model/named.hpp"
#include "grbda/model/structure.hpp"

// The compiled robot: constant, shared between threads, all numbers in double. The passes read Structure and
// Constants; Catalogue has names, limits and other data that they do not read.

namespace grbda {

/// A robot, compiled for the algorithms. `load` and `build_model` make it. It does not change.
struct Model : Structure, Constants, Catalogue {
    /// Finds a joint by its name in the files: its index, and its ranges in q, q̇ and y.
    /// errors  std::invalid_argument with the nearest names, or the reason why the joint has no coordinates
    /// cost    searches all names and allocates: for setup
    GRBDA_EXPORT NamedJoint joint(const std::string& name) const;

    /// Finds a link by its name in the files: its index as a frame, its body, and the joint that moves it.
    /// errors  std::invalid_argument with the nearest names
    /// cost    searches all names and allocates: for setup
    GRBDA_EXPORT NamedFrame link(const std::string& name) const;

    /// Finds a frame by its name in the files. Every link is a frame, too.
    /// errors  std::invalid_argument with the nearest names
    /// cost    searches all names and allocates: for setup
    GRBDA_EXPORT NamedFrame frame(const std::string& name) const;
};

/// Returns the robot with another gravity, m/s², world axes.
GRBDA_EXPORT Model with_gravity(Model model, const Vector3<double>& gravity);

/// Returns the same model with more armature: `added` per entry of q̇, kg or kg·m²,
/// zero for floating joints. Its passive forces and inertial parameters are unchanged.
/// errors  std::invalid_argument on a wrong size, a negative or infinite number, a floating joint
GRBDA_EXPORT Model with_armature(Model model, const Table<double>& added);

}  // namespace grbda
