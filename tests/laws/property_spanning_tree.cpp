#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "constraints/constraint_forces.hpp"
#include "support/body_poses.hpp"
#include "support/described.hpp"
#include "support/equivalence.hpp"
#include "constraints/coordinates.hpp"

// A loop cut at another joint is the same robot: the loop joint becomes a tree joint, and the tree joint of
// its successor becomes the loop.

namespace {

using namespace test_robots;
using grbda::JointType;
using grbda::LoopType;
using grbda::Pose;

constexpr int kStates = 2;

std::optional<LoopType> as_loop(JointType type) {
    switch (type) {
        case JointType::revolute:
        case JointType::continuous: return LoopType::revolute;
        case JointType::prismatic: return LoopType::prismatic;
        case JointType::helical: return LoopType::helical;
        case JointType::cylindrical: return LoopType::cylindrical;
        case JointType::universal: return LoopType::universal;
        case JointType::planar: return LoopType::planar;
        case JointType::spherical: return LoopType::spherical;
        case JointType::fixed:
        case JointType::floating: break;
    }
    return std::nullopt;
}

std::optional<JointType> as_joint(LoopType type) {
    switch (type) {
        case LoopType::revolute:
        case LoopType::continuous: return JointType::continuous;
        case LoopType::prismatic: return JointType::prismatic;
        case LoopType::helical: return JointType::helical;
        case LoopType::cylindrical: return JointType::cylindrical;
        case LoopType::universal: return JointType::universal;
        case LoopType::planar: return JointType::planar;
        case LoopType::spherical: return JointType::spherical;
        case LoopType::fixed:
        case LoopType::point_on_line:
        case LoopType::distance:
        case LoopType::floating: break;
    }
    return std::nullopt;
}

/// Position of a joint from the pose of its child in the joint's frame.
Eigen::VectorXd coordinates(JointType type, const Eigen::Vector3d& axis, const Eigen::Vector3d& axis2,
                            double pitch, const Pose& pose) {
    const Eigen::Vector3d a = axis.normalized(), b = axis2.normalized();
    const auto angle = [](const Eigen::Vector3d& about, const Eigen::Vector3d& from,
                          const Eigen::Vector3d& to) {
        return std::atan2(about.dot(from.cross(to)), from.dot(to) - about.dot(from) * about.dot(to));
    };
    const Eigen::Vector3d u = a.unitOrthogonal();
    const double turn = angle(a, u, pose.rotation * u);
    switch (type) {
        case JointType::prismatic: return Eigen::VectorXd::Constant(1, a.dot(pose.translation));
        case JointType::helical: return Eigen::VectorXd::Constant(1, a.dot(pose.translation) / pitch);
        case JointType::cylindrical: return Eigen::Vector2d(turn, a.dot(pose.translation));
        case JointType::planar: {
            const Eigen::Vector3d plane = described::plane_axes(a).transpose() * pose.translation;
            return Eigen::Vector3d(plane.x(), plane.y(), turn);
        }
        case JointType::universal: {  // R = exp(a θ₁) exp(b θ₂): R b = exp(a θ₁) b, Rᵀ a = exp(−b θ₂) a
            const double first = angle(a, b, pose.rotation * b);
            return Eigen::Vector2d(first, -angle(b, a, pose.rotation.transpose() * a));
        }
        case JointType::spherical: return Eigen::Quaterniond(pose.rotation).coeffs();
        case JointType::revolute:
        case JointType::continuous: return Eigen::VectorXd::Constant(1, turn);
        case JointType::fixed:
        case JointType::floating: break;
    }
    return {};
}

bool is_below(const grbda::RobotDescription& robot, std::string link, const std::string& above) {
    for (bool climbs = true; climbs;) {
        if (link == above) return true;
        climbs = false;
        for (const grbda::JointDescription& joint : robot.joints)
            if (joint.child == link) {
                link = joint.parent;
                climbs = true;
                break;
            }
    }
    return false;
}

/// A change of the cut: loop `loop` becomes the joint of its successor, joint `joint` becomes the loop.
struct Cut {
    std::size_t loop = 0, joint = 0;
};

/// Every loop whose successor hangs on a joint that no coupling names.
std::vector<Cut> cuts(const grbda::RobotDescription& robot) {
    std::vector<Cut> result;
    std::set<std::string> coupled;
    for (const grbda::CouplingDescription& coupling : robot.couplings) {
        if (coupling.as<grbda::GearRelation>()) return result;  // its paths are those of the tree
        for (const std::string& name : joints_of(coupling)) coupled.insert(name);
    }
    for (std::size_t l = 0; l < robot.loops.size(); ++l) {
        const grbda::LoopDescription& loop = robot.loops[l];
        if (!as_joint(loop.type) || is_below(robot, loop.predecessor, loop.successor)) continue;
        for (std::size_t j = 0; j < robot.joints.size(); ++j) {
            const grbda::JointDescription& joint = robot.joints[j];
            if (joint.child != loop.successor || !as_loop(joint.type) || joint.armature != 0) continue;
            if (coupled.count(joint.name) == 0) result.push_back({l, j});
        }
    }
    return result;
}

/// The same robot with the cut moved. The new joint moves a massless link that the successor is fixed to.
grbda::RobotDescription recut(grbda::RobotDescription robot, const Cut& cut) {
    const grbda::LoopDescription loop = robot.loops[cut.loop];
    const grbda::JointDescription joint = robot.joints[cut.joint];
    grbda::LinkDescription hinge;
    hinge.name = "hinge of " + loop.name;
    robot.links.push_back(hinge);
    grbda::JointDescription& turning = robot.joints[cut.joint];
    turning = grbda::JointDescription{};
    turning.name = "new " + loop.name;
    turning.type = *as_joint(loop.type);
    turning.parent = loop.predecessor;
    turning.child = hinge.name;
    turning.origin = loop.predecessor_origin;
    turning.axis = loop.axis;
    turning.axis2 = loop.axis2;
    turning.pitch = loop.pitch;
    grbda::JointDescription weld;
    weld.name = "weld of " + loop.name;
    weld.type = JointType::fixed;
    weld.parent = hinge.name;
    weld.child = loop.successor;
    weld.origin = grbda::inverse(loop.successor_origin);
    robot.joints.push_back(weld);
    grbda::LoopDescription& closing = robot.loops[cut.loop];
    closing.name = "old " + joint.name;
    closing.type = *as_loop(joint.type);
    closing.predecessor = joint.parent;
    closing.successor = joint.child;
    closing.predecessor_origin = joint.origin;
    closing.successor_origin = Pose{};
    closing.axis = joint.axis;
    closing.axis2 = joint.axis2;
    closing.pitch = joint.pitch;
    robot.start.clear();
    return robot;
}

/// Joints with independent coordinates stay independent, others dependent; false where one joint has both, or
/// where the joint that is cut is independent.
bool keep_independents(const grbda::Model& model, const std::string& removed,
                       grbda::RobotDescription& robot) {
    std::vector<int> count(model.bodies.size(), 0);
    for (const grbda::Coordinate& coordinate : grbda::independent_coordinates(model))
        ++count[static_cast<std::size_t>(coordinate.body)];
    for (grbda::JointDescription& joint : robot.joints) {
        joint.independent.reset();
        const int i = equivalence::find(model.names.joints, joint.name);
        if (i < 0) continue;
        const auto at = static_cast<std::size_t>(i);
        const int size = grbda::velocity_size(model.bodies[at].joint);
        if (count[at] != 0 && count[at] != size) return false;
        joint.independent = count[at] == size;
    }
    const int gone = equivalence::find(model.names.joints, removed);
    return gone >= 0 && count[static_cast<std::size_t>(gone)] == 0;
}

/// The robot with another joint independent than the one that is to be cut, where it was.
std::optional<grbda::Model> freed(const Robot& robot, const std::string& removed) {
    grbda::RobotDescription description = robot.description;
    for (grbda::JointDescription& joint : description.joints) {
        joint.independent.reset();
        if (joint.name == removed) joint.independent = false;
    }
    try {
        return grbda::build_model(description, robot.options);
    } catch (const grbda::LoadError&) {
        return std::nullopt;
    }
}

/// Forces and motion of one model at the state of another.
struct Carried {
    grbda::Workspace<double> data;
    grbda::ConstraintForces forces;

    Carried(const grbda::Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& yd,
            const Eigen::VectorXd& ydd, const grbda::Matrix6X<double>& wrenches)
        : data(model), forces(model) {
        REQUIRE(grbda::constraint_forces<double>(model, data, q, yd, ydd, wrenches, forces).ok());
        REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    }
};

/// The forces of two joints, one of which is the loop in either model, are equal in both, in the components
/// that are unique in the first. Returns the number of components that were compared.
int carry_the_same(const grbda::Model& a, const State& state, const std::string& loop,
                   const std::string& joint, const grbda::Model& b, const Eigen::VectorXd& q) {
    constexpr double agreement = 1e-7;  // rounding times the conditions of both K_d
    using body_poses::Wrench;
    grbda::Workspace<double> data(a);
    REQUIRE(grbda::spanning_acceleration<double>(a, data, state.q, state.yd, state.ydd).ok());
    const std::vector<int> map = equivalence::velocity_map(a, b);
    const auto to_b = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
        return grbda::independent_part(b, equivalence::mapped(map, x));
    };
    const Carried of_a(a, state.q, state.yd, state.ydd, state.wrenches),
        of_b(b, q, to_b(data.qd), to_b(data.qdd), equivalence::mapped_wrenches(a, state.wrenches, b));
    grbda::Determinacy unique;
    REQUIRE(grbda::static_determinacy<double>(a, data, state.q, unique).ok());
    const double size = 1 + of_a.forces.joints.cwiseAbs().maxCoeff();
    int compared = 0;
    const auto compare = [&](const Eigen::Array<bool, 6, 1>& components, const Wrench& in_a,
                             const Eigen::Matrix3d& axes, const Wrench& in_b) {
        const Wrench turned = body_poses::turned(in_b, axes);
        for (int k = 0; k < 6; ++k) {
            if (!components[k]) continue;
            CHECK(std::abs(in_a[k] - turned[k]) < agreement * size);
            ++compared;
        }
    };
    const auto index_of = [](const grbda::Model& model, const std::string& name) {
        for (std::size_t l = 0; l < model.loops.size(); ++l)
            if (model.names.loops[model.loops[l].source] == name) return static_cast<int>(l);
        FAIL("no loop " << name);
        return -1;
    };
    const int loop_a = index_of(a, loop), loop_b = index_of(b, "old " + joint);
    const int joint_a = a.joint(joint).index, joint_b = b.joint("new " + loop).index;
    const Pose Q_a = body_poses::of_end(a, of_a.data, a.loops[loop_a].successor),
               Q_b = body_poses::of_end(b, of_b.data, b.loops[loop_b].successor),
               child_a = body_poses::of_body(a, of_a.data, joint_a),
               child_b = body_poses::of_body(b, of_b.data, joint_b);
    compare(unique.loops.col(loop_a), of_a.forces.loops.col(loop_a),
            body_poses::of_end(a, of_a.data, a.loops[loop_a].predecessor).rotation,
            body_poses::about(of_b.forces.joints_world.col(joint_b), child_b.translation, Q_a.translation));
    compare(unique.joints.col(joint_a), of_a.forces.joints.col(joint_a), child_a.rotation,
            body_poses::about(of_b.forces.loops_world.col(loop_b), Q_b.translation, child_a.translation));
    return compared;
}

}  // namespace

TEST_CASE("a loop cut at another joint gives the same robot, and the same forces in both joints") {
    int checked = 0, published_checked = 0, compared = 0;
    for (const Robot* robot : all()) {
        if (!robot->model.rods.empty()) continue;  // which loop closes tells whether a link is a rod
        for (const Cut& cut : cuts(robot->description)) {
            const std::string removed = robot->description.joints[cut.joint].name;
            const std::optional<grbda::Model> model = freed(*robot, removed);
            grbda::RobotDescription description = recut(robot->description, cut);
            if (!model || !keep_independents(*model, removed, description)) continue;
            INFO(robot->name << ": " << robot->description.loops[cut.loop].name << " instead of " << removed);
            grbda::Model other;
            try {
                other = grbda::build_model(description, robot->options);
            } catch (const grbda::LoadError&) {
                continue;  // the same independents, but none that loading accepts at its own generic states
            }
            Random random(55);
            State state;
            for (int i = 0; i < kStates && random_state(*model, random, state); ++i) {
                const auto poses = described::poses(robot->description, *model, state.q);
                const grbda::LoopDescription& loop = robot->description.loops[cut.loop];
                const Pose P = poses.at(loop.predecessor) * loop.predecessor_origin;
                const Pose Q = poses.at(loop.successor) * loop.successor_origin;
                const Eigen::VectorXd position = coordinates(*as_joint(loop.type), loop.axis, loop.axis2,
                                                             loop.pitch, grbda::inverse(P) * Q);
                Eigen::VectorXd q(other.nq);
                equivalence::copy_positions(*model, state.q, other, q);
                const int turning = other.joint("new " + loop.name).index;
                q.segment(other.bodies[static_cast<std::size_t>(turning)].q, position.size()) = position;
                // the body that hangs on the new joint has another frame: wrenches on it are left out
                const int successor = equivalence::find(model->names.bodies, loop.successor);
                if (successor >= 0) state.wrenches.col(successor).setZero();
                const bool done = equivalence::check(*model, state, other, q);
                checked += done ? 1 : 0;
                published_checked += done && robot->name.rfind("random", 0) != 0 ? 1 : 0;
                if (done)
                    compared += carry_the_same(*model, state, robot->description.loops[cut.loop].name,
                                               removed, other, q);
            }
        }
    }
    CHECK(checked > 20);
    CHECK(published_checked > 5);
    CHECK(compared > 200);
}
