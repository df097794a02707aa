#include <algorithm>
#include <limits>

#include "simulation/simulation_fixture.hpp"

// Derivatives of a step through its contacts, against differences of whole steps, each with its own impulses.

using namespace simulation_test;

namespace {

using Eigen::MatrixXd;

/// Ends of steps from beside a state, in the coordinates at it.
class Steps {
public:
    Steps(const Model& model, const SimulatorOptions& options, const Ground& ground, const VectorXd& q,
          const VectorXd& qd, const VectorXd& tau_s, const grbda::GroundMotion& motion = {}, double time = 0)
        : model_(model), simulator_(model, options, ground), data_(model), q_(q), tau_s_(tau_s), time_(time) {
        simulator_.set_ground(ground, motion);
        REQUIRE(simulator_.set_state(q, qd, time).ok());
        A.resize(2 * model.nv, 2 * model.nv);
        B.resize(2 * model.nv, model.nv_tree);
        result = simulator_.step_derivatives(controls(tau_s_), A, B);
        data_.chart = simulator_.chart();
        yd_.resize(model.nv);
        grbda::independent_part<double>(model, data_, qd, yd_);
        q_end_ = q;
        end(VectorXd::Zero(2 * model.nv + model.nv_tree), true);
    }

    VectorXd slope(Eigen::Index k, double by) {
        VectorXd x = VectorXd::Zero(2 * model_.nv + model_.nv_tree);
        x[k] = by;
        const VectorXd ahead = end(x);
        x[k] = -by;
        return (ahead - end(x)) / (2 * by);
    }
    /// By Richardson's extrapolation, of fourth order.
    VectorXd smooth_slope(Eigen::Index k, double by) { return (4 * slope(k, by / 2) - slope(k, by)) / 3; }
    Eigen::Index contacts() const { return static_cast<Eigen::Index>(simulator_.contacts().size()); }

    MatrixXd A, B;
    grbda::Result result;

private:
    static Controls controls(const VectorXd& tau_s) {
        Controls controls;
        controls.tau_s = {tau_s.data(), static_cast<std::size_t>(tau_s.size())};
        return controls;
    }

    VectorXd end(const VectorXd& change, bool first = false) {
        const Eigen::Index n = model_.nv;
        VectorXd q = q_, yd = yd_ + change.segment(n, n), out(2 * n), way(n), yd_end(n);
        REQUIRE(grbda::integrate<double>(model_, data_, q_, change.head(n), q).ok());
        REQUIRE(grbda::spanning_velocity<double>(model_, data_, q, yd).ok());
        REQUIRE(simulator_.set_state(q, VectorXd(data_.qd), time_).ok());
        const VectorXd tau_s = tau_s_ + change.tail(model_.nv_tree);
        REQUIRE(simulator_.step(controls(tau_s)).result.ok());
        if (first) q_end_ = simulator_.q();
        grbda::independent_part<double>(model_, data_, simulator_.velocity(), yd_end);
        REQUIRE(grbda::difference<double>(model_, data_, q_end_, simulator_.q(), way).ok());
        out << way, yd_end;
        return out;
    }

    const Model& model_;
    Simulator simulator_;
    Workspace<double> data_;
    VectorXd q_, yd_, tau_s_, q_end_;
    double time_;
};

/// Compares all columns. Forces by what they do; where contacts hold against them all but a little, also by
/// what they would do without: `unhindered`.
void check(const Model& model, Steps& steps, const MatrixXd& unhindered) {
    REQUIRE(steps.result.ok());
    const Eigen::Index n = model.nv;
    for (Eigen::Index k = 0; k < 2 * n; ++k) {
        // short differences show how far the solver's answer is from the last digit, long ones leave the
        // smooth piece
        double off = std::numeric_limits<double>::infinity();
        for (const double nudge : {2e-6, 2e-5, 1e-4, 1e-3})
            off = std::min(off, relative(steps.A.col(k), steps.smooth_slope(k, nudge)));
        INFO("column " << k << " of A");
        CHECK(off < 2e-4);
    }
    for (Eigen::Index k = 0; k < model.nv_tree; ++k) {
        const double gain = steps.B.col(k).norm();
        if (gain == 0) continue;
        INFO("column " << k << " of B, which is " << gain);
        double off = std::numeric_limits<double>::infinity();
        for (const double nudge : {1e-5, 1e-4, 1e-3}) {
            const VectorXd expected =
                steps.smooth_slope(2 * n + k, nudge / std::max(gain, unhindered.col(k).norm()));
            off = std::min(off, (steps.B.col(k) - expected).norm());
        }
        CHECK(off < 2e-4 * gain + 1e-6 * unhindered.col(k).norm());
    }
}

/// Checks a step of a robot that lies on the ground, and returns its number of contacts.
Eigen::Index check_on_ground(const char* name, ContactModel contact, const grbda::GroundMotion& motion = {}) {
    INFO(name << ", model " << static_cast<int>(contact));
    Model model = tangible(named(name).model);
    SimulatorOptions options;
    options.contact = contact;
    options.friction = 0.6;
    options.servo_damping.assign(static_cast<std::size_t>(model.nv_tree), 0);
    for (const grbda::Body& body : model.bodies)
        if (velocity_size(body.joint) == 1) options.servo_damping[body.v] = 1e-3;
    const Plane ground{{0, 0, 1}, lowest_origin(model, grbda::neutral_configuration(model)) - 0.045};
    Simulator simulator(model, options, ground);
    simulator.set_ground(ground, motion);
    for (int i = 0; i < 60; ++i) REQUIRE(simulator.step().result.ok());
    Random random(3);
    const VectorXd tau_s = random_vector(random, model.nv_tree, 1e-3);
    // sunk in a little: where bodies just touch there is no derivative
    const Plane higher{ground.normal, ground.offset + 1e-4};
    Steps steps(model, options, higher, simulator.q(), simulator.velocity(), tau_s, motion, simulator.time());
    check(model, steps, Steps(model, options, {}, simulator.q(), simulator.velocity(), tau_s).B);
    return steps.contacts();
}

}  // namespace

TEST_CASE("derivatives of a step through contacts, limits and friction are those of its ends") {
    Eigen::Index contacts = 0;
    for (const char* name : {"mit_humanoid", "tello", "four_bar"})
        for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid})
            contacts += check_on_ground(name, contact);
    contacts += check_on_ground("digit_leg", ContactModel::compliant);
    CHECK(contacts > 8);
}

TEST_CASE("derivatives of a step on moving ground are those of its ends") {
    const grbda::GroundMotion motion{{0.2, -0.1, 0.3}, {0.1, 0.3, -0.2}};
    for (const char* name : {"mit_humanoid", "tello"})
        for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid})
            CHECK(check_on_ground(name, contact, motion) > 0);
}

// Three balls of one link share their normal there, slide in different ways, and multiply rounding by 1e7.
TEST_CASE("derivatives of a step of digit_leg on rigid contacts are those of its ends") {
    check_on_ground("digit_leg", ContactModel::rigid);
}

TEST_CASE("derivatives of a step without contacts are those of its ends, by every rule") {
    for (const StepRule rule : {StepRule::semi_implicit, StepRule::runge_kutta})
        for (const char* name : {"mini_cheetah", "stewart_platform", "slider_crank"}) {
            INFO(name << ", rule " << static_cast<int>(rule));
            const Model& model = named(name).model;
            SimulatorOptions options;
            options.rule = rule;
            options.limits = options.passive = false;
            Random random(5);
            State state;
            REQUIRE(random_state(model, random, state));
            Workspace<double> data(model);
            REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
            Steps steps(model, options, {}, state.q, data.qd, VectorXd::Zero(model.nv_tree));
            check(model, steps, steps.B);
        }
}

TEST_CASE("the status of a step without derivatives says so") {
    const Model& model = named("double_pendulum").model;
    MatrixXd A(2 * model.nv, 2 * model.nv), B(2 * model.nv, model.nv_tree);
    Simulator simulator(model);
    CHECK_THROWS_AS(simulator.step_derivatives({}, B, A), std::invalid_argument);
    REQUIRE(simulator.set_state(grbda::neutral_configuration(model), VectorXd::Constant(model.nv_tree, 1e3))
                .ok());
    CHECK(simulator.step_derivatives({}, A, B).status == grbda::Status::undefined);
    CHECK(std::isnan(A(0, 0)));
    CHECK(std::isnan(B(0, 0)));
}
