#pragma once

#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// Compiles a mechanism: finds clusters, assembles it, determines ranks and independent coordinates, reduces
/// rotors.
/// Findings are appended to `diagnostics`. Returns an empty model if one of them is an error.
GRBDA_EXPORT Model build_model(const Mechanism& mechanism, const LoadOptions& options,
                               Diagnostics& diagnostics);

/// Compiles a description; throws LoadError with all findings if one is an error. Notes and warnings are in
/// model.diagnostics.
GRBDA_EXPORT Model build_model(const RobotDescription& description, const LoadOptions& options = {});

/// Moves the successor's frame of loops that no configuration closes, if `options.adjust` is set. A warning
/// reports each displacement. The configuration at which the loops then close becomes the start of their
/// joints. It minimizes
///   Σ (displacement / size of the cluster)² + (sine of the turn)²
/// If that configuration is singular, as for a chain that is too short, a nearby regular one
/// replaces it. Loops that close, and clusters whose couplings contradict each other, are unchanged.
GRBDA_EXPORT void adjust_loops(const LoadOptions& options, Mechanism& mechanism, Diagnostics& diagnostics);

/// Returns the mechanism with start and states replaced by those of the model, which close the loops. Use
/// it for formats such as MJCF whose programs do not close loops.
GRBDA_EXPORT Mechanism with_closed_states(Mechanism mechanism, const Model& model);

}  // namespace grbda
