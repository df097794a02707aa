#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <Eigen/Geometry>

#include "elements.hpp"

// Conversion of geoms to shapes. Lengths here are full lengths, not halves.

namespace grbda::mjcf {

namespace {

/// Path of the mesh relative to its model's file.
std::string place_of(const Compiler& compiler, std::string file) {
    if (compiler.strip_path) {
        const std::size_t folder = file.find_last_of("/\\");
        if (folder != std::string::npos) file.erase(0, folder + 1);
    }
    const std::string& folder = compiler.mesh_folder;
    if (folder.empty() || file.front() == '/') return file;
    return folder + (folder.back() == '/' ? "" : "/") + file;
}

std::optional<Shape> shape_of(Context& context, const Geom& geom, Pose& pose) {
    if (geom.is_height_field) return std::nullopt;
    if (geom.kind == ShapeKind::mesh) return read_mesh(context, geom.element, pose);
    if (geom.has_mesh) return std::nullopt;  // its size is not known
    return Shape{geom.kind, whole_size(geom.kind, geom.size), {}};
}

std::optional<Eigen::Vector4d> read_rgba(Context& context, const Element& element) {
    const auto rgba = context.some_numbers(element, "rgba", 4, Severity::warning);
    if (!rgba || rgba->size() < 4) return std::nullopt;
    return Eigen::Vector4d(rgba->data());
}

/// A whole number gives its bits, in two's complement if negative; other numbers are truncated.
unsigned read_bits(Context& context, const Element& geom, const char* attribute) {
    constexpr double most = 2147483647;
    const double number = context.number(geom, attribute).value_or(1);
    return static_cast<unsigned>(static_cast<int>(std::clamp(number, -most - 1, most)));
}

/// The geom's own colour, or that of its material.
std::optional<Eigen::Vector4d> read_color(Context& context, const Element& geom) {
    if (const auto own = read_rgba(context, geom)) return own;
    const std::string name = context.source(geom, "material").attribute("material").value();
    const auto material = context.assets.materials.find(name);
    return material == context.assets.materials.end() ? std::nullopt : read_rgba(context, material->second);
}

}  // namespace

Eigen::Vector3d whole_size(ShapeKind kind, const Eigen::Vector3d& half) {
    switch (kind) {
        case ShapeKind::capsule:
        case ShapeKind::cylinder: return {half.x(), 2 * half.y(), 0};
        case ShapeKind::box: return 2 * half;
        case ShapeKind::sphere: return {half.x(), 0, 0};
        case ShapeKind::ellipsoid: return half;
        case ShapeKind::plane:
        case ShapeKind::mesh: break;
    }
    return Eigen::Vector3d::Zero();
}

std::optional<Shape> read_mesh(Context& context, const Element& geom, Pose& pose) {
    const std::string name = context.document.text(context.source(geom, "mesh"), "mesh").value_or("");
    const auto known = context.assets.meshes.find(name);
    if (known == context.assets.meshes.end()) return std::nullopt;
    const std::string address = mesh_address(context, known->second);
    if (address.empty()) return std::nullopt;
    const auto [reference, scale] = read_placement(context, known->second);
    const bool is_uniform = scale == Eigen::Vector3d::Constant(scale.x());
    if (reference.rotation != Eigen::Matrix3d::Identity() && !is_uniform) return std::nullopt;
    const Pose back = inverse(reference);
    pose = pose * Pose{back.rotation, scale.asDiagonal() * back.translation};
    return Shape{ShapeKind::mesh, scale, address};
}

std::string mesh_address(Context& context, const Element& mesh) {
    const std::string file = context.document.text(context.source(mesh, "file"), "file").value_or("");
    return file.empty() ? file : place_of(context.compiler_of(mesh.node), file);
}

MeshPlacement read_placement(Context& context, const Element& mesh) {
    MeshPlacement placement;
    if (const auto scale = context.numbers(mesh, "scale", 3))
        placement.scale = Eigen::Vector3d(scale->data());
    if (const auto position = context.numbers(mesh, "refpos", 3))
        placement.reference.translation = Eigen::Vector3d(position->data());
    if (const auto wxyz = context.numbers(mesh, "refquat", 4)) {
        const Eigen::Quaterniond turn((*wxyz)[0], (*wxyz)[1], (*wxyz)[2], (*wxyz)[3]);
        if (turn.norm() > 0) placement.reference.rotation = turn.normalized().toRotationMatrix();
    }
    return placement;
}

std::string mesh_name(pugi::xml_node mesh) {
    if (const pugi::xml_attribute name = mesh.attribute("name")) return name.value();
    const std::string file = mesh.attribute("file").value();
    const std::size_t folder = file.find_last_of("/\\");
    const std::string name = folder == std::string::npos ? file : file.substr(folder + 1);
    return name.substr(0, name.find_last_of('.'));
}

void read_assets(Context& context) {
    const pugi::xml_node root = context.document.root();
    for (const pugi::xml_node section : root.children("asset")) {
        for (const pugi::xml_node node : section.children("mesh"))
            context.assets.meshes.emplace(mesh_name(node), context.element(node, "mesh"));
        for (const pugi::xml_node node : section.children("material"))
            context.assets.materials.emplace(node.attribute("name").value(),
                                             context.element(node, "material"));
        context.document.ignore_children_except(section, {"mesh", "material"});
    }
}

/// True for a spring with less than critical damping: solref is its time
/// constant and damping ratio, or, if negative, its stiffness and damping.
bool rebounds(const std::vector<double>& solref) {
    if (solref.size() != 2) return false;
    return solref[0] > 0 ? solref[1] < 1 : -solref[1] < 2 * std::sqrt(-solref[0]);
}

/// Finds contact laws that the simulation does not support.
void find_other_laws(Context& context, const Geom& geom, const std::string& name) {
    const auto condim = context.some_numbers(geom.element, "condim", 1, Severity::warning);
    if (condim && !condim->empty() && condim->front() != 3)
        context.summary.condim.add(geom.element.node, name);
    const auto solref = context.some_numbers(geom.element, "solref", 2, Severity::warning);
    if (solref && rebounds(*solref)) context.summary.bouncy.add(geom.element.node, name);
}

void add_shapes(Context& context, const std::vector<Geom>& geoms, LinkDescription& link) {
    for (const Geom& geom : geoms) {
        const pugi::xml_node node = geom.element.node;
        ShapeDescription result;
        result.name = node.attribute("name").value();
        result.where = context.document.where(node);
        result.origin = geom.pose;
        result.visual = true;
        result.mask = {read_bits(context, geom.element, "contype"),
                       read_bits(context, geom.element, "conaffinity")};
        result.collision = (result.mask.type | result.mask.affinity) != 0;
        const auto friction = context.some_numbers(geom.element, "friction", 3, Severity::warning);
        if (result.collision && friction && !friction->empty()) result.surface = Surface{friction->front()};
        if (result.collision)
            find_other_laws(context, geom, result.name.empty() ? "one of " + link.name : result.name);
        result.color = read_color(context, geom.element);
        if (geom.refused) continue;
        const std::optional<Shape> shape = shape_of(context, geom, result.origin);
        if (!shape) {
            context.summary.unkept.add(node, result.name.empty() ? "one of " + link.name : result.name);
            continue;
        }
        result.shape = *shape;
        link.shapes.push_back(std::move(result));
    }
}

namespace {

/// The body that an attribute names; without one a warning, since the robot is unaffected.
std::optional<int> find_excluded(Context& context, const Tree& tree, pugi::xml_node node,
                                 const char* attribute) {
    const std::string name = node.attribute(attribute).value();
    if (tree.body_names.contains(name)) return tree.body_names.find(context.document, node, attribute);
    context.document.report(Severity::warning, Code::unknown_name, node,
                            std::string("the name of a body in ") + attribute, quoted(name), "left out");
    return std::nullopt;
}

/// Names the pair itself, or its geoms.
void add_pair(Context& context, pugi::xml_node node) {
    const auto text = [&](const char* attribute) { return std::string(node.attribute(attribute).value()); };
    for (const char* attribute : {"geom1", "geom2"}) context.document.expect(node, attribute);
    context.summary.pairs.add(node,
                              node.attribute("name") ? text("name") : text("geom1") + "-" + text("geom2"));
}

}  // namespace

void read_excluded_pairs(Context& context, const Tree& tree, RobotDescription& robot) {
    for (const pugi::xml_node section : context.document.root().children("contact")) {
        context.document.ignore_children_except(section, {"exclude", "pair"});
        for (const pugi::xml_node node : section.children("pair")) add_pair(context, node);
        for (const pugi::xml_node node : section.children("exclude")) {
            const std::optional<int> body1 = find_excluded(context, tree, node, "body1"),
                                     body2 = find_excluded(context, tree, node, "body2");
            if (!body1 || !body2 || *body1 == *body2) continue;
            robot.self_collision.ignore[tree.bodies[at(*body1)].link].push_back(tree.bodies[at(*body2)].link);
        }
    }
}

void report_shapes(Context& context) {
    const Finding& pairs = context.summary.pairs;
    if (!pairs.names.empty())
        context.document.report(Severity::warning, Code::ignored, pairs.first,
                                "geoms that touch by contype and conaffinity",
                                "pairs of geoms that touch, which are not used: " + listed(pairs.names),
                                "geoms that touch by pairs alone pass through everything here");
    const Finding& condim = context.summary.condim;
    if (!condim.names.empty())
        context.document.report(Severity::warning, Code::ignored, condim.first,
                                "condim=\"3\", sliding friction", "another condim of " + listed(condim.names),
                                "torsional and rolling friction do not act, and sliding friction does");
    const Finding& bouncy = context.summary.bouncy;
    if (!bouncy.names.empty())
        context.document.report(
            Severity::warning, Code::ignored, bouncy.first, "a solref with critical damping or more",
            "a solref that lets bodies rebound, of " + listed(bouncy.names), "contacts do not rebound here");
    const Finding& unkept = context.summary.unkept;
    if (unkept.names.empty()) return;
    context.document.report(
        Severity::note, Code::ignored, unkept.first,
        "geoms that are not kept, as they are height fields or need a mesh that is in no file: " +
            listed(unkept.names),
        "");
}

}  // namespace grbda::mjcf
