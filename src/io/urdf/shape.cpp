#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "description/rules.hpp"
#include "elements.hpp"

namespace grbda::urdf {

namespace {

constexpr std::array<std::string_view, 7> shape_names = {"box",  "sphere",    "cylinder", "capsule",
                                                         "mesh", "ellipsoid", "plane"};

/// The child elements, without those of other programs.
std::vector<pugi::xml_node> own_children(pugi::xml_node element) {
    std::vector<pugi::xml_node> children;
    for (const pugi::xml_node child : element.children()) {
        const bool is_foreign = std::string_view(child.name()).find(':') != std::string_view::npos;
        if (child.type() == pugi::node_element && !is_foreign) children.push_back(child);
    }
    return children;
}

Shape read_round(Context& context, pugi::xml_node element, ShapeKind kind) {
    Shape shape;
    shape.kind = kind;
    shape.size.x() = context.document.required_number(element, "radius").value_or(0);
    if (kind != ShapeKind::sphere)
        shape.size.y() = context.document.required_number(element, "length").value_or(0);
    return shape;
}

Shape read_lengths(Context& context, pugi::xml_node element, ShapeKind kind, const char* attribute) {
    xml::Document& document = context.document;
    Shape shape;
    shape.kind = kind;
    if (!document.required_text(element, attribute)) return shape;
    if (const auto lengths = document.numbers(element, attribute, 3))
        shape.size = Eigen::Vector3d(lengths->data());
    return shape;
}

/// One number applies to all three axes; of more than three the first three are used.
Eigen::Vector3d read_scale(Context& context, pugi::xml_node mesh) {
    xml::Document& document = context.document;
    const auto given = parse_numbers(mesh.attribute("scale").value());
    const std::size_t count = given ? given->size() : 0;
    if (count == 1) return Eigen::Vector3d::Constant(document.number(mesh, "scale").value_or(1));
    const auto scale = document.numbers(mesh, "scale", 3);  // reports a wrong count
    if (scale) return Eigen::Vector3d(scale->data());
    const bool first_three_count = count > 3 && Eigen::Vector3d(given->data()).allFinite();
    return first_three_count ? Eigen::Vector3d(given->data()) : Eigen::Vector3d::Ones();
}

Shape read_mesh(Context& context, pugi::xml_node element) {
    Shape shape;
    shape.kind = ShapeKind::mesh;
    shape.mesh = context.document.required_text(element, "filename").value_or("");
    shape.size = read_scale(context, element);
    return shape;
}

Shape read_one(Context& context, pugi::xml_node element) {
    const std::string_view name = element.name();
    if (name == "box") return read_lengths(context, element, ShapeKind::box, "size");
    if (name == "ellipsoid") return read_lengths(context, element, ShapeKind::ellipsoid, "radii");
    if (name == "sphere") return read_round(context, element, ShapeKind::sphere);
    if (name == "cylinder") return read_round(context, element, ShapeKind::cylinder);
    if (name == "capsule") return read_round(context, element, ShapeKind::capsule);
    if (name == "plane") return {ShapeKind::plane, Eigen::Vector3d::Zero(), {}};
    return read_mesh(context, element);
}

/// Empty, after a warning, if there is no shape of a known kind. If there are several, the first is used.
std::optional<Shape> read_geometry(Context& context, pugi::xml_node owner) {
    xml::Document& document = context.document;
    const pugi::xml_node geometry = document.child(owner, "geometry");
    const std::vector<pugi::xml_node> given = own_children(geometry);
    if (given.empty()) {
        const pugi::xml_node foreign = xml::next_element(geometry, geometry);
        document.report(Severity::warning, Code::missing, geometry ? geometry : owner,
                        "a <geometry> with a shape", foreign ? xml::tag(foreign.name()) : "none",
                        "it is left out");
        return std::nullopt;
    }
    const pugi::xml_node first = given.front();
    if (given.size() > 1) {
        document.report(Severity::warning, Code::repeated, given[1], "one shape in <geometry>",
                        std::to_string(given.size()),
                        "the first is used; give each a " + xml::tag(owner.name()) + " of its own");
    }
    if (std::find(shape_names.begin(), shape_names.end(), first.name()) == shape_names.end()) {
        const std::vector<std::string> names(shape_names.begin(), shape_names.end());
        document.report(Severity::warning, Code::unknown_element, first,
                        "<box>, <sphere>, <cylinder>, <capsule>, <mesh>, <ellipsoid> or <plane>",
                        xml::tag(first.name()), nearest_name_hint(first.name(), names));
        return std::nullopt;
    }
    document.ignore_children_except(first, {});
    const Shape shape = read_one(context, first);
    const bool has_no_mesh = shape.kind == ShapeKind::mesh && shape.mesh.empty();
    return has_no_mesh ? std::nullopt : std::optional(shape);
}

/// A plane with another normal than z rotates the shape.
Eigen::Matrix3d read_normal(Context& context, pugi::xml_node plane) {
    const auto xyz = context.document.numbers(plane, "normal", 3);
    if (!xyz) return Eigen::Matrix3d::Identity();
    const Eigen::Vector3d normal(xyz->data());
    if (is_axis(normal)) return rotation_of_z(normal);
    context.document.error(Code::out_of_range, plane, "a normal that is not zero",
                           plane.attribute("normal").value());
    return Eigen::Matrix3d::Identity();
}

std::optional<Eigen::Vector4d> read_rgba(Context& context, pugi::xml_node material) {
    const pugi::xml_node color = context.document.child(material, "color");
    const auto rgba = context.document.numbers(color, "rgba", 4);
    if (!rgba) return std::nullopt;
    return Eigen::Vector4d(rgba->data());
}

/// Its own colour, or that of the material that it names.
std::optional<Eigen::Vector4d> read_color(Context& context, pugi::xml_node owner) {
    const pugi::xml_node material = context.document.child(owner, "material");
    if (!material) return std::nullopt;
    context.document.ignore_children_except(material, {"color", "texture"});
    if (material.child("color")) return read_rgba(context, material);
    const auto known = context.colors.find(material.attribute("name").value());
    return known == context.colors.end() ? std::nullopt : std::optional(known->second);
}

bool read_flag(Context& context, pugi::xml_node element, const char* attribute, bool otherwise) {
    const xml::Keywords<bool> words = {{"true", true}, {"false", false}, {"1", true}, {"0", false}};
    return context.document.keyword(element, attribute, words).value_or(otherwise);
}

bool is_equal(const ShapeDescription& a, const ShapeDescription& b) {
    return a.name == b.name && a.shape.kind == b.shape.kind && a.shape.size == b.shape.size &&
           a.shape.mesh == b.shape.mesh && a.origin.rotation == b.origin.rotation &&
           a.origin.translation == b.origin.translation;
}

/// Reads 32 bits as a whole number.
unsigned read_bits(Context& context, pugi::xml_node touch, const char* attribute) {
    const double number = context.document.number(touch, attribute).value_or(1);
    if (number >= 0 && number <= std::numeric_limits<unsigned>::max() && number == std::floor(number))
        return static_cast<unsigned>(number);
    context.document.error(Code::bad_number, touch,
                           std::string("a whole number of at most 32 bits in ") + attribute,
                           quoted(touch.attribute(attribute).value()));
    return 1;
}

std::optional<ShapeDescription> read_shape(Context& context, pugi::xml_node element) {
    xml::Document& document = context.document;
    const std::string_view kind = element.name();
    document.ignore_children_except(element, {"origin", "geometry", "material", "friction", "touch"});
    ShapeDescription result;
    result.where = document.where(element);
    result.name = document.text(element, "name").value_or("");
    const bool is_shape = kind == "shape";
    result.visual = kind == "visual" || read_flag(context, element, "visual", is_shape);
    result.collision = kind == "collision" || (is_shape && read_flag(context, element, "collision", true));
    const std::optional<Shape> shape = read_geometry(context, element);
    result.origin = read_origin(context, element);
    result.color = read_color(context, element);
    if (const pugi::xml_node friction = document.child(element, "friction"))
        if (const auto value = document.required_number(friction, "value")) result.surface = Surface{*value};
    if (const pugi::xml_node touch = document.child(element, "touch"))
        result.mask = {read_bits(context, touch, "contype"), read_bits(context, touch, "conaffinity")};
    if (!shape) return std::nullopt;
    result.shape = *shape;
    if (shape->kind == ShapeKind::plane)
        result.origin.rotation *= read_normal(context, element.child("geometry").child("plane"));
    return result;
}

}  // namespace

std::map<std::string, Eigen::Vector4d> read_materials(Context& context) {
    std::map<std::string, Eigen::Vector4d> colors;
    const pugi::xml_node robot = context.document.root();
    for (const pugi::xml_node material : robot.children("material")) {
        const auto color = read_rgba(context, material);
        if (color) colors.emplace(material.attribute("name").value(), *color);
    }
    // errors in these are reported with their shapes
    for (const pugi::xml_node link : robot.children("link")) {
        for (const pugi::xml_node visual : link.children("visual")) {
            const pugi::xml_node material = visual.child("material");
            const auto rgba = parse_numbers(material.child("color").attribute("rgba").value());
            if (!rgba || rgba->size() != 4) continue;
            colors.emplace(material.attribute("name").value(), Eigen::Vector4d(rgba->data()));
        }
    }
    colors.erase("");
    return colors;
}

void read_shapes(Context& context, pugi::xml_node link, std::vector<ShapeDescription>& shapes) {
    bool after_visual = false;
    for (const pugi::xml_node element : link.children()) {
        const std::string_view kind = element.name();
        if (kind != "visual" && kind != "collision" && kind != "shape") continue;
        std::optional<ShapeDescription> shape = read_shape(context, element);
        if (!shape) continue;
        if (kind == "collision" && shape->visual && after_visual && is_equal(shapes.back(), *shape)) {
            shape->color = shapes.back().color;
            shapes.pop_back();
        }
        shapes.push_back(std::move(*shape));
        after_visual = kind == "visual";
    }
}

}  // namespace grbda::urdf
