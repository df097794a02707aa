#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "parts.hpp"

// The elements in <worldbody>.

namespace grbda::to_mjcf {

namespace {

using writing::Part;

/// MuJoCo's largest number (mjMAXVAL), which no joint reaches.
constexpr double no_range = 1e10;

/// MuJoCo refuses moments of which the largest equals the sum of the other two, up to rounding.
Eigen::Vector3d within_triangle(Eigen::Vector3d moments) {
    constexpr double rounding = 1e-12;
    const double largest = moments.maxCoeff();
    Eigen::Index smallest = 0;
    moments.minCoeff(&smallest);
    moments[smallest] += std::max(largest * (2 + rounding) - moments.sum(), 0.0);
    return moments;
}

/// Uses principal axes, which MuJoCo would compute only to 1e-8.
void write_inertial(const Inertial& inertial, xml::Text& text) {
    const bool is_diagonal = inertial.inertia.isDiagonal(0);
    PrincipalInertia principal{inertial.inertia.diagonal(), Eigen::Matrix3d::Identity()};
    if (!is_diagonal) principal = principal_inertia(inertial.inertia);
    if (principal.axes.determinant() < 0) principal.axes = -principal.axes;
    Line line{"inertial"};
    line.set("mass", inertial.mass).set("pos", numbers_of(inertial.com));
    if (!is_diagonal) line.set("quat", quaternion_of(principal.axes));
    line.set("diaginertia", numbers_of(within_triangle(principal.moments)));
    write(line, text);
}

const char* type_of(Part::Kind kind) {
    switch (kind) {
        case Part::Kind::hinge: return "hinge";
        case Part::Kind::slide: return "slide";
        case Part::Kind::ball: return "ball";
        case Part::Kind::free: break;
    }
    return "free";
}

void set_range(const MechanismBody& body, Line& line) {
    const JointLimits& limits = body.limits;
    if (!facts(body.type).has_range || !body.bounded) return;
    if (std::isinf(limits.lower) && std::isinf(limits.upper)) return;
    line.set("limited", "true")
        .set("range",
             std::vector<double>{std::max(limits.lower, -no_range), std::min(limits.upper, no_range)});
}

void set_forces(const MechanismBody& body, const Part& part, Line& line) {
    const int i = part.component;
    const auto set = [&](const char* name, double value) {
        if (value != 0) line.set(name, value);
    };
    set("damping", body.damping[i]);
    set("frictionloss", body.friction[i]);
    set("stiffness", body.stiffness[i]);
    const bool is_scalar = part.kind == Part::Kind::hinge || part.kind == Part::Kind::slide;
    if (is_scalar && body.stiffness[i] != 0 && !body.rest.empty()) set("springref", body.rest[at(i)]);
    set("armature", body.armature);
}

void write_joint(const MechanismBody& body, const Joint& joint, xml::Text& text) {
    const Part& part = joint.part;
    const bool is_scalar = part.kind == Part::Kind::hinge || part.kind == Part::Kind::slide;
    Line line{"joint"};
    line.set("name", part.name).set("type", type_of(part.kind));
    if (part.kind != Part::Kind::free && !joint.frame.translation.isZero(0))
        line.set("pos", numbers_of(joint.frame.translation));
    if (is_scalar) line.set("axis", numbers_of(joint.frame.rotation * part.axis));
    if (part.ratio == 0) {
        set_range(body, line);
        set_forces(body, part, line);
    }
    write(line, text);
}

/// Writes the content of a body or the world except other bodies.
void write_contents(Robot& robot, int body, xml::Text& text) {
    for (const Line& geom : geoms_of(robot, body)) write(geom, text);
    for (const Site& site : robot.sites[body + 1]) {
        Line line{"site"};
        set_pose(site.placement, line.set("name", site.name));
        write(line, text);
    }
}

void open_element(Robot& robot, const Element& element, xml::Text& text) {
    const MechanismBody& body = robot.mechanism.bodies[element.body];
    Line line{"body"};
    set_pose(element.pose, line.set("name", element.name));
    if (const double share = writing::carried_share(body, robot.findings); share != 0)
        line.set("gravcomp", share);
    text.open(line.element);
    for (const auto& [name, value] : line.attributes) text.attribute(name, value);
    for (const int index : element.chain)
        for (const Joint& joint : robot.joints[index])
            write_joint(robot.mechanism.bodies[index], joint, text);
    write_inertial(element.inertia.value_or(body.inertia), text);
    write_contents(robot, element.body, text);
}

}  // namespace

Line& Line::set(const char* name, const std::vector<double>& values) {
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : " ") + xml::exact(value);
    return set(name, std::move(list));
}

std::vector<double> numbers_of(const Eigen::Vector3d& vector) { return {vector.x(), vector.y(), vector.z()}; }

std::vector<double> quaternion_of(const Eigen::Matrix3d& rotation) {
    const Eigen::Quaterniond q(rotation);
    return {q.w(), q.x(), q.y(), q.z()};
}

void set_pose(const Pose& pose, Line& line) {
    if (!pose.translation.isZero(0)) line.set("pos", numbers_of(pose.translation));
    if (pose.rotation != Eigen::Matrix3d::Identity()) line.set("quat", quaternion_of(pose.rotation));
}

void write(const Line& line, xml::Text& text) {
    text.open(line.element);
    for (const auto& [name, value] : line.attributes) text.attribute(name, value);
    for (const Line& child : line.children) write(child, text);
    text.close();
}

/// Elements are in depth-first order: each is closed before one that is not inside it.
void write_bodies(Robot& robot, xml::Text& text) {
    text.open("worldbody");
    write_contents(robot, world, text);
    std::vector<int> open;
    for (const Element& element : robot.elements) {
        for (; !open.empty() && open.back() != element.parent; open.pop_back()) text.close();
        open_element(robot, element, text);
        open.push_back(element.body);
    }
    for (std::size_t i = 0; i < open.size(); ++i) text.close();
    text.close();
}

}  // namespace grbda::to_mjcf
