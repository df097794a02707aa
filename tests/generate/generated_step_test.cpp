#include <filesystem>

#include "generate/generated_fixture.hpp"
#include "grbda/io/load.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"
#include "support/solver_reference.hpp"

// Generated steps for solvers are the library's.

using namespace generated_code;
using namespace test_robots;
using grbda::GenerateOptions;
using grbda::Integrator;
using grbda::MatrixX;
using solver_reference::Node;
using solver_reference::Reference;

namespace {

constexpr double kSame = 1e-10;

GenerateOptions steps(Integrator rule, bool applied) {
    GenerateOptions options;
    options.algorithms = {grbda::GeneratedAlgorithm::aba};
    options.step = rule;
    options.motors = options.joint_forces = applied;
    return options;
}

grbda::SolverOptions solver(const GenerateOptions& options) {
    return {*options.step, options.motors, options.joint_forces, false};
}

struct Count {
    int states = 0, compared = 0;
};

void check_step(const Compiled& code, const grbda::Model& model, const GenerateOptions& options,
                const State& state, Random& random, Count& count) {
    grbda::Workspace<double> data(model);
    grbda::SolverWorkspace work(model, solver(options));
    Reference reference(model, solver(options));
    Node node;
    ++count.states;
    if (!solver_reference::node_at(model, reference, state, random, node)) return;
    Vector expected(work.nx), found(work.nx), again(work.nx), q(model.nq), q_expected(model.nq);
    MatrixX<double> J_expected(work.nx, work.nx + work.nu + 1), J = J_expected;
    const grbda::Result result = grbda::solver_step(model, data, work, node.x, node.u, node.q_ref,
                                                    node.q_ref_next, node.h, expected, J_expected);
    if (!result.ok()) return;
    ++count.compared;
    REQUIRE(code.call("configuration", in(node.x), in(node.q_ref), q.data()) == 0);
    must(grbda::solver_configuration(model, data, work, node.x.head(model.nv), node.q_ref, q_expected));
    CHECK(relative(q, q_expected) < kSame);
    REQUIRE(code.call("step", in(node.x), in(node.u), in(node.q_ref), in(node.q_ref_next), node.h,
                      found.data()) == 0);
    CHECK(relative(found, expected) < kSame);
    REQUIRE(code.call("step_jacobian", in(node.x), in(node.u), in(node.q_ref), in(node.q_ref_next), node.h,
                      again.data(), J.data()) == 0);
    CHECK(relative(again, expected) < kSame);
    CHECK(relative(J, J_expected) < 10 * kSame);
}

/// The law on these robots, with forces of motors and joints or without.
void check_steps(const std::vector<const Robot*>& robots, Integrator rule, bool applied, std::uint64_t seed) {
    const GenerateOptions options = steps(rule, applied);
    std::map<std::string, grbda::Model> models;
    for (const Robot* robot : robots) {
        Random random(seed);
        models.emplace(robot->name,
                       applied ? solver_reference::with_forces(robot->model, random) : robot->model);
    }
    std::map<const grbda::Model*, std::string> names;
    for (const Robot* robot : robots) names[&robot->model] = robot->name;
    const Codes codes = compiled(robots, [&](const grbda::Model& model) {
        return std::make_unique<Compiled>(models.at(names.at(&model)), options);
    });
    Count count;
    at_random_states(robots, 3, seed, [&](const Robot& robot, const State& state, Random& random) {
        check_step(*codes.at(robot.name), models.at(robot.name), options, state, random, count);
    });
    INFO(count.compared << " of " << count.states);
    CHECK(10 * count.compared > 7 * count.states);
    for (const auto& [name, code] : codes) {
        INFO(name);
        CHECK(code->call("self_check") == 0);
    }
}

std::vector<const Robot*> published_robots() {
    std::vector<const Robot*> robots;
    for (const Robot& robot : published()) robots.push_back(&robot);
    return robots;
}

/// Some but not all components of a joint with a quaternion are independent: code for steps is refused.
bool is_partly_independent(const grbda::Model& model) {
    std::map<int, int> components;
    for (const grbda::Coordinate& c : grbda::independent_coordinates(model)) ++components[c.body];
    return std::any_of(components.begin(), components.end(), [&](const auto& body) {
        const grbda::JointType joint = model.bodies[body.first].joint;
        return grbda::has_quaternion(joint) && body.second < grbda::velocity_size(joint);
    });
}

std::vector<const Robot*> random_robots(std::size_t step) {
    std::vector<const Robot*> robots;
    for (std::size_t i = 0; i < mechanisms().robots.size(); i += step)
        if (mechanisms().robots[i].model.nv > 0 && !is_partly_independent(mechanisms().robots[i].model))
            robots.push_back(&mechanisms().robots[i]);
    return robots;
}

}  // namespace

TEST_CASE("Generated steps are the library's on every robot") {
    check_steps(published_robots(), Integrator::semi_implicit_euler, false, 5);
}

TEST_CASE("Generated Runge-Kutta steps with motors and joint forces are the library's on every robot") {
    check_steps(published_robots(), Integrator::runge_kutta, true, 6);
}

TEST_CASE("Generated steps are the library's on random mechanisms") {
    check_steps(random_robots(11), Integrator::semi_implicit_euler, true, 7);
    check_steps(random_robots(17), Integrator::runge_kutta, false, 8);
}

namespace {

/// A crank-rocker, whose crank turns all the way round.
const grbda::Model& crank() {
    static const grbda::Model model = grbda::load(
        (std::filesystem::path(GRBDA_ROBOTS).parent_path() / "examples" / "mpc" / "four_bar.urdf").string());
    return model;
}

}  // namespace

TEST_CASE("Configurations of a turning crank do not depend on the reference") {
    const Compiled code(crank(), steps(Integrator::semi_implicit_euler, false));
    const Vector home = grbda::neutral_configuration(crank());
    for (int i = -360; i <= 360; ++i) {
        const double angle = i * M_PI / 90;
        const Vector x = Vector::Constant(1, angle);
        Vector direct(3), step = home;
        REQUIRE(code.call("configuration", in(x), in(home), direct.data()) == 0);
        for (int k = 1; k <= 40; ++k) {
            const Vector way = Vector::Constant(1, angle * k / 40), from = step;
            REQUIRE(code.call("configuration", in(way), in(from), step.data()) == 0);
        }
        CHECK((direct - step).norm() < 1e-10);
        CHECK(direct[0] == angle);
    }
}

TEST_CASE("Generated steps that fail give NaN and their reason") {
    const Compiled code(crank(), steps(Integrator::semi_implicit_euler, true));
    const Vector q = grbda::neutral_configuration(crank()), u = Vector::Zero(1);
    const auto fails = [&](const Vector& x, const Vector& reference, double h, int status) {
        Vector next = Vector::Zero(2), J = Vector::Zero(8), found = Vector::Zero(3);
        CHECK(code.call("step", in(x), in(u), in(reference), in(q), h, next.data()) == status);
        CHECK(next.array().isNaN().all());
        CHECK(code.call("step_jacobian", in(x), in(u), in(reference), in(q), h, next.data(), J.data()) ==
              status);
        CHECK(J.array().isNaN().all());
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Vector rest = Vector::Zero(2);
    fails(Vector::Constant(2, nan), q, 0.01, 5);
    fails(rest, Vector::Constant(3, nan), 0.01, 5);
    fails(rest, q, nan, 5);
    fails(Eigen::Vector2d(1e6, 0), q, 0.01, 3);  // more turns than are followed
    Vector next(2);
    CHECK(code.call("step", in(rest), in(u), in(q), in(q), 0.01, next.data()) == 0);
}

TEST_CASE("Generated motors and tangents are the library's") {
    // Without a named motor, they are the independent velocities.
    for (const auto& [name, has_motors] : {std::pair("tello", true), std::pair("six_bar", true),
                                           std::pair("digit_leg", true), std::pair("six_bar", false)}) {
        Random random(9);
        grbda::Model model = solver_reference::with_forces(named(name).model, random);
        GenerateOptions options = steps(Integrator::semi_implicit_euler, true);
        if (!has_motors) {
            for (char& actuated : model.actuated) actuated = 0;
            options.algorithms.push_back(grbda::GeneratedAlgorithm::motors);
        }
        const Compiled code(model, options);
        grbda::Workspace<double> data(model);
        grbda::Actuation<double> actuation(model);
        at_random_states({&named(name)}, 3, 9, [&](const Robot&, const State& state, Random& generator) {
            must(grbda::actuation_jacobian<double>(model, data, state.q, actuation));
            const Eigen::Index motors = actuation.J.rows();
            MatrixX<double> J(motors, model.nv), G(model.nq, model.nv);
            Vector theta(motors);
            REQUIRE(code.call("motors", in(state.q), theta.data(), J.data()) == 0);
            CHECK(relative(J, actuation.J) < 1e-10);
            REQUIRE(code.call("tangent", in(state.q), G.data()) == 0);
            const double h = 1e-4;
            const Vector way = random_vector(generator, model.nv);
            Vector ahead(model.nq), behind(model.nq), theta_ahead(motors), theta_behind(motors);
            must(grbda::integrate<double>(model, data, state.q, h * way, ahead));
            must(grbda::integrate<double>(model, data, state.q, -h * way, behind));
            CHECK(relative(G * way, (ahead - behind) / (2 * h)) < 1e-6);
            REQUIRE(code.call("motors", in(ahead), theta_ahead.data(), J.data()) == 0);
            REQUIRE(code.call("motors", in(behind), theta_behind.data(), J.data()) == 0);
            CHECK(relative(actuation.J * way, (theta_ahead - theta_behind) / (2 * h)) < 1e-6);
        });
    }
}

TEST_CASE("Steps that cannot be generated are refused with the reason") {
    GenerateOptions options = steps(Integrator::semi_implicit_euler, false);
    options.parameters = {"wrist_3_link"};
    CHECK_THROWS_WITH(grbda::generate(named("ur10e").model, options),
                      Catch::Contains("leave one of both out"));
}
