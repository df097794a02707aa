#include <algorithm>
#include <array>

#include "simulation/simulation_fixture.hpp"

#include "dynamics/aba.hpp"
#include "kinematics/kinematics.hpp"

// External wrenches against Newton's law, the work that they do, and wrenches of aba.

using namespace simulation_test;
using grbda::ExternalWrench;
using grbda::StepOutcome;

namespace {

int frame_of(const Model& model, int body) { return model.body_frame[body]; }

/// The same wrench on a body, as aba() takes it.
Eigen::MatrixXd in_body(const Model& model, const VectorXd& q, const ExternalWrench& x) {
    Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    Eigen::MatrixXd wrenches = Eigen::MatrixXd::Zero(6, model.body_count());
    VectorXd wrench(6);
    wrench << x.force, x.moment;
    grbda::add_frame_wrench<double>(model, data, x.frame, grbda::ReferenceFrame::world_aligned, wrench,
                                    wrenches);
    return wrenches;
}

}  // namespace

TEST_CASE("a force through the centre moves a free cube straight, and a moment turns it") {
    const double mass = 2, side = 0.3, time = 0.5;
    const Model model = grbda::with_gravity(cube(mass, side), {0, 0, 0});
    for (const StepRule rule : {StepRule::semi_implicit, StepRule::runge_kutta, StepRule::adaptive}) {
        SimulatorOptions options;
        options.rule = rule;
        Simulator simulator(model, options);
        const std::array<ExternalWrench, 1> external{{{frame_of(model, 0), {3, -1, 2}, {0, 0, 0}}}};
        grbda::Controls controls;
        controls.external = external;
        double work = 0;
        while (simulator.time() < time - 1e-9) {
            const StepOutcome outcome = simulator.step(controls);
            REQUIRE(outcome.result.ok());
            work += outcome.energy.controls;
        }
        const Vector3d expected = external[0].force * (time * time / (2 * mass));
        const double tolerance = rule == StepRule::semi_implicit ? 3e-3 : 1e-9;
        CHECK((simulator.q().head<3>() - expected).norm() < tolerance * expected.norm());
        CHECK(simulator.energies().kinetic == Approx(external[0].force.dot(expected)).epsilon(tolerance));
        if (rule != StepRule::adaptive)  // whose balance has impulses alone
            CHECK(work == Approx(simulator.energies().kinetic).epsilon(tolerance));
    }
    Simulator turned(model);
    const std::array<ExternalWrench, 1> couple{{{frame_of(model, 0), {0, 0, 0}, {0, 0, 0.02}}}};
    grbda::Controls controls;
    controls.external = couple;
    for (int i = 0; i < 500; ++i) REQUIRE(turned.step(controls).result.ok());
    const double inertia = mass * side * side / 6;
    CHECK(turned.velocity()[5] == Approx(0.02 * time / inertia).epsilon(1e-6));
    CHECK(turned.q().head<3>().norm() < 1e-12);
}

TEST_CASE("the first step under an external wrench is that of aba, on any body of any robot") {
    for (const char* name : {"ur10e", "mini_cheetah", "six_bar", "digit_leg", "tello", "stewart_platform"}) {
        INFO(name);
        const Model& model = named(name).model;
        Random random(5);
        State state;
        REQUIRE(random_state(model, random, state));
        SimulatorOptions options;
        options.rule = StepRule::runge_kutta;
        options.passive = options.limits = false;
        options.step = 1e-5;
        Simulator simulator(model, options);
        Workspace<double> data(model);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, VectorXd::Zero(model.nv)).ok());
        const VectorXd at_rest = data.qd;
        for (int body = 0; body < model.body_count(); ++body) {
            INFO("body " << body);
            if (is_length(model, body)) continue;
            const std::array<ExternalWrench, 1> external{
                {{frame_of(model, body), random_vector(random, 3, 5), random_vector(random, 3, 1)}}};
            grbda::Controls controls;
            controls.external = external;
            REQUIRE(simulator.set_state(state.q, at_rest).ok());
            REQUIRE(simulator.step(controls).result.ok());
            REQUIRE(grbda::aba<double>(model, data, state.q, VectorXd::Zero(model.nv),
                                       VectorXd::Zero(model.nv), in_body(model, state.q, external[0]))
                        .ok());
            const VectorXd ydd = data.ydd;
            REQUIRE(grbda::spanning_acceleration<double>(model, data, state.q, VectorXd::Zero(model.nv), ydd)
                        .ok());
            const VectorXd expected = data.qdd * options.step;
            CHECK((simulator.velocity() - expected).norm() < 1e-5 * expected.norm());
        }
    }
}

TEST_CASE("a pushed robot that stands takes the work of the push, and the push has no part in repairs") {
    Model model = tangible(named("mini_cheetah").model);
    Simulator simulator(model, {}, Plane{{0, 0, 1}, -0.6});
    const std::array<ExternalWrench, 1> external{{{frame_of(model, 0), {20, 10, 0}, {0, 0, 1}}}};
    grbda::Controls controls;
    controls.external = external;
    for (int i = 0; i < 300; ++i) {
        const StepOutcome outcome = simulator.step(controls);
        REQUIRE(outcome.result.ok());
        CHECK(outcome.energy.violation <= 1e-6 * (1 + simulator.energies().kinetic));
    }
}

TEST_CASE("external wrenches on what is no body are refused") {
    const Model& model = named("digit_leg").model;
    Simulator simulator(model);
    const auto step = [&](int frame) {
        const std::array<ExternalWrench, 1> external{{{frame, {1, 0, 0}, {0, 0, 0}}}};
        grbda::Controls controls;
        controls.external = external;
        (void)simulator.step(controls);
    };
    CHECK_THROWS_AS(step(-1), std::invalid_argument);
    CHECK_THROWS_AS(step(static_cast<int>(model.frames.size())), std::invalid_argument);
    const auto on_rod = std::find_if(model.frames.begin(), model.frames.end(),
                                     [&](const grbda::Frame& x) { return model.is_rod(x.body); });
    REQUIRE(on_rod != model.frames.end());
    CHECK_THROWS_WITH(step(static_cast<int>(on_rod - model.frames.begin())), Catch::Contains("of a rod"));
}
