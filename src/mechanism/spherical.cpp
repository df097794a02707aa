#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "steps.hpp"

namespace grbda::mechanism {

namespace {

/// Axes that pass each other within this distance meet: rounding of placements in metres.
constexpr double largest_gap = 1e-9;

/// Sine of the angle below which axes count as parallel: one rotation is nearly blocked there.
constexpr double smallest_sine = 0.1;

using Triple = std::array<std::size_t, 3>;  ///< joints, from the base outwards
using Names = std::unordered_set<std::string>;

/// Geometry of the three joints as one.
struct Meeting {
    Pose origin;        ///< in the first joint's parent link; its origin is the common point
    Pose child_origin;  ///< in the last joint's child link
    std::array<Eigen::Vector3d, 3> axes;  ///< in the origin's axes, at q = 0
};

/// The tree of joints; of several joints above a link, the first one counts.
struct Tree {
    explicit Tree(const RobotDescription& robot) {
        NameIndex links;
        for (const LinkDescription& link : robot.links) links.add(link.name);
        joint_above.assign(robot.links.size(), -1);
        joints_above.assign(robot.links.size(), 0);
        below.resize(robot.links.size());
        for (std::size_t i = 0; i < robot.joints.size(); ++i) {
            parent.push_back(links.find(robot.joints[i].parent));
            child.push_back(links.find(robot.joints[i].child));
            if (parent[i] < 0 || child[i] < 0) continue;
            below[static_cast<std::size_t>(parent[i])].push_back(i);
            const auto link = static_cast<std::size_t>(child[i]);
            if (joints_above[link]++ == 0) joint_above[link] = static_cast<int>(i);
        }
        number_from_the_roots();
        for (const CouplingDescription& coupling : robot.couplings) {
            if (const auto* const gear = coupling.as<GearRelation>())
                hold_path(links.find(gear->predecessor), links.find(gear->successor));
        }
    }

    std::vector<int> parent, child;               ///< link of each joint; −1: unknown
    std::vector<int> joint_above, joints_above;   ///< of each link: the first, and the count
    std::vector<std::vector<std::size_t>> below;  ///< joints of each link
    std::vector<std::size_t> order;               ///< links, each after the one above it
    std::vector<int> depth;                       ///< −1: not below a root
    std::unordered_set<std::size_t> held;         ///< joints that a coupling sums

private:
    void number_from_the_roots() {
        depth.assign(below.size(), -1);
        for (std::size_t link = 0; link < below.size(); ++link) {
            if (joints_above[link] > 0) continue;
            depth[link] = 0;
            order.push_back(link);
        }
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (const std::size_t joint : below[order[i]]) {
                const auto link = static_cast<std::size_t>(child[joint]);
                if (joint_above[link] != static_cast<int>(joint)) continue;
                depth[link] = depth[order[i]] + 1;
                order.push_back(link);
            }
        }
    }

    void hold_path(int a, int b) {
        if (a < 0 || b < 0) return;
        while (a != b) {
            int& lower = depth[static_cast<std::size_t>(a)] >= depth[static_cast<std::size_t>(b)] ? a : b;
            if (depth[static_cast<std::size_t>(lower)] <= 0) return;  // different roots
            const auto joint = static_cast<std::size_t>(joint_above[static_cast<std::size_t>(lower)]);
            held.insert(joint);
            lower = parent[joint];
        }
    }
};

/// Links that are referenced by more than their two joints.
Names referred_links(const RobotDescription& robot) {
    Names names(robot.tool_frames.begin(), robot.tool_frames.end());
    for (const LoopDescription& loop : robot.loops) names.insert({loop.predecessor, loop.successor});
    for (const CouplingDescription& coupling : robot.couplings) {
        if (const auto* const gear = coupling.as<GearRelation>())
            names.insert({gear->predecessor, gear->successor});
    }
    for (const FrameDescription& frame : robot.frames) names.insert(frame.link);
    for (const LinkDescription& link : robot.links)
        if (!link.sensors.empty()) names.insert(link.name);
    for (const GeometryDescription& geometry : robot.geometries) {
        for (const auto& [link, spheres] : geometry.spheres) names.insert(link);
    }
    for (const CollisionDescription* collision : {&robot.collision, &robot.self_collision}) {
        for (const auto& [link, distance] : collision->buffer_distance) names.insert(link);
        for (const auto& [link, others] : collision->ignore) {
            names.insert(link);
            names.insert(others.begin(), others.end());
        }
    }
    return names;
}

/// Joints whose one coordinate is referenced.
Names referred_joints(const RobotDescription& robot) {
    Names names(robot.actuated.begin(), robot.actuated.end());
    names.insert(robot.coordinates.begin(), robot.coordinates.end());
    for (const CouplingDescription& coupling : robot.couplings) {
        for (const std::string& joint : joints_of(coupling)) names.insert(joint);
    }
    for (const CombinedCoordinate& coordinate : robot.combined) {
        for (const std::string& joint : joints_of(coordinate)) names.insert(joint);
    }
    for (const TendonDescription& tendon : robot.tendons) {
        for (const std::string& joint : joints_of(tendon)) names.insert(joint);
    }
    return names;
}

/// Names that occur twice: errors about them are reported elsewhere.
template <class Entry>
Names repeated(const std::vector<Entry>& entries) {
    Names seen, twice;
    for (const Entry& entry : entries) {
        if (!seen.insert(entry.name).second) twice.insert(entry.name);
    }
    return twice;
}

bool is_massless(const LinkDescription& link) {
    return !link.inertial || (link.inertial->mass == 0 && link.inertial->inertia.isZero(0));
}

/// The point with the least distances from three lines; nothing if it is not on all of them.
std::optional<Eigen::Vector3d> common_point(const std::array<Eigen::Vector3d, 3>& points,
                                            const std::array<Eigen::Vector3d, 3>& axes) {
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    double size = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - axes[i] * axes[i].transpose();
        sum += across;
        right += across * (points[i] - points[0]);
        size = std::max(size, (points[i] - points[0]).norm());
    }
    const Eigen::Vector3d center = points[0] + sum.inverse() * right;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!(axes[i].cross(center - points[i]).norm() <= largest_gap * size)) return std::nullopt;
    }
    return center;
}

/// Axes through one point, no two of them parallel. A property of the first two pairs at q =
/// 0 holds always, because each joint rotates the next axes about a line through the point.
std::optional<Meeting> meeting_of(const RobotDescription& robot, const Triple& triple) {
    std::array<Eigen::Vector3d, 3> points, axes;
    Pose link;  // in the first joint's parent
    for (std::size_t i = 0; i < 3; ++i) {
        const JointDescription& joint = robot.joints[triple[i]];
        const Pose frame = link * joint.origin;
        points[i] = frame.translation;
        axes[i] = with_unit_length(frame.rotation * joint.axis);
        link = frame * inverse(joint.child_origin);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (!(axes[i].cross(axes[(i + 1) % 3]).norm() > smallest_sine)) return std::nullopt;
    }
    const std::optional<Eigen::Vector3d> center = common_point(points, axes);
    if (!center) return std::nullopt;
    Meeting meeting;
    meeting.origin = {robot.joints[triple[0]].origin.rotation, *center};
    meeting.child_origin = inverse(link) * meeting.origin;
    for (std::size_t i = 0; i < 3; ++i) meeting.axes[i] = meeting.origin.rotation.transpose() * axes[i];
    return meeting;
}

class Merger {
public:
    explicit Merger(const RobotDescription& robot)
        : robot_(robot),
          tree_(robot),
          referred_links_(referred_links(robot)),
          referred_joints_(referred_joints(robot)),
          repeated_links_(repeated(robot.links)),
          repeated_joints_(repeated(robot.joints)) {}

    RobotDescription merge(Diagnostics& diagnostics) {
        RobotDescription result = robot_;
        for (const std::size_t link : tree_.order) {
            for (const std::size_t joint : tree_.below[link]) {
                const std::optional<Triple> triple = triple_from(joint);
                const std::optional<Meeting> meeting = triple ? meeting_of(robot_, *triple) : std::nullopt;
                if (meeting) replace(*triple, *meeting, result, diagnostics);
            }
        }
        if (gone_joints_.empty()) {
            diagnostics.push_back({Severity::note, Code::ignored, robot_.where,
                                   Subject::of("robot", robot_.name), "no joint became spherical",
                                   "there are no three revolute joints in a row with axes through one point, "
                                   "massless links between them and nothing that refers to these",
                                   ""});
        }
        std::erase_if(result.joints, [&](const auto& joint) { return gone_joints_.count(joint.name) != 0; });
        std::erase_if(result.links, [&](const auto& link) { return gone_links_.count(link.name) != 0; });
        for (GroupDescription& group : result.groups) {
            std::erase_if(group.joints, [&](const auto& joint) { return gone_joints_.count(joint) != 0; });
            std::erase_if(group.links, [&](const auto& link) { return gone_links_.count(link) != 0; });
        }
        std::erase_if(result.passive, [&](const auto& joint) { return gone_joints_.count(joint) != 0; });
        return result;
    }

private:
    /// True if the joint has no property besides its rotation.
    bool is_plain(std::size_t index) const {
        const JointDescription& joint = robot_.joints[index];
        const bool turns = joint.type == JointType::revolute || joint.type == JointType::continuous;
        return turns && !joint.independent && joint.armature == 0 && joint.reduction == 1 &&
               joint.stiffness.is_zero() && !joint.servo && tree_.held.count(index) == 0 &&
               referred_joints_.count(joint.name) == 0 && repeated_joints_.count(joint.name) == 0 &&
               gone_joints_.count(joint.name) == 0;
    }

    /// The joint below, if the link between has no other use.
    std::optional<std::size_t> next(std::size_t joint) const {
        const auto link = static_cast<std::size_t>(tree_.child[joint]);
        const LinkDescription& between = robot_.links[link];
        const bool alone = tree_.joints_above[link] == 1 && tree_.below[link].size() == 1 &&
                           is_massless(between) && referred_links_.count(between.name) == 0 &&
                           repeated_links_.count(between.name) == 0;
        if (!alone || !is_plain(tree_.below[link].front())) return std::nullopt;
        return tree_.below[link].front();
    }

    std::optional<Triple> triple_from(std::size_t first) const {
        if (!is_plain(first)) return std::nullopt;
        const std::optional<std::size_t> second = next(first);
        const std::optional<std::size_t> third = second ? next(*second) : std::nullopt;
        if (!third) return std::nullopt;
        const Triple triple = {first, *second, *third};
        for (const std::size_t joint : {*second, *third}) {
            const bool same = robot_.joints[joint].damping == robot_.joints[first].damping &&
                              robot_.joints[joint].friction == robot_.joints[first].friction;
            if (!same) return std::nullopt;
        }
        return triple;
    }

    void replace(const Triple& triple, const Meeting& meeting, RobotDescription& result,
                 Diagnostics& diagnostics) {
        JointDescription& joint = result.joints[triple[0]];
        std::vector<std::string> names;
        bool limited = false, shaped = false;
        for (const std::size_t index : triple) {
            const JointDescription& old = robot_.joints[index];
            names.push_back(old.name);
            limited |= std::isfinite(old.limits.lower) || std::isfinite(old.limits.upper);
            if (index == triple[0]) continue;
            gone_joints_.insert(old.name);
            gone_links_.insert(old.parent);
            shaped |= !robot_.links[static_cast<std::size_t>(tree_.parent[index])].shapes.empty();
        }
        joint.type = JointType::spherical;
        joint.child = robot_.joints[triple[2]].child;
        joint.origin = meeting.origin;
        joint.child_origin = meeting.child_origin;
        joint.limits.lower = JointLimits{}.lower;
        joint.limits.upper = JointLimits{}.upper;
        replace_position(names, meeting, result.start);
        for (StateDescription& state : result.states) replace_position(names, meeting, state.positions);
        const bool passive = std::any_of(result.passive.begin(), result.passive.end(), [&](const auto& name) {
            return std::find(names.begin(), names.end(), name) != names.end();
        });
        if (passive &&
            std::find(result.passive.begin(), result.passive.end(), names[0]) == result.passive.end()) {
            result.passive.push_back(names[0]);
        }
        if (!joint.damping.is_zero() || !joint.friction.is_zero()) {
            diagnostics.push_back(
                {Severity::warning, Code::rewritten, joint.where, Subject::of("joint", joint.name),
                 "joints without damping and friction in place of a spherical one", "some",
                 "they act about the axes of the ball, no longer about those of the joints", true});
        }
        diagnostics.push_back({Severity::note, Code::rewritten, joint.where, Subject::of("joint", joint.name),
                               "one spherical joint in place of the revolute joints " + quoted(names[0]) +
                                   ", " + quoted(names[1]) + " and " + quoted(names[2]),
                               limited ? "their limits are not used" : "",
                               shaped ? "shapes of the links between them are left out" : ""});
    }

    /// Three angles become the quaternion (x, y, z, w) of the same
    /// orientation; missing ones have the value from which assembly starts.
    void replace_position(const std::vector<std::string>& names, const Meeting& meeting,
                          std::map<std::string, std::vector<double>>& positions) const {
        Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
        bool given = false;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto said = positions.find(names[i]);
            const auto start = robot_.start.find(names[i]);
            double angle = 0;
            if (start != robot_.start.end() && start->second.size() == 1) angle = start->second[0];
            if (said != positions.end() && said->second.size() == 1) angle = said->second[0];
            turn = turn * Eigen::AngleAxisd(angle, meeting.axes[i]);
            given |= positions.erase(names[i]) > 0;
        }
        if (given) positions[names[0]] = {turn.x(), turn.y(), turn.z(), turn.w()};
    }

    const RobotDescription& robot_;
    Tree tree_;
    Names referred_links_, referred_joints_, repeated_links_, repeated_joints_;
    Names gone_links_, gone_joints_;
};

}  // namespace

RobotDescription with_spherical_joints(const RobotDescription& description, Diagnostics& diagnostics) {
    return Merger(description).merge(diagnostics);
}

}  // namespace grbda::mechanism
