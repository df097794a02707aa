#pragma once

#include "grbda/model/model.hpp"

// Rotates body frames so that limbs become equal.

namespace grbda::generated {

/// The robot with rotated frames of its bodies: z along the joint's axis, x perpendicular to the next one's,
/// so that two axes differ only by a rotation about x (Denavit and Hartenberg). This does not change the
/// dynamics; wrenches and results in frames are transformed.
struct Canonical {
    Model model;
    Table<double> offsets;               ///< per angle: rotation about z at zero of the joint's coordinate
    Table<Matrix3<double>> body_frames;  ///< per body: new axes in the old frame
    std::vector<double> parameters;      ///< those of the robot itself
};
/// `bodies`: bodies whose inertias are inputs of the functions, eleven numbers each: mass, centre of mass,
/// smallest principal moment, and the excess of the others, as in Body.
Canonical canonical(const Model& model, const std::vector<int>& bodies = {});

}  // namespace grbda::generated
