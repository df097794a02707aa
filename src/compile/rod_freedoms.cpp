#include <algorithm>
#include <map>

#include "compile.hpp"

// A rod takes its joints and most rows of its loop out of the mechanism. If axes are slightly misaligned,
// rows that nearly repeat each other may then count as constraints where they do not with all links, or the
// other way round. The mechanism with all links decides: rods that would change its freedoms remain links.

namespace grbda::compile {
namespace {

/// Rods of one cluster.
struct Group {
    std::vector<std::string> names;
    std::string joint;   ///< of one of their links
    int free_spins = 0;  ///< freedoms that they lose on purpose: rotations about their own lines
};

/// Rods that were links, by cluster, of the clusters whose rank depends on what counts as rounded.
std::map<int, Group> doubtful_rods(const Draft& draft) {
    std::map<int, Group> groups;
    for (const MechanismRod& rod : draft.mechanism.rods) {
        const MechanismLoop& loop = draft.mechanism.loops[rod.loop];
        const int body = draft.body(std::max(loop.predecessor, loop.successor));
        const int cluster = draft.structure.bodies[body].cluster;
        if (rod.joints.empty() || !draft.doubtful[cluster]) continue;
        Group& group = groups[cluster];
        group.names.push_back(rod.name);
        group.joint = rod.joints.front();
        group.free_spins += rod.joint == RodJoint::ball ? 1 : 0;
    }
    return groups;
}

int cluster_with(const Draft& draft, const std::string& joint) {
    const Table<std::string>& joints = draft.catalogue.names.joints;
    const auto found = std::find(joints.begin(), joints.end(), joint);
    return found == joints.end() ? -1
                                 : draft.structure.bodies[static_cast<int>(found - joints.begin())].cluster;
}

}  // namespace

Table<std::string> rods_that_change_freedoms(const Draft& draft, const Mechanism& full,
                                             const LoadOptions& options) {
    const std::map<int, Group> groups = doubtful_rods(draft);
    if (groups.empty()) return {};
    const Mechanism links = reduce_rods(full, false);
    Diagnostics unheard;
    Draft with_links(links, unheard);
    write_down(options, with_links);
    if (has_errors(unheard)) return {};
    keep_rows(with_links);
    assemble_all(with_links);
    Table<std::string> names;
    for (const auto& [cluster, group] : groups) {
        const int same = cluster_with(with_links, group.joint);
        if (same < 0 || !with_links.closed[same]) continue;
        const std::ptrdiff_t freedoms = std::ssize(with_links.independents[same]) - group.free_spins;
        if (draft.closed[cluster] && std::ssize(draft.independents[cluster]) == freedoms) continue;
        names.insert(names.end(), group.names.begin(), group.names.end());
    }
    return names;
}

}  // namespace grbda::compile
