#include <Eigen/QR>
#include <Eigen/SVD>

#include "grbda/baselines/baselines.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/joint_forces.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/mechanism.hpp"
#include "support/charts.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// Forces and energies are linear in parameters: a regressor times those of a robot gives what the algorithms
// give, and each of its columns is what one unit of a parameter adds.

namespace {

using namespace test_robots;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using grbda::Inertial;
using grbda::Model;
using grbda::Workspace;
using Parameters = Eigen::Matrix<double, grbda::parameters_per_body, 1>;

constexpr int kStates = 2;
constexpr double kRounding = 1e-12;   // of the sum of all terms without signs
constexpr double kAgreement = 1e-10;  // with another embedding, rounding over rcond(K_d)

MatrixXd torque_regressor(const Model& model, Workspace<double>& data, const State& state) {
    MatrixXd Y(model.nv, grbda::parameters_per_body * model.carrier_count());
    REQUIRE(grbda::torque_regressor<double>(model, data, state.q, state.yd, state.ydd, Y).ok());
    return Y;
}

MatrixXd joint_regressor(const Model& model, Workspace<double>& data, const State& state) {
    MatrixXd Y(model.nv, 3 * model.nv_tree);
    REQUIRE(grbda::joint_regressor<double>(model, data, state.q, state.yd, state.ydd, Y).ok());
    return Y;
}

VectorXd inverse(const Model& model, Workspace<double>& data, const State& state) {
    REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd).ok());
    return data.tau;
}

/// Parameters of the armature only, as in rnea().
VectorXd armature_of(const Model& model) { return grbda::joint_parameters(model).tail(model.nv_tree); }

Parameters parameters_of(const Inertial& body) {
    const Vector3d& c = body.com;
    const Matrix3d J = body.inertia + body.mass * (c.dot(c) * Matrix3d::Identity() - c * c.transpose());
    Parameters result;
    result << body.mass, body.mass * c, J(0, 0), J(0, 1), J(1, 1), J(0, 2), J(1, 2), J(2, 2);
    return result;
}

/// The body that has these parameters, whose mass is not zero.
Inertial body_of(const Parameters& p) {
    Inertial body;
    body.mass = p[0];
    body.com = p.segment<3>(1) / p[0];
    Matrix3d J;
    J << p[4], p[5], p[7], p[5], p[6], p[8], p[7], p[8], p[9];
    const Vector3d& c = body.com;
    body.inertia = J - body.mass * (c.dot(c) * Matrix3d::Identity() - c * c.transpose());
    return body;
}

double uniform(Random& random, double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(random);
}

Matrix3d random_rotation(Random& random) {
    return Eigen::Quaterniond(Eigen::Vector4d(random_vector(random, 4))).normalized().toRotationMatrix();
}

/// A body that there can be, of no symmetry.
Inertial random_body(Random& random) {
    const Matrix3d R = random_rotation(random);
    const Vector3d second = Vector3d(random_vector(random, 3)).cwiseAbs();
    const Matrix3d along = second.asDiagonal();
    return {uniform(random, 0.5, 2), random_vector(random, 3),
            R * (second.sum() * Matrix3d::Identity() - along) * R.transpose()};
}

std::vector<std::string> coordinate_names(const Model& model) {
    std::vector<std::string> names;
    for (const grbda::Coordinate& y : grbda::independent_coordinates(model))
        names.push_back(model.names.joints[y.body] + "[" + std::to_string(y.component) + "]");
    return names;
}

}  // namespace

TEST_CASE("regressors times parameters give inverse dynamics on every robot, in all coordinates") {
    int taken = 0;
    at_random_states(all(), kStates, 201, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const VectorXd pi = grbda::inertial_parameters(model), j = armature_of(model);
        for (const charts::Kind kind : charts::kinds) {
            Workspace<double> data(model);
            if (!charts::take(kind, model, data, state.q, random)) continue;
            const MatrixXd Y = torque_regressor(model, data, state);
            const MatrixXd A = joint_regressor(model, data, state).rightCols(model.nv_tree);
            const VectorXd found = Y * pi + A * j;
            const double size = (Y.cwiseAbs() * pi.cwiseAbs() + A.cwiseAbs() * j.cwiseAbs()).norm();
            CHECK((found - inverse(model, data, state)).norm() <= kRounding * size);
            ++taken;
        }
    });
    CHECK(taken > 4 * static_cast<int>(all().size()));
}

TEST_CASE("each column is the change of the baselines' forces by one unit of its parameter on every robot") {
    at_random_states(all(), 1, 203, [](const Robot& robot, const State& state, Random&) {
        Model model = robot.model;
        Workspace<double> data(model);
        const MatrixXd Y = torque_regressor(model, data, state);
        const grbda::Matrix6X<double> none(6, 0);
        const auto force = [&]() -> VectorXd {
            grbda::baselines::Workspace work(model);  // takes the inertias that there are now
            REQUIRE(grbda::baselines::inverse_dynamics(model, work, state.q, state.yd, state.ydd, none).ok());
            return work.tau;
        };
        for (Inertial& body : model.inertials) body.mass += 1;  // what has no mass has no centre
        const VectorXd before = force();
        for (int i = 0; i < model.body_count(); ++i) {
            const Inertial kept = model.inertials[i];
            for (int k = 0; k < grbda::parameters_per_body; ++k) {
                model.inertials[i] = body_of(parameters_of(kept) + Parameters::Unit(k));
                const VectorXd added = force() - before;
                CHECK((Y.col(grbda::parameters_per_body * i + k) - added).norm() <
                      kAgreement * (1 + before.norm() + added.norm()));
            }
            model.inertials[i] = kept;
        }
    });
}

TEST_CASE("a body fixed to a link adds its parameters and their columns on every robot") {
    std::size_t compared = 0, rotors = 0;
    at_random_states(all(), 1, 204, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        std::vector<std::string> links;
        for (const grbda::LinkDescription& link : robot.description.links) {
            const int body = model.frame(link.name).body;
            if (body != grbda::world && !model.is_rod(body)) links.push_back(link.name);
        }
        REQUIRE_FALSE(links.empty());
        const std::string carrier = links[random() % links.size()];
        const grbda::Frame& frame = model.frames[model.frame(carrier).index];
        grbda::RobotDescription loaded = robot.description;
        grbda::LinkDescription load;
        load.name = "load";
        load.inertial = random_body(random);
        grbda::JointDescription weld;
        weld.name = "weld";
        weld.type = grbda::JointType::fixed;
        weld.parent = carrier;
        weld.child = load.name;
        weld.origin = {random_rotation(random), random_vector(random, 3)};
        loaded.links.push_back(load);
        loaded.joints.push_back(weld);
        const Model other = grbda::build_model(loaded, robot.options);
        if (coordinate_names(other) != coordinate_names(model)) return;

        grbda::Pose pose;
        const auto plain = [](const grbda::Vector3<double>& a) { return Vector3d(a.x, a.y, a.z); };
        pose.rotation << plain(frame.rotation.x), plain(frame.rotation.y), plain(frame.rotation.z);
        pose.translation = plain(frame.position);
        const Parameters added = parameters_of(placed(*load.inertial, pose * weld.origin));
        const auto of_carrier = [&](const Model& m, const VectorXd& pi) -> Parameters {
            const int body = m.joint(model.names.joints[frame.body]).index;
            return pi.segment<grbda::parameters_per_body>(grbda::parameters_per_body * body);
        };
        const VectorXd pi = grbda::inertial_parameters(model), with = grbda::inertial_parameters(other);
        CHECK(relative(of_carrier(other, with) - of_carrier(model, pi), added) <
              kRounding * (1 + with.norm()));
        CHECK(std::abs(with.sum() - pi.sum() - added.sum()) < kRounding * (1 + with.norm() * 10));

        Workspace<double> data(model), data_other(other);
        const MatrixXd Y = torque_regressor(model, data, state);
        const VectorXd tau = inverse(model, data, state), expected = inverse(other, data_other, state);
        const VectorXd found =
            tau + Y.middleCols(grbda::parameters_per_body * frame.body, grbda::parameters_per_body) * added;
        CHECK(relative(found, expected) < kAgreement);
        ++compared;
        rotors += model.bodies[frame.body].rotor ? 1 : 0;
    });
    CHECK(10 * compared > 6 * all().size());
    CHECK(rotors > 0);
}

TEST_CASE("energy regressors times parameters give energies on every robot") {
    at_random_states(all(), kStates, 205, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Workspace<double> data(model);
        const VectorXd pi = grbda::inertial_parameters(model);
        VectorXd kinetic(pi.size()), potential(pi.size());
        REQUIRE(grbda::energy_regressors<double>(model, data, state.q, state.yd, kinetic, potential).ok());
        grbda::MechanicalState now;
        REQUIRE(grbda::mechanical_state<double>(model, data, state.q, state.yd, now).ok());
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
        const double armature = 0.5 * armature_of(model).dot(data.qd.cwiseAbs2());
        CHECK(std::abs(kinetic.dot(pi) + armature - now.kinetic) <=
              kRounding * (kinetic.cwiseAbs().dot(pi.cwiseAbs()) + armature));
        CHECK(std::abs(potential.dot(pi) - now.potential) <=
              kRounding * potential.cwiseAbs().dot(pi.cwiseAbs()));
    });
}

TEST_CASE("of each parameter the power of its forces is the rate of its energy on every robot") {
    at_random_states(all(), kStates, 206, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Workspace<double> data(model);
        const int n = grbda::parameters_per_body * model.carrier_count();
        const auto energies = [&](double t) -> VectorXd {
            const motion::Instant now = motion::along(model, data, state, t);
            VectorXd kinetic(n), potential(n), all_of_them(n + model.nv_tree);
            REQUIRE(grbda::energy_regressors<double>(model, data, now.q, now.yd, kinetic, potential).ok());
            REQUIRE(grbda::spanning_velocity<double>(model, data, now.q, now.yd).ok());
            all_of_them << kinetic + potential, 0.5 * data.qd.cwiseAbs2();
            return all_of_them;
        };
        VectorXd power(n + model.nv_tree);
        power << torque_regressor(model, data, state).transpose() * state.yd,
            joint_regressor(model, data, state).rightCols(model.nv_tree).transpose() * state.yd;
        const double size = 1 + power.norm() + energies(0).norm() + state.ydd.norm();
        CHECK((motion::derivative(energies) - power).norm() < motion::kDifferences * size);
    });
}

TEST_CASE("friction in the joint regressor agrees with joint forces on every robot") {
    at_random_states(all(), kStates, 207, [](const Robot& robot, const State& state, Random& random) {
        Model model = robot.model;
        const VectorXd zero = VectorXd::Zero(model.nv_tree);
        model.passive = {};
        model.passive.stiffness.assign(zero.begin(), zero.end());
        model.passive.rest.assign(static_cast<std::size_t>(model.nq), 0);
        for (std::vector<double>* x : {&model.passive.damping, &model.passive.friction}) {
            const VectorXd drawn = random_vector(random, model.nv_tree).cwiseAbs();
            x->assign(drawn.begin(), drawn.end());
        }
        Workspace<double> data(model);
        const VectorXd parameters = grbda::joint_parameters(model);
        const int friction = 2 * model.nv_tree;
        const VectorXd found =
            joint_regressor(model, data, state).leftCols(friction) * parameters.head(friction);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
        const VectorXd qd = data.qd;
        REQUIRE(grbda::joint_forces<double>(model, data, state.q, qd).ok());
        CHECK(relative(found, -data.tau) < kAgreement);
    });
}

TEST_CASE("armature in the joint regressor is that of a model with more of it on every robot") {
    at_random_states(all(), 1, 208, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        if (!model.rods.empty()) return;  // links with armature in their joints are no rods
        grbda::RobotDescription description = robot.description;
        for (grbda::JointDescription& joint : description.joints)
            if (joint.type != grbda::JointType::fixed) joint.armature += uniform(random, 0, 2);
        const Model other = grbda::build_model(description, robot.options);
        REQUIRE(coordinate_names(other) == coordinate_names(model));
        if (other.nq != model.nq) return;  // joints that close loops have coordinates if they have armature
        Workspace<double> data(model), data_other(other);
        const VectorXd added = armature_of(other) - armature_of(model);
        const VectorXd expected = inverse(other, data_other, state) - inverse(model, data, state);
        const MatrixXd A = joint_regressor(model, data, state).rightCols(model.nv_tree);
        CHECK((A * added - expected).norm() < kAgreement * (1 + data_other.tau.norm() + data.tau.norm()));
    });
}

TEST_CASE("regressors are written into rows of a larger matrix on every robot") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        Random random(209);
        State state;
        if (!random_state(model, random, state)) continue;
        Workspace<double> data(model);
        const MatrixXd Y = torque_regressor(model, data, state), J = joint_regressor(model, data, state);
        MatrixXd all_rows = MatrixXd::Constant(3 * model.nv, Y.cols() + J.cols(), 7);
        auto middle = all_rows.middleRows(model.nv, model.nv);
        REQUIRE(grbda::torque_regressor<double>(model, data, state.q, state.yd, state.ydd,
                                                middle.leftCols(Y.cols()))
                    .ok());
        REQUIRE(grbda::joint_regressor<double>(model, data, state.q, state.yd, state.ydd,
                                               middle.rightCols(J.cols()))
                    .ok());
        CHECK(middle.leftCols(Y.cols()) == Y);
        CHECK(middle.rightCols(J.cols()) == J);
        CHECK((all_rows.topRows(model.nv).array() == 7).all());
        CHECK((all_rows.bottomRows(model.nv).array() == 7).all());
    }
}

TEST_CASE("a combined coordinate is no body, and has no columns") {
    grbda::RobotDescription robot = named("ur10e").description;
    const std::vector<std::string>& joints = named("ur10e").model.names.joints;
    grbda::CombinedCoordinate sum;
    sum.name = "sum";
    sum.terms = {{joints[1], 2, {}}, {joints[2], 0.5, {}}};
    robot.combined.push_back(sum);
    const Model model = grbda::build_model(robot);
    const int body = model.joint("sum").index;
    Random random(210);
    State state;
    REQUIRE(random_state(model, random, state));
    Workspace<double> data(model);
    const MatrixXd Y = torque_regressor(model, data, state);
    VectorXd kinetic(Y.cols()), potential(Y.cols());
    REQUIRE(grbda::energy_regressors<double>(model, data, state.q, state.yd, kinetic, potential).ok());
    const int first = grbda::parameters_per_body * body;
    CHECK(Y.middleCols<grbda::parameters_per_body>(first).isZero(0));
    CHECK(kinetic.segment<grbda::parameters_per_body>(first).isZero(0));
    CHECK(potential.segment<grbda::parameters_per_body>(first).isZero(0));
    CHECK(grbda::inertial_parameters(model).segment<grbda::parameters_per_body>(first).isZero(0));
    CHECK(relative(Y * grbda::inertial_parameters(model) +
                       joint_regressor(model, data, state).rightCols(model.nv_tree) * armature_of(model),
                   inverse(model, data, state)) < kAgreement);
}
