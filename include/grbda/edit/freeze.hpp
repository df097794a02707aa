#pragma once

#include <string>
#include <vector>

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// The same robot with these joints fixed where they are at q: fewer bodies, the same frames and, with those
/// joints held, the same dynamics. The "root_joint" of a floating base is one of them.
///
/// A joint goes with them that couplings leave no freedom then, or loops: each is noted. Inertias are merged,
/// loops and frames carried over, couplings and tendons get the frozen terms as an offset; those of which
/// nothing is left are dropped. Assembly starts at q. Clusters that have lost a joint choose their
/// independents anew. A saved state goes, with a warning, where it holds a frozen joint elsewhere, and moves,
/// with a warning, where the loops do not close there any more.
///
/// in      mechanism, what make_mechanism returned without errors; model, built of it; q [nq] closing it
/// out     a mechanism to build a model of, or to write: build_model, write_urdf
/// errors  std::invalid_argument on a wrong size, or if the model is of another mechanism; an error among
///         `diagnostics` for unknown joints, for joints at their dead centre and for a q that leaves loops
///         open, the result is of no meaning then
/// cost    that of building the model that results
GRBDA_EXPORT Mechanism freeze(const Mechanism& mechanism, const Model& model, ConstVector<double> q,
                              const std::vector<std::string>& joints, Diagnostics& diagnostics);

}  // namespace grbda
