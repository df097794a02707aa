#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "describe.hpp"
#include "self_collision.hpp"

namespace grbda::describe {

std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t to) {
    const std::size_t shown = width(text);
    return text + std::string(shown < to ? to - shown : 0, ' ');
}

namespace {

std::string plural(int count, const std::string& noun) {
    const bool ends_in_y = noun.back() == 'y';
    if (count == 1) return "1 " + noun;
    return std::to_string(count) + " " + (ends_in_y ? noun.substr(0, noun.size() - 1) + "ies" : noun + "s");
}

std::string shape_counts(const Model& model) {
    const auto count = [&](auto is_counted) {
        return std::to_string(std::count_if(model.shapes.begin(), model.shapes.end(), is_counted));
    };
    return plural(static_cast<int>(model.shapes.size()), "shape") + ": " +
           count([](const BodyShape& shape) { return shape.collision; }) + " collision, " +
           count([](const BodyShape& shape) { return shape.visual; }) + " visual";
}

/// "6 joint coordinates − 3 independent constraints = 3"
std::string freedom_equation(const Model& model, int rank) {
    return plural(model.nv_tree, "joint coordinate") + " − " + plural(rank, "independent constraint") +
           " = " + std::to_string(model.nv) +
           (model.rows == rank ? "" : " (" + plural(model.rows, "constraint row") + ")");
}

/// A position in words: "12.5°", "0.25 m", "90°, 0°".
std::string position_text(const Model& model, const Body& body) {
    std::string text;
    for (int j = 0; j < velocity_size(body.joint); ++j) {
        const double found = model.neutral[body.q + j];
        const double x = std::abs(found) < 1e-9 ? 0 : found;  // without rounding errors of assembly
        text += (text.empty() ? "" : ", ") + (is_freedom(body.joint, j, Freedom::slide)
                                                  ? number(x, 3) + " m"
                                                  : number(x * 180 / M_PI, 3) + "°");
    }
    return text;
}

/// "loops closed at crank −7.0°, coupler 12°": independent joints of clusters with loops first.
std::string assembled_positions(const Model& model) {
    constexpr std::size_t most = 8;
    const std::vector<IndependentPart> parts = independent_parts(model);
    std::vector<int> bodies = bodies_in_user_order(model);
    std::erase_if(bodies, [&](int i) {
        const Body& body = model.bodies[i];
        return model.clusters[body.cluster].loops.empty() || has_quaternion(body.joint);
    });
    std::stable_partition(bodies.begin(), bodies.end(), [&](int i) { return !parts[at(i)].y.empty(); });
    std::string text;
    for (std::size_t k = 0; k < std::min(most, bodies.size()); ++k)
        text += (k == 0 ? "" : ", ") + model.names.joints[bodies[k]] + " " +
                position_text(model, model.bodies[bodies[k]]);
    return bodies.size() > most ? text + ", and " + std::to_string(bodies.size() - most) + " more" : text;
}

/// Reports whether the robot collides with itself at the default configuration, by its spheres.
std::string sphere_distances(const Model& model) {
    const SelfCollision& robot = model.self_collision;
    std::string text = plural(static_cast<int>(robot.spheres.size()), "sphere") + " in " +
                       plural(static_cast<int>(robot.groups.size()), "link");
    const SelfDistances found = default_self_distances(model);
    if (found.nearest < 0) return text;
    const GroupPair& nearest = robot.pairs[found.nearest];
    const double distance = found.all[found.nearest].distance;
    return text + "; of " + plural(static_cast<int>(robot.pairs.size()), "pair") + " the nearest, " +
           place_name(model, nearest.a) + " and " + place_name(model, nearest.b) +
           (distance < 0 ? ", overlap by " : ", are apart by ") + number(std::abs(distance), 3) + " m";
}

}  // namespace

std::string summary(const Model& model) {
    std::map<JointType, int> types;
    for (const Body& body : model.bodies) ++types[body.joint];
    std::string joints;
    for (const auto& [type, count] : types)
        joints += (joints.empty() ? "" : ", ") + std::to_string(count) + " " + to_string(type);
    int rank = 0;
    std::size_t idle = 0;
    for (const ClusterReport& report : model.reports) {
        rank += report.rank;
        idle += report.idle.size();
    }
    const auto line = [](const std::string& key, const std::string& value) {
        return "  " + padded(key, 11) + value + "\n";
    };
    std::string out = model.names.robot + "\n";
    out += line("base", model.names.root + (has_floating_base(model) ? ", floating" : ", fixed"));
    out += line("bodies", plural(model.body_count(), "moving body") + ", " + number(moving_mass(model), 6) +
                              " kg" +
                              (model.rotors.empty() ? ""
                                                    : "; " + std::to_string(model.rotors.size()) +
                                                          " of them rotors, reduced to their spin"));
    out += line("joints", joints.empty() ? "none" : joints);
    out += line("freedom", plural(model.nv, "degree") + " of freedom" +
                               (model.rows == 0 ? "" : ": " + freedom_equation(model, rank)) +
                               (idle == 0 ? "" : "; " + std::to_string(idle) + " idle"));
    out += line("closed by", model.loops.empty() && model.couplings.empty()
                                 ? "nothing: an open tree"
                                 : plural(static_cast<int>(model.loops.size()), "loop") + ", " +
                                       plural(static_cast<int>(model.couplings.size()), "coupling"));
    if (const std::string positions = assembled_positions(model); !positions.empty())
        out += line("closed at", positions);
    out += line("clusters", std::to_string(model.cluster_count()));
    if (!model.shapes.empty()) out += line("shapes", shape_counts(model));
    if (!model.self_collision.groups.empty()) out += line("spheres", sphere_distances(model));
    return out;
}

}  // namespace grbda::describe
