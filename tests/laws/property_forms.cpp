#include <map>
#include <optional>

#include "grbda/batch/batch_data.hpp"
#include "constraints/coordinates.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/factor.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "support/robots.hpp"

// All forms of forward dynamics give the same result.

namespace {

using namespace test_robots;

constexpr int kStates = 2;
constexpr double kSame = 1e-9;  // accelerations, weighed by inertia
constexpr double kRounding = 1e-10;

/// The robot in each form that can be requested.
std::vector<grbda::Model> forms_of(const Robot& robot) {
    std::vector<grbda::Model> models;
    for (const grbda::Form form : grbda::all_forms) {
        grbda::LoadOptions options = robot.options;
        options.form = form;
        models.push_back(grbda::build_model(robot.description, options));
    }
    return models;
}

/// Calls law(model, same robot by Jacobians, state, random).
template <class Law>
void in_each_form(std::uint64_t seed, Law&& law) {
    at_random_states(all(), kStates, seed, [&](const Robot& robot, const State& state, Random& random) {
        const std::vector<grbda::Model> models = forms_of(robot);
        for (std::size_t i = 1; i < models.size(); ++i) {
            INFO("form " << to_string(grbda::all_forms[i]));
            law(models[i], models.front(), state, random);
        }
    });
}

Eigen::MatrixXd mass_matrix(const grbda::Model& model, const Eigen::VectorXd& q) {
    grbda::Workspace<double> data(model);
    Eigen::MatrixXd M(model.nv, model.nv);
    REQUIRE(grbda::crba<double>(model, data, q, M).ok());
    return M;
}

/// ÿ, its inputs, and M⁻¹ by the stored factors.
void check_forward(const grbda::Model& model, const grbda::Model& other, const State& state,
                   grbda::Workspace<double>& data, grbda::Workspace<double>& other_data) {
    const Eigen::MatrixXd M = mass_matrix(other, state.q);
    REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
    REQUIRE(grbda::aba<double>(other, other_data, state.q, state.yd, state.tau, state.wrenches).ok());
    CHECK(relative_by_inertia(M, data.ydd, other_data.ydd) < kSame);
    for (std::size_t i = 0; i < model.clusters.size(); ++i)
        if (model.clusters[i].embedding == grbda::Embedding::implicit)
            CHECK(data.rcond[i] == other_data.rcond[i]);
    Eigen::MatrixXd x(model.nv, 1), y = x;
    const Eigen::MatrixXd f = state.ydd;
    REQUIRE(grbda::inverse_mass_times<double>(model, data, f, x).ok());
    REQUIRE(grbda::inverse_mass_times<double>(other, other_data, f, y).ok());
    CHECK(relative_by_inertia(M, x, y) < kSame);
}

}  // namespace

TEST_CASE("forward dynamics is the same in every form") {
    in_each_form(71, [](const grbda::Model& model, const grbda::Model& other, const State& state, Random&) {
        grbda::Workspace<double> data(model), other_data(other);
        check_forward(model, other, state, data, other_data);
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, data.ydd, state.wrenches).ok());
    });
}

TEST_CASE("inverse dynamics and the mass matrix are the same in every form") {
    in_each_form(72, [](const grbda::Model& model, const grbda::Model& other, const State& state, Random&) {
        grbda::Workspace<double> data(model), other_data(other);
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
        REQUIRE(grbda::rnea<double>(other, other_data, state.q, state.yd, state.ydd, state.wrenches).ok());
        CHECK(relative(data.tau, other_data.tau) < kRounding);
        CHECK(relative(mass_matrix(model, state.q), mass_matrix(other, state.q)) < kRounding);
    });
}

TEST_CASE("every form takes other coordinates") {
    in_each_form(73, [](const grbda::Model& model, const grbda::Model& other, const State& state, Random&) {
        grbda::Workspace<double> data(model), other_data(other);
        for (const bool tangent : {false, true}) {
            const auto choose = [&](const grbda::Model& of, grbda::Workspace<double>& work) {
                return tangent ? grbda::take_tangents<double>(of, work, state.q)
                               : grbda::choose_coordinates<double>(of, work, state.q, grbda::Marks::ignored);
            };
            REQUIRE(choose(model, data).ok());
            REQUIRE(choose(other, other_data).ok());
            REQUIRE(data.chart.independent == other_data.chart.independent);
            Eigen::MatrixXd M(model.nv, model.nv), other_M = M;
            REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
            REQUIRE(grbda::crba<double>(other, other_data, state.q, other_M).ok());
            CHECK(relative(M, other_M) < kRounding);
            REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
            REQUIRE(grbda::aba<double>(other, other_data, state.q, state.yd, state.tau, state.wrenches).ok());
            CHECK(relative_by_inertia(M, data.ydd, other_data.ydd) < kSame);
            REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
            REQUIRE(
                grbda::rnea<double>(other, other_data, state.q, state.yd, state.ydd, state.wrenches).ok());
            CHECK(relative(data.tau, other_data.tau) < kRounding);
        }
    });
}

TEST_CASE("derivatives are the same in every form") {
    in_each_form(74, [](const grbda::Model& model, const grbda::Model& other, const State& state, Random&) {
        grbda::Workspace<double> data(model), other_data(other);
        const auto derive = [&](const grbda::Model& of, grbda::Workspace<double>& work) {
            std::vector<Eigen::MatrixXd> D(3, Eigen::MatrixXd(of.nv, of.nv));
            REQUIRE(grbda::aba_derivatives<double>(of, work, state.q, state.yd, state.tau, state.wrenches,
                                                   D[0], D[1], D[2])
                        .ok());
            return D;
        };
        const auto found = derive(model, data), expected = derive(other, other_data);
        const Eigen::MatrixXd root = mass_matrix(other, state.q).diagonal().cwiseSqrt().asDiagonal();
        for (std::size_t i = 0; i < found.size(); ++i)
            CHECK(relative(root * found[i], root * expected[i]) < 1e-7);
    });
}

TEST_CASE("batches take every form") {
    in_each_form(75, [](const grbda::Model& model, const grbda::Model&, const State& state, Random&) {
        grbda::Workspace<double> data(model);
        grbda::BatchData batch(model);
        Eigen::MatrixXd ydd(model.nv, 1), tau(model.nv, 1), M(model.nv * model.nv, 1);
        const Eigen::MatrixXd wrenches = state.wrenches.reshaped();
        REQUIRE(grbda::aba(model, batch, state.q, state.yd, state.tau, wrenches, ydd).ok());
        REQUIRE(grbda::rnea(model, batch, state.q, state.yd, state.ydd, wrenches, tau).ok());
        REQUIRE(grbda::crba(model, batch, state.q, M).ok());
        const Eigen::MatrixXd expected = mass_matrix(model, state.q);
        CHECK(relative(M.reshaped(model.nv, model.nv), expected) < kRounding);
        REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
        CHECK(relative_by_inertia(expected, ydd, data.ydd) < kSame);
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
        CHECK(relative(tau, data.tau) < kRounding);
    });
}

TEST_CASE("dead centres have the same status in every form") {
    int singular = 0;
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const std::vector<grbda::Model> models = forms_of(robot);
        const Eigen::VectorXd yd = Eigen::VectorXd::Constant(robot.model.nv, 0.5);
        Eigen::VectorXd q = grbda::neutral_configuration(robot.model);
        for (const grbda::Body& body : robot.model.bodies)
            if (!grbda::has_quaternion(body.joint)) q.segment(body.q, position_size(body.joint)).setZero();
        grbda::Result first;
        for (std::size_t i = 0; i < models.size(); ++i) {
            grbda::Workspace<double> data(models[i]);
            const grbda::Result result = grbda::aba<double>(models[i], data, q, yd, yd);
            if (i == 0) first = result;
            CHECK(result.status == first.status);
            CHECK(result.cluster == first.cluster);
        }
        singular += first.status == grbda::Status::singular_constraint ? 1 : 0;
    }
    CHECK(singular > 3);
}
