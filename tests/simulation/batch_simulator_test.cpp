#include <algorithm>

#include "simulation/simulation_fixture.hpp"

// Simulations side by side, against one after the other.

using namespace simulation_test;
using grbda::BatchSimulator;

TEST_CASE("simulations of a batch are those of a simulator, to the bit, with any number of threads") {
    for (const char* name : {"mit_humanoid", "tello", "four_bar"}) {
        INFO(name);
        const Model model = tangible(named(name).model);
        constexpr int count = 5, steps = 60;
        const grbda::Ground ground = Plane{{0, 0, 1}, -0.6};
        std::vector<VectorXd> starts, speeds, forces;
        Random random(11);
        for (int i = 0; i < count; ++i) {
            starts.push_back(grbda::neutral_configuration(model));
            speeds.push_back(VectorXd::Zero(model.nv_tree));
            forces.push_back(random_vector(random, model.nv_tree));
        }
        std::vector<Controls> controls(count);
        for (int i = 0; i < count; ++i) {
            const VectorXd& tau = forces[static_cast<std::size_t>(i)];
            controls[static_cast<std::size_t>(i)].tau_s = {tau.data(), static_cast<std::size_t>(tau.size())};
        }
        for (const int threads : {1, 2, 7}) {
            BatchSimulator batch(model, count, {}, ground, threads);
            for (int i = 0; i < count; ++i)
                REQUIRE(batch
                            .set_state(i, starts[static_cast<std::size_t>(i)],
                                       speeds[static_cast<std::size_t>(i)])
                            .ok());
            std::vector<grbda::StepOutcome> outcomes(count);
            REQUIRE(batch.step(controls, steps / 2, outcomes).ok());
            for (int first = 0; first < count; first += 2) {  // cut into short calls by simulations and steps
                const int some = std::min(2, count - first);
                for (int taken = 0; taken < steps / 2; taken += steps / 4)
                    REQUIRE(batch
                                .step_some(first, some,
                                           std::span(controls).subspan(static_cast<std::size_t>(first),
                                                                       static_cast<std::size_t>(some)),
                                           steps / 4)
                                .ok());
            }
            for (int i = 0; i < count; ++i) {
                INFO(threads << " threads, simulation " << i);
                const auto at = static_cast<std::size_t>(i);
                Simulator alone(model, {}, ground);
                REQUIRE(alone.set_state(starts[at], speeds[at]).ok());
                for (int k = 0; k < steps; ++k) REQUIRE(alone.step(controls[at]).result.ok());
                VectorXd qd(model.nv_tree);
                batch.velocity(i, qd);
                CHECK(batch.q(i) == alone.q());
                CHECK(qd == alone.velocity());
                CHECK(batch.time(i) == alone.time());
                CHECK(batch.switches(i) == alone.switches());
                CHECK(batch.energies(i).sum() == alone.energies().sum());
                CHECK(batch.contacts(i).size() == alone.contacts().size());
                CHECK(outcomes[at].result.ok());
            }
        }
    }
}

TEST_CASE("simulations that a batch does not have are refused") {
    BatchSimulator batch(named("double_pendulum").model, 3);
    CHECK_THROWS_AS(batch.step_some(-1, 2), std::invalid_argument);
    CHECK_THROWS_AS(batch.step_some(2, 2), std::invalid_argument);
    CHECK_THROWS_AS(batch.step_some(0, -1), std::invalid_argument);
    CHECK(batch.step_some(3, 0).ok());
}

TEST_CASE("a simulation that fails keeps its state, and the others continue") {
    const Model& model = named("double_pendulum").model;
    BatchSimulator batch(model, 3);
    const VectorXd q = grbda::neutral_configuration(model);
    REQUIRE(batch.set_state(1, q, VectorXd::Constant(model.nv_tree, 1e200)).ok());
    const grbda::BatchOutcome outcome = batch.step({}, 2);
    CHECK(outcome.failures == 1);
    CHECK(outcome.simulation == 1);
    CHECK(outcome.status == grbda::Status::not_finite);
    CHECK(batch.q(1) == q);
    CHECK(batch.time(1) == 0);
    CHECK(batch.time(2) == Approx(2e-3));
}

TEST_CASE("invalid arguments of a batch are refused") {
    const Model& model = named("four_bar").model;
    CHECK_THROWS_AS(BatchSimulator(model, 0), std::invalid_argument);
    CHECK_THROWS_AS(BatchSimulator(model, 1, {}, {}, 0), std::invalid_argument);
    BatchSimulator batch(model, 2);
    CHECK_THROWS_AS(batch.q(2), std::invalid_argument);
    CHECK_THROWS_AS(batch.time(-1), std::invalid_argument);
    const std::vector<Controls> one(1);
    CHECK_THROWS_AS((void)batch.step(one), std::invalid_argument);
    CHECK_THROWS_AS((void)batch.step({}, 0), std::invalid_argument);
    const BatchSimulator moved = std::move(batch);
    CHECK(moved.count() == 2);
    CHECK_THROWS_AS(batch.count(), std::invalid_argument);
    Simulator simulator(model);
    const Simulator other = std::move(simulator);
    CHECK(other.time() == 0);
    CHECK_THROWS_AS(simulator.q(), std::invalid_argument);
}

TEST_CASE("states are set for marked simulations, loops closed, and snapshots continue to the bit") {
    for (const char* name : {"digit_leg", "tello", "ur10e"}) {
        INFO(name);
        const Model& model = named(name).model;
        constexpr int count = 4;
        BatchSimulator batch(model, count, {}, {}, 2);
        Random random(3);
        Eigen::MatrixXd q(model.nq, count), qd(model.nv_tree, count);
        std::vector<VectorXd> closed;
        for (int i = 0; i < count; ++i) {
            State state;
            REQUIRE(random_state(model, random, state));
            Workspace<double> data(model);
            REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
            q.col(i) = state.q;
            qd.col(i) = data.qd;
            closed.push_back(state.q);
        }
        for (int dof = 0; dof < model.nv_tree; ++dof) {  // guesses of dependent joints are a little off
            const grbda::Body& body = model.bodies[model.dof_body[dof]];
            const bool is_independent =
                std::find(model.independent.begin(), model.independent.end(), dof) != model.independent.end();
            if (!is_independent && grbda::velocity_size(body.joint) == 1) q.row(body.q).array() += 0.01;
        }
        const std::vector<char> marked{1, 0, 1, 1};
        const VectorXd before = batch.q(1);
        REQUIRE(batch.set_states(marked, q, qd, 0.5).ok());
        CHECK(batch.q(1) == before);
        CHECK(batch.time(1) == 0);
        for (const int i : {0, 2, 3}) {
            CHECK(batch.time(i) == 0.5);
            CHECK((batch.q(i) - closed[static_cast<std::size_t>(i)]).norm() < 1e-9);
            VectorXd rates(model.nv_tree);
            batch.velocity(i, rates);
            CHECK((rates - qd.col(i)).norm() < 1e-8 * (1 + rates.norm()));
        }
        REQUIRE(batch.step({}, 200).ok());  // a state that is set does not depend on the one before
        REQUIRE(batch.set_states({}, q, qd, 0.5).ok());
        BatchSimulator fresh(model, count, {}, {}, 1);
        REQUIRE(fresh.set_states({}, q, qd, 0.5).ok());
        for (int i = 0; i < count; ++i) CHECK(batch.q(i) == fresh.q(i));
        const grbda::SimulatorState kept = batch.state(2);
        REQUIRE(batch.step({}, 20).ok());
        const VectorXd later = batch.q(2);
        batch.restore(2, kept);
        batch.restore(0, kept);
        CHECK(batch.time(0) == 0.5);
        REQUIRE(batch.step({}, 20).ok());
        CHECK(batch.q(2) == later);
        CHECK(batch.q(0) == later);
        q.col(3).setConstant(std::nan(""));
        const grbda::BatchOutcome outcome = batch.set_states({}, q, qd);
        CHECK(outcome.failures == 1);
        CHECK(outcome.simulation == 3);
        CHECK(outcome.status == grbda::Status::not_finite);
        CHECK(batch.q(3).allFinite());
        CHECK_THROWS_AS(batch.set_states(std::vector<char>{1}, q, qd), std::invalid_argument);
        CHECK_THROWS_AS(batch.restore(0, grbda::SimulatorState{}), std::invalid_argument);
    }
}
