#include <algorithm>
#include <cmath>

#include "io/text/number.hpp"
#include "io/text/quaternion.hpp"
#include "io/text/rpy.hpp"
#include "elements.hpp"

namespace grbda::sdf {

namespace {

constexpr double radians_per_degree = 3.14159265358979323846 / 180;

std::optional<bool> as_flag(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (word == "true" || word == "1") return true;
    if (word == "false" || word == "0") return false;
    return std::nullopt;
}

std::optional<std::vector<double>> finite_numbers(Context& context, pugi::xml_node element,
                                                  std::size_t count) {
    const std::string text = text_of(element);
    std::optional<std::vector<double>> values = parse_numbers(text);
    const auto is_finite = [](double value) { return std::isfinite(value); };
    const bool finite = values && std::all_of(values->begin(), values->end(), is_finite);
    if (finite && values->size() == count) return values;
    context.error(Code::bad_number, element, std::to_string(count) + " finite numbers",
                  (finite ? std::to_string(values->size()) + ": " : "") + quoted(text));
    return std::nullopt;
}

}  // namespace

std::string Findings::listed() const {
    constexpr std::size_t most_names = 8;
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
        list += (i > 0 ? ", " : "") + quoted(names[i]);
    }
    if (names.size() > most_names) list += " and " + std::to_string(names.size() - most_names) + " more";
    return list;
}

void Context::report_findings() {
    if (!without_inertial.names.empty()) {
        report(
            Severity::note, Code::assumed, without_inertial.first,
            "mass 1 and moments of inertia 1, SDF's defaults, where <inertial>, <mass> or a moment is left "
            "out: links " +
                without_inertial.listed(),
            "");
    }
    if (!unkept_shapes.names.empty()) {
        report(Severity::note, Code::ignored, unkept_shapes.first,
               "shapes that are not kept: " + unkept_shapes.listed(), "");
    }
}

std::string text_of(pugi::xml_node element) {
    std::string text;
    for (const pugi::xml_node child : element.children()) {
        if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
    }
    return std::string(trim(text));
}

std::optional<std::string> read_text(Context& context, pugi::xml_node element, const char* child) {
    const pugi::xml_node given = context.document.child(element, child);
    std::string text = text_of(given);
    const std::string_view entity = xml::unresolved_entity(text);
    if (entity.empty()) return text;
    context.error(Code::unexpanded, given, "text without references to entities", std::string(entity),
                  "write its value in place");
    return std::nullopt;
}

std::optional<double> read_number(Context& context, pugi::xml_node element, const char* child,
                                  xml::Range range) {
    const pugi::xml_node given = context.document.child(element, child);
    if (!given) return std::nullopt;
    const std::string text = text_of(given);
    const bool infinity_allowed = range == xml::Range::infinity_allowed;
    const std::optional<double> value = parse_number(text);
    if (value && (std::isfinite(*value) || (infinity_allowed && std::isinf(*value)))) return value;
    context.error(Code::bad_number, given, infinity_allowed ? "a number or inf" : "a finite number",
                  quoted(text));
    return std::nullopt;
}

std::optional<Eigen::Vector3d> read_vector(Context& context, pugi::xml_node element, const char* child) {
    const pugi::xml_node given = context.document.child(element, child);
    if (!given) return std::nullopt;
    const auto values = finite_numbers(context, given, 3);
    if (!values) return std::nullopt;
    return Eigen::Vector3d(values->data());
}

bool read_flag(Context& context, pugi::xml_node element, const char* child) {
    const pugi::xml_node given = context.document.child(element, child);
    if (!given) return false;
    const std::string text = text_of(given);
    const std::optional<bool> flag = as_flag(text);
    if (!flag) context.error(Code::unknown_word, given, "true, false, 1 or 0", quoted(text));
    return flag.value_or(false);
}

bool read_flag_attribute(Context& context, pugi::xml_node element, const char* attribute) {
    const std::optional<std::string> text = context.document.text(element, attribute);
    if (!text) return false;
    const std::optional<bool> flag = as_flag(std::string(trim(*text)));
    if (!flag) {
        context.error(Code::unknown_word, element, std::string(attribute) + " to be true, false, 1 or 0",
                      quoted(*text));
    }
    return flag.value_or(false);
}

Pose read_pose(Context& context, pugi::xml_node element) {
    Pose result;
    const pugi::xml_node pose = context.document.child(element, "pose");
    if (!pose) return result;
    const xml::Keywords<bool> formats = {{"euler_rpy", false}, {"quat_xyzw", true}};
    const bool has_quaternion = context.document.keyword(pose, "rotation_format", formats).value_or(false);
    const bool degrees = read_flag_attribute(context, pose, "degrees");
    if (has_quaternion && degrees) {
        context.error(Code::unsupported, pose, "degrees with rotation_format=\"euler_rpy\" only",
                      "quat_xyzw in degrees");
    }
    if (text_of(pose).empty()) return result;
    const auto values = finite_numbers(context, pose, has_quaternion ? 7 : 6);
    if (!values) return result;
    result.translation = Eigen::Vector3d(values->data());
    const double* const angles = values->data() + 3;
    if (has_quaternion) {
        const Eigen::Vector4d xyzw(angles);
        result.rotation = rotation_from_quaternion(context.document, pose, xyzw, "a quaternion of length 1")
                              .value_or(result.rotation);
    } else {
        result.rotation = rotation_from_rpy((degrees ? radians_per_degree : 1) * Eigen::Vector3d(angles));
    }
    return result;
}

std::string read_relative_to(Context& context, pugi::xml_node element) {
    const pugi::xml_node pose = element.child("pose");
    if (!pose) return {};
    const std::optional<std::string> name = context.document.text(pose, "relative_to");
    const std::optional<std::string> old_name = context.document.text(pose, "frame");
    const int version = context.version_of(pose);
    if (version < 7 && old_name && !old_name->empty()) return *old_name;
    if (version >= 7 && old_name && !old_name->empty()) {
        context.error(Code::unsupported, pose, "relative_to, as frame= went with version 1.7",
                      "frame=" + quoted(*old_name));
    }
    return name.value_or("");
}

}  // namespace grbda::sdf
