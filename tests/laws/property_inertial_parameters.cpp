#include <algorithm>
#include <stdexcept>

#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"
#include "support/robots.hpp"

// Inertial parameters in place of those of a model. Inverse dynamics is linear in them: its change is the
// regressor, which does not depend on them, times their change.

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Workspace;

namespace {

constexpr double kTolerance = 1e-9;

bool is_reduced_rotor(const Model& model, int body) {
    return body < model.body_count() && model.bodies[body].rotor;
}

/// Links of struts keep their parameters.
bool is_of_strut(const Model& model, int link) {
    return link >= model.body_count() && model.rod(link).strut >= 0;
}

/// Other masses and moments, and where nothing forbids it other centres of mass and axes.
VectorXd other_parameters(const Model& model, Random& random) {
    VectorXd pi = grbda::inertial_parameters(model);
    const auto factor = [&] { return 1 + 0.5 * random_vector(random, 1)[0]; };
    for (int i = 0; i < model.carrier_count(); ++i) {
        auto own = pi.segment<10>(10 * i);
        if (own.isZero(0) || is_of_strut(model, i)) continue;
        const double grown = factor();
        own *= grown;
        if (model.is_rod(i) || is_reduced_rotor(model, i)) continue;
        const Eigen::Vector3d c = 0.05 * random_vector(random, 3);  // a ball at another place is added
        const double m = 0.3 * own[0] * factor(), J = 0.01 * m;
        const Eigen::Matrix3d I = J * Eigen::Matrix3d::Identity() +
                                  m * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
        Eigen::Matrix<double, 10, 1> ball;
        ball << m, m * c, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
        own += ball;
    }
    return pi;
}

}  // namespace

TEST_CASE("other inertial parameters change inverse dynamics by the regressor times their change") {
    at_random_states(all(), 2, 131, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const VectorXd before = grbda::inertial_parameters(model), now = other_parameters(model, random);
        const Model changed = grbda::with_inertial_parameters(model, now);
        CHECK(relative(grbda::inertial_parameters(changed), now) < 1e-12);
        CHECK(changed.layout == model.layout);
        Workspace<double> data(model), other(changed);
        MatrixXd Y(model.nv, before.size());
        REQUIRE(grbda::torque_regressor<double>(model, data, state.q, state.yd, state.ydd, Y).ok());
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd).ok());
        REQUIRE(grbda::rnea<double>(changed, other, state.q, state.yd, state.ydd).ok());
        const VectorXd tau = other.tau, expected = data.tau + Y * (now - before);
        CHECK(relative(tau, expected) < kTolerance);
        MatrixXd M(model.nv, model.nv);
        REQUIRE(grbda::crba<double>(changed, other, state.q, M).ok());
        if (!grbda::aba<double>(changed, other, state.q, state.yd, tau).ok()) return;  // massless ends
        CHECK(relative_by_inertia(M, other.ydd, state.ydd) < 1e-7);
        CHECK(relative(M * state.ydd - M * VectorXd(other.ydd), VectorXd::Zero(model.nv)) < kTolerance);
    });
}

TEST_CASE("the model's own inertial parameters keep every bit of it") {
    for (const Robot* robot : all()) {
        const Model same =
            grbda::with_inertial_parameters(robot->model, grbda::inertial_parameters(robot->model));
        for (int i = 0; i < same.body_count(); ++i) {
            const grbda::Body &a = same.bodies[i], &b = robot->model.bodies[i];
            CHECK((a.mass == b.mass && a.inertia == b.inertia && dot(a.com - b.com, a.com - b.com) == 0));
        }
        CHECK(same.D0 == robot->model.D0);
    }
}

TEST_CASE("inertial parameters that no body can have are refused with the name of the link") {
    const Model& model = named("mit_humanoid").model;
    const VectorXd before = grbda::inertial_parameters(model);
    const auto refuses = [&](auto change, const std::string& text) {
        VectorXd pi = before;
        change(pi);
        CHECK_THROWS_WITH(grbda::with_inertial_parameters(model, pi), Catch::Contains(text));
    };
    const std::string first = model.names.bodies.front();
    refuses([](VectorXd& pi) { pi[0] = -1; }, first);
    refuses([](VectorXd& pi) { pi[4] = std::nan(""); }, "not finite");
    refuses([](VectorXd& pi) { pi[4] = -1; }, "moment of inertia");
    refuses([](VectorXd& pi) { pi[0] *= 1e4; }, "thousand");
    refuses([](VectorXd& pi) { pi.head<10>().setZero(); }, "cannot lose");
    refuses([](VectorXd& pi) { pi.conservativeResize(7); }, "parameters");
    const auto rotor = std::find_if(model.bodies.begin(), model.bodies.end(),
                                    [](const grbda::Body& body) { return body.rotor; });
    REQUIRE(rotor != model.bodies.end());
    const auto at = 10 * (rotor - model.bodies.begin());
    refuses([&](VectorXd& pi) { pi[at + 4] *= 1.5; }, "rotor");
    const Model& delta = named("delta").model;
    REQUIRE_FALSE(delta.rods.empty());
    VectorXd pi = grbda::inertial_parameters(delta);
    pi[10 * delta.body_count() + 2] += 0.1;
    CHECK_THROWS_WITH(grbda::with_inertial_parameters(delta, pi), Catch::Contains("it is a rod"));
}

TEST_CASE("links of struts keep their inertial parameters") {
    const Model& model = named("stewart_platform").model;
    VectorXd pi = grbda::inertial_parameters(model);
    pi.segment<10>(10 * model.body_count()) *= 2;
    CHECK_THROWS_WITH(grbda::with_inertial_parameters(model, pi),
                      Catch::Contains("'" + model.names.rods.front().name + "': it is a link of a strut"));
}
