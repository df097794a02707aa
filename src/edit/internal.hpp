#pragma once

#include <string>
#include <vector>

#include "grbda/algorithms/arguments.hpp"
#include "grbda/mechanism.hpp"

// What the edits of a mechanism have in common: they look at the model built of it.

namespace grbda::editing {

/// Body of the model by body of the mechanism. Throws std::invalid_argument if the model is of another one.
Table<int> model_bodies(const Mechanism& mechanism, const Model& model);

/// Position of a joint in q.
std::vector<double> position_of(const Model& model, int body, const VectorX<double>& q);

/// Of a body in its parent body.
Pose placement(const Model& model, int body, const VectorX<double>& q);

/// Assembly starts at q.
void start_at(const VectorX<double>& q, const Model& model, Mechanism& mechanism);

/// Start and saved states become what assembly makes of them, so that whoever reads them has nothing to move.
/// States that moved, or that are left out, are told. Nothing, where no model can be built.
void settle(Mechanism& mechanism, Diagnostics& diagnostics);

/// False, and an error: loops are open at q.
bool is_closed(const Model& model, const VectorX<double>& q, Diagnostics& diagnostics);

/// Joints of these clusters [of the model] say no longer whether they are independent.
void clear_marks(const Model& model, const std::vector<char>& clusters, Mechanism& mechanism);

}  // namespace grbda::editing
