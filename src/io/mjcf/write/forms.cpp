#include <algorithm>
#include <cmath>

#include "parts.hpp"

// The bodies of the file, and their joints.

namespace grbda::to_mjcf {

namespace {

using writing::Part;

/// MuJoCo requires larger masses and moments of inertia of moving bodies (mjMINVAL).
constexpr double least = 1e-15;

bool is_massless(const MechanismBody& body) {
    return body.inertia.mass == 0 && body.inertia.inertia.isZero(0);
}

/// Bodies that need an element of their own, and the number of children of each.
struct Needs {
    std::vector<bool> own;
    std::vector<int> children;

    explicit Needs(const Mechanism& mechanism)
        : own(mechanism.bodies.size(), false), children(mechanism.bodies.size(), 0) {
        const auto need = [&](int body) {
            if (body != world) own[at(body)] = true;
        };
        for (const MechanismLoop& loop : mechanism.loops) {
            need(loop.predecessor);
            need(loop.successor);
        }
        for (const MechanismShape& shape : mechanism.shapes)
            if (shape.shape.collision) need(shape.body);
        for (const MechanismBody& body : mechanism.bodies)
            if (body.parent != world && !body.combined) ++children[at(body.parent)];
    }
    bool joins_child(const MechanismBody& body, int index) const {
        return is_massless(body) && !own[at(index)] && children[at(index)] == 1;
    }
};

/// Inertia of a body without mass, on which nothing moves and which a fixed loop joins to another: where a
/// joint that closes a loop was cut. MuJoCo needs some, and 1e-3 of the other's hardly changes the motion.
std::optional<Inertial> inertia_of_copy(const Mechanism& mechanism, const Needs& needs, int index) {
    constexpr double share = 1e-3;
    if (!is_massless(mechanism.bodies[index]) || needs.children[at(index)] != 0) return std::nullopt;
    for (const MechanismLoop& loop : mechanism.loops) {
        const int other = loop.predecessor == index ? loop.successor : loop.predecessor;
        if (loop.type != LoopType::fixed || other == world || other == index ||
            (loop.predecessor != index && loop.successor != index))
            continue;
        const Inertial& whole = mechanism.bodies[other].inertia;
        if (share * whole.mass < least || share * whole.inertia.trace() / 3 < least) continue;
        const double moment = share * whole.inertia.trace() / 3;
        return Inertial{share * whole.mass, Eigen::Vector3d::Zero(), moment * Eigen::Matrix3d::Identity()};
    }
    return std::nullopt;
}

void check_inertia(const MechanismBody& body, writing::Findings& findings) {
    const Inertial& inertia = body.inertia;
    const Eigen::Vector3d moments = principal_inertia(inertia.inertia).moments;
    constexpr double rounding = 1e-12;
    if (!(inertia.mass >= least && moments[0] >= least)) {
        findings.error(body.where, "link", body.name, "mass and moments of inertia above 1e-15",
                       inertia.mass >= least ? "a moment of " + xml::exact(moments[0])
                                             : "a mass of " + xml::exact(inertia.mass),
                       "MuJoCo moves no other body; one without mass may hold nothing but one more body");
    } else if (moments[0] + moments[1] < moments[2] * (1 - rounding)) {
        findings.error(
            body.where, "link", body.name,
            "moments of inertia of which none is larger than the other two together",
            xml::exact(moments[2]) + " beside " + xml::exact(moments[0]) + " and " + xml::exact(moments[1]),
            "MuJoCo takes no other body");
    }
}

/// MuJoCo has one number per joint.
class ForceCheck {
public:
    ForceCheck(const MechanismBody& body, writing::Findings& findings) : body_(body), findings_(findings) {}

    /// True if a free joint can represent it.
    bool is_free() const {
        return writing::is_uniform(body_.damping, 0, 6) && body_.friction.is_zero() &&
               body_.stiffness.is_zero();
    }

    void check(const Part& part) {
        const bool is_ball = part.kind == Part::Kind::ball;
        const bool is_floating = body_.type == JointType::floating;
        if (is_ball) {
            check_uniform(part.component, "about all axes of a ball");
            if (!body_.stiffness.is_zero() && !is_slack_at_zero())
                refuse("a spring of a ball that is slack where it stands at zero",
                       "one with a rest_position");
        } else if (is_floating && part.component == 0) {
            check_uniform(0, "along all axes");
            if (body_.friction[0] != 0)
                refuse("no dry friction along the axes of a floating child", xml::exact(body_.friction[0]));
        }
    }

private:
    void check_uniform(int first, const char* where) {
        for (const PerCoordinate* figures : {&body_.damping, &body_.friction, &body_.stiffness})
            if (!writing::is_uniform(*figures, first, 3))
                return refuse(std::string("the same damping, friction and stiffness ") + where,
                              "several numbers");
    }

    bool is_slack_at_zero() const {
        const std::vector<double>& rest = body_.rest;
        return rest.empty() || std::all_of(rest.end() - 4, rest.end() - 1, [](double x) { return x == 0; });
    }

    void refuse(std::string expected, std::string found) {
        findings_.joint_error(body_, std::move(expected), std::move(found), "MuJoCo has no other");
    }

    const MechanismBody& body_;
    writing::Findings& findings_;
};

void check_range(const MechanismBody& body, writing::Findings& findings) {
    if (!facts(body.type).has_range || !body.bounded || body.limits.lower < body.limits.upper) return;
    findings.joint_error(body, "limits with room between them", "both at " + xml::exact(body.limits.lower),
                         "a fixed joint, or a coupling, holds it there");
}

/// Joints of a body in an element with the frame of the last body of its chain.
std::vector<Joint> joints_of(Robot& robot, int index, bool is_alone, const Pose& frame) {
    const MechanismBody& body = robot.mechanism.bodies[index];
    ForceCheck forces(body, robot.findings);
    const bool is_floating = body.type == JointType::floating;
    const bool is_free = is_floating && body.parent == world && is_alone && forces.is_free();
    const std::vector<Part> parts = is_floating && !is_free ? writing::split_floating(body, robot.joint_names)
                                                            : writing::split(body, robot.joint_names);
    check_range(body, robot.findings);
    std::vector<Joint> joints;
    for (const Part& part : parts) {
        forces.check(part);
        const bool turned = frame.rotation != Eigen::Matrix3d::Identity();
        if (part.kind == Part::Kind::ball && turned && !body.friction.is_zero())
            robot.findings.joint_error(body, "dry friction about the axes of a body with mass", "others");
        joints.push_back({part, frame});
    }
    return joints;
}

}  // namespace

const std::string& Robot::name_of(int body) const {
    static const std::string none = "world";
    return body == world ? none : layout.body_links[at(body)];
}

const Joint* Robot::scalar_joint(const MechanismTerm& term) const {
    for (const Joint& joint : joints[term.body]) {
        const bool is_scalar = joint.part.kind == Part::Kind::hinge || joint.part.kind == Part::Kind::slide;
        if (is_scalar && joint.part.component == term.component) return &joint;
    }
    return nullptr;
}

void make_elements(Robot& robot) {
    const Table<MechanismBody>& bodies = robot.mechanism.bodies;
    const Needs needs(robot.mechanism);
    for (const MechanismBody& body : bodies) robot.joint_names.take(body.joint);
    robot.joints.resize(bodies.size());
    robot.in_world.resize(bodies.size());
    robot.sites.resize(bodies.size() + 1);
    std::vector<int> chain;
    for (int i = 0; i < static_cast<int>(bodies.size()); ++i) {
        const MechanismBody& body = bodies[i];
        if (body.combined) continue;
        robot.in_world[i] = robot.pose_of(body.parent) * body.placement;
        chain.push_back(i);
        if (needs.joins_child(body, i)) continue;  // which comes next, in depth-first order
        Element element{robot.layout.body_links[at(i)], i, std::move(chain), world, Pose(), std::nullopt};
        chain.clear();
        element.parent = bodies[element.chain.front()].parent;
        element.pose = inverse(robot.pose_of(element.parent)) * robot.in_world[i];
        if (element.chain.size() == 1) element.pose = body.placement;
        const bool is_alone = element.chain.size() == 1;
        for (const int link : element.chain) {
            const Pose frame = link == i ? Pose() : inverse(robot.in_world[i]) * robot.in_world[link];
            robot.joints[link] = joints_of(robot, link, is_alone, frame);
        }
        element.inertia = inertia_of_copy(robot.mechanism, needs, i);
        if (element.inertia)
            robot.findings.warn("gives links without mass 1e-3 of the mass that they are joined to",
                                body.name);
        else
            check_inertia(body, robot.findings);
        robot.elements.push_back(std::move(element));
    }
}

void make_sites(Robot& robot) {
    const Mechanism& mechanism = robot.mechanism;
    std::vector<bool> has_element(mechanism.bodies.size(), false);
    for (const Element& element : robot.elements) has_element[at(element.body)] = true;
    for (const MechanismFrame& frame : mechanism.frames) {
        const bool is_body = frame.body != world && robot.layout.body_links[at(frame.body)] == frame.name;
        const bool is_world = frame.body == world && frame.name == "world";
        if (frame.body != world && mechanism.bodies[frame.body].combined) continue;
        if (frame.body != world && !has_element[at(frame.body)]) {
            robot.findings.leave_out("links without mass that joints connect on both sides", frame.name);
        } else if (!is_body && !is_world) {
            robot.sites[frame.body + 1].push_back({robot.site_names.free(frame.name), frame.placement});
        }
    }
}

}  // namespace grbda::to_mjcf
