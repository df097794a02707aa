#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <Eigen/Geometry>

#include "parts.hpp"

// Forces of tendons, motors, saved configurations, pairs of bodies without contact.

namespace grbda::to_mjcf {

namespace {

using writing::Part;

/// The same tendon with its length negated: in MuJoCo a negative
/// rest length selects the length at the springs' rest positions.
MechanismTendon turned_round(MechanismTendon tendon) {
    for (MechanismTerm& term : tendon.terms) term.coefficient = -term.coefficient;
    std::swap(tendon.rest_lower, tendon.rest_upper);
    tendon.rest_lower = -tendon.rest_lower;
    tendon.rest_upper = -tendon.rest_upper;
    return tendon;
}

void make_tendon(const MechanismTendon& given, Robot& robot) {
    const bool is_negative = given.stiffness != 0 && given.rest_upper <= 0 && given.rest_lower < 0;
    const MechanismTendon tendon = is_negative ? turned_round(given) : given;
    Line* const line = add_tendon(robot, tendon.terms, "tendon", tendon.name, tendon.where);
    if (line == nullptr) return;
    if (tendon.stiffness != 0) {
        line->set("stiffness", tendon.stiffness);
        std::vector<double> rest{tendon.rest_lower};
        if (tendon.rest_upper != tendon.rest_lower) rest.push_back(tendon.rest_upper);
        line->set("springlength", rest);
    }
    if (tendon.damping != 0) line->set("damping", tendon.damping);
    if (tendon.friction != 0) line->set("frictionloss", tendon.friction);
}

/// Number of motors of a part, and the index in their gear for one motor.
int count_of(const Part& part) {
    switch (part.kind) {
        case Part::Kind::hinge:
        case Part::Kind::slide: return part.ratio == 0 ? 1 : 0;
        case Part::Kind::ball: return 3;
        case Part::Kind::free: return 6;
    }
    return 0;
}

/// Target at zero control, unless that follows from the range of controls.
double offset_of(const ServoDescription& servo) {
    return servo.target == std::clamp(0., servo.lower, servo.upper) ? 0 : servo.target;
}

/// The element of an actuator, with the gains of a servo. At its own side, lengths are those of the joint
/// times the reduction.
Line actuator_of(const MechanismBody& body) {
    if (!body.servo) return {"motor"};
    const ServoDescription& servo = *body.servo;
    const double ratio = body.reduction, kp = servo.stiffness / (ratio * ratio),
                 kv = servo.damping / (ratio * ratio);
    Line line{kp == 0 ? "velocity" : "position"};
    if (offset_of(servo) == 0) {
        if (kp != 0) line.set("kp", kp);
        line.set("kv", kv);
    } else {
        const double gain = kp == 0 ? kv : kp;
        line = {"general"};
        line.set("biastype", "affine").set("gainprm", gain);
        line.set("biasprm", std::vector<double>{gain * offset_of(servo) * ratio, -kp, -kv});
    }
    return line;
}

/// The control of an actuator for a target of its servo.
double control_of(const MechanismBody& body, double target) {
    return (target - offset_of(*body.servo)) * body.reduction;
}

void limit_controls(const MechanismBody& body, Line& line) {
    if (!body.servo) return;
    const double from = control_of(body, body.servo->lower), to = control_of(body, body.servo->upper);
    const double lower = std::min(from, to), upper = std::max(from, to);
    constexpr double largest = 1e9;  // MuJoCo's ranges have two ends
    if (lower < upper && (std::isfinite(lower) || std::isfinite(upper)))
        line.set("ctrllimited", "true")
            .set("ctrlrange", std::vector<double>{std::max(lower, -largest), std::min(upper, largest)});
}

void add_motor(Robot& robot, const MechanismBody& body, const char* attribute, const std::string& target,
               const std::string& name, const std::vector<double>& gear) {
    Line motor = actuator_of(body);
    motor.set("name", robot.actuator_names.free(name)).set(attribute, target);
    if (!gear.empty()) motor.set("gear", gear);
    const double effort = body.limits.effort / std::abs(body.reduction);  // MuJoCo limits the motor's side
    if (std::isfinite(effort) && effort > 0)
        motor.set("forcelimited", "true").set("forcerange", std::vector<double>{-effort, effort});
    limit_controls(body, motor);
    robot.actuators.push_back(std::move(motor));
    robot.driven.push_back(&body);
}

/// Gear of the motor for one coordinate among `count` of a joint; empty for a gear of 1.
std::vector<double> gear_of(const MechanismBody& body, int coordinate, int count) {
    if (count == 1 && body.reduction == 1) return {};
    std::vector<double> gear(count > 1 ? 6 : 1, 0);
    gear[at(coordinate)] = body.reduction;
    return gear;
}

void make_motors(Robot& robot, int index) {
    const MechanismBody& body = robot.mechanism.bodies[index];
    if (std::isfinite(body.limits.velocity)) robot.findings.leave_out("limits of velocity", body.joint);
    if (std::isfinite(body.limits.effort) && !(body.actuated && body.limits.effort > 0))
        robot.findings.leave_out("limits of effort of joints without motors", body.joint);
    if (!body.actuated) {
        if (body.servo) robot.findings.leave_out("servos of joints without motors", body.joint);
        return;
    }
    for (const Joint& joint : robot.joints[index]) {
        const int count = count_of(joint.part);
        for (int i = 0; i < count; ++i) {
            add_motor(robot, body, "joint", joint.part.name, joint.part.name, gear_of(body, i, count));
        }
    }
}

/// The motor of a combined coordinate acts on a tendon over the joints.
void make_combined_motor(Robot& robot, const MechanismCoupling& coupling) {
    const MechanismBody& body = robot.mechanism.bodies[coupling.terms.front().body];
    if (!body.combined || !body.actuated) return;
    std::vector<MechanismTerm> terms(coupling.terms.begin() + 1, coupling.terms.end());
    const double own = coupling.terms.front().coefficient;
    for (MechanismTerm& term : terms) term.coefficient /= -own;
    const Line* const tendon = add_tendon(robot, terms, "coordinate", body.joint, coupling.where);
    if (tendon == nullptr) return;
    const std::string name = tendon->attributes.front().second;
    add_motor(robot, body, "tendon", name, body.joint, gear_of(body, 0, 1));
}

/// A ball's quaternion, of rotations in the joint's frame, converted to rotations in the element's frame.
void add_quaternion(const Pose& frame, const std::vector<double>& xyzw, std::vector<double>& qpos) {
    const std::size_t n = xyzw.size();
    const Eigen::Vector3d turned = frame.rotation * Eigen::Vector3d(xyzw[n - 4], xyzw[n - 3], xyzw[n - 2]);
    qpos.insert(qpos.end(), {xyzw[n - 1], turned.x(), turned.y(), turned.z()});
}

void add_position(const MechanismBody& body, const Joint& joint, const std::vector<double>& position,
                  std::vector<double>& qpos) {
    const std::vector<double> q = writing::part_position(body, joint.part, position);
    switch (joint.part.kind) {
        case Part::Kind::hinge:
        case Part::Kind::slide: qpos.push_back(q.front()); break;
        case Part::Kind::ball: add_quaternion(joint.frame, q, qpos); break;
        case Part::Kind::free: {
            const Eigen::Quaterniond turn(q[6], q[3], q[4], q[5]);
            const Pose pose = body.placement *
                              Pose{turn.normalized().toRotationMatrix(), Eigen::Vector3d(q[0], q[1], q[2])};
            for (const double x : pose.translation) qpos.push_back(x);
            for (const double x : quaternion_of(pose.rotation)) qpos.push_back(x);
            break;
        }
    }
}

/// Controls of all actuators; empty if the state has no targets of servos.
std::vector<double> controls_of(const Robot& robot, const std::map<std::string, double>& targets) {
    std::vector<double> controls;
    if (targets.empty()) return controls;
    for (const MechanismBody* const body : robot.driven) {
        const auto target = targets.find(body->joint);
        controls.push_back(target == targets.end() || !body->servo ? 0 : control_of(*body, target->second));
    }
    return controls;
}

void make_key(Robot& robot, const std::string& name,
              const std::map<std::string, std::vector<double>>& positions,
              const std::map<std::string, double>& targets = {}) {
    std::vector<double> qpos;
    for (const Element& element : robot.elements) {
        for (const int index : element.chain) {
            const MechanismBody& body = robot.mechanism.bodies[index];
            const std::vector<double> position = writing::position_in(robot.mechanism, body, positions);
            for (const Joint& joint : robot.joints[index]) add_position(body, joint, position, qpos);
        }
    }
    Line key{"key"};
    key.set("name", name).set("qpos", qpos);
    if (const std::vector<double> controls = controls_of(robot, targets); !controls.empty())
        key.set("ctrl", controls);
    robot.keys.push_back(std::move(key));
}

void make_keys(Robot& robot) {
    writing::FreeNames names;
    for (const MechanismState& state : robot.mechanism.states) names.take(state.name);
    if (!robot.mechanism.start.empty()) make_key(robot, names.free("start"), robot.mechanism.start);
    for (const MechanismState& state : robot.mechanism.states)
        make_key(robot, state.name, state.positions, state.targets);
}

/// MuJoCo excludes pairs of bodies: those for which all links with collision shapes are excluded.
void make_exclusions(Robot& robot) {
    const Mechanism& mechanism = robot.mechanism;
    std::vector<std::set<std::string>> links(mechanism.bodies.size() + 1);
    for (const MechanismShape& shape : mechanism.shapes)
        if (shape.shape.collision) links[at(shape.body + 1)].insert(shape.link);
    std::map<std::pair<int, int>, std::size_t> counts;
    for (const auto& [a, b] : mechanism.self_collision.ignored) {
        const MechanismFrame &first = mechanism.frames[a], &second = mechanism.frames[b];
        const bool is_touched = links[at(first.body + 1)].count(first.name) != 0 &&
                                links[at(second.body + 1)].count(second.name) != 0;
        if (first.body != second.body && is_touched) ++counts[std::minmax(first.body, second.body)];
    }
    for (const auto& [bodies, count] : counts) {
        const auto& [a, b] = bodies;
        if (count < links[at(a + 1)].size() * links[at(b + 1)].size()) {
            robot.findings.leave_out("pairs of links that do not touch, of bodies of which others do",
                                     robot.name_of(a) + " and " + robot.name_of(b));
            continue;
        }
        robot.contacts.push_back({"exclude"});
        robot.contacts.back().set("body1", robot.name_of(a)).set("body2", robot.name_of(b));
    }
}

}  // namespace

void make_roles(Robot& robot) {
    const Mechanism& mechanism = robot.mechanism;
    for (const MechanismTendon& tendon : mechanism.tendons) make_tendon(tendon, robot);
    for (int i = 0; i < static_cast<int>(mechanism.bodies.size()); ++i)
        if (!mechanism.bodies[i].combined) make_motors(robot, i);
    for (const MechanismCoupling& coupling : mechanism.couplings) make_combined_motor(robot, coupling);
    make_keys(robot);
    make_exclusions(robot);
    make_sensors(robot);
    writing::leave_out_roles(mechanism, robot.findings);
}

}  // namespace grbda::to_mjcf
