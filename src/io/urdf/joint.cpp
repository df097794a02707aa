#include <algorithm>
#include <cmath>

#include "io/text/number.hpp"
#include "elements.hpp"

namespace grbda::urdf {

namespace {

const auto joint_types = keywords_of(joint_facts);

void read_position_limits(Context& context, pugi::xml_node joint, pugi::xml_node limit, JointLimits& limits) {
    xml::Document& document = context.document;
    for (const char* bound : {"lower", "upper"}) document.expect(limit, bound);
    const bool has_lower = !limit.attribute("lower").empty();
    const bool has_upper = !limit.attribute("upper").empty();
    if (!has_lower && !has_upper) {
        document.report(Severity::note, Code::assumed, joint, "read as unbounded",
                        limit ? "a <limit> without lower and upper" : "no <limit>");
        return;
    }
    // URDF gives each the default 0; that is meant only where the other one is there.
    limits.lower = document.number(limit, "lower", xml::Range::infinity_allowed).value_or(0);
    limits.upper = document.number(limit, "upper", xml::Range::infinity_allowed).value_or(0);
    const bool room_between = limits.lower <= limits.upper && limits.lower < HUGE_VAL;
    if (room_between && limits.upper > -HUGE_VAL) return;
    const std::string lower = has_lower ? limit.attribute("lower").value() : "0 (the default)";
    const std::string upper = has_upper ? limit.attribute("upper").value() : "0 (the default)";
    document.error(Code::out_of_range, limit, "lower not above upper", "lower " + lower + ", upper " + upper);
}

JointLimits read_limits(Context& context, pugi::xml_node joint, JointType type) {
    xml::Document& document = context.document;
    JointLimits limits;
    const pugi::xml_node limit = document.child(joint, "limit");
    if (facts(type).has_range) read_position_limits(context, joint, limit, limits);
    if (!limit) return limits;
    document.ignore_children_except(limit, {});
    const auto read = [&](const char* attribute, double& value) {
        value = document.number(limit, attribute, xml::Range::infinity_allowed).value_or(value);
    };
    read("velocity", limits.velocity);
    read("effort", limits.effort);
    read("acceleration", limits.acceleration);
    read("jerk", limits.jerk);
    if (limit.attribute("deceleration")) {
        document.report(Severity::note, Code::ignored, limit, "deceleration not used",
                        limit.attribute("deceleration").value());
    }
    const bool silent = facts(type).has_range || type == JointType::continuous || type == JointType::fixed;
    if (!silent && (limit.attribute("lower") || limit.attribute("upper"))) {
        document.report(Severity::note, Code::ignored, limit, "lower and upper not used",
                        std::string("limits of a ") + to_string(type) + " joint");
    }
    return limits;
}

std::optional<bool> read_independent(Context& context, pugi::xml_node joint) {
    const std::optional<std::string> given = context.document.text(joint, "independent");
    if (!given) return std::nullopt;
    std::string word(trim(*given));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (word == "true" || word == "1") return true;
    if (word == "false" || word == "0") return false;
    context.document.error(Code::unknown_word, joint, "independent to be true, false, 1 or 0",
                           "'" + *given + "'", nearest_name_hint(word, {"true", "false"}));
    return std::nullopt;
}

/// One number, or one for each coordinate; how many these are is judged with the type.
PerCoordinate read_per_coordinate(Context& context, pugi::xml_node dynamics, const char* attribute) {
    const auto values = parse_numbers(dynamics.attribute(attribute).value());
    if (!values || values->size() < 2) return context.document.number(dynamics, attribute).value_or(0);
    std::vector<double> each = read_numbers(context, dynamics, attribute);
    return each.empty() ? PerCoordinate() : PerCoordinate(std::move(each));
}

void read_dynamics(Context& context, pugi::xml_node element, JointDescription& joint) {
    xml::Document& document = context.document;
    const pugi::xml_node dynamics = document.child(element, "dynamics");
    if (!dynamics) return;
    document.ignore_children_except(dynamics, {});
    joint.damping = read_per_coordinate(context, dynamics, "damping");
    joint.friction = read_per_coordinate(context, dynamics, "friction");
    joint.stiffness = read_per_coordinate(context, dynamics, "stiffness");
    document.expect(dynamics, "rest_position");
    if (dynamics.attribute("rest_position")) joint.rest = read_numbers(context, dynamics, "rest_position");
    joint.armature = document.number(dynamics, "armature").value_or(0);
}

}  // namespace

double read_pitch(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    const pugi::xml_node pitch = document.required_child(element, "pitch");
    if (!pitch) return 1;
    document.ignore_children_except(pitch, {});
    const double value = document.required_number(pitch, "value").value_or(1);
    if (value != 0) return value;
    document.error(Code::out_of_range, pitch, "a pitch other than zero, in metres per radian",
                   pitch.attribute("value").value(), "without a pitch the joint is revolute");
    return 1;
}

JointDescription read_joint(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    JointDescription joint;
    joint.where = document.where(element);
    joint.name = document.required_text(element, "name").value_or("");
    std::optional<JointType> type;
    if (document.required_text(element, "type")) type = document.keyword(element, "type", joint_types);
    // What an unknown type needs cannot be judged: as fixed, no more findings follow from it.
    joint.type = type.value_or(JointType::fixed);
    joint.parent = read_link_reference(context, element, "parent");
    joint.child = read_link_reference(context, element, "child");
    joint.origin = read_origin(context, element);
    if (facts(joint.type).axes > 0) joint.axis = read_axis(context, element, "axis", joint.axis);
    if (facts(joint.type).axes > 1) joint.axis2 = read_axis(context, element, "axis2", joint.axis2);
    if (joint.type == JointType::helical) joint.pitch = read_pitch(context, element);
    joint.independent = read_independent(context, element);
    joint.limits = read_limits(context, element, joint.type);
    read_dynamics(context, element, joint);
    warn_about_joint_properties(context, element);
    const char* second_axis = !type || facts(*type).axes > 1 ? "axis2" : "axis";
    const char* pitch = !type || type == JointType::helical ? "pitch" : "axis";
    document.ignore_children_except(
        element, {"parent", "child", "origin", "axis", second_axis, pitch, "limit", "dynamics", "mimic"});
    return joint;
}

std::optional<CouplingDescription> read_mimic(Context& context, pugi::xml_node joint) {
    xml::Document& document = context.document;
    const pugi::xml_node mimic = document.child(joint, "mimic");
    if (!mimic) return std::nullopt;
    document.ignore_children_except(mimic, {});
    const std::string follower = joint.attribute("name").value();
    const std::string leader = document.required_text(mimic, "joint").value_or("");
    const double multiplier = document.number(mimic, "multiplier").value_or(1);
    const SourceLocation where = document.where(mimic);
    LinearRelation following;
    following.terms = {{follower, 1, where}, {leader, -multiplier, where}};
    following.offset = -document.number(mimic, "offset").value_or(0);
    following.mimic = true;
    return CouplingDescription{"mimic of " + follower, std::move(following), where};
}

}  // namespace grbda::urdf
