#include <algorithm>
#include <cmath>

#include "elements.hpp"

namespace grbda::mjcf {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double pi = 3.141592653589793;
constexpr double water = 1000;  ///< kg/m³

struct Solid {
    double volume = 0;
    Vector3d moments = Vector3d::Zero();  ///< principal, for mass 1, about the centre
};

/// A cylinder with half a ball at each end.
Solid capsule(double radius, double half) {
    const double square = radius * radius;
    const double cylinder = pi * square * 2 * half;
    const double ball = pi * square * radius * 4 / 3;
    const double volume = cylinder + ball;
    const double along = (cylinder * square / 2 + ball * square * 2 / 5) / volume;
    // The halves of the ball have their centres of mass 3/8 of the radius beyond the ends.
    const double across = (cylinder * (square / 4 + half * half / 3) +
                           ball * (square * 2 / 5 + half * half + radius * half * 3 / 4)) /
                          volume;
    return {volume, {across, across, along}};
}

/// `size` holds half lengths.
Solid solid(ShapeKind kind, const Vector3d& size) {
    const Vector3d squares = size.cwiseAbs2();
    const Vector3d sums(squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y());
    const double radius = size.x();
    const double half = size.y();
    switch (kind) {
        case ShapeKind::sphere:
            return {radius * squares.x() * pi * 4 / 3, Vector3d::Constant(squares.x() * 2 / 5)};
        case ShapeKind::capsule: return capsule(radius, half);
        case ShapeKind::cylinder: {
            const double across = squares.x() / 4 + half * half / 3;
            return {pi * squares.x() * 2 * half, {across, across, squares.x() / 2}};
        }
        case ShapeKind::box: return {8 * size.prod(), sums / 3};
        case ShapeKind::ellipsoid: return {size.prod() * pi * 4 / 3, sums / 5};
        case ShapeKind::plane:
        case ShapeKind::mesh: break;
    }
    return {};
}

/// The mass that the file gives; without one, that of the density.
double read_geom_mass(Context& context, const Element& geom, double volume) {
    const std::optional<double> mass = context.number(geom, "mass");
    const double density = context.number(geom, "density").value_or(water);
    if (mass && *mass < 0) context.error(Code::out_of_range, geom, "mass", "a mass of zero or more");
    if (density < 0) context.error(Code::out_of_range, geom, "density", "a density of zero or more");
    return std::max(0.0, mass.value_or(density * volume));
}

bool is_in_groups(Context& context, const Element& geom) {
    const double group = context.number(geom, "group").value_or(0);
    const Compiler& compiler = context.compiler_of(geom.node);
    return group >= compiler.first_group && group <= compiler.last_group;
}

/// About the centre of mass, in the body's axes; empty after an error.
std::optional<Inertial> read_solid(Context& context, const Geom& geom) {
    if (context.flag(geom.element, "shellinertia", false)) {
        context.document.error(Code::unsupported, geom.element.node,
                               "a solid geom, or an <inertial> in the body", "shellinertia=\"true\"",
                               "MuJoCo writes the <inertial> into a model that it saves");
        return std::nullopt;
    }
    if (geom.refused) return std::nullopt;
    const Solid body_of_one = solid(geom.kind, geom.size);
    const double mass = read_geom_mass(context, geom.element, body_of_one.volume);
    const Vector3d moments = mass * body_of_one.moments;
    const Matrix3d& rotation = geom.pose.rotation;
    return Inertial{mass, geom.pose.translation, rotation * moments.asDiagonal() * rotation.transpose()};
}

void add_geom(Context& context, const Geom& geom, Mass& body, std::vector<Inertial>& parts) {
    if (!is_in_groups(context, geom.element)) return;
    if (geom.is_height_field || (geom.kind == ShapeKind::plane && !geom.has_mesh)) return;
    if (!(read_geom_mass(context, geom.element, 1) > 0)) return;
    if (geom.has_mesh || geom.kind == ShapeKind::mesh) {
        if (!body.mesh) body.mesh = geom.element.node;
        return;
    }
    const std::optional<Inertial> part = read_solid(context, geom);
    if (!part) body.refused = true;
    if (part && part->mass > 0) parts.push_back(*part);
}

Inertial merged(const std::vector<Inertial>& parts) {
    Inertial whole;
    for (const Inertial& part : parts) whole.mass += part.mass;
    for (const Inertial& part : parts) whole.com += part.mass / whole.mass * part.com;
    for (const Inertial& part : parts) {
        const Vector3d d = part.com - whole.com;
        whole.inertia +=
            part.inertia + part.mass * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
    }
    return whole;
}

/// fullinertia: xx yy zz xy xz yz.
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

/// boundmass, boundinertia, balanceinertia.
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
            mass.inertial = merged(parts);
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
