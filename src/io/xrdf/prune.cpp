#include <algorithm>
#include <utility>
#include <vector>

#include "sections.hpp"

namespace grbda::xrdf {

namespace {

/// Links at or below a link, along any joints.
std::vector<bool> links_below(const RobotIndex& index, int base) {
    std::vector<std::vector<int>> children(index.joint_above.size());
    for (std::size_t joint = 0; joint < index.child.size(); ++joint) {
        if (index.parent[joint] >= 0 && index.child[joint] >= 0) {
            children[at(index.parent[joint])].push_back(index.child[joint]);
        }
    }
    std::vector<bool> below(children.size(), false);
    std::vector<int> stack{base};
    below[at(base)] = true;
    while (!stack.empty()) {
        const int link = stack.back();
        stack.pop_back();
        for (const int child : children[at(link)]) {
            if (below[at(child)]) continue;
            below[at(child)] = true;
            stack.push_back(child);
        }
    }
    return below;
}

/// Removes what is outside a base, and reports where that cuts the robot.
class Pruning {
public:
    Pruning(yaml::Document& document, const yaml::Node& node, int base, RobotDescription& robot)
        : document_(document), node_(node), robot_(robot), index_(robot), kept_(links_below(index_, base)) {
        pruned_.base = robot.links[at(base)].name;
        for (std::size_t link = 0; link < kept_.size(); ++link) {
            if (!kept_[link]) pruned_.places.insert(robot.links[link].name);
        }
        cut_joints(base);
    }

    Pruned run() {
        cut_loops();
        cut_couplings();
        if (pruned_.joints.empty() && pruned_.places.empty()) return {};
        note();
        drop_frames();
        drop_structure();
        drop_roles();
        drop_data();
        return std::move(pruned_);
    }

private:
    bool has_place(const std::string& name) const { return pruned_.places.count(name) != 0; }
    bool has_joint(const std::string& name) const { return pruned_.joints.count(name) != 0; }

    void report_cut(const std::string& what, const std::string& end) {
        document_.error(Code::unsupported, node_,
                        "a base at or above both ends of each loop, joint and coupling",
                        what + ", of which " + quoted(end) + " would be left out");
    }

    void cut_joints(int base) {
        const int above = index_.joint_above[at(base)];
        for (std::size_t joint = 0; joint < index_.child.size(); ++joint) {
            const int parent = index_.parent[joint];
            const int child = index_.child[joint];
            if (parent < 0 || child < 0 || (kept_[at(parent)] && child != base)) continue;
            const JointDescription& description = robot_.joints[joint];
            pruned_.joints.insert(description.name);
            if (!kept_[at(child)] || static_cast<int>(joint) == above) continue;
            if (child == base) {
                document_.error(Code::unsupported, node_, "a base with one joint above it",
                                "a second one, " + quoted(description.name) + ", which closes a loop");
            } else {
                report_cut("joint " + quoted(description.name), description.parent);
            }
        }
    }

    void cut_pair(const char* kind, const std::string& name, const std::string& a, const std::string& b) {
        if (has_place(a) != has_place(b)) report_cut(kind + (" " + quoted(name)), has_place(a) ? a : b);
    }

    void cut_loops() {
        for (const LoopDescription& loop : robot_.loops) {
            cut_pair("loop", loop.name, loop.predecessor, loop.successor);
        }
    }

    /// Related joints are removed together or not at all.
    void cut_related(const std::string& what, const std::vector<std::string>& joints) {
        const auto is_pruned = [&](const std::string& joint) { return has_joint(joint); };
        const auto first = std::find_if(joints.begin(), joints.end(), is_pruned);
        if (first == joints.end() || std::all_of(joints.begin(), joints.end(), is_pruned)) return;
        report_cut(what, *first);
    }

    void cut_couplings() {
        for (const CouplingDescription& coupling : robot_.couplings) {
            if (const auto* const gear = coupling.as<GearRelation>())
                cut_pair("coupling", coupling.name, gear->predecessor, gear->successor);
            else
                cut_related(is_mimic(coupling) ? coupling.name : "coupling " + quoted(coupling.name),
                            joints_of(coupling));
        }
        for (const CombinedCoordinate& coordinate : robot_.combined) {
            cut_related("coordinate " + quoted(coordinate.name), joints_of(coordinate));
        }
        for (const TendonDescription& tendon : robot_.tendons) {
            cut_related("tendon " + quoted(tendon.name), joints_of(tendon));
        }
    }

    void note() {
        const auto listed = [](const std::set<std::string>& names) {
            constexpr int most_named = 5;
            std::string text;
            int count = 0;
            for (const std::string& name : names) {
                if (++count <= most_named) text += (count > 1 ? ", " : "") + quoted(name);
            }
            return count > most_named ? text + " and " + std::to_string(count - most_named) + " more" : text;
        };
        document_.report(Severity::note, Code::rewritten, node_,
                         quoted(pruned_.base) + " is the root, its frame the world; links " +
                             listed(pruned_.places) + " and joints " + listed(pruned_.joints) +
                             " are left out, with all that speaks of them",
                         "");
    }

    void drop_frames() {
        const auto is_pruned = [&](const FrameDescription& frame) { return has_place(frame.link); };
        std::vector<std::string> names;
        for (const FrameDescription& frame : robot_.frames) {
            if (is_pruned(frame)) names.push_back(frame.name);
        }
        std::erase_if(robot_.frames, is_pruned);
        pruned_.places.insert(names.begin(), names.end());
    }

    void drop_structure() {
        std::erase_if(robot_.links, [&](const auto& link) { return has_place(link.name); });
        std::erase_if(robot_.joints, [&](const auto& joint) { return has_joint(joint.name); });
        const auto either = [&](const auto& entry) {
            return has_place(entry.predecessor) || has_place(entry.successor);
        };
        const auto any_joint = [&](const auto& entry) {
            const std::vector<std::string> joints = joints_of(entry);
            return std::any_of(joints.begin(), joints.end(),
                               [&](const std::string& joint) { return has_joint(joint); });
        };
        std::erase_if(robot_.loops, either);
        std::erase_if(robot_.couplings, [&](const CouplingDescription& coupling) {
            const auto* const gear = coupling.as<GearRelation>();
            return gear != nullptr ? either(*gear) : any_joint(coupling);
        });
        std::erase_if(robot_.combined, any_joint);
        std::erase_if(robot_.tendons, any_joint);
    }

    void drop_roles() {
        const auto is_joint = [&](const std::string& name) { return has_joint(name); };
        const auto is_place = [&](const std::string& name) { return has_place(name); };
        const auto starts = [&](const auto& entry) { return has_joint(entry.first); };
        const bool had_motors = !robot_.actuated.empty();
        std::erase_if(robot_.actuated, is_joint);
        if (had_motors && robot_.actuated.empty()) {
            document_.report(Severity::warning, Code::ignored, node_, "a motor at or below the base",
                             "that all motors are left out",
                             "the robot counts as one whose motors are not named");
        }
        std::erase_if(robot_.passive, is_joint);
        std::erase_if(robot_.coordinates, is_joint);
        std::erase_if(robot_.start, starts);
        for (StateDescription& state : robot_.states) {
            std::erase_if(state.positions, starts);
            std::erase_if(state.targets, starts);
        }
        std::erase_if(robot_.tool_frames, is_place);
        for (GroupDescription& group : robot_.groups) {
            std::erase_if(group.links, is_place);
            std::erase_if(group.joints, is_joint);
        }
    }

    void drop_data() {
        const auto is_place = [&](const std::string& name) { return has_place(name); };
        const auto carries = [&](const auto& entry) { return has_place(entry.first); };
        for (GeometryDescription& geometry : robot_.geometries) std::erase_if(geometry.spheres, carries);
        for (CollisionDescription* collision : {&robot_.collision, &robot_.self_collision}) {
            std::erase_if(collision->buffer_distance, carries);
            std::erase_if(collision->ignore, carries);
            for (auto& [name, others] : collision->ignore) std::erase_if(others, is_place);
        }
    }

    yaml::Document& document_;
    const yaml::Node& node_;
    RobotDescription& robot_;
    RobotIndex index_;
    std::vector<bool> kept_;
    Pruned pruned_;
};

}  // namespace

Pruned prune(yaml::Document& document, const yaml::Node& node, int base, RobotDescription& robot) {
    return Pruning(document, node, base, robot).run();
}

}  // namespace grbda::xrdf
