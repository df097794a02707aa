#pragma once

#include "grbda/model/data.hpp"
#include "json_text.hpp"

// What `grbda compute --constraints` tells: matrices of the clusters that have constraints.

namespace grbda::tool {

/// Rows and columns of each cluster by name, and which entries of K and G can be other than zero.
OrderedJson constraint_structure(const Model& model);

/// K, k, G, g of the same clusters, from those of the robot in the user's order.
OrderedJson constraint_numbers(const Model& model, const MatrixX<double>& K, const VectorX<double>& k,
                               const MatrixX<double>& G, const VectorX<double>& g);

}  // namespace grbda::tool
