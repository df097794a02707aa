#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "steps.hpp"

namespace grbda::mechanism {

namespace {

/// Inertias are often printed with six digits: a thin rod may violate the triangle inequality by rounding.
constexpr double inertia_tolerance = 1e-6;
/// The same relative to the largest moment of the robot's links: rounding of computed small inertias.
constexpr double robot_inertia_tolerance = 1e-12;
/// Rotations that are less orthonormal than this would spoil results with a tolerance of 1e-10.
constexpr double rotation_tolerance = 1e-9;

class NameCheck {
public:
    NameCheck(const Context& context, const char* name_space) : context_(context), name_space_(name_space) {}

    /// True if the name is not empty, not in use, and not a template.
    bool operator()(const char* kind, const std::string& name, const SourceLocation& where) {
        ++count_;
        if (name.empty()) {
            context_.error(Code::missing, where, {kind, "", std::string(kind) + " without a name"}, "a name",
                           "none on entry " + std::to_string(count_) + " of the " + name_space_);
            return false;
        }
        if (!check_literal(context_, name, where, Subject::of(kind, name))) return false;
        const auto [entry, is_new] = first_.try_emplace(name, Entry{kind, where});
        if (is_new) return true;
        Entry second{kind, where};
        Entry& first = entry->second;  // in the file: the description stores loops and couplings separately
        if (is_before(second.where, first.where)) std::swap(first, second);
        const int line = first.where.line;
        context_.error(Code::duplicate_name, second.where, Subject::of(second.kind, name),
                       std::string("a unique name among the ") + name_space_,
                       "a second " + quoted(name) +
                           (line > 0 ? ", the first in line " + std::to_string(line) : std::string()));
        return false;
    }

private:
    struct Entry {
        const char* kind;
        SourceLocation where;
    };

    static bool is_before(const SourceLocation& a, const SourceLocation& b) {
        return a.file == b.file && std::pair(a.line, a.column) < std::pair(b.line, b.column);
    }

    const Context& context_;
    const char* name_space_;
    int count_ = 0;
    std::unordered_map<std::string, Entry> first_;
};

std::string coordinates(const Eigen::Vector3d& vector) {
    return number(vector.x()) + " " + number(vector.y()) + " " + number(vector.z());
}

/// Checks the axis of a joint or loop. Returns false if it is not an axis.
template <class Joint>
bool check_axis(const Context& context, const Joint& joint, Figure figure, const Subject& owner) {
    const bool is_second = figure == Figure::axis2;
    const Eigen::Vector3d& axis = is_second ? joint.axis2 : joint.axis;
    const std::string name = is_second ? "axis2" : "axis";
    if (!axis.allFinite()) {
        context.error(Code::bad_number, place_of(joint, figure), owner,
                      std::string(finite_numbers) + " in its " + name, "NaN or infinity");
        return false;
    }
    if (is_axis(axis)) return true;
    context.out_of_range(joint, figure, owner, "an " + name + " that is not zero", coordinates(axis));
    return false;
}

template <class Joint>
void check_axes(const Context& context, const Joint& joint, const Subject& owner) {
    const int count = facts(joint.type).axes;
    const bool first = count == 0 || check_axis(context, joint, Figure::axis, owner);
    if (count < 2) return;
    const bool second = check_axis(context, joint, Figure::axis2, owner);
    if (!first || !second || !are_parallel(joint.axis, joint.axis2)) return;
    context.error(
        Code::out_of_range, joint.where, owner, "two axes that are not parallel",
        "axis " + coordinates(joint.axis) + " and axis2 " + coordinates(joint.axis2) + " on one line",
        "axis is fixed in the first link, axis2 in the second");
}

template <class Joint>
void check_pitch(const Context& context, const Joint& joint, const Subject& owner) {
    if (std::isfinite(joint.pitch) && joint.pitch != 0) return;
    context.out_of_range(joint, Figure::pitch, owner, "a pitch other than zero, in metres per radian",
                         number(joint.pitch), "without a pitch it is revolute");
}

/// Links at rest: the roots, unless they float, and links that
/// only fixed joints attach to them. Their inertia has no effect.
std::set<std::string> standing_links(const RobotDescription& description, const LoadOptions& options) {
    std::map<std::string, int> joints_above;
    std::multimap<std::string, std::string> fixed_children;
    for (const JointDescription& joint : description.joints) {
        ++joints_above[joint.child];
        if (joint.type == JointType::fixed) fixed_children.emplace(joint.parent, joint.child);
    }
    std::set<std::string> standing;
    if (options.floating_base) return standing;
    std::vector<std::string> pending;
    for (const LinkDescription& link : description.links)
        if (joints_above.count(link.name) == 0) pending.push_back(link.name);
    while (!pending.empty()) {
        const std::string link = pending.back();
        pending.pop_back();
        if (!standing.insert(link).second) continue;
        const auto [first, last] = fixed_children.equal_range(link);
        for (auto child = first; child != last; ++child)
            if (joints_above.at(child->second) == 1) pending.push_back(child->second);
    }
    return standing;
}

/// `rounding`: tolerance of a moment besides the rounding of its own
/// digits. Returns true if a moment is negative within the tolerance.
bool check_inertia(const Context& context, const LinkDescription& link, const Subject& owner,
                   double rounding) {
    const Eigen::Matrix3d& inertia = link.inertial->inertia;
    const SourceLocation& where = place_of(link, Figure::inertia);
    const double scale = inertia.cwiseAbs().maxCoeff();
    if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > inertia_tolerance * scale) {
        context.error(Code::inertia, where, owner, "a symmetric inertia",
                      "entries that differ across the diagonal");
        return false;
    }
    const Eigen::Vector3d moments = principal_moments(inertia);
    const std::string found =
        "principal moments " + number(moments[0]) + ", " + number(moments[1]) + ", " + number(moments[2]);
    const double tolerance = std::max(inertia_tolerance * scale, rounding);
    if (moments[0] < -tolerance) {
        context.error(Code::inertia, where, owner, "a positive semi-definite inertia", found,
                      "check the signs of ixy, ixz, iyz and that the inertia is about the centre of mass");
    } else if (moments[0] + moments[1] < moments[2] - tolerance) {
        context.report(context.options.strict ? Severity::error : Severity::warning, Code::inertia, where,
                       owner, "principal moments of which no one exceeds the sum of the others", found,
                       "no distribution of mass has this inertia");
    }
    return moments[0] >= -tolerance && has_negative_moment(inertia);
}

/// Returns zero if none is finite.
double largest_moment(const RobotDescription& description) {
    double largest = 0;
    for (const LinkDescription& link : description.links)
        if (link.inertial && link.inertial->inertia.allFinite())
            largest = std::max(largest, principal_moments(link.inertial->inertia)[2]);
    return largest;
}

constexpr const char* not_used = "the link stands still, so that it is not used";

/// Returns true if a moment of the link is negative by rounding.
bool check_inertial(const Context& context, const LinkDescription& link, double rounding) {
    const Inertial& inertial = *link.inertial;
    const Subject owner = Subject::of("link", link.name);
    if (!std::isfinite(inertial.mass) || !inertial.com.allFinite() || !inertial.inertia.allFinite()) {
        context.error(Code::bad_number, link.where, owner, std::string(finite_numbers) + " in its inertial",
                      "NaN or infinity");
        return false;
    }
    if (inertial.mass < 0)
        context.out_of_range(link, Figure::mass, owner, "a mass of zero or more", number(inertial.mass));
    return check_inertia(context, link, owner, rounding);
}

void check_links(const Context& context) {
    const double rounding = robot_inertia_tolerance * largest_moment(context.description);
    const std::set<std::string> standing = standing_links(context.description, context.options);
    std::vector<std::string> negative;
    for (const LinkDescription& link : context.description.links) {
        if (!link.inertial) continue;
        const std::size_t before = context.diagnostics.size();
        if (check_inertial(context, link, rounding)) negative.push_back(quoted(link.name));
        if (standing.count(link.name) == 0) continue;
        for (std::size_t i = before; i < context.diagnostics.size(); ++i) {
            context.diagnostics[i].severity = Severity::warning;
            context.diagnostics[i].hint = not_used;
        }
    }
    if (negative.empty()) return;
    context.report(
        Severity::note, Code::inertia, context.description.where,
        Subject::of("robot", context.description.name),
        "principal moments that rounding left below zero are taken as zero: links " + listed(negative), "");
}

void check_limits(const Context& context, const JointDescription& joint, const Subject& owner) {
    const JointLimits& limits = joint.limits;
    if (std::isnan(limits.lower) || std::isnan(limits.upper) || std::isnan(limits.velocity) ||
        std::isnan(limits.effort) || std::isnan(limits.acceleration) || std::isnan(limits.jerk)) {
        context.error(Code::bad_number, joint.where, owner, "numbers as limits", "NaN");
        return;
    }
    const bool has_lower = joint.places.count(Figure::lower) > 0;
    const bool has_upper = joint.places.count(Figure::upper) > 0;
    // The other types have no range of motion; limits in a file are ignored. Limits with
    // a source location are checked anyway: a joint of unknown type is read as fixed.
    const bool has_range = joint.type != JointType::fixed && joint.type != JointType::continuous &&
                           joint.type != JointType::floating;
    if (!has_range && !has_lower && !has_upper) return;
    const bool in_order = limits.lower <= limits.upper;
    if (in_order && limits.lower < HUGE_VAL && limits.upper > -HUGE_VAL) return;
    const auto found = [](double limit, bool is_default) {
        return number(limit) + (is_default ? " (the default)" : "");
    };
    context.out_of_range(joint, has_lower ? Figure::lower : Figure::upper, owner,
                         in_order ? "limits with room for a finite position"
                                  : "a lower limit that is no larger than the upper",
                         "lower " + found(limits.lower, has_upper && !has_lower) + ", upper " +
                             found(limits.upper, has_lower && !has_upper));
}

bool check_joint(const Context& context, const JointDescription& joint) {
    const Subject owner = Subject::of("joint", joint.name);
    const bool parent = check_link_name(context, joint.parent, "parent", joint.where, owner);
    const bool child = check_link_name(context, joint.child, "child", joint.where, owner);
    if (parent && child && joint.parent == joint.child) {
        context.error(Code::same_ends, joint.where, owner, "a parent and a child that differ",
                      quoted(joint.parent) + " as both");
    }
    check_pose(context, joint.origin, joint.where, owner, "its origin");
    check_pose(context, joint.child_origin, joint.where, owner, "its origin in the child");
    check_axes(context, joint, owner);
    check_limits(context, joint, owner);
    if (joint.type == JointType::helical) check_pitch(context, joint, owner);
    if (!std::isfinite(joint.reduction) || joint.reduction == 0)
        context.error(Code::out_of_range, joint.where, owner, "a finite reduction other than zero",
                      number(joint.reduction));
    if (!std::isfinite(joint.armature)) {
        context.error(Code::bad_number, joint.where, owner, "a finite armature", "NaN or infinity");
    } else if (joint.armature < 0) {
        context.error(Code::out_of_range, joint.where, owner, "an armature of zero or more",
                      number(joint.armature));
    }
    return parent && child;
}

void check_loop(const Context& context, const LoopDescription& loop) {
    const Subject owner = Subject::of("loop", loop.name);
    const bool known = check_link_name(context, loop.predecessor, "predecessor", loop.where, owner);
    check_link_name(context, loop.successor, "successor", loop.where, owner);
    if (known && loop.predecessor == loop.successor) {
        context.error(Code::same_ends, loop.where, owner, "two different links",
                      quoted(loop.predecessor) + " at both ends");
    }
    check_pose(context, loop.predecessor_origin, loop.where, owner, "the predecessor's origin");
    check_pose(context, loop.successor_origin, loop.where, owner, "the successor's origin");
    check_axes(context, loop, owner);
    if (loop.type == LoopType::helical) check_pitch(context, loop, owner);
    const bool has_length = loop.type == LoopType::distance && loop.length.has_value();
    if (has_length && !(*loop.length > 0 && std::isfinite(*loop.length))) {
        context.out_of_range(loop, Figure::length, owner, "a length above zero", number(*loop.length),
                             "leave the length out for the distance at zero joint positions");
    }
}

bool check_names(const Context& context) {
    const RobotDescription& description = context.description;
    if (description.links.empty()) {
        context.error(Code::missing, description.where, Subject::of("robot", description.name),
                      "at least one link", "none");
        return false;
    }
    check_literal(context, description.name, description.where, Subject::of("robot", description.name));
    bool good = true;
    NameCheck link_name(context, "links and frames");
    for (const LinkDescription& link : description.links) good &= link_name("link", link.name, link.where);
    NameCheck joint_name(context, "joints");
    for (const JointDescription& joint : description.joints) joint_name("joint", joint.name, joint.where);
    NameCheck loop_name(context, "loops and couplings");
    for (const LoopDescription& loop : description.loops) loop_name("loop", loop.name, loop.where);
    for (const CouplingDescription& entry : description.couplings) {
        if (!is_mimic(entry)) loop_name("coupling", entry.name, entry.where);
    }
    for (const FrameDescription& frame : description.frames) link_name("frame", frame.name, frame.where);
    for (const CombinedCoordinate& coordinate : description.combined)
        joint_name("coordinate", coordinate.name, coordinate.where) &&
            link_name("coordinate", coordinate.name, coordinate.where);
    return good;
}

void check_root_joint_name(const Context& context) {
    if (!context.options.floating_base) return;
    const auto check = [&context](const NameIndex& index, const auto& entries, const char* kind) {
        const int position = index.find(root_joint_name);
        if (position < 0) return;
        context.error(Code::duplicate_name, entries[static_cast<std::size_t>(position)].where,
                      Subject::of(kind, root_joint_name),
                      "another name: the floating base adds a joint of this one", quoted(root_joint_name),
                      "rename it, or leave out the floating base");
    };
    check(context.links, context.description.links, "link");
    check(context.joints, context.description.joints, "joint");
}

void check_frames(const Context& context) {
    for (const FrameDescription& frame : context.description.frames) {
        const Subject owner = Subject::of("frame", frame.name);
        check_link_name(context, frame.link, "its link", frame.where, owner);
        check_pose(context, frame.origin, frame.where, owner, "its origin");
    }
}

}  // namespace

Eigen::Vector3d principal_moments(const Eigen::Matrix3d& inertia) {
    const Eigen::Matrix3d symmetric = 0.5 * inertia + 0.5 * inertia.transpose();
    return principal_inertia(symmetric).moments;
}

bool has_negative_moment(const Eigen::Matrix3d& inertia) {
    if (!inertia.allFinite()) return false;
    constexpr double of_the_solver = 1e-14;  // relative to the others: solver's error of a zero moment
    return principal_moments(inertia)[0] < -of_the_solver * inertia.cwiseAbs().maxCoeff();
}

bool check_pose(const Context& context, const Pose& pose, const SourceLocation& where, const Subject& owner,
                const char* what, Severity severity, const char* hint) {
    const auto refuse = [&](Code code, const std::string& expected, const std::string& found) {
        context.report(severity, code, where, owner, expected + " in " + what, found, hint);
        return false;
    };
    if (!pose.rotation.allFinite() || !pose.translation.allFinite())
        return refuse(Code::bad_number, finite_numbers, "NaN or infinity");
    const double farthest = pose.translation.cwiseAbs().maxCoeff();
    if (farthest > longest_length)
        return refuse(Code::out_of_range, "lengths below " + number(longest_length) + " m",
                      number(farthest) + " m");
    const Eigen::Matrix3d defect = pose.rotation.transpose() * pose.rotation - Eigen::Matrix3d::Identity();
    const double largest = defect.cwiseAbs().maxCoeff();
    if (largest > rotation_tolerance)
        return refuse(Code::out_of_range, "a rotation matrix",
                      "columns that are not orthonormal by " + number(largest));
    if (pose.rotation.determinant() > 0) return true;
    return refuse(Code::out_of_range, "a rotation matrix", "a reflection (determinant -1)");
}

bool check_literal(const Context& context, const std::string& name, const SourceLocation& where,
                   const Subject& owner) {
    if (!is_unexpanded(name)) return true;
    context.error(Code::unexpanded, where, owner,
                  "a name without '${' and '$(', which stand for text to be filled in", quoted(name),
                  "expand the file first, or choose another name");
    return false;
}

bool check_link_name(const Context& context, const std::string& link, const char* role,
                     const SourceLocation& where, const Subject& owner) {
    if (context.links.find(link) >= 0) return true;
    const Code code = link.empty() ? Code::missing : Code::unknown_name;
    context.error(code, where, owner, std::string("a known link as ") + role, quoted(link),
                  context.links.hint(link));
    return false;
}

bool check_joint_name(const Context& context, const std::string& joint, const SourceLocation& where,
                      const Subject& owner) {
    const bool is_added = context.options.floating_base && joint == root_joint_name;
    if (is_added || context.joints.find(joint) >= 0) return true;
    const Code code = joint.empty() ? Code::missing : Code::unknown_name;
    context.error(code, where, owner, "a known joint", quoted(joint), context.joints.hint(joint));
    return false;
}

bool check_description(const Context& context) {
    bool has_graph = check_names(context);
    check_root_joint_name(context);
    check_links(context);
    for (const JointDescription& joint : context.description.joints) has_graph &= check_joint(context, joint);
    for (const LoopDescription& loop : context.description.loops) check_loop(context, loop);
    check_couplings(context);
    check_combined(context);
    check_passive_forces(context);
    check_frames(context);
    check_shapes(context);
    check_sensors(context);
    check_groups(context);
    check_spheres(context);
    check_roles(context);
    return has_graph;
}

}  // namespace grbda::mechanism
