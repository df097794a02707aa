#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "steps.hpp"

namespace grbda::mechanism {

namespace {

constexpr const char* applied_by = "joint_forces() and compute --joint-forces apply it, no other algorithm";

bool all_finite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// Adds a warning; an error if the options require strictness.
void warn(const Context& context, Code code, const SourceLocation& where, const Subject& owner,
          std::string expected, std::string found, std::string hint) {
    context.report(context.options.strict ? Severity::error : Severity::warning, code, where, owner,
                   std::move(expected), std::move(found), std::move(hint));
}

/// Negative losses are allowed, with a warning, as they may be intended.
void check_loss(const Context& context, const char* what, double least, const SourceLocation& where,
                const Subject& owner) {
    if (!(least < 0) || !std::isfinite(least)) return;  // a number that is not finite is already an error
    warn(context, Code::out_of_range, where, owner, std::string("a ") + what + " of zero or more",
         number(least), "it is applied as it stands, and adds energy");
}

void check_figures(const Context& context, const char* what, const PerCoordinate& figures,
                   const JointDescription& joint, const Subject& owner) {
    const std::vector<double>& values = figures.values();
    const std::size_t size = at(velocity_size(joint.type));
    if (!all_finite(values)) {
        context.error(Code::bad_number, joint.where, owner, std::string("finite ") + what, "NaN or infinity");
    } else if (values.size() != 1 && values.size() != size && joint.type != JointType::fixed) {
        context.error(Code::wrong_shape, joint.where, owner,
                      "one number as " + std::string(what) + ", or " + std::to_string(size),
                      std::to_string(values.size()));
    }
}

/// A spring about three axes has a potential only if it is equally stiff about all of them.
void check_isotropy(const Context& context, const JointDescription& joint, const Subject& owner) {
    if (!has_quaternion(joint.type)) return;
    const PerCoordinate& k = joint.stiffness;
    for (int first = 0; first < velocity_size(joint.type); first += 3) {
        if (k[first] == k[first + 1] && k[first] == k[first + 2]) continue;
        context.error(Code::unsupported, joint.where, owner, "the same stiffness in all directions",
                      number(k[first]) + ", " + number(k[first + 1]) + ", " + number(k[first + 2]),
                      "different ones need joints of one degree of freedom each");
    }
}

void check_servo(const Context& context, const JointDescription& joint, const Subject& owner) {
    if (!joint.servo) return;
    const ServoDescription& servo = *joint.servo;
    if (velocity_size(joint.type) != 1) {
        context.error(Code::wrong_kind, joint.where, owner, "a servo on a joint of one degree of freedom",
                      std::string("a ") + to_string(joint.type) + " joint");
    } else if (!all_finite({servo.stiffness, servo.damping, servo.target}) || std::isnan(servo.lower) ||
               std::isnan(servo.upper)) {
        context.error(Code::bad_number, joint.where, owner,
                      "finite stiffness, damping and target of its servo", "NaN or infinity");
    } else if (servo.stiffness < 0 || servo.damping < 0 || servo.lower > servo.upper) {
        context.error(Code::out_of_range, joint.where, owner,
                      "stiffness and damping of zero or more and a rising range in its servo",
                      number(servo.stiffness) + ", " + number(servo.damping) + ", range " +
                          number(servo.lower) + " to " + number(servo.upper));
    }
}

void check_joint_forces(const Context& context, const JointDescription& joint) {
    const Subject owner = Subject::of("joint", joint.name);
    check_figures(context, "damping", joint.damping, joint, owner);
    check_figures(context, "friction", joint.friction, joint, owner);
    check_figures(context, "stiffness", joint.stiffness, joint, owner);
    check_isotropy(context, joint, owner);
    check_servo(context, joint, owner);
    const auto least = [](const PerCoordinate& figures) {
        const std::vector<double>& values = figures.values();
        return values.empty() ? 0.0 : *std::min_element(values.begin(), values.end());
    };
    check_loss(context, "damping", least(joint.damping), joint.where, owner);
    check_loss(context, "friction", least(joint.friction), joint.where, owner);
    if (const double stiffness = least(joint.stiffness); stiffness < 0 && std::isfinite(stiffness))
        warn(context, Code::out_of_range, joint.where, owner, "a stiffness of zero or more",
             number(stiffness), "it is applied as it stands, and pushes away from rest");
    if (joint.rest.empty() || joint.type == JointType::fixed) return;
    const Subject rest{owner.kind, owner.name, owner.text + ": rest position"};
    check_position(context, joint.type, joint.rest, joint.where, rest);
}

void check_tendon(const Context& context, const TendonDescription& tendon, std::set<std::string>& names) {
    const Subject owner = Subject::of("tendon", tendon.name);
    if (tendon.name.empty()) {
        context.error(Code::missing, tendon.where, {"tendon", "", "tendon without a name"}, "a name", "none");
    } else if (check_literal(context, tendon.name, tendon.where, owner) &&
               !names.insert(tendon.name).second) {
        context.error(Code::duplicate_name, tendon.where, owner, "a unique name among the tendons",
                      "a second " + quoted(tendon.name));
    }
    check_terms(context, tendon.terms, tendon.where, owner);
    if (!all_finite(
            {tendon.stiffness, tendon.damping, tendon.friction, tendon.rest_lower, tendon.rest_upper})) {
        context.error(Code::bad_number, tendon.where, owner,
                      "finite stiffness, damping, friction and rest length", "NaN or infinity");
    } else if (tendon.rest_lower > tendon.rest_upper) {
        context.error(Code::out_of_range, tendon.where, owner, "rest lengths in rising order",
                      number(tendon.rest_lower) + ", " + number(tendon.rest_upper));
    }
    check_loss(context, "damping", tendon.damping, tendon.where, owner);
    check_loss(context, "friction", tendon.friction, tendon.where, owner);
}

}  // namespace

void check_passive_forces(const Context& context) {
    for (const LinkDescription& link : context.description.links) {
        for (const GravityCompensation& carried : link.gravity_compensation) {
            if (std::isfinite(carried.mass) && carried.point.allFinite()) continue;
            context.error(Code::bad_number, link.where, Subject::of("link", link.name),
                          std::string(finite_numbers) + " in its gravity compensation", "NaN or infinity");
        }
    }
    for (const JointDescription& joint : context.description.joints) check_joint_forces(context, joint);
    std::set<std::string> names;
    for (const TendonDescription& tendon : context.description.tendons) check_tendon(context, tendon, names);
}

void add_tendons(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    for (const TendonDescription& tendon : context.description.tendons) {
        MechanismTendon result;
        result.name = tendon.name;
        result.stiffness = tendon.stiffness;
        result.damping = tendon.damping;
        result.friction = tendon.friction;
        result.rest_lower = tendon.rest_lower;
        result.rest_upper = tendon.rest_upper;
        result.where = tendon.where;
        result.terms =
            moved_terms(context, fusion, tendon.terms, tendon.where, Subject::of("tendon", tendon.name));
        mechanism.tendons.push_back(std::move(result));
    }
}

void report_passive_forces(const Context& context, const Mechanism& mechanism) {
    std::vector<std::string> damped, rubbing, sprung, tendons, carried;
    for (const MechanismBody& body : mechanism.bodies) {
        if (!body.damping.is_zero()) damped.push_back(quoted(body.joint));
        if (!body.friction.is_zero()) rubbing.push_back(quoted(body.joint));
        if (!body.stiffness.is_zero()) sprung.push_back(quoted(body.joint));
        if (!body.gravity_compensation.empty()) carried.push_back(quoted(body.name));
    }
    for (const MechanismTendon& tendon : mechanism.tendons) tendons.push_back(quoted(tendon.name));
    std::string kept;
    const auto add = [&kept](const char* what, const std::vector<std::string>& names) {
        if (!names.empty()) kept += (kept.empty() ? "" : "; ") + std::string(what) + " " + listed(names);
    };
    add("damping of joints", damped);
    add("dry friction of joints", rubbing);
    add("springs of joints", sprung);
    add("springs, dampers or friction of tendons", tendons);
    add("gravity compensation of bodies", carried);
    if (kept.empty()) return;
    context.report(Severity::note, Code::passive_forces, context.description.where,
                   Subject::of("robot", mechanism.name), "kept as joint forces: " + kept, "", applied_by);
}

}  // namespace grbda::mechanism
