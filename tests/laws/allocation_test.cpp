#include <algorithm>
#include <array>
#include <cstdlib>

#include "grbda/batch/batch_data.hpp"
#include "grbda/collision/collide.hpp"
#include "constraints/actuation.hpp"
#include "constraints/closure.hpp"
#include "constraints/constraint_forces.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "derivatives/constraint_force_derivatives.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "derivatives/kinematics_derivatives.hpp"
#include "derivatives/second_derivatives.hpp"
#include "derivatives/step_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/factor.hpp"
#include "dynamics/joint_forces.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/io/hulls.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "search/search.hpp"
#include "grbda/simulation/batch_simulator.hpp"
#include "laws/long_chain.hpp"
#include "support/counted_allocations.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"
#include "support/solver_reference.hpp"

// No algorithm allocates once its workspace is there. This test is an executable of its own, without
// sanitizers.

namespace {

using namespace test_robots;

constexpr int kStates = 2;

template <class Algorithm>
long allocations_of(Algorithm&& algorithm) {
    forget_largest_allocation();
    const long before = counted_allocations();
    algorithm();
    return counted_allocations() - before;
}

}  // namespace

TEST_CASE("allocations are counted") {
    // volatile, so that a compiler does not leave them out
    const auto allocate = [] {
        void* const volatile memory = std::malloc(1);
        std::free(memory);
    };
    const auto construct = [] {
        const std::vector<double>* const volatile vector = new std::vector<double>(1000);
        delete vector;
    };
    CHECK(allocations_of(allocate) == 1);
    CHECK(allocations_of([] { Eigen::VectorXd::Zero(1000).eval(); }) > 0);
    CHECK(allocations_of(construct) > 0);
}

TEST_CASE("loading a long loop takes no memory that grows with the square of its length") {
    constexpr int joints = 2000;
    constexpr std::size_t linear = 2000 * joints, square = sizeof(double) * joints * joints;  // bytes
    for (const long_chain::Tie tie :
         {long_chain::Tie::revolute, long_chain::Tie::spherical, long_chain::Tie::out_and_back}) {
        INFO(long_chain::name_of(tie));
        const grbda::RobotDescription robot = long_chain::chain(joints, tie);
        grbda::Model model;
        CHECK(allocations_of([&] { model = grbda::build_model(robot); }) > 0);
        CHECK(model.nv == joints - long_chain::rank_of(tie));
        CHECK(largest_allocation() < linear);
        CHECK(linear < square / 2);
    }
}

TEST_CASE("no collision allocates") {
    using namespace grbda;
    HeightField field;
    field.columns = field.rows = 3;
    field.heights.resize(9);
    std::array<Touch, most_touches> touches;
    int count = 0;
    std::string found;
    const std::vector<Eigen::Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::optional<ConvexHull> hull = convex_hull(corners, found);
    REQUIRE(hull);
    const auto shape = [&](ShapeKind kind, const Vector3<double>& at) {
        Placed result{kind, {1, 1, 1}, at};
        result.hull = &*hull;
        return result;
    };
    CHECK(allocations_of([&] {
              for (const ShapeKind a :
                   {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::cylinder, ShapeKind::box,
                    ShapeKind::ellipsoid, ShapeKind::plane, ShapeKind::mesh}) {
                  const Placed body = shape(a, {1, 1, 0.2});
                  count += ray_cast(body, {1, 1, 3}, {0, 0, -1}) < 10;
                  count += collide(body, Plane{}, 1, touches) + collide(body, field, 1, touches);
                  for (const ShapeKind b :
                       {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box, ShapeKind::mesh}) {
                      count += collide(body, shape(b, {}), 1, touches);
                      count += collide_convex(body, shape(b, {}), 1, touches);
                  }
              }
          }) == 0);
    CHECK(count > 40);
}

TEST_CASE("no distance of a robot from itself allocates") {
    grbda::Model model = named("ur10e").model;
    grbda::SelfCollision& robot = model.self_collision;
    robot = {};
    for (int group = 0; group < 3; ++group) {
        robot.spheres.push_back({{0, 0, 0.1}, 0.1});
        robot.groups.push_back({group, 2 * group, 0.01, {group, group + 1}});
        if (group > 0) robot.pairs.push_back({0, group});
    }
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, grbda::neutral_configuration(model)).ok());
    std::array<grbda::GroupDistance, 2> distances;
    CHECK(allocations_of([&] { (void)grbda::self_distances<double>(model, data, distances); }) == 0);
}

namespace {

/// Steps with parameters of one simulation, motors and late controls, and sensors afterwards.
void check_own_parameters(grbda::BatchSimulator& batch, std::span<grbda::Controls> controls) {
    const grbda::Model& model = batch.model();
    Eigen::VectorXd pi = grbda::inertial_parameters(model);
    for (int i = 0; i < model.carrier_count(); ++i)
        if (i < model.body_count() || model.rod(i).strut < 0) pi.segment<10>(10 * i) *= 1.1;
    grbda::SimulationParameters own;
    own.inertial_parameters = {pi.data(), static_cast<std::size_t>(pi.size())};
    own.friction = 0.5;
    own.delay = 2;
    batch.set_parameters(1, own);
    const std::vector<double> torques(batch.motor_torques(0).size(), 0.1);
    for (grbda::Controls& each : controls) each.motor_tau = torques;
    CHECK(allocations_of([&] { (void)batch.step(controls, 4); }) == 0);
    const int link = model.body_frame.back();
    std::vector<float> values(static_cast<std::size_t>(2 * (model.nv_tree + 7)));
    const int stride = model.nv_tree + 7;
    const std::array outputs{
        grbda::SensorOutput<float>{grbda::SensorKind::qdd, {}, values.data(), stride},
        grbda::SensorOutput<float>{
            grbda::SensorKind::accelerometer, {&link, 1}, values.data() + model.nv_tree, stride},
        grbda::SensorOutput<float>{
            grbda::SensorKind::contact_force, {&link, 1}, values.data() + model.nv_tree + 3, stride}};
    (void)batch.read_sensors(
        outputs);  // if a step failed, the first reading finds memory for one that starts there
    CHECK(allocations_of([&] { (void)batch.read_sensors(outputs); }) == 0);
}

}  // namespace

TEST_CASE("no step of a simulation allocates, on any robot") {
    at_random_states(all(), 1, 98, [](const Robot& robot, const State& state, Random&) {
        grbda::Model model = robot.model;
        model.shapes.clear();
        for (int body = 0; body < model.body_count(); ++body) {
            if (model.bodies[body].rotor) continue;
            grbda::BodyShape ball;
            ball.body = body;
            ball.shape.size = {0.02, 0, 0};
            ball.rotation = grbda::Matrix3<double>::identity();
            ball.collision = true;
            model.shapes.push_back(ball);
        }
        grbda::SimulatorOptions options;
        options.servo_stiffness.assign(static_cast<std::size_t>(model.nv_tree), 0);
        options.servo_damping.assign(static_cast<std::size_t>(model.nv_tree), 1);
        const auto steps_of = [&](const grbda::Ground& ground) {
            grbda::BatchSimulator batch(model, 2, options, ground);
            const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.nv_tree);
            if (!batch.set_state(0, state.q, rest).ok() || !batch.set_state(1, state.q, rest).ok()) return;
            std::array<grbda::ExternalWrench, 1> push{{{model.body_frame.back(), {1, 2, 3}, {0, 0, 1}}}};
            std::array<grbda::Controls, 2> controls;
            for (grbda::Controls& each : controls) each.external = push;
            CHECK(allocations_of([&] { (void)batch.step(controls, 3); }) == 0);
            check_own_parameters(batch, controls);
        };
        for (const grbda::ContactModel contact :
             {grbda::ContactModel::compliant, grbda::ContactModel::rigid}) {
            options.contact = contact;
            steps_of(grbda::Plane{});
        }
        options.limits = options.passive = false;
        options.rule = grbda::StepRule::runge_kutta;
        steps_of({});
    });
}

TEST_CASE("no algorithm allocates on any robot") {
    at_random_states(all(), kStates, 99, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd& q = state.q;
        const Eigen::VectorXd &yd = state.yd, &ydd = state.ydd, &tau = state.tau, step = 0.01 * yd;
        Eigen::MatrixXd M(model.nv, model.nv);
        grbda::Matrix6X<double> J(6, model.nv);
        Eigen::VectorXd closed = q, next(model.nq), back(model.nv);
        grbda::MechanicalState now;
        const int frame = static_cast<int>(model.frames.size()) - 1;
        using namespace grbda;
        CHECK(allocations_of([&] { must(aba<double>(model, data, q, yd, tau)); }) == 0);
        CHECK(allocations_of([&] { must(aba<double>(model, data, q, yd, tau, state.wrenches)); }) == 0);
        CHECK(allocations_of([&] { must(rnea<double>(model, data, q, yd, ydd)); }) == 0);
        CHECK(allocations_of([&] { must(rnea<double>(model, data, q, yd, ydd, state.wrenches)); }) == 0);
        CHECK(allocations_of([&] { must(bias_force<double>(model, data, q, yd)); }) == 0);
        CHECK(allocations_of([&] { must(crba<double>(model, data, q, M)); }) == 0);
        Eigen::MatrixXd in_y = M, in_yd = M;
        CHECK(allocations_of([&] {
                  must(rnea_derivatives<double>(model, data, q, yd, ydd, in_y, in_yd));
                  must(rnea_derivatives<double>(model, data, q, yd, ydd, state.wrenches, in_y, in_yd, M));
                  must(aba_derivatives<double>(model, data, q, yd, tau, in_y, in_yd, M));
                  must(aba_derivatives<double>(model, data, q, yd, tau, state.wrenches, in_y, in_yd, M));
                  must(inverse_mass_matrix<double>(model, data, q, M));
              }) == 0);
        SecondDerivatives second(model);
        Eigen::MatrixXd hessian(3 * model.nv, 3 * model.nv);
        CHECK(allocations_of([&] {
                  must(rnea_second_derivatives(model, data, second, q, yd, ydd, tau, hessian));
                  must(aba_second_derivatives(model, data, second, q, yd, tau, ydd, hessian));
              }) == 0);
        DualConstraintForces carried(model);
        CHECK(allocations_of([&] {
                  must(constraint_force_derivatives(model, data, q, yd, ydd, state.wrenches, carried));
              }) == 0);
        CHECK(allocations_of([&] {
                  must(factor<double>(model, data, q, yd));
                  must(solve<double>(model, data, M, M));
                  must(inverse_mass_times<double>(model, data, M, M));
              }) == 0);
        CHECK(allocations_of([&] { must(close_loops<double>(model, data, closed)); }) == 0);
        CHECK(allocations_of([&] { must(closure_residual<double>(model, data, q)); }) == 0);
        CHECK(allocations_of([&] { must(integrate<double>(model, data, q, step, next)); }) == 0);
        CHECK(allocations_of([&] { must(difference<double>(model, data, q, next, back)); }) == 0);
        CHECK(allocations_of([&] { must(forward_kinematics<double>(model, data, q, yd, ydd)); }) == 0);
        CHECK(allocations_of([&] { frame_jacobian<double>(model, data, frame, ReferenceFrame::local, J); }) ==
              0);
        CHECK(allocations_of([&] { must(spanning_velocity<double>(model, data, q, yd)); }) == 0);
        CHECK(allocations_of([&] { must(spanning_acceleration<double>(model, data, q, yd, ydd)); }) == 0);
        const Eigen::VectorXd qd = data.qd;
        CHECK(allocations_of([&] { must(joint_forces<double>(model, data, q, qd)); }) == 0);
        CHECK(allocations_of([&] { must(mechanical_state<double>(model, data, q, yd, now)); }) == 0);
        MatrixX<double> d1(6, model.nv), d2 = d1, d3 = d1, d4 = d1;
        CHECK(allocations_of([&] {
                  must(forward_kinematics_derivatives<double>(model, data, q, yd, ydd));
                  const auto axes = ReferenceFrame::world_aligned;
                  frame_velocity_derivatives<double>(model, data, frame, axes, d1, d2);
                  frame_acceleration_derivatives<double>(model, data, frame, axes, Acceleration::classical,
                                                         d1, d2, d3);
                  frame_jacobian_rate<double>(model, data, frame, axes, d1);
              }) == 0);
        CHECK(allocations_of([&] {
                  must(momentum_matrix<double>(model, data, q, d1));
                  must(momentum_matrix<double>(model, data, q, yd, d1, d2));
                  must(momentum_derivatives<double>(model, data, q, yd, ydd, d1, d2, d3, d4));
              }) == 0);
        MatrixX<double> c1(3, model.nv), c2 = c1, c3 = c1, c4 = c1;
        CHECK(allocations_of([&] {
                  must(com_jacobian<double>(model, data, q, c1));
                  must(com_derivatives<double>(model, data, q, yd, ydd, c1, c2, c3, c4));
              }) == 0);
        const int parameters = parameters_per_body * model.carrier_count();
        Eigen::MatrixXd Y(2 * model.nv, parameters), of_joints(model.nv, 3 * model.nv_tree);
        Eigen::VectorXd kinetic(parameters), potential(parameters);
        CHECK(allocations_of([&] {
                  must(torque_regressor<double>(model, data, q, yd, ydd, Y.topRows(model.nv)));
                  must(joint_regressor<double>(model, data, q, yd, ydd, of_joints));
                  must(energy_regressors<double>(model, data, q, yd, kinetic, potential));
              }) == 0);
        ConstraintForces forces(model);
        CHECK(allocations_of([&] {
                  must(constraint_forces<double>(model, data, q, yd, ydd, forces));
                  must(constraint_forces<double>(model, data, q, yd, ydd, state.wrenches, forces));
              }) == 0);
        Eigen::VectorXd on_joints = Eigen::VectorXd::Zero(model.nv_tree);
        for (std::size_t i = 0; i < model.independent.size(); ++i)
            on_joints[model.v_index[model.independent[i]]] = forces.tau[model.y_index[i]];
        CHECK(allocations_of([&] {
                  must(constraint_forces<double>(model, data, q, yd, ydd, state.wrenches, on_joints, forces));
              }) == 0);
        Actuation<double> actuation(model);
        CHECK(allocations_of([&] { must(actuation_jacobian<double>(model, data, q, actuation)); }) == 0);
        Eigen::VectorXd motors = Eigen::VectorXd::Ones(actuation.J.rows());
        const Eigen::VectorXd of_motors = actuation.J.transpose() * motors;
        CHECK(allocations_of([&] { must(motor_forces<double>(model, actuation, of_motors, motors)); }) == 0);
    });
}

TEST_CASE("no change of coordinates allocates on any robot, nor do algorithms in other coordinates") {
    at_random_states(all(), kStates, 97, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model), own(model);
        const Eigen::VectorXd &q = state.q, &yd = state.yd, step = 0.001 * yd;
        const Eigen::VectorXd qd = Eigen::VectorXd::Ones(model.nv_tree);
        Eigen::VectorXd y(model.nv), next(model.nq), forces(model.nv_tree);
        Eigen::MatrixXd T(model.nv, model.nv), in_y = T, in_yd = T, in_tau = T;
        const std::vector<int> wanted{model.nv_tree - 1, 0};
        using namespace grbda;
        const auto use = [&] {
            must(aba<double>(model, data, q, yd, state.tau));
            must(aba_derivatives<double>(model, data, q, yd, state.tau, in_y, in_yd, in_tau));
            must(integrate<double>(model, data, q, step, next));
            must(coordinate_change<double>(model, data, own, q, T));
            must(independent_force<double>(model, data, q, qd, y));
            spanning_force<double>(model, data, y, forces);
            independent_part<double>(model, data, qd, y);
            own.chart = data.chart;
        };
        CHECK(allocations_of([&] {
                  must(choose_coordinates<double>(model, data, q, Marks::ignored));
                  use();
                  must(take_tangents<double>(model, data, q));
                  use();
                  restore_coordinates<double>(model, data);
                  use();
                  static_cast<void>(prefer_coordinates<double>(model, data, q, wanted));
                  static_cast<void>(choose_coordinates<double>(model, data, q));
              }) == 0);
    });
}

TEST_CASE("no derivative of a motion or a step allocates on any robot, on tangents neither") {
    using namespace grbda;
    at_random_states(all(), 1, 97, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        const int n = model.nv;
        Workspace<double> data(model);
        StepDerivatives<double> work(model);
        const Eigen::VectorXd step = 0.001 * state.yd;
        Eigen::VectorXd q(model.nq), yd(n);
        Eigen::MatrixXd first(n, n), second(n, n), A(2 * n, 2 * n), B(2 * n, n);
        const auto dynamics = [&](const auto& at, const auto& rate, const auto& tau, auto&, auto&, auto&) {
            return aba<double>(model, data, at, rate, tau);
        };
        for (const bool tangent : {false, true}) {
            if (tangent) must(take_tangents<double>(model, data, state.q));
            must(integrate<double>(model, data, state.q, step, q));
            CHECK(allocations_of([&] {
                      must(integrate_derivatives<double>(model, data, work, state.q, step, first, second));
                      must(difference_derivatives<double>(model, data, work, state.q, q, first, second));
                      for (const Integrator rule : {Integrator::semi_implicit_euler, Integrator::runge_kutta})
                          must(step_derivatives<double>(model, data, work, rule, state.q, step, state.tau,
                                                        1e-5, dynamics, q, yd, A, B));
                  }) == 0);
        }
    });
}

TEST_CASE("no step for solvers allocates on any robot") {
    using namespace grbda;
    at_random_states(all(), 1, 98, [](const Robot& robot, const State& state, Random& random) {
        const Model model = solver_reference::with_forces(robot.model, random);
        const int n = model.nv;
        Workspace<double> data(model);
        for (const Integrator rule : {Integrator::semi_implicit_euler, Integrator::runge_kutta}) {
            SolverWorkspace work(model, {rule, true, true, true});
            const Eigen::VectorXd u = random_vector(random, work.nu);
            Eigen::VectorXd x = Eigen::VectorXd::Zero(work.nx), next(work.nx);
            x.tail(n) = 0.001 * state.yd;
            Eigen::MatrixXd J(work.nx, work.nx + work.nu + 1);
            const auto step = [&] {
                return solver_step(model, data, work, x, u, state.q, state.q, 1e-5, next, J);
            };
            static_cast<void>(step());  // derivatives allocate in data once
            CHECK(allocations_of([&] { static_cast<void>(step()); }) == 0);
        }
    });
}

TEST_CASE("no search allocates on any robot, once it has had as many targets") {
    using namespace grbda;
    at_random_states(all(), 1, 97, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        if (model.body_count() == 0) return;
        Workspace<double> data(model);
        Search<double> work(model);
        const std::vector<FrameTarget> targets = {
            {model.body_frame[0], Eigen::Vector3d(0.1, 0.2, 0.3)},
            {model.body_frame[model.body_count() - 1], {}, Eigen::Matrix3d(Eigen::Matrix3d::Identity())}};
        SearchOptions options;
        options.iterations = 8;
        options.held = {model.body_count() / 2};
        Eigen::VectorXd q = state.q;
        static_cast<void>(inverse_kinematics<double>(model, data, work, targets, q, options));
        q = state.q;
        CHECK(allocations_of([&] {
                  static_cast<void>(inverse_kinematics<double>(model, data, work, targets, q, options));
              }) == 0);
        const Eigen::VectorXd weights = Eigen::VectorXd::Ones(model.nv_tree);
        const Eigen::MatrixXd W = weights.asDiagonal();
        Eigen::VectorXd rates = random_vector(random, model.nv_tree), more = rates;
        q = state.q + random_vector(random, model.nq, 0.01);
        CHECK(allocations_of([&] {
                  static_cast<void>(project_configuration<double>(model, data, work, weights, q, options));
              }) == 0);
        q = state.q;
        CHECK(allocations_of([&] { must(project_velocity<double>(model, data, work, W, q, rates)); }) == 0);
        CHECK(allocations_of([&] {
                  must(project_acceleration<double>(model, data, work, weights, q, rates, more));
              }) == 0);
        std::vector<LoopGap> loops(model.loops.size()), couplings(model.couplings.size());
        CHECK(allocations_of([&] { must(loop_residuals<double>(model, data, q, loops, couplings)); }) == 0);
    });
}

TEST_CASE("no batch allocates on any robot, one thread") {
    at_random_states(all(), 1, 98, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        constexpr Eigen::Index n = 9;
        const Eigen::MatrixXd q = state.q.replicate(1, n), yd = state.yd.replicate(1, n),
                              tau = state.tau.replicate(1, n),
                              wrenches = state.wrenches.reshaped().replicate(1, n);
        Eigen::MatrixXd output(model.nv, n), M(model.nv * model.nv, n), dy = M, dyd = M;
        std::vector<grbda::Status> statuses(n);
        for (const grbda::Simd simd :
             {grbda::Simd::scalar, grbda::Simd::portable, grbda::Simd::avx2, grbda::Simd::avx512}) {
            if (!grbda::runs_here(simd)) continue;
            grbda::BatchData batch(model, 1, simd);
            CHECK(allocations_of([&] { must(aba(model, batch, q, yd, tau, output, statuses)); }) == 0);
            CHECK(allocations_of([&] { must(aba(model, batch, q, yd, tau, wrenches, output)); }) == 0);
            CHECK(allocations_of([&] { must(rnea(model, batch, q, yd, tau, output)); }) == 0);
            CHECK(allocations_of([&] { must(crba(model, batch, q, M)); }) == 0);
            CHECK(allocations_of(
                      [&] { must(rnea_derivatives(model, batch, q, yd, tau, wrenches, dy, dyd, M)); }) == 0);
            CHECK(allocations_of([&] {
                      must(aba_derivatives(model, batch, q, yd, tau, dy, dyd, M, output, statuses));
                  }) == 0);
        }
    });
}
