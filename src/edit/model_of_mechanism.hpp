#pragma once

#include <string>
#include <vector>

#include "grbda/mechanism.hpp"
#include "model/arguments.hpp"

// Common parts of the edits of a mechanism: they examine the model built from it.

namespace grbda::editing {

/// Body of the model by body of the mechanism. Throws std::invalid_argument if the model is of another one.
Table<int> model_bodies(const Mechanism& mechanism, const Model& model);

/// Tells if joints of the mechanism have no coordinates in the model, being those of rods.
inline bool lacks_joints(const Model& model, const Mechanism& mechanism) {
    return !model.rods.empty() && model.bodies.size() < mechanism.bodies.size();
}

/// The model in which rods are bodies as all others, so that each joint of the mechanism has coordinates.
Model full_model(const Mechanism& mechanism, Diagnostics& diagnostics);

/// q of a full model: joints of `model` as at q, those of rods where they close the loops.
VectorX<double> full_configuration(const Model& full, const Model& model, const VectorX<double>& q);

/// Position of a joint in q.
std::vector<double> position_of(const Model& model, int body, const VectorX<double>& q);

/// Placement of a body in its parent body.
Pose placement(const Model& model, int body, const VectorX<double>& q);

/// Makes assembly start at q.
void start_at(const VectorX<double>& q, const Model& model, Mechanism& mechanism);

/// Replaces start and saved states by the results of assembly, so that readers need not move
/// them. Reports states that moved or were dropped. Does nothing if no model can be built.
void settle(Mechanism& mechanism, Diagnostics& diagnostics);

/// Returns false after an error if loops are open at q.
bool is_closed(const Model& model, const VectorX<double>& q, Diagnostics& diagnostics);

/// Removes the independence marks of joints in these clusters [of the model].
void clear_marks(const Model& model, const std::vector<char>& clusters, Mechanism& mechanism);

}  // namespace grbda::editing
