#pragma once

#include "derivatives/step_derivatives.hpp"
#include "closing/integration.hpp"
#include "kernels/cluster/outcome.hpp"

// Shared parts of the derivatives of motions and of steps.

namespace grbda {

template <class S>
void require_step(const Model& model, const StepDerivatives<S>& work) {
    require_fit("StepDerivatives", model, work.bodies, work.layout);
}

/// The part of joint `body` of δ: [linear; angular].
template <class S>
struct Twist {
    Vector3<S> v, w;
};
template <class S>
Twist<S> twist_of(const Body& body, const int* y, const S* delta) {
    const auto three = [&](const int* at) { return Vector3<S>{delta[at[0]], delta[at[1]], delta[at[2]]}; };
    if (velocity_size(body.joint) == 3) return {{S(0), S(0), S(0)}, three(y)};
    return {three(y), three(y + 3)};
}

/// Both as they came out, or NaN.
template <class S>
Result delivered(Result result, MatrixOut<S> first, MatrixOut<S> second) {
    return kernels::delivered_matrices<S, MatrixOut<S>>(result, {&first, &second});
}

}  // namespace grbda
