#include "adapters/adapters_fixture.hpp"
#include "grbda/adapters/state_space.hpp"

// The manifold that both adapters share.

using namespace adapters_tests;
using namespace test_robots;
using grbda::adapters::Argument;
using grbda::adapters::Failure;
using grbda::adapters::StateSpace;

namespace {

Manifold manifold_of(const StateSpace& space) {
    const auto argument = [](int i) { return i == 0 ? Argument::first : Argument::second; };
    const auto zero = [&space] { return MatrixXd(MatrixXd::Zero(space.ndx(), space.ndx())); };
    Manifold m;
    m.integrate = [&space](const VectorXd& x, const VectorXd& dx) {
        VectorXd out(space.nx());
        space.integrate(x, dx, out);
        return out;
    };
    m.difference = [&space](const VectorXd& x0, const VectorXd& x1) {
        VectorXd out(space.ndx());
        space.difference(x0, x1, out);
        return out;
    };
    m.integrate_jacobian = [&space, argument, zero](const VectorXd& x, const VectorXd& dx, int by) {
        MatrixXd J = zero();
        space.add_integrate_jacobian(x, dx, argument(by), 1, J);
        return J;
    };
    m.difference_jacobian = [&space, argument, zero](const VectorXd& x0, const VectorXd& x1, int by) {
        MatrixXd J = zero();
        space.add_difference_jacobian(x0, x1, argument(by), J);
        return J;
    };
    m.transport = [&space, argument](const VectorXd& x, const VectorXd& dx, MatrixXd J, int by) {
        space.transport(x, dx, argument(by), J);
        return J;
    };
    return m;
}

}  // namespace

TEST_CASE("The states of every robot are a manifold with exact Jacobians") {
    Count count;
    at_random_states(all(), 1, 61, [&](const Robot& robot, const State& state, Random& random) {
        const StateSpace space(shared(robot.model));
        check_manifold(manifold_of(space), robot.model, state, random, count);
    });
    INFO(count.compared << " of " << count.states);
    CHECK(10 * count.compared > 8 * count.states);
}

TEST_CASE("Neutral and random states of a manifold close the loops") {
    for (const Robot& robot : published()) {
        const StateSpace space(shared(robot.model));
        INFO(robot.name);
        CHECK(space.contains(space.neutral()));
        CHECK(space.contains(space.random(7)));
        CHECK(space.random(7) == space.random(7));
        VectorXd open = space.neutral();
        open[0] = std::numeric_limits<double>::quiet_NaN();
        CHECK_FALSE(space.contains(open));
    }
    VectorXd open = StateSpace(shared(named("four_bar").model)).neutral();
    open[0] += 0.1;
    CHECK_FALSE(StateSpace(shared(named("four_bar").model)).contains(open));
}

TEST_CASE("Threads share a manifold and get the same numbers") {
    const grbda::Model& model = named("tello").model;
    const StateSpace space(shared(model));
    const Manifold manifold = manifold_of(space);
    const auto compute = [&](int i, MatrixXd& result) {
        const VectorXd x = space.random(static_cast<std::uint64_t>(i));
        const VectorXd dx = VectorXd::Constant(space.ndx(), 5e-4 * (i + 1));
        result.resize(space.ndx(), space.ndx() + 1);
        result << manifold.integrate_jacobian(x, dx, 1), manifold.difference(x, manifold.integrate(x, dx));
    };
    constexpr int states = 40;
    std::vector<MatrixXd> alone(states), together(2 * states);
    for (int i = 0; i < states; ++i) compute(i, alone[static_cast<std::size_t>(i)]);
    in_two_threads([&](int thread) {
        for (int i = 0; i < states; ++i) compute(i, together[static_cast<std::size_t>(thread * states + i)]);
    });
    for (std::size_t i = 0; i < together.size(); ++i) {
        INFO("state " << i % states);
        CHECK(alone[i % states].allFinite());
        CHECK(together[i] == alone[i % states]);
    }
}

TEST_CASE("Displacements that no loop allows give NaN, and an exception where it is asked for") {
    const auto model = shared(named("planar_leg_linkage").model);
    for (const Failure failure : {Failure::nan, Failure::exception}) {
        const StateSpace space(model, failure);
        const VectorXd x = space.neutral();
        VectorXd dx = VectorXd::Zero(space.ndx()), out(space.nx());
        int failed = 0;
        for (double by : {-3., 3.})
            for (Eigen::Index i = 0; i < model->nv; ++i) {
                dx.setZero();
                dx[i] = by;
                out.setZero();
                try {
                    space.integrate(x, dx, out);
                } catch (const std::runtime_error& error) {
                    CHECK(failure == Failure::exception);
                    CHECK_THAT(error.what(),
                               Catch::Contains("integrate") && Catch::Contains("in the cluster of joint '"));
                }
                if (out.allFinite()) continue;
                CHECK(out.array().isNaN().all());
                ++failed;
            }
        CHECK(failed > 0);
        dx[0] = std::numeric_limits<double>::quiet_NaN();
        MatrixXd J = MatrixXd::Zero(space.ndx(), space.ndx());
        if (failure == Failure::exception)
            CHECK_THROWS_AS(space.add_integrate_jacobian(x, dx, Argument::first, 1, J), std::runtime_error);
        else
            space.add_integrate_jacobian(x, dx, Argument::first, 1, J);
        CHECK(J.array().isNaN().all());
        CHECK_THROWS_AS(space.integrate(x, VectorXd(1), out), std::invalid_argument);
    }
    CHECK_THROWS_WITH(StateSpace(nullptr), Catch::Contains("expected a model"));
}
