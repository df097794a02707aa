#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "support/baselines_kinematics.hpp"
#include "support/dense.hpp"
#include "support/require_ok.hpp"

// The baselines against kinematics by transforms, closed forms and each other; no engine here.

namespace {

using namespace baselines_fixture;
using grbda::Model;
using grbda::Status;
using grbda::baselines::Method;
using grbda::baselines::Workspace;

using grbda::baselines::all_methods;
constexpr double kDifferences = 2e-6;  // central differences of second order, step 1e-4: about h² and ε/h²
constexpr double kFirstDifferences = 1e-8;  // first order, step 1e-5: h² and ε/h are both about 1e-10
constexpr double kAgreement = 1e-9;         // of methods on well-conditioned states
constexpr double kRounding = 1e-11;         // of exact identities, residuals of factored systems

const Eigen::Matrix<double, 6, Eigen::Dynamic> kNoWrenches(6, 0);

struct State {
    Eigen::VectorXd q, yd, ydd, tau;
    Eigen::Matrix<double, 6, Eigen::Dynamic> wrenches;
};

/// A closed state away from singular ones: there G and g grow without bound, and every tolerance with them.
State random_state(const Model& model, Random& random) {
    constexpr double kTame = 40;  // of G and g; between 4 and 20 at most states of these robots
    constexpr int kTrials = 100;
    State state;
    Workspace work(model);
    for (int trial = 0; trial < kTrials; ++trial) {
        state.q = closed_configuration(model, random);
        state.yd = random_vector(random, model.nv);
        state.ydd = random_vector(random, model.nv);
        if (!inverse_dynamics(model, work, state.q, state.yd, state.ydd, kNoWrenches)) continue;
        if (work.G.norm() + work.g.norm() < kTame) break;
    }
    state.tau = random_vector(random, model.nv, 5);
    state.wrenches.resize(6, model.body_count());
    for (Eigen::Index i = 0; i < state.wrenches.cols(); ++i)
        state.wrenches.col(i) = random_vector(random, 6, 3);
    return state;
}

double relative(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected) {
    return (found - expected).norm() / (1 + expected.norm());
}

/// Centre of mass and orientation of a body.
struct Place {
    Eigen::Vector3d com;
    Eigen::Matrix3d R;
    Eigen::Vector3d origin;
};

std::vector<Place> places(const Model& model, const Eigen::VectorXd& q) {
    std::vector<Place> result;
    const std::vector<Eigen::Isometry3d> bodies = poses(model, q);
    for (std::size_t i = 0; i < bodies.size(); ++i)
        result.push_back({bodies[i] * model.inertials[i].com, bodies[i].linear(), bodies[i].translation()});
    return result;
}

/// Rotation vector of a small turn from `a` to `b`, world axes.
Eigen::Vector3d small_turn(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
    const Eigen::AngleAxisd turn(b * a.transpose());
    return turn.angle() * turn.axis();
}

/// Spanning forces by Kane's equations on differences of poses along q(t) = q ⊕ (q̇ t + q̈ t²/2).
Eigen::VectorXd kane(const Model& model, const State& state, const Eigen::VectorXd& qd,
                     const Eigen::VectorXd& qdd) {
    constexpr double h = 1e-4;
    const auto at = [&](double t) {
        return places(model, step(model, state.q, qd * t + qdd * (0.5 * t * t)));
    };
    const std::vector<Place> before = at(-h), now = at(0), after = at(h);
    std::vector<Eigen::Vector3d> force, moment;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const grbda::Inertial& body = model.inertials[i];
        const auto momentum = [&](const Place& a, const Place& b) {  // over the half step between them
            const Eigen::Vector3d turn = small_turn(a.R, b.R) / h;
            const Eigen::Matrix3d middle = exponential(turn * (h / 2)) * a.R;
            return Eigen::Vector3d(middle * body.inertia * middle.transpose() * turn);
        };
        const Eigen::Vector3d acceleration = (after[i].com - 2 * now[i].com + before[i].com) / (h * h);
        const Eigen::VectorXd wrench = state.wrenches.col(static_cast<Eigen::Index>(i));
        const Eigen::Vector3d push = now[i].R * wrench.head<3>();
        force.push_back(body.mass * (acceleration - eigen(model.gravity)) - push);
        moment.push_back((momentum(now[i], after[i]) - momentum(before[i], now[i])) / h -
                         now[i].R * wrench.tail<3>() - (now[i].origin - now[i].com).cross(push));
    }
    Eigen::VectorXd result = Eigen::VectorXd::Zero(model.nv_tree);
    for (int j = 0; j < model.nv_tree; ++j) {
        const Eigen::VectorXd unit = Eigen::VectorXd::Unit(model.nv_tree, j) * kDifferenceStep;
        const std::vector<Place> lower = places(model, step(model, state.q, -unit));
        const std::vector<Place> upper = places(model, step(model, state.q, unit));
        for (std::size_t i = 0; i < now.size(); ++i)
            result[j] += (force[i].dot(upper[i].com - lower[i].com) +
                          moment[i].dot(small_turn(lower[i].R, upper[i].R))) /
                         (2 * kDifferenceStep);
    }
    for (std::size_t dof = 0; dof < model.armature.size(); ++dof)
        result[model.v_index[dof]] += model.armature[dof] * qdd[model.v_index[dof]];
    return result;
}

double energy(const Model& model, Workspace& work, const Eigen::VectorXd& q, const Eigen::VectorXd& qd) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
    must(grbda::baselines::inverse_dynamics(model, work, q, zero, zero, Eigen::MatrixXd(6, 0)));
    double sum = 0.5 * qd.dot(work.H * qd);
    const std::vector<Place> bodies = places(model, q);
    for (std::size_t i = 0; i < bodies.size(); ++i)
        sum -= model.inertials[i].mass * eigen(model.gravity).dot(bodies[i].com);
    return sum;
}

grbda::Inertial point_mass(double mass, double x) {
    grbda::Inertial inertial;
    inertial.mass = mass;
    inertial.com.x() = x;
    return inertial;
}

grbda::Inertial rod(double mass, double length) {
    grbda::Inertial inertial = point_mass(mass, length / 2);
    inertial.inertia = Eigen::Vector3d(0, 1, 1).asDiagonal() * (mass * length * length / 12);
    return inertial;
}

Eigen::VectorXd parallelogram_at(double angle) { return Eigen::Vector3d(angle, -angle, angle); }

}  // namespace

TEST_CASE("baselines: spanning forces obey Kane's equations on differences of poses") {
    Random random(1);
    for (const Robot& robot : robots()) {
        INFO(robot.name);
        Workspace work(robot.model);
        const State state = random_state(robot.model, random);
        REQUIRE(inverse_dynamics(robot.model, work, state.q, state.yd, state.ydd, state.wrenches));
        const Eigen::VectorXd expected = kane(robot.model, state, work.qd, work.qdd);
        CHECK(relative(work.H * work.qdd + work.C, expected) < kDifferences);
        CHECK(relative(work.G.transpose() * expected, work.tau) < kDifferences);
    }
}

TEST_CASE("baselines: the mass matrices are symmetric and positive definite") {
    Random random(2);
    for (const Robot& robot : robots()) {
        INFO(robot.name);
        Workspace work(robot.model);
        const State state = random_state(robot.model, random);
        REQUIRE(inverse_dynamics(robot.model, work, state.q, state.yd, state.ydd, state.wrenches));
        CHECK(relative(work.H, work.H.transpose()) < kRounding);
        CHECK(dense::is_positive_definite(work.H));
        CHECK(dense::is_positive_definite(work.M));
        CHECK(relative(work.M * state.ydd + work.bias, work.tau) < kRounding);
    }
}

TEST_CASE("baselines: K is the gradient of the closure error at closed configurations") {
    Random random(3);
    for (const Robot& robot : robots()) {
        INFO(robot.name);
        Workspace work(robot.model);
        const State state = random_state(robot.model, random);
        REQUIRE(inverse_dynamics(robot.model, work, state.q, state.yd, state.ydd, state.wrenches));
        REQUIRE(closure_error(robot.model, state.q).norm() < kRounding);
        CHECK(relative(work.K, closure_gradient(robot.model, state.q, kDifferenceStep)) < kFirstDifferences);
    }
}

TEST_CASE("baselines: k balances the rate of K, and G and g solve the rows") {
    Random random(4);
    for (const Robot& robot : robots()) {
        INFO(robot.name);
        const Model& model = robot.model;
        Workspace work(model), moved(model);
        const State state = random_state(model, random);
        REQUIRE(inverse_dynamics(model, work, state.q, state.yd, state.ydd, state.wrenches));
        CHECK(relative(work.K * work.G, Eigen::MatrixXd::Zero(model.rows, model.nv)) < kRounding);
        CHECK(relative(work.K * work.g, work.k) < kRounding);
        CHECK(relative(work.K * work.qdd, work.k) < kRounding);
        Eigen::MatrixXd rate = Eigen::MatrixXd::Zero(model.rows, model.nv_tree);
        for (double sign : {-1.0, 1.0}) {
            const Eigen::VectorXd q = step(model, state.q, sign * kDifferenceStep * work.qd);
            REQUIRE(inverse_dynamics(model, moved, q, state.yd, state.ydd, state.wrenches));
            rate += sign * moved.K / (2 * kDifferenceStep);
        }
        CHECK(relative(rate * work.qd, -work.k) < kFirstDifferences);
    }
}

TEST_CASE("baselines: every method inverts inverse dynamics") {
    Random random(5);
    for (const Robot& robot : robots()) {
        Workspace work(robot.model);
        for (int repetition = 0; repetition < 5; ++repetition) {
            const State state = random_state(robot.model, random);
            REQUIRE(inverse_dynamics(robot.model, work, state.q, state.yd, state.ydd, state.wrenches));
            const Eigen::VectorXd tau = work.tau, qdd = work.qdd;
            for (Method method : all_methods) {
                INFO(robot.name << " by " << to_string(method));
                REQUIRE(forward_dynamics(method, robot.model, work, state.q, state.yd, tau, state.wrenches));
                CHECK(relative(work.ydd, state.ydd) < kAgreement);
                CHECK(relative(work.qdd, qdd) < kAgreement);
            }
        }
    }
}

TEST_CASE("baselines: the power of tau is the rate of energy") {
    constexpr double h = 1e-4;  // of the trajectory; truncation about h²
    constexpr double kPower = 1e-5;
    Random random(6);
    for (const Robot& robot : robots()) {
        const Model& model = robot.model;
        const State state = random_state(model, random);
        for (Method method : all_methods) {
            INFO(robot.name << " by " << to_string(method));
            Workspace work(model), moved(model);
            REQUIRE(forward_dynamics(method, model, work, state.q, state.yd, state.tau, kNoWrenches));
            double change = 0;
            for (double t : {-h, h}) {
                const Eigen::VectorXd q = step(model, state.q, work.qd * t + work.qdd * (0.5 * t * t));
                change += (t > 0 ? 1 : -1) * energy(model, moved, q, work.qd + work.qdd * t);
            }
            const double power = state.tau.dot(state.yd);
            CHECK(std::abs(change / (2 * h) - power) < kPower * (1 + std::abs(power) + work.H.norm()));
        }
    }
}

TEST_CASE("baselines: a parallelogram obeys its closed form, with and without redundant rows") {
    Model model =
        with_gravity(build_model(parallelogram(rod(0.4, 0.5), rod(0.9, 1), rod(0.7, 0.5))), {0, -9.81, 0});
    // the coupler only translates: I = (m₁ + m₃) l²/3 + m₂ l²
    const double inertia = (0.4 + 0.7) * 0.25 / 3 + 0.9 * 0.25;
    Model tripled = model;  // the same loop said three times
    for (int copy = 0; copy < 2; ++copy) {
        grbda::Loop again = model.loops.front();
        again.row = tripled.rows;
        tripled.rows += again.rows;
        tripled.loops.push_back(again);
        tripled.row_scale.insert(tripled.row_scale.end(), model.row_scale.begin(), model.row_scale.end());
        for (grbda::Cluster& cluster : tripled.clusters)
            if (cluster.rows > 0) {
                cluster.loops.last = static_cast<int>(tripled.loops.size());
                cluster.rows = tripled.rows - cluster.row_begin;
            }
    }
    for (const Model* robot : {&tripled, &model}) {
        Workspace work(*robot);
        for (double angle : {0.4, 1.3, 2.2}) {
            const double weight = 9.81 * 0.5 * std::cos(angle) * (0.5 * (0.4 + 0.7) + 0.9);
            for (Method method : all_methods) {
                INFO(to_string(method) << " at " << angle << " with " << robot->rows << " rows");
                const Eigen::VectorXd yd = Eigen::VectorXd::Constant(1, 2.0);
                const Eigen::VectorXd tau = Eigen::VectorXd::Constant(1, 3.0);
                REQUIRE(
                    forward_dynamics(method, *robot, work, parallelogram_at(angle), yd, tau, kNoWrenches));
                CHECK(work.ydd[0] == Approx((3.0 - weight) / inertia).epsilon(kAgreement));
                CHECK(relative(work.qd, Eigen::Vector3d(2, -2, 2)) < kRounding);
            }
        }
    }
}

TEST_CASE("baselines: without mass at the end of a loop only the range-space method is undefined") {
    Model model =
        with_gravity(build_model(parallelogram(rod(0.4, 0.5), rod(0.9, 1), rod(0.7, 0.5))), {0, 0, 0});
    for (grbda::Inertial& inertial : model.inertials)
        if (inertial.mass == 0.7) inertial = grbda::Inertial{};
    Workspace work(model);
    const Eigen::VectorXd yd = Eigen::VectorXd::Constant(1, 2.0), tau = Eigen::VectorXd::Constant(1, 3.0);
    for (Method method : all_methods) {
        INFO(to_string(method));
        const grbda::Result result =
            forward_dynamics(method, model, work, parallelogram_at(0.8), yd, tau, kNoWrenches);
        if (!allows_rods(method)) {
            CHECK(result.status == Status::undefined);
            CHECK(work.ydd.array().isNaN().all());
            CHECK(work.qdd.array().isNaN().all());
        } else {
            REQUIRE(result.status == Status::ok);
            CHECK(work.ydd[0] == Approx(3.0 / (0.4 * 0.25 / 3 + 0.9 * 0.25)).epsilon(kAgreement));
        }
    }
}

TEST_CASE("baselines: a body that moves without any mass is reported") {
    Model model = build_model(parallelogram(rod(0.4, 0.5), rod(0.9, 1), rod(0.7, 0.5)));
    for (grbda::Inertial& inertial : model.inertials) inertial = grbda::Inertial{};
    Random random(7);
    Model chain = build_model(every_joint_type(random, true));
    chain.inertials.back() = grbda::Inertial{};
    std::fill(chain.armature.begin(), chain.armature.end(), 0.0);
    for (const Model* robot : {&model, &chain}) {
        Workspace work(*robot);
        const Eigen::VectorXd q =
            robot == &model ? parallelogram_at(0.8) : closed_configuration(chain, random);
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(robot->nv);
        for (Method method : all_methods) {
            INFO(to_string(method));
            const grbda::Result result = forward_dynamics(method, *robot, work, q, zero, zero, kNoWrenches);
            CHECK(result.status == (!allows_rods(method) ? Status::undefined : Status::singular_inertia));
            CHECK(work.ydd.array().isNaN().all());
        }
    }
}

TEST_CASE("baselines: a flat parallelogram is singular and has no numbers") {
    const Model model = build_model(parallelogram(rod(0.4, 0.5), rod(0.9, 1), rod(0.7, 0.5)));
    Workspace work(model);
    const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
    for (Method method : all_methods) {
        INFO(to_string(method));
        const grbda::Result result =
            forward_dynamics(method, model, work, parallelogram_at(0), one, one, kNoWrenches);
        CHECK(result.status == Status::singular_constraint);
        CHECK(work.ydd.array().isNaN().all());
        CHECK(work.qd.array().isNaN().all());
        CHECK(forward_dynamics(method, model, work, parallelogram_at(1), one, one, kNoWrenches).ok());
    }
    CHECK(inverse_dynamics(model, work, parallelogram_at(0), one, one, kNoWrenches).status ==
          Status::singular_constraint);
    CHECK(work.tau.array().isNaN().all());
}

TEST_CASE("baselines: NaN in the state is never called ok, and leaves the workspace sound") {
    Random random(8);
    for (const Robot& robot : robots()) {
        const State state = random_state(robot.model, random);
        Workspace work(robot.model), fresh(robot.model);
        const Eigen::VectorXd bad_q =
            Eigen::VectorXd::Constant(robot.model.nq, std::numeric_limits<double>::quiet_NaN());
        for (Method method : all_methods) {
            INFO(robot.name << " by " << to_string(method));
            CHECK_FALSE(
                forward_dynamics(method, robot.model, work, bad_q, state.yd, state.tau, state.wrenches).ok());
            REQUIRE(
                forward_dynamics(method, robot.model, work, state.q, state.yd, state.tau, state.wrenches));
            REQUIRE(
                forward_dynamics(method, robot.model, fresh, state.q, state.yd, state.tau, state.wrenches));
            CHECK(work.ydd == fresh.ydd);
        }
    }
}

TEST_CASE("baselines: wrong sizes are refused") {
    const Model model = build_model(parallelogram(rod(0.4, 0.5), rod(0.9, 1), rod(0.7, 0.5)));
    Workspace work(model);
    const Eigen::VectorXd one = Eigen::VectorXd::Ones(1), two = Eigen::VectorXd::Ones(2);
    const Eigen::VectorXd q = parallelogram_at(1);
    const Eigen::MatrixXd short_wrenches = Eigen::MatrixXd::Zero(6, 2);
    CHECK_THROWS_AS(inverse_dynamics(model, work, two, one, one, kNoWrenches), std::invalid_argument);
    CHECK_THROWS_AS(inverse_dynamics(model, work, q, two, one, kNoWrenches), std::invalid_argument);
    CHECK_THROWS_AS(inverse_dynamics(model, work, q, one, two, kNoWrenches), std::invalid_argument);
    CHECK_THROWS_AS(inverse_dynamics(model, work, q, one, one, short_wrenches), std::invalid_argument);
    for (Method method : all_methods)
        CHECK_THROWS_AS(forward_dynamics(method, model, work, q, one, two, kNoWrenches),
                        std::invalid_argument);
}
