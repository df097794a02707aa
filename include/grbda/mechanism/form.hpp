#pragma once

#include <array>

#include "grbda/export.hpp"

namespace grbda {

/// Form of forward dynamics for a cluster with loops or couplings. All are exact; their costs differ.
enum class Form {
    jacobians,  ///< uses the Jacobians of bodies with respect to independent velocities
    tree,       ///< uses sums along the spanning tree, and the dependent rows of G
    rows        ///< eliminates joint by joint, and passes rows of loops and couplings to the parent
};
inline constexpr std::array all_forms{Form::jacobians, Form::tree, Form::rows};

GRBDA_EXPORT const char* to_string(Form form);

}  // namespace grbda
