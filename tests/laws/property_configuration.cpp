#include <algorithm>
#include <cmath>

#include "constraints/closure.hpp"
#include "kinematics/configuration.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// Moving between closed configurations, and closing open ones.

namespace {

using namespace test_robots;

constexpr int kStates = 3;
constexpr double kStep =
    0.003;  // times G up to 30: short of the next assembly mode at well-conditioned states
constexpr double kInverse = 1e-10;  // Newton to rounding, over the condition of K_d
constexpr double kUnit = 1e-14;

/// Largest distance of a quaternion of q from unit length.
double quaternion_error(const grbda::Model& model, const Eigen::VectorXd& q) {
    double worst = 0;
    for (const grbda::Body& body : model.bodies) {
        const int size = grbda::position_size(body.joint);
        if (size == grbda::velocity_size(body.joint)) continue;
        worst = std::max(worst, std::abs(q.segment<4>(body.q + size - 4).norm() - 1));
    }
    return worst;
}

/// Positions of the independent coordinates of joints whose positions are plain numbers.
std::vector<int> plain_independents(const grbda::Model& model) {
    std::vector<int> result;
    for (const grbda::Coordinate& coordinate : grbda::independent_coordinates(model)) {
        const grbda::Body& body = model.bodies[coordinate.body];
        if (grbda::position_size(body.joint) == grbda::velocity_size(body.joint))
            result.push_back(body.q + coordinate.component);
    }
    return result;
}

/// Tangent moves of dependent coordinates only.
Eigen::VectorXd disturbed(const grbda::Model& model, const Eigen::VectorXd& q, Random& random, double size) {
    std::vector<char> independent(static_cast<std::size_t>(model.nv_tree), 0);
    for (const grbda::Coordinate& coordinate : grbda::independent_coordinates(model))
        independent[static_cast<std::size_t>(model.bodies[coordinate.body].v + coordinate.component)] = 1;
    Eigen::VectorXd result = q;
    for (const grbda::Body& body : model.bodies) {
        const int count = grbda::velocity_size(body.joint);
        if (grbda::position_size(body.joint) != count) continue;
        for (int j = 0; j < count; ++j)
            if (!independent[static_cast<std::size_t>(body.v + j)])
                result[body.q + j] += random_vector(random, 1, size)[0];
    }
    return result;
}

}  // namespace

TEST_CASE("integrate keeps loops closed and quaternions of unit length, and difference inverts it") {
    at_random_states(all(), kStates, 71, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        Eigen::VectorXd next(model.nq), back(model.nv), again(model.nq);
        const Eigen::VectorXd step = kStep * state.yd;
        REQUIRE(grbda::integrate<double>(model, data, state.q, step, next).ok());
        CHECK(grbda::closure_residual<double>(model, data, next).ok());
        CHECK(quaternion_error(model, next) < kUnit);
        REQUIRE(grbda::difference<double>(model, data, state.q, next, back).ok());
        CHECK(relative(back, step) < kInverse);
        REQUIRE(grbda::integrate<double>(model, data, state.q, back, again).ok());
        CHECK(relative(again, next) < kInverse);
        Eigen::VectorXd same(model.nq);
        REQUIRE(grbda::integrate<double>(model, data, state.q, Eigen::VectorXd::Zero(model.nv), same).ok());
        CHECK(relative(same, state.q) < kInverse);
        same = state.q;  // in place
        REQUIRE(grbda::integrate<double>(model, data, same, step, same).ok());
        CHECK(same == next);
    });
}

TEST_CASE("spanning_integrate moves each joint by itself, and spanning_difference inverts it") {
    for (const Robot* robot : all()) {
        const grbda::Model& model = robot->model;
        CAPTURE(robot->name);
        Random random(5);
        const Eigen::VectorXd q = grbda::neutral_configuration(model);
        const Eigen::VectorXd moves = random_vector(random, model.nv_tree, 0.3);
        Eigen::VectorXd out(model.nq), back(model.nv_tree);
        grbda::spanning_integrate(model, q, moves, out);
        CHECK(quaternion_error(model, out) < kUnit);
        for (const grbda::Body& body : model.bodies) {
            const int size = grbda::velocity_size(body.joint);
            if (grbda::position_size(body.joint) == size)
                CHECK(out.segment(body.q, size) == q.segment(body.q, size) + moves.segment(body.v, size));
        }
        grbda::spanning_difference(model, q, out, back);
        CHECK((back - moves).norm() < kInverse);
        grbda::spanning_integrate(model, q, Eigen::VectorXd::Zero(model.nv_tree), out);
        CHECK((out - q).norm() < kUnit);
    }
    const grbda::Model& model = all().front()->model;
    Eigen::VectorXd out(model.nq);
    CHECK_THROWS_AS(grbda::spanning_integrate(model, out, Eigen::VectorXd(model.nv_tree + 1), out),
                    std::invalid_argument);
}

TEST_CASE("independents of plain joints move exactly") {
    at_random_states(all(), kStates, 72, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        Eigen::VectorXd next(model.nq);
        const Eigen::VectorXd step = kStep * state.yd;
        REQUIRE(grbda::integrate<double>(model, data, state.q, step, next).ok());
        const std::vector<grbda::Coordinate> coordinates = grbda::independent_coordinates(model);
        for (int j = 0; j < model.nv; ++j) {
            const grbda::Coordinate& coordinate = coordinates[static_cast<std::size_t>(j)];
            const grbda::Body& body = model.bodies[coordinate.body];
            if (grbda::position_size(body.joint) != grbda::velocity_size(body.joint)) continue;
            const int at = body.q + coordinate.component;
            CHECK(next[at] == state.q[at] + step[j]);
        }
    });
}

TEST_CASE("close_loops keeps independents, closes to tolerance and returns to the nearest assembly mode") {
    constexpr double kDisturbance = 1e-3;
    at_random_states(all(), kStates, 73, [](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        Eigen::VectorXd q = disturbed(model, state.q, random, kDisturbance);
        const grbda::Result result = grbda::close_loops<double>(model, data, q);
        REQUIRE(result.ok());
        const grbda::Result residual = grbda::closure_residual<double>(model, data, q);
        CHECK(residual.ok());
        CHECK(residual.residual <= 1e-10);
        for (int at : plain_independents(model)) CHECK(q[at] == state.q[at]);
        // a free spherical joint in the loop may settle elsewhere along its own freedom; plain joints come
        // back
        CHECK(relative(q, state.q) < 1e-8);
    });
}

TEST_CASE("neutral and random configurations close all loops on every robot") {
    for (const Robot* robot : all()) {
        INFO(robot->name);
        grbda::Workspace<double> data(robot->model);
        CHECK(grbda::closure_residual<double>(robot->model, data, grbda::neutral_configuration(robot->model))
                  .ok());
        Random random(74);
        for (int i = 0; i < kStates; ++i) {
            const Eigen::VectorXd q = grbda::random_configuration(robot->model, random);
            CHECK(grbda::closure_residual<double>(robot->model, data, q).ok());
            CHECK(quaternion_error(robot->model, q) < 10 * kUnit);
        }
    }
}

TEST_CASE("random configurations keep all joints within their limits if the neutral one does") {
    constexpr double rounding = 1e-9;
    for (const Robot* robot : all()) {
        INFO(robot->name);
        const grbda::Model& model = robot->model;
        const auto excess = [&](const Eigen::VectorXd& q) {
            double worst = 0;
            for (int i = 0; i < model.body_count(); ++i) {
                const grbda::Body& body = model.bodies[i];
                if (grbda::position_size(body.joint) != 1) continue;
                worst =
                    std::max({worst, model.limits[i].lower - q[body.q], q[body.q] - model.limits[i].upper});
            }
            return worst;
        };
        const double neutral = excess(grbda::neutral_configuration(model));
        for (unsigned seed = 1; seed <= 100; ++seed) {
            std::mt19937_64 generator(seed);
            CHECK(excess(grbda::random_configuration(model, generator)) <= neutral + rounding);
        }
    }
}

TEST_CASE("a crank led right round stays in the neutral assembly mode, with or without a guess") {
    constexpr int steps = 48;
    constexpr double kSameMode = 1e-9;  // the other mode is tenths of a radian away
    for (const char* name : {"slider_crank", "spatial_four_bar"}) {
        INFO(name);
        const auto robot = std::find_if(published().begin(), published().end(),
                                        [&](const Robot& r) { return r.name == name; });
        REQUIRE(robot != published().end());
        const grbda::Model& model = robot->model;
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd neutral = grbda::neutral_configuration(model);
        const int crank = plain_independents(model).front();
        Eigen::VectorXd followed = neutral;
        for (int step = 1; step <= steps; ++step) {
            const double angle = neutral[crank] + step * 2 * M_PI / steps;
            Eigen::VectorXd led = neutral;
            led[crank] = followed[crank] = angle;
            REQUIRE(grbda::close_loops<double>(model, data, followed).ok());
            REQUIRE(grbda::close_loops<double>(model, data, led).ok());
            CHECK(led[crank] == angle);
            for (const grbda::Body& body : model.bodies)
                if (grbda::position_size(body.joint) == 1)
                    CHECK(std::abs(led[body.q] - followed[body.q]) < kSameMode);
        }
    }
}
