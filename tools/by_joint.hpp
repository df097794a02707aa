#pragma once

#include <string>
#include <vector>

#include "grbda/model/data.hpp"
#include "json_text.hpp"

// Vectors as maps keyed by joint, and loops by their names.

namespace grbda::tool {

/// One number as itself, several as a list.
OrderedJson values(const VectorX<double>& x, Eigen::Index begin, Eigen::Index size);

/// Names are unique, so entries are appended without a search for the key.
void append(OrderedJson& object, const std::string& key, OrderedJson value);

/// `bodies` is the order of entries.
OrderedJson positions_by_joint(const Model& model, const std::vector<int>& bodies, const VectorX<double>& q);
OrderedJson velocities_by_joint(const Model& model, const std::vector<int>& bodies, const VectorX<double>& x);

/// By how much every loop and coupling is open at q: {"loops": {name: {"length": m, "angle": rad}}, …}. Of a
/// coupling with several rows the one that is off most. Null without any.
OrderedJson residuals_by_name(const Model& model, Data<double>& data, const VectorX<double>& q);

}  // namespace grbda::tool
