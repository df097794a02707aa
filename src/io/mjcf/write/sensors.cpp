#include <algorithm>
#include <iterator>
#include <string_view>

#include "parts.hpp"

namespace grbda::to_mjcf {

namespace {

/// How MuJoCo specifies the place of a sensor of this type.
enum class Place { site, object, none };

Place place_of(std::string_view type) {
    constexpr std::string_view at_site[] = {"touch", "accelerometer", "velocimeter",  "gyro",
                                            "force", "torque",        "magnetometer", "rangefinder"};
    constexpr std::string_view of_object[] = {"framepos",    "framequat",   "framexaxis",
                                              "frameyaxis",  "framezaxis",  "framelinvel",
                                              "frameangvel", "framelinacc", "frameangacc"};
    if (std::find(std::begin(at_site), std::end(at_site), type) != std::end(at_site)) return Place::site;
    const bool has_object =
        std::find(std::begin(of_object), std::end(of_object), type) != std::end(of_object);
    return has_object ? Place::object : Place::none;
}

bool are_equal(const Pose& a, const Pose& b) {
    constexpr double rounding = 1e-12;
    return (a.rotation - b.rotation).norm() <= rounding &&
           (a.translation - b.translation).norm() <= rounding * (1 + a.translation.norm());
}

/// Returns an existing site, or a new one.
std::string site_at(Robot& robot, const MechanismSensor& placed) {
    std::vector<Site>& sites = robot.sites[placed.body + 1];
    for (const Site& site : sites)
        if (are_equal(site.placement, placed.placement)) return site.name;
    const std::string& name = placed.sensor.name.empty() ? placed.sensor.type : placed.sensor.name;
    sites.push_back({robot.site_names.free(name), placed.placement});
    return sites.back().name;
}

}  // namespace

void make_sensors(Robot& robot) {
    writing::FreeNames names;
    for (const MechanismSensor& placed : robot.mechanism.sensors) {
        const std::string& type = placed.sensor.type;
        const Place place = place_of(type);
        if (place == Place::none) {
            robot.findings.leave_out("sensors of type '" + type + "'", placed.sensor.name);
            continue;
        }
        Line line{type.c_str()};
        if (!placed.sensor.name.empty()) line.set("name", names.free(placed.sensor.name));
        if (place == Place::object) line.set("objtype", "site");
        line.set(place == Place::object ? "objname" : "site", site_at(robot, placed));
        robot.sensors.push_back(std::move(line));
    }
}

}  // namespace grbda::to_mjcf
