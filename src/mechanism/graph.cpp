#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <utility>

#include "description/equipment.hpp"
#include "steps.hpp"

namespace grbda::mechanism {

namespace {

/// Links as nodes, joints as edges parent → child, in document order.
struct LinkGraph {
    std::vector<int> parent, child;              ///< of each joint; −1 for a joint that is not an edge
    std::vector<std::vector<int>> joints_below;  ///< of each link
    std::vector<std::vector<int>> joints_above;
};

LinkGraph make_link_graph(const Context& context) {
    const std::size_t links = context.description.links.size();
    LinkGraph graph;
    graph.joints_below.resize(links);
    graph.joints_above.resize(links);
    for (const JointDescription& joint : context.description.joints) {
        const int index = static_cast<int>(graph.parent.size());
        const bool is_edge = joint.parent != joint.child;
        graph.parent.push_back(is_edge ? context.links.find(joint.parent) : -1);
        graph.child.push_back(is_edge ? context.links.find(joint.child) : -1);
        if (!is_edge) continue;
        graph.joints_below[at(graph.parent.back())].push_back(index);
        graph.joints_above[at(graph.child.back())].push_back(index);
    }
    return graph;
}

const std::string& link_name(const Context& context, int link) {
    return context.description.links[at(link)].name;
}

std::vector<bool> reached_from(const LinkGraph& graph, const std::vector<int>& roots) {
    std::vector<bool> reached(graph.joints_below.size(), false);
    std::vector<int> stack = roots;
    for (const int root : roots) reached[at(root)] = true;
    while (!stack.empty()) {
        const int link = stack.back();
        stack.pop_back();
        for (const int joint : graph.joints_below[at(link)]) {
            const int child = graph.child[at(joint)];
            if (reached[at(child)]) continue;
            reached[at(child)] = true;
            stack.push_back(child);
        }
    }
    return reached;
}

/// Cycles found by following parents from links that no root reaches, each as its joints
/// from parent to child. Such a link has a joint above it, from another such link.
std::vector<std::vector<int>> cycles_above(const LinkGraph& graph, const std::vector<bool>& reached) {
    std::vector<std::vector<int>> cycles;
    std::vector<int> walk_of(reached.size(), -1);
    for (std::size_t start = 0; start < reached.size(); ++start) {
        if (reached[start]) continue;
        int link = static_cast<int>(start);
        std::vector<int> joints;
        while (walk_of[at(link)] < 0) {
            walk_of[at(link)] = static_cast<int>(start);
            joints.push_back(graph.joints_above[at(link)].front());
            link = graph.parent[at(joints.back())];
        }
        if (walk_of[at(link)] != static_cast<int>(start)) continue;
        const auto first = std::find_if(joints.begin(), joints.end(),
                                        [&](int joint) { return graph.child[at(joint)] == link; });
        cycles.emplace_back(std::make_reverse_iterator(joints.end()), std::make_reverse_iterator(first));
    }
    return cycles;
}

void report_cycles(const Context& context, const LinkGraph& graph, const std::vector<bool>& reached) {
    std::vector<std::string> unreached;
    for (std::size_t link = 0; link < reached.size(); ++link) {
        if (!reached[link]) unreached.push_back(quoted(context.description.links[link].name));
    }
    for (const std::vector<int>& cycle : cycles_above(graph, reached)) {
        std::vector<std::string> links;
        for (const int joint : cycle) links.push_back(link_name(context, graph.parent[at(joint)]));
        links.push_back(links.front());
        const JointDescription& first = context.description.joints[at(cycle.front())];
        context.error(Code::cycle, first.where, Subject::of("joint", first.name),
                      "a tree of joints under one root link", "the cycle " + listed(links, " → "),
                      "links without a way to a root: " + listed(unreached) +
                          "; write the joint that closes a loop as a <loop>");
    }
}

/// Returns true if there is one root, and it reaches every link.
bool check_root(const Context& context, const LinkGraph& graph, const std::vector<int>& roots) {
    const RobotDescription& description = context.description;
    const std::vector<bool> reached = reached_from(graph, roots);
    const bool all_reached = std::find(reached.begin(), reached.end(), false) == reached.end();
    if (!all_reached) report_cycles(context, graph, reached);
    if (roots.size() > 1) {
        std::vector<std::string> names;
        for (const int root : roots) names.push_back(quoted(link_name(context, root)));
        context.error(Code::unreachable, description.links[at(roots[1])].where,
                      Subject::of("robot", description.name), "exactly one root link",
                      std::to_string(roots.size()) + " roots: " + listed(names),
                      "join them with joints, fixed ones where nothing moves");
    }
    return all_reached && roots.size() == 1;
}

int preferred_joint(const Context& context, const Equipment& equipment, const std::vector<int>& joints) {
    const JointDescription* chosen = nullptr;
    int index = joints.front();
    for (const int joint : joints) {
        if (!equipment.prefers(context.description.joints[at(joint)], chosen)) continue;
        chosen = &context.description.joints[at(joint)];
        index = joint;
    }
    return index;
}

/// Every link keeps its preferred joint unless the links would then form a cycle apart from the root.
/// Such a cycle is opened by the first joint (preferred ones first, then document order) that leads into
/// it from the part already connected. Linear except for the queue of the joints passed over.
std::vector<int> choose_joints(const Context& context, const LinkGraph& graph, int root) {
    const std::size_t links = graph.joints_above.size();
    const Equipment equipment(context.description);
    std::vector<int> joint_of(links, -1);
    for (std::size_t link = 0; link < links; ++link) {
        if (static_cast<int>(link) == root) continue;
        joint_of[link] = preferred_joint(context, equipment, graph.joints_above[link]);
    }
    using Entry = std::pair<int, int>;  // 0 if marked, else more; joint
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> passed_over;
    std::vector<bool> reached(links, false);
    std::vector<int> stack{root};
    reached[at(root)] = true;
    while (true) {
        while (!stack.empty()) {
            const int link = stack.back();
            stack.pop_back();
            for (const int joint : graph.joints_below[at(link)]) {
                const int child = graph.child[at(joint)];
                if (reached[at(child)]) continue;
                if (joint_of[at(child)] != joint) {
                    const JointDescription& passed = context.description.joints[at(joint)];
                    passed_over.emplace(Equipment::marked - equipment.preference(passed), joint);
                    continue;
                }
                reached[at(child)] = true;
                stack.push_back(child);
            }
        }
        const auto child_is_reached = [&](const Entry& entry) {
            return reached[at(graph.child[at(entry.second)])];
        };
        while (!passed_over.empty() && child_is_reached(passed_over.top())) passed_over.pop();
        if (passed_over.empty()) return joint_of;
        const int joint = passed_over.top().second;
        const int child = graph.child[at(joint)];
        joint_of[at(child)] = joint;
        reached[at(child)] = true;
        stack.push_back(child);
    }
}

std::vector<int> depth_first_order(const LinkGraph& graph, const std::vector<int>& joint_of, int root) {
    std::vector<int> order;
    std::vector<int> stack{root};
    while (!stack.empty()) {
        const int link = stack.back();
        stack.pop_back();
        order.push_back(link);
        const std::vector<int>& below = graph.joints_below[at(link)];
        for (auto joint = below.rbegin(); joint != below.rend(); ++joint) {
            const int child = graph.child[at(*joint)];
            if (joint_of[at(child)] == *joint) stack.push_back(child);
        }
    }
    return order;
}

void report_loop_joint(const Context& context, const JointDescription& joint,
                       const JointDescription& tree_joint) {
    const bool mark_is_lost = joint.independent == true;
    const std::string found =
        "joint " + quoted(tree_joint.name) + " with the same child " + quoted(joint.child);
    if (mark_is_lost) {
        context.report(Severity::warning, Code::conflict, joint.where, Subject::of("joint", joint.name),
                       "one independent joint above each link", found,
                       "this one closes a loop, so that it has no coordinate to be independent");
        return;
    }
    context.report(Severity::note, Code::rewritten, joint.where, Subject::of("joint", joint.name),
                   "closes a loop from " + quoted(joint.parent) + " to " + quoted(joint.child) +
                       " and has no coordinate",
                   found, "a motor, limits, forces or a mark as independent give it one");
}

}  // namespace

std::optional<SpanningTree> span_tree(const Context& context) {
    const LinkGraph graph = make_link_graph(context);
    std::vector<int> roots;
    for (std::size_t link = 0; link < graph.joints_above.size(); ++link) {
        if (graph.joints_above[link].empty()) roots.push_back(static_cast<int>(link));
    }
    if (!check_root(context, graph, roots)) return std::nullopt;

    SpanningTree tree;
    tree.root = roots.front();
    tree.joint_of = choose_joints(context, graph, tree.root);
    tree.link_order = depth_first_order(graph, tree.joint_of, tree.root);
    for (std::size_t joint = 0; joint < graph.child.size(); ++joint) {
        if (graph.child[joint] < 0) continue;
        const int tree_joint = tree.joint_of[at(graph.child[joint])];
        if (tree_joint == static_cast<int>(joint)) continue;
        tree.loop_joints.push_back(static_cast<int>(joint));
    }
    return tree;
}

void report_loop_joints(const Context& context, const SpanningTree& tree) {
    const std::vector<JointDescription>& joints = context.description.joints;
    for (const int joint : tree.loop_joints) {
        const int child = context.links.find(joints[at(joint)].child);
        report_loop_joint(context, joints[at(joint)], joints[at(tree.joint_of[at(child)])]);
    }
}

}  // namespace grbda::mechanism
