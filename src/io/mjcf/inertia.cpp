#include <algorithm>
#include <cmath>

#include "io/text/xml_text.hpp"
#include "elements.hpp"

namespace grbda::mjcf {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double water = 1000;  ///< kg/m³

bool is_in_groups(Context& context, const Element& geom) {
    const double group = context.number(geom, "group").value_or(0);
    const Compiler& compiler = context.compiler_of(geom.node);
    return group >= compiler.first_group && group <= compiler.last_group;
}

/// Inertia about the centre of mass, in the body's axes.
std::optional<Inertial> read_primitive(Context& context, const Geom& geom) {
    if (geom.refused) return std::nullopt;
    const Shape shape{geom.kind, whole_size(geom.kind, geom.size), {}};
    const bool is_shell = context.flag(geom.element, "shellinertia", false);
    const Inertial body = is_shell ? shell_of(shape) : solid_of(shape);
    const double mass = read_geom_mass(context, geom.element, body.mass);
    return placed_at(geom.pose, times_as_dense(body, body.mass > 0 ? mass / body.mass : 0));
}

void add_geom(Context& context, const Geom& geom, Mass& body, std::vector<Inertial>& parts) {
    if (!is_in_groups(context, geom.element)) return;
    if (geom.is_height_field || (geom.kind == ShapeKind::plane && !geom.has_mesh)) return;
    if (!(read_geom_mass(context, geom.element, 1) > 0)) return;
    if (geom.has_mesh || geom.kind == ShapeKind::mesh) {
        std::string found;
        const std::optional<Inertial> part = read_mesh_mass(context, geom, found);
        if (part && part->mass > 0) parts.push_back(*part);
        if (part || body.mesh) return;
        body.mesh = geom.element.node;
        body.mesh_found = found;
        return;
    }
    const std::optional<Inertial> part = read_primitive(context, geom);
    if (!part) body.refused = true;
    if (part && part->mass > 0) parts.push_back(*part);
}

/// fullinertia lists xx yy zz xy xz yz.
Matrix3d read_moments(Context& context, const Element& element) {
    xml::Document& document = context.document;
    const bool full = !element.node.attribute("fullinertia").empty();
    const Matrix3d rotation = read_rotation(context, element);
    if (full && element.node.attribute("diaginertia")) {
        document.error(Code::conflict, element.node, "one of diaginertia and fullinertia", "both");
    } else if (full && rotation != Matrix3d::Identity()) {
        document.error(Code::conflict, element.node, "fullinertia in the axes of the body",
                       "an orientation besides", "turn it into the body's axes, or use diaginertia");
    }
    Matrix3d inertia = Matrix3d::Zero();
    if (full) {
        const std::vector<double> m =
            context.numbers(element, "fullinertia", 6).value_or(std::vector<double>(6, 0));
        inertia << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
        return inertia;
    }
    if (const auto moments = context.numbers(element, "diaginertia", 3)) {
        inertia.diagonal() = Vector3d(moments->data());
    } else if (!context.has(element, "diaginertia")) {
        document.report(Severity::warning, Code::inertia, element.node, "diaginertia or fullinertia",
                        "neither", "read as a point mass");
    }
    const Matrix3d turned = rotation * inertia * rotation.transpose();
    return (turned + turned.transpose()) / 2;
}

void read_inertial(Context& context, pugi::xml_node node, Mass& body) {
    xml::Document& document = context.document;
    Inertial inertial;
    const std::optional<double> mass = document.required_number(node, "mass");
    inertial.mass = mass.value_or(0);
    if (const auto position = document.numbers(node, "pos", 3)) inertial.com = Vector3d(position->data());
    inertial.inertia = read_moments(context, {node});
    document.ignore_children_except(node, {});
    body.refused = !mass || *mass < 0;
    body.inertial = inertial;
    body.places[Figure::mass] = body.places[Figure::inertia] = document.where(node);
}

/// Applies boundmass, boundinertia and balanceinertia.
void mend(const Compiler& compiler, Inertial& inertial) {
    if (inertial.mass >= 0) inertial.mass = std::max(inertial.mass, compiler.least_mass);
    if (!(compiler.least_inertia > 0 || compiler.balance_inertia) || !inertial.inertia.allFinite()) return;
    const PrincipalInertia principal = principal_inertia(inertial.inertia);
    Vector3d moments = principal.moments.cwiseMax(compiler.least_inertia);
    if (compiler.balance_inertia && moments[0] + moments[1] < moments[2]) moments.setConstant(moments.mean());
    if (moments == principal.moments) return;
    inertial.inertia = principal.axes * moments.asDiagonal() * principal.axes.transpose();
}

/// The <inertial> of a body, if it has one.
pugi::xml_node find_inertial(Context& context, const std::vector<Item>& items, pugi::xml_node body) {
    pugi::xml_node found;
    for (const Item& item : items) {
        if (std::string_view(item.node.name()) != "inertial") continue;
        if (item.node.parent() != body) {
            context.document.error(Code::misplaced, item.node, "an <inertial> directly in its body",
                                   "one in a <frame>", "put it outside, in the body's axes");
        } else if (found) {
            context.document.error(Code::repeated, item.node, "one <inertial> in a body", "a second one");
        } else {
            found = item.node;
        }
    }
    return found;
}

}  // namespace

/// The mass in the file; without one, from the density.
double read_geom_mass(Context& context, const Element& geom, double volume) {
    const std::optional<double> mass = context.number(geom, "mass");
    const double density = context.number(geom, "density").value_or(water);
    if (mass && *mass < 0) context.error(Code::out_of_range, geom, "mass", "a mass of zero or more");
    if (density < 0) context.error(Code::out_of_range, geom, "density", "a density of zero or more");
    return std::max(0.0, mass.value_or(density * volume));
}

Mass read_mass(Context& context, pugi::xml_node body, const std::vector<Item>& items,
               const std::vector<Geom>& geoms) {
    Mass mass;
    const pugi::xml_node given = find_inertial(context, items, body);
    if (given) read_inertial(context, given, mass);
    using FromGeoms = Compiler::InertiaFromGeoms;
    const Compiler& compiler = context.compiler_of(body);
    const FromGeoms from_geoms = compiler.inertia_from_geoms;
    if (from_geoms == FromGeoms::always || (from_geoms == FromGeoms::without_inertial && !given)) {
        std::vector<Inertial> parts;
        for (const Geom& geom : geoms) add_geom(context, geom, mass, parts);
        if (!parts.empty()) {
            mass.inertial = joined(parts);
            mass.places.clear();
        }
    }
    const bool bounded = compiler.least_mass > 0 || compiler.least_inertia > 0;
    if (!mass.inertial && bounded) mass.inertial.emplace();
    if (mass.inertial) mend(compiler, *mass.inertial);
    return mass;
}

void set_total_mass(const Compiler& compiler, RobotDescription& robot) {
    if (!(compiler.total_mass > 0)) return;
    double total = 0;
    for (const LinkDescription& link : robot.links) total += link.inertial ? link.inertial->mass : 0;
    if (!(total > 0)) return;
    const double scale = compiler.total_mass / total;
    for (LinkDescription& link : robot.links) {
        if (!link.inertial) continue;
        link.inertial->mass *= scale;
        link.inertial->inertia *= scale;
    }
}

}  // namespace grbda::mjcf
