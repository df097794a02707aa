#include "grbda/adapters/aligator.hpp"

#include "adapters/adapters_fixture.hpp"
#include "support/solver_reference.hpp"

// The adapter for Aligator in Aligator itself, against the library's parts.

using namespace adapters_tests;
using namespace test_robots;
using grbda::Integrator;
using grbda::SolverOptions;
using grbda::adapters::AligatorData;
using grbda::adapters::AligatorDynamics;
using grbda::adapters::AligatorSpace;
using grbda::adapters::Failure;
using solver_reference::Node;
using solver_reference::Reference;

namespace {

using Space = aligator::ManifoldAbstractTpl<double>;

Manifold manifold_of(const Space& space) {
    const Space* s = &space;
    Manifold m;
    m.integrate = [s](const VectorXd& x, const VectorXd& v) {
        VectorXd out(s->nx());
        s->integrate(x, v, out);
        return out;
    };
    m.difference = [s](const VectorXd& x0, const VectorXd& x1) {
        VectorXd out(s->ndx());
        s->difference(x0, x1, out);
        return out;
    };
    m.integrate_jacobian = [s](const VectorXd& x, const VectorXd& v, int by) {
        MatrixXd J = MatrixXd::Random(s->ndx(), s->ndx());
        s->Jintegrate(x, v, J, by);
        return J;
    };
    m.difference_jacobian = [s](const VectorXd& x0, const VectorXd& x1, int by) {
        MatrixXd J = MatrixXd::Random(s->ndx(), s->ndx());
        s->Jdifference(x0, x1, J, by);
        return J;
    };
    m.transport = [s](const VectorXd& x, const VectorXd& v, MatrixXd J, int by) {
        s->JintegrateTransport(x, v, J, by);
        return J;
    };
    return m;
}

void check_steps(const grbda::Model& model, const State& state, Random& random, const SolverOptions& options,
                 Count& count) {
    const AligatorSpace space(shared(model));
    Reference reference(model, options);
    Node node;
    ++count.states;
    if (!solver_reference::node_at(model, reference, state, random, node)) return;
    VectorXd q, expected, d(model.nv);
    if (!reference.configuration(node.x.head(model.nv), node.q_ref, q) || !reference.step(node, expected) ||
        (expected - node.x).tail(model.nv).norm() > 0.5)
        return;
    const AligatorDynamics dynamics(space, node.h, options);
    const auto data = dynamics.createData();
    const VectorXd x = joined(q, node.x.tail(model.nv));
    // the floating base has no input here
    auto& work = static_cast<AligatorData&>(*data).node;
    VectorXd u(dynamics.nu);
    work.select(node.u.transpose(), u.transpose());
    node.u = work.all_inputs(u);
    if (!reference.step(node, expected)) return;
    dynamics.forward(x, u, *data);
    REQUIRE(data->xnext_.allFinite());
    const VectorXd next = data->xnext_, q_next = next.head(model.nq);
    grbda::Data other(model);
    must(grbda::difference(model, other, node.q_ref_next, q_next, d));
    CHECK(relative(joined(reference.absolute() ? reference.coordinates(q_next) : d, next.tail(model.nv)),
                   expected) < 1e-10);
    dynamics.dForward(x, u, *data);
    const MatrixXd Jx = data->Jx(), Ju = data->Ju();
    CHECK(data->xnext_ == next);
    const Manifold manifold = manifold_of(dynamics.space());
    const auto at = [&](const VectorXd& point, const VectorXd& inputs) {
        dynamics.forward(point, inputs, *data);
        return VectorXd(data->xnext_);
    };
    Slopes slopes;
    const MatrixXd by_x =
        slopes.on_manifold(manifold, x, 2 * model.nv, [&](const VectorXd& p) { return at(p, u); });
    const MatrixXd by_u = slopes.of(dynamics.nu, 2 * model.nv, [&](const VectorXd& change) {
        return manifold.difference(next, at(x, u + change));
    });
    if (!slopes.usable) return;
    ++count.compared;
    CHECK(relative(Jx, by_x) < 1e-6);
    CHECK(relative(Ju, by_u) < 1e-6);
}

}  // namespace

TEST_CASE("States for Aligator are a manifold") {
    Count count;
    at_random_states(
        {&named("four_bar"), &named("tello"), &named("mini_cheetah"), &named("stewart_platform")}, 2, 64,
        [&](const Robot& robot, const State& state, Random& random) {
            const AligatorSpace space(shared(robot.model));
            CHECK(space.isNormalized(space.neutral()));
            CHECK(space.isNormalized(space.rand()));
            check_manifold(manifold_of(space), robot.model, state, random, count);
        });
    CHECK(count.compared > 5);
}

TEST_CASE("Steps for Aligator are those of the library's parts, and Jacobians their differences") {
    Count count;
    at_random_states(all(), 1, 65, [&](const Robot& robot, const State& state, Random& random) {
        for (const Integrator rule : {Integrator::semi_implicit_euler, Integrator::runge_kutta})
            for (const bool applied : {false, true}) {
                INFO("stages " << grbda::step::stages(rule) << ", motors and joint forces " << applied);
                const grbda::Model& model =
                    applied ? solver_reference::with_forces(robot.model, random) : robot.model;
                check_steps(model, state, random, {rule, applied, applied, false}, count);
            }
    });
    INFO(count.compared << " of " << count.states);
    CHECK(2 * count.compared > count.states);
}

TEST_CASE("Steps for Aligator do not depend on earlier calls or on threads") {
    const AligatorSpace space(shared(named("tello").model));
    const AligatorDynamics dynamics(space, 1e-3);
    const auto compute = [&](int i, grbda::adapters::AligatorDynamics::BaseData& data) {
        const VectorXd x = space.space().random(static_cast<std::uint64_t>(i));
        const VectorXd u = VectorXd::Constant(dynamics.nu, 0.1 * i);
        dynamics.forward(x, u, data);
        dynamics.dForward(x, u, data);
        return std::pair<VectorXd, MatrixXd>(data.xnext_, data.jac_buffer_);
    };
    constexpr int states = 20;
    std::vector<std::pair<VectorXd, MatrixXd>> alone, together(2 * states);
    for (int i = 0; i < states; ++i) alone.push_back(compute(i, *dynamics.createData()));
    in_two_threads([&](int thread) {
        const auto data = dynamics.createData();
        for (int i = states; i-- > 0;)
            together[static_cast<std::size_t>(thread * states + i)] = compute(i, *data);
    });
    for (std::size_t i = 0; i < together.size(); ++i) {
        INFO("state " << i % states);
        CHECK(alone[i % states].second.allFinite());
        CHECK(together[i] == alone[i % states]);
    }
}

TEST_CASE("A node of Aligator without a result has NaN, and recovers") {
    const auto model = shared(named("four_bar").model);
    for (const Failure failure : {Failure::nan, Failure::exception}) {
        const AligatorSpace space(model, failure);
        const AligatorDynamics dynamics(space, 1e-2);
        const auto data = dynamics.createData();
        const VectorXd x = space.neutral(), u = VectorXd::Zero(dynamics.nu);
        VectorXd bad = x;
        bad[model->nq] = 1e300;
        if (failure == Failure::exception) {
            CHECK_THROWS_WITH(dynamics.forward(bad, u, *data), Catch::Contains("forward: "));
            CHECK_THROWS_WITH(dynamics.dForward(bad, u, *data), Catch::Contains("dForward: "));
        } else {
            dynamics.forward(bad, u, *data);
            dynamics.dForward(bad, u, *data);
            CHECK(static_cast<const AligatorData&>(*data).result.status == grbda::Status::not_finite);
        }
        CHECK(data->xnext_.array().isNaN().all());
        CHECK(data->jac_buffer_.array().isNaN().all());
        dynamics.forward(x, u, *data);
        dynamics.dForward(x, u, *data);
        CHECK((data->xnext_.allFinite() && data->jac_buffer_.allFinite()));
        aligator::ExplicitDynamicsDataTpl<double> foreign(dynamics);
        CHECK_THROWS_WITH(dynamics.forward(x, u, foreign), Catch::Contains("createData"));
        MatrixXd J(space.ndx(), space.ndx());
        CHECK_THROWS_AS(space.Jintegrate(x, VectorXd::Zero(space.ndx()), J, 2), std::domain_error);
    }
}
