#pragma once

#include <string>

#include "describe/info_json.hpp"
#include "grbda/model/model.hpp"

namespace grbda::tool {

/// Text for people; with the notes and warnings of loading on request.
std::string info_text(const Model& model, bool with_notes);

/// Graphviz: spanning tree with loops and couplings, constraint dependency digraph, cluster tree.
std::string info_dot(const Model& model);

}  // namespace grbda::tool
