#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "grbda/dynamics/aba.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "grbda/search/search.hpp"
#include "groups.hpp"
#include "standing.hpp"
#include "timing.hpp"

// Steps of a standing robot: simulate/ROBOT/grbda, and simulate/ROBOT/aba at configurations of its
// motion.

namespace grbda::benchmarks {
namespace {

/// Digit with level soles on the plane z = 0, and its torso upright.
VectorX<double> digit_pose(const Model& model) {
    VectorX<double> q = neutral_configuration(model);
    Data data(model);
    if (!forward_kinematics(model, data, q)) throw std::logic_error("a pose is not ok");
    const Eigen::Matrix3d level = Eigen::Matrix3d::Identity();
    std::vector<FrameTarget> targets{{model.frame("torso").index, Eigen::Vector3d(0, 0, 0.85), level}};
    for (const char* name : {"left_foot", "right_foot"}) {
        const int foot = model.frame(name).index;
        targets.push_back({foot, Eigen::Vector3d(0.02, frame_position(model, data, foot).y(), 0), level});
    }
    if (!inverse_kinematics(model, data, targets, q).converged())
        throw std::logic_error("the feet of digit do not reach the ground");
    return q;
}

/// Throws unless the robot stands with the expected contacts and weight.
void check(const Standing& standing, const Model& model) {
    StandingRobot robot(standing, model);
    double impulse = 0;
    int least = 1000, most = 0;
    for (int i = 0; i < steps_of_second; ++i) {
        if (!robot.step().result) throw std::logic_error("a step is not ok");
        int count = 0;
        for (const ContactState& x : robot.simulator().contacts()) {
            impulse += x.impulse[2];
            count += x.impulse[2] > 0 ? 1 : 0;
        }
        least = std::min(least, count);
        most = std::max(most, count);
    }
    check_contacts(standing, least, most);
    check_weight(impulse / (moving_mass(model) * 9.81));
}

/// States of the robot's motion during a second.
Subject states_of(const Standing& standing, const Model& model) {
    StandingRobot robot(standing, model);
    Subject subject{model, {}};
    for (std::size_t i = 0; i < state_count; ++i) {
        for (int k = 0; k < steps_of_second / static_cast<int>(state_count); ++k) robot.step();
        State state;
        state.q = robot.simulator().q();
        state.yd = independent_part(model, robot.simulator().velocity());
        state.tau = VectorX<double>::Zero(model.nv);
        subject.states.push_back(state);
    }
    return subject;
}

void time_step(benchmark::State& timer, const Standing& standing) {
    const Model model = load_robot(standing.robot);
    check(standing, model);
    StandingRobot robot(standing, model);
    double iterations = 0;
    for (auto iteration : timer) {
        (void)iteration;
        const StepOutcome outcome = robot.step();
        benchmark::DoNotOptimize(outcome.contacts);
        iterations += outcome.contact.iterations;
        if (!outcome.result) return timer.SkipWithError("a step is not ok");
    }
    timer.counters["iterations"] = benchmark::Counter(iterations, benchmark::Counter::kAvgIterations);
}

void time_aba(benchmark::State& timer, const Standing& standing) {
    const Subject subject = states_of(standing, load_robot(standing.robot));
    Data data(subject.model);
    time_states(timer, subject, data.ydd.data(),
                [&](const State& state) { return aba(subject.model, data, state.q, state.yd, state.tau); });
}

}  // namespace

const std::vector<Standing>& standing_robots() {
    static const std::vector<Standing> robots = [] {
        Standing humanoid{"mit_humanoid", -0.747251, 8, 8, {}}, cheetah{"mini_cheetah", -0.409, 4, 4, {}},
            digit{"digit", 0, 4, 8, {}, true, 30, digit_pose};
        for (const std::string side : {"left_", "right_"}) {
            humanoid.joints.push_back({side + "hipx_to_hipy_link", -0.2});
            humanoid.joints.push_back({side + "hipy_to_knee_link", 0.4});
            humanoid.joints.push_back({side + "knee_to_ankle", -0.2});
        }
        for (const std::string leg : {"FR_", "FL_", "HR_", "HL_"}) {
            cheetah.joints.push_back({leg + "abad_to_hip_j", 0.3});
            cheetah.joints.push_back({leg + "hip_to_knee_j", -0.6});
        }
        for (const std::string side : {"left_", "right_"})
            digit.joints.push_back({side + "motor_hip_y", 0.01});
        return std::vector{humanoid, cheetah, digit};
    }();
    return robots;
}

VectorX<double> pose_of(const Standing& standing, const Model& model) {
    return standing.pose ? standing.pose(model) : neutral_configuration(model);
}

std::vector<Servo> servos_of(const Standing& standing, const Model& model) {
    const VectorX<double> pose = pose_of(standing, model);
    std::vector<Servo> servos;
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        if (body.rotor || velocity_size(body.joint) != 1) continue;
        if (standing.motors_only && !model.actuated[i]) continue;
        servos.push_back({i, body.v, standing.pose ? pose[body.q] : 0, 0});
        for (const Standing::Joint& joint : standing.joints)
            if (model.names.joints[i] == joint.name) servos.back().bend = joint.bend;
    }
    return servos;
}

SimulatorOptions with_servos(const Standing& standing, const Model& model) {
    SimulatorOptions options;
    options.step = simulated_step;
    options.servo_stiffness.assign(at(model.nv_tree), 0);
    options.servo_damping.assign(at(model.nv_tree), 0);
    for (const Servo& servo : servos_of(standing, model)) {
        options.servo_stiffness[servo.v] = servo_stiffness;
        options.servo_damping[servo.v] = standing.servo_damping;
    }
    return options;
}

void bend_servos(const std::vector<Servo>& servos, double time, Table<double>& target) {
    const double part = bent(time);
    for (const Servo& servo : servos) target[servo.v] = servo.target + part * servo.bend;
}

double moving_mass(const Model& model) {
    double mass = 0;
    for (const Inertial& inertial : model.inertials) mass += inertial.mass;
    return mass;
}

double bent(double time) { return (1 - std::cos(2 * std::numbers::pi * time)) / 2; }

void check_contacts(const Standing& standing, int least, int most) {
    if (least < standing.least_contacts || most != standing.most_contacts)
        throw std::logic_error("wrong contacts: " + std::to_string(least) + " to " + std::to_string(most));
}

void check_weight(double weight) {
    if (!(std::abs(weight - 1) < 0.01))
        throw std::logic_error("ground carries: " + std::to_string(weight) + " of m g");
}

StandingRobot::StandingRobot(const Standing& standing, const Model& model)
    : servos_(servos_of(standing, model)),
      target_(at(model.nv_tree), 0.),
      simulator_(model, with_servos(standing, model), Plane{{0, 0, 1}, standing.ground}) {
    const VectorX<double> rest = VectorX<double>::Zero(model.nv_tree);
    if (!simulator_.set_state(pose_of(standing, model), rest)) throw std::logic_error("a pose is not ok");
    for (int i = 0; i < steps_of_second; ++i)
        if (!step().result) throw std::logic_error("a step is not ok");
}

StepOutcome StandingRobot::step() {
    bend_servos(servos_, simulator_.time(), target_);
    return simulator_.step({{}, target_, {}});
}

void register_simulation() {
    for (const Standing& standing : standing_robots()) {
        const auto add = [&](const std::string& what, auto time) {
            benchmark::RegisterBenchmark(("simulate/" + standing.robot + "/" + what).c_str(),
                                         [=](benchmark::State& timer) {
                                             try {
                                                 time(timer, standing);
                                             } catch (const std::logic_error& error) {
                                                 timer.SkipWithError(error.what());
                                             }
                                         });
        };
        add("aba", time_aba);
        add("grbda", time_step);
    }
}

}  // namespace grbda::benchmarks
