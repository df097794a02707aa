#include <algorithm>
#include <cmath>

#include "parts.hpp"

namespace grbda::to_sdf {

namespace {

const char* type_of(const MechanismBody& body) {
    switch (body.type) {
        case JointType::revolute: return body.bounded ? "revolute" : "continuous";
        case JointType::continuous: return "continuous";
        case JointType::prismatic: return "prismatic";
        case JointType::helical: return "screw";
        case JointType::universal: return "universal";
        case JointType::spherical: return "ball";
        case JointType::fixed:
        case JointType::cylindrical:
        case JointType::planar:
        case JointType::floating: break;
    }
    return nullptr;
}

bool is_free(const MechanismBody& body) { return body.type == JointType::floating && body.parent == world; }

void check_joint(const MechanismBody& body, writing::Findings& findings) {
    if (!is_free(body) && type_of(body) == nullptr)
        findings.joint_error(body, "a revolute, prismatic, helical, universal or spherical joint",
                             std::string("a ") + to_string(body.type) + " one",
                             "SDF has no such joint between two links");
    if (body.armature != 0 && facts(body.type).axes != 1)
        findings.joint_error(body, "armature only on joints with one axis", xml::exact(body.armature),
                             "give the motor a link of its own");
    const bool has_forces = !body.damping.is_zero() || !body.friction.is_zero() || !body.stiffness.is_zero();
    if (facts(body.type).axes == 0 && has_forces)
        findings.joint_error(body, "no damping, friction or spring of a joint without an axis", "some");
    const bool has_limits = std::isfinite(body.limits.effort) || std::isfinite(body.limits.velocity);
    if (facts(body.type).axes == 0 && has_limits)
        findings.leave_out("limits of effort and velocity of joints without an axis", body.joint);
    if (body.actuated && facts(body.type).axes != 1)
        findings.leave_out("motors of joints that do not have one axis", body.joint);
}

void write_limit(const MechanismBody& body, xml::Text& text) {
    const JointLimits& limits = body.limits;
    const bool has_range = facts(body.type).has_range && body.bounded;
    const bool has_lower = has_range && std::isfinite(limits.lower);
    const bool has_upper = has_range && std::isfinite(limits.upper);
    const bool has_rates = std::isfinite(limits.effort) || std::isfinite(limits.velocity);
    if (!has_lower && !has_upper && !has_rates) return;
    text.open("limit");
    if (has_lower) write_number("lower", limits.lower, text);
    if (has_upper) write_number("upper", limits.upper, text);
    if (std::isfinite(limits.effort)) write_number("effort", limits.effort, text);
    if (std::isfinite(limits.velocity)) write_number("velocity", limits.velocity, text);
    text.close();
}

void write_dynamics(const MechanismBody& body, int axis, xml::Text& text) {
    const double damping = body.damping[axis], friction = body.friction[axis];
    const double stiffness = body.stiffness[axis];
    if (damping == 0 && friction == 0 && stiffness == 0) return;
    text.open("dynamics");
    if (damping != 0) write_number("damping", damping, text);
    if (friction != 0) write_number("friction", friction, text);
    if (stiffness != 0) {
        write_number("spring_reference", body.rest.empty() ? 0 : body.rest[at(axis)], text);
        write_number("spring_stiffness", stiffness, text);
    }
    text.close();
}

/// An inertia whose product with the square of `ratio` is `armature`, to the bit if possible.
double rotor_inertia(double armature, double ratio) {
    const auto armature_of = [&](double inertia) { return inertia * ratio * ratio; };
    const double inertia = armature / ratio / ratio;
    for (const double each : {inertia, std::nextafter(inertia, 0.0), std::nextafter(inertia, 2 * inertia)})
        if (armature_of(each) == armature) return each;
    return inertia;
}

/// Writes armature and motor as Drake's elements.
void write_rotor(const MechanismBody& body, xml::Text& text) {
    const double ratio = body.actuated ? body.reduction : 1;
    if (body.armature != 0) write_number("drake:rotor_inertia", rotor_inertia(body.armature, ratio), text);
    if (body.actuated) write_number("drake:gear_ratio", ratio, text);
}

void write_mimic(const Mimic& mimic, const Robot& robot, xml::Text& text) {
    text.open("mimic").attribute("joint", robot.joints[mimic.leader]);
    write_number("multiplier", mimic.multiplier, text);
    write_number("offset", mimic.offset, text);
    write_number("reference", 0, text);
    text.close();
}

void open_axis(const MechanismBody& body, int index, const Eigen::Vector3d& axis, xml::Text& text) {
    text.open(index == 0 ? "axis" : "axis2").leaf("xyz", numbers(axis));
    write_limit(body, text);
    write_dynamics(body, index, text);
}

void write_joint(int index, const Robot& robot, xml::Text& text) {
    const MechanismBody& body = robot.mechanism.bodies[index];
    text.open("joint").attribute("name", robot.joints[index]).attribute("type", type_of(body));
    text.leaf("parent", robot.link_of(body.parent)).leaf("child", robot.links[index]);
    if (body.type == JointType::helical) write_number("screw_thread_pitch", full_turn * body.pitch, text);
    if (facts(body.type).axes > 0) {
        open_axis(body, 0, body.axis, text);
        for (const Mimic& mimic : robot.mimics[index]) write_mimic(mimic, robot, text);
        text.close();
    }
    if (facts(body.type).axes > 1) {
        open_axis(body, 1, body.axis2, text);
        text.close();
    }
    if (facts(body.type).axes == 1) write_rotor(body, text);
    text.close();
}

/// Makes one of its joints follow the other.
void plan_mimic(const MechanismCoupling& coupling, Robot& robot) {
    const auto is_scalar = [&](const MechanismTerm& term) {
        return velocity_size(robot.mechanism.bodies[term.body].type) == 1;
    };
    const std::vector<MechanismTerm>& terms = coupling.terms;
    const bool is_mimic =
        terms.size() == 2 && coupling.polynomial.empty() && is_scalar(terms[0]) && is_scalar(terms[1]);
    for (std::size_t i = 0; is_mimic && i < 2; ++i) {
        const MechanismTerm &follower = terms[i], &leader = terms[1 - i];
        if (!robot.mimics[follower.body].empty()) continue;
        robot.mimics[follower.body].push_back({leader.body, -leader.coefficient / follower.coefficient,
                                               -coupling.offset / follower.coefficient});
        return;
    }
    robot.findings.error(coupling.where, "coupling", coupling.name,
                         "a linear coupling of two joints with one coordinate each",
                         is_mimic ? "joints that both follow others already" : "another one",
                         "SDF has mimics alone, one in a joint");
}

}  // namespace

std::string Robot::name_for(const std::string& kind, const std::string& wanted) {
    std::string name = wanted;
    for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::", at))
        name.replace(at, 2, "_");
    if (name == "world" || (name.starts_with("__") && name.ends_with("__"))) name = kind + "_" + name;
    name = names.free(name);
    if (name != wanted)
        findings.leave_out("names that a link, a joint and a frame share", wanted + " → " + name);
    return name;
}

void plan(Robot& robot) {
    const Mechanism& mechanism = robot.mechanism;
    const writing::Layout layout = writing::make_layout(mechanism, {"world"});
    const bool has_shapes = std::any_of(mechanism.shapes.begin(), mechanism.shapes.end(),
                                        [](const MechanismShape& shape) { return shape.body == world; });
    const bool has_frames =
        std::any_of(mechanism.frames.begin(), mechanism.frames.end(),
                    [](const MechanismFrame& frame) { return frame.body == world && frame.name != "world"; });
    if (has_shapes || has_frames)
        robot.root = robot.names.free(layout.root == "world" ? "world_link" : layout.root);
    robot.mimics.resize(mechanism.bodies.size());
    robot.in_world.resize(mechanism.bodies.size());
    for (int i = 0; i < static_cast<int>(mechanism.bodies.size()); ++i) {
        const MechanismBody& body = mechanism.bodies[i];
        robot.links.push_back(body.combined ? "" : robot.name_for("link", layout.body_links[at(i)]));
        robot.in_world[i] = robot.pose_of(body.parent) * body.placement;
    }
    for (const MechanismBody& body : mechanism.bodies) {
        const bool has_joint = !body.combined && !is_free(body);
        robot.joints.push_back(has_joint ? robot.name_for("joint", body.joint) : "");
        if (!body.combined) check_joint(body, robot.findings);
    }
    for (const MechanismCoupling& coupling : mechanism.couplings)
        if (!mechanism.bodies[coupling.terms.front().body].combined) plan_mimic(coupling, robot);
}

void write_joints(Robot& robot, xml::Text& text) {
    if (!robot.root.empty()) {
        text.open("joint").attribute("name", robot.names.free(robot.root + "_fixed"));
        text.attribute("type", "fixed").leaf("parent", "world").leaf("child", robot.root).close();
    }
    for (int i = 0; i < static_cast<int>(robot.mechanism.bodies.size()); ++i) {
        const MechanismBody& body = robot.mechanism.bodies[i];
        if (!body.combined && type_of(body) != nullptr) write_joint(i, robot, text);
    }
}

}  // namespace grbda::to_sdf
