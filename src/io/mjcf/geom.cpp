#include <algorithm>
#include <string_view>

#include "elements.hpp"

namespace grbda::mjcf {

namespace {

using Eigen::Vector3d;

/// Empty for a height field.
const xml::Keywords<std::optional<ShapeKind>> geom_types = {
    {"sphere", ShapeKind::sphere}, {"capsule", ShapeKind::capsule},   {"ellipsoid", ShapeKind::ellipsoid},
    {"box", ShapeKind::box},       {"cylinder", ShapeKind::cylinder}, {"mesh", ShapeKind::mesh},
    {"plane", ShapeKind::plane},   {"hfield", std::nullopt},          {"sdf", ShapeKind::mesh}};

/// The last number in the size of a long shape is its half length, which fromto also gives.
bool read_size(Context& context, Geom& geom, bool from_ends, double half_length) {
    const auto sizes = context.some_numbers(geom.element, "size", 3);
    if (!sizes) return false;
    std::vector<double> given = *sizes;
    const auto count = static_cast<std::size_t>(facts(geom.kind).sizes);
    if (from_ends) {
        given.resize(1, 0);
        if (count == 3) given.push_back(given.front());
        given.push_back(half_length);
    }
    given.resize(std::max(given.size(), count), 0);
    for (std::size_t i = 0; i < count; ++i) geom.size[static_cast<Eigen::Index>(i)] = given[i];
    if (geom.size.head(static_cast<Eigen::Index>(count)).minCoeff() > 0) return true;
    context.error(Code::out_of_range, geom.element, "size",
                  std::to_string(from_ends ? 1 : count) + " numbers above zero as size");
    return false;
}

Geom read_geom(Context& context, const Item& item) {
    Geom geom;
    geom.element = context.element(item.node, "geom", item.childclass);
    const auto kind = context.keyword(geom.element, "type", geom_types).value_or(ShapeKind::sphere);
    geom.kind = kind.value_or(ShapeKind::mesh);
    geom.is_height_field = !kind;
    geom.has_mesh = context.has(geom.element, "mesh");
    double half_length = 0;
    const std::optional<Pose> between_ends = read_fromto(context, geom.element, half_length);
    geom.refused = !between_ends && context.has(geom.element, "fromto");
    if (geom.refused) return geom;
    geom.pose = item.frame * (between_ends ? *between_ends : read_pose(context, geom.element));
    const bool has_size = geom.kind != ShapeKind::mesh && geom.kind != ShapeKind::plane && !geom.has_mesh;
    geom.refused = has_size && !read_size(context, geom, between_ends.has_value(), half_length);
    return geom;
}

}  // namespace

std::vector<Geom> read_geoms(Context& context, const std::vector<Item>& items) {
    std::vector<Geom> geoms;
    for (const Item& item : items)
        if (std::string_view(item.node.name()) == "geom") geoms.push_back(read_geom(context, item));
    return geoms;
}

}  // namespace grbda::mjcf
