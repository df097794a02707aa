#include <cmath>
#include <limits>
#include <string>

#include "grbda/mechanism.hpp"
#include "steps.hpp"

namespace grbda {

namespace {

bool is_massless(const Inertial& inertial) { return inertial.mass == 0 && inertial.inertia.isZero(0); }

/// Sets negative moments to zero, which the checks have found to be rounding.
Eigen::Matrix3d without_negative_moments(const Eigen::Matrix3d& inertia) {
    if (!mechanism::has_negative_moment(inertia)) return inertia;
    const auto [moments, axes] = principal_inertia(inertia);
    const Eigen::Matrix3d result = axes * moments.cwiseMax(0).asDiagonal() * axes.transpose();
    return 0.5 * result + 0.5 * result.transpose();
}

}  // namespace

Inertial placed(const Inertial& inertial, const Pose& pose) {
    const Eigen::Matrix3d symmetric =
        without_negative_moments(0.5 * inertial.inertia + 0.5 * inertial.inertia.transpose());
    return {inertial.mass, pose.translation + pose.rotation * inertial.com,
            pose.rotation * symmetric * pose.rotation.transpose()};
}

Inertial merged(const Inertial& a, const Inertial& b) {
    if (is_massless(a)) return b;
    if (is_massless(b)) return a;
    const double mass = a.mass + b.mass;
    const double share = mass > 0 ? b.mass / mass : 0;
    const Eigen::Vector3d d = b.com - a.com;
    const Eigen::Matrix3d spread = d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose();
    return {mass, a.com + share * d, a.inertia + b.inertia + a.mass * share * spread};
}

}  // namespace grbda

namespace grbda::mechanism {

namespace {

Eigen::Vector3d unit(const Eigen::Vector3d& axis, const Eigen::Vector3d& if_none) {
    // Only joint types without an axis can have one this short here: the others were checked.
    return axis.allFinite() && is_axis(axis) ? axis.stableNormalized() : if_none;
}

MechanismBody make_body(const JointDescription& joint) {
    MechanismBody body;
    body.name = joint.child;
    body.joint = joint.name;
    body.type = joint.type;
    body.axis = unit(joint.axis, Eigen::Vector3d::UnitX());
    body.axis2 = unit(joint.axis2, Eigen::Vector3d::UnitY());
    body.independent = joint.independent;
    body.limits = joint.limits;
    body.damping = joint.damping;
    body.friction = joint.friction;
    body.stiffness = joint.stiffness;
    body.rest = with_unit_quaternion(joint.type, joint.rest);
    body.pitch = joint.pitch;
    body.armature = joint.armature;
    body.reduction = joint.reduction;
    body.servo = joint.servo;
    body.where = joint.where;
    if (joint.type == JointType::continuous) {
        body.type = JointType::revolute;
        body.limits.lower = -std::numeric_limits<double>::infinity();
        body.limits.upper = std::numeric_limits<double>::infinity();
    }
    const bool has_limit = std::isfinite(body.limits.lower) || std::isfinite(body.limits.upper);
    body.bounded = body.type != JointType::revolute || has_limit;
    return body;
}

/// The root link as a body under a floating joint.
MechanismBody make_floating_root(const LinkDescription& link) {
    MechanismBody body;
    body.name = link.name;
    body.joint = root_joint_name;
    body.type = JointType::floating;
    body.where = link.where;
    return body;
}

/// Reports a massless root whose only joint is floating already: it would float twice.
void check_floating_root(const Context& context, const Mechanism& mechanism) {
    const MechanismBody* child = nullptr;
    for (std::size_t i = 1; i < mechanism.bodies.size(); ++i) {
        if (mechanism.bodies[i].parent != 0) continue;
        if (child != nullptr) return;
        child = &mechanism.bodies[i];
    }
    const bool floats_already = child != nullptr && child->type == JointType::floating &&
                                is_massless(mechanism.bodies.front().inertia);
    if (!floats_already) return;
    context.error(
        Code::conflict, child->where, Subject::of("joint", child->joint),
        "a root link that does not float yet",
        "a floating joint to " + quoted(child->name) + " under the massless root " + quoted(mechanism.root),
        "this robot floats already: leave out the floating base");
}

void add_frames(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    const RobotDescription& description = context.description;
    mechanism.frames.reserve(description.links.size() + description.frames.size());
    for (std::size_t link = 0; link < description.links.size(); ++link) {
        const std::string& name = description.links[link].name;
        mechanism.frames.push_back({name, fusion.link_body[link], fusion.link_pose[link], true});
    }
    for (const FrameDescription& frame : description.frames) {
        const int link = context.links.find(frame.link);
        if (link < 0) continue;
        mechanism.frames.push_back(
            {frame.name, fusion.link_body[at(link)], fusion.link_pose[at(link)] * frame.origin});
    }
}

void note_massless_bodies(const Context& context, const Mechanism& mechanism) {
    std::vector<std::string> names;
    for (const MechanismBody& body : mechanism.bodies) {
        if (is_massless(body.inertia)) names.push_back(quoted(body.name));
    }
    if (names.empty()) return;
    context.report(Severity::note, Code::inertia, context.description.where,
                   Subject::of("robot", mechanism.name), "bodies without mass and inertia: " + listed(names),
                   "");
}

}  // namespace

std::optional<int> moved_body(const Context& context, const Fusion& fusion, const std::string& joint,
                              const SourceLocation& where, const Subject& owner) {
    if (context.options.floating_base && joint == root_joint_name) return 0;
    const int position = context.joints.find(joint);
    if (position < 0) return std::nullopt;
    const int body = fusion.joint_body[at(position)];
    if (body >= 0) return body;
    context.error(Code::wrong_kind, where, owner, "a joint that moves",
                  "joint " + quoted(joint) + ", which is fixed");
    return std::nullopt;
}

std::vector<MechanismTerm> moved_terms(const Context& context, const Fusion& fusion,
                                       const std::vector<LinearTerm>& terms, const SourceLocation& where,
                                       const Subject& owner) {
    std::vector<MechanismTerm> moved;
    for (const LinearTerm& term : terms) {
        const SourceLocation& own = term.where.line > 0 ? term.where : where;
        const std::optional<int> body = moved_body(context, fusion, term.joint, own, owner);
        if (body) moved.push_back({*body, 0, term.coefficient});
    }
    return moved;
}

Fusion add_bodies(const Context& context, const SpanningTree& tree, Mechanism& mechanism) {
    const RobotDescription& description = context.description;
    Fusion fusion;
    fusion.link_body.assign(description.links.size(), world);
    fusion.link_pose.resize(description.links.size());
    fusion.joint_body.assign(description.joints.size(), no_body);

    mechanism.root = description.links[at(tree.root)].name;
    if (context.options.floating_base) {
        mechanism.bodies.push_back(make_floating_root(description.links[at(tree.root)]));
        fusion.link_body[at(tree.root)] = 0;
    }
    for (const int link : tree.link_order) {  // parents come first
        const int joint_index = tree.joint_of[at(link)];
        if (joint_index >= 0) {
            const JointDescription& joint = description.joints[at(joint_index)];
            const std::size_t parent = at(context.links.find(joint.parent));
            const Pose placement = fusion.link_pose[parent] * joint.origin;
            if (joint.type == JointType::fixed) {
                fusion.link_body[at(link)] = fusion.link_body[parent];
                fusion.link_pose[at(link)] = placement * inverse(joint.child_origin);
            } else {
                MechanismBody body = make_body(joint);
                body.parent = fusion.link_body[parent];
                body.placement = placement;
                fusion.link_pose[at(link)] = inverse(joint.child_origin);
                fusion.link_body[at(link)] = fusion.joint_body[at(joint_index)] =
                    static_cast<int>(mechanism.bodies.size());
                mechanism.bodies.push_back(std::move(body));
            }
        }
        const std::optional<Inertial>& inertial = description.links[at(link)].inertial;
        const int body = fusion.link_body[at(link)];
        if (body == world) continue;
        const Pose& pose = fusion.link_pose[at(link)];
        for (const GravityCompensation& carried : description.links[at(link)].gravity_compensation) {
            mechanism.bodies[at(body)].gravity_compensation.push_back(
                {carried.mass, pose.translation + pose.rotation * carried.point});
        }
        if (!inertial) continue;
        Inertial& whole = mechanism.bodies[at(body)].inertia;
        whole = merged(whole, placed(*inertial, pose));
    }
    if (context.options.floating_base) check_floating_root(context, mechanism);
    add_frames(context, fusion, mechanism);
    add_shapes(context, fusion, mechanism);
    add_sensors(context, fusion, mechanism);
    add_spheres(context, mechanism);
    note_massless_bodies(context, mechanism);
    return fusion;
}

}  // namespace grbda::mechanism
