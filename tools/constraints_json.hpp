#pragma once

#include "grbda/model/data.hpp"
#include "describe/json_text.hpp"

// Output of `grbda compute --constraints`: matrices of the clusters with constraints.

namespace grbda::tool {

using describe::OrderedJson;

/// Rows and columns of each cluster by name, and the entries of K and G that may be nonzero.
OrderedJson constraint_structure(const Model& model);

/// K, k, G, g of these clusters, from the robot's in the user's order.
OrderedJson constraint_numbers(const Model& model, const MatrixX<double>& K, const VectorX<double>& k,
                               const MatrixX<double>& G, const VectorX<double>& g);

}  // namespace grbda::tool
