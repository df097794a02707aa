#pragma once

#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"

namespace grbda {

/// Moves the successor's frame of loops that no configuration closes, if `options.adjust` is set. A warning
/// reports each displacement. The configuration at which the loops then close becomes the start of their
/// joints. It minimizes
///   Σ (displacement / size of the cluster)² + (sine of the turn)²
/// If that configuration is singular, as for a chain that is too short, a nearby regular one
/// replaces it. Loops that close, and clusters whose couplings contradict each other, are unchanged.
GRBDA_EXPORT void adjust_loops(const LoadOptions& options, Mechanism& mechanism, Diagnostics& diagnostics);

}  // namespace grbda
