#include "grbda/serial/serial.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "constraints/actuation.hpp"
#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/edit/edit.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// The tree with the tables of its clusters has the motions of the full robot.

using namespace grbda;
using test_robots::named;
using test_robots::Random;
using test_robots::random_vector;
using test_robots::Robot;

namespace {

std::string findings(const Diagnostics& diagnostics) {
    std::string text;
    for (const Diagnostic& each : diagnostics) text += to_string(each) + "\n";
    return text;
}

/// With rods as bodies.
Mechanism mechanism_of(const Robot& robot) {
    Diagnostics found;
    Mechanism mechanism = make_mechanism(robot.description, robot.options, found);
    REQUIRE_FALSE(has_errors(found));
    return mechanism;
}

SerialRobot serial_of(const Mechanism& mechanism, const Model& model, const SerialOptions& options = {}) {
    Diagnostics found;
    std::optional<SerialRobot> result =
        serial_robot(mechanism, model, neutral_configuration(model), options, found);
    INFO(mechanism.name << "\n" << findings(found));
    REQUIRE(result.has_value());
    return std::move(*result);
}
SerialRobot serial_of(const Robot& robot) { return serial_of(mechanism_of(robot), robot.model); }

/// The tree as its file describes it.
Model reloaded(const SerialRobot& robot) {
    Diagnostics found;
    const RobotDescription description = read_urdf(write_urdf(robot.mechanism), "tree.urdf", found);
    INFO(findings(found));
    REQUIRE_FALSE(has_errors(found));
    return build_model(description);
}

VectorX<double> random_point(const SerialTable& table, Random& random) {
    VectorX<double> y(table.size());
    for (int i = 0; i < table.size(); ++i)
        y[i] = std::uniform_real_distribution<double>(table.nodes[at(i)].minCoeff(),
                                                      table.nodes[at(i)].maxCoeff())(random);
    return y;
}

/// q of the robot where the clusters are at random points of their tables, other coordinates within 0.3.
VectorX<double> random_configuration_of(const Model& model, const SerialRobot& robot, Workspace<double>& data,
                                        Random& random, std::vector<VectorX<double>>& y) {
    VectorX<double> delta = random_vector(random, model.nv, 0.3), q(model.nq);
    y.clear();
    for (const SerialTable& table : robot.tables) {
        y.push_back(random_point(table, random));
        delta(table.y) = y.back() - table.nominal;
    }
    must(integrate<double>(model, data, robot.q, robot.to_full * delta, q));
    return q;
}

/// Error of accelerations in the norm of M, summed over states.
struct Errors {
    double motion = 0, corrected = 0, tree = 0, largest = 0;
    int states = 0;
};

/// Accelerations of the full robot by aba() with random torques of its motors, and of the tree with torques
/// J_mᵀ u, with and without the correction.
Errors errors_of(const Model& model, const SerialRobot& serial, int states) {
    Workspace<double> data(model), chart(model), tree_data(serial.tree);
    chart.chart = serial.chart;
    Actuation<double> actuation(model);
    Random random(7);
    Errors errors;
    std::vector<int> positions(at(serial.tree.nq)), velocities(at(serial.tree.nv));
    for (int i = 0; i < serial.tree.body_count(); ++i) {
        const Body& body = serial.tree.bodies[i];
        const NamedJoint joint = model.joint(serial.tree.names.joints[i]);
        for (int j = 0; j < joint.q.size(); ++j) positions[at(body.q + j)] = joint.q.first + j;
        for (int j = 0; j < joint.v.size(); ++j) velocities[at(body.v + j)] = joint.v.first + j;
    }
    for (int i = 0; i < states; ++i) {
        std::vector<VectorX<double>> y;
        const VectorX<double> q = random_configuration_of(model, serial, chart, random, y);
        const VectorX<double> yd = random_vector(random, model.nv, 3);
        // the full robot, in its own coordinates: motors and joints outside of clusters are driven
        must(constraint_embedding<double>(model, chart, q, serial.to_full * yd));
        const MatrixX<double> G = explicit_jacobian(model, chart) * serial.to_full;
        const VectorX<double> bias = explicit_bias(model, chart);
        const VectorX<double> qd = G * yd;
        const std::vector<Coordinate> motors = motor_coordinates(model);
        const VectorX<double> u = random_vector(random, std::ssize(motors), 4);
        must(actuation_jacobian<double>(model, data, q, actuation));
        VectorX<double> own_yd(model.nv);
        independent_part<double>(model, data, qd, own_yd);
        must(aba<double>(model, data, q, own_yd, actuation.J.transpose() * u));
        VectorX<double> ydd = data.ydd;
        must(spanning_acceleration<double>(model, data, q, own_yd, ydd));
        VectorX<double> in_chart(model.nv);
        independent_part<double>(model, chart, data.qdd, in_chart);
        const VectorX<double> expected = serial.to_full.partialPivLu().solve(in_chart);
        // the tree
        const MatrixX<double> G_tree = G(velocities, Eigen::all);
        const VectorX<double> q_tree = q(positions);
        MatrixX<double> M_tree(serial.tree.nv, serial.tree.nv);
        must(crba<double>(serial.tree, tree_data, q_tree, M_tree));
        MatrixX<double> M = G_tree.transpose() * M_tree * G_tree;
        must(rnea<double>(serial.tree, tree_data, q_tree, G_tree * yd, bias(velocities)));
        VectorX<double> h = G_tree.transpose() * tree_data.tau;
        // torques: motors of clusters through their tables, others on their joints
        VectorX<double> tau = VectorX<double>::Zero(model.nv);
        for (Eigen::Index k = 0; k < u.size(); ++k) {
            const Coordinate& motor = motors[static_cast<std::size_t>(k)];
            if (model.clusters[model.bodies[motor.body].cluster].embedding == Embedding::none)
                tau += model.reduction[motor.body] * u[k] *
                       G.row(model.bodies[motor.body].v + motor.component).transpose();
        }
        std::vector<SerialValue> values;
        for (std::size_t c = 0; c < serial.tables.size(); ++c) {
            const SerialTable& table = serial.tables[c];
            values.push_back(interpolate(table, y[c]));
            VectorX<double> of_motors(std::ssize(table.motors));
            for (std::size_t k = 0, row = 0; k < motors.size(); ++k)
                if (model.bodies[motors[k].body].cluster == table.cluster)
                    of_motors[static_cast<Eigen::Index>(row++)] = u[static_cast<Eigen::Index>(k)];
            tau(table.y) += values.back().J_m.transpose() * of_motors;
        }
        const VectorX<double> uncorrected = M.ldlt().solve(tau - h);
        for (std::size_t c = 0; c < serial.tables.size(); ++c) {
            const SerialTable& table = serial.tables[c];
            const int carrier = model.clusters[table.cluster].parent_body;
            Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
            if (carrier != world) {
                must(forward_kinematics<double>(model, chart, q));
                axes = frame_orientation(model, chart, model.frame(table.carrier).index);
            }
            const Eigen::Vector3d g(model.gravity.x, model.gravity.y, model.gravity.z);
            M(table.y, table.y) += values[c].delta_M;
            h(table.y) += correction_force(values[c], yd(table.y), axes.transpose() * g);
        }
        const VectorX<double> corrected = M.ldlt().solve(tau - h);
        const auto size = [&](const VectorX<double>& a) { return a.dot(M * a); };
        errors.motion += size(expected);
        errors.corrected += size(corrected - expected);
        errors.tree += size(uncorrected - expected);
        errors.largest = std::max(errors.largest, size(corrected - expected));
        ++errors.states;
    }
    return errors;
}

double root(double part, double whole) { return std::sqrt(part / whole); }

}  // namespace

/// The robot with one cluster, whose carrier is at rest: all joints of others are frozen.
Mechanism with_one_cluster(const Mechanism& mechanism, const Model& model, int cluster) {
    std::vector<std::string> others;
    for (int i = 0; i < model.body_count(); ++i)
        if (model.bodies[i].cluster != cluster) others.push_back(model.names.joints[i]);
    for (std::size_t i = 0; i < model.rods.size(); ++i)
        if (model.rods[i].cluster != cluster)
            others.insert(others.end(), model.names.rods[i].joints.begin(), model.names.rods[i].joints.end());
    if (others.empty()) return mechanism;
    Diagnostics found;
    Mechanism frozen = freeze(mechanism, model, neutral_configuration(model), others, found);
    INFO(findings(found));
    REQUIRE_FALSE(has_errors(found));
    return frozen;
}

TEST_CASE("the corrected tree has the accelerations of each cluster over the range of its table") {
    constexpr double tolerance = 0.01;
    constexpr int states = 100;
    double largest_of_tree = 0;
    for (const char* name : {"g1_like_ankle", "digit_leg", "digit", "kangaroo_leg", "tello"}) {
        const Mechanism mechanism = mechanism_of(named(name));
        const Model& whole = named(name).model;
        for (const Cluster& c : whole.clusters) {
            if (c.embedding == Embedding::none) continue;
            const Mechanism part = with_one_cluster(mechanism, whole, c.index);
            Diagnostics unheard;
            const Model model = build_model(part, {}, unheard);
            const Errors errors = errors_of(model, serial_of(part, model), states);
            INFO(name << ", cluster " << c.index << ", tree alone " << root(errors.tree, errors.motion));
            CHECK(root(errors.corrected, errors.motion) <= tolerance);
            CHECK(errors.states == states);
            largest_of_tree = std::max(largest_of_tree, root(errors.tree, errors.motion));
        }
    }
    CHECK(largest_of_tree > 1);
}

TEST_CASE(
    "the tree of the ankle alone has errors of more than its accelerations, corrected below 0.1 percent") {
    const Robot& robot = named("g1_like_ankle");
    const Errors errors = errors_of(robot.model, serial_of(robot), 200);
    CHECK(root(errors.tree, errors.motion) > 0.3);
    CHECK(root(errors.corrected, errors.motion) < 1e-3);
    CHECK(root(errors.largest * errors.states, errors.motion) < 0.01);
}

TEST_CASE("the tree has mass and first moment of the robot at the nominal configuration") {
    for (const char* name : {"g1_like_ankle", "digit", "kangaroo_leg", "tello", "mini_cheetah"}) {
        Robot robot = named(name);
        const bool floats = robot.model.bodies[0].joint == JointType::floating;
        robot.options.floating_base = !floats;  // parts of a fixed base do not move
        robot.model = build_model(robot.description, robot.options);
        const SerialRobot serial = serial_of(robot);
        Workspace<double> data(robot.model), tree_data(serial.tree);
        MechanicalState full, tree;
        must(mechanical_state<double>(robot.model, data, serial.q, VectorX<double>::Zero(robot.model.nv),
                                      full));
        const Model file = reloaded(serial);
        Workspace<double> file_data(file);
        VectorX<double> q(file.nq);
        for (int i = 0; i < file.body_count(); ++i) {
            const NamedJoint from = robot.model.joint(file.names.joints[i]);
            q.segment(file.bodies[i].q, from.q.size()) = serial.q.segment(from.q.first, from.q.size());
        }
        must(close_loops<double>(file, file_data, q));
        must(mechanical_state<double>(file, file_data, q, VectorX<double>::Zero(file.nv), tree));
        INFO(name);
        CHECK(tree.mass == Approx(full.mass).epsilon(1e-9));
        const bool is_coupled = file.couplings.size() > 0;  // affine couplings miss the pose a little
        CHECK((tree.com - full.com).norm() < (is_coupled ? 0.02 : 1e-9));
        CHECK(file.loops.empty());
    }
}

TEST_CASE("tables hold the motors' positions, and J_m is their derivative") {
    for (const char* name : {"g1_like_ankle", "digit_leg", "kangaroo_leg", "mini_cheetah"}) {
        const Robot& robot = named(name);
        const SerialRobot serial = serial_of(robot);
        Workspace<double> data(robot.model);
        data.chart = serial.chart;
        Random random(3);
        INFO(name);
        for (const SerialTable& table : serial.tables) {
            std::vector<int> motors;
            for (const std::string& motor : table.motors) motors.push_back(robot.model.joint(motor).q.first);
            const auto theta = [&](const VectorX<double>& y) {
                VectorX<double> delta = VectorX<double>::Zero(robot.model.nv), q(robot.model.nq);
                delta(table.y) = y - table.nominal;
                must(integrate<double>(robot.model, data, serial.q, serial.to_full * delta, q));
                VectorX<double> result = q(motors);
                for (std::size_t i = 0; i < motors.size(); ++i)
                    result[static_cast<Eigen::Index>(i)] *=
                        robot.model.reduction[robot.model.joint(table.motors[i]).index];
                return result;
            };
            for (int trial = 0; trial < 10; ++trial) {
                const VectorX<double> y = random_point(table, random);
                const SerialValue value = interpolate(table, y);
                const double scale = 1 + value.J_m.cwiseAbs().maxCoeff();
                CHECK((value.motors - theta(y)).norm() < 2e-3 * scale);
                constexpr double step = 1e-5;
                for (int i = 0; i < table.size(); ++i) {
                    const VectorX<double> e = VectorX<double>::Unit(table.size(), i) * step;
                    CHECK(((theta(y + e) - theta(y - e)) / (2 * step) - value.J_m.col(i)).norm() <
                          1e-2 * scale);
                }
            }
            // at a node without interpolation
            VectorX<double> y(table.size());
            for (int i = 0; i < table.size(); ++i) y[i] = table.nodes[at(i)][1];
            const SerialValue value = interpolate(table, y);
            constexpr double step = 1e-4;
            for (int i = 0; i < table.size(); ++i) {
                const VectorX<double> e = VectorX<double>::Unit(table.size(), i) * step;
                CHECK(((theta(y + e) - theta(y - e)) / (2 * step) - value.J_m.col(i)).norm() < 1e-6);
            }
            CHECK((value.delta_M - value.delta_M.transpose()).norm() <= 1e-9 * (1 + value.delta_M.norm()));
        }
    }
}

TEST_CASE("interpolation is exact for cubic polynomials, with its derivatives") {
    SerialTable table;
    table.joints = {"a", "b"};
    table.nodes = {VectorX<double>::LinSpaced(5, -1, 2), VectorX<double>::LinSpaced(7, 0.5, 1)};
    const auto f = [](double x, double y) { return 1 + x - 2 * x * x * y + 3 * x * x * x + y * y * y * x; };
    for (const double x : table.nodes[0])
        for (const double y : table.nodes[1]) {
            SerialPoint point;
            point.motors = VectorX<double>::Constant(1, f(x, y));
            point.J_m = MatrixX<double>::Constant(1, 2, 2 * f(x, y));
            point.delta_M = MatrixX<double>::Constant(2, 2, 3 * f(x, y));
            point.gravity = MatrixX<double>::Constant(2, 3, 4 * f(x, y));
            point.driven_jacobian.resize(0, 2);
            table.points.push_back(point);
        }
    Random random(1);
    for (int i = 0; i < 50; ++i) {
        const VectorX<double> at_point = random_point(table, random);
        const double x = at_point[0], y = at_point[1];
        const SerialValue value = interpolate(table, at_point);
        CHECK(value.motors[0] == Approx(f(x, y)));
        CHECK(value.gravity(1, 2) == Approx(4 * f(x, y)));
        CHECK(value.J_m_rates[0](0, 1) == Approx(2 * (1 - 4 * x * y + 9 * x * x + y * y * y)));
        CHECK(value.delta_M_rates[1](1, 0) == Approx(3 * (-2 * x * x + 3 * y * y * x)));
    }
    CHECK_THROWS_AS(interpolate(table, VectorX<double>::Zero(3)), std::invalid_argument);
}

TEST_CASE("the file of the tree is a tree of the load-carrying joints, with the limits of the tables") {
    const SerialRobot serial = serial_of(named("g1_like_ankle"));
    const Model file = reloaded(serial);
    REQUIRE(file.body_count() == 2);
    CHECK(file.names.joints[0] == "ankle_pitch");
    CHECK(file.names.joints[1] == "ankle_roll");
    CHECK(file.loops.empty());
    CHECK(file.couplings.empty());
    const SerialTable& table = serial.tables.at(0);
    CHECK(table.carrier == "shank");
    CHECK(table.motors == std::vector<std::string>{"left_motor", "right_motor"});
    for (int i = 0; i < 2; ++i) {
        CHECK(file.limits[i].lower == Approx(table.nodes[at(i)].minCoeff()));
        CHECK(file.limits[i].upper == Approx(table.nodes[at(i)].maxCoeff()));
        CHECK(file.limits[i].effort < 100);
        CHECK(file.actuated[i] != 0);
    }
}

TEST_CASE("errors name what a serial approximation cannot have") {
    const auto said = [](const std::string& name, const SerialOptions& options) {
        const Robot& robot = named(name);
        Diagnostics found;
        const std::optional<SerialRobot> result = serial_robot(
            mechanism_of(robot), robot.model, neutral_configuration(robot.model), options, found);
        CHECK_FALSE(result.has_value());
        return findings(found);
    };
    using Catch::Matchers::Contains;
    CHECK_THAT(said("g1_like_ankle", {.ends = {"feet"}}),
               Contains("expected a link or frame on a moving body that carries load, found 'feet'"));
    CHECK_THAT(said("g1_like_ankle", {.ranges = {{"ankle", {0, 1}}}}), Contains("found 'ankle'"));
    CHECK_THAT(said("delta", {}), Contains("without quaternions"));
    const Robot& robot = named("g1_like_ankle");
    Diagnostics found;
    const VectorX<double> q = neutral_configuration(robot.model);
    CHECK_THROWS_AS(serial_robot(mechanism_of(robot), robot.model, q, {.points = 3}, found),
                    std::invalid_argument);
    CHECK_THROWS_AS(serial_robot(mechanism_of(robot), robot.model, q.head(2), {}, found),
                    std::invalid_argument);
    CHECK_FALSE(serial_robot(mechanism_of(robot), robot.model, q.array() + 0.1, {}, found).has_value());
    CHECK_THAT(findings(found), Contains("closes the loops"));
}

TEST_CASE("every robot has a serial approximation or an error that says why not") {
    int made = 0;
    for (const Robot& robot : test_robots::published()) {
        INFO(robot.name);
        Diagnostics found;
        const std::optional<SerialRobot> serial = serial_robot(
            mechanism_of(robot), robot.model, neutral_configuration(robot.model), {.points = 5}, found);
        CHECK(serial.has_value() != has_errors(found));
        if (!serial) continue;
        ++made;
        CHECK(reloaded(*serial).loops.empty());
        for (const SerialTable& table : serial->tables) {
            CHECK(table.errors.full.at_rest < 1e-6);  // at nodes
            CHECK(table.errors.full.rms <= std::max(table.errors.none.rms, 0.05));
        }
    }
    CHECK(made >= 10);
}
