#pragma once

#include <string>

#include "grbda/export.hpp"
#include "grbda/model/catalogue.hpp"
#include "grbda/model/constants.hpp"
#include "grbda/model/named.hpp"
#include "grbda/model/structure.hpp"

// The compiled robot: constant, shared between threads, all numbers in double. Data that the passes
// read is separate from data that they do not read; a function takes only the part that it reads.

namespace grbda {

struct Model : Structure, Constants, Catalogue {
    // These find a joint, a link or a frame by its name in the files.
    // errors  std::invalid_argument with the nearest names, or with the reason why a joint has no coordinates

    GRBDA_EXPORT NamedJoint joint(const std::string& name) const;
    GRBDA_EXPORT NamedFrame link(const std::string& name) const;
    GRBDA_EXPORT NamedFrame frame(const std::string& name) const;  ///< every link is a frame, too
};

/// Returns the same robot under another gravity, m/s², world axes.
GRBDA_EXPORT Model with_gravity(Model model, const Vector3<double>& gravity);

/// Returns the same model with more armature: `added` per entry of q̇, kg or kg·m²,
/// zero for floating joints. Its passive forces and inertial parameters are unchanged.
/// errors  std::invalid_argument on a wrong size, a negative or infinite number, a floating joint
GRBDA_EXPORT Model with_armature(Model model, const Table<double>& added);

}  // namespace grbda
