#include <Eigen/Geometry>

#include "grbda/io/mjcf.hpp"
#include "simulation/simulation_fixture.hpp"

// Servos and dry friction of MJCF files in motion, against MuJoCo 3.17.0: RK4 with steps of 1e-5 s for the
// arm; Euler with steps of 2e-5 s, solref 4e-5 1 and solimp 0.9999 0.9999 for the box.

using namespace simulation_test;

namespace {

Model read(const std::string& text) {
    grbda::Diagnostics findings;
    const grbda::RobotDescription robot = grbda::read_mjcf(text, "robot.xml", findings);
    REQUIRE_FALSE(has_errors(findings));
    return grbda::build_model(robot);
}

Model arm(const std::string& range) {
    return read(R"(<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
        <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping="0.1"/>
        <geom type="box" size="0.15 0.03 0.03" pos="0.15 0 0" mass="2"/><body name="lower" pos="0.3 0 0">
        <joint name="elbow" axis="0 1 0" armature="0.02"/><geom type="box" size="0.1 0.02 0.02" pos="0.1 0 0" mass="1"/>
        </body></body></worldbody><actuator><position joint="shoulder" kp="60" kv="4" )" +
                range +
                R"(/><general joint="elbow" gear="2" gainprm="10" biastype="affine" biasprm="0.5 -10 -0.6"/>
        </actuator></mujoco>)");
}

/// q and q̇ of the arm after 0.3 s, under the controls −0.2 and 0.3.
Eigen::Vector4d moved(const Model& model, SimulatorOptions options) {
    options.contacts = false;
    Simulator simulator(model, options);
    REQUIRE(simulator.set_state(Eigen::Vector2d(0.4, -0.7), Eigen::Vector2d::Zero()).ok());
    const grbda::ServoDescription& elbow = *model.servos[model.joint("elbow").index];
    const std::vector<double> target{-0.2, 0.3 / 2 + elbow.target};
    while (simulator.time() < 0.3 - options.step / 2)
        REQUIRE(simulator.step({.tau_s = {}, .target = target, .target_rate = {}}).result.ok());
    Eigen::Vector4d end;
    end << simulator.q(), simulator.velocity();
    return end;
}

void check_against(const Model& model, const Eigen::Vector4d& expected, double exact, double last) {
    SimulatorOptions options = grbda::with_servos(model);
    double error = 0;
    for (const double step : {2e-3, 1e-3, 5e-4}) {
        options.step = step;
        const double before = error;
        error = (moved(model, options) - expected).norm();
        INFO("step " << step << ": error " << error);
        if (before > 0) CHECK(error < 0.6 * before);  // first order
    }
    CHECK(error < last);
    options.step = 1e-3;
    options.rule = grbda::StepRule::runge_kutta;
    CHECK((moved(model, options) - expected).norm() < exact);
    options.rule = grbda::StepRule::adaptive;
    CHECK((moved(model, options) - expected).norm() < exact);
}

}  // namespace

TEST_CASE("an arm with servos of its file moves as in MuJoCo, to first order in the step") {
    check_against(arm(""),
                  {-0.10725537200021155, 0.18889658068116452, 0.22998183973790484, 0.16020413697707914}, 1e-7,
                  1e-2);
}

TEST_CASE("and with a servo at its largest force") {
    const Model model = arm("forcerange=\"-9 9\"");
    CHECK(grbda::with_servos(model).servo_force[0] == 9);
    check_against(model,
                  {-0.09511133496517807, 0.1865133224227604, -0.6118577605188444, -0.054343897792549375},
                  1e-4, 3e-2);
}

TEST_CASE("wrong limits of servos are refused, and simulators use none that the options do not have") {
    const Model model = arm("");
    SimulatorOptions options = grbda::with_servos(model);
    options.servo_force = {1};
    CHECK_THROWS_AS(Simulator(model, options), std::invalid_argument);
    options.servo_force = {1, -1};
    CHECK_THROWS_AS(Simulator(model, options), std::invalid_argument);
    options.servo_force = {};
    CHECK(Simulator(model, options).model().armature[0] > 0);
    CHECK(Simulator(model, {}).options().servo_stiffness.empty());
}

TEST_CASE("dry friction slows a floating box along the world's axes and about its own, as in MuJoCo") {
    const Model model = read(R"(<mujoco><option gravity="0 0 0"/><worldbody><body name="base" pos="0 0 1">
        <joint name="root" type="free" frictionloss="0.2" damping="0.1" armature="0.5"/>
        <geom type="box" size=".1 .2 .05" pos=".03 .02 .01" mass="2"/></body></worldbody></mujoco>)");
    SimulatorOptions options;
    options.step = 1e-4;
    options.contacts = false;
    Simulator simulator(model, options);
    VectorXd q(7), qd(6);
    q << 0, 0, 1, 0, 0, 0.3826834323650898, 0.9238795325112867;
    const auto rotation = [](const VectorXd& at) {
        return Eigen::Quaterniond(at[6], at[3], at[4], at[5]).toRotationMatrix();
    };
    qd << rotation(q).transpose() * Vector3d(1, 0.02, -0.5), 2, -1, 3;
    REQUIRE(simulator.set_state(q, qd).ok());
    while (simulator.time() < 0.3 - options.step / 2) REQUIRE(simulator.step().result.ok());
    VectorXd expected_q(7), expected_qd(6);
    expected_q << 0.28793840457982695, 0.015237358022618077, 0.8562589737205709, 0.3003014516478038,
        -0.015177950765543619, 0.7070946907554115, 0.6400045048703081;
    expected_qd << 0.9117152343117848, 0.06866044348314632, -0.4500945635159958, 1.8129200878469363,
        -0.8075288834025536, 2.7034785169886657;
    VectorXd found = simulator.velocity();
    found.head<3>() = rotation(simulator.q()) * found.head<3>().eval();
    CHECK((simulator.q() - expected_q).norm() < 3e-4);
    CHECK((found - expected_qd).norm() < 1e-3);
}

TEST_CASE(
    "dry friction holds a floating box against a smaller push along the world's axes, and brings it to "
    "rest") {
    const Model model = read(R"(<mujoco><option gravity="0 0 0"/><worldbody><body name="base">
        <joint name="root" type="free" frictionloss="0.2"/><geom type="box" size=".1 .2 .05" mass="2"/></body>
        </worldbody></mujoco>)");
    SimulatorOptions options;
    options.contacts = false;
    Simulator simulator(model, options);
    VectorXd q(7), qd = VectorXd::Zero(6);
    q << 0, 0, 0, 0, 0, 0.3826834323650898, 0.9238795325112867;
    REQUIRE(simulator.set_state(q, qd).ok());
    // 0.27 N along both body axes' diagonal, the world's y: more than 0.2 N; along a body axis: less along
    // each
    const double half = std::sqrt(0.5);
    const std::vector<double> held{0.27, 0, 0, 0, 0, 0}, moved{0.27 * half, 0.27 * half, 0, 0, 0, 0};
    for (int i = 0; i < 100; ++i)
        REQUIRE(simulator.step({.tau_s = held, .target = {}, .target_rate = {}}).result.ok());
    CHECK(simulator.velocity().norm() < 1e-4);
    for (int i = 0; i < 100; ++i)
        REQUIRE(simulator.step({.tau_s = moved, .target = {}, .target_rate = {}}).result.ok());
    const Vector3d along = simulator.velocity().head<3>();
    CHECK(std::abs(along.norm() - (0.27 - 0.2) * 0.1 / 2) < 1e-4);
    for (int i = 0; i < 200; ++i) REQUIRE(simulator.step().result.ok());
    CHECK(simulator.velocity().norm() < 1e-4);
}
