#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include <Eigen/Geometry>

#include "grbda/compile/build.hpp"
#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/energy.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/configuration.hpp"

// Law: three revolute joints with axes through one point and massless links between move the rest of the
// robot as a spherical joint does, away from their gimbal lock.

using grbda::JointType;
using grbda::Model;
using grbda::RobotDescription;
using grbda::Workspace;

namespace {

// Two ways to compute the same; near gimbal lock the angles' rates grow, and rounding with them.
constexpr double kSame = 1e-7;
constexpr double kFarFromLock = 0.3;

RobotDescription read(const std::string& text) {
    grbda::Diagnostics diagnostics;
    RobotDescription robot = grbda::read_urdf(text, "robot.urdf", diagnostics);
    REQUIRE_FALSE(has_errors(diagnostics));
    return robot;
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& inside, const std::string& type = "continuous") {
    return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/>" + inside + "</joint>\n";
}

std::string body(const std::string& name, double mass) {
    const auto entry = [&](const char* key, double value) {
        return std::string(" ") + key + "=\"" + std::to_string(mass * value) + "\"";
    };
    return "<link name=\"" + name + "\"><inertial><origin xyz=\"0.1 -0.2 0.3\"/><mass value=\"" +
           std::to_string(mass) + "\"/><inertia" + entry("ixx", 0.3) + entry("ixy", 0.01) +
           entry("ixz", 0.02) + entry("iyy", 0.4) + entry("iyz", -0.03) + entry("izz", 0.5) +
           "/></inertial></link>\n";
}

/// An arm on a lift, a wrist of three joints, a hand with a finger. The axes meet at `center`, each joint
/// stands elsewhere on its own axis.
RobotDescription arm() {
    RobotDescription robot = read(
        "<robot name=\"arm\"><link name=\"base\"/>" + body("upper", 3) +
        "<link name=\"one\"/><link name=\"two\"/>" + body("hand", 2) + body("finger", 1) +
        joint("lift", "base", "upper", "<axis xyz=\"0 1 0\"/>") +
        joint("w_rev0", "upper", "one",
              "<origin xyz=\"0.5 0.1 0.2\" rpy=\"0.3 -0.2 0.9\"/><axis xyz=\"1 0 0.1\"/>") +
        joint("w_rev1", "one", "two", "<axis xyz=\"0.3 1 0.2\"/>") +
        joint("w_rev2", "two", "hand", "<origin rpy=\"0.2 0.1 -0.3\"/><axis xyz=\"0.1 0.4 1\"/>") +
        joint("curl", "hand", "finger", "<origin xyz=\"0 0.2 0.4\"/><axis xyz=\"1 1 0\"/>") + "</robot>");
    // Placements along the axes keep the axes where they are.
    const Eigen::Vector3d along1 = 0.2 * Eigen::Vector3d(1, 0, 0.1);
    const Eigen::Vector3d along2 = -0.3 * Eigen::Vector3d(0.3, 1, 0.2);
    robot.joints[2].origin.translation = along1 + along2;
    const Eigen::Vector3d along3 = robot.joints[3].origin.rotation * Eigen::Vector3d(0.1, 0.4, 1);
    robot.joints[3].origin.translation = 0.4 * along3 - along2;
    robot.joints[4].origin.translation += Eigen::Vector3d(0.1, 0.4, 1);
    return robot;
}

Model build(const RobotDescription& robot, bool spherical) {
    grbda::LoadOptions options;
    options.spherical_joints = spherical;
    options.rod_reduction = false;  // balls of rods are joints too
    return grbda::build_model(robot, options);
}

const grbda::JointDescription& find_joint(const RobotDescription& robot, const std::string& name) {
    const auto found = std::find_if(robot.joints.begin(), robot.joints.end(),
                                    [&](const auto& entry) { return entry.name == name; });
    REQUIRE(found != robot.joints.end());
    return *found;
}

std::size_t find_body(const Model& model, const std::string& joint) {
    const auto& names = model.names.joints;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), joint) - names.begin());
}

/// State of the robot with spherical joints, from that of the one with three revolute ones for each, whose
/// names end in _rev0, _rev1, _rev2.
class Conversion {
public:
    Conversion(const RobotDescription& robot, const Model& three, const Model& one, const Eigen::VectorXd& q,
               const Eigen::VectorXd& qd)
        : q_one(Eigen::VectorXd::Zero(one.nq)), qd_one(Eigen::VectorXd::Zero(one.nv_tree)) {
        for (std::size_t i = 0; i < one.bodies.size(); ++i) {
            const std::string& name = one.names.joints[i];
            if (one.bodies[i].joint != JointType::spherical) {
                const grbda::Body& body = three.bodies[find_body(three, name)];
                q_one[one.bodies[i].q] = q[body.q];
                qd_one[one.bodies[i].v] = qd[body.v];
                continue;
            }
            Eigen::Matrix3d frame = Eigen::Matrix3d::Identity(), turn = frame, rates;
            for (int k = 0; k < 3; ++k) {
                const std::string part = name.substr(0, name.size() - 1) + std::to_string(k);
                const grbda::JointDescription& joint = find_joint(robot, part);
                const grbda::Body& body = three.bodies[find_body(three, part)];
                if (k > 0) frame = frame * joint.origin.rotation;
                const Eigen::Vector3d axis = (frame * joint.axis).normalized();
                rates.col(k) = turn * axis;  // the axis where the joints before have brought it
                turn = turn * Eigen::AngleAxisd(q[body.q], axis);
                omega_from_rates_[k] = qd[body.v];
            }
            const Eigen::Quaterniond quaternion(turn);
            q_one.segment<4>(one.bodies[i].q) = quaternion.coeffs();
            qd_one.segment<3>(one.bodies[i].v) = turn.transpose() * rates * omega_from_rates_;
            distance_from_lock = std::min(distance_from_lock, std::abs(rates.determinant()));
        }
    }

    Eigen::VectorXd q_one, qd_one;
    double distance_from_lock = 1;

private:
    Eigen::Vector3d omega_from_rates_;
};

/// The same state of both models: energies, and accelerations under the same torques on the joints that both
/// have, must agree.
int compare(const RobotDescription& robot, const Model& three, const Model& one, int states) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Workspace<double> data3(three), data1(one);
    int compared = 0;
    for (int trial = 0; trial < states; ++trial) {
        const Eigen::VectorXd q = grbda::random_configuration(three, random);
        const Eigen::VectorXd yd = Eigen::VectorXd::NullaryExpr(three.nv, [&] { return uniform(random); });
        REQUIRE(grbda::spanning_velocity<double>(three, data3, q, yd).ok());
        const Eigen::VectorXd qd = data3.qd;
        const Conversion state(robot, three, one, q, qd);
        if (state.distance_from_lock < kFarFromLock || qd.cwiseAbs().maxCoeff() > 30) continue;
        ++compared;

        Eigen::VectorXd closed = state.q_one;
        REQUIRE(grbda::close_loops<double>(one, data1, closed).ok());
        CHECK((closed - state.q_one).cwiseAbs().maxCoeff() < kSame);
        const Eigen::VectorXd yd_one = grbda::independent_part(one, state.qd_one);
        REQUIRE(grbda::spanning_velocity<double>(one, data1, state.q_one, yd_one).ok());
        CHECK((data1.qd - state.qd_one).norm() < kSame * (1 + state.qd_one.norm()));

        grbda::MechanicalState of_three, of_one;
        REQUIRE(grbda::mechanical_state<double>(three, data3, q, yd, of_three).ok());
        REQUIRE(grbda::mechanical_state<double>(one, data1, state.q_one, yd_one, of_one).ok());
        CHECK(of_one.kinetic == Approx(of_three.kinetic).epsilon(kSame));
        CHECK(of_one.mass == Approx(of_three.mass).epsilon(1e-14));
        CHECK((of_one.com - of_three.com).norm() < kSame);
        CHECK((of_one.angular_momentum - of_three.angular_momentum).norm() < kSame * 10);

        Eigen::VectorXd tau3 = Eigen::VectorXd::Zero(three.nv_tree),
                        tau1 = Eigen::VectorXd::Zero(one.nv_tree);
        for (std::size_t i = 0; i < one.bodies.size(); ++i) {
            if (one.bodies[i].joint == JointType::spherical) continue;
            const grbda::Body& body = three.bodies[find_body(three, one.names.joints[i])];
            tau3[body.v] = tau1[one.bodies[i].v] = uniform(random);
        }
        REQUIRE(grbda::constraint_embedding<double>(three, data3, q, yd).ok());
        const Eigen::VectorXd tau_y3 = grbda::explicit_jacobian(three, data3).transpose() * tau3;
        REQUIRE(grbda::constraint_embedding<double>(one, data1, state.q_one, yd_one).ok());
        const Eigen::VectorXd tau_y1 = grbda::explicit_jacobian(one, data1).transpose() * tau1;
        REQUIRE(grbda::aba<double>(three, data3, q, yd, tau_y3).ok());
        REQUIRE(grbda::aba<double>(one, data1, state.q_one, yd_one, tau_y1).ok());
        const Eigen::VectorXd ydd3 = data3.ydd, ydd1 = data1.ydd;
        REQUIRE(grbda::spanning_acceleration<double>(three, data3, q, yd, ydd3).ok());
        REQUIRE(grbda::spanning_acceleration<double>(one, data1, state.q_one, yd_one, ydd1).ok());
        for (std::size_t i = 0; i < one.bodies.size(); ++i) {
            if (one.bodies[i].joint == JointType::spherical) continue;
            INFO(one.names.joints[i]);
            const double of_three_joint = data3.qdd[three.bodies[find_body(three, one.names.joints[i])].v];
            CHECK(std::abs(data1.qdd[one.bodies[i].v] - of_three_joint) <
                  kSame * (1 + data1.qdd.cwiseAbs().maxCoeff()));
        }
    }
    return compared;
}

/// Does the option change the robot?
bool merges(const RobotDescription& robot) {
    grbda::LoadOptions options;
    options.spherical_joints = true;
    grbda::Diagnostics diagnostics;
    const grbda::Mechanism mechanism = grbda::make_mechanism(robot, options, diagnostics);
    const bool noted = std::any_of(diagnostics.begin(), diagnostics.end(), [](const auto& entry) {
        return entry.severity == grbda::Severity::note && entry.subject.text == "joint 'w_rev0'" &&
               to_string(entry).find("one spherical joint in place of") != std::string::npos;
    });
    const bool merged = std::any_of(mechanism.bodies.begin(), mechanism.bodies.end(),
                                    [](const auto& entry) { return entry.type == JointType::spherical; });
    CHECK(noted == merged);
    return merged;
}

}  // namespace

TEST_CASE("a wrist of three revolute joints moves as the spherical joint in its place") {
    const RobotDescription robot = arm();
    const Model three = build(robot, false), one = build(robot, true);
    CHECK(three.nv == 5);
    CHECK(one.nv == 5);
    REQUIRE(one.bodies.size() == 3);
    CHECK(one.names.joints[1] == "w_rev0");
    CHECK(compare(robot, three, one, 40) > 10);
}

TEST_CASE("legs with rods on spherical joints move as with three revolute joints for each") {
    for (const std::string name : {"digit_leg", "cassie_like"}) {
        INFO(name);
        const std::string base = std::string(GRBDA_ROBOTS) + "/" + name + "/" + name;
        grbda::Diagnostics diagnostics;
        const RobotDescription robot = grbda::read_description({base + ".urdf", base + ".yaml"}, diagnostics);
        const Model three = build(robot, false), one = build(robot, true);
        CHECK(one.nv == three.nv);
        CHECK(one.nv_tree == three.nv_tree);
        CHECK(one.bodies.size() == three.bodies.size() - 2 * (name == "digit_leg" ? 6 : 4));
        CHECK(compare(robot, three, one, 100) > 3);
    }
}

TEST_CASE("three revolute joints stay where anything but the axes tells them apart") {
    using Change = std::function<void(RobotDescription&)>;
    const auto link = [](RobotDescription& robot, const std::string& name) -> grbda::LinkDescription& {
        return *std::find_if(robot.links.begin(), robot.links.end(),
                             [&](auto& entry) { return entry.name == name; });
    };
    const auto add_loop = [](RobotDescription& robot) {
        grbda::LoopDescription loop;
        loop.name = "l";
        loop.type = grbda::LoopType::distance;
        loop.predecessor = "base";
        loop.successor = "two";
        loop.successor_origin.translation.x() = 1;
        robot.loops.push_back(loop);
    };
    const std::vector<std::pair<std::string, Change>> changes = {
        {"mass between", [&](auto& robot) { link(robot, "one").inertial.emplace().mass = 0.1; }},
        {"a link beside",
         [](auto& robot) {
             robot.links.push_back({"beside", std::nullopt, {}});
             robot.joints.push_back(robot.joints.back());
             robot.joints.back().name = "beside";
             robot.joints.back().parent = "two";
             robot.joints.back().child = "beside";
         }},
        {"a loop", add_loop},
        {"a frame",
         [](auto& robot) {
             robot.frames.push_back({"f", "one", {}, {}});
         }},
        {"a sensor",
         [&](auto& robot) {
             link(robot, "two").sensors.push_back({"s", "imu", {}, {}});
         }},
        {"a tool", [](auto& robot) { robot.tool_frames = {"two"}; }},
        {"a motor", [](auto& robot) { robot.actuated = {"w_rev1"}; }},
        {"a mark", [](auto& robot) { robot.joints[3].independent = true; }},
        {"a place in y", [](auto& robot) { robot.coordinates = {"w_rev0"}; }},
        {"armature", [](auto& robot) { robot.joints[2].armature = 0.1; }},
        {"a spring", [](auto& robot) { robot.joints[2].stiffness = 0.1; }},
        {"a tendon",
         [](auto& robot) {
             robot.tendons.push_back({"t", {{"w_rev2", 1, {}}}, 1, 0, 0, 0, 0, {}});
         }},
        {"damping of one", [](auto& robot) { robot.joints[2].damping = 0.1; }},
        {"a mimic",
         [](auto& robot) {
             grbda::LinearRelation mimic;
             mimic.terms = {{"w_rev2", 1, {}}, {"curl", -1, {}}};
             robot.couplings.push_back({"m", mimic, {}});
         }},
        {"a coupling over it",
         [](auto& robot) {
             robot.couplings.push_back({"c", grbda::GearRelation{"upper", "finger", 2}, {}});
         }},
        {"parallel axes", [](auto& robot) { robot.joints[2].axis = robot.joints[1].axis; }},
        {"axes that pass by each other", [](auto& robot) { robot.joints[3].origin.translation.x() += 1e-6; }},
        {"a slide", [](auto& robot) { robot.joints[2].type = JointType::prismatic; }},
    };
    CHECK(merges(arm()));
    for (const auto& [what, change] : changes) {
        INFO(what);
        RobotDescription robot = arm();
        change(robot);
        CHECK_FALSE(merges(robot));
    }
}

TEST_CASE("without a wrist the request for spherical joints is answered by a note") {
    RobotDescription robot = arm();
    robot.actuated = {"w_rev0"};
    const Model model = build(robot, true);
    const bool noted = std::any_of(model.diagnostics.begin(), model.diagnostics.end(), [](const auto& entry) {
        return to_string(entry).find("no joint became spherical") != std::string::npos;
    });
    CHECK(noted);
}

TEST_CASE("start and saved states of a wrist's three joints become one orientation") {
    RobotDescription robot = arm();
    robot.start = {{"w_rev0", {0.3}}, {"w_rev2", {-0.4}}};
    robot.states.push_back({"bent", "", {{"w_rev1", {0.7}}, {"curl", {0.1}}}, {}});
    const Model three = build(robot, false);
    const Model one = build(robot, true);
    const auto q_of = [&](const std::vector<double>& values) {
        const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(values.data(), three.nq);
        return Conversion(robot, three, one, q, Eigen::VectorXd::Zero(three.nv_tree)).q_one;
    };
    const auto same = [&](const std::vector<double>& found, const Eigen::VectorXd& expected) {
        const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(found.data(), one.nq);
        return (q - expected).norm() < 1e-12;
    };
    CHECK(same(one.neutral, q_of(three.neutral)));
    REQUIRE(one.states.size() == 1);
    CHECK(same(one.states[0].q, q_of(three.states[0].q)));
}

TEST_CASE("a chain of many joints through one point is taken three by three from the base") {
    std::string text = "<robot name=\"chain\"><link name=\"l0\"/>" + body("l7", 1);
    for (int i = 1; i < 7; ++i) text += "<link name=\"l" + std::to_string(i) + "\"/>";
    const char* const axes[] = {"1 0 0", "0 1 0", "0 0 1"};
    for (int i = 6; i >= 0; --i) {  // from the tip: document order does not matter
        text += joint("j" + std::to_string(i), "l" + std::to_string(i), "l" + std::to_string(i + 1),
                      std::string("<axis xyz=\"") + axes[i % 3] + "\"/>");
    }
    grbda::LoadOptions options;
    options.spherical_joints = true;
    grbda::Diagnostics diagnostics;
    const grbda::Mechanism mechanism = grbda::make_mechanism(read(text + "</robot>"), options, diagnostics);
    REQUIRE(mechanism.bodies.size() == 3);
    CHECK(mechanism.bodies[0].joint == "j0");
    CHECK(mechanism.bodies[1].joint == "j3");
    CHECK(mechanism.bodies[2].joint == "j6");
    CHECK(mechanism.bodies[2].type == JointType::revolute);
}
