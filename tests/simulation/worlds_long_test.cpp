#include <map>

#include "dynamics/regressor.hpp"
#include "simulation/simulation_fixture.hpp"
#include "support/sample_size.hpp"

// Simulations of a batch as training makes them: each has other inertias, friction, gains and delays, is
// pushed, moves its motors at random, falls on uneven ground, and starts again.

using namespace simulation_test;
using grbda::BatchSimulator;
using grbda::StepOutcome;

namespace {

grbda::HeightField waves() {
    constexpr int side = 81;
    grbda::HeightField field;
    field.rows = field.columns = side;
    field.spacing_x = field.spacing_y = 0.1;
    field.origin = {-4, -4, 0};
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column)
            field.heights.push_back(0.03 * std::sin(0.9 * row) * std::cos(0.7 * column) - 0.88);
    return field;
}

class Worlds {
public:
    Worlds(const Model& model, double step, double violence, int count)
        : violence_(violence),
          random_(sample_size::first_seed(38)),
          model_(model),
          stand_(standing_digit(model)),
          batch_(model, count, options(model, step), waves(), 2),
          target_(static_cast<std::size_t>(count)),
          push_(target_.size()),
          controls_(target_.size()),
          energy_(target_.size()),
          outcomes_(target_.size()),
          restart_(target_.size(), 1) {
        for (int world = 0; world < count; ++world) draw_parameters(world);
    }

    /// Simulates until so many steps were taken in all, and checks each.
    void run(long steps) {
        for (long taken = 0, call = 0; taken < steps; taken += batch_.count(), ++call) {
            restart();
            if (call % 50 == 0) draw_controls();
            for (int i = 0; i < batch_.count(); ++i) energy_[at(i)] = batch_.energies(i);
            (void)batch_.step(controls_, 1, outcomes_);
            for (int i = 0; i < batch_.count(); ++i) check(i);
        }
    }

    std::map<grbda::Status, long> ends;
    long falls = 0;
    double worst = 0, worst_divided = 0;  ///< energy that no work explains, over what is allowed

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    double uniform(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random_);
    }
    std::vector<int> motors() const {
        std::vector<int> result;
        for (int i = 0; i < model_.body_count(); ++i)
            if (model_.actuated[i]) result.push_back(i);
        return result;
    }
    static SimulatorOptions options(const Model& model, double step) {
        SimulatorOptions options;
        options.step = step;
        options.servo_stiffness.assign(at(model.nv_tree), 0);
        options.servo_damping.assign(at(model.nv_tree), 0);
        for (int i = 0; i < model.body_count(); ++i) {
            if (!model.actuated[i]) continue;
            options.servo_stiffness[model.bodies[i].v] = 1000;
            options.servo_damping[model.bodies[i].v] = 30;
        }
        return options;
    }

    void draw_parameters(int world) {
        VectorXd inertial = grbda::inertial_parameters(model_);
        for (int i = 0; i < model_.carrier_count(); ++i) inertial.segment(10 * i, 10) *= uniform(0.8, 1.2);
        const SimulatorOptions& given = batch_.options();
        VectorXd stiffness(model_.nv_tree), damping(model_.nv_tree);
        for (int v = 0; v < model_.nv_tree; ++v) {
            stiffness[v] = given.servo_stiffness[v] * uniform(0.7, 1.3);
            damping[v] = given.servo_damping[v] * uniform(0.7, 1.3);
        }
        const auto span = [](const VectorXd& x) {
            return std::span<const double>(x.data(), static_cast<std::size_t>(x.size()));
        };
        grbda::SimulationParameters own;
        own.inertial_parameters = span(inertial);
        own.servo_stiffness = span(stiffness);
        own.servo_damping = span(damping);
        own.gravity = grbda::Vector3<double>{uniform(-1, 1), uniform(-1, 1), uniform(-10.5, -9)};
        own.friction = uniform(0.2, 1.2);
        own.delay = static_cast<int>(uniform(0, 4));
        batch_.set_parameters(world, own);
    }

    /// Above the ground, bent and moving at random; now and then as it cannot stand.
    void restart() {
        Eigen::MatrixXd q(model_.nq, batch_.count()), qd(model_.nv_tree, batch_.count());
        Workspace<double> data(model_);
        for (int i = 0; i < batch_.count(); ++i) {
            if (restart_[at(i)] == 0) continue;
            VectorXd shift = random_vector(random_, model_.nv, 0.1 * violence_), moved(model_.nq);
            q.col(i) = grbda::integrate<double>(model_, data, stand_, shift, moved).ok() ? moved : stand_;
            q(2, i) += uniform(0.05, 0.3);
            qd.col(i) = random_vector(random_, model_.nv_tree, violence_);
        }
        std::vector<grbda::Status> statuses(restart_.size());
        (void)batch_.set_states(restart_, q, qd, 0, statuses);
        for (std::size_t i = 0; i < restart_.size(); ++i)
            if (restart_[i] != 0 && statuses[i] == grbda::Status::ok) restart_[i] = 0;
    }

    void draw_controls() {
        for (int i = 0; i < batch_.count(); ++i) {
            target_[at(i)].assign(at(model_.nv_tree), 0);
            for (const int body : motors())
                target_[at(i)][at(model_.bodies[body].v)] =
                    stand_[model_.bodies[body].q] + violence_ * uniform(-0.2, 0.2);
            push_[at(i)] = {model_.frame("torso").index,
                            uniform(0, 1) < 0.2 ? Vector3d(100 * violence_ * random_vector(random_, 3))
                                                : Vector3d(0, 0, 0),
                            Vector3d(0, 0, 0)};
            controls_[at(i)].target = target_[at(i)];
            controls_[at(i)].external = {&push_[at(i)], 1};
        }
    }

    /// The law of energy, with energies of both ends computed apart from the step.
    void check(int i) {
        const StepOutcome& outcome = outcomes_[at(i)];
        ++ends[outcome.result.status];
        const grbda::Energies before = energy_[at(i)], after = batch_.energies(i);
        INFO("world " << i << ", " << to_string(outcome.result.status));
        REQUIRE(batch_.q(i).allFinite());
        if (outcome.result.ok()) {
            const grbda::EnergyBalance& work = outcome.energy;
            const double change = after.kinetic + after.gravity - before.kinetic - before.gravity;
            const double size = before.kinetic + after.kinetic + std::abs(before.gravity) * 1e-7 + 1e-6;
            const double unexplained = change - work.controls - work.passive - work.repair;
            double& largest = outcome.parts == 1 ? worst : worst_divided;
            largest = std::max(largest, unexplained / (1e-5 * size * outcome.parts));
        } else {
            CHECK(after.sum() == before.sum());  // the state is that before the step
        }
        const bool fallen = batch_.q(i)[2] < -0.5 || batch_.q(i).head<2>().norm() > 3.5;
        falls += fallen;
        restart_[at(i)] = fallen || !outcome.result.ok() || batch_.time(i) > 4;
    }

    double violence_;  ///< of starts, pushes and motors
    Random random_;
    const Model& model_;
    VectorXd stand_;
    BatchSimulator batch_;
    std::vector<std::vector<double>> target_;
    std::vector<grbda::ExternalWrench> push_;
    std::vector<Controls> controls_;
    std::vector<grbda::Energies> energy_;
    std::vector<StepOutcome> outcomes_;
    std::vector<char> restart_;
};

/// Simulates a robot with two steps, and checks how its steps end.
void run_worlds(const Model& model, double violence, long steps) {
    for (const double step : {1e-3, 4e-3}) {
        Worlds worlds(model, step, violence, 40);
        worlds.run(steps);
        for (const auto& [status, count] : worlds.ends)
            UNSCOPED_INFO("steps of " << step << " s, " << to_string(status) << ": " << count);
        UNSCOPED_INFO("falls: " << worlds.falls << ", energy: " << worlds.worst);
        CHECK(worlds.worst < 1);
        CHECK(worlds.worst_divided < 1);
        CHECK(worlds.ends[grbda::Status::ok] > 999 * steps / 1000);
    }
}

}  // namespace

TEST_CASE("digit on random ground obeys the law of energy in every step") {
    run_worlds(named("digit").model, 1, 8000);
}

TEST_CASE("digit takes a million steps on random ground", "[.long]") {
    for (const double violence : {1, 5}) {
        run_worlds(named("digit").model, violence, 125000);
        run_worlds(tangible(named("digit").model), violence, 125000);
    }
}
