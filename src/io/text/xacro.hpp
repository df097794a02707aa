#pragma once

#include "xml.hpp"

namespace grbda::xml {

/// One error for all elements that xacro should have replaced by others; false: there are some.
bool is_expanded(Document& document);

/// The same for what stands in attributes besides; the numbers among it are not reported again.
bool is_all_expanded(Document& document);

}  // namespace grbda::xml
