#include <limits>
#include <stdexcept>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "constraints/embedding.hpp"
#include "dynamics/contact_inertia.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/factor.hpp"
#include "support/body_poses.hpp"
#include "support/charts.hpp"
#include "support/dense.hpp"
#include "support/robots.hpp"

// Effect of impulses, compared with the dense J M⁻¹ Jᵀ of the mass matrix and the bodies' Jacobians.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Contact;
using grbda::ContactSpace;
using grbda::Model;
using grbda::Vector3;
using grbda::Workspace;

constexpr int kStates = 2;
constexpr int most_joints = 20;
constexpr double kRounding = 1e-9;  // of Λ⁻¹ and M⁻¹ Jᵀ: rounding times the condition of M scaled
constexpr double kRates = 1e-9;

/// A body that can be touched, or the world.
int random_body(const Model& model, Random& random) {
    for (;;) {
        const int body = std::uniform_int_distribution<int>(-1, model.body_count() - 1)(random);
        if (body == grbda::world || (!model.bodies[body].rotor && !is_length(model, body))) return body;
    }
}

/// An orthonormal frame.
grbda::Matrix3<double> random_axes(Random& random) {
    const Eigen::Quaterniond turn = Eigen::Quaterniond(random_vector(random, 4).head<4>()).normalized();
    const Eigen::Matrix3d R = turn.toRotationMatrix();
    const auto axis = [&](int k) { return Vector3<double>{R(0, k), R(1, k), R(2, k)}; };
    return {axis(0), axis(1), axis(2)};
}

std::vector<Contact> random_contacts(const Model& model, Random& random, int count) {
    std::vector<Contact> contacts;
    for (int k = 0; k < count; ++k) {
        const VectorXd x = random_vector(random, 3);
        contacts.push_back({random_body(model, random),
                            k % 2 ? random_body(model, random) : grbda::world,
                            {x[0], x[1], x[2]},
                            random_axes(random)});
    }
    return contacts;
}

/// Velocities that a row may be of: those of floating joints first, also along the axes of their positions.
std::vector<int> joint_rows(const Model& model) {
    std::vector<int> joints;
    for (const grbda::Body& body : model.bodies)
        for (int k = 0; k < 6 && body.joint == grbda::JointType::floating; ++k) {
            joints.push_back(body.v + k);
            if (k < 3) joints.push_back(model.nv_tree + body.v + k);
        }
    for (int dof = 0; dof < model.nv_tree; ++dof)
        if (model.bodies[model.dof_body[dof]].joint != grbda::JointType::floating)
            joints.push_back(model.v_index[dof]);
    if (joints.size() > most_joints) joints.resize(most_joints);
    return joints;
}

/// Row of G of an entry of q̇, or of one along an axis of the position.
Eigen::RowVectorXd joint_row(const Model& model, const VectorXd& q, const MatrixXd& G, int joint) {
    if (joint < model.nv_tree) return G.row(joint);
    for (const grbda::Body& body : model.bodies) {
        const int k = joint - model.nv_tree - body.v;
        if (body.joint != grbda::JointType::floating || k < 0 || k >= 3) continue;
        const Eigen::Quaterniond turn(q[body.q + 6], q[body.q + 3], q[body.q + 4], q[body.q + 5]);
        return turn.normalized().toRotationMatrix().row(k) * G.middleRows(body.v, 3);
    }
    return {};
}

/// Velocity of a point of a body along axes, by ẏ [3 × nv].
MatrixXd point_jacobian(const Model& model, const Workspace<double>& data, const Contact& contact, int body) {
    if (body == grbda::world) return MatrixXd::Zero(3, model.nv);
    grbda::Matrix6X<double> J(6, model.nv);
    grbda::body_jacobian<double>(model, data, body, grbda::ReferenceFrame::world_aligned, J);
    const Eigen::Vector3d arm =
        body_poses::eigen(contact.position) - grbda::frame_position(model, data, model.body_frame[body]);
    MatrixXd at_point(3, model.nv);
    for (Eigen::Index j = 0; j < model.nv; ++j)
        at_point.col(j) = J.col(j).head<3>() + J.col(j).tail<3>().head<3>().cross(arm);
    return body_poses::eigen(contact.axes).transpose() * at_point;
}

/// J [rows × nv] in the coordinates of a chart, from bodies and G.
MatrixXd dense_jacobian(const Model& model, const grbda::Chart& chart, const State& state,
                        const std::vector<Contact>& contacts, const std::vector<int>& joints) {
    Workspace<double> data(model);
    data.chart = chart;
    MatrixXd J(3 * contacts.size() + joints.size(), model.nv);
    REQUIRE(grbda::forward_kinematics<double>(model, data, state.q).ok());
    Eigen::Index row = 0;
    for (const Contact& contact : contacts) {
        J.middleRows(row, 3) = point_jacobian(model, data, contact, contact.body) -
                               point_jacobian(model, data, contact, contact.other);
        row += 3;
    }
    REQUIRE(grbda::constraint_embedding<double>(model, data, state.q, VectorXd::Zero(model.nv)).ok());
    const MatrixXd G = grbda::explicit_jacobian<double>(model, data);
    for (const int joint : joints) J.row(row++) = joint_row(model, state.q, G, joint);
    return J;
}

/// Each row and column by the root of its own diagonal entry: rows of light and of heavy bodies alike. What
/// nothing moves has none.
double relative_by_diagonal(const MatrixXd& found, const MatrixXd& expected) {
    const double least = 1e-10 * expected.diagonal().maxCoeff() + 1e-10;
    const VectorXd scale = (expected.diagonal().array() + least).rsqrt();
    return (scale.asDiagonal() * (found - expected) * scale.asDiagonal()).cwiseAbs().maxCoeff();
}

/// All laws in the coordinates that `data` has.
void check_contacts(const Model& model, Workspace<double>& data, const State& state, Random& random) {
    const std::vector<Contact> contacts = random_contacts(model, random, 5);
    const std::vector<int> joints = joint_rows(model);
    const MatrixXd J = dense_jacobian(model, data.chart, state, contacts, joints);
    Workspace<double> mass(model);
    mass.chart = data.chart;
    MatrixXd M(model.nv, model.nv);
    REQUIRE(grbda::crba<double>(model, mass, state.q, M).ok());
    const MatrixXd response = dense::solve_symmetric(M, J.transpose());

    ContactSpace space(model, 5, most_joints);
    VectorXd impulses = random_vector(random, J.rows()), change(model.nv);
    // forces of all joints, for which τ is Gᵀ (τ_s − d q̇)
    const VectorXd tau_s = random_vector(random, model.nv_tree, 5),
                   damping = random_vector(random, model.nv_tree).cwiseAbs();
    VectorXd tau(model.nv);
    REQUIRE(grbda::spanning_velocity<double>(model, mass, state.q, state.yd).ok());
    const VectorXd damped = tau_s - damping.cwiseProduct(mass.qd);
    REQUIRE(grbda::independent_force<double>(model, mass, state.q, damped, tau).ok());
    REQUIRE(grbda::aba<double>(model, mass, state.q, state.yd, tau, state.wrenches).ok());
    REQUIRE(grbda::free_motion<double>(model, data, state.q, state.yd, tau_s, damping, state.wrenches).ok());
    const VectorXd ydd = data.ydd;
    CHECK(relative_by_inertia(M, ydd, mass.ydd) < kRounding);
    REQUIRE(grbda::contact_inertia<double>(model, data, contacts, joints, space).ok());
    const MatrixXd inverse = space.inverse_inertia.topLeftCorner(space.rows, space.rows);
    REQUIRE(space.rows == J.rows());
    const MatrixXd expected = J * response;
    if (space.by_response)  // both sweeps round by the largest motion that a row brings about anywhere
        CHECK((inverse - expected).norm() < kRounding * (1 + J.norm() * response.norm()));
    else
        CHECK(relative_by_diagonal(inverse, expected) < kRounding);
    CHECK(inverse == inverse.transpose());
    CHECK(relative(space.velocity.head(space.rows), J * state.yd) < kRates);
    CHECK(relative(space.acceleration.head(space.rows), J * ydd) < kRates);
    REQUIRE(grbda::apply_impulses<double>(model, data, space, impulses, change).ok());
    CHECK(relative_by_inertia(M, change, response * impulses) < kRounding);
}

}  // namespace

TEST_CASE("contacts and joints feel the inverse inertia of the mass matrix, on every robot") {
    at_random_states(all(), kStates, 401, [](const Robot& robot, const State& state, Random& random) {
        Workspace<double> data(robot.model);
        check_contacts(robot.model, data, state, random);
    });
}

TEST_CASE("in every form of forward dynamics") {
    for (const grbda::Form form : grbda::all_forms)
        at_random_states(all(), 1, 402, [&](const Robot& robot, const State& state, Random& random) {
            INFO("form " << to_string(form));
            grbda::LoadOptions options = robot.options;
            options.form = form;
            const Model model = grbda::build_model(robot.description, options);
            Workspace<double> data(model);
            check_contacts(model, data, state, random);
        });
}

TEST_CASE("and in any coordinates") {
    at_random_states(all(), 1, 403, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        for (const charts::Kind kind : {charts::Kind::chosen, charts::Kind::tangent}) {
            Workspace<double> data(model);
            if (!charts::take(kind, model, data, state.q, random)) continue;
            INFO("coordinates " << static_cast<int>(kind));
            check_contacts(model, data, state, random);
        }
    });
}

TEST_CASE("the inverse inertia has no negative eigenvalue, however many contacts there are") {
    at_random_states(all(), 1, 404, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const std::vector<Contact> contacts = random_contacts(model, random, 20);
        ContactSpace space(model, 20);
        Workspace<double> data(model);
        REQUIRE(
            grbda::free_motion<double>(model, data, state.q, state.yd, VectorXd::Zero(model.nv_tree)).ok());
        REQUIRE(grbda::contact_inertia<double>(model, data, contacts, {}, space).ok());
        const VectorXd eigenvalues = space.inverse_inertia.selfadjointView<Eigen::Lower>().eigenvalues();
        CHECK(eigenvalues.minCoeff() >= -1e-13 * eigenvalues.maxCoeff());
    });
}

TEST_CASE("invalid contacts are refused") {
    const Robot& robot = named("tello");
    const Model& model = robot.model;
    Random random(406);
    State state;
    REQUIRE(random_state(model, random, state));
    Workspace<double> data(model);
    ContactSpace space(model, 1, 1);
    const Contact contact{1, grbda::world, {0, 0, 0}, grbda::Matrix3<double>::identity()};
    const auto inertia = [&](std::vector<Contact> contacts, std::vector<int> joints) {
        return grbda::contact_inertia<double>(model, data, contacts, joints, space).ok();
    };
    CHECK_THROWS_AS(inertia({contact}, {}), std::invalid_argument);  // nothing ran
    REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau).ok());
    CHECK_THROWS_AS(inertia({contact}, {}), std::invalid_argument);  // bodies were left out
    REQUIRE(grbda::free_motion<double>(model, data, state.q, state.yd, VectorXd::Zero(model.nv_tree)).ok());
    CHECK(inertia({contact}, {7}));
    CHECK_THROWS_AS(inertia({contact, contact}, {}), std::invalid_argument);
    CHECK_THROWS_AS(inertia({}, {7, 8}), std::invalid_argument);
    CHECK(inertia({}, {0}));              // of the floating base
    CHECK(inertia({}, {model.nv_tree}));  // the same along the world's x
    CHECK_THROWS_AS(inertia({}, {-1}), std::invalid_argument);
    CHECK_THROWS_AS(inertia({}, {model.nv_tree + 3}), std::invalid_argument);  // of its rotation
    CHECK_THROWS_AS(inertia({}, {2 * model.nv_tree}), std::invalid_argument);
    Contact wrong = contact;
    wrong.body = model.body_count();
    CHECK_THROWS_AS(inertia({wrong}, {}), std::invalid_argument);
    VectorXd change(model.nv);
    CHECK(inertia({contact}, {7}));
    CHECK_THROWS_AS(grbda::apply_impulses<double>(model, data, space, VectorXd::Zero(3), change),
                    std::invalid_argument);
    REQUIRE(grbda::apply_impulses<double>(model, data, space, VectorXd::Ones(4), change).ok());
    CHECK_THROWS_AS(inertia({contact}, {}), std::invalid_argument);  // the free motion is gone
    CHECK(grbda::apply_impulses<double>(
              model, data, space, VectorXd::Constant(4, std::numeric_limits<double>::quiet_NaN()), change)
              .status == grbda::Status::not_finite);
    CHECK(change.hasNaN());
    CHECK_THROWS_AS(ContactSpace(model, -1), std::invalid_argument);
}
