#include <algorithm>
#include <cmath>
#include <limits>

#include "constraints/closure.hpp"
#include "kinematics/configuration.hpp"
#include "closing/closure.hpp"
#include "support/robots.hpp"

// Closing without regard to the path: from neutral, at huge angles, and with numbers that are not finite.

namespace {

using namespace test_robots;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("without a guess the loops are closed from the neutral configuration, and the result says so") {
    const grbda::Model& model = named("slider_crank").model;
    grbda::Workspace<double> data(model);
    const Eigen::VectorXd neutral = grbda::neutral_configuration(model);
    const grbda::Coordinate y = grbda::independent_coordinates(model).front();
    const int crank = model.bodies[y.body].q;
    Eigen::VectorXd q = neutral;
    q[crank] += 0.5;
    const grbda::Result led = grbda::close_loops<double>(model, data, q);
    CHECK(led.ok());
    CHECK(led.from_neutral);
    q[crank] += 0.01;  // the dependents are a guess now
    const grbda::Result guessed = grbda::close_loops<double>(model, data, q);
    CHECK(guessed.ok());
    CHECK_FALSE(guessed.from_neutral);
}

TEST_CASE("closing takes no longer at huge angles, and keeps the digits that it has") {
    constexpr int kMost = 400;  // of a turn and a half in steps of half a radian at least
    constexpr double kSame = 1e-9;
    for (const char* name : {"slider_crank", "four_bar", "spatial_four_bar"}) {
        INFO(name);
        const grbda::Model& model = named(name).model;
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd neutral = grbda::neutral_configuration(model);
        const grbda::Coordinate y = grbda::independent_coordinates(model).front();
        const int crank = model.bodies[y.body].q;
        for (const double angle : {1e3, 1e6, 1e9, 1e15, 1e17}) {
            INFO(angle);
            Eigen::VectorXd near = neutral, far = neutral;
            near[crank] = std::atan2(std::sin(angle), std::cos(angle));
            far[crank] = angle;
            const grbda::Result expected = grbda::close_loops<double>(model, data, near);
            const grbda::Result result = grbda::close_loops<double>(model, data, far);
            CHECK(result.iterations < kMost);
            CHECK(result.ok() == expected.ok());
            CHECK(far[crank] == angle);
            if (!result.ok() || !expected.ok()) continue;
            CHECK(grbda::closure_residual<double>(model, data, far).ok());
            far[crank] = near[crank];  // the dependents are as good as near zero
            CHECK(grbda::closure_residual<double>(model, data, far).residual < kSame);
        }
        // ways beyond all turns are refused at once
        Eigen::VectorXd out(model.nq);
        const Eigen::VectorXd way = Eigen::VectorXd::Constant(model.nv, 1e9);
        const grbda::Result result = grbda::integrate<double>(model, data, neutral, way, out);
        CHECK(result.status == grbda::Status::not_converged);
        CHECK(result.iterations < kMost);
    }
}

TEST_CASE("dependents that have turned far close to fewer digits, and not at all beyond") {
    const grbda::Model& model = named("slider_crank").model;
    grbda::Workspace<double> data(model);
    Eigen::VectorXd q = grbda::neutral_configuration(model);
    const int rod = [&] {
        std::vector<char> independent(model.bodies.size(), 0);
        for (const grbda::Coordinate& y : grbda::independent_coordinates(model))
            independent[static_cast<std::size_t>(y.body)] = 1;
        for (std::size_t i = 0; i < model.bodies.size(); ++i)
            if (!independent[i] && model.bodies[i].joint == grbda::JointType::revolute)
                return model.bodies[i].q;
        return -1;
    }();
    REQUIRE(rod >= 0);
    const double angle = q[rod];
    for (const double turns : {1e2, 1e4, 1e5}) {
        q[rod] = angle + 2 * M_PI * turns;
        const grbda::Result result = grbda::close_loops<double>(model, data, q);
        CHECK(result.ok());
        CHECK(result.residual < 1e-15 * (1 + q[rod]) * 100);
        CHECK(result.iterations < 20);
    }
    q[rod] = angle + 2 * M_PI * 1e12;
    CHECK_FALSE(grbda::close_loops<double>(model, data, q).ok());
}

TEST_CASE("closing takes as many iterations if dependents have turned a hundred or 1e5 times") {
    int turned = 0;
    for (const Robot* robot : all()) {
        const grbda::Model& model = robot->model;
        grbda::Workspace<double> data(model);
        Random random(15);
        State state;
        if (!random_state(model, random, state)) continue;
        INFO(robot->name);
        // revolute joints that are dependent, in clusters where nothing counts turns: each some turns further
        std::vector<int> angles;
        for (const grbda::Cluster& c : model.clusters) {
            if (c.embedding != grbda::Embedding::implicit) continue;
            for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
                const grbda::Body& body = model.bodies[model.dof_body[model.dependent[d]]];
                if (body.joint == grbda::JointType::revolute &&
                    grbda::closing::turns_freely(model, c, body, 0))
                    angles.push_back(body.q);
            }
        }
        if (angles.empty()) continue;
        const auto iterations = [&](double turns) {
            Eigen::VectorXd q = state.q;
            for (const int i : angles) q[i] += 1e-3 + 2 * M_PI * turns;
            const grbda::Result result = grbda::close_loops<double>(model, data, q);
            CHECK(result.ok());
            return result.iterations;
        };
        const int near = iterations(0);
        for (const double turns : {1e2, 1e4, 1e5}) {
            INFO(turns << " turns");
            CHECK(iterations(turns) <= near + 1);
        }
        ++turned;
    }
    CHECK(3 * turned > static_cast<int>(all().size()));
}

TEST_CASE("NaN is never closed, followed or accepted as a configuration") {
    for (const Robot& robot : published()) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd neutral = grbda::neutral_configuration(model);
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
        Eigen::VectorXd out(model.nq), delta(model.nv);
        for (const double bad : {kNan, kInfinity, -kInfinity})
            for (int i = 0; i < std::max(model.nq, model.nv); ++i) {
                INFO(robot.name << ", entry " << i << ", " << bad);
                Eigen::VectorXd q = neutral, step = zero;
                if (i < model.nq) {
                    q[i] = bad;
                    CHECK(grbda::integrate<double>(model, data, q, zero, out).status ==
                          grbda::Status::not_finite);
                    CHECK(grbda::difference<double>(model, data, neutral, q, delta).status ==
                          grbda::Status::not_finite);
                    CHECK(grbda::closure_residual<double>(model, data, q).status ==
                          grbda::Status::not_finite);
                    CHECK(grbda::close_loops<double>(model, data, q).status == grbda::Status::not_finite);
                }
                if (i < model.nv) {
                    step[i] = bad;
                    CHECK(grbda::integrate<double>(model, data, neutral, step, out).status ==
                          grbda::Status::not_finite);
                }
            }
        const Eigen::VectorXd far = Eigen::VectorXd::Constant(model.nv, 1e308);
        grbda::Result result = grbda::integrate<double>(model, data, neutral, far, out);
        if (result.ok()) result = grbda::integrate<double>(model, data, Eigen::VectorXd(out), far, out);
        CHECK((!result.ok() || out.allFinite()));
    }
}
