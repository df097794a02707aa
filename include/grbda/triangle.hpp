#pragma once

namespace grbda {

/// What of a symmetric matrix is written; the rest stays as it is.
enum class Triangle { both, lower, upper };

}  // namespace grbda
