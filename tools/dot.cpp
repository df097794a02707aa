#include <cmath>

#include "describe/describe.hpp"
#include "info.hpp"
#include "topology/cluster_tree.hpp"

namespace grbda::tool {
namespace {

std::string dot_string(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string node(const char* prefix, int index) {
    return index == world ? std::string(prefix) + "_base" : prefix + std::to_string(index);
}

/// Pale colours for clusters of several bodies, with hues at the golden ratio; a single body is white.
std::string fill(const Model& model, int cluster) {
    constexpr double golden_ratio = 0.6180339887;
    const Cluster& c = model.clusters[cluster];
    if (c.joints.size() <= 1) return "white";
    const double hue = cluster * golden_ratio;
    return describe::number(hue - std::floor(hue), 4) + " 0.22 0.97";
}

std::string body_nodes(const Model& model, const char* prefix) {
    std::string out;
    for (int i = 0; i < model.body_count(); ++i)
        out += "    " + node(prefix, i) + " [label=" + dot_string(describe::body_name(model, i)) +
               ", fillcolor=\"" + fill(model, model.bodies[i].cluster) + "\"];\n";
    return out;
}

std::string base_node(const Model& model, const char* prefix) {
    return "    " + node(prefix, world) + " [label=" + dot_string(model.names.root) +
           ", shape=box, fillcolor=\"#dddddd\"];\n";
}

std::string header(const char* name, const char* title) {
    return std::string("  subgraph cluster_") + name + " {\n    label=" + dot_string(title) + ";\n";
}

std::string spanning_tree(const Model& model) {
    std::string out = header("tree", "Spanning tree: joints, loops (red), couplings (blue)");
    out += base_node(model, "b") + body_nodes(model, "b");
    for (int i = 0; i < model.body_count(); ++i)
        out += "    " + node("b", model.bodies[i].parent) + " -> " + node("b", i) +
               " [tooltip=" + dot_string(model.names.joints[i]) + "];\n";
    for (const Loop& loop : model.loops)
        out += "    " + node("b", loop.predecessor.body) + " -> " + node("b", loop.successor.body) +
               " [label=" + dot_string(model.names.loops[loop.source]) +
               ", dir=none, constraint=false, color=\"#cc0000\", fontcolor=\"#cc0000\"];\n";
    const topology::ConnectivityGraph graph = describe::connectivity_graph(model);
    for (std::size_t k = 0; k < graph.couplings.size(); ++k)
        for (std::size_t t = 1; t < graph.couplings[k].size(); ++t)
            out += "    " + node("b", graph.couplings[k][t - 1]) + " -> " + node("b", graph.couplings[k][t]) +
                   " [tooltip=" + dot_string(model.names.equations[model.couplings[k].source]) +
                   ", dir=none, constraint=false, style=dashed, color=\"#1155cc\"];\n";
    return out + "  }\n";
}

std::string digraph(const Model& model) {
    const topology::ConnectivityGraph graph = describe::connectivity_graph(model);
    const topology::Digraph dependencies = topology::constraint_dependency_digraph(graph);
    std::string out = header("digraph", "Constraint dependency digraph: one colour, one component");
    out += body_nodes(model, "d");
    for (int i = 0; i < model.body_count(); ++i)
        for (const int to : dependencies.successors[at(i)]) {
            const bool is_tree_edge = graph.parent[at(to)] == i;
            out += "    " + node("d", i) + " -> " + node("d", to) +
                   (is_tree_edge ? "" : " [color=\"#cc0000\", constraint=false]") + ";\n";
        }
    return out + "  }\n";
}

std::string clusters(const Model& model) {
    std::string out = header("clusters", "Cluster tree: degrees of freedom in brackets");
    out += base_node(model, "c");
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        std::string label = "C" + std::to_string(k) + " [" + std::to_string(c.m) + "]";
        for (const int i : c.joints) label += "\n" + describe::body_name(model, i);
        out += "    " + node("c", k) + " [label=" + dot_string(label) + ", shape=box, fillcolor=\"" +
               fill(model, k) + "\"];\n";
        out += "    " + node("c", c.parent_cluster) + " -> " + node("c", k) + ";\n";
    }
    return out + "  }\n";
}

}  // namespace

std::string info_dot(const Model& model) {
    std::string out = "digraph " + dot_string(model.names.robot) + " {\n";
    out += "  graph [fontname=\"Helvetica\", rankdir=TB, ranksep=0.35, nodesep=0.2, color=\"#999999\"];\n";
    out +=
        "  node [fontname=\"Helvetica\", fontsize=11, style=filled, shape=ellipse, margin=\"0.06,0.04\"];\n";
    out += "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.6];\n";
    return out + spanning_tree(model) + digraph(model) + clusters(model) + "}\n";
}

}  // namespace grbda::tool
