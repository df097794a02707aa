#pragma once

#include <algorithm>
#include <utility>

#include <Eigen/Core>

// Gauss–Newton's method, with the damping of Levenberg and Marquardt where the problem has a cost:
//   minimize |r(x)|²   by steps   δ = −(Aᵀ A + μ)⁻¹ Aᵀ r,   A = dr/dx
// With a cost, x moves only if |r|² decreases. The damping μ then decreases, otherwise it increases, which
// turns the next step towards the gradient and shortens it. Without a cost, x moves by every step, and μ
// stays. Three methods of the library close loops in other ways. Continuation (continuation.hpp) keeps the
// independent coordinates exactly. The searches of src/search keep limits by a quadratic program, or take the
// least motion in a metric along a line search, without allocation. Generated code follows the continuation.

namespace grbda::closing {

struct GaussNewtonOptions {
    int most_steps;              ///< including those that are not taken
    double damping;              ///< of the first step
    double decrease = 1;         ///< factor of the damping after a step that is taken,
    double least_damping = 0;    ///< down to this
    double increase = 5;         ///< factor of the damping after a step that is not taken,
    double largest_damping = 1;  ///< which ends the iteration when it reaches this
    double progress = 1;         ///< a step stalls if more than this fraction of the cost remains
};

/// Minimizes from `now`, and returns the last state that was reached. The problem offers
///   bool met(now)                the iteration ends here
///   VectorXd step(now, damping)  δ, which the problem may shorten; the iteration ends if δ is not finite
///   State moved(now, step)       residual and Jacobian at x ⊕ δ
/// and may offer
///   double cost(now)             |r|²
///   int patience(now)            the iteration ends after so many steps in a row that stall
template <class Problem, class State>
State gauss_newton(Problem& problem, State now, const GaussNewtonOptions& options) {
    double damping = options.damping;
    int stalls = 0;
    for (int i = 0; i < options.most_steps && !problem.met(now); ++i) {
        const Eigen::VectorXd step = problem.step(now, damping);
        if (!step.allFinite()) break;
        State next = problem.moved(now, step);
        if constexpr (requires { problem.cost(now); }) {
            const double before = problem.cost(now), after = problem.cost(next);
            if (!(after < before)) {
                damping *= options.increase;
                if (!(damping < options.largest_damping)) break;
                continue;
            }
            stalls = after > options.progress * before ? stalls + 1 : 0;
            damping = std::max(damping * options.decrease, options.least_damping);
        }
        now = std::move(next);
        if constexpr (requires { problem.patience(now); })
            if (stalls >= problem.patience(now)) break;
    }
    return now;
}

}  // namespace grbda::closing
