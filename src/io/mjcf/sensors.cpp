#include <algorithm>

#include "description/rules.hpp"
#include "elements.hpp"

namespace grbda::mjcf {

namespace {

/// The placement that a sensor names: a site, or the frame of a body.
struct Place {
    int body = 0;
    Pose pose;  ///< in the body
};

/// Returns nothing if the sensor belongs to a joint, a tendon, an actuator or a pair of geoms, or if its site
/// does not exist.
std::optional<Place> find_place(Context& context, const Tree& tree, pugi::xml_node sensor) {
    const bool has_site = !sensor.attribute("site").empty();
    const std::string_view type = sensor.attribute("objtype").value();
    const char* const attribute = has_site ? "site" : "objname";
    const std::string name = sensor.attribute(attribute).value();
    if (has_site || type == "site") {
        if (!tree.site_names.contains(name)) return std::nullopt;
        const Site& site = tree.sites[at(*tree.site_names.find(context.document, sensor, attribute))];
        return Place{site.body, site.in_body};
    }
    if (type != "xbody" || !tree.body_names.contains(name)) return std::nullopt;
    return Place{*tree.body_names.find(context.document, sensor, attribute), Pose()};
}

}  // namespace

void read_sensors(Context& context, const Tree& tree, RobotDescription& robot) {
    std::unordered_map<std::string, std::size_t> links;
    for (std::size_t i = 0; i < robot.links.size(); ++i) links.emplace(robot.links[i].name, i);
    Finding others;
    for (const pugi::xml_node section : context.document.root().children("sensor")) {
        for (const pugi::xml_node element : section.children()) {
            if (element.type() != pugi::node_element) continue;
            context.document.mark_not_needed(element);
            const std::string name = element.attribute("name").value();
            const std::optional<Place> place = find_place(context, tree, element);
            if (!place) {
                others.add(element, name.empty() ? element.name() : name);
                continue;
            }
            const auto link = links.find(tree.bodies[at(place->body)].link);
            if (link == links.end()) continue;
            robot.links[link->second].sensors.push_back(
                {name, element.name(), place->pose, context.document.where(element)});
        }
    }
    if (others.names.empty()) return;
    context.document.report(Severity::note, Code::ignored, others.first,
                            "sensors at a site or with objtype=\"xbody\"; others are not kept",
                            "others: " + listed(others.names));
}

}  // namespace grbda::mjcf
