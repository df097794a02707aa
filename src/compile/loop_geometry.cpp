#include "loop_geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <Eigen/Geometry>

// A loop of four to six freedoms moves only if its geometry is special, and it nearly always is planar: its
// joints turn about parallel axes and slide across them. The direction of most axes is then the normal, and
// an axis elsewhere is the fault. With all joints at zero, a planar loop has this property, closed or not.
// A loop whose joints keep their distances closes only if its longest side is not longer than all others.

namespace grbda::compile {
namespace {

using Eigen::Vector3d;

constexpr double nearly_parallel = 0.1;  ///< rad: a smaller angle is inexact, a larger one is another axis
constexpr double exactly_parallel = 1e-7;

std::string rounded(double x, int digits) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, x);
    return text.data();
}

/// The bodies between the ends of a loop, and the body that carries both branches.
struct LoopPath {
    std::vector<int> up, down;  ///< from the predecessor, and from the successor, to the carrier
    int carrier = world;
};

LoopPath path_of(const Mechanism& mechanism, const MechanismLoop& loop) {
    LoopPath path;
    int a = loop.predecessor, b = loop.successor;
    while (a != b) {  // a body has a larger index than its parent
        int& later = a > b ? a : b;
        (a > b ? path.up : path.down).push_back(later);
        later = mechanism.bodies[later].parent;
    }
    path.carrier = a;
    return path;
}

/// Poses of all bodies in the root link's frame, with all joints at zero.
std::vector<Pose> zero_poses(const Mechanism& mechanism) {
    std::vector<Pose> poses;
    for (const MechanismBody& body : mechanism.bodies)
        poses.push_back((body.parent == world ? Pose() : poses[at(body.parent)]) * body.placement);
    return poses;
}

Pose placed_at(const std::vector<Pose>& poses, int body, const Pose& placement) {
    return body == world ? placement : poses[at(body)] * placement;
}

/// An axis of a joint or loop.
struct Axis {
    Subject subject;
    SourceLocation where;
    Vector3d direction;        ///< in the root link's frame
    Vector3d own;              ///< in its own frame, as in the file
    Eigen::Matrix3d rotation;  ///< of its own frame
    bool slides = false;
    bool is_frame = false;  ///< of one end of a loop whose ends disagree
};

/// Angle between two lines, 0 to π/2.
double angle_between(const Vector3d& a, const Vector3d& b) {
    return std::atan2(a.cross(b).norm(), std::abs(a.dot(b)));
}

/// Angle by which an axis leaves its place in a planar loop with this normal.
double misalignment(const Axis& axis, const Vector3d& normal) {
    const double angle = angle_between(axis.direction, normal);
    return axis.slides ? M_PI / 2 - angle : angle;
}

Axis axis_of(const MechanismBody& body, const Pose& pose) {
    return {Subject::of("joint", body.joint), body.where, pose.rotation * body.axis, body.axis, pose.rotation,
            body.type == JointType::prismatic};
}

/// The axes of a loop's own joint: one if its frames agree, otherwise that of each frame.
std::vector<Axis> axes_of(const MechanismLoop& loop, const std::vector<Pose>& poses) {
    const bool slides = loop.type == LoopType::prismatic;
    const auto axis_in = [&](int body, const Pose& placement) {
        const Pose frame = placed_at(poses, body, placement);
        return Axis{Subject::of("loop", loop.name),
                    loop.where,
                    frame.rotation * loop.axis,
                    loop.axis,
                    frame.rotation,
                    slides};
    };
    Axis first = axis_in(loop.predecessor, loop.predecessor_placement);
    Axis second = axis_in(loop.successor, loop.successor_placement);
    if (angle_between(first.direction, second.direction) <= exactly_parallel) return {first};
    for (Axis* axis : {&first, &second}) axis->is_frame = true;
    first.subject.text = "predecessor frame of " + first.subject.text;
    second.subject.text = "successor frame of " + second.subject.text;
    return {first, second};
}

bool has_plane_axis(JointType type) {
    return type == JointType::revolute || type == JointType::cylindrical || type == JointType::prismatic;
}
bool has_plane_axis(LoopType type) {
    return type == LoopType::revolute || type == LoopType::cylindrical || type == LoopType::prismatic;
}

/// The axes of a loop and of its joints. Empty unless it has four to six freedoms.
std::vector<Axis> plane_axes(const Mechanism& mechanism, const MechanismLoop& loop,
                             const std::vector<Pose>& poses) {
    const LoopPath path = path_of(mechanism, loop);
    std::vector<int> bodies(path.up.rbegin(), path.up.rend());
    bodies.insert(bodies.end(), path.down.rbegin(), path.down.rend());
    int freedoms = 6 - constraint_size(loop.type) - (loop.across ? 1 : 0);
    std::vector<Axis> axes;
    for (const int i : bodies) {
        const MechanismBody& body = mechanism.bodies[i];
        freedoms += velocity_size(body.type);
        if (has_plane_axis(body.type)) axes.push_back(axis_of(body, poses[at(i)]));
    }
    if (freedoms < 4 || freedoms > 6) return {};
    if (has_plane_axis(loop.type))
        for (Axis& axis : axes_of(loop, poses)) axes.push_back(std::move(axis));
    return axes;
}

/// The axes that turn and are parallel to axis i within the tolerance.
std::vector<std::size_t> parallel_to(const std::vector<Axis>& axes, std::size_t i, double tolerance) {
    std::vector<std::size_t> found;
    for (std::size_t j = 0; j < axes.size(); ++j)
        if (!axes[j].slides && angle_between(axes[i].direction, axes[j].direction) <= tolerance)
            found.push_back(j);
    return found;
}

/// The largest set of parallel axes that turn.
std::vector<std::size_t> largest_group(const std::vector<Axis>& axes, double tolerance) {
    std::vector<std::size_t> largest;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].slides) continue;
        std::vector<std::size_t> group = parallel_to(axes, i, tolerance);
        if (group.size() > largest.size()) largest = std::move(group);
    }
    return largest;
}

/// "x", or "0.6 0.8 0": a direction without its sign.
std::string direction_text(Vector3d a) {
    constexpr std::array names{"x", "y", "z"};
    constexpr double printed = 5e-3;
    Eigen::Index largest = 0;
    a.cwiseAbs().maxCoeff(&largest);
    if (angle_between(a, Vector3d::Unit(largest)) < printed) return names[at(static_cast<int>(largest))];
    if (a[largest] < 0) a = -a;
    std::string text;
    for (const double x : a) text += (text.empty() ? "" : " ") + rounded(std::abs(x) < 1e-9 ? 0. : x, 3);
    return text;
}

/// "joint 'a', joint 'b' and loop 'l'"
std::string names_of(const std::vector<Axis>& axes, const std::vector<std::size_t>& which) {
    std::string text;
    for (std::size_t i = 0; i < which.size(); ++i)
        text += (i == 0 ? "" : i + 1 == which.size() ? " and " : ", ") + axes[which[i]].subject.text;
    return text;
}

std::string degrees(double angle) {
    return angle > M_PI / 2 - exactly_parallel ? "90°" : rounded(angle * 180 / M_PI, 2) + "°";
}

bool is_along_coordinate(const Vector3d& a) { return a.cwiseAbs().maxCoeff() > 1 - 1e-15; }

/// True for an axis as joints of a URDF have it without <axis>.
bool may_be_default(const Axis& axis) {
    return axis.where.file.ends_with(".urdf") && axis.own == Vector3d::UnitX();
}

/// Direction for an axis that fits the normal, in its own frame, with the sign that changes it least.
Vector3d fitting_direction(const Axis& axis, const Vector3d& normal) {
    Vector3d wanted = axis.rotation.transpose() * normal;
    if (axis.slides) return (axis.own - wanted * wanted.dot(axis.own)).normalized();
    Eigen::Index largest = 0;
    wanted.cwiseAbs().maxCoeff(&largest);
    const double along = wanted.dot(axis.own);
    const double sign = std::abs(along) > nearly_parallel ? along : wanted[largest];
    return sign < 0 ? Vector3d(-wanted) : wanted;
}

/// "did you mean <axis xyz="0 1 0"/>?"
std::string hint_of(const Axis& axis, const Vector3d& normal, bool others_may_be_default) {
    const bool is_inexact = misalignment(axis, normal) < nearly_parallel;
    if (axis.slides && !is_inexact) return "check its axis";
    const Vector3d wanted = fitting_direction(axis, normal);
    const bool is_urdf = axis.where.file.ends_with(".urdf");
    if (axis.is_frame && !is_inexact)
        return std::string("check the orientations of both frames of the loop") +
               (is_urdf ? ", and its <axis>, which is 1 0 0 if it is missing" : "");
    if (axis.is_frame || (is_inexact && is_along_coordinate(axis.own) && !is_along_coordinate(wanted)))
        return "check the orientation of its frame: give angles all their digits, as 1.5707963267948966 for "
               "π/2";
    std::string numbers;
    for (const double x : wanted)
        numbers += (numbers.empty() ? "" : " ") + rounded(std::abs(x) < 1e-12 ? 0. : x, is_inexact ? 16 : 6);
    std::string hint =
        "did you mean " + (is_urdf ? "<axis xyz=\"" + numbers + "\"/>" : "axis " + numbers) + "?";
    if (may_be_default(axis)) hint += " Without <axis>, it is 1 0 0.";
    if (others_may_be_default) hint += " Or is <axis> missing in the others? Without it, theirs is 1 0 0.";
    return hint;
}

AxisFault fault_of(const std::vector<Axis>& axes, const std::vector<std::size_t>& others,
                   const Vector3d& normal, const Axis& axis, const std::string& root) {
    const bool is_one = others.size() == 1;
    const std::string names = names_of(axes, others), off = degrees(misalignment(axis, normal));
    AxisFault fault{axis.where, axis.subject, {}, {}, {}, misalignment(axis, normal) < nearly_parallel, {}};
    fault.hint = hint_of(axis, normal, std::all_of(others.begin(), others.end(), [&](std::size_t i) {
                             return may_be_default(axes[i]);
                         }));
    fault.expected = std::string(axis.slides ? "a slide across " : "an axis along ") +
                     direction_text(normal) + " of " + quoted(root) +
                     (axis.slides ? ", about which " + names + (is_one ? " turns" : " turn")
                                  : ", as " + names + (is_one ? " has" : " have"));
    fault.found = fault.is_small ? "one that differs by " + off
                                 : "one along " + direction_text(axis.direction) + ", " + off +
                                       (axis.slides ? " from that plane" : " from it");
    fault.difference = axis.slides
                           ? axis.subject.text + " slides at " + off + " to the plane of " + names
                           : "the axis of " + axis.subject.text + " differs by " + off + " from " + names;
    return fault;
}

std::vector<AxisFault> faults_in_loop(const std::vector<Axis>& axes, const std::string& root) {
    std::vector<std::size_t> turning;
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (!axes[i].slides) turning.push_back(i);
    const auto is_most = [&](const std::vector<std::size_t>& group) {
        return group.size() >= 2 && 2 * group.size() > turning.size();
    };
    const std::vector<std::size_t> near = largest_group(axes, nearly_parallel);
    if (!is_most(near)) return {};
    std::vector<std::size_t> exact = largest_group(axes, exactly_parallel);
    if (exact.empty() ||
        angle_between(axes[exact.front()].direction, axes[near.front()].direction) > nearly_parallel)
        exact = {near.front()};
    const Vector3d normal = axes[exact.front()].direction;
    const bool is_coarse = std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) {
        return misalignment(axis, normal) > nearly_parallel;
    });
    std::vector<AxisFault> faults;
    for (const Axis& axis : axes)
        if (misalignment(axis, normal) > (is_coarse ? nearly_parallel : exactly_parallel))
            faults.push_back(fault_of(axes, is_coarse ? near : exact, normal, axis, root));
    return faults;
}

/// A side of the polygon of a loop: the line on one body between two of its joints.
struct Side {
    std::string body;
    Vector3d line;  ///< joints at zero
};

/// The sides of a loop. Empty if a joint on it slides, or its ends do not meet in a point.
std::vector<Side> sides_of(const Mechanism& mechanism, const MechanismLoop& loop,
                           const std::vector<Pose>& poses) {
    const auto keeps_point = [](JointType type) {
        return type == JointType::revolute || type == JointType::universal || type == JointType::spherical;
    };
    const bool meets = loop.type == LoopType::revolute || loop.type == LoopType::universal ||
                       loop.type == LoopType::spherical ||
                       (loop.type == LoopType::distance && loop.slide < 0);
    if (!meets) return {};
    const LoopPath path = path_of(mechanism, loop);
    std::vector<Side> sides;
    const auto follow = [&](const std::vector<int>& bodies, Vector3d from) {
        for (const int i : bodies) {
            const Vector3d& joint = poses[at(i)].translation;
            sides.push_back({mechanism.bodies[i].name, joint - from});
            from = joint;
        }
        return from;
    };
    for (const std::vector<int>* branch : {&path.up, &path.down})
        for (const int i : *branch)
            if (!keeps_point(mechanism.bodies[i].type)) return {};
    const Vector3d P = placed_at(poses, loop.predecessor, loop.predecessor_placement).translation;
    const Vector3d Q = placed_at(poses, loop.successor, loop.successor_placement).translation;
    const Vector3d a = follow(path.up, P), b = follow(path.down, Q);
    sides.push_back({path.carrier == world ? mechanism.root : mechanism.bodies[path.carrier].name, b - a});
    if (loop.type == LoopType::distance) sides.push_back({loop.name, Vector3d::UnitX() * loop.length});
    return sides;
}

/// The normal of a planar loop with joints that turn only, and whether all its axes may be defaults.
struct Plane {
    Vector3d normal;
    bool may_be_default = false;
};

/// Returns nothing for other loops.
std::optional<Plane> plane_of(const Mechanism& mechanism, const MechanismLoop& loop,
                              const std::vector<Pose>& poses) {
    if (loop.type != LoopType::revolute) return std::nullopt;
    const LoopPath path = path_of(mechanism, loop);
    std::vector<Axis> axes = axes_of(loop, poses);
    for (const std::vector<int>* branch : {&path.up, &path.down})
        for (const int i : *branch) {
            if (mechanism.bodies[i].type != JointType::revolute) return std::nullopt;
            axes.push_back(axis_of(mechanism.bodies[i], poses[at(i)]));
        }
    const Vector3d normal = axes.front().direction;
    Plane plane{normal, true};
    for (const Axis& axis : axes) {
        if (misalignment(axis, normal) > exactly_parallel) return std::nullopt;
        plane.may_be_default = plane.may_be_default && may_be_default(axis);
    }
    return plane;
}

}  // namespace

std::vector<AxisFault> axis_faults(const Mechanism& mechanism, const std::vector<int>& loops) {
    const std::vector<Pose> poses = zero_poses(mechanism);
    std::vector<AxisFault> faults;
    for (const int l : loops)
        for (AxisFault& fault :
             faults_in_loop(plane_axes(mechanism, mechanism.loops[l], poses), mechanism.root)) {
            const bool is_known = std::any_of(faults.begin(), faults.end(), [&](const AxisFault& other) {
                return other.subject.text == fault.subject.text;
            });
            if (!is_known) faults.push_back(std::move(fault));
        }
    return faults;
}

std::string unmet_lengths(const Mechanism& mechanism, int l) {
    constexpr double rounding = 1e-9;
    const MechanismLoop& loop = mechanism.loops[l];
    const std::vector<Pose> poses = zero_poses(mechanism);
    std::vector<Side> sides = sides_of(mechanism, loop, poses);
    if (sides.empty()) return {};
    if (const std::optional<Plane> plane = plane_of(mechanism, loop, poses)) {
        const Vector3d& n = plane->normal;
        const Vector3d P = placed_at(poses, loop.predecessor, loop.predecessor_placement).translation;
        const Vector3d Q = placed_at(poses, loop.successor, loop.successor_placement).translation;
        const double offset = std::abs((Q - P).dot(n));
        for (Side& side : sides) side.line -= n * n.dot(side.line);
        if (offset > rounding)
            return "its ends are " + rounded(offset, 3) + " m apart along the joints' axes, " +
                   direction_text(n) + " of " + quoted(mechanism.root) + ", in every configuration" +
                   (plane->may_be_default ? "; without <axis>, an axis is 1 0 0" : "");
    }
    std::erase_if(sides, [](const Side& side) { return side.line.norm() < rounding; });
    if (sides.empty()) return {};
    const auto longest = std::max_element(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return a.line.norm() < b.line.norm();
    });
    std::string others;
    double together = 0;
    for (auto side = sides.begin(); side != sides.end(); ++side) {
        if (side == longest) continue;
        together += side->line.norm();
        others +=
            (others.empty() ? "" : ", ") + quoted(side->body) + " " + rounded(side->line.norm(), 4) + " m";
    }
    if (longest->line.norm() <= together * (1 + rounding)) return {};
    return quoted(longest->body) + " is " + rounded(longest->line.norm(), 4) +
           " m long between its joints, the other links together " + rounded(together, 4) + " m: " + others;
}

}  // namespace grbda::compile
