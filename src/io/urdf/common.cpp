#include <algorithm>
#include <cmath>

#include "io/text/quaternion.hpp"
#include "io/text/rpy.hpp"
#include "io/text/misspelling.hpp"
#include "elements.hpp"

namespace grbda::urdf {

namespace {

Eigen::Matrix3d read_quaternion(Context& context, pugi::xml_node origin) {
    xml::Document& document = context.document;
    if (!context.quaternions) {
        document.report(Severity::warning, Code::assumed, origin, "rpy, as quat_xyzw came with version 1.1",
                        "quat_xyzw", "it is used; write version=\"1.1\" on <robot>");
    }
    const auto xyzw = document.numbers(origin, "quat_xyzw", 4);
    if (!xyzw) return Eigen::Matrix3d::Identity();
    return rotation_from_quaternion(document, origin, Eigen::Vector4d(xyzw->data()),
                                    "a quaternion of length 1 in quat_xyzw")
        .value_or(Eigen::Matrix3d::Identity());
}

}  // namespace

Pose read_origin(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    Pose pose;
    const pugi::xml_node origin = document.child(element, "origin");
    if (!origin) return pose;
    document.ignore_children_except(origin, {});
    if (const auto xyz = document.numbers(origin, "xyz", 3)) pose.translation = Eigen::Vector3d(xyz->data());
    document.expect(origin, "quat_xyzw");
    const bool has_quaternion = !origin.attribute("quat_xyzw").empty();
    if (has_quaternion && origin.attribute("rpy")) {
        document.error(Code::conflict, origin, "one of rpy and quat_xyzw", "both");
    } else if (has_quaternion) {
        pose.rotation = read_quaternion(context, origin);
    } else if (const auto rpy = document.numbers(origin, "rpy", 3)) {
        const Eigen::Vector3d angles(rpy->data());
        pose.rotation = rotation_from_rpy(angles);
        constexpr double turn = 6.3;  // a whole turn, also if it is rounded
        if (angles.cwiseAbs().maxCoeff() > turn)
            document.report(Severity::warning, Code::assumed, origin, "angles in rad in rpy",
                            "'" + std::string(origin.attribute("rpy").value()) + "'",
                            "this is more than a whole turn; multiply degrees by 0.017453292519943295");
    }
    return pose;
}

std::string read_link_reference(Context& context, pugi::xml_node element, const char* child) {
    xml::Document& document = context.document;
    const pugi::xml_node reference = document.required_child(element, child);
    if (!reference) return {};
    document.ignore_children_except(reference, {"origin"});
    if (!reference.attribute("name")) return document.required_text(reference, "link").value_or("");
    const std::string name = document.required_text(reference, "name").value_or("");
    const std::optional<std::string> link = document.text(reference, "link");
    if (link && *link != name) {
        document.error(Code::conflict, reference,
                       "one link in link= or name=", "'" + *link + "' and '" + name + "'");
    }
    return name;
}

void read_axis(Context& context, pugi::xml_node element, Figure figure, Eigen::Vector3d& axis,
               FigurePlaces& places) {
    xml::Document& document = context.document;
    const pugi::xml_node given = document.child(element, figure == Figure::axis2 ? "axis2" : "axis");
    if (!given) return;
    document.ignore_children_except(given, {});
    const auto xyz = document.numbers(given, "xyz", 3);
    if (!xyz) return;
    axis = Eigen::Vector3d(xyz->data());
    places[figure] = document.where(given);
}

std::vector<double> read_numbers(Context& context, pugi::xml_node element, const char* attribute) {
    xml::Document& document = context.document;
    const std::optional<std::string> given = document.required_text(element, attribute);
    if (!given) return {};
    const std::optional<std::vector<double>> values = parse_numbers(*given);
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (values && !values->empty() && std::all_of(values->begin(), values->end(), is_finite)) return *values;
    document.error(Code::bad_number, element, std::string("finite numbers in '") + attribute + "'",
                   "'" + *given + "'");
    return {};
}

void note_unused_attributes(Context& context, pugi::xml_node element,
                            std::initializer_list<std::string_view> names) {
    std::string unused, hint;
    for (const pugi::xml_attribute attribute : element.attributes()) {
        if (std::find(names.begin(), names.end(), attribute.name()) != names.end()) continue;
        const auto is_meant = [&](std::string_view name) { return is_misspelling(attribute.name(), name); };
        if (std::any_of(names.begin(), names.end(), is_meant)) continue;  // reported as an error of its own
        if (hint.empty()) hint = nearest_name_hint(attribute.name(), {names.begin(), names.end()});
        unused += (unused.empty() ? "'" : ", '") + std::string(attribute.name()) + "'";
    }
    if (unused.empty()) return;
    context.document.report(Severity::note, Code::ignored, element, "attributes not used: " + unused, "",
                            hint);
}

}  // namespace grbda::urdf
