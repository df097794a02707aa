#include <algorithm>
#include <cctype>

#include "parts.hpp"

// Shapes as geoms, which have half lengths.

namespace grbda::to_mjcf {

namespace {

/// True if MuJoCo reads meshes of this type from files.
bool is_readable(std::string file) {
    std::transform(file.begin(), file.end(), file.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool is_place = file.find("://") == std::string::npos;
    return is_place && (file.ends_with(".stl") || file.ends_with(".obj") || file.ends_with(".msh"));
}

std::vector<double> size_of(const Shape& shape) {
    const Eigen::Vector3d& size = shape.size;
    switch (shape.kind) {
        case ShapeKind::sphere: return {size.x()};
        case ShapeKind::capsule:
        case ShapeKind::cylinder: return {size.x(), size.y() / 2};
        case ShapeKind::box: return numbers_of(size / 2);
        case ShapeKind::ellipsoid: return numbers_of(size);
        case ShapeKind::plane: return {0, 0, 1};  // infinite; the last number is the spacing of its grid
        case ShapeKind::mesh: break;
    }
    return {};
}

/// The asset for a file and scale.
std::string mesh_of(Robot& robot, const Shape& shape) {
    const std::vector<double> scale = numbers_of(shape.size);
    for (const Line& asset : robot.assets) {
        const auto& said = asset.attributes;
        const bool is_scaled = said.size() > 2;
        const bool same = is_scaled ? said[2].second == Line{"mesh"}.set("scale", scale).attributes[0].second
                                    : shape.size == Eigen::Vector3d::Ones();
        if (said[1].second == shape.mesh && same) return said[0].second;
    }
    Line asset{"mesh"};
    asset.set("name", "mesh_" + std::to_string(robot.assets.size() + 1)).set("file", shape.mesh);
    if (shape.size != Eigen::Vector3d::Ones()) asset.set("scale", scale);
    robot.assets.push_back(std::move(asset));
    return robot.assets.back().attributes[0].second;
}

/// Bits as a whole number in two's complement.
double number_of(unsigned bits) { return static_cast<int>(bits); }

Line geom_of(Robot& robot, const MechanismShape& placed) {
    const ShapeDescription& shape = placed.shape;
    Line geom{"geom"};
    geom.set("type", to_string(shape.shape.kind));
    const std::vector<double> size = size_of(shape.shape);
    if (!size.empty()) geom.set("size", size);
    if (shape.shape.kind == ShapeKind::mesh) geom.set("mesh", mesh_of(robot, shape.shape));
    set_pose(placed.placement, geom);
    const TouchMask usual, mask = shape.collision ? shape.mask : TouchMask{0, 0};
    if (mask.type != usual.type) geom.set("contype", number_of(mask.type));
    if (mask.affinity != usual.affinity) geom.set("conaffinity", number_of(mask.affinity));
    if (!shape.visual) geom.set("group", 3.0);  // hidden in MuJoCo's viewer
    if (shape.surface) geom.set("friction", shape.surface->friction);
    if (shape.color) {
        const Eigen::Vector4d& rgba = *shape.color;
        geom.set("rgba", std::vector<double>{rgba[0], rgba[1], rgba[2], rgba[3]});
    }
    return geom;
}

}  // namespace

std::vector<Line> geoms_of(Robot& robot, int body) {
    std::vector<Line> geoms;
    for (const MechanismShape& placed : robot.mechanism.shapes) {
        if (placed.body != body) continue;
        const ShapeDescription& shape = placed.shape;
        if (shape.shape.kind == ShapeKind::plane && body != world) {
            const std::string name = shape.name.empty() ? "plane of " + placed.link : shape.name;
            if (shape.collision)
                robot.findings.error(shape.where, "shape", name, "a plane that stands still",
                                     "one in a link that moves");
            else
                robot.findings.leave_out("planes of links that move", name);
            continue;
        }
        if (shape.shape.kind == ShapeKind::mesh && !is_readable(shape.shape.mesh)) {
            robot.findings.warn(
                "keeps only meshes in files of STL, OBJ and MSH without a scheme in their address, and not",
                shape.shape.mesh);
            continue;
        }
        geoms.push_back(geom_of(robot, placed));
    }
    return geoms;
}

}  // namespace grbda::to_mjcf
