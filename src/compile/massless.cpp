#include <algorithm>

#include "compile.hpp"

// Clusters whose joints move no mass at all, such as a gripper without inertials at the end of an
// arm. Such an end has no equation of motion, and its motion affects nothing else. An armature,
// without reaction on other bodies, gives it one and leaves the motion of all other joints
// unchanged. A branch of the robot without any mass is a different case: its inertia is missing.

namespace grbda::compile {
namespace {

constexpr double end_armature = 1e-3;  ///< kg·m², for slides kg

bool has_inertia(const Body& body) {
    return body.mass != 0 || body.inertia != 0 || dot(body.middle, body.middle) != 0 ||
           dot(body.largest, body.largest) != 0;
}

/// Marks clusters without any mass: neither their bodies nor the bodies
/// on them have mass, and their joints have neither rotors nor armature.
Table<char> weightless_clusters(const Model& model) {
    Table<char> weightless(model.clusters.size(), 1);
    for (const Body& body : model.bodies)
        if (has_inertia(body)) weightless[body.cluster] = 0;
    for (const Rotor& rotor : model.rotors) {
        if (rotor.axial_inertia == 0) continue;
        weightless[model.bodies[model.dof_body[rotor.dof]].cluster] = 0;
        if (rotor.carrier != world) weightless[model.bodies[rotor.carrier].cluster] = 0;
    }
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        if (c->armature) weightless[c->index] = 0;
        if (!weightless[c->index] && c->parent_cluster != world) weightless[c->parent_cluster] = 0;
    }
    return weightless;
}

/// The clusters at which weightless subtrees begin.
std::vector<int> weightless_roots(const Model& model) {
    const Table<char> weightless = weightless_clusters(model);
    std::vector<int> roots;
    for (const Cluster& c : model.clusters)
        if (weightless[c.index] && (c.parent_cluster == world || !weightless[c.parent_cluster]))
            roots.push_back(c.index);
    return roots;
}

/// The first cluster of [root, after) that can move; −1 if none can.
int first_moving(const Model& model, int root) {
    for (int k = root; k < model.clusters[root].after; ++k)
        if (model.clusters[k].m > 0) return k;
    return -1;
}

bool has_floating_joint(const Structure& model, const Cluster& c) {
    for (const int i : c.joints)
        if (model.bodies[i].joint == JointType::floating) return true;
    return false;
}

/// "'hand', 'left_finger', and 3 more"
std::string links_of(const Draft& draft, const Structure& model, int first, int after) {
    constexpr int most = 8;
    std::string names;
    int count = 0;
    for (int k = first; k < after; ++k)
        for (const int i : model.clusters[k].joints)
            if (++count <= most)
                names += (names.empty() ? "'" : ", '") + draft.catalogue.names.bodies[i] + "'";
    return count > most ? names + ", and " + std::to_string(count - most) + " more" : names;
}

}  // namespace

Diagnostic moves_nothing(const Draft& draft, const Structure& model, int cluster, int j,
                         const std::string& links, const std::string& consequence) {
    const int body = model.dof_body[model.independent[model.clusters[cluster].y_begin + j]];
    return {Severity::warning,
            Code::inertia,
            draft.source(body).where,
            cluster_subject(draft, cluster),
            "mass or inertia behind every degree of freedom",
            "joint '" + draft.catalogue.names.joints[body] + "' moves none" +
                (links.empty() ? "" : ": massless or inertialess links " + links),
            "give the links an inertial, or fix the joint; " + consequence};
}

bool add_end_armature(Draft& draft, const Model& model) {
    bool found = false;
    for (const int root : weightless_roots(model)) {
        const int moving = first_moving(model, root), after = model.clusters[root].after;
        if (model.clusters[root].parent_cluster == world || moving < 0) continue;
        for (int k = root; k < after; ++k) {
            Cluster& c = draft.structure.clusters[k];
            if (model.clusters[k].m == 0 || has_floating_joint(model, c)) continue;
            c.armature = true;
            std::fill_n(draft.constants.armature.begin() + c.dof_begin, c.dofs, end_armature);
        }
        if (!draft.structure.clusters[moving].armature) continue;
        found = true;
        draft.diagnostics.push_back(
            moves_nothing(draft, model, moving, 0, links_of(draft, model, root, after),
                          "dynamics gives such joints an armature of " + short_number(end_armature) +
                              " kg·m² (slides: kg), which moves no other joint"));
    }
    return found;
}

Table<int> branches_without_mass(const Model& model) {
    Table<int> branches;
    for (const int root : weightless_roots(model))
        if (const int moving = first_moving(model, root);
            model.clusters[root].parent_cluster == world && moving >= 0)
            branches.push_back(moving);
    return branches;
}

void report_massless_branches(Draft& draft, const Model& model) {
    for (const int k : branches_without_mass(model))
        draft.diagnostics.push_back(moves_nothing(draft, model, k, 0,
                                                  links_of(draft, model, k, model.clusters[k].after),
                                                  "kinematics works, and dynamics returns singular_inertia"));
}

}  // namespace grbda::compile
