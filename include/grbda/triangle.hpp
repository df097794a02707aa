#pragma once

namespace grbda {

/// The part of a symmetric matrix that is written; the rest is unchanged.
enum class Triangle { both, lower, upper };

}  // namespace grbda
