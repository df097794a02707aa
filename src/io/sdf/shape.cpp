#include <algorithm>
#include <cmath>
#include <string_view>

#include "description/rules.hpp"
#include "io/text/number.hpp"
#include "elements.hpp"

namespace grbda::sdf {

namespace {

/// Missing sizes have the defaults of the format: files rely on them. A
/// shape with an unreadable size has size zero, so that it is dropped.
Eigen::Vector3d read_sizes(Context& context, pugi::xml_node shape, const char* child) {
    context.document.ignore_children_except(shape, {child});
    return read_vector(context, shape, child).value_or(Eigen::Vector3d::Constant(shape.child(child) ? 0 : 1));
}

double read_size(Context& context, pugi::xml_node shape, const char* child, double otherwise) {
    return read_number(context, shape, child).value_or(shape.child(child) ? 0 : otherwise);
}

Shape read_round(Context& context, pugi::xml_node element, ShapeKind kind) {
    const bool is_long = kind != ShapeKind::sphere;
    context.document.ignore_children_except(element, {"radius", is_long ? "length" : "radius"});
    Shape shape{kind, Eigen::Vector3d::Zero(), {}};
    shape.size.x() = read_size(context, element, "radius", kind == ShapeKind::capsule ? 0.5 : 1);
    if (is_long) shape.size.y() = read_size(context, element, "length", 1);
    return shape;
}

std::optional<Shape> read_mesh(Context& context, pugi::xml_node element) {
    context.document.ignore_children_except(element, {"uri", "scale"});
    Shape shape{ShapeKind::mesh, Eigen::Vector3d::Ones(), {}};
    if (!element.child("uri")) {
        context.document.required_child(element, "uri");
        return std::nullopt;
    }
    shape.mesh = read_text(context, element, "uri").value_or("");
    shape.size = read_vector(context, element, "scale").value_or(shape.size);
    return shape;
}

/// Rotates a plane so that its normal is z.
Shape read_plane(Context& context, pugi::xml_node element, Eigen::Matrix3d& rotation) {
    context.document.ignore_children_except(element, {"normal", "size"});
    const Eigen::Vector3d normal = read_vector(context, element, "normal").value_or(Eigen::Vector3d::UnitZ());
    if (is_axis(normal)) {
        rotation *= rotation_of_z(normal);
    } else {
        context.error(Code::out_of_range, element.child("normal"), "a direction that is not zero", "zero");
    }
    return {ShapeKind::plane, Eigen::Vector3d::Zero(), {}};
}

/// Returns nothing for an unsupported kind of shape, or a mesh without an address.
std::optional<Shape> read_one(Context& context, pugi::xml_node element, Eigen::Matrix3d& rotation) {
    const std::string_view name = element.name();
    if (name == "sphere") return read_round(context, element, ShapeKind::sphere);
    if (name == "cylinder") return read_round(context, element, ShapeKind::cylinder);
    if (name == "capsule") return read_round(context, element, ShapeKind::capsule);
    if (name == "box") return Shape{ShapeKind::box, read_sizes(context, element, "size"), {}};
    if (name == "ellipsoid") return Shape{ShapeKind::ellipsoid, read_sizes(context, element, "radii"), {}};
    if (name == "mesh") return read_mesh(context, element);
    if (name == "plane") return read_plane(context, element, rotation);
    return std::nullopt;
}

/// A geometry may contain several polylines.
bool is_unkept(std::string_view name) {
    constexpr std::string_view kinds[] = {"heightmap", "polyline", "image", "cone", "empty"};
    const bool is_foreign = name.find(':') != std::string_view::npos;
    return is_foreign || std::find(std::begin(kinds), std::end(kinds), name) != std::end(kinds);
}

std::optional<Shape> read_geometry(Context& context, pugi::xml_node owner, const std::string& link,
                                   Eigen::Matrix3d& rotation) {
    const pugi::xml_node geometry = context.document.child(owner, "geometry");
    std::vector<pugi::xml_node> given;
    for (const pugi::xml_node child : geometry.children())
        if (child.type() == pugi::node_element) given.push_back(child);
    if (given.empty()) {
        context.report(Severity::warning, Code::missing, geometry ? geometry : owner,
                       "a <geometry> with a shape", "none", "it is left out");
        return std::nullopt;
    }
    const pugi::xml_node element = given.front();
    if (is_unkept(element.name())) {
        if (std::string_view(element.name()) != "empty")
            context.unkept_shapes.add(element, std::string(element.name()) + " of " + link);
        return std::nullopt;
    }
    if (given.size() > 1) {
        context.report(Severity::warning, Code::repeated, given[1], "one shape in <geometry>",
                       std::to_string(given.size()),
                       "the first is used; give each a " + xml::tag(owner.name()) + " of its own");
    }
    if (const std::optional<Shape> shape = read_one(context, element, rotation)) return shape;
    if (std::string_view(element.name()) == "mesh") return std::nullopt;  // already reported
    context.error(Code::unknown_element, element, "a shape that SDF has", xml::tag(element.name()),
                  nearest_name_hint(element.name(), {"box", "sphere", "cylinder", "capsule", "ellipsoid",
                                                     "plane", "mesh", "heightmap", "polyline", "cone"}));
    return std::nullopt;
}

/// Reads the pose in the link; moving frames are where the file puts them. Empty: relative to unknown frame.
std::optional<Pose> read_origin(Context& context, const Graph& graph, const Frame& link,
                                pugi::xml_node element) {
    const Pose pose = read_pose(context, element);
    const std::string name = read_relative_to(context, element);
    if (name.empty()) return pose;
    const int base = graph.find(context, link.scope, name, element.child("pose"), "relative_to");
    if (base < 0) return std::nullopt;
    if (&graph.at(base) == &link) return pose;
    return inverse(link.in_world) * graph.at(base).in_world * pose;
}

/// Warns of contact laws that the simulation does not support.
void warn_of_other_laws(Context& context, pugi::xml_node surface, pugi::xml_node friction) {
    const auto warn = [&](pugi::xml_node part, const char* number, const char* hint) {
        const pugi::xml_node given = context.document.child(part, number);
        const std::optional<double> value = given ? parse_number(text_of(given)) : std::nullopt;
        if (value && *value != 0)
            context.report(Severity::warning, Code::ignored, given, "zero", text_of(given), hint);
        context.document.ignore_children_except(part, {number});
    };
    warn(context.document.child(surface, "bounce"), "restitution_coefficient",
         "contacts do not rebound here");
    const pugi::xml_node torsional = context.document.child(friction, "torsional");
    warn(torsional, "coefficient", "contacts have no torsional friction here");
}

std::optional<Surface> read_surface(Context& context, pugi::xml_node element) {
    const pugi::xml_node surface = context.document.child(element, "surface");
    const pugi::xml_node friction = context.document.child(surface, "friction");
    const pugi::xml_node ode = context.document.child(friction, "ode");
    warn_of_other_laws(context, surface, friction);
    context.document.ignore_children_except(surface, {"friction", "bounce"});
    context.document.ignore_children_except(friction, {"ode", "torsional"});
    context.document.ignore_children_except(ode, {"mu"});
    const std::optional<double> mu = read_number(context, ode, "mu");
    return mu ? std::optional(Surface{*mu}) : std::nullopt;
}

/// Reads red, green and blue, and usually opacity.
std::optional<Eigen::Vector4d> read_color(Context& context, pugi::xml_node element) {
    const pugi::xml_node material = context.document.child(element, "material");
    const pugi::xml_node diffuse = context.document.child(material, "diffuse");
    context.document.ignore_children_except(material, {"diffuse", "ambient", "specular", "emissive"});
    if (!diffuse) return std::nullopt;
    const auto rgba = parse_numbers(text_of(diffuse));
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (rgba && (rgba->size() == 3 || rgba->size() == 4) &&
        std::all_of(rgba->begin(), rgba->end(), is_finite)) {
        return Eigen::Vector4d((*rgba)[0], (*rgba)[1], (*rgba)[2], rgba->size() == 4 ? rgba->back() : 1);
    }
    context.error(Code::bad_number, diffuse, "3 or 4 finite numbers", quoted(text_of(diffuse)));
    return std::nullopt;
}

}  // namespace

void read_shapes(Context& context, const Graph& graph, const Frame& link,
                 std::vector<ShapeDescription>& shapes) {
    for (const pugi::xml_node element : link.element.children()) {
        const std::string_view kind = element.name();
        if (kind != "visual" && kind != "collision") continue;
        ShapeDescription result;
        result.visual = kind == "visual";
        result.collision = !result.visual;
        result.where = context.document.where(element);
        result.name = context.document.text(element, "name").value_or("");
        const std::optional<Pose> origin = read_origin(context, graph, link, element);
        result.origin = origin.value_or(Pose());
        const std::optional<Shape> shape = read_geometry(context, element, link.name, result.origin.rotation);
        if (result.visual) {
            result.color = read_color(context, element);
        } else {
            result.surface = read_surface(context, element);
        }
        context.document.ignore_children_except(
            element,
            {"pose", "geometry", "density", "auto_inertia_params", result.visual ? "material" : "surface"});
        if (!shape || !origin) continue;
        result.shape = *shape;
        shapes.push_back(std::move(result));
    }
}

void read_sensors(Context& context, const Graph& graph, const Frame& link,
                  std::vector<SensorDescription>& sensors) {
    for (const pugi::xml_node element : link.element.children("sensor")) {
        context.document.mark_not_needed(element);
        SensorDescription sensor;
        sensor.where = context.document.where(element);
        sensor.name = context.document.text(element, "name").value_or("");
        sensor.type = context.document.text(element, "type").value_or("");
        if (sensor.type == "custom" && element.attribute("gz:type"))
            sensor.type = element.attribute("gz:type").value();
        const std::string pose = text_of(element.child("pose"));
        const auto numbers = parse_numbers(pose);
        if (!pose.empty() && !(numbers && (numbers->size() == 6 || numbers->size() == 7))) {
            context.report(Severity::warning, Code::bad_number, element.child("pose"), "6 or 7 numbers",
                           quoted(pose), "the sensor is left out");
            continue;
        }
        const std::optional<Pose> origin = read_origin(context, graph, link, element);
        if (!origin) continue;
        sensor.origin = *origin;
        sensors.push_back(std::move(sensor));
    }
}

}  // namespace grbda::sdf
