#pragma once

#include "xml.hpp"

namespace grbda::xml {

/// Reports one error for all elements that xacro should have replaced; returns false if there are any.
bool is_expanded(Document& document);

/// The same, also for attributes; numbers among them are not reported again.
bool is_all_expanded(Document& document);

}  // namespace grbda::xml
