#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "steps.hpp"

namespace grbda::mechanism {

namespace {

constexpr std::size_t most_spheres = 4000;  ///< each one is compared with each other one

using Spheres = std::map<std::string, std::vector<SphereDescription>>;

Subject self_collision() { return {"self_collision", "", "self_collision"}; }

Subject spheres_of(const std::string& place) { return {"sphere", place, "spheres of " + quoted(place)}; }

/// The geometry that self-collision names; nullptr without one.
const GeometryDescription* geometry_of(const RobotDescription& robot) {
    for (const GeometryDescription& geometry : robot.geometries)
        if (geometry.name == robot.self_collision.geometry) return &geometry;
    return nullptr;
}

/// Links and frames by name, with their place in the mechanism.
NameIndex places_of(const RobotDescription& robot) {
    NameIndex places;
    for (const LinkDescription& link : robot.links) places.add(link.name);
    for (const FrameDescription& frame : robot.frames) places.add(frame.name);
    return places;
}

void check_place(const Context& context, const NameIndex& places, const std::string& name,
                 const SourceLocation& where, const Subject& owner) {
    if (places.find(name) >= 0) return;
    context.error(Code::unknown_name, where, owner, "a known link or frame", quoted(name), places.hint(name));
}

void check_length(const Context& context, double length, const SourceLocation& where, const Subject& owner,
                  const char* what) {
    if (!std::isfinite(length)) {
        context.error(Code::bad_number, where, owner, std::string(finite_numbers) + " as " + what,
                      "NaN or infinity");
    } else if (!(std::abs(length) <= longest_length)) {
        context.error(Code::out_of_range, where, owner,
                      std::string(what) + " below " + number(longest_length), number(length));
    }
}

void check_geometry(const Context& context, const NameIndex& places, const GeometryDescription& geometry) {
    std::size_t count = 0;
    for (const auto& [place, spheres] : geometry.spheres) {
        count += spheres.size();
        const Subject owner = spheres_of(place);
        if (!spheres.empty()) check_place(context, places, place, spheres.front().where, owner);
        for (const SphereDescription& sphere : spheres) {
            check_pose(context, {Eigen::Matrix3d::Identity(), sphere.center}, sphere.where, owner,
                       "their centres");
            check_length(context, sphere.radius, sphere.where, owner, "a radius");
        }
    }
    if (count > most_spheres)
        context.error(Code::too_large, context.description.self_collision.where, self_collision(),
                      "at most " + std::to_string(most_spheres) + " spheres", std::to_string(count));
}

/// Spheres with a positive radius.
std::vector<SphereDescription> enabled(const std::vector<SphereDescription>& all) {
    std::vector<SphereDescription> result = all;
    std::erase_if(result, [](const SphereDescription& sphere) { return !(sphere.radius > 0); });
    return result;
}

}  // namespace

void check_spheres(const Context& context) {
    const RobotDescription& robot = context.description;
    const CollisionDescription& said = robot.self_collision;
    const NameIndex places = places_of(robot);
    const GeometryDescription* const geometry = geometry_of(robot);
    if (geometry != nullptr)
        check_geometry(context, places, *geometry);
    else if (!said.geometry.empty())
        context.error(Code::unknown_name, said.where, self_collision(), "a known geometry",
                      quoted(said.geometry));
    for (const auto& [place, distance] : said.buffer_distance) {
        check_place(context, places, place, said.where, self_collision());
        check_length(context, distance, said.where, self_collision(), "a buffer distance");
    }
    for (const auto& [place, others] : said.ignore) {
        check_place(context, places, place, said.where, self_collision());
        for (const std::string& other : others)
            check_place(context, places, other, said.where, self_collision());
    }
}

void add_spheres(const Context& context, Mechanism& mechanism) {
    const RobotDescription& robot = context.description;
    const CollisionDescription& said = robot.self_collision;
    MechanismCollision& result = mechanism.self_collision;
    NameIndex frames;
    for (const MechanismFrame& frame : mechanism.frames) frames.add(frame.name);
    if (const GeometryDescription* const geometry = geometry_of(robot)) {
        for (const auto& [place, spheres] : geometry->spheres) {
            MechanismSpheres group{frames.find(place), 0, enabled(spheres)};
            if (group.spheres.empty()) continue;
            const auto buffer = said.buffer_distance.find(place);
            if (buffer != said.buffer_distance.end()) group.buffer = buffer->second;
            result.groups.push_back(std::move(group));
        }
    }
    std::sort(result.groups.begin(), result.groups.end(),
              [](const MechanismSpheres& a, const MechanismSpheres& b) { return a.frame < b.frame; });
    for (const auto& [place, others] : said.ignore)
        for (const std::string& other : others) {
            const int a = frames.find(place), b = frames.find(other);
            result.ignored.emplace_back(std::min(a, b), std::max(a, b));
        }
    std::sort(result.ignored.begin(), result.ignored.end());
    result.ignored.erase(std::unique(result.ignored.begin(), result.ignored.end()), result.ignored.end());
}

}  // namespace grbda::mechanism
