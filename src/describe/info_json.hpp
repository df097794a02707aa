#pragma once

#include "grbda/model/model.hpp"
#include "json_text.hpp"

namespace grbda::describe {

/// The description of a model as JSON, for programs.
OrderedJson info_json(const Model& model);

}  // namespace grbda::describe
