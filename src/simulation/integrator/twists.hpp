#pragma once

#include "model/workspace.hpp"
#include "kernels/body/configuration.hpp"
#include "kernels/body/exponential.hpp"

// Converts numbers per entry of q̇ of a spherical or floating joint to a twist or a wrench of its child.

namespace grbda::simulation {

inline Motion<double> twist_of(const Body& body, const VectorX<double>& x) {
    const double* const at = x.data() + body.v;
    if (body.joint == JointType::spherical) return {{0, 0, 0}, {at[0], at[1], at[2]}};
    return {{at[0], at[1], at[2]}, {at[3], at[4], at[5]}};
}

inline void put_twist(const Body& body, const Motion<double>& twist, VectorX<double>& x) {
    const bool floats = body.joint == JointType::floating;
    if (floats) x.segment<3>(body.v) << twist.linear.x, twist.linear.y, twist.linear.z;
    x.segment<3>(body.v + (floats ? 3 : 0)) << twist.angular.x, twist.angular.y, twist.angular.z;
}

/// Computes [A B; 0 A] m.
inline Motion<double> operator*(const kernels::TwistMap<double>& map, const Motion<double>& m) {
    return {map.A * m.linear + map.B * m.angular, map.A * m.angular};
}

/// Computes [A B; 0 A]ᵀ f for f in the order of a twist.
inline Motion<double> transpose_times(const kernels::TwistMap<double>& map, const Motion<double>& f) {
    return {grbda::transpose_times(map.A, f.linear),
            grbda::transpose_times(map.B, f.linear) + grbda::transpose_times(map.A, f.angular)};
}

}  // namespace grbda::simulation
