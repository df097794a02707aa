#include <limits>

#include "benchmarks/families.hpp"
#include "grbda/baselines/baselines.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "support/robots.hpp"

// The engine against the methods that use none of its recursions.

namespace {

using namespace test_robots;
using grbda::Status;
using grbda::baselines::Method;

constexpr int kStates = 4;
constexpr double kAgreement = 1e-9;  // on well-conditioned states
constexpr double kProximal = 1e-8;   // its iteration stops at 1e-12 of the forces

bool has_massless_body(const grbda::Model& model) {
    for (const grbda::Inertial& inertial : model.inertials)
        if (inertial.mass == 0 || inertial.inertia.isZero(0)) return true;
    return false;
}

/// Loops of two bodies up to the whole robot, overlapping or not, and no loops at all.
std::vector<Robot> families() {
    namespace benchmarks = grbda::benchmarks;
    const std::vector<std::pair<std::string, grbda::RobotDescription>> described = {
        {"explicit 5, 10", benchmarks::explicit_chain(5, 10)},
        {"explicit 20, 12", benchmarks::explicit_chain(20, 12)},
        {"implicit 5, 11", benchmarks::implicit_chain(5, 11)},
        {"implicit 20, 13", benchmarks::implicit_chain(20, 13)},
        {"geared tree", benchmarks::geared_tree(4, 3)},
        {"rotor pairs", benchmarks::rotor_pair_tree(3, 2)},
        {"four-bars", benchmarks::four_bar_tree(3, 3)},
        {"branches on the world", benchmarks::geared_branches(3, 4)},
        {"serial chain", benchmarks::serial_chain(7)},
        {"binary tree", benchmarks::binary_tree(5)},
        {"humanoid", benchmarks::plain_humanoid()}};
    std::vector<Robot> robots;
    for (const auto& [name, description] : described)
        robots.push_back({name, description, {}, grbda::build_model(description)});
    return robots;
}

}  // namespace

TEST_CASE("aba is each baseline's forward dynamics on every robot") {
    at_random_states(all(), kStates, 11, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
        const Eigen::VectorXd ydd = data.ydd;
        REQUIRE(grbda::spanning_acceleration<double>(model, data, state.q, state.yd, ydd).ok());
        const Eigen::VectorXd qdd = data.qdd, qd = data.qd;
        grbda::baselines::Workspace work(model);
        for (Method method : grbda::baselines::all_methods) {
            INFO(to_string(method));
            const grbda::Result result =
                forward_dynamics(method, model, work, state.q, state.yd, state.tau, state.wrenches);
            const bool may_be_undefined =
                !allows_rods(method) && (has_massless_body(model) || !model.rods.empty());
            if (may_be_undefined && !result.ok()) continue;
            REQUIRE(result.status == Status::ok);
            const double agreement = method == Method::proximal ? kProximal : kAgreement;
            CHECK(relative(work.ydd, ydd) < agreement);
            CHECK(relative(work.qdd, qdd) < agreement);
            CHECK(relative(work.qd, qd) < agreement);
        }
    });
}

TEST_CASE("rnea, bias force, mass matrix and embedding are those of the baselines on every robot") {
    at_random_states(all(), kStates, 12, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        grbda::baselines::Workspace work(model);
        REQUIRE(inverse_dynamics(model, work, state.q, state.yd, state.ydd, state.wrenches).ok());
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
        CHECK(relative(data.tau, work.tau) < kAgreement);
        REQUIRE(grbda::bias_force<double>(model, data, state.q, state.yd, state.wrenches).ok());
        CHECK(relative(data.tau, work.bias) < kAgreement);
        Eigen::MatrixXd M(model.nv, model.nv);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        CHECK(relative(M, work.M) < kAgreement);
        REQUIRE(grbda::constraint_embedding<double>(model, data, state.q, state.yd).ok());
        CHECK(relative(grbda::explicit_jacobian(model, data), work.G) < kAgreement);
        CHECK(relative(grbda::explicit_bias(model, data), work.g) < kAgreement);
        CHECK(relative(grbda::implicit_jacobian(model, data), work.K) < kAgreement);
        CHECK(relative(grbda::implicit_bias(model, data), work.k) < kAgreement);
    });
}

TEST_CASE("aba agrees with sparse methods if branches and loops are long, many or absent") {
    const std::vector<Robot> robots = families();
    std::vector<const Robot*> given;
    for (const Robot& robot : robots) given.push_back(&robot);
    at_random_states(given, kStates, 13, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
        grbda::baselines::Workspace work(model);
        for (const Method method : {Method::range_space, Method::constrained_aba}) {
            INFO(to_string(method));
            REQUIRE(forward_dynamics(method, model, work, state.q, state.yd, state.tau, state.wrenches).ok());
            CHECK(relative(work.ydd, data.ydd) < kAgreement);
        }
    });
}

TEST_CASE("sparse methods need no dense matrices, and do not depend on their last state") {
    const Method method = GENERATE(Method::range_space, Method::constrained_aba);
    at_random_states(all(), 2, 14, [=](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        grbda::baselines::Workspace work(model), fresh(model);
        const auto solve = [&](grbda::baselines::Workspace& in, const State& at) {
            return forward_dynamics(method, model, in, at.q, at.yd, at.tau, at.wrenches);
        };
        State other;
        if (!random_state(model, random, other)) return;
        static_cast<void>(solve(work, other));
        for (Eigen::MatrixXd* matrix : {&work.H, &work.K, &work.G, &work.M})
            matrix->setConstant(std::numeric_limits<double>::quiet_NaN());
        if (!solve(work, state) || !solve(fresh, state)) return;  // massless bodies
        CHECK(work.ydd == fresh.ydd);
        CHECK(work.qdd == fresh.qdd);
        CHECK((work.H.array().isNaN().all() && work.K.array().isNaN().all()));
        CHECK((work.G.array().isNaN().all() && work.M.array().isNaN().all()));
    });
}
