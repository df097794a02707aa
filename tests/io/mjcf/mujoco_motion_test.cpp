#include "grbda/io/mjcf.hpp"
#include "io/mjcf/mujoco_fixture.hpp"
#include "simulation/simulation_fixture.hpp"

// Motions compared with those of MuJoCo by its Runge–Kutta rule with many steps.

using namespace simulation_test;
using written_joints::mechanism_of;

namespace {

constexpr double kTime = 0.2, kStep = 1e-4;  // s
constexpr double kSame = 1e-6;               // of positions, rad or m

/// Adaptive steps from a state; nothing if they end early.
bool move(const Model& model, VectorXd& q, VectorXd& qd) {
    SimulatorOptions options;
    options.rule = StepRule::adaptive;
    options.tolerance = 1e-11;
    options.step = kTime / 10;
    options.limits = options.contacts = false;
    Simulator simulator(model, options);
    if (!simulator.set_state(q, qd).ok()) return false;
    for (int i = 0; i < 10; ++i)
        if (!simulator.step().result.ok()) return false;
    q = simulator.q();
    qd = simulator.velocity();
    return true;
}

}  // namespace

TEST_CASE("open robots move as in MuJoCo") {
    int compared = 0;
    at_random_states(all(), 1, 19, [&](const Robot& robot, const State& state, Random& random) {
        grbda::Mechanism mechanism = mechanism_of(robot.description, robot.options);
        if (!mechanism.loops.empty() || !mechanism.couplings.empty()) return;
        mechanism.shapes.clear();
        for (grbda::MechanismBody& body : mechanism.bodies) body.friction = 0;
        grbda::Diagnostics findings;
        const Model model = grbda::build_model(mechanism, {}, findings);
        const std::string text = grbda::write_mjcf(mechanism, findings);
        if (has_errors(findings) || text.empty()) return;
        mujoco_fixture::Simulated simulated = mujoco_fixture::load(text);
        INFO(simulated.error);
        REQUIRE(simulated.model != nullptr);
        mjModel& other = *simulated.model;
        if (other.neq > 0) return;  // screws, which MuJoCo holds softly
        other.opt.integrator = mjINT_RK4;
        other.opt.timestep = kStep;
        VectorXd q = state.q, qd = random_vector(random, model.nv_tree);
        mujoco_fixture::set_state(simulated, mujoco_fixture::Mapping(mechanism, model, q, other), qd);
        if (!move(model, q, qd)) return;
        while (simulated.data->time < kTime - kStep / 2) mj_step(&other, simulated.data.get());
        const mujoco_fixture::Mapping end(mechanism, model, q, other);
        const VectorXd qpos = Eigen::Map<const VectorXd>(simulated.data->qpos, other.nq);
        const VectorXd qvel = Eigen::Map<const VectorXd>(simulated.data->qvel, other.nv);
        CHECK(relative(qpos, end.qpos) < kSame);
        CHECK(relative(qvel, end.S * qd) < 10 * kSame);
        ++compared;
    });
    CHECK(compared > 0);
}
