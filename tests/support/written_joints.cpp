#include "support/written_joints.hpp"
#include "constraints/coordinates.hpp"

namespace written_joints {

int body_of(const Model& model, const std::string& joint) {
    for (std::size_t i = 0; i < model.names.joints.size(); ++i)
        if (model.names.joints[i] == joint) return static_cast<int>(i);
    return -1;
}

Eigen::Matrix3d rotation(const Eigen::VectorXd& xyzw) {
    return Eigen::Quaterniond(xyzw[3], xyzw[0], xyzw[1], xyzw[2]).normalized().toRotationMatrix();
}

Motion motion_of(const Side& robot, const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const Side& copy) {
    Motion motion{Eigen::VectorXd::Zero(copy.model.nq),
                  Eigen::MatrixXd::Zero(copy.model.nv_tree, robot.model.nv_tree),
                  Eigen::VectorXd::Zero(copy.model.nv_tree)};
    JointCopier copier(robot, copy, q, qd, motion);
    for (const grbda::MechanismBody& body : robot.mechanism.bodies)
        if (!body.combined) copier.copy(body, body.joint);
    return motion;
}

Wrenches common(const Model& robot, const grbda::Matrix6X<double>& wrenches, const Model& copy) {
    Wrenches result{grbda::Matrix6X<double>::Zero(6, robot.body_count()),
                    grbda::Matrix6X<double>::Zero(6, copy.body_count())};
    for (std::size_t i = 0; i < copy.names.bodies.size(); ++i)
        for (std::size_t j = 0; j < robot.names.bodies.size(); ++j) {
            if (copy.names.bodies[i] != robot.names.bodies[j]) continue;
            const auto from = static_cast<Eigen::Index>(j), to = static_cast<Eigen::Index>(i);
            result.robot.col(from) = result.copy.col(to) = wrenches.col(from);
        }
    return result;
}

bool check(const Side& robot, const State& state, const Side& copy, double agreement) {
    const Model &a = robot.model, &b = copy.model;
    grbda::Workspace<double> data_a(a), data_b(b);
    REQUIRE(a.nv == b.nv);
    REQUIRE(grbda::spanning_acceleration<double>(a, data_a, state.q, state.yd, state.ydd).ok());
    const Eigen::VectorXd qd = data_a.qd, qdd = data_a.qdd;
    const Motion motion = motion_of(robot, state.q, qd, copy);
    REQUIRE(grbda::closure_residual<double>(b, data_b, motion.q).ok());
    const Eigen::VectorXd qd_b = motion.S * qd, qdd_b = motion.S * qdd + motion.bias;
    const Eigen::VectorXd yd = grbda::independent_part(b, qd_b);
    const Eigen::VectorXd ydd = grbda::independent_part(b, qdd_b);
    if (!grbda::spanning_acceleration<double>(b, data_b, motion.q, yd, ydd).ok()) return false;
    for (std::size_t i = 0; i < b.clusters.size(); ++i)
        if (b.clusters[i].embedding == grbda::Embedding::implicit && data_b.rcond[i] < kWellConditioned)
            return false;
    CHECK(test_robots::relative(data_b.qd, qd_b) < agreement);
    CHECK(test_robots::relative(data_b.qdd, qdd_b) < agreement);
    REQUIRE(grbda::constraint_embedding<double>(a, data_a, state.q, state.yd).ok());
    const Eigen::MatrixXd G = grbda::explicit_jacobian(a, data_a);
    Eigen::MatrixXd T(b.nv, a.nv);
    for (int j = 0; j < a.nv; ++j) T.col(j) = grbda::independent_part(b, motion.S * G.col(j));
    const Wrenches wrenches = common(a, state.wrenches, b);
    REQUIRE(grbda::rnea<double>(a, data_a, state.q, state.yd, state.ydd, wrenches.robot).ok());
    REQUIRE(grbda::rnea<double>(b, data_b, motion.q, yd, ydd, wrenches.copy).ok());
    CHECK(test_robots::relative(T.transpose() * data_b.tau, data_a.tau) < agreement);
    const Eigen::VectorXd tau = data_b.tau;
    Eigen::MatrixXd M_a(a.nv, a.nv), M_b(b.nv, b.nv);
    REQUIRE(grbda::crba<double>(a, data_a, state.q, M_a).ok());
    REQUIRE(grbda::crba<double>(b, data_b, motion.q, M_b).ok());
    CHECK(test_robots::relative(T.transpose() * M_b * T, M_a) < agreement);
    REQUIRE(grbda::aba<double>(b, data_b, motion.q, yd, tau, wrenches.copy).ok());
    CHECK(test_robots::relative_by_inertia(M_b, data_b.ydd, ydd) < agreement);
    return true;
}

Written written(const Mechanism& mechanism, Writer& write) {
    Written written;
    written.text = write(mechanism, written.findings);
    CHECK(written.text.empty() == has_errors(written.findings));
    return written;
}

grbda::RobotDescription read_again(const std::string& text, const std::string& file, Reader& read) {
    grbda::Diagnostics findings;
    grbda::RobotDescription robot = read(text, file, findings);
    for (const grbda::Diagnostic& finding : findings) {
        INFO(text);
        INFO(to_string(finding));
        CHECK(finding.severity == grbda::Severity::note);
    }
    return robot;
}

Mechanism mechanism_of(const grbda::RobotDescription& robot, const grbda::LoadOptions& options) {
    grbda::Diagnostics findings;
    Mechanism mechanism = grbda::make_mechanism(robot, options, findings);
    for (const grbda::Diagnostic& finding : findings) {
        INFO(to_string(finding));
        REQUIRE(finding.severity != grbda::Severity::error);
    }
    return mechanism;
}

Model model_of(const Mechanism& mechanism) {
    grbda::Diagnostics findings;
    grbda::LoadOptions options;
    options.rod_reduction = false;  // joints of rods are written too
    Model model = grbda::build_model(mechanism, options, findings);
    for (const grbda::Diagnostic& finding : findings) {
        INFO(to_string(finding));
        REQUIRE(finding.severity != grbda::Severity::error);
    }
    return model;
}

}  // namespace written_joints
