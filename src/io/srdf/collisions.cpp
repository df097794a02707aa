#include <algorithm>
#include <utility>

#include "elements.hpp"

namespace grbda::srdf {

namespace {

/// Limit on links with collisions off by default, times links: a small file could produce far more.
constexpr std::size_t most_pairs = 1'000'000;

using Pair = std::pair<int, int>;  ///< the smaller index first
using Pairs = std::set<Pair>;

Pair pair_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

void read_pairs(Context& context, const char* kind, Pairs& pairs) {
    xml::Document& document = context.document;
    for (const pugi::xml_node element : document.root().children(kind)) {
        document.ignore_children_except(element, {});
        const int link1 = context.link(element, "link1");
        const int link2 = context.link(element, "link2");
        if (link1 < 0 || link2 < 0) continue;
        if (link1 == link2) {
            document.report(Severity::warning, Code::same_ends, element, "two different links",
                            "one link twice", "a link does not collide with itself");
            continue;
        }
        pairs.insert(pair_of(link1, link2));
    }
}

void read_defaults(Context& context, Pairs& pairs) {
    xml::Document& document = context.document;
    const int links = static_cast<int>(context.robot.links.size());
    std::size_t count = 0;
    for (const pugi::xml_node element : document.root().children("disable_default_collisions")) {
        document.ignore_children_except(element, {});
        const int link = context.link(element, "link");
        if (link < 0 || count > most_pairs) continue;
        count += static_cast<std::size_t>(links);
        if (count > most_pairs) {
            document.error(Code::too_large, element,
                           "at most " + std::to_string(most_pairs) + " pairs of links in all", "more");
            continue;
        }
        for (int other = 0; other < links; ++other) {
            if (other != link) pairs.insert(pair_of(link, other));
        }
    }
}

std::optional<SphereDescription> read_sphere(xml::Document& document, pugi::xml_node element) {
    document.ignore_children_except(element, {});
    if (!document.required_text(element, "center")) return std::nullopt;
    const auto center = document.numbers(element, "center", 3);
    const auto radius = document.required_number(element, "radius");
    if (!center || !radius) return std::nullopt;
    return SphereDescription{Eigen::Vector3d(center->data()), *radius, document.where(element)};
}

}  // namespace

void read_collisions(Context& context) {
    Pairs by_default, enabled, disabled;
    read_defaults(context, by_default);
    read_pairs(context, "enable_collisions", enabled);
    read_pairs(context, "disable_collisions", disabled);
    for (const Pair& pair : enabled) by_default.erase(pair);
    disabled.merge(by_default);
    const std::vector<LinkDescription>& links = context.robot.links;
    for (const auto& [a, b] : disabled) {
        const std::string& first = links[static_cast<std::size_t>(a)].name;
        context.robot.self_collision.ignore[first].push_back(links[static_cast<std::size_t>(b)].name);
    }
}

void read_spheres(Context& context) {
    constexpr const char* kind = "link_sphere_approximation";
    xml::Document& document = context.document;
    RobotDescription& robot = context.robot;
    if (!document.root().child(kind)) return;
    GeometryDescription geometry;
    geometry.name = kind;
    for (const pugi::xml_node element : document.root().children(kind)) {
        document.ignore_children_except(element, {"sphere"});
        const int link = context.link(element, "link");
        if (link < 0) continue;
        auto& spheres = geometry.spheres[robot.links[static_cast<std::size_t>(link)].name];
        for (const pugi::xml_node child : element.children("sphere")) {
            if (const auto sphere = read_sphere(document, child)) spheres.push_back(*sphere);
        }
    }
    robot.geometries.push_back(std::move(geometry));
    if (robot.collision.geometry.empty()) robot.collision.geometry = kind;
    if (robot.self_collision.geometry.empty()) robot.self_collision.geometry = kind;
}

}  // namespace grbda::srdf
