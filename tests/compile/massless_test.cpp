#include <Eigen/Geometry>

#include "compile/model_diagnostics_fixture.hpp"

#include "grbda/batch/batch_data.hpp"
#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/factor.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/kinematics.hpp"

// Links without mass: ends of the tree do not change the dynamics of the rest, branches have kinematics only,
// and the effect of massless links between other links is determined at each state.

using grbda::Model;
using grbda::Result;
using grbda::Status;
using grbda::Workspace;
using namespace model_diagnostics;

namespace {

constexpr double kSame = 1e-12;  // rounding of accelerations, relative to the largest

const std::string moving = "type=\"continuous\"", fixed = "type=\"fixed\"";

/// Two links with mass; a palm without turns at the end, two fingers slide on it, coupled, and a third by
/// itself.
std::string arm(const std::string& palm_joint, const std::string& finger_joint) {
    const bool moves = finger_joint != fixed;
    return robot(empty_link("base") + joint({"a", "base", "upper"}) + link("upper") +
                 joint({"b", "upper", "lower", "0.5 0 0.1", moving, "0 1 0"}) + link("lower") +
                 joint({"palm", "lower", "hand", "0.4 0.1 0", palm_joint, "1 0 0"}) + empty_link("hand") +
                 joint({"left", "hand", "left_finger", "0.1 0.02 0", finger_joint, "0 1 0"}) +
                 empty_link("left_finger") +
                 joint({"right", "hand", "right_finger", "0.1 -0.02 0", finger_joint, "0 1 0",
                        moves ? "<mimic joint=\"left\" multiplier=\"-1\"/>" : ""}) +
                 empty_link("right_finger") +
                 joint({"thumb", "hand", "thumb_tip", "0 0 0.1", finger_joint, "0 0 1"}) +
                 empty_link("thumb_tip") + joint({"side", "upper", "flap", "0 0.1 0", moving, "1 1 0"}) +
                 link("flap"));
}

Model model_of(const std::string& text) {
    Loaded loaded = load_text(text);
    INFO(loaded.findings());
    REQUIRE(loaded.count(Severity::error) == 0);
    return std::move(loaded.model);
}

/// Places in y of joints.
int place(const Model& model, const std::string& joint) {
    const auto coordinates = independent_coordinates(model);
    for (std::size_t y = 0; y < coordinates.size(); ++y)
        if (coordinates[y].body == model.joint(joint).index) return static_cast<int>(y);
    FAIL("no independent velocity of joint " << joint);
    return -1;
}

const std::vector<std::string> heavy = {"a", "b", "side"}, light = {"palm", "left", "thumb"};

/// The same numbers for the joints of both.
Eigen::VectorXd part(const Model& model, const Eigen::VectorXd& x) {
    Eigen::VectorXd result(heavy.size());
    for (std::size_t i = 0; i < heavy.size(); ++i)
        result[static_cast<Eigen::Index>(i)] = x[place(model, heavy[i])];
    return result;
}
Eigen::VectorXd whole(const Model& model, const Eigen::Vector3d& x) {
    Eigen::VectorXd result = Eigen::VectorXd::Zero(model.nv);
    for (std::size_t i = 0; i < heavy.size(); ++i)
        result[place(model, heavy[i])] = x[static_cast<Eigen::Index>(i)];
    return result;
}

double difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return (a - b).norm() / (1 + b.norm());
}

/// Every joint's position by its place in q.
Eigen::VectorXd configuration(const Model& model, const Eigen::Vector3d& x) {
    Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(model.neutral.data(), model.nq);
    for (std::size_t i = 0; i < heavy.size(); ++i)
        q[model.joint(heavy[i]).q.first] = x[static_cast<Eigen::Index>(i)];
    return q;
}

void check_refused(const Result& result, int cluster) {
    CHECK(result.status == Status::singular_inertia);
    CHECK(result.cluster == cluster);
}

}  // namespace

TEST_CASE("massless ends leave the dynamics of the rest as if they were fixed") {
    constexpr double armature = 1e-3;  // kg·m², as documented; that of the coupled fingers counts twice
    const Eigen::Vector3d inertia(armature, 2 * armature, armature);
    const Model model = model_of(arm(moving, moving)), rigid = model_of(arm(fixed, fixed));
    REQUIRE(rigid.nv == 3);
    REQUIRE(model.nv == 6);
    Workspace<double> data(model), other(rigid);
    std::srand(7);
    for (int i = 0; i < 20; ++i) {
        const Eigen::Vector3d x = Eigen::Vector3d::Random() * 3, v = Eigen::Vector3d::Random(),
                              f = Eigen::Vector3d::Random() * 5, own = Eigen::Vector3d::Random();
        const Eigen::VectorXd q = configuration(model, x), qr = configuration(rigid, x);
        const Eigen::VectorXd yd = whole(model, v), ydr = whole(rigid, v), taur = whole(rigid, f);
        Eigen::VectorXd tau = whole(model, f);
        for (int j = 0; j < 3; ++j) tau[place(model, light[static_cast<std::size_t>(j)])] = own[j];
        REQUIRE(grbda::aba<double>(model, data, q, yd, tau).ok());
        REQUIRE(grbda::aba<double>(rigid, other, qr, ydr, taur).ok());
        const Eigen::VectorXd ydd = data.ydd;
        CHECK(difference(part(model, ydd), part(rigid, other.ydd)) < kSame);
        REQUIRE(grbda::rnea<double>(model, data, q, yd, ydd).ok());
        CHECK(difference(data.tau, tau) < kSame);
        Eigen::MatrixXd M(6, 6);
        REQUIRE(grbda::crba<double>(model, data, q, M).ok());
        for (int j = 0; j < 3; ++j) {
            const int y = place(model, light[static_cast<std::size_t>(j)]);
            CHECK(ydd[y] == Approx(own[j] / inertia[j]));
            CHECK(M(y, y) == Approx(inertia[j]));
            CHECK(M.row(y).norm() == M(y, y));
        }
    }
}

TEST_CASE("a wrench on a massless end acts on the rest as if the end were fixed, also in derivatives") {
    const Model model = model_of(arm(moving, moving)), rigid = model_of(arm(fixed, fixed));
    Workspace<double> data(model), other(rigid);
    const Eigen::Vector3d x(0.3, -0.4, 0.5), v(1, 2, -1), f(3, 2, 1);
    const Eigen::VectorXd q = configuration(model, x), qr = configuration(rigid, x);
    const Eigen::VectorXd yd = whole(model, v), ydr = whole(rigid, v);
    const Eigen::VectorXd tau = whole(model, f), taur = whole(rigid, f);
    grbda::Matrix6X<double> w = grbda::Matrix6X<double>::Zero(6, model.body_count()),
                            wr = grbda::Matrix6X<double>::Zero(6, rigid.body_count());
    Eigen::Matrix<double, 6, 1> force;
    force << 3, -2, 5, 0.1, 0.2, -0.3;
    w.col(model.joint("thumb").index) = force;
    Eigen::Matrix<double, 6, 1> moved = force;  // to the lower arm's frame, which has the same axes
    moved.tail<3>() += Eigen::Vector3d(0.4, 0.1, 0.1).cross(force.head<3>());
    wr.col(rigid.joint("b").index) = moved;
    REQUIRE(grbda::aba<double>(model, data, q, yd, tau, w).ok());
    REQUIRE(grbda::aba<double>(rigid, other, qr, ydr, taur, wr).ok());
    CHECK(difference(part(model, data.ydd), part(rigid, other.ydd)) < kSame);
    Eigen::MatrixXd y(6, 6), ydot(6, 6), t(6, 6), yr(3, 3), ydotr(3, 3), tr(3, 3);
    REQUIRE(grbda::aba_derivatives<double>(model, data, q, yd, tau, y, ydot, t).ok());
    REQUIRE(grbda::aba_derivatives<double>(rigid, other, qr, ydr, taur, yr, ydotr, tr).ok());
    for (const std::string& column : heavy) {
        const int c = place(model, column), cr = place(rigid, column);
        CHECK(difference(part(model, y.col(c)), part(rigid, yr.col(cr))) < 1e-10);
        CHECK(difference(part(model, ydot.col(c)), part(rigid, ydotr.col(cr))) < 1e-10);
        CHECK(difference(part(model, t.col(c)), part(rigid, tr.col(cr))) < 1e-10);
    }
    for (const std::string& column : light) {
        CHECK(part(model, y.col(place(model, column))).norm() == 0);
        CHECK(part(model, t.col(place(model, column))).norm() == 0);
    }
    grbda::BatchData batch(model, 1);
    Eigen::MatrixXd ydd(6, 1);
    REQUIRE(grbda::aba(model, batch, q, yd, tau, ydd).ok());
    REQUIRE(grbda::aba<double>(model, data, q, yd, tau).ok());
    CHECK(difference(ydd.col(0), data.ydd) < kSame);
}

TEST_CASE("a robot without mass has kinematics, and all dynamics names its first joint") {
    const Loaded loaded =
        load_text(robot(empty_link("base") + joint({"a", "base", "upper"}) + empty_link("upper") +
                        joint({"b", "upper", "lower", "0.5 0 0", moving, "0 1 0"}) + empty_link("lower")));
    check_accepted(loaded, 1);
    const Model& model = loaded.model;
    Workspace<double> data(model);
    const Eigen::VectorXd q = Eigen::Vector2d(0.3, 0.4), zero = Eigen::VectorXd::Zero(2);
    REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    const Eigen::Vector3d elbow = grbda::frame_position(model, data, model.frame("lower").index);
    CHECK((elbow - Eigen::Vector3d(0.5 * std::cos(0.3), 0.5 * std::sin(0.3), 0)).norm() < kSame);
    const int first = model.joint("a").cluster;
    Eigen::MatrixXd M(2, 2), A(2, 2), B(2, 2), C(2, 2);
    grbda::MechanicalState mechanical;
    check_refused(grbda::aba<double>(model, data, q, zero, zero), first);
    check_refused(grbda::rnea<double>(model, data, q, zero, zero), first);
    check_refused(grbda::bias_force<double>(model, data, q, zero), first);
    check_refused(grbda::crba<double>(model, data, q, M), first);
    check_refused(grbda::aba_derivatives<double>(model, data, q, zero, zero, A, B, C), first);
    check_refused(grbda::rnea_derivatives<double>(model, data, q, zero, zero, A, B), first);
    check_refused(grbda::mechanical_state<double>(model, data, q, zero, mechanical), first);
    CHECK(std::isnan(M(0, 0)));
    CHECK(std::isnan(data.ydd[0]));
    grbda::BatchData batch(model, 1);
    Eigen::MatrixXd ydd(2, 1);
    CHECK(grbda::aba(model, batch, q, zero, zero, ydd).status == Status::singular_inertia);
    CHECK(grbda::rnea(model, batch, q, zero, zero, ydd).status == Status::singular_inertia);
    // reflected inertias are inertias
    const Model geared = with_armature(model, {0.1, 0.2});
    Workspace<double> work(geared);
    REQUIRE(grbda::aba<double>(geared, work, q, zero, Eigen::VectorXd::Ones(2)).ok());
    CHECK(difference(work.ydd, Eigen::Vector2d(10, 5)) < kSame);
}

TEST_CASE("a massless link between others is refused exactly where no mass moves") {
    // both axes are one at b = 0: a turns the arm as c does
    const Model model =
        model_of(robot(empty_link("base") + joint({"a", "base", "ghost"}) + empty_link("ghost") +
                       joint({"b", "ghost", "cross", "0 0 0", moving, "0 1 0"}) + empty_link("cross") +
                       joint({"c", "cross", "arm"}) + link("arm")));
    Workspace<double> data(model);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3);
    Eigen::VectorXd q = zero;
    const Result aligned = grbda::aba<double>(model, data, q, zero, zero);
    check_refused(aligned, model.joint("a").cluster);
    CHECK(grbda::rnea<double>(model, data, q, zero, zero).ok());
    for (const double angle : {0.2, 0.9, -1.3}) {
        q << 0.5, angle, -0.7;
        const Eigen::Vector3d tau(0.3, -0.2, 0.1);
        REQUIRE(grbda::aba<double>(model, data, q, zero, tau).ok());
        const Eigen::VectorXd ydd = data.ydd;
        REQUIRE(grbda::rnea<double>(model, data, q, zero, ydd).ok());
        CHECK(difference(data.tau, tau) < 1e-10);
    }
}
