#include <crocoddyl/core/activations/quadratic.hpp>
#include <crocoddyl/core/constraints/residual.hpp>
#include <crocoddyl/core/costs/residual.hpp>
#include <crocoddyl/core/integrator/euler.hpp>
#include <crocoddyl/core/numdiff/action.hpp>
#include <crocoddyl/core/numdiff/diff-action.hpp>
#include <crocoddyl/core/numdiff/state.hpp>
#include <crocoddyl/core/residuals/control.hpp>
#include <crocoddyl/core/solvers/fddp.hpp>

#include "adapters/adapters_fixture.hpp"
#include "grbda/adapters/crocoddyl_problem.hpp"

// Costs, constraints, contacts and impacts in Crocoddyl itself, against its numerical differences.

using namespace adapters_tests;
using namespace test_robots;
using namespace grbda::adapters;

namespace {

using StatePointer = std::shared_ptr<CrocoddylState>;

constexpr double tolerance = 5e-4;  // of forward differences, which are the coarser side

/// Largest difference, relative to the largest entry.
double apart(const MatrixXd& exact, const MatrixXd& other) {
    REQUIRE(exact.rows() == other.rows());
    if (exact.size() == 0) return 0;
    REQUIRE(exact.allFinite());
    return (exact - other).cwiseAbs().maxCoeff() / std::max(1.0, other.cwiseAbs().maxCoeff());
}

VectorXd near_neutral(const CrocoddylState& state, unsigned seed, double size = 0.05) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-size, size);
    VectorXd dx(state.space().ndx()), x(state.space().nx());
    for (Eigen::Index i = 0; i < dx.size(); ++i) dx[i] = uniform(random);
    state.integrate(state.zero(), dx, x);
    return x;
}

void add(crocoddyl::CostModelSum& costs, const StatePointer& state, const std::string& name,
         std::shared_ptr<const Residual> residual, double weight) {
    const auto model = std::make_shared<CrocoddylResidual>(state, std::move(residual), costs.get_nu());
    costs.addCost(name, std::make_shared<crocoddyl::CostModelResidual>(state, model), weight);
}

std::shared_ptr<crocoddyl::CostModelSum> all_costs(const StatePointer& state, std::size_t nu, bool contacts) {
    const grbda::Model& model = state->space().model();
    const auto costs = std::make_shared<crocoddyl::CostModelSum>(state, nu);
    std::string frame;
    for (const grbda::Frame& f : model.frames)
        if (f.body >= 0 && f.body < model.body_count()) frame = f.name;
    std::vector<std::string> joints;
    for (int i = 0; i < model.body_count(); ++i)
        if (grbda::velocity_size(model.bodies[i].joint) == 1 && !model.names.joints[i].empty())
            joints.push_back(model.names.joints[i]);
    Eigen::Isometry3d target = Eigen::Isometry3d::Identity();
    target.rotate(Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 2, 3).normalized()));
    add(*costs, state, "state", std::make_shared<StateResidual>(state->shared_space(), state->zero()), 1);
    add(*costs, state, "translation",
        std::make_shared<FrameTranslation>(model, frame, Eigen::Vector3d(0.1, 0, 0)), 0.9);
    add(*costs, state, "placement", std::make_shared<FramePlacement>(model, frame, target), 0.8);
    add(*costs, state, "velocity", std::make_shared<FrameVelocity>(model, frame, grbda::Vector6d::Ones()),
        0.7);
    add(*costs, state, "mass", std::make_shared<CenterOfMass>(Eigen::Vector3d(0, 0.1, 0)), 0.6);
    add(*costs, state, "momentum", std::make_shared<Momentum>(grbda::Vector6d::Zero()), 0.5);
    if (!joints.empty()) add(*costs, state, "joints", std::make_shared<JointPositions>(model, joints), 0.4);
    bool plain = true;
    for (const grbda::Coordinate& motor : grbda::motor_coordinates(model))
        plain = plain && grbda::velocity_size(model.bodies[motor.body].joint) == 1;
    if (plain)
        add(*costs, state, "angles", std::make_shared<MotorPositions>(model), 0.1);
    else
        CHECK_THROWS_WITH(MotorPositions(model), Catch::Contains("several velocities"));
    add(*costs, state, "motors", std::make_shared<MotorVelocities>(model), 0.3);
    const auto u = std::make_shared<crocoddyl::ResidualModelControl>(state, nu);
    costs->addCost("inputs", std::make_shared<crocoddyl::CostModelResidual>(state, u), 0.2);
    if (contacts) {
        add(*costs, state, "force", std::make_shared<ContactForce>(1, 6, VectorXd::Zero(6)), 1e-3);
        add(*costs, state, "cone", std::make_shared<FrictionCone>(0, 0.7, Eigen::Vector3d(0.1, 0.2, 1)),
            1e-3);
    }
    return costs;
}

NodeOptions on_soles(const grbda::Model& model, const char* left, const char* right) {
    NodeOptions options;
    for (const char* foot : {left, right})
        options.contacts.push_back(grbda::contact_at(model, foot, grbda::ContactKind::frame));
    options.phase.velocity_gain = 20;
    return options;
}

std::size_t inputs_of(const StatePointer& state, const NodeOptions& options) {
    return static_cast<std::size_t>(input_bounds(state->space().model(), options).size());
}

void check_differences(const StatePointer& state, const NodeOptions& options, const VectorXd& x) {
    const std::size_t nu = inputs_of(state, options);
    const CrocoddylSums sums{all_costs(state, nu, !options.contacts.empty()), {}};
    const auto model = std::make_shared<CrocoddylDynamics>(state, options, sums);
    const auto numerical = std::make_shared<crocoddyl::DifferentialActionModelNumDiff>(model, true);
    const auto exact = model->createData(), other = numerical->createData();
    const VectorXd u = VectorXd::LinSpaced(static_cast<Eigen::Index>(nu), -1, 1);
    model->calc(exact, x, u);
    model->calcDiff(exact, x, u);
    numerical->calc(other, x, u);
    numerical->calcDiff(other, x, u);
    CHECK(apart(exact->Fx, other->Fx) < tolerance);
    CHECK(apart(exact->Fu, other->Fu) < tolerance);
    CHECK(apart(exact->Lx, other->Lx) < tolerance);
    CHECK(apart(exact->Lu, other->Lu) < tolerance);
}

}  // namespace

TEST_CASE("Dynamics and costs of 12 robots agree with Crocoddyl's differences") {
    for (const char* name :
         {"cassie_like", "delta", "digit", "digit_leg", "g1_like_ankle", "kangaroo_leg", "lims2_wrist",
          "mini_cheetah", "six_bar", "stewart_platform", "tello", "four_bar"}) {
        INFO(name);
        const auto state = std::make_shared<CrocoddylState>(shared(named(name).model));
        const VectorXd x = near_neutral(*state, 1, 0.03);
        REQUIRE(x.allFinite());
        check_differences(state, {}, x);
        // the operators of the state
        crocoddyl::StateNumDiff numerical(state);
        const Eigen::Index n = state->space().ndx();
        const VectorXd dx = VectorXd::LinSpaced(n, -1e-3, 1e-3);
        VectorXd y(x.size());
        state->integrate(x, dx, y);
        MatrixXd J[4] = {MatrixXd::Zero(n, n), MatrixXd::Zero(n, n), MatrixXd::Zero(n, n),
                         MatrixXd::Zero(n, n)};
        state->Jintegrate(x, dx, J[0], J[1]);
        numerical.Jintegrate(x, dx, J[2], J[3]);
        CHECK(apart(J[0], J[2]) < tolerance);
        CHECK(apart(J[1], J[3]) < tolerance);
        state->Jdiff(x, y, J[0], J[1]);
        numerical.Jdiff(x, y, J[2], J[3]);
        CHECK(apart(J[0], J[2]) < tolerance);
        CHECK(apart(J[1], J[3]) < tolerance);
    }
}

TEST_CASE("Phases of contact and impacts agree with Crocoddyl's differences") {
    for (const auto& [name, left, right] :
         {std::tuple("digit", "left_foot", "right_foot"), std::tuple("tello", "left-foot", "right-foot")}) {
        INFO(name);
        const auto state = std::make_shared<CrocoddylState>(shared(named(name).model));
        NodeOptions options = on_soles(state->space().model(), left, right);
        const VectorXd x = near_neutral(*state, 2);
        check_differences(state, options, x);
        const auto costs = std::make_shared<crocoddyl::CostModelSum>(state, 0);
        add(*costs, state, "state", std::make_shared<StateResidual>(state->shared_space(), state->zero()), 1);
        options.phase.active = {1, 0};
        add(*costs, state, "impulse", std::make_shared<ContactImpulse>(0, 6), 0.1);
        const auto model = std::make_shared<CrocoddylImpact>(state, options, CrocoddylSums{costs, {}});
        const auto numerical = std::make_shared<crocoddyl::ActionModelNumDiff>(model, true);
        const auto exact = model->createData(), other = numerical->createData();
        const VectorXd none;
        model->calc(exact, x, none);
        model->calcDiff(exact, x, none);
        numerical->calc(other, x, none);
        numerical->calcDiff(other, x, none);
        CHECK(apart(exact->Fx, other->Fx) < tolerance);
        CHECK(apart(exact->Lx, other->Lx) < tolerance);
        grbda::Data data(state->space().model());
        const int n = state->space().model().nv, nq = state->space().model().nq;
        must(grbda::forward_kinematics(state->space().model(), data, exact->xnext.head(nq),
                                       exact->xnext.tail(n)));
        const int foot = state->space().model().frame(left).index;
        CHECK(grbda::frame_velocity(state->space().model(), data, foot, grbda::ReferenceFrame::local).norm() <
              1e-9);
    }
}

TEST_CASE("Contacts that a node does not have, and phases of another number of contacts, are errors") {
    const auto state = std::make_shared<CrocoddylState>(shared(named("digit").model));
    const grbda::Model& model = state->space().model();
    NodeOptions options = on_soles(model, "left_foot", "right_foot");
    options.contacts[1] = grbda::contact_at(model, "right_foot");
    Node node(model, options);
    const VectorXd x = state->zero(), u = VectorXd::Zero(node.nu);
    VectorXd r(6);
    MatrixXd r_x = MatrixXd::Zero(6, 2 * model.nv), r_u = MatrixXd::Zero(6, node.nu);
    const Eigen::Vector3d up(0, 0, 1);
    must(node.differentiate(x, u));
    must(ContactForce(0, 6, VectorXd::Zero(6)).value(node, x, u, r));
    const auto refused = [&](const Residual& residual, const char* message) {
        CHECK_THROWS_WITH(residual.value(node, x, u, r.head(residual.nr)), Catch::Contains(message));
        CHECK_THROWS_WITH(residual.jacobians(node, x, u, r_x.topRows(residual.nr), r_u.topRows(residual.nr)),
                          Catch::Contains(message));
    };
    refused(ContactForce(1, 6, VectorXd::Zero(6)), "contact 1 has 3 rows, but the residual reads 6");
    refused(ContactImpulse(1, 6), "contact 1 has 3 rows, but the residual reads 6");
    refused(ContactForce(2, 3, VectorXd::Zero(3)), "contact 2 does not exist: the node has 2 contacts");
    refused(ContactImpulse(-1, 3), "contact -1 does not exist");
    refused(FrictionCone(2, 0.5, up), "contact 2 does not exist");
    options.phase.active = {1};
    CHECK_THROWS_WITH(Node(model, options), Catch::Contains("phase.active"));
    options.phase.active = {1, 1};
    options.phase.position_gain = 1;
    CHECK_THROWS_WITH(Node(model, options), Catch::Contains("phase.references"));
    CHECK_THROWS_WITH(CrocoddylImpact(nullptr, options), Catch::Contains("expected a state"));
    CHECK_THROWS_WITH(CrocoddylImpact(state, NodeOptions{}),
                      Catch::Contains("expected options with contacts"));
    VectorXd inputs(node.nu);
    CHECK_FALSE(quasi_static(node, std::numeric_limits<double>::quiet_NaN() * x, inputs).ok());
    CHECK(inputs.array().isNaN().all());
}

TEST_CASE("Constraints of Crocoddyl have their bounds and derivatives") {
    const auto state = std::make_shared<CrocoddylState>(shared(named("tello").model));
    const grbda::Model& model = state->space().model();
    const std::size_t nu = inputs_of(state, {});
    const auto constraints = std::make_shared<crocoddyl::ConstraintModelManager>(state, nu);
    const auto inputs = std::make_shared<crocoddyl::ResidualModelControl>(state, nu);
    const VectorXd effort = VectorXd::LinSpaced(static_cast<Eigen::Index>(nu), 1, 2);
    const auto foot = std::make_shared<FrameTranslation>(model, "left-foot", Eigen::Vector3d::Zero());
    constraints->addConstraint("foot", std::make_shared<crocoddyl::ConstraintModelResidual>(
                                           state, std::make_shared<CrocoddylResidual>(state, foot, nu)));
    constraints->addConstraint(
        "effort", std::make_shared<crocoddyl::ConstraintModelResidual>(state, inputs, -effort, 2 * effort));
    const auto dynamics =
        std::make_shared<CrocoddylDynamics>(state, NodeOptions{}, CrocoddylSums{{}, constraints});
    CHECK((dynamics->get_ng() == nu && dynamics->get_nh() == 3));
    CHECK(dynamics->get_g_lb() == -effort);
    CHECK(dynamics->get_g_ub() == 2 * effort);
    const auto numerical = std::make_shared<crocoddyl::DifferentialActionModelNumDiff>(dynamics, true);
    const auto exact = dynamics->createData(), other = numerical->createData();
    const VectorXd x = near_neutral(*state, 3), u = 0.3 * effort;
    dynamics->calc(exact, x, u);
    dynamics->calcDiff(exact, x, u);
    numerical->calc(other, x, u);
    numerical->calcDiff(other, x, u);
    CHECK(exact->g == u);
    CHECK(apart(exact->Hx, other->Hx) < tolerance);
    CHECK(apart(exact->Gu, other->Gu) < tolerance);
}

TEST_CASE("Digit is held on its feet, and falls without contacts") {
    const auto state = std::make_shared<CrocoddylState>(shared(named("digit").model));
    const VectorXd x = state->zero();
    for (const bool contacts : {true, false}) {
        const NodeOptions options =
            contacts ? on_soles(state->space().model(), "left_foot", "right_foot") : NodeOptions{};
        CrocoddylDynamics dynamics(state, options, CrocoddylSums{});
        const auto data = dynamics.createData();
        const VectorXd u = dynamics.quasiStatic_x(data, x);
        CHECK(u.size() == state->space().model().nv - 6);
        dynamics.calc(data, x, u);
        CHECK((data->xout.norm() < 1e-6) == contacts);
    }
}

TEST_CASE("A node without a result is named with the reason, also one of integrate") {
    const auto state = std::make_shared<CrocoddylState>(shared(named("digit_leg").model));
    const std::size_t nu = inputs_of(state, {}), count = 5;
    const auto node = std::make_shared<crocoddyl::IntegratedActionModelEuler>(
        std::make_shared<CrocoddylDynamics>(state, NodeOptions{}, CrocoddylSums{}), 0.01);
    crocoddyl::ShootingProblem problem(state->zero(), {count, node}, node);
    const std::vector<VectorXd> xs(count + 1, state->zero());
    std::vector<VectorXd> us(count, VectorXd::Zero(static_cast<Eigen::Index>(nu)));
    CHECK(failures(problem, xs, us).empty());
    check(problem, xs, us);
    CHECK_THROWS_WITH(failures(problem, us, us), Catch::Contains("xs"));
    CHECK_THROWS_WITH(failures(problem, xs, xs), Catch::Contains("us"));
    us[3].setConstant(1e7);
    const std::vector<NodeFailure> found = failures(problem, xs, us);
    REQUIRE(found.size() == 1);
    CHECK(found[0].node == 3);
    CHECK_THAT(found[0].reason, Catch::Contains("integrate: ") && Catch::Contains("cluster of joint"));
    CHECK_THROWS_WITH(check(problem, xs, us), Catch::Contains("node 3: grbda: integrate: "));
}

TEST_CASE("FDDP lowers Digit on both feet, with loops closed") {
    const auto state = std::make_shared<CrocoddylState>(shared(named("digit").model));
    const grbda::Model& model = state->space().model();
    VectorXd start = state->zero();
    grbda::Data data(model);
    must(grbda::mechanical_state(model, data, start.head(model.nq), start.tail(model.nv)));
    const Eigen::Vector3d goal = data.mechanics.com - Eigen::Vector3d(0, 0, 0.03);
    const NodeOptions options = on_soles(model, "left_foot", "right_foot");
    const std::size_t nu = inputs_of(state, options);
    const auto node = [&](double place, double posture, double effort) {
        const auto costs = std::make_shared<crocoddyl::CostModelSum>(state, nu);
        add(*costs, state, "posture", std::make_shared<StateResidual>(state->shared_space(), start), posture);
        add(*costs, state, "place", std::make_shared<CenterOfMass>(goal), place);
        const auto u = std::make_shared<crocoddyl::ResidualModelControl>(state, nu);
        if (effort > 0)
            costs->addCost("inputs", std::make_shared<crocoddyl::CostModelResidual>(state, u), effort);
        return std::make_shared<crocoddyl::IntegratedActionModelEuler>(
            std::make_shared<CrocoddylDynamics>(state, options, CrocoddylSums{costs, {}}), 0.02);
    };
    const std::size_t count = 25;
    const auto problem = std::make_shared<crocoddyl::ShootingProblem>(
        start, std::vector<std::shared_ptr<crocoddyl::ActionModelAbstract>>(count, node(1e3, 0.1, 1e-4)),
        node(1e5, 1, 0));
    const std::vector<VectorXd> xs(count + 1, start);
    const std::vector<VectorXd> us = problem->quasiStatic_xs({xs.begin(), xs.end() - 1});
    check(*problem, xs, us);
    crocoddyl::SolverFDDP solver(problem);
    solver.set_th_stop(1e-6);
    CHECK(solver.solve(xs, us, 100));
    const VectorXd& last = solver.get_xs().back();
    must(grbda::mechanical_state(model, data, last.head(model.nq), last.tail(model.nv)));
    CHECK((data.mechanics.com - goal).norm() < 5e-3);
    // the soles stay where they were, which no variable and no constraint of the solver says
    for (const char* foot : {"left_foot", "right_foot"}) {
        const int frame = model.frame(foot).index;
        must(grbda::forward_kinematics(model, data, start.head(model.nq)));
        const Eigen::Vector3d home = grbda::frame_position(model, data, frame);
        must(grbda::forward_kinematics(model, data, last.head(model.nq)));
        CHECK((grbda::frame_position(model, data, frame) - home).norm() < 2e-3);
    }
    for (const VectorXd& x : solver.get_xs()) CHECK(state->space().contains(x));
}
