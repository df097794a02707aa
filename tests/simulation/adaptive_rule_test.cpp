#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include "dynamics/crba.hpp"
#include "simulation/integrator/dormand_prince.hpp"
#include "simulation/simulation_fixture.hpp"

// The adaptive rule within its steps, and where joints meet their limits.

namespace {

using namespace simulation_test;
using Eigen::MatrixXd;

SimulatorOptions adaptive(double step, double tolerance = 1e-10) {
    SimulatorOptions options;
    options.rule = StepRule::adaptive;
    options.step = step;
    options.tolerance = tolerance;
    options.passive = false;
    return options;
}

/// A chain of rods of 1 m and 1 kg that turn about y, each from straight down, with ranges of their joints.
Model rods(const std::vector<std::pair<double, double>>& ranges,
           const std::vector<grbda::CouplingDescription>& couplings = {}) {
    grbda::RobotDescription robot;
    robot.couplings = couplings;
    robot.name = "rods";
    robot.links.push_back({"world_link", {}, {}});
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const std::string name = "rod" + std::to_string(i);
        grbda::LinkDescription rod;
        rod.name = name;
        rod.inertial =
            grbda::Inertial{1, {0, 0, -0.5}, Vector3d(1. / 12, 1. / 12, 1e-4).asDiagonal().toDenseMatrix()};
        robot.links.push_back(rod);
        grbda::JointDescription joint;
        joint.name = "joint" + std::to_string(i);
        joint.type = grbda::JointType::revolute;
        joint.axis = {0, 1, 0};
        joint.parent = robot.links[i].name;
        joint.child = name;
        if (i > 0) joint.origin.translation = {0, 0, -1};
        joint.limits.lower = ranges[i].first;
        joint.limits.upper = ranges[i].second;
        robot.joints.push_back(joint);
    }
    return grbda::build_model(robot, {});
}

struct Point {
    VectorXd q, qd;
};

Point state_at(Simulator& simulator, double time) {
    Point point{VectorXd(simulator.model().nq), VectorXd(simulator.model().nv_tree)};
    REQUIRE(simulator.state_at(time, point.q, point.qd).ok());
    return point;
}

constexpr double endless = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE(
    "the coefficients of dense output meet the conditions of order 6, with the derivatives of both ends") {
    using namespace grbda::simulation::dormand_prince;
    std::array<double, stages + 1> times{};
    std::array<DenseRow, stages + 1> rows{};
    for (std::size_t i = 0; i < stages; ++i) {
        times[i] = c[i];
        std::copy(a[i].begin(), a[i].end(), rows[i].begin());
    }
    times[stages] = 1;
    std::copy(b.begin(), b.end(), rows[stages].begin());
    const auto weight = [](std::size_t stage, double theta) {
        double sum = 0, power = theta;
        for (std::size_t k = 0; k < dense_degree; ++k, power *= theta) sum += dense_weights[k][stage] * power;
        return sum;
    };
    const auto inner = [&](std::size_t i, auto&& term) {
        double sum = 0;
        for (std::size_t j = 0; j <= stages; ++j) sum += rows[i][j] * term(j);
        return sum;
    };
    for (const double theta : {0.1, 0.37, 0.5, 0.83, 1.}) {
        const auto total = [&](auto&& term) {
            double sum = 0;
            for (std::size_t i = 0; i <= stages; ++i) sum += weight(i, theta) * term(i);
            return sum;
        };
        for (int k = 0; k < 6; ++k) {
            const auto power = [&](std::size_t i) { return std::pow(times[i], k); };
            CHECK(total(power) == Approx(std::pow(theta, k + 1) / (k + 1)).margin(1e-12));
            const auto once = [&](std::size_t i) { return inner(i, power); };
            const auto twice = [&](std::size_t i) { return inner(i, once); };
            if (k < 5)
                CHECK(total(once) == Approx(std::pow(theta, k + 2) / ((k + 1) * (k + 2))).margin(1e-12));
            if (k < 4)
                CHECK(total(twice) ==
                      Approx(std::pow(theta, k + 3) / ((k + 1) * (k + 2) * (k + 3))).margin(1e-12));
        }
    }
    for (std::size_t i = 0; i <= stages; ++i) {
        double begin = dense_weights[0][i], end = 0;
        for (std::size_t k = 0; k < dense_degree; ++k) end += double(k + 1) * dense_weights[k][i];
        CHECK(begin == (i == 0 ? 1 : 0));
        CHECK(end == Approx(i == stages ? 1 : 0).margin(1e-11));
        CHECK(weight(i, 1) == Approx(i < stages ? b[i] : 0).margin(1e-11));
    }
}

TEST_CASE("the state within an adaptive step is that of a step that ends there, on every robot") {
    int compared = 0;
    at_random_states(all(), 1, 76, [&](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        if (model.nv == 0) return;
        Workspace<double> data(model);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
        const VectorXd qd = data.qd / std::max(1., data.qd.cwiseAbs().maxCoeff());
        constexpr double step = 0.02;
        SimulatorOptions options = adaptive(step);
        options.limits = false;
        Simulator simulator(model, options);
        REQUIRE(simulator.set_state(state.q, qd, 3).ok());
        if (!simulator.step().result.ok()) return;
        for (const double part : {0., 0.23, 0.5, 0.91, 1.}) {
            const Point within = state_at(simulator, 3 + part * step);
            Point exact{state.q, qd};
            if (part > 0) {
                options = adaptive(part * step, 1e-12);
                options.limits = false;
                Simulator other(model, options);
                REQUIRE(other.set_state(state.q, qd).ok());
                if (!other.step().result.ok()) return;
                exact = {other.q(), other.velocity()};
            }
            INFO("at " << part);
            CHECK(grbda::closure_residual<double>(model, data, within.q).ok());
            CHECK(relative(within.q, exact.q) < 1e-7);
            CHECK(relative(within.qd, exact.qd) < 1e-5);
        }
        ++compared;
    });
    CHECK(compared > 25);
}

TEST_CASE("a state is known within the last adaptive step alone") {
    const Model model = rods({{-endless, endless}});
    VectorXd q(1), qd(1);
    Simulator simulator(model, adaptive(0.1));
    CHECK_THROWS_AS(simulator.state_at(0, q, qd), std::invalid_argument);
    REQUIRE(simulator.step().result.ok());
    CHECK_NOTHROW(simulator.state_at(0.05, q, qd).ok());
    CHECK_THROWS_AS(simulator.state_at(0.2, q, qd), std::invalid_argument);
    CHECK_THROWS_AS(simulator.state_at(-0.01, q, qd), std::invalid_argument);
    const grbda::SimulatorState saved = simulator.state();
    simulator.restore(saved);
    CHECK_THROWS_AS(simulator.state_at(0.05, q, qd), std::invalid_argument);
    REQUIRE(simulator.step().result.ok());
    REQUIRE(simulator.set_state(q, qd).ok());
    CHECK_THROWS_AS(simulator.state_at(0, q, qd), std::invalid_argument);
    Simulator other(model, SimulatorOptions{});
    REQUIRE(other.step().result.ok());
    CHECK_THROWS_AS(other.state_at(0, q, qd), std::invalid_argument);
}

TEST_CASE("a pendulum meets its limit when the quadrature of its energy says, and stops") {
    // rod of 1 m and 1 kg: I = 1/3, and the potential −m g/2 cos θ. From θ0 towards the limit at ω0
    constexpr double inertia = 1. / 3, limit = 1.1, theta0 = -0.4, omega0 = 6;
    const auto energy = [&](double theta, double omega) {
        return inertia * omega * omega / 2 - kGravity / 2 * std::cos(theta);
    };
    const double total = energy(theta0, omega0);
    const auto omega = [&](double theta) {
        return std::sqrt(2 * (total + kGravity / 2 * std::cos(theta)) / inertia);
    };
    constexpr int intervals = 2000;  // Simpson's rule for ∫ dθ / ω
    double time = 0;
    for (int i = 0; i <= intervals; ++i) {
        const double weight = i == 0 || i == intervals ? 1 : (i % 2 == 1 ? 4 : 2);
        time += weight / omega(theta0 + (limit - theta0) * i / intervals);
    }
    time *= (limit - theta0) / intervals / 3;

    const Model model = rods({{-endless, limit}});
    for (const double step : {0.5, 0.05}) {
        SimulatorOptions options = adaptive(step);
        Simulator simulator(model, options);
        VectorXd q = VectorXd::Constant(1, theta0), qd = VectorXd::Constant(1, omega0);
        REQUIRE(simulator.set_state(q, qd).ok());
        double impulses = 0;
        bool met = false;
        while (simulator.time() < 0.5 - step / 2) {
            const grbda::StepOutcome outcome = simulator.step();
            REQUIRE(outcome.result.ok());
            impulses += outcome.energy.impulses;
            const double begin = simulator.time() - step;
            if (time <= begin || time >= simulator.time()) continue;
            met = true;
            constexpr double near = 1e-7;
            const Point before = state_at(simulator, time - near), after = state_at(simulator, time + near);
            CHECK(before.qd[0] == Approx(omega(limit)).epsilon(1e-6));
            CHECK(before.q[0] == Approx(limit - near * omega(limit)).margin(1e-9));
            CHECK(after.qd[0] == Approx(0).margin(1e-5));
            CHECK(after.q[0] == Approx(limit).margin(1e-9));
        }
        CHECK(met);
        CHECK(impulses == Approx(-inertia * omega(limit) * omega(limit) / 2).epsilon(1e-8));
        // from rest at the limit it falls back by gravity: its energy is that of the rest
        CHECK(energy(simulator.q()[0], simulator.velocity()[0]) == Approx(energy(limit, 0)).epsilon(1e-8));
    }
}

TEST_CASE("a joint that is pushed against its limit rests on it until the push ends") {
    const Model model = rods({{-endless, 1.1}});
    Simulator simulator(model, adaptive(0.1));
    VectorXd q = VectorXd::Constant(1, 1), qd = VectorXd::Zero(1);
    REQUIRE(simulator.set_state(q, qd).ok());
    std::vector<double> tau{20};
    Controls controls;
    controls.tau_s = tau;
    for (int i = 0; i < 10; ++i) REQUIRE(simulator.step(controls).result.ok());
    CHECK(simulator.q()[0] == Approx(1.1).margin(1e-12));
    CHECK(simulator.velocity()[0] == Approx(0).margin(1e-12));
    REQUIRE(simulator.step().result.ok());
    CHECK(simulator.q()[0] < 1.1 - 0.03);
    CHECK(simulator.velocity()[0] < -0.5);
}

TEST_CASE("an impact at a limit keeps the momentum of what the limit does not stop") {
    const Model model = rods({{-endless, endless}, {-0.2, 0.3}});
    Simulator simulator(model, adaptive(0.5));
    const VectorXd q = Eigen::Vector2d(0.5, 0.1), qd = Eigen::Vector2d(0.3, 3);
    REQUIRE(simulator.set_state(q, qd).ok());
    REQUIRE(simulator.step().result.ok());
    // the second joint meets 0.3 rad first: by bisection on its velocity
    double before = 0, after = 0.1;
    REQUIRE(state_at(simulator, after).qd[1] < 0.5);
    for (int i = 0; i < 60; ++i) {
        const double middle = (before + after) / 2;
        (state_at(simulator, middle).qd[1] > 0.5 ? before : after) = middle;
    }
    const Point hit = state_at(simulator, before), rest = state_at(simulator, after + 1e-9);
    Workspace<double> data(model);
    MatrixXd M(2, 2);
    REQUIRE(grbda::crba<double>(model, data, hit.q, M).ok());
    CHECK(hit.q[1] == Approx(0.3).margin(1e-9));
    const Eigen::Vector2d column = M.inverse().col(1);
    const Eigen::Vector2d expected = hit.qd - column * (hit.qd[1] / column[1]);
    CHECK(rest.qd[0] == Approx(expected[0]).margin(1e-6));
    CHECK(rest.qd[1] == Approx(0).margin(1e-6));
}

TEST_CASE("steps of first order with hard limits lead where the adaptive rule leads through limits") {
    struct Case {
        Model model;
        VectorXd q, qd;
    };
    std::vector<Case> cases;
    cases.push_back(
        {rods({{-endless, endless}, {-0.2, 0.3}}), Eigen::Vector2d(1.2, 0.1), Eigen::Vector2d(0, 1)});
    cases.push_back({rods({{-0.5, 0.6}, {-0.2, 0.3}, {-0.4, endless}}), Eigen::Vector3d(0.2, 0.1, 0.5),
                     Eigen::Vector3d(1, 1, -1)});
    // of a linkage, the limit of a dependent joint
    Model linkage = named("four_bar").model;
    const VectorXd assembled = grbda::neutral_configuration(linkage);
    Workspace<double> data(linkage);
    REQUIRE(grbda::spanning_velocity<double>(linkage, data, assembled, VectorXd::Constant(1, 2)).ok());
    const VectorXd rates = data.qd;
    for (int i = 0; i < linkage.body_count(); ++i) {
        const int v = linkage.bodies[i].v;
        if (std::abs(rates[v]) < 0.5 || rates[v] == 2) continue;
        linkage.bounded[i] = true;
        linkage.limits[i] = {assembled[linkage.bodies[i].q] - 0.25, assembled[linkage.bodies[i].q] + 0.25};
        break;
    }
    cases.push_back({linkage, assembled, rates});
    for (Case& x : cases) {
        INFO("case " << &x - cases.data());
        constexpr double time = 0.6;
        const auto end_of = [&](SimulatorOptions options) {
            Simulator simulator(x.model, options);
            REQUIRE(simulator.set_state(x.q, x.qd).ok());
            double energy = simulator.energies().sum(), impulses = 0;
            while (simulator.time() < time - options.step / 2) {
                const grbda::StepOutcome outcome = simulator.step();
                REQUIRE(outcome.result.ok());
                impulses += outcome.energy.impulses;
                if (options.rule != StepRule::adaptive) continue;
                CHECK(impulses < 1e-12);
                CHECK(simulator.energies().sum() - energy - impulses == Approx(0).margin(1e-6));
                for (int i = 0; i < x.model.body_count(); ++i) {
                    if (!x.model.bounded[i]) continue;
                    const double q = simulator.q()[x.model.bodies[i].q];
                    CHECK(q > x.model.limits[i].lower - 1e-7);
                    CHECK(q < x.model.limits[i].upper + 1e-7);
                }
            }
            CHECK((options.rule != StepRule::adaptive || impulses < -1e-3));
            return simulator.q();
        };
        const VectorXd exact = end_of(adaptive(0.05, 1e-10));
        SimulatorOptions options;
        options.passive = false;
        options.contact = ContactModel::rigid;
        options.step = 1e-4;
        const double coarse = (end_of(options) - exact).norm();
        options.step = 1e-5;
        const double fine = (end_of(options) - exact).norm();
        INFO(coarse << ", " << fine);
        CHECK(coarse < 2e-2);
        CHECK(fine < 0.2 * coarse + 1e-6);  // rigid limits yield a little
    }
}

TEST_CASE("joints that come to rest on limits of one another by ever smaller impacts do so in few parts") {
    // while one of two joints rests on its limit, the other is pushed against its own, and in turn
    for (const char* name : {"kangaroo_leg", "robotiq_finger", "delta", "stewart_platform"}) {
        INFO(name);
        const Model& model = named(name).model;
        Simulator simulator(model, adaptive(0.05, 1e-8));
        const double start = simulator.energies().sum();
        double impulses = 0, largest = 0;
        int parts = 0;
        while (simulator.time() < 3) {
            const grbda::StepOutcome outcome = simulator.step();
            REQUIRE(outcome.result.ok());
            parts += outcome.parts;
            impulses += outcome.energy.impulses;
            largest = std::max(largest, simulator.energies().kinetic);
            CHECK(std::abs(simulator.energies().sum() - start - impulses) < 1e-6 * largest);
        }
        CHECK(impulses < -1e-3 * largest);
        CHECK(parts < 1000);
        for (int i = 0; i < model.body_count(); ++i) {
            if (!model.bounded[i]) continue;
            CHECK(simulator.q()[model.bodies[i].q] > model.limits[i].lower - 1e-7);
            CHECK(simulator.q()[model.bodies[i].q] < model.limits[i].upper + 1e-7);
        }
    }
}

TEST_CASE("a limit that another one implies changes nothing") {
    // the second joint turns by a third of the first one, the other way
    const auto end_of = [&](double first, double second) {
        const Model model =
            rods({{-first, first}, {-second, second}, {-0.4, endless}},
                 {{"gear", grbda::LinearRelation{{{"joint0", 1. / 3, {}}, {"joint1", 1, {}}}, 0}, {}}});
        Simulator simulator(model, adaptive(0.05));
        REQUIRE(simulator.set_state(VectorXd::Zero(3), Eigen::Vector3d(3, -1, 0.5)).ok());
        double impulses = 0;
        while (simulator.time() < 2) {
            std::vector<double> tau{simulator.time() < 1 ? 30. : -30., 0, 0};
            Controls controls;
            controls.tau_s = tau;
            const grbda::StepOutcome outcome = simulator.step(controls);
            REQUIRE(outcome.result.ok());
            CHECK(outcome.parts < 30);
            impulses += outcome.energy.impulses;
        }
        CHECK(impulses < -0.1);
        return simulator.q();
    };
    const VectorXd one = end_of(0.3, endless);
    CHECK(std::abs(one[0]) == Approx(0.3));
    CHECK(relative(end_of(0.3, 0.1), one) < 1e-7);
    CHECK(relative(end_of(endless, 0.1), one) < 1e-7);
    CHECK(relative(end_of(0.3, 0.1 + 1e-10), one) < 1e-7);
    CHECK(relative(end_of(0.3 + 1e-10, 0.1), one) < 1e-7);
    CHECK(relative(end_of(0.3, 0.1 + 1e-5), one) < 1e-7);
}
