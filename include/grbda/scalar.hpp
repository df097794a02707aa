#pragma once

#include <cmath>

// What a kernel asks of its scalar: arithmetic, construction from double, and
// sin, cos, sqrt, copysign, min and max by argument-dependent lookup; value_of()
// is the plain number that decides about convergence and status.

namespace grbda {

inline double value_of(double x) { return x; }
inline double value_of(float x) { return static_cast<double>(x); }

namespace scalar {

using std::atan2;
using std::copysign;
using std::cos;
using std::sin;
using std::sqrt;

inline double min(double a, double b) { return b < a ? b : a; }
inline float min(float a, float b) { return b < a ? b : a; }

}  // namespace scalar
}  // namespace grbda
