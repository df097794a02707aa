#pragma once

#include "grbda/model/model.hpp"

// Bodies in frames that make limbs alike.

namespace grbda::generated {

/// The robot with frames of its bodies turned: z along the joint's axis, x perpendicular to the next one's,
/// so that two axes differ by a turn about x alone (Denavit and Hartenberg). Dynamics do not see it; wrenches
/// and what is said of frames do.
struct Canonical {
    Model model;
    Table<double> offsets;  ///< per angle: of the turn about z where the joint's coordinate is zero
    Table<Matrix3<double>> body_frames;  ///< per body: new axes in the old ones
    std::vector<double> parameters;      ///< those that the robot has itself
};
/// `bodies`: their inertias are given to the functions, eleven numbers of each: mass, centre of mass,
/// smallest principal moment, and what the others have more, as Body has them.
Canonical canonical(const Model& model, const std::vector<int>& bodies = {});

}  // namespace grbda::generated
