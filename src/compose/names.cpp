#include <algorithm>
#include <unordered_map>

#include "composition.hpp"

namespace grbda::composing {

namespace {

using Names = std::vector<std::string>;

template <class... Lists>
Names names_of(const Lists&... lists) {
    Names names;
    const auto add = [&names](const auto& list) {
        for (const auto& entry : list) names.push_back(entry.name);
    };
    (add(lists), ...);
    return names;
}

/// For names of one kind, finds those of each part that an earlier part, or the composition itself,
/// also has. Names that one part has twice are left to make_mechanism, which has their line numbers.
template <class NamesOfPart>
void check_kind(Composition& composition, const char* kind, NamesOfPart&& names_of_part,
                const std::string& own_name = {}) {
    constexpr std::size_t nobody = static_cast<std::size_t>(-1);
    std::unordered_map<std::string, std::size_t> owner;
    if (!own_name.empty()) owner.emplace(own_name, nobody);
    for (std::size_t part = 0; part < composition.robots.size(); ++part) {
        Names taken;
        std::size_t first_owner = nobody;
        for (const std::string& name : names_of_part(part)) {
            const auto [entry, is_new] = owner.emplace(name, part);
            if (is_new || entry->second == part) continue;
            if (taken.empty()) first_owner = entry->second;
            taken.push_back(name);
        }
        if (taken.empty()) continue;
        const std::string whose = first_owner == nobody
                                      ? ", the link to which parts are attached"
                                      : ", as in " + composition.subject_of(first_owner).text;
        composition.error(Code::duplicate_name, part,
                          std::string("names of ") + kind + " that no other part has", listed(taken) + whose,
                          "give the part another prefix");
    }
}

Names joint_names(Composition& composition, std::size_t part) {
    Names names = names_of(composition.robots[part].joints, composition.robots[part].combined);
    const std::string added = composition.added_joint(part);
    if (std::find(names.begin(), names.end(), added) != names.end()) {
        composition.error(Code::duplicate_name, part, "no joint called " + quoted(added),
                          "one, besides the joint that attaches the part",
                          "give the part another prefix, or rename its joint");
    }
    names.push_back(added);
    return names;
}

Names constraint_names(const RobotDescription& robot) {
    Names names = names_of(robot.loops);
    for (const CouplingDescription& coupling : robot.couplings) {
        if (!is_mimic(coupling)) names.push_back(coupling.name);  // a mimic has the name of its joint
    }
    return names;
}

}  // namespace

void check_names(Composition& composition) {
    const std::vector<RobotDescription>& robots = composition.robots;
    const bool has_world =
        std::any_of(composition.given.begin(), composition.given.end(),
                    [](const RobotPart& part) { return part.parent.empty() || part.parent == world_link; });
    check_kind(
        composition, "links and frames",
        [&](auto i) { return names_of(robots[i].links, robots[i].frames, robots[i].combined); },
        has_world ? world_link : "");
    check_kind(composition, "joints", [&](auto i) { return joint_names(composition, i); });
    check_kind(composition, "loops and couplings", [&](auto i) { return constraint_names(robots[i]); });
    check_kind(composition, "tendons", [&](auto i) { return names_of(robots[i].tendons); });
    check_kind(composition, "states", [&](auto i) { return names_of(robots[i].states); });
    check_kind(composition, "groups", [&](auto i) { return names_of(robots[i].groups); });
    check_kind(composition, "geometries", [&](auto i) { return names_of(robots[i].geometries); });
}

}  // namespace grbda::composing
