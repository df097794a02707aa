#include "grbda/adapters/crocoddyl.hpp"

#include "adapters/adapters_fixture.hpp"
#include "support/solver_reference.hpp"

// The adapter for Crocoddyl in Crocoddyl itself, against the library's parts.

using namespace adapters_tests;
using namespace test_robots;
using grbda::SolverOptions;
using grbda::adapters::CrocoddylData;
using grbda::adapters::CrocoddylDynamics;
using grbda::adapters::CrocoddylState;
using grbda::adapters::Failure;
using solver_reference::Reference;

namespace {

using StatePointer = std::shared_ptr<crocoddyl::StateAbstractTpl<double>>;
using Dynamics = crocoddyl::DifferentialActionModelAbstractTpl<double>;
using Input = std::function<VectorXd(const VectorXd& change)>;

crocoddyl::Jcomponent component(int argument) { return argument == 0 ? crocoddyl::first : crocoddyl::second; }

Manifold manifold_of(const StatePointer& state) {
    const auto n = static_cast<Eigen::Index>(state->get_ndx());
    Manifold m;
    m.integrate = [state](const VectorXd& x, const VectorXd& dx) {
        VectorXd out(x.size());
        state->integrate(x, dx, out);
        return out;
    };
    m.difference = [state, n](const VectorXd& x0, const VectorXd& x1) {
        VectorXd out(n);
        state->diff(x0, x1, out);
        return out;
    };
    m.integrate_jacobian = [state, n](const VectorXd& x, const VectorXd& dx, int by) {
        MatrixXd J[2] = {MatrixXd::Random(n, n), MatrixXd::Random(n, n)};
        state->Jintegrate(x, dx, J[0], J[1], component(by));
        return J[by];
    };
    m.difference_jacobian = [state, n](const VectorXd& x0, const VectorXd& x1, int by) {
        MatrixXd J[2] = {MatrixXd::Random(n, n), MatrixXd::Random(n, n)};
        state->Jdiff(x0, x1, J[0], J[1]);
        return J[by];
    };
    m.transport = [state](const VectorXd& x, const VectorXd& dx, MatrixXd J, int by) {
        state->JintegrateTransport(x, dx, J, component(by));
        return J;
    };
    return m;
}

/// The semi-implicit Euler step that Crocoddyl makes of ÿ and of the operators of the state.
struct Euler {
    Dynamics& dynamics;
    double h;
    std::shared_ptr<crocoddyl::DifferentialActionDataAbstractTpl<double>> data = dynamics.createData();

    VectorXd way(const VectorXd& x, const VectorXd& u) const {
        dynamics.calc(data, x, u);
        VectorXd dx(2 * data->xout.size());
        dx << h * x.tail(data->xout.size()) + h * h * data->xout, h * data->xout;
        return dx;
    }
    VectorXd next(const VectorXd& x, const VectorXd& u) const {
        VectorXd out(x.size());
        dynamics.get_state()->integrate(x, way(x, u), out);
        return out;
    }
    MatrixXd by_x(const VectorXd& x, const VectorXd& u) const {
        const Eigen::Index n = data->xout.size();
        const VectorXd dx = way(x, u);
        dynamics.calcDiff(data, x, u);
        MatrixXd Fx(2 * n, 2 * n);
        Fx << h * h * data->Fx, h * data->Fx;
        Fx.topRightCorner(n, n).diagonal().array() += h;
        dynamics.get_state()->JintegrateTransport(x, dx, Fx, crocoddyl::second);
        dynamics.get_state()->Jintegrate(x, dx, Fx, Fx, crocoddyl::first, crocoddyl::addto);
        return Fx;
    }
};

void check_dynamics(const grbda::Model& model, const State& state, Random& random,
                    const SolverOptions& options, Count& count) {
    const auto states = std::make_shared<CrocoddylState>(shared(model));
    CrocoddylDynamics dynamics(states, options);
    Reference reference(model, options);
    const auto data = dynamics.createData();
    REQUIRE(dynamics.checkData(data));
    auto& node = static_cast<CrocoddylData&>(*data).node;
    const int inputs = static_cast<int>(dynamics.get_nu());
    REQUIRE(node.work.nu == reference.inputs());
    const VectorXd x = joined(state.q, state.yd), u = random_vector(random, inputs, 0.2);
    VectorXd expected;
    ++count.states;
    if (!reference.accelerate(state.q, state.yd, node.all_inputs(u), expected) || expected.norm() > 1e3)
        return;
    dynamics.calc(data, x, u);
    CHECK(relative(data->xout, expected) < 1e-10);
    dynamics.calcDiff(data, x, u);
    const MatrixXd Fx = data->Fx, Fu = data->Fu;
    const auto at = [&](const VectorXd& point, const VectorXd& input) {
        dynamics.calc(data, point, input);
        return VectorXd(data->xout);
    };
    const Manifold manifold = manifold_of(states);
    Slopes slopes;
    const MatrixXd by_x = slopes.of(
        2 * model.nv, model.nv, [&](const VectorXd& delta) { return at(manifold.integrate(x, delta), u); });
    const MatrixXd by_u =
        slopes.of(inputs, model.nv, [&](const VectorXd& change) { return at(x, u + change); });
    if (!slopes.usable) return;
    ++count.compared;
    CHECK(relative(Fx, by_x) < 1e-5);
    CHECK(relative(Fu, by_u) < 1e-5);
    const Euler euler{dynamics, 1e-2};
    if (!euler.next(x, u).allFinite()) return;
    Slopes of_step;
    const MatrixXd step =
        of_step.on_manifold(manifold, x, 2 * model.nv, [&](const VectorXd& p) { return euler.next(p, u); });
    if (of_step.usable) CHECK(relative(euler.by_x(x, u), step) < 1e-6);
}

}  // namespace

TEST_CASE("States for Crocoddyl are a manifold") {
    Count count;
    at_random_states(
        {&named("four_bar"), &named("tello"), &named("mini_cheetah"), &named("stewart_platform")}, 2, 62,
        [&](const Robot& robot, const State& state, Random& random) {
            const auto states = std::make_shared<CrocoddylState>(shared(robot.model));
            CHECK(states->get_nq() == static_cast<std::size_t>(robot.model.nq));
            CHECK(states->get_nv() == static_cast<std::size_t>(robot.model.nv));
            CHECK(states->space().contains(states->zero()));
            CHECK(states->space().contains(states->rand()));
            check_manifold(manifold_of(states), robot.model, state, random, count);
        });
    CHECK(count.compared > 5);
}

TEST_CASE("Jacobians for Crocoddyl are set, added or subtracted") {
    const CrocoddylState state(shared(named("tello").model));
    const VectorXd x = state.space().random(3), dx = VectorXd::Constant(state.space().ndx(), 0.02);
    const MatrixXd start = MatrixXd::Random(dx.size(), dx.size());
    MatrixXd first(dx.size(), dx.size()), second = first;
    state.Jintegrate(x, dx, first, second);
    for (const auto op : {crocoddyl::setto, crocoddyl::addto, crocoddyl::rmfrom}) {
        MatrixXd a = start, b = start;
        state.Jintegrate(x, dx, a, b, crocoddyl::both, op);
        const double kept = op == crocoddyl::setto ? 0 : 1, sign = op == crocoddyl::rmfrom ? -1 : 1;
        CHECK(relative(a, kept * start + sign * first) < 1e-15);
        CHECK(relative(b, kept * start + sign * second) < 1e-15);
    }
    MatrixXd one = start, unused = start;
    state.Jintegrate(x, dx, one, unused, crocoddyl::first);
    CHECK(unused == start);
    state.Jintegrate(x, dx, one, one);  // as at the last node
    CHECK(one == second);
    CHECK_THROWS_AS(state.JintegrateTransport(x, dx, one, crocoddyl::both), std::invalid_argument);
}

TEST_CASE("Accelerations for Crocoddyl are those of the library's parts, and derivatives their differences") {
    Count count;
    at_random_states(all(), 1, 63, [&](const Robot& robot, const State& state, Random& random) {
        for (const bool applied : {false, true}) {
            INFO("motors and joint forces " << applied);
            const grbda::Model& model =
                applied ? solver_reference::with_forces(robot.model, random) : robot.model;
            check_dynamics(model, state, random,
                           {grbda::Integrator::semi_implicit_euler, applied, applied, false}, count);
        }
    });
    INFO(count.compared << " of " << count.states);
    CHECK(10 * count.compared > 7 * count.states);
}

TEST_CASE("Accelerations for Crocoddyl do not depend on earlier calls or on threads") {
    const auto states = std::make_shared<CrocoddylState>(shared(named("tello").model));
    CrocoddylDynamics dynamics(states);
    const auto compute =
        [&](int i, const std::shared_ptr<crocoddyl::DifferentialActionDataAbstractTpl<double>>& data) {
            const VectorXd x = states->space().random(static_cast<std::uint64_t>(i));
            const VectorXd u = VectorXd::Constant(static_cast<Eigen::Index>(dynamics.get_nu()), 0.1 * i);
            dynamics.calc(data, x, u);
            const VectorXd xout = data->xout;
            dynamics.calcDiff(data, x, u);
            MatrixXd result(xout.size(), 1 + data->Fx.cols() + data->Fu.cols());
            result << xout, data->Fx, data->Fu;
            return result;
        };
    constexpr int states_count = 20;
    std::vector<MatrixXd> alone, together(2 * states_count);
    for (int i = 0; i < states_count; ++i) alone.push_back(compute(i, dynamics.createData()));
    in_two_threads([&](int thread) {
        const auto data = dynamics.createData();  // one for all states, in another order
        for (int i = states_count; i-- > 0;)
            together[static_cast<std::size_t>(thread * states_count + i)] = compute(i, data);
    });
    for (std::size_t i = 0; i < together.size(); ++i) {
        INFO("state " << i % states_count);
        CHECK(alone[i % states_count].allFinite());
        CHECK(together[i] == alone[i % states_count]);
    }
}

TEST_CASE("Costs of users reach Crocoddyl with and without inputs") {
    const auto states = std::make_shared<CrocoddylState>(shared(named("four_bar").model));
    const CrocoddylDynamics::Cost cost = [](CrocoddylData& data, const auto& x, const auto& u,
                                            bool derivatives) {
        data.r[0] = x[0];
        data.cost = 0.5 * x[0] * x[0] + u.squaredNorm() + data.robot.ydd[0] * 0;
        if (!derivatives) return;
        data.Lx[0] = x[0];
        data.Lu = 2 * u;
    };
    CrocoddylDynamics dynamics(states, {}, cost, 1);
    CHECK(dynamics.get_nr() == 1);
    const auto data = dynamics.createData();
    const VectorXd x = states->zero(),
                   u = VectorXd::Constant(static_cast<Eigen::Index>(dynamics.get_nu()), 2);
    dynamics.calc(data, x, u);
    CHECK(data->cost == Approx(0.5 * x[0] * x[0] + u.squaredNorm()));
    dynamics.calcDiff(data, x, u);
    CHECK(data->Lu == 2 * u);
    const VectorXd acceleration = data->xout;
    dynamics.calc(data, x);
    CHECK(data->cost == Approx(0.5 * x[0] * x[0]));
    CHECK(data->xout == acceleration);
    dynamics.calcDiff(data, x);
    CHECK(data->Lu.isZero());
    CHECK(data->r[0] == x[0]);
}

TEST_CASE("A node of Crocoddyl without a result has NaN, also in its cost, and recovers") {
    const auto model = shared(named("four_bar").model);
    const auto states = std::make_shared<CrocoddylState>(model);
    CrocoddylDynamics dynamics(states);
    const auto data = dynamics.createData();
    const VectorXd u = VectorXd::Zero(static_cast<Eigen::Index>(dynamics.get_nu())), x = states->zero();
    VectorXd bad = x;
    bad[model->nq] = std::numeric_limits<double>::infinity();
    dynamics.calc(data, bad, u);
    CHECK(data->xout.array().isNaN().all());
    CHECK(std::isnan(data->cost));
    dynamics.calcDiff(data, bad, u);
    CHECK(data->Fx.array().isNaN().all());
    CHECK(data->Fu.array().isNaN().all());
    CHECK(static_cast<const CrocoddylData&>(*data).result.status == grbda::Status::not_finite);
    dynamics.calc(data, x, u);
    dynamics.calcDiff(data, x, u);
    CHECK((data->xout.allFinite() && data->Fx.allFinite() && data->cost == 0));
    const auto strict = std::make_shared<CrocoddylState>(model, Failure::exception);
    CrocoddylDynamics throwing(strict);
    CHECK_THROWS_WITH(throwing.calc(throwing.createData(), bad, u),
                      Catch::Contains("calc: ") && Catch::Contains("finite"));
    CHECK_THROWS_WITH(throwing.calc(std::make_shared<crocoddyl::DifferentialActionDataAbstractTpl<double>>(
                                        static_cast<Dynamics*>(&dynamics)),
                                    x, u),
                      Catch::Contains("createData"));
    CHECK_THROWS_AS(dynamics.calc(data, u, u), std::invalid_argument);
    CHECK_THROWS_WITH(CrocoddylDynamics(nullptr), Catch::Contains("expected a state"));
}

TEST_CASE("Bounds for Crocoddyl are limits of joints and efforts of motors") {
    grbda::Model model = named("four_bar").model;
    const grbda::Coordinate motor = grbda::motor_coordinates(model).front();
    model.actuated[motor.body] = 1;
    model.limits[motor.body] = {-1, 2, 3, 8};
    model.reduction[motor.body] = 4;
    const auto states = std::make_shared<CrocoddylState>(shared(model));
    CHECK(states->get_lb()[model.bodies[motor.body].q] == -1);
    CHECK(states->get_ub()[model.bodies[motor.body].q] == 2);
    CHECK(states->get_ub()[model.nq] == 3);
    const CrocoddylDynamics dynamics(states);
    CHECK(dynamics.get_u_ub()[0] == 2);
    CHECK(dynamics.get_u_lb()[0] == -2);
    CHECK(dynamics.get_has_control_limits());
    CHECK_THROWS_AS(states->cloneAsFloat(), std::runtime_error);
    CHECK(std::dynamic_pointer_cast<CrocoddylState>(states->cloneAsDouble())->get_nx() == states->get_nx());
    CHECK(std::dynamic_pointer_cast<CrocoddylDynamics>(dynamics.cloneAsDouble())->get_nu() ==
          dynamics.get_nu());
}
