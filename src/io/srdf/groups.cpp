#include <algorithm>
#include <utility>

#include "elements.hpp"

namespace grbda::srdf {

namespace {

/// Limit on the names in expanded chains and nested
/// groups: a small file could produce far more.
constexpr std::size_t most_members = 1'000'000;

/// Groups as written: their elements, and which groups they contain.
struct Groups {
    std::vector<pugi::xml_node> elements;
    std::vector<std::vector<int>> contained;  ///< by each, in document order
    std::vector<std::vector<int>> containing;
};

Groups read_names(Context& context) {
    xml::Document& document = context.document;
    Groups groups;
    for (const pugi::xml_node element : document.root().children("group")) {
        document.ignore_children_except(element, {"link", "joint", "chain", "group"});
        const std::optional<std::string> name = document.required_text(element, "name");
        if (!name) continue;
        if (context.groups.find(*name) >= 0) {
            document.report(Severity::warning, Code::duplicate_name, element,
                            "a group name that no other has", "'" + *name + "' again", "it is left out");
            continue;
        }
        context.groups.add(*name);
        groups.elements.push_back(element);
    }
    return groups;
}

void read_containment(Context& context, Groups& groups) {
    groups.contained.resize(groups.elements.size());
    groups.containing.resize(groups.elements.size());
    for (std::size_t outer = 0; outer < groups.elements.size(); ++outer) {
        for (const pugi::xml_node element : groups.elements[outer].children("group")) {
            context.document.ignore_children_except(element, {});
            const int inner = context.group(element, "name");
            groups.contained[outer].push_back(inner);
            if (inner >= 0) groups.containing[at(inner)].push_back(static_cast<int>(outer));
        }
    }
}

/// Contained groups before those that contain them; last, in document order, groups in or above a cycle.
std::vector<int> order_of(const Groups& groups, std::size_t& without_cycle) {
    std::vector<int> waiting_for(groups.elements.size(), 0);
    std::vector<int> order;
    for (std::size_t group = 0; group < groups.elements.size(); ++group) {
        for (const int inner : groups.contained[group]) waiting_for[group] += inner >= 0 ? 1 : 0;
        if (waiting_for[group] == 0) order.push_back(static_cast<int>(group));
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        for (const int outer : groups.containing[at(order[next])]) {
            if (--waiting_for[at(outer)] == 0) order.push_back(outer);
        }
    }
    without_cycle = order.size();
    for (std::size_t group = 0; group < waiting_for.size(); ++group) {
        if (waiting_for[group] > 0) order.push_back(static_cast<int>(group));
    }
    return order;
}

void report_cycle(Context& context, const Groups& groups, const std::vector<int>& cycle) {
    const auto name = [&](int group) {
        return "'" + std::string(groups.elements[at(group)].attribute("name").value()) + "'";
    };
    std::string text;
    for (const int group : cycle) text += name(group) + " → ";
    context.document.error(Code::cycle, groups.elements[at(cycle.front())],
                           "groups that do not contain themselves",
                           "the cycle " + text + name(cycle.front()));
}

/// Reports each cycle found by following contained groups
/// from groups in or above cycles, the last ones of `order`.
void report_cycles(Context& context, const Groups& groups, const std::vector<int>& order,
                   std::size_t without_cycle) {
    constexpr int not_walked = -1;
    constexpr int outside = -2;
    std::vector<int> walk_of(groups.elements.size(), outside);
    for (std::size_t i = without_cycle; i < order.size(); ++i) walk_of[at(order[i])] = not_walked;
    const auto leads_to_cycle = [&](int group) { return group >= 0 && walk_of[at(group)] != outside; };
    for (std::size_t i = without_cycle; i < order.size(); ++i) {
        int group = order[i];
        std::vector<int> way;
        while (walk_of[at(group)] == not_walked) {
            walk_of[at(group)] = order[i];
            way.push_back(group);
            const std::vector<int>& inner = groups.contained[at(group)];
            group = *std::find_if(inner.begin(), inner.end(), leads_to_cycle);
        }
        if (way.empty() || walk_of[at(group)] != order[i]) continue;
        way.erase(way.begin(), std::find(way.begin(), way.end(), group));
        report_cycle(context, groups, way);
    }
}

/// Expands links and joints group by group, each once in a group.
class Expansion {
public:
    Expansion(Context& context, const Groups& groups)
        : context_(context),
          groups_(groups),
          links_(groups.elements.size()),
          joints_(groups.elements.size()),
          last_with_link_(context.robot.links.size(), -1),
          last_with_joint_(context.robot.joints.size(), -1) {}

    /// Contained groups come first.
    void expand(int group) {
        group_ = group;
        auto inner = groups_.contained[at(group)].begin();
        for (const pugi::xml_node element : groups_.elements[at(group)].children()) {
            const std::string kind = element.name();
            if (kind == "group") add_group(*inner++);
            if (kind == "link") add_link(context_.link(element, "name"));
            if (kind == "joint") add_joint(context_.joint(element, "name"));
            if (kind == "chain") add_chain(element);
            if (kind != "group") context_.document.ignore_children_except(element, {});
        }
        if (has_member(groups_.elements[at(group)])) return;
        context_.document.report(Severity::warning, Code::missing, groups_.elements[at(group)],
                                 "a group with links or joints", "none");
    }

    void store() {
        for (std::size_t group = 0; group < links_.size(); ++group) {
            const pugi::xml_node element = groups_.elements[group];
            GroupDescription description;
            description.name = element.attribute("name").value();
            description.where = context_.document.where(element);
            for (const int link : links_[group]) {
                description.links.push_back(context_.robot.links[at(link)].name);
            }
            for (const int joint : joints_[group]) {
                description.joints.push_back(context_.robot.joints[at(joint)].name);
            }
            context_.robot.groups.push_back(std::move(description));
            std::sort(joints_[group].begin(), joints_[group].end());
        }
        context_.joints_of_group = std::move(joints_);
    }

private:
    static bool has_member(pugi::xml_node group) {
        return group.child("group") || group.child("link") || group.child("joint") || group.child("chain");
    }

    bool is_full() const { return members_ > most_members; }

    void put_link(int link) { put(link, last_with_link_, links_); }
    void put_joint(int joint) { put(joint, last_with_joint_, joints_); }
    void put(int member, std::vector<int>& last_with, std::vector<std::vector<int>>& lists) {
        if (member < 0 || last_with[at(member)] == group_ || is_full()) return;
        last_with[at(member)] = group_;
        lists[at(group_)].push_back(member);
        count(1);
    }

    void count(std::size_t members) {
        const bool was_full = is_full();
        members_ += members;
        if (was_full || !is_full()) return;
        context_.document.error(Code::too_large, groups_.elements[at(group_)],
                                "groups of at most " + std::to_string(most_members) + " members in all",
                                "more");
    }

    void add_link(int link) {
        put_link(link);
        if (link >= 0) put_joint(context_.index.joint_above[at(link)]);
    }

    void add_joint(int joint) {
        put_joint(joint);
        if (joint >= 0) put_link(context_.index.child[at(joint)]);
    }

    void add_chain(pugi::xml_node element) {
        const int base = context_.link(element, "base_link");
        const int tip = context_.link(element, "tip_link");
        if (base < 0 || tip < 0 || is_full()) return;
        std::vector<int> path;
        if (!context_.index.path(base, tip, path)) {
            context_.document.error(Code::unreachable, element,
                                    "a base_link and a tip_link with joints between them",
                                    "no way between them");
        } else if (path.empty()) {
            context_.document.report(Severity::warning, Code::same_ends, element, "two different links",
                                     "one link twice");
        }
        count(path.size());
        for (const int joint : path) add_joint(joint);
    }

    void add_group(int inner) {
        if (inner < 0 || is_full()) return;
        count(links_[at(inner)].size() + joints_[at(inner)].size());
        for (std::size_t i = 0; i < links_[at(inner)].size(); ++i) put_link(links_[at(inner)][i]);
        for (std::size_t i = 0; i < joints_[at(inner)].size(); ++i) put_joint(joints_[at(inner)][i]);
    }

    Context& context_;
    const Groups& groups_;
    std::vector<std::vector<int>> links_, joints_;  ///< of each group
    std::vector<int> last_with_link_, last_with_joint_;
    int group_ = -1;
    std::size_t members_ = 0;
};

}  // namespace

void read_groups(Context& context) {
    Groups groups = read_names(context);
    read_containment(context, groups);
    std::size_t without_cycle = 0;
    const std::vector<int> order = order_of(groups, without_cycle);
    report_cycles(context, groups, order, without_cycle);
    Expansion expansion(context, groups);
    for (const int group : order) expansion.expand(group);
    expansion.store();
}

}  // namespace grbda::srdf
