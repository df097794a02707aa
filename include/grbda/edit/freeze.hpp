#pragma once

#include <string>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Returns the robot with the given joints fixed at their positions in q: fewer bodies, the same frames
/// and, if those joints do not move, the same dynamics. "root_joint" is the joint of a floating base.
///
/// Joints that couplings or loops lock as a result become fixed too, with a note for each. Inertias are
/// merged; loops and frames are kept; frozen terms of couplings and tendons become an offset; couplings and
/// tendons without terms are removed. Assembly starts at q. Clusters that lost a joint get new
/// independent coordinates. A saved state with another position of a frozen joint is removed, and one that
/// leaves loops open is corrected; each is a warning.
///
/// in      mechanism, from make_mechanism() without errors; model, built from it; q [nq] closing the loops
/// out     a mechanism for build_model() or write_urdf()
/// errors  std::invalid_argument on a wrong size, or if the model belongs to another mechanism; an error in
///         `diagnostics` for unknown joints, joints at their dead centre and a q that leaves loops open; the
///         result is invalid then
/// cost    that of building the resulting model
GRBDA_EXPORT Mechanism freeze(const Mechanism& mechanism, const Model& model, ConstVector<double> q,
                              const std::vector<std::string>& joints, Diagnostics& diagnostics);

}  // namespace grbda
