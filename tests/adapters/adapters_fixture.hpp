#pragma once

#include <functional>
#include <thread>

#include "grbda/constraints/closure.hpp"
#include "support/differences.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Laws of manifolds that both adapters must keep, each through its own interface.

namespace adapters_tests {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test_robots::Random;
using test_robots::Robot;
using test_robots::State;

/// The functions of a manifold as one adapter offers them; arguments are 0 or 1.
struct Manifold {
    std::function<VectorXd(const VectorXd&x, const VectorXd&dx)> integrate, difference;
    std::function<MatrixXd(const VectorXd&x, const VectorXd&dx, int argument)> integrate_jacobian,
        difference_jacobian;
    std::function<MatrixXd(const VectorXd& x, const VectorXd& dx, const MatrixXd& J, int argument)> transport;
};

/// A model that robots own, as adapters take it.
inline std::shared_ptr<const grbda::Model> shared(const grbda::Model& model) {
    return std::make_shared<const grbda::Model>(model);
}

inline VectorXd joined(const VectorXd& q, const VectorXd& yd) {
    VectorXd x(q.size() + yd.size());
    x << q, yd;
    return x;
}

/// Derivatives by differences: wrong near bounds of a mechanism, where two sizes do not agree.
struct Slopes {
    bool usable = true;

    template <class Function>
    MatrixXd of(Eigen::Index n, Eigen::Index rows, const Function& function) {
        const int columns = static_cast<int>(n);
        const MatrixXd J = differences::columns(columns, rows, function),
                       wide = differences::columns(columns, rows, function, 4 * motion::kStep);
        usable = usable && J.allFinite() && test_robots::relative(wide, J) < 3e-7;
        return J;
    }
    /// Derivative of function(x ⊕ δ), a point of the manifold, by δ.
    template <class Function>
    MatrixXd on_manifold(const Manifold& manifold, const VectorXd& x, Eigen::Index n,
                         const Function& function) {
        const VectorXd centre = function(x);
        return of(n, n, [&](const VectorXd& delta) {
            return manifold.difference(centre, function(manifold.integrate(x, delta)));
        });
    }
};

struct Count {
    int states = 0, compared = 0;
};

/// Checks a manifold at one state; displacements that a robot cannot make are not counted.
inline void check_manifold(const Manifold& manifold, const grbda::Model& model, const State& state,
                           Random& random, Count& count) {
    constexpr double kSame = 1e-9, kDerivatives = 1e-6;
    const Eigen::Index n = 2 * model.nv;
    const VectorXd x = joined(state.q, state.yd), dx = test_robots::random_vector(random, n, 0.05),
                   moved = manifold.integrate(x, dx);
    ++count.states;
    if (!moved.allFinite()) return;
    grbda::Data data(model);
    CHECK(grbda::closure_residual(model, data, moved.head(model.nq)).ok());
    CHECK(test_robots::relative(manifold.difference(x, moved), dx) < kSame);
    const MatrixXd J[2] = {manifold.integrate_jacobian(x, dx, 0), manifold.integrate_jacobian(x, dx, 1)},
                   D[2] = {manifold.difference_jacobian(x, moved, 0),
                           manifold.difference_jacobian(x, moved, 1)};
    Slopes slopes;
    const MatrixXd by_x =
        slopes.on_manifold(manifold, x, n, [&](const VectorXd& at) { return manifold.integrate(at, dx); });
    const MatrixXd by_dx = slopes.of(n, n, [&](const VectorXd& change) {
        return manifold.difference(moved, manifold.integrate(x, dx + change));
    });
    const MatrixXd by_x0 = slopes.of(n, n, [&](const VectorXd& delta) {
        return manifold.difference(manifold.integrate(x, delta), moved);
    });
    const MatrixXd by_x1 = slopes.of(n, n, [&](const VectorXd& delta) {
        return manifold.difference(x, manifold.integrate(moved, delta));
    });
    if (!slopes.usable) return;
    ++count.compared;
    CHECK(test_robots::relative(J[0], by_x) < kDerivatives);
    CHECK(test_robots::relative(J[1], by_dx) < kDerivatives);
    CHECK(test_robots::relative(D[0], by_x0) < kDerivatives);
    CHECK(test_robots::relative(D[1], by_x1) < kDerivatives);
    const MatrixXd M = MatrixXd::Random(n, 3);
    for (int argument : {0, 1})
        CHECK(test_robots::relative(manifold.transport(x, dx, M, argument), J[argument] * M) < 1e-12);
}

/// Calls work(0) and work(1) in two threads.
template <class Work>
void in_two_threads(const Work& work) {
    std::thread other([&] { work(1); });
    work(0);
    other.join();
}

}  // namespace adapters_tests
