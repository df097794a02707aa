#include <algorithm>

#include "io/solids/mesh_solid.hpp"
#include "elements.hpp"

namespace grbda::sdf {

namespace {

/// Reads moments about the centre of mass, in the inertial frame. Returns false without all diagonal entries.
bool read_moments(Context& context, pugi::xml_node inertia, Eigen::Matrix3d& moments) {
    const auto moment = [&](const char* name) { return read_number(context, inertia, name).value_or(1); };
    const auto product = [&](const char* name) { return read_number(context, inertia, name).value_or(0); };
    const double xy = product("ixy"), xz = product("ixz"), yz = product("iyz");
    moments << moment("ixx"), xy, xz, xy, moment("iyy"), yz, xz, yz, moment("izz");
    context.document.ignore_children_except(inertia, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    return inertia.child("ixx") && inertia.child("iyy") && inertia.child("izz");
}

void refuse_what_moves_mass(Context& context, pugi::xml_node inertial) {
    const std::string relative_to = read_relative_to(context, inertial);
    if (!relative_to.empty() && relative_to != inertial.parent().attribute("name").value()) {
        context.error(Code::unsupported, inertial.child("pose"), "the inertial pose relative to its link",
                      "relative_to=" + quoted(relative_to));
    }
    if (const pugi::xml_node added = inertial.child("fluid_added_mass")) {
        context.document.report_left_out(added, "a robot that no fluid surrounds", "<fluid_added_mass>",
                                         "it is left out");
    }
}

Inertial read_inertial(Context& context, pugi::xml_node element, const std::string& link,
                       FigurePlaces& places) {
    refuse_what_moves_mass(context, element);
    Inertial inertial;
    const Pose frame = read_pose(context, element);
    inertial.mass = read_number(context, element, "mass").value_or(1);
    for (const auto& [figure, name] : {std::pair(Figure::mass, "mass"), {Figure::inertia, "inertia"}})
        if (element.child(name)) places[figure] = context.document.where(element.child(name));
    Eigen::Matrix3d moments;
    const bool complete = read_moments(context, context.document.child(element, "inertia"), moments);
    if (!element.child("mass") || !complete) context.without_inertial.add(element, link);
    inertial.com = frame.translation;
    const Eigen::Matrix3d turned = frame.rotation * moments * frame.rotation.transpose();
    inertial.inertia = (turned + turned.transpose()) / 2;
    context.document.ignore_children_except(
        element, {"pose", "mass", "inertia", "density", "auto_inertia_params", "fluid_added_mass"});
    return inertial;
}

constexpr double water = 1000;  ///< kg/m³, the default

/// The solid of density 1 that a mesh encloses; empty, with the reason in `found`, if it does not enclose
/// one.
std::optional<Inertial> read_mesh_solid(Context& context, pugi::xml_node collision, const Shape& shape,
                                        std::string& found) {
    const std::vector<std::string> beside = {context.document.file_name(collision),
                                             context.includes->first().path};
    const auto text = read_mesh_text(*context.includes, shape.mesh, beside, found);
    if (!text) return std::nullopt;
    std::optional<TriangleMesh> mesh = read_triangle_mesh(*text, shape.mesh, found);
    found = quoted(shape.mesh) + ": " + found;
    if (!mesh) return std::nullopt;
    for (Eigen::Vector3d& point : mesh->points) point = point.cwiseProduct(shape.size);
    const SurfaceFaults faults = surface_faults(*mesh);
    found = quoted(shape.mesh) + ", in which " + faults.turned_list() +
            " face the other way than their neighbours";
    if (!faults.turned.empty()) return std::nullopt;
    std::optional<Inertial> solid = inertial_of_mesh(*std::move(mesh), MeshMass::exact, found);
    found = quoted(shape.mesh) + ": " + found;
    if (solid && faults.has_gaps)
        context.report(Severity::warning, Code::inertia, collision, "a mesh without gaps",
                       quoted(shape.mesh) + " with gaps in its surface",
                       "the mass that follows from it is not exact");
    return solid;
}

/// The inertial of all collisions of a link, each with its density. A <mass> rescales the total to that mass.
Inertial read_automatic_inertial(Context& context, pugi::xml_node inertial,
                                 const std::vector<ShapeDescription>& shapes) {
    refuse_what_moves_mass(context, inertial);
    const double density = read_number(context, inertial, "density").value_or(water);
    std::vector<Inertial> parts;
    for (const pugi::xml_node collision : inertial.parent().children("collision")) {
        const SourceLocation where = context.document.where(collision);
        const auto shape = std::find_if(shapes.begin(), shapes.end(), [&](const ShapeDescription& each) {
            return each.collision && each.where.line == where.line && each.where.column == where.column;
        });
        const bool is_mesh = shape != shapes.end() && shape->shape.kind == ShapeKind::mesh;
        std::string found;
        std::optional<Inertial> body;
        if (is_mesh)
            body = read_mesh_solid(context, collision, shape->shape, found);
        else if (shape != shapes.end())
            body = solid_of(shape->shape);
        if (!body) {
            context.report(
                Severity::error, Code::unsupported, inertial,
                is_mesh ? "collisions whose meshes enclose a volume"
                        : "collisions that are spheres, cylinders, capsules, boxes, ellipsoids or meshes",
                "auto=\"true\" and " + context.document.subject_of(collision).text +
                    (is_mesh ? " with " + found : std::string()),
                "gz sdf --expand-auto-inertials -p FILE writes mass and moments out");
            return {};
        }
        const Inertial solid = *body;
        const double own = read_number(context, collision, "density").value_or(density);
        if (solid.mass > 0) parts.push_back(placed_at(shape->origin, times_as_dense(solid, own)));
    }
    const Inertial whole = joined(parts);
    if (!(whole.mass > 0)) {
        context.error(Code::inertia, inertial, "collisions that have a volume", "none and auto=\"true\"");
        return {};
    }
    const std::optional<double> mass = read_number(context, inertial, "mass");
    return mass ? times_as_dense(whole, *mass / whole.mass) : whole;
}

void warn_about_decay(Context& context, pugi::xml_node link) {
    const pugi::xml_node decay = context.document.child(link, "velocity_decay");
    const double linear = read_number(context, decay, "linear").value_or(0);
    const double angular = read_number(context, decay, "angular").value_or(0);
    if (linear == 0 && angular == 0) return;
    context.document.report_left_out(decay, "links whose velocity decays by joint forces alone",
                                     "<velocity_decay>", "it is left out");
}

}  // namespace

LinkDescription read_link(Context& context, const Graph& graph, const Frame& link) {
    const pugi::xml_node element = link.element;
    LinkDescription result;
    result.name = link.name;
    result.where = context.document.where(element);
    const bool is_static = graph.is_static(link);
    read_shapes(context, graph, link, result.shapes);
    read_sensors(context, graph, link, result.sensors);
    const pugi::xml_node inertial = context.document.child(element, "inertial");
    if (inertial && read_flag_attribute(context, inertial, "auto")) {
        if (!is_static) result.inertial = read_automatic_inertial(context, inertial, result.shapes);
    } else if (inertial) {
        result.inertial = read_inertial(context, inertial, link.name, result.places);
    } else if (!is_static) {
        result.inertial = Inertial{1, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()};
        context.without_inertial.add(element, link.name);
    }
    const bool without_gravity = element.child("gravity") && !read_flag(context, element, "gravity");
    if (without_gravity && !is_static) {
        result.gravity_compensation.push_back({result.inertial->mass, result.inertial->com});
    }
    if (read_flag(context, element, "kinematic") && !is_static) {
        context.document.report_left_out(element.child("kinematic"), "a link that moves by dynamics",
                                         "<kinematic> true", "it moves by dynamics here");
    }
    if (!is_static) warn_about_decay(context, element);
    context.document.ignore_children_except(
        element, {"pose", "inertial", "visual", "collision", "sensor", "gravity", "kinematic", "self_collide",
                  "enable_wind", "must_be_base_link"});
    return result;
}

}  // namespace grbda::sdf
