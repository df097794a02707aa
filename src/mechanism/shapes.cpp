#include <algorithm>
#include <cmath>
#include <string>

#include "steps.hpp"
#include "touchable.hpp"

namespace grbda::mechanism {

namespace {

Subject subject_of(const LinkDescription& link, std::size_t index) {
    const std::string& name = link.shapes[index].name;
    const std::string called = name.empty() ? std::to_string(index + 1) : quoted(name);
    return {"shape", name, "shape " + called + " of link " + quoted(link.name)};
}

Eigen::VectorXd sizes_of(const Shape& shape) { return shape.size.head(facts(shape.kind).sizes); }

/// Files use shapes without extent to mean none, such as boxes of 0 0 0. A capsule without length is a ball.
bool has_extent(const Shape& shape) {
    const int needed = shape.kind == ShapeKind::capsule ? 1 : facts(shape.kind).sizes;
    return (shape.size.head(needed).array() != 0).all();
}

bool is_color(const Eigen::Vector4d& color) { return color.minCoeff() >= 0 && color.maxCoeff() <= 1; }

/// Reads shapes link by link. A shape does not move the robot, so no finding
/// about it is an error: an invalid shape, friction or colour is dropped.
class ShapeChecker {
public:
    ShapeChecker(const Context& context, const ShapeDescription& shape, Subject owner)
        : context_(context), shape_(shape), owner_(std::move(owner)) {}

    /// Returns nothing if the shape is dropped.
    std::optional<ShapeDescription> check() {
        constexpr Severity severity = Severity::warning;
        const bool is_sound = check_size() && check_names() &&
                              check_pose(context_, shape_.origin, shape_.where, owner_, "its origin",
                                         severity, "the shape is left out");
        if (!is_sound) return std::nullopt;
        ShapeDescription kept = shape_;
        if (kept.surface && !(kept.surface->friction >= 0 && std::isfinite(kept.surface->friction))) {
            warn(Code::out_of_range, "a finite friction of zero or more", number(kept.surface->friction),
                 "read as if the file gave no friction");
            kept.surface.reset();
        }
        if (kept.color && !kept.color->allFinite()) {
            warn(Code::bad_number, std::string(finite_numbers) + " as its colour", "NaN or infinity",
                 "the shape has no colour");
            kept.color.reset();
        }
        return kept;
    }

private:
    bool warn(Code code, std::string expected, std::string found,
              std::string hint = "the shape is left out") {
        context_.report(Severity::warning, code, shape_.where, owner_, std::move(expected), std::move(found),
                        std::move(hint));
        return false;
    }

    bool check_size() {
        const Eigen::VectorXd sizes = sizes_of(shape_.shape);
        if (!sizes.allFinite())
            return warn(Code::bad_number, std::string(finite_numbers) + " as its size", "NaN or infinity");
        const bool is_mesh = shape_.shape.kind == ShapeKind::mesh;  // a negative scale mirrors it
        const bool is_negative = !is_mesh && (sizes.array() < 0).any();
        if (!is_negative && (sizes.array().abs() <= longest_length).all()) return true;
        std::string found;
        for (const double size : sizes) found += (found.empty() ? "" : " ") + number(size);
        return warn(Code::out_of_range,
                    std::string("a ") + to_string(shape_.shape.kind) +
                        (is_negative ? " whose size is not below zero"
                                     : " whose size is below " + number(longest_length)),
                    found);
    }

    bool check_names() {
        for (const std::string& name : {shape_.name, shape_.shape.mesh})
            if (is_unexpanded(name))
                return warn(Code::unexpanded,
                            "a name without '${' and '$(', which stand for text to be filled in",
                            quoted(name));
        const bool has_no_mesh = shape_.shape.kind == ShapeKind::mesh && shape_.shape.mesh.empty();
        return !has_no_mesh || warn(Code::missing, "the address of a mesh", "none");
    }

    const Context& context_;
    const ShapeDescription& shape_;
    Subject owner_;
};

/// A sensor does not move the robot either: returns false after a warning if it is dropped.
bool check_sensor(const Context& context, const SensorDescription& sensor) {
    const Subject owner = Subject::of("sensor", sensor.name);
    for (const std::string& text : {sensor.name, sensor.type}) {
        if (!is_unexpanded(text)) continue;
        context.report(Severity::warning, Code::unexpanded, sensor.where, owner,
                       "a name and a type without '${' and '$(', which stand for text to be filled in",
                       quoted(text), "the sensor is left out");
        return false;
    }
    return check_pose(context, sensor.origin, sensor.where, owner, "its origin", Severity::warning,
                      "the sensor is left out");
}

void note_links(const Context& context, Code code, const char* what, std::vector<std::string> links) {
    links.erase(std::unique(links.begin(), links.end()), links.end());
    if (links.empty()) return;
    context.report(Severity::note, code, context.description.where,
                   Subject::of("robot", context.description.name),
                   std::string(what) + ": links " + listed(links), "");
}

}  // namespace

void check_shapes(const Context& context) {
    std::vector<std::string> empty, colored;
    for (const LinkDescription& link : context.description.links) {
        for (std::size_t i = 0; i < link.shapes.size(); ++i) {
            const std::optional<ShapeDescription> shape =
                ShapeChecker(context, link.shapes[i], subject_of(link, i)).check();
            if (!shape) continue;
            if (!has_extent(shape->shape)) empty.push_back(quoted(link.name));
            if (shape->color && !is_color(*shape->color)) colored.push_back(quoted(link.name));
        }
    }
    note_links(context, Code::ignored, "shapes whose size is zero are left out", std::move(empty));
    note_links(context, Code::rewritten, "colours are cut to numbers from 0 to 1", std::move(colored));
}

void check_sensors(const Context& context) {
    for (const LinkDescription& link : context.description.links)
        for (const SensorDescription& sensor : link.sensors) check_sensor(context, sensor);
}

void add_sensors(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    Diagnostics reported;  // by check_sensors
    const Context silent{context.description, context.options, reported, {}, {}};
    const std::vector<LinkDescription>& links = context.description.links;
    for (std::size_t link = 0; link < links.size(); ++link)
        for (const SensorDescription& sensor : links[link].sensors)
            if (check_sensor(silent, sensor))
                mechanism.sensors.push_back({sensor, links[link].name, fusion.link_body[link],
                                             fusion.link_pose[link] * sensor.origin});
}

void add_shapes(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    Diagnostics reported;  // by check_shapes
    const Context silent{context.description, context.options, reported, {}, {}};
    const std::vector<LinkDescription>& links = context.description.links;
    for (std::size_t link = 0; link < links.size(); ++link) {
        for (const ShapeDescription& given : links[link].shapes) {
            std::optional<ShapeDescription> shape = ShapeChecker(silent, given, {}).check();
            if (!shape || !has_extent(shape->shape)) continue;
            if (shape->color) shape->color = shape->color->cwiseMax(0).cwiseMin(1);
            const Pose placement = fusion.link_pose[link] * shape->origin;
            mechanism.shapes.push_back(
                {std::move(*shape), links[link].name, fusion.link_body[link], placement});
        }
    }
}

Table<char> touchable_bodies(const Mechanism& mechanism) {
    Table<char> result(mechanism.bodies.size(), 0);
    const auto mark = [&](int body) {
        if (body != world && body < static_cast<int>(result.size())) result[body] = 1;  // not on a rod
    };
    for (const MechanismShape& shape : mechanism.shapes)
        if (shape.shape.collision) mark(shape.body);
    for (const MechanismSpheres& spheres : mechanism.self_collision.groups)
        mark(mechanism.frames[spheres.frame].body);
    return result;
}

}  // namespace grbda::mechanism
