#include <algorithm>
#include <cmath>
#include <limits>

#include "io/text/number.hpp"
#include "elements.hpp"

namespace grbda::urdf {

namespace {

const auto joint_types = keywords_of(joint_facts);

/// No limit, if a file expresses that by a number.
double as_limit(double limit) {
    return std::abs(limit) < no_limit ? limit : std::copysign(std::numeric_limits<double>::infinity(), limit);
}

/// In URDF each has the default 0, which applies only if the other is given. Empty if it was refused.
std::optional<double> read_bound(Context& context, pugi::xml_node limit, Figure figure,
                                 FigurePlaces& places) {
    const char* const name = figure == Figure::lower ? "lower" : "upper";
    if (!limit.attribute(name)) return 0;
    places[figure] = context.document.where(limit);
    return context.document.number(limit, name, xml::Range::infinity_allowed);
}

/// `type`: empty if it is unknown; limits of position are then read, too.
void read_limits(Context& context, pugi::xml_node element, std::optional<JointType> type,
                 JointDescription& joint) {
    xml::Document& document = context.document;
    const pugi::xml_node limit = document.child(element, "limit");
    const bool bounded = limit.attribute("lower") || limit.attribute("upper");
    const bool has_range = !type || facts(*type).has_range;
    if (has_range)
        for (const char* bound : {"lower", "upper"}) document.expect(limit, bound);
    if (bounded && has_range) {
        const std::optional<double> lower = read_bound(context, limit, Figure::lower, joint.places);
        const std::optional<double> upper = read_bound(context, limit, Figure::upper, joint.places);
        if (lower && upper) {
            joint.limits.lower = as_limit(*lower);
            joint.limits.upper = as_limit(*upper);
        }
    } else if (type && has_range) {
        document.report(Severity::note, Code::assumed, element, "read as unbounded",
                        limit ? "a <limit> without lower and upper" : "no <limit>");
    }
    if (!limit) return;
    document.ignore_children_except(limit, {});
    const auto read = [&](const char* attribute, double& value) {
        value = document.number(limit, attribute, xml::Range::infinity_allowed).value_or(value);
    };
    read("velocity", joint.limits.velocity);
    read("effort", joint.limits.effort);
    joint.limits.velocity = as_limit(joint.limits.velocity);
    joint.limits.effort = as_limit(joint.limits.effort);
    read("acceleration", joint.limits.acceleration);
    read("jerk", joint.limits.jerk);
    if (limit.attribute("deceleration")) {
        document.report(Severity::note, Code::ignored, limit, "deceleration not used",
                        limit.attribute("deceleration").value());
    }
    const bool silent = has_range || type == JointType::continuous || type == JointType::fixed;
    if (!silent && bounded) {
        document.report(Severity::note, Code::ignored, limit, "lower and upper not used",
                        std::string("limits of a ") + to_string(*type) + " joint");
    }
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

/// One number, or one per coordinate; the count is checked together with the type.
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

void read_servo(Context& context, pugi::xml_node element, JointDescription& joint) {
    xml::Document& document = context.document;
    const pugi::xml_node given = document.child(element, "servo");
    if (!given) return;
    document.ignore_children_except(given, {});
    ServoDescription& servo = joint.servo.emplace();
    for (const auto& [name, value] :
         {std::pair("stiffness", &servo.stiffness), {"damping", &servo.damping}, {"target", &servo.target}})
        *value = document.number(given, name).value_or(0);
    for (const auto& [name, value] : {std::pair("lower", &servo.lower), {"upper", &servo.upper}})
        *value = document.number(given, name, xml::Range::infinity_allowed).value_or(*value);
}

}  // namespace

double read_pitch(Context& context, pugi::xml_node element, FigurePlaces& places) {
    xml::Document& document = context.document;
    const pugi::xml_node pitch = document.required_child(element, "pitch");
    if (!pitch) return 1;
    document.ignore_children_except(pitch, {});
    places[Figure::pitch] = document.where(pitch);
    return document.required_number(pitch, "value").value_or(1);
}

JointDescription read_joint(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    JointDescription joint;
    joint.where = document.where(element);
    joint.name = document.required_text(element, "name").value_or("");
    std::optional<JointType> type;
    if (document.required_text(element, "type")) type = document.keyword(element, "type", joint_types);
    // An unknown type cannot be checked: read as fixed, it causes no more findings.
    joint.type = type.value_or(JointType::fixed);
    joint.parent = read_link_reference(context, element, "parent");
    joint.child = read_link_reference(context, element, "child");
    joint.origin = read_origin(context, element);
    const int axes = facts(joint.type).axes;
    if (axes > 0) read_axis(context, element, Figure::axis, joint.axis, joint.places);
    if (axes > 1) read_axis(context, element, Figure::axis2, joint.axis2, joint.places);
    if (joint.type == JointType::helical) joint.pitch = read_pitch(context, element, joint.places);
    joint.independent = read_independent(context, element);
    read_limits(context, element, type, joint);
    read_dynamics(context, element, joint);
    read_servo(context, element, joint);
    warn_about_joint_properties(context, element);
    const char* second_axis = !type || facts(*type).axes > 1 ? "axis2" : "axis";
    const char* pitch = !type || type == JointType::helical ? "pitch" : "axis";
    document.ignore_children_except(element, {"parent", "child", "origin", "axis", second_axis, pitch,
                                              "limit", "dynamics", "servo", "mimic"});
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
