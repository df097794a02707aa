#pragma once

#include <string>
#include <vector>

#include "grbda/model/data.hpp"
#include "describe/json_text.hpp"

// Vectors as maps by joint, and loops by name.

namespace grbda::tool {

using describe::OrderedJson;

/// One number as a scalar, several as a list.
OrderedJson values(const VectorX<double>& x, Eigen::Index begin, Eigen::Index size);

/// Names are unique, so entries are appended without searching for the key.
void append(OrderedJson& object, const std::string& key, OrderedJson value);

/// Entries are in the order of `bodies`.
OrderedJson positions_by_joint(const Model& model, const std::vector<int>& bodies, const VectorX<double>& q);
OrderedJson velocities_by_joint(const Model& model, const std::vector<int>& bodies, const VectorX<double>& x);

/// Gaps of all loops and couplings at q: {"loops": {name: {"length": m, "angle": rad}},
/// …}. For a coupling with several rows, the largest one. Null without loops and couplings.
OrderedJson residuals_by_name(const Model& model, Data& data, const VectorX<double>& q);

}  // namespace grbda::tool
