#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"
#include "support/solver_reference.hpp"

// The step for solvers is that of the library's parts, and its Jacobian that of differences.

using namespace test_robots;
using grbda::Integrator;
using grbda::SolverOptions;
using solver_reference::Node;
using solver_reference::Reference;

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSame = 1e-11, kDifferences = 1e-8;

struct Count {
    int states = 0, steps = 0, compared = 0;
};

void check_step(const grbda::Model& model, const State& state, Random& random, const SolverOptions& options,
                Count& count) {
    grbda::Workspace<double> data(model);
    grbda::SolverWorkspace work(model, options);
    Reference reference(model, options);
    Node node;
    ++count.states;
    if (!solver_reference::node_at(model, reference, state, random, node)) return;
    REQUIRE(work.nu == reference.inputs());
    REQUIRE(work.displacements == !reference.absolute());
    VectorXd expected, found(work.nx), q(model.nq), q_expected;
    MatrixXd J(work.nx, work.nx + work.nu + 1), differences;
    if (!reference.step(node, expected)) return;
    if ((expected - node.x).tail(model.nv).norm() > 0.5) return;  // light parts, which differ no more
    ++count.steps;
    REQUIRE(
        grbda::solver_step(model, data, work, node.x, node.u, node.q_ref, node.q_ref_next, node.h, found, J)
            .ok());
    CHECK(relative(found, expected) < kSame);
    REQUIRE(grbda::solver_configuration(model, data, work, node.x.head(model.nv), node.q_ref, q).ok());
    REQUIRE(reference.configuration(node.x.head(model.nv), node.q_ref, q_expected));
    CHECK(relative(q, q_expected) < kSame);
    double error = 1;  // of the differences: near singular configurations they are not good enough
    if (!reference.jacobian(node, differences, error) || error > kDifferences / 3) return;
    ++count.compared;
    CHECK(relative(J, differences) < kDifferences);
}

}  // namespace

TEST_CASE("A step for solvers is that of its parts, and its Jacobian their differences, on every robot") {
    Count count;
    at_random_states(all(), 1, 31, [&](const Robot& robot, const State& state, Random& random) {
        for (const Integrator rule : {Integrator::semi_implicit_euler, Integrator::runge_kutta})
            for (const bool applied : {false, true}) {
                INFO("stages " << grbda::step::stages(rule) << ", motors and joint forces " << applied);
                const grbda::Model& model =
                    applied ? solver_reference::with_forces(robot.model, random) : robot.model;
                check_step(model, state, random, {rule, applied, applied, false}, count);
            }
    });
    INFO(count.states << " states, " << count.steps << " steps, " << count.compared << " compared");
    CHECK(2 * count.steps > count.states);
    CHECK(10 * count.compared > 8 * count.steps);
}

TEST_CASE("A step for solvers has displacements where a user wants them") {
    Count count;
    for (const char* name : {"four_bar", "tello", "planar_leg_linkage", "six_bar"})
        at_random_states({&named(name)}, 3, 32, [&](const Robot& robot, const State& state, Random& random) {
            check_step(solver_reference::with_forces(robot.model, random), state, random,
                       {Integrator::runge_kutta, true, true, true}, count);
        });
    CHECK(count.compared > 5);
}

TEST_CASE("A step for solvers takes displacements in tangent coordinates") {
    int compared = 0;
    for (const char* name : {"four_bar", "planar_leg_linkage", "six_bar"})
        at_random_states({&named(name)}, 2, 33, [&](const Robot& robot, const State& state, Random& random) {
            const SolverOptions options{Integrator::semi_implicit_euler, true, false, true};
            grbda::Workspace<double> data(robot.model);
            grbda::SolverWorkspace work(robot.model, options);
            Reference reference(robot.model, options);
            Node node;
            must(grbda::take_tangents<double>(robot.model, data, state.q));
            must(grbda::take_tangents<double>(robot.model, reference.data(), state.q));
            if (!solver_reference::node_at(robot.model, reference, state, random, node)) return;
            node.q_ref_next = node.q_ref;
            VectorXd expected, found(work.nx);
            MatrixXd J(work.nx, work.nx + work.nu + 1), differences;
            double error = 1;
            REQUIRE(reference.step(node, expected));
            must(grbda::solver_step(robot.model, data, work, node.x, node.u, node.q_ref, node.q_ref_next,
                                    node.h, found, J));
            CHECK(relative(found, expected) < kSame);
            REQUIRE(reference.jacobian(node, differences, error));
            if (error > kDifferences / 3) return;
            CHECK(relative(J, differences) < kDifferences);
            ++compared;
            SolverOptions coordinates = options;
            coordinates.displacements = false;
            grbda::SolverWorkspace other(robot.model, coordinates);
            CHECK_THROWS_WITH(grbda::solver_step(robot.model, data, other, node.x, node.u, node.q_ref,
                                                 node.q_ref_next, node.h, found, J),
                              Catch::Contains("set SolverOptions::displacements"));
        });
    CHECK(compared > 3);
}

TEST_CASE("A step for solvers may end on the other side of a pose where assembly modes cross") {
    const grbda::Model& leg = named("planar_leg_linkage").model;
    const SolverOptions options{Integrator::semi_implicit_euler, false, false, false};
    grbda::Workspace<double> data(leg);
    grbda::SolverWorkspace work(leg, options);
    Reference reference(leg, options);
    Node node;
    node.q_ref = grbda::neutral_configuration(leg);  // flat
    for (const char* joint : {"thigh_to_driver", "thigh_to_support", "driver_to_foot"})
        node.q_ref[leg.bodies[leg.joint(joint).index].q] = joint[0] == 't' ? 0.3 : -0.3;
    must(grbda::close_loops<double>(leg, data, node.q_ref));
    node.x = Eigen::Vector4d(-1.5, 0.05, 0.3, -5);
    node.u = Eigen::Vector2d(0.1, 0.02);
    node.h = 0.02;
    VectorXd q, ydd, found(4), there(4);
    MatrixXd J(4, 7), unused(4, 7), differences(4, 7);
    const auto step = [&](const Node& at, VectorXd& next, MatrixXd& by) {
        return grbda::solver_step(leg, data, work, at.x, at.u, at.q_ref, at.q_ref, at.h, next, by);
    };
    must(step(node, found, J));
    CHECK(found[1] < -0.02);
    REQUIRE(reference.configuration(node.x.head(2), node.q_ref, q));
    REQUIRE(reference.accelerate(q, node.x.tail(2), node.u, ydd));
    const VectorXd yd = node.x.tail(2) + node.h * ydd;
    CHECK((found.tail(2) - yd).norm() < 1e-11);
    CHECK((found.head(2) - node.x.head(2) - node.h * yd).norm() < 1e-12);
    for (Eigen::Index j = 0; j < 7; ++j) {
        constexpr double size = 1e-5;
        VectorXd ends[2];
        for (const int side : {0, 1}) {
            Node other = node;
            (j < 4 ? other.x[j] : j < 6 ? other.u[j - 4] : other.h) += side == 0 ? size : -size;
            must(step(other, there, unused));
            ends[side] = there;
        }
        differences.col(j) = (ends[0] - ends[1]) / (2 * size);
    }
    CHECK(relative(J, differences) < 1e-6);
    node.x[1] = -0.05;  // loops are not followed through the pose
    CHECK(step(node, found, J).status == grbda::Status::fold);
}

TEST_CASE("A step for solvers refuses springs about three axes") {
    grbda::Model model = named("mini_cheetah").model;
    grbda::SolverWorkspace{model, {Integrator::semi_implicit_euler, true, true, false}};
    for (int j = 0; j < 6; ++j) model.passive.stiffness[static_cast<std::size_t>(j)] = 1;
    CHECK_THROWS_WITH((grbda::SolverWorkspace{model, {Integrator::semi_implicit_euler, true, true, false}}),
                      Catch::Contains("turns about three axes"));
}

TEST_CASE("A step for solvers that fails gives NaN and its reason") {
    const grbda::Model& model = named("four_bar").model;
    grbda::Workspace<double> data(model);
    grbda::SolverWorkspace work(model);
    const VectorXd q = grbda::neutral_configuration(model);
    VectorXd x = VectorXd::Zero(work.nx), u = VectorXd::Zero(work.nu), next(work.nx);
    MatrixXd J(work.nx, work.nx + work.nu + 1);
    x[0] = Reference(model, {}).coordinates(q)[0];
    x[1] = std::numeric_limits<double>::quiet_NaN();
    const grbda::Result result = grbda::solver_step(model, data, work, x, u, q, q, 0.01, next, J);
    CHECK(result.status == grbda::Status::not_finite);
    CHECK(next.array().isNaN().all());
    CHECK(J.array().isNaN().all());
    CHECK_THROWS_AS(grbda::solver_step(model, data, work, x, VectorXd(work.nu + 1), q, q, 0.01, next, J),
                    std::invalid_argument);
}
