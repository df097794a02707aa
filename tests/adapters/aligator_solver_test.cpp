#include <aligator/core/traj-opt-problem.hpp>
#include <aligator/modelling/costs/quad-residual-cost.hpp>
#include <aligator/modelling/costs/quad-state-cost.hpp>
#include <aligator/modelling/costs/sum-of-costs.hpp>
#include <aligator/modelling/constraints/negative-orthant.hpp>
#include <aligator/solvers/proxddp/solver-proxddp.hpp>

#include "adapters/adapters_fixture.hpp"
#include "grbda/adapters/aligator.hpp"

// Contacts, impacts and functions in Aligator itself against differences, and a problem that it solves.

using namespace adapters_tests;
using namespace test_robots;
using namespace grbda::adapters;

namespace {

using Stage = aligator::StageModelTpl<double>;
using ManifoldOfAligator = aligator::ManifoldAbstractTpl<double>;

NodeOptions on_soles(const grbda::Model& model) {
    NodeOptions options;
    for (const char* foot : {"left_foot", "right_foot"})
        options.contacts.push_back(grbda::contact_at(model, foot, grbda::ContactKind::frame));
    options.phase.velocity_gain = 20;
    return options;
}

/// Derivative of function(x) [rows] by displacements of x, by central differences.
template <class Function>
MatrixXd slopes(const AligatorSpace& space, const VectorXd& x, Eigen::Index rows, const Function& function) {
    const double step = 1e-6;
    MatrixXd J(rows, space.ndx());
    VectorXd ahead(x.size()), behind(x.size());
    for (int i = 0; i < space.ndx(); ++i) {
        const VectorXd dx = step * VectorXd::Unit(space.ndx(), i);
        space.integrate(x, dx, ahead);
        space.integrate(x, -dx, behind);
        J.col(i) = (function(ahead) - function(behind)) / (2 * step);
    }
    return J;
}

void check_slopes(const MatrixXd& exact, const MatrixXd& differences) {
    REQUIRE(exact.allFinite());
    CHECK((exact - differences).cwiseAbs().maxCoeff() <
          2e-6 * std::max(1.0, differences.cwiseAbs().maxCoeff()));
}

VectorXd near_neutral(const AligatorSpace& space, double size) {
    VectorXd dx = size * VectorXd::LinSpaced(space.ndx(), -1, 1), x(space.nx());
    space.integrate(space.neutral(), dx, x);
    return x;
}

}  // namespace

TEST_CASE("Steps with contacts and impacts of Aligator are differentiated") {
    const AligatorSpace space(shared(named("digit").model));
    const grbda::Model& model = space.space().model();
    const VectorXd x = near_neutral(space, 0.05);
    const AligatorDynamics step(space, 0.01, on_soles(model));
    CHECK(step.nu == model.nv - 6);
    const AligatorImpact impact(space, on_soles(model), 2);
    const auto check = [&](const aligator::ExplicitDynamicsModelTpl<double>& dynamics) {
        const auto data = dynamics.createData();
        const VectorXd u = VectorXd::LinSpaced(dynamics.nu, -1, 1);
        dynamics.forward(x, u, *data);
        const VectorXd centre = data->xnext_;
        const auto moved = [&](const VectorXd& at, const VectorXd& inputs) {
            dynamics.forward(at, inputs, *data);
            VectorXd dx(space.ndx());
            space.difference(centre, data->xnext_, dx);
            return dx;
        };
        dynamics.dForward(x, u, *data);
        const MatrixXd Jx = data->Jx(), Ju = data->Ju();
        check_slopes(Jx, slopes(space, x, space.ndx(), [&](const VectorXd& at) { return moved(at, u); }));
        for (int k = 0; k < dynamics.nu; ++k) {
            const VectorXd du = 1e-3 * VectorXd::Unit(dynamics.nu, k);
            check_slopes(Ju.col(k), (moved(x, u + du) - moved(x, u - du)) / 2e-3);
        }
    };
    check(step);
    check(impact);
    CHECK_THROWS_WITH(
        AligatorDynamics(space, 0.01,
                         NodeOptions{{grbda::Integrator::runge_kutta}, on_soles(model).contacts, {}, false}),
        Catch::Contains("semi_implicit_euler"));
}

TEST_CASE("Functions for Aligator are differentiated") {
    const AligatorSpace space(shared(named("digit").model));
    const grbda::Model& model = space.space().model();
    const VectorXd x = near_neutral(space, 0.05);
    const NodeOptions options = on_soles(model);
    const int nu = static_cast<int>(input_bounds(model, options).size());
    const VectorXd u = VectorXd::LinSpaced(nu, -1, 1);
    const std::vector<std::shared_ptr<const Residual>> residuals = {
        std::make_shared<StateResidual>(std::make_shared<const StateSpace>(space.space().shared_model()),
                                        space.neutral()),
        std::make_shared<FrameTranslation>(model, "left_foot", Eigen::Vector3d(0.1, 0, 0)),
        std::make_shared<FramePlacement>(model, "left_foot", Eigen::Isometry3d::Identity()),
        std::make_shared<FrameVelocity>(model, "left_foot", grbda::Vector6d::Zero()),
        std::make_shared<CenterOfMass>(Eigen::Vector3d::Zero()),
        std::make_shared<Momentum>(grbda::Vector6d::Ones()),
        std::make_shared<JointPositions>(model, std::vector<std::string>{"left_free_knee"}),
        std::make_shared<MotorPositions>(model),
        std::make_shared<MotorVelocities>(model),
        std::make_shared<FrictionCone>(1, 0.6, Eigen::Vector3d(0, 0.1, 1), 6),
        std::make_shared<FrictionCone>(0, 0.6, Eigen::Vector3d(0, 0.1, 1), 4, FrictionCone::Axes::contact),
        std::make_shared<ContactImpulse>(1, 6),
        std::make_shared<ContactForce>(0, 6, VectorXd::Ones(6))};
    for (const auto& residual : residuals) {
        const AligatorFunction function(space, options, residual, nu, -2, 0.5);
        const auto data = function.createData();
        const auto value = [&](const VectorXd& at, const VectorXd& inputs) {
            function.evaluate(at, inputs, *data);
            return VectorXd(data->value_);
        };
        function.computeJacobians(x, u, *data);
        const MatrixXd Jx = data->Jx_, Ju = data->Ju_;
        check_slopes(Jx, slopes(space, x, residual->nr, [&](const VectorXd& at) { return value(at, u); }));
        for (int k = 0; k < nu; ++k) {
            const VectorXd du = 1e-3 * VectorXd::Unit(nu, k);
            check_slopes(Ju.col(k), (value(x, u + du) - value(x, u - du)) / 2e-3);
        }
    }
}

TEST_CASE("Aligator moves a leg with closed loops to a place, with a limit of a dependent joint") {
    const AligatorSpace space(shared(named("digit_leg").model));
    const grbda::Model& model = space.space().model();
    const AligatorDynamics step(space, 0.02);
    const int nu = step.nu, nodes = 20;
    const VectorXd start = space.neutral();
    grbda::Data data(model);
    must(grbda::forward_kinematics(model, data, start.head(model.nq)));
    const Eigen::Vector3d goal =
        grbda::frame_position(model, data, model.frame("foot").index) + Eigen::Vector3d(0, 0.05, 0.05);
    const auto foot = std::make_shared<FrameTranslation>(model, "foot", goal);
    const auto knee = std::make_shared<JointPositions>(model, std::vector<std::string>{"free_knee"});
    const double bound = start[model.joint("free_knee").q.first] + 0.05;

    Node node(model, {});
    VectorXd held(nu);
    must(quasi_static(node, start, held));
    aligator::CostStackTpl<double> costs{xyz::polymorphic<ManifoldOfAligator>(space), nu};
    const MatrixXd rates = 1e-2 * MatrixXd::Identity(space.ndx(), space.ndx());
    costs.addCost(aligator::QuadraticStateCostTpl<double>(space, nu, start, rates));
    costs.addCost(aligator::QuadraticResidualCostTpl<double>(xyz::polymorphic<ManifoldOfAligator>(space),
                                                             AligatorFunction(space, {}, foot, nu),
                                                             MatrixXd(1e2 * MatrixXd::Identity(3, 3))));
    costs.addCost(aligator::QuadraticControlCostTpl<double>(xyz::polymorphic<ManifoldOfAligator>(space), held,
                                                            MatrixXd(1e-4 * MatrixXd::Identity(nu, nu))));
    Stage stage(costs, step);
    stage.addConstraint(AligatorFunction(space, {}, knee, nu, 1, bound),
                        aligator::NegativeOrthantTpl<double>());
    const std::vector<xyz::polymorphic<Stage>> stages(nodes, xyz::polymorphic<Stage>(stage));
    aligator::TrajOptProblemTpl<double> problem(start, stages, costs);
    aligator::SolverProxDDPTpl<double> solver(1e-4, 1e-2, 200, aligator::QUIET);
    solver.rollout_type_ = aligator::RolloutType::LINEAR;
    solver.setup(problem);
    CHECK(solver.run(problem, std::vector<VectorXd>(nodes + 1, start), std::vector<VectorXd>(nodes, held)));
    const std::vector<VectorXd>& xs = solver.results_.xs;
    must(grbda::forward_kinematics(model, data, xs.back().head(model.nq)));
    CHECK((grbda::frame_position(model, data, model.frame("foot").index) - goal).norm() < 5e-3);
    for (const VectorXd& x : xs) {
        CHECK(space.isNormalized(x));
        CHECK(x[model.joint("free_knee").q.first] < bound + 1e-3);
    }
}
