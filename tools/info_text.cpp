#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "describe/describe.hpp"
#include "info.hpp"
#include "describe/summary.hpp"

namespace grbda::tool {
namespace {

constexpr std::size_t page_width = 110;

/// Items after `first`, broken into lines that begin with `next`.
std::string wrapped(const std::string& first, const std::string& next,
                    const std::vector<std::string>& items) {
    std::string out, line = first;
    bool empty = true;
    for (const std::string& item : items) {
        if (!empty && describe::width(line) + 2 + describe::width(item) > page_width) {
            out += line + "\n";
            line = next;
            empty = true;
        }
        line += (empty ? "" : "  ") + item;
        empty = false;
    }
    return out + line + "\n";
}

std::string joint_item(const Model& model, int body, std::size_t independent) {
    const JointType type = model.bodies[body].joint;
    const auto dofs = static_cast<std::size_t>(velocity_size(type));
    std::string text = independent == dofs ? "● " : independent == 0 ? "○ " : "◐ ";
    text += model.names.joints[body];
    if (model.bodies[body].rotor) text += " ↻";
    if (type != JointType::revolute) text += std::string(" (") + to_string(type) + ")";
    return text;
}

/// True if the parent cluster has only one body that could carry clusters, not counting rotors.
bool is_only_place(const Model& model, const Cluster& c) {
    if (c.parent_cluster == world) return true;
    const Cluster& parent = model.clusters[c.parent_cluster];
    return parent.bodies.size() <= 1;
}

/// The tree of clusters, each with its joints; drawn with a stack, since chains may be long.
std::string cluster_tree(const Model& model) {
    constexpr std::size_t deepest_drawn = 24;
    struct Node {
        int cluster;
        std::string indent;
        std::size_t depth;
        bool last;
    };
    std::vector<std::vector<int>> children(model.clusters.size() + 1);  // entry 0: of the world
    for (int c = 0; c < model.cluster_count(); ++c)
        children[at(model.clusters[c].parent_cluster + 1)].push_back(c);
    std::vector<Node> stack;
    const auto push_children = [&](int cluster, const std::string& indent, std::size_t depth) {
        const std::vector<int>& list = children[at(cluster + 1)];
        for (std::size_t k = list.size(); k-- > 0;)
            stack.push_back({list[k], indent, depth, k + 1 == list.size()});
    };
    const std::vector<describe::IndependentPart> parts = describe::independent_parts(model);
    std::string out = "\nCluster tree   ● independent  ○ dependent";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto dofs = static_cast<std::size_t>(velocity_size(model.bodies[i].joint));
        if (parts[i].y.empty() || parts[i].y.size() == dofs) continue;
        out += "  ◐ in part";
        break;
    }
    out += std::string(model.rotors.empty() ? "" : "  ↻ reduced rotor") + "\n  " + model.names.root + "\n";
    push_children(world, "  ", 1);
    while (!stack.empty()) {
        const Node node = stack.back();
        stack.pop_back();
        const Cluster& c = model.clusters[node.cluster];
        std::vector<std::string> items;
        for (const int i : c.joints) items.push_back(joint_item(model, i, parts[at(i)].y.size()));
        if (!is_only_place(model, c)) items.push_back("on " + describe::body_name(model, c.parent_body));
        const bool deeper = node.depth < deepest_drawn;
        const std::string below = !deeper ? node.indent : node.indent + (node.last ? "   " : "│  ");
        const std::string label = "C" + std::to_string(node.cluster) + "  ";
        const std::string level =
            node.depth > deepest_drawn ? "[level " + std::to_string(node.depth) + "] " : "";
        out += wrapped(node.indent + (node.last ? "└─ " : "├─ ") + level + label,
                       node.indent + (node.last ? "   " : "│  ") +
                           (children[at(node.cluster + 1)].empty() ? " " : "│") +
                           std::string(level.size() + label.size() - 1, ' '),
                       items);
        push_children(node.cluster, below, node.depth + 1);
    }
    return out;
}

/// ", strut with piston1, not symmetric by 1.1 %"
std::string strut_of(const Strut& strut, const RodNames& names) {
    const std::string misfit =
        strut.misfit == 0 ? "" : ", not symmetric by " + describe::number(100 * strut.misfit, 2) + " %";
    return ", strut with " + names.piston + misfit;
}

/// Rods, and links similar to rods that remain bodies, with the reason.
std::string rods(const Model& model) {
    std::string out;
    if (!model.rods.empty()) out += "\nRods   links between their ends, without coordinates\n";
    for (std::size_t r = 0; r < model.rods.size(); ++r) {
        const std::size_t joints = model.names.rods[r].joints.size();
        const Rod& rod = model.rods[r];
        const Loop& loop = model.loops[rod.loop];
        out += "  " + model.names.rods[r].name + "   " + describe::body_name(model, loop.predecessor.body) +
               (rod.guided() ? std::string(" by a ") + to_string(rod.joint) + " joint – " : " – ") +
               describe::body_name(model, loop.successor.body) + ", " + describe::number(rod.length, 6) +
               " m" +
               (rod.strut < 0 ? "" : (loop.slide_sign < 0 ? " - " : " + ") + model.names.rods[r].slide) +
               ", " + describe::number(rod.mass, 6) + " kg";
        if (joints > 0) out += ", " + std::to_string(joints) + (joints == 1 ? " joint" : " joints");
        if (rod.strut >= 0) out += strut_of(model.struts[rod.strut], model.names.rods[r]);
        out += "\n";
    }
    if (!model.near_rods.empty()) out += "\nLinks like rods that are bodies\n";
    for (const MechanismNearRod& near : model.near_rods) out += "  " + near.name + "   " + near.reason + "\n";
    return out;
}

/// One line for each loop and coupling, headed by its cluster with rows and rank.
std::string constraints(const Model& model) {
    if (model.loops.empty() && model.couplings.empty()) return {};
    std::string out = "\nConstraints\n  cluster  rows  rank\n";
    bool has_frame = false;
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        std::vector<std::string> lines;
        for (const int j : c.couplings) {
            const int source = model.couplings[j].source;
            lines.push_back(model.names.equations[source] + "   [" + model.names.couplings[source] + "]");
        }
        for (const int l : c.loops) {
            const Loop& loop = model.loops[l];
            lines.push_back(std::string(to_string(loop.type)) + " loop " +
                            describe::body_name(model, loop.predecessor.body) + " – " +
                            describe::body_name(model, loop.successor.body) + ": " +
                            describe::loop_rows(model, loop) + "   [" + model.names.loops[loop.source] + "]");
            for (const LoopRow& row : facts(loop.type).rows) has_frame = has_frame || row.axis >= 0;
        }
        std::string head = "  " + describe::padded("C" + std::to_string(k), 9) +
                           describe::padded(std::to_string(c.rows), 6) +
                           describe::padded(std::to_string(model.reports[k].rank), 6);
        for (const std::string& line : lines) {
            out += head + line + "\n";
            head.assign(head.size(), ' ');
        }
    }
    if (has_frame) out += "  (directions in the loop's frame on its first link; x is the axis of the loop)\n";
    return out;
}

/// For clusters with loops or couplings: the form of forward dynamics, and the cost of each form.
std::string forms(const Model& model) {
    std::string out;
    const auto cost = [](double operations) {
        return std::isfinite(operations) ? describe::number(std::round(operations), 6) : "–";
    };
    for (const Cluster& c : model.clusters) {
        const std::optional<Form> form = form_of(c);
        if (!form) continue;
        const FormCosts& costs = model.reports[c.index].costs;
        out += "  " + describe::padded("C" + std::to_string(c.index), 9) +
               describe::padded(to_string(*form), 11) + describe::padded(cost(costs.jacobians), 11) +
               describe::padded(cost(costs.tree), 11) + cost(costs.rows) + "\n";
    }
    if (out.empty()) return out;
    return "\nForward dynamics   the form of each cluster with loops or couplings, and operations of all\n "
           " " +
           describe::padded("cluster", 9) + describe::padded("form", 11) + describe::padded("jacobians", 11) +
           describe::padded("tree", 11) + "rows\n" + out;
}

struct Row {
    int first;  ///< in y
    std::string index, joint, type, cluster, reason;
};

/// "3", "3–5", or "3, 5, 6" if a side file's list of coordinates has separated those of a joint.
std::string index_text(const std::vector<int>& y) {
    if (y.size() == 1) return std::to_string(y.front());
    if (y.back() - y.front() + 1 == static_cast<int>(y.size()))
        return std::to_string(y.front()) + "–" + std::to_string(y.back());
    std::string text;
    for (const int index : y) text += (text.empty() ? "" : ", ") + std::to_string(index);
    return text;
}

std::vector<Row> coordinate_rows(const Model& model) {
    const std::vector<describe::IndependentPart> parts = describe::independent_parts(model);
    std::vector<std::string> reasons(at(model.nv));
    for (std::size_t k = 0; k < model.clusters.size(); ++k) {
        const Cluster& c = model.clusters[k];
        for (std::size_t j = 0; j < std::min(at(c.m), model.reports[k].reasons.size()); ++j)
            reasons[at(model.y_index[at(c.y_begin) + j])] = model.reports[k].reasons[j];
    }
    std::vector<Row> rows;
    for (const int i : describe::bodies_in_user_order(model)) {
        const describe::IndependentPart& part = parts[at(i)];
        if (part.y.empty()) continue;
        const Body& body = model.bodies[i];
        std::string joint = model.names.joints[i];
        if (at(velocity_size(body.joint)) != part.y.size())
            for (const int component : part.components) joint += "[" + std::to_string(component) + "]";
        rows.push_back({part.y.front(), index_text(part.y), joint, to_string(body.joint),
                        "C" + std::to_string(body.cluster), reasons[at(part.y.front())]});
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.first < b.first; });
    return rows;
}

std::string independent_coordinates_table(const Model& model) {
    const std::vector<Row> rows = coordinate_rows(model);
    std::size_t joint_width = 5, type_width = 4;
    for (const Row& row : rows) {
        joint_width = std::max(joint_width, describe::width(row.joint));
        type_width = std::max(type_width, describe::width(row.type));
    }
    std::string out = "\nIndependent coordinates   the order of velocities, forces and the mass matrix\n";
    std::string last;
    const auto line = [&](const Row& row) {
        return "  " + describe::padded(row.index, 7) + describe::padded(row.joint, joint_width + 2) +
               describe::padded(row.type, type_width + 2) + describe::padded(row.cluster, 9) + row.reason +
               "\n";
    };
    out += line({0, "index", "joint", "type", "cluster", "why"});
    for (Row row : rows) {
        const bool repeated = row.reason == last && !row.reason.empty();
        last = row.reason;
        if (repeated) row.reason = "\"";
        out += line(row);
    }
    return out;
}

/// Saved states with the displacements from closing the loops, and tool frames; only if the files name some.
std::string names_of_files(const Model& model) {
    std::string out;
    std::size_t longest = 4;
    for (const SavedState& state : model.states) longest = std::max(longest, describe::width(state.name));
    if (!model.states.empty()) out += "\nSaved states\n";
    for (const SavedState& state : model.states)
        out += "  " + describe::padded(state.name, longest + 2) +
               (state.moved > 1e-9
                    ? "moved by up to " + describe::number(state.moved, 3) + " (rad or m) onto the loops"
                    : "as saved") +
               "\n";
    std::vector<std::string> tools;
    for (const int frame : model.tool_frames)
        tools.push_back(model.frames[frame].name + " on " +
                        describe::body_name(model, model.frames[frame].body));
    if (!tools.empty()) out += "\nTool frames\n" + wrapped("  ", "  ", tools);
    return out;
}

std::string notes(const Model& model) {
    if (model.diagnostics.empty()) return {};
    std::string out = "\nNotes\n";
    for (const Diagnostic& entry : model.diagnostics) out += "  " + to_string(entry) + "\n";
    return out;
}

}  // namespace

std::string info_text(const Model& model, bool with_notes) {
    return describe::summary(model) + cluster_tree(model) + rods(model) + constraints(model) + forms(model) +
           independent_coordinates_table(model) + names_of_files(model) +
           (with_notes ? notes(model) : std::string());
}

}  // namespace grbda::tool
