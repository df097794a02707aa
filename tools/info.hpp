#pragma once

#include <string>

#include "grbda/model/model.hpp"
#include "json_text.hpp"

namespace grbda::tool {

/// Text for people; with the notes and warnings of loading on request.
std::string info_text(const Model& model, bool with_notes);

/// JSON for programs.
OrderedJson info_json(const Model& model);

/// Graphviz: spanning tree with loops and couplings, constraint dependency digraph, cluster tree.
std::string info_dot(const Model& model);

}  // namespace grbda::tool
