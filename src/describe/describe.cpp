#include "describe.hpp"

#include <algorithm>
#include <cstdio>

namespace grbda::describe {

std::vector<IndependentPart> independent_parts(const Model& model) {
    return independent_parts(model, independent_coordinates(model));
}

std::vector<IndependentPart> independent_parts(const Model& model,
                                               const std::vector<Coordinate>& coordinates) {
    std::vector<IndependentPart> parts(model.bodies.size());
    for (std::size_t y = 0; y < coordinates.size(); ++y) {
        IndependentPart& part = parts[at(coordinates[y].body)];
        part.components.push_back(coordinates[y].component);
        part.y.push_back(static_cast<int>(y));
    }
    return parts;
}

std::vector<int> bodies_in_user_order(const Model& model) {
    std::vector<int> order(model.bodies.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return model.bodies[a].v < model.bodies[b].v; });
    return order;
}

double moving_mass(const Model& model) {
    double mass = 0;
    for (const Inertial& inertial : model.inertials) mass += inertial.mass;
    for (const Rod& rod : model.rods) mass += rod.mass;
    return mass;
}

bool has_floating_base(const Model& model) {
    return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) {
        return body.parent == world && body.joint == JointType::floating;
    });
}

bool is_joint_of_rod(const Model& model, const std::string& joint) {
    return std::any_of(model.names.rods.begin(), model.names.rods.end(), [&](const RodNames& rod) {
        return std::find(rod.joints.begin(), rod.joints.end(), joint) != rod.joints.end();
    });
}

const std::string& body_name(const Model& model, int body) {
    if (body == world) return model.names.root;
    if (!model.is_rod(body)) return model.names.bodies[body];
    if (!model.is_piston(body)) return model.names.rods[body - model.body_count()].name;
    return model.names.rods[model.struts[body - model.piston(0)].rod].piston;
}

namespace {

std::string words_of(const Model& model, const Loop& loop, RowKind kind) {
    switch (kind) {
        case RowKind::along: return "translation";
        case RowKind::distance: return "origins " + number(loop.constant, 6) + " m apart";
        case RowKind::length:
            return "origins " + number(loop.constant, 6) + (loop.slide_sign < 0 ? " − " : " + ") +
                   model.names.joints[model.dof_body[loop.slide]] + " m apart";
        case RowKind::screw: return "pitch " + number(loop.constant, 6) + " m/rad";
        case RowKind::turn:
        case RowKind::tilt: return "rotation";
        case RowKind::angle: return "axis · axis2 = " + number(loop.constant, 6);
    }
    return "";
}

}  // namespace

std::string loop_rows(const Model& model, const Loop& loop) {
    const int written = loop.written_rows().size();
    if (loop.rows == 0) return "no rows: all " + std::to_string(written) + " vanish in every pose";
    std::string text, last;
    for (const LoopRow& row : rows_of(model, loop)) {
        const std::string words = words_of(model, loop, row.kind);
        if (words != last) text += (text.empty() ? "" : ", ") + words;
        if (row.axis >= 0) text += std::string(" ") + "xyz"[row.axis];
        last = words;
    }
    if (loop.rows < written)
        text += "; the other " + std::to_string(written - loop.rows) +
                (written - loop.rows == 1 ? " vanishes" : " vanish");
    return text;
}

std::string cluster_joints(const Model& model, int cluster) {
    if (cluster < 0 || cluster >= model.cluster_count()) return "the robot";
    const Cluster& c = model.clusters[cluster];
    constexpr int most = 8;
    std::string text = "the cluster of joints ";
    for (int i = c.bodies.first; i < std::min(c.joints.last, c.bodies.first + most); ++i)
        text += (i == c.bodies.first ? "'" : ", '") + model.names.joints[i] + "'";
    return c.joints.size() > most ? text + ", …" : text;
}

std::vector<int> bodies_without_mass(const Model& model) {
    std::vector<int> bodies;
    if (first_massless_branch(model) < 0) return bodies;
    for (const int first : massless_branches(model))
        for (int k = first; k < model.clusters[first].after; ++k)
            for (const int i : model.clusters[k].joints) bodies.push_back(i);
    return bodies;
}

std::string missing_mass(const Model& model) {
    std::vector<std::string> links;
    for (const int i : bodies_without_mass(model)) links.push_back(model.names.bodies[i]);
    if (links.empty()) return "";
    return (links.size() == 1 ? "link " + some_of(links) + " has" : "links " + some_of(links) + " have") +
           " no mass; give " + (links.size() == 1 ? "it" : "them") +
           " an inertial, or the joints an armature. Kinematics needs no mass";
}

std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
        text += (i == 0 ? "'" : ", '") + names[i] + "'";
    return names.size() > most ? text + " …" : text;
}

std::string with_hint(const std::string& text, const std::string& name,
                      const std::vector<std::string>& names) {
    const std::string hint = nearest_name_hint(name, names);
    return hint.empty() ? text : text + " (" + hint + ")";
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string number(double x, int digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, x);
    return text;
}

topology::ConnectivityGraph connectivity_graph(const Model& model) {
    topology::ConnectivityGraph graph;
    for (const Body& body : model.bodies) graph.parent.push_back(body.parent);
    for (const Loop& loop : model.loops) graph.loops.push_back({loop.predecessor.body, loop.successor.body});
    for (const Coupling& coupling : model.couplings) {
        std::vector<int> bodies;
        for (const int t : coupling.terms) bodies.push_back(model.dof_body[model.coupling_terms[t].dof]);
        graph.couplings.push_back(bodies);
    }
    return graph;
}

}  // namespace grbda::describe
