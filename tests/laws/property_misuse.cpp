#include <stdexcept>
#include <utility>

#include "grbda/baselines/baselines.hpp"
#include "grbda/batch/batch_data.hpp"
#include "constraints/actuation.hpp"
#include "constraints/constraint_forces.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/joint_forces.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Meaningless calls throw an exception that says why, on every robot.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::BatchData;
using grbda::Model;
using grbda::Workspace;

/// The call throws std::invalid_argument with these words.
template <class Call>
void refused(const std::string& words, Call&& call) {
    INFO("expected: " << words);
    try {
        call();
    } catch (const std::invalid_argument& error) {
        INFO("found: " << error.what());
        CHECK(std::string(error.what()).find(words) != std::string::npos);
        return;
    }
    FAIL_CHECK("nothing thrown");
}

struct Arguments {
    VectorXd q, y;

    explicit Arguments(const Model& model)
        : q(grbda::neutral_configuration(model)), y(VectorXd::Zero(model.nv)) {}
};

constexpr auto kLocal = grbda::ReferenceFrame::local;

}  // namespace

TEST_CASE("a model that was moved from is refused on every robot") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Arguments x(robot.model);
        Model from = robot.model;
        Workspace<double> old(from);
        BatchData batch(from);
        grbda::baselines::Workspace work(from);
        const Model to = std::move(from);
        CHECK(grbda::aba<double>(to, old, x.q, x.y, x.y).ok());  // it is the same robot
        MatrixXd M(to.nv, to.nv), states(to.nv, 1);
        refused("moved from", [&] { must(grbda::aba<double>(from, old, x.q, x.y, x.y)); });
        refused("moved from", [&] { must(grbda::rnea<double>(from, old, x.q, x.y, x.y)); });
        refused("moved from", [&] { must(grbda::crba<double>(from, old, x.q, M)); });
        refused("moved from", [&] { must(grbda::forward_kinematics<double>(from, old, x.q)); });
        refused("moved from", [&] { Workspace<double>{from}; });
        refused("moved from", [&] { BatchData{from}; });
        refused("moved from", [&] { must(grbda::aba(from, batch, x.q, x.y, x.y, states)); });
        refused("moved from", [&] { grbda::neutral_configuration(from); });
        refused("moved from", [&] { grbda::baselines::Workspace{from}; });
        refused("moved from", [&] {
            must(
                grbda::baselines::inverse_dynamics(from, work, x.q, x.y, x.y, grbda::Matrix6X<double>(6, 0)));
        });
    }
}

TEST_CASE("a workspace that was moved from, or is of another model, is refused on every robot") {
    const grbda::Matrix6X<double> none(6, 0);
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        const Model& other = named(robot.name == "tello" ? "six_bar" : "tello").model;
        const Arguments x(model);
        MatrixXd M(model.nv, model.nv), states(model.nv, 1);
        Workspace<double> from(model);
        const Workspace<double> to = std::move(from);
        refused("moved from", [&] { must(grbda::aba<double>(model, from, x.q, x.y, x.y)); });
        refused("moved from", [&] { must(grbda::crba<double>(model, from, x.q, M)); });
        refused("moved from", [&] { grbda::frame_position(model, from, model.body_frame.back()); });
        Workspace<double> others(other);
        refused("another model", [&] { must(grbda::aba<double>(model, others, x.q, x.y, x.y)); });
        BatchData batch(model);
        const BatchData kept = std::move(batch);
        refused("moved from", [&] { must(grbda::aba(model, batch, x.q, x.y, x.y, states)); });
        refused("moved from", [&] { batch.threads(); });
        CHECK(kept.threads() == 1);
        grbda::baselines::Workspace work(model), of_other(other);
        const grbda::baselines::Workspace kept_work = std::move(work);
        refused("moved from",
                [&] { must(grbda::baselines::inverse_dynamics(model, work, x.q, x.y, x.y, none)); });
        refused("another model",
                [&] { must(grbda::baselines::inverse_dynamics(model, of_other, x.q, x.y, x.y, none)); });
    }
}

TEST_CASE("results that the caller resized are refused with both sizes on every robot") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        const Arguments x(model);
        const auto with = [&](VectorXd Workspace<double>::*result, const std::string& name, auto&& call) {
            Workspace<double> data(model);
            const auto size = (data.*result).size();
            (data.*result).resize(size + 1);
            refused(name + " has size " + std::to_string(size + 1) + ", expected " + std::to_string(size),
                    [&] { call(data); });
        };
        using Workspace = grbda::Workspace<double>;
        with(&Workspace::ydd, "data.ydd",
             [&](auto& d) { must(grbda::aba<double>(model, d, x.q, x.y, x.y)); });
        with(&Workspace::tau, "data.tau",
             [&](auto& d) { must(grbda::rnea<double>(model, d, x.q, x.y, x.y)); });
        with(&Workspace::tau, "data.tau",
             [&](auto& d) { must(grbda::bias_force<double>(model, d, x.q, x.y)); });
        const VectorXd qd = VectorXd::Zero(model.nv_tree);
        with(&Workspace::tau, "data.tau",
             [&](auto& d) { must(grbda::joint_forces<double>(model, d, x.q, qd)); });
        with(&Workspace::tau_tree, "data.tau_tree",
             [&](auto& d) { must(grbda::joint_forces<double>(model, d, x.q, qd)); });
        with(&Workspace::qd, "data.qd",
             [&](auto& d) { must(grbda::spanning_velocity<double>(model, d, x.q, x.y)); });
        with(&Workspace::qdd, "data.qdd",
             [&](auto& d) { must(grbda::spanning_acceleration<double>(model, d, x.q, x.y, x.y)); });
        grbda::baselines::Workspace work(model);
        work.ydd.resize(model.nv + 1);
        refused("size", [&] {
            must(grbda::baselines::inverse_dynamics(model, work, x.q, x.y, x.y,
                                                    grbda::Matrix6X<double>(6, 0)));
        });
    }
}

TEST_CASE("wrenches may be rows of a larger matrix on every robot") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        const Arguments x(model);
        Workspace<double> data(model);
        const MatrixXd larger = MatrixXd::Random(9, model.body_count());
        const grbda::Matrix6X<double> wrenches = larger.middleRows(2, 6);
        REQUIRE(grbda::rnea<double>(model, data, x.q, x.y, x.y, wrenches).ok());
        const VectorXd tau = data.tau;
        REQUIRE(grbda::rnea<double>(model, data, x.q, x.y, x.y, larger.middleRows(2, 6)).ok());
        CHECK(data.tau == tau);
    }
}

TEST_CASE("a batch has from one to a stated number of threads") {
    const Model& model = named("four_bar").model;
    for (const int threads : {0, -1, BatchData::most_threads + 1, 100000})
        refused("threads is " + std::to_string(threads) + ", expected 1 to 1024",
                [&] { BatchData(model, threads); });
    CHECK(BatchData(model, 3).threads() == 3);
    CHECK(BatchData(model, BatchData::most_threads).threads() == BatchData::most_threads);
}

TEST_CASE("frames are not read before any kinematics, on every robot") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        const Arguments x(model);
        Workspace<double> data(model);
        const int frame = model.body_frame.back();
        grbda::Matrix6X<double> J(6, model.nv);
        const std::string words = "forward_kinematics";
        refused(words, [&] { grbda::frame_orientation(model, data, frame); });
        refused(words, [&] { grbda::frame_position(model, data, frame); });
        refused(words, [&] { grbda::frame_velocity(model, data, frame, kLocal); });
        refused(words, [&] { grbda::frame_acceleration(model, data, frame, kLocal); });
        refused(words, [&] { grbda::frame_jacobian<double>(model, data, frame, kLocal, J); });
        REQUIRE(grbda::forward_kinematics<double>(model, data, x.q).ok());
        CHECK(grbda::frame_position(model, data, frame).allFinite());
        CHECK(grbda::frame_velocity(model, data, frame, kLocal).array().isNaN().all());
        REQUIRE(grbda::forward_kinematics<double>(model, data, x.q, x.y).ok());
        CHECK(grbda::frame_velocity(model, data, frame, kLocal).allFinite());
        CHECK(grbda::frame_acceleration(model, data, frame, kLocal).array().isNaN().all());
    }
}

TEST_CASE("results of constraint forces and motors that do not fit the model are refused") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        const Model& other = named(robot.name == "tello" ? "six_bar" : "tello").model;
        const Arguments x(model);
        Workspace<double> data(model);
        grbda::ConstraintForces forces(model), of_other(other);
        grbda::Actuation<double> motors(model), others_motors(other);
        const auto find = [&](grbda::ConstraintForces& out) {
            must(grbda::constraint_forces<double>(model, data, x.q, x.y, x.y, out));
        };
        const auto drive = [&](grbda::Actuation<double>& out) {
            must(grbda::actuation_jacobian<double>(model, data, x.q, out));
        };
        refused("another model", [&] { find(of_other); });
        refused("another model", [&] { drive(others_motors); });
        forces.tree.resize(model.nv_tree + 1);
        refused("forces.tree has size " + std::to_string(model.nv_tree + 1), [&] { find(forces); });
        const grbda::ConstraintForces kept = std::move(forces);
        refused("moved from", [&] { find(forces); });
        const grbda::Actuation<double> kept_motors = std::move(motors);
        refused("moved from", [&] { drive(motors); });
        grbda::ConstraintForces whole(model);
        const grbda::Matrix6X<double> none(6, 0);
        const VectorXd too_many = VectorXd::Zero(model.nv_tree + 1);
        refused("joint_forces has size " + std::to_string(model.nv_tree + 1), [&] {
            must(grbda::constraint_forces<double>(model, data, x.q, x.y, x.y, none, too_many, whole));
        });
    }
}

TEST_CASE("regressors that do not fit the model are refused with both sizes on every robot") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        Model from = robot.model;
        const Model model = std::move(from);
        refused("moved from", [&] { grbda::inertial_parameters(from); });
        refused("moved from", [&] { grbda::joint_parameters(from); });
        const Arguments x(model);
        Workspace<double> data(model);
        const int n = grbda::parameters_per_body * model.carrier_count(), joints = 3 * model.nv_tree;
        MatrixXd taller(model.nv + 1, n), wider(model.nv, n + 1), of_joints(model.nv, joints + 1);
        VectorXd fits(n), longer(n + 1);
        const std::string rows = "Y (rows) has size " + std::to_string(model.nv + 1) + ", expected ";
        const std::string columns = "Y (columns) has size ";
        refused(rows, [&] { must(grbda::torque_regressor<double>(model, data, x.q, x.y, x.y, taller)); });
        refused(columns + std::to_string(n + 1),
                [&] { must(grbda::torque_regressor<double>(model, data, x.q, x.y, x.y, wider)); });
        refused(columns + std::to_string(joints + 1),
                [&] { must(grbda::joint_regressor<double>(model, data, x.q, x.y, x.y, of_joints)); });
        refused("kinetic has size " + std::to_string(n + 1),
                [&] { must(grbda::energy_regressors<double>(model, data, x.q, x.y, longer, fits)); });
        refused("potential has size " + std::to_string(n + 1),
                [&] { must(grbda::energy_regressors<double>(model, data, x.q, x.y, fits, longer)); });
    }
}
