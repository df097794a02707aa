#include <optional>
#include <utility>

#include "sections.hpp"

namespace grbda::xrdf {

namespace {

/// The section, if it exists and is not empty.
const yaml::Node* section(Context& context, const char* name) {
    const yaml::Node* node = context.document.root().find(name);
    if (node == nullptr || node->kind == yaml::Kind::null || !context.document.is_mapping(*node))
        return nullptr;
    return node;
}

std::optional<SphereDescription> read_sphere(yaml::Document& document, const yaml::Node& node) {
    if (!document.is_mapping(node)) return std::nullopt;
    document.ignore_keys_except(node, {"center", "radius"});
    const yaml::Node* center = document.required(node, "center");
    const yaml::Node* radius = document.required(node, "radius");
    const auto coordinates = center != nullptr ? document.numbers(*center, 3) : std::nullopt;
    const auto number = radius != nullptr ? document.number(*radius) : std::nullopt;
    if (!coordinates || !number) return std::nullopt;
    return SphereDescription{Eigen::Vector3d(coordinates->data()), *number, document.where(node)};
}

void read_spheres(Context& context, const yaml::Node& spheres, GeometryDescription& geometry) {
    yaml::Document& document = context.document;
    if (!document.is_mapping(spheres)) return;
    for (const auto& [place, node] : spheres.entries) {
        if (!context.is_place(node, place) || !document.is_sequence(node)) continue;
        auto& list = geometry.spheres[place];
        for (const yaml::Node& item : node.items) {
            if (const auto sphere = read_sphere(document, item)) list.push_back(*sphere);
        }
    }
}

void read_buffers(Context& context, const yaml::Node& collision, CollisionDescription& result) {
    yaml::Document& document = context.document;
    const yaml::Node* buffers = collision.find("buffer_distance");
    if (buffers == nullptr || buffers->kind == yaml::Kind::null || !document.is_mapping(*buffers)) return;
    for (const auto& [place, node] : buffers->entries) {
        const std::optional<double> distance = document.number(node);
        if (context.is_place(node, place) && distance) result.buffer_distance[place] = *distance;
    }
}

void read_ignored_pairs(Context& context, const yaml::Node& collision, CollisionDescription& result) {
    yaml::Document& document = context.document;
    const yaml::Node* ignore = collision.find("ignore");
    if (ignore == nullptr || ignore->kind == yaml::Kind::null || !document.is_mapping(*ignore)) return;
    for (const auto& [place, node] : ignore->entries) {
        const bool known = context.is_place(node, place);
        if (!document.is_sequence(node)) continue;
        for (const yaml::Node& item : node.items) {
            const std::optional<std::string> other = document.text(item);
            if (!other || !context.is_place(item, *other) || !known) continue;
            if (*other == place) {
                document.report(Severity::warning, Code::same_ends, item, "another link or frame",
                                quoted(place) + " itself", "a link does not collide with itself");
            } else {
                result.ignore[place].push_back(*other);
            }
        }
    }
}

void read_collision(Context& context, const yaml::Node& node, const NameIndex& geometries,
                    CollisionDescription& result) {
    yaml::Document& document = context.document;
    document.ignore_keys_except(node, {"geometry", "buffer_distance", "ignore"});
    result.where = document.where(node);
    const yaml::Node* geometry = document.required(node, "geometry");
    const std::optional<std::string> name = geometry != nullptr ? document.text(*geometry) : std::nullopt;
    if (name && geometries.find(*name) < 0) {
        document.error(Code::unknown_name, *geometry, "a group of 'geometry'", quoted(*name),
                       geometries.hint(*name));
    } else if (name) {
        result.geometry = *name;
    }
    read_buffers(context, node, result);
    read_ignored_pairs(context, node, result);
}

}  // namespace

void read_geometry(Context& context) {
    yaml::Document& document = context.document;
    const yaml::Node* geometry = section(context, "geometry");
    if (geometry == nullptr) return;
    std::set<std::string> known;
    for (const GeometryDescription& other : context.robot.geometries) known.insert(other.name);
    for (const auto& [name, node] : geometry->entries) {
        if (!document.is_mapping(node)) continue;
        document.ignore_keys_except(node, {"spheres"});
        if (known.count(name) != 0) {
            document.error(Code::duplicate_name, node, "a geometry name that no other has",
                           quoted(name) + " again");
            continue;
        }
        GeometryDescription group;
        group.name = name;
        const yaml::Node* spheres = document.required(node, "spheres");
        if (spheres != nullptr && spheres->kind != yaml::Kind::null) read_spheres(context, *spheres, group);
        context.robot.geometries.push_back(std::move(group));
    }
}

void read_collisions(Context& context) {
    NameIndex geometries;
    for (const GeometryDescription& geometry : context.robot.geometries) geometries.add(geometry.name);
    const yaml::Node* collision = section(context, "collision");
    const yaml::Node* world = section(context, "world_collision");  // the name in version 2.0
    if (collision != nullptr && world != nullptr) {
        context.document.error(Code::conflict, *world, "one of collision and world_collision", "both");
    } else if (collision != nullptr || world != nullptr) {
        read_collision(context, collision != nullptr ? *collision : *world, geometries,
                       context.robot.collision);
    }
    if (const yaml::Node* self = section(context, "self_collision")) {
        read_collision(context, *self, geometries, context.robot.self_collision);
    }
}

}  // namespace grbda::xrdf
