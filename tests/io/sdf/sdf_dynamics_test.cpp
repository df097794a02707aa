#include "io/sdf/sdf_fixture.hpp"

#include <cmath>
#include <map>
#include <sstream>

#include <Eigen/Geometry>

#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/kinematics.hpp"
#include "support/equivalence.hpp"

// Robots in SDF move as the same robots written otherwise.

using namespace sdf_test;
using grbda::Model;
using grbda::Pose;
using test_robots::State;

namespace {

Model built(const std::string& text) {
    const Reading reading = accept(text);
    return grbda::build_model(reading.robot, {});
}

std::string numbers(const Eigen::VectorXd& values) {
    std::ostringstream text;
    text.precision(17);
    for (const double value : values) text << value << " ";
    return text.str();
}

std::string quaternion_pose(const Pose& pose, const std::string& relative_to) {
    const Eigen::Quaterniond q(pose.rotation);
    const std::string frame = relative_to.empty() ? "" : " relative_to=\"" + relative_to + "\"";
    return "<pose rotation_format=\"quat_xyzw\"" + frame + ">" + numbers(pose.translation) +
           numbers(q.coeffs()) + "</pose>";
}

const char* sdf_type(grbda::JointType type) {
    return type == grbda::JointType::spherical ? "ball" : to_string(type);
}

/// A URDF+ robot that is closed at q = 0, as SDF: every joint, and every loop as a joint of its two links.
class Writer {
public:
    Writer(const grbda::RobotDescription& robot, bool chained) : robot_(robot), chained_(chained) {
        std::map<std::string, const grbda::JointDescription*> above;
        for (const grbda::JointDescription& joint : robot.joints) above[joint.child] = &joint;
        for (const grbda::LinkDescription& link : robot.links) {
            Pose pose;
            std::string name = link.name;
            for (; above.count(name); name = above[name]->parent) pose = above[name]->origin * pose;
            in_model_[link.name] = pose;
            above_[link.name] = above.count(link.name) ? above[link.name] : nullptr;
            root_ = name;
        }
    }

    std::string text() const {
        std::string text = joint("mount", "fixed", "world", root_, "");
        for (const grbda::LinkDescription& entry : robot_.links) text += link_text(entry);
        for (const grbda::JointDescription& entry : robot_.joints) {
            const std::string pose =
                chained_ ? "<pose" + std::string(" relative_to=\"") + entry.child + "\">0 0 0 0 0 0</pose>"
                         : "";
            text += joint(entry.name, sdf_type(entry.type), entry.parent, entry.child,
                          pose + axes(entry.axis, entry.axis2, entry.child));
        }
        for (const grbda::LoopDescription& entry : robot_.loops) {
            const Pose here = entry.successor_origin;
            const Pose there =
                inverse(in_model_.at(entry.predecessor)) * in_model_.at(entry.successor) * here;
            CHECK((there.translation - entry.predecessor_origin.translation).norm() < 1e-9);
            const std::string type =
                entry.type == grbda::LoopType::spherical ? "ball" : to_string(entry.type);
            const std::string pose =
                chained_ ? quaternion_pose(there, entry.predecessor) : quaternion_pose(here, "");
            text += joint(entry.name, type, entry.predecessor, entry.successor,
                          pose + axes(entry.axis, entry.axis2, ""));
        }
        return model(text);
    }

private:
    std::string link_text(const grbda::LinkDescription& link) const {
        const grbda::JointDescription* const joint = above_.at(link.name);
        const bool relative = chained_ && joint != nullptr;
        std::string text = "<link name=\"" + link.name + "\">";
        text += relative ? quaternion_pose(joint->origin, joint->parent)
                         : quaternion_pose(in_model_.at(link.name), "");
        const grbda::Inertial inertial = link.inertial.value_or(grbda::Inertial());
        const Eigen::Matrix3d& I = inertial.inertia;
        const char* const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
        const double values[] = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
        text += "<inertial><pose>" + numbers(inertial.com) + "0 0 0</pose><mass>" +
                numbers(Eigen::VectorXd::Constant(1, inertial.mass)) + "</mass><inertia>";
        for (int i = 0; i < 6; ++i)
            text += "<" + std::string(names[i]) + ">" + numbers(Eigen::VectorXd::Constant(1, values[i])) +
                    "</" + names[i] + ">";
        return text + "</inertia></inertial></link>\n";
    }

    /// In the joint's axes, or in those of the model.
    std::string axes(const Eigen::Vector3d& axis, const Eigen::Vector3d& axis2,
                     const std::string& frame) const {
        const bool in_model = chained_ && !frame.empty();
        const Eigen::Matrix3d R =
            in_model ? in_model_.at(frame).rotation : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
        const std::string xyz = in_model ? "<xyz expressed_in=\"__model__\">" : "<xyz>";
        return "<axis>" + xyz + numbers(R * axis) + "</xyz></axis><axis2>" + xyz + numbers(R * axis2) +
               "</xyz></axis2>";
    }

    const grbda::RobotDescription& robot_;
    bool chained_;
    std::map<std::string, Pose> in_model_;
    std::map<std::string, const grbda::JointDescription*> above_;
    std::string root_;
};

/// Equal M, inverse and forward dynamics at random states of `a`.
void check_same(const Model& a, const Model& b) {
    test_robots::Random random(3);
    int checked = 0;
    for (int i = 0; i < 8; ++i) {
        State state;
        REQUIRE(test_robots::random_state(a, random, state));
        Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(b.neutral.data(), b.nq);
        equivalence::copy_positions(a, state.q, b, q);
        checked += equivalence::check(a, state, b, q) ? 1 : 0;
    }
    CHECK(checked > 3);
}

Eigen::MatrixXd mass_matrix(const Model& model, const Eigen::VectorXd& q) {
    grbda::Workspace<double> data(model);
    Eigen::MatrixXd M(model.nv, model.nv);
    REQUIRE(grbda::crba<double>(model, data, q, M).ok());
    return M;
}

Eigen::Vector3d position(const Model& model, const Eigen::VectorXd& q, const std::string& frame) {
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    return grbda::frame_position(model, data, model.frame(frame).index);
}

/// Rate of a joint per unit of the only independent velocity.
double rate(const Model& model, const Eigen::VectorXd& q, const std::string& joint) {
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::constraint_embedding<double>(model, data, q, Eigen::VectorXd::Ones(1)).ok());
    const int body = equivalence::find(model.names.joints, joint);
    REQUIRE(body >= 0);
    return grbda::explicit_jacobian(model, data)(model.bodies[body].v, 0);
}

/// Index of a joint's position in q.
int entry(const Model& model, const std::string& joint) {
    const int body = equivalence::find(model.names.joints, joint);
    REQUIRE(body >= 0);
    return model.bodies[body].q;
}

/// Body of mass 2 and moments 1, 2, 2.5 on a screw along z of 0.5 m per revolution.
constexpr double kPitch = 0.5 / (2 * 3.14159265358979323846);
const std::string kThread = "<screw_thread_pitch>0.5</screw_thread_pitch>";

}  // namespace

TEST_CASE("robots in sdf move as the same robots in urdf+") {
    for (const std::string name : {"double_pendulum", "four_bar", "planar_leg_linkage", "slider_crank",
                                   "spatial_four_bar", "robotiq_finger", "lims2_wrist"}) {
        INFO(name);
        grbda::Diagnostics findings;
        const grbda::RobotDescription robot = grbda::read_description(
            {std::string(GRBDA_ROBOTS) + "/" + name + "/" + name + ".urdf"}, findings);
        const Model urdf = grbda::build_model(robot, {});
        const Model plain = built(Writer(robot, false).text());
        const Model chained = built(Writer(robot, true).text());
        CHECK(plain.nv == urdf.nv);
        CHECK(plain.names.joints == urdf.names.joints);
        check_same(urdf, plain);
        check_same(urdf, chained);
        check_same(plain, chained);
    }
}

TEST_CASE("sdf gearboxes move as linear couplings do") {
    const std::string inertial =
        "<inertial><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"2\" izz=\"2.5\"/></inertial>";
    const std::string urdf =
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">" + inertial + "</link><link name=\"c\">" +
        inertial +
        "</link><joint name=\"p\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
        "<axis xyz=\"0 0 1\"/></joint><joint name=\"q\" type=\"continuous\"><origin xyz=\"0 0.3 0\"/>"
        "<parent link=\"a\"/><child link=\"c\"/><axis xyz=\"0 0 1\"/></joint>"
        "<coupling name=\"g\" type=\"linear\"><term joint=\"q\"/><term joint=\"p\" coefficient=\"4\"/>"
        "</coupling></robot>";
    grbda::Diagnostics findings;
    const Model expected = grbda::build_model(grbda::read_urdf(urdf, "r.urdf", findings), {});
    const std::string gearbox = joint("g", "gearbox", "b", "c",
                                      "<gearbox_ratio>4</gearbox_ratio>"
                                      "<gearbox_reference_body>a</gearbox_reference_body>");
    const Model found = built(model(
        solid("a") + solid("b") + solid("c", "0 0.3 0 0 0 0") + joint("mount", "fixed", "world", "a", "") +
        joint("p", "continuous", "a", "b") + joint("q", "continuous", "a", "c") + gearbox));
    CHECK(found.nv == 1);
    check_same(expected, found);
}

TEST_CASE("sdf screws turn and travel together") {
    const Model model = built(sdf_test::model(
        solid("a") + joint("j", "screw", "world", "a", kThread + "<axis><xyz>0 0 1</xyz></axis>")));
    REQUIRE(model.nv == 1);
    REQUIRE(model.nq == 1);
    const double angle = 0.8;
    const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, angle);
    CHECK((position(model, q, "a") - Eigen::Vector3d(0, 0, kPitch * angle)).norm() < 1e-14);
    // About the angle: moment about the axis, and the mass that travels.
    const double turn = rate(model, q, "j");
    CHECK(std::abs(mass_matrix(model, q)(0, 0) / (turn * turn) - (2.5 + 2 * kPitch * kPitch)) < 1e-12);
}

TEST_CASE("sdf screws turned round move as the same screws written from the other end") {
    const std::string axis = "<axis><xyz>0 0 ", end = "</xyz></axis>";
    const Model there =
        built(model(solid("a") + joint("j", "screw", "world", "a", kThread + axis + "1" + end)));
    const Model back =
        built(model(solid("a") + joint("j", "screw", "a", "world", kThread + axis + "-1" + end)));
    check_same(there, back);
}

TEST_CASE("sdf screws close loops: a lead screw moves its carriage") {
    // The nut turns in the world, the carriage slides in the world, the screw holds the carriage on the nut.
    const Model model = built(sdf_test::model(
        solid("nut") + solid("carriage") + joint("turn", "continuous", "world", "nut") +
        joint("rail", "prismatic", "world", "carriage") +
        joint("thread", "screw", "nut", "carriage", kThread + "<axis><xyz>0 0 1</xyz></axis>")));
    REQUIRE(model.nv == 1);
    const double angle = 0.6;
    Eigen::VectorXd q = Eigen::VectorXd::Zero(model.nq);
    q[entry(model, "turn")] = angle;
    // the carriage does not turn: against the nut it turns back
    q[entry(model, "rail")] = -kPitch * angle;
    grbda::Workspace<double> data(model);
    CHECK(grbda::closure_residual<double>(model, data, q).residual < 1e-12);
    CHECK((position(model, q, "carriage") - Eigen::Vector3d(0, 0, -kPitch * angle)).norm() < 1e-12);
    const double turn = rate(model, q, "turn");
    const double expected = (2.5 + 2 * kPitch * kPitch) * turn * turn;  // nut turns, carriage travels
    CHECK(std::abs(mass_matrix(model, q)(0, 0) - expected) < 1e-10 * expected);
}

TEST_CASE("sdf joints turned round move as the same joints written from the other end") {
    const std::string links =
        solid("palm") + solid("finger", "0.1 0.1 0 0 0 0") + solid("rod", "0.1 0.2 0 0 0 0.3") +
        solid("tip", "0.4 0.1 0 0 0 0.2") + joint("mount", "fixed", "world", "palm", "") +
        joint("f", "revolute", "palm", "finger") + joint("t", "revolute", "finger", "tip");
    const std::string loop = joint("l", "revolute", "rod", "tip", "<pose>0 0.1 0 0 0 0</pose><axis/>");
    const std::string pose = "<pose relative_to=\"palm\">0.05 0.18 0 0.1 0 0</pose>";
    // All axes are parallel to z, or the loop could not move.
    const auto axis = [](const char* z) {
        return "<axis><xyz expressed_in=\"__model__\">0 0 " + std::string(z) + "</xyz></axis>";
    };
    const Model there = built(model(links + joint("r", "revolute", "palm", "rod", pose + axis("1")) + loop));
    const Model back = built(model(links + joint("r", "revolute", "rod", "palm", pose + axis("-1")) + loop));
    CHECK(back.nv == 1);
    check_same(there, back);
}

TEST_CASE("sdf robots that are free fall freely") {
    const Model model =
        built(sdf_test::model("<pose>1 2 3 0.1 0.2 0.3</pose>" + solid("a", "0.3 0 0 0 0.4 0") + solid("b") +
                              joint("j", "revolute", "a", "b")));
    CHECK(model.nv == 7);
    grbda::Workspace<double> data(model);
    const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(model.neutral.data(), model.nq);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
    const Eigen::Matrix3d R = [] {
        using Eigen::AngleAxisd;
        return (AngleAxisd(0.3, Eigen::Vector3d::UnitZ()) * AngleAxisd(0.2, Eigen::Vector3d::UnitY()) *
                AngleAxisd(0.1, Eigen::Vector3d::UnitX()))
            .toRotationMatrix();
    }();
    CHECK((position(model, q, "b") - Eigen::Vector3d(1, 2, 3)).norm() < 1e-14);
    CHECK((position(model, q, "a") - (Eigen::Vector3d(1, 2, 3) + 0.3 * R.col(0))).norm() < 1e-14);
    const grbda::Matrix6X<double> none = grbda::Matrix6X<double>::Zero(6, model.body_count());
    REQUIRE(grbda::aba<double>(model, data, q, zero, zero, none).ok());
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(model.nv);  // translation first, in the joint's axes
    const grbda::Coordinate first = grbda::independent_coordinates(model).front();
    CHECK(model.names.joints[first.body] == "a_free");
    expected.head<3>() =
        (R * Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitY())).transpose() * Eigen::Vector3d(0, 0, -9.81);
    CHECK((data.ydd - expected).norm() < 1e-9);
}
