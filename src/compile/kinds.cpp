#include <algorithm>

#include "draft.hpp"

// Which short paths of the sweeps a cluster or a body takes.

namespace grbda::compile {
namespace {

/// Rotors on the parent body or the world with constant G, and armature, are constants of the cluster.
void find_rotor_kinds(Structure& model) {
    for (Cluster& c : model.clusters) {
        bool folded = c.embedding != Embedding::implicit, carried = false;
        for (const int r : c.rotors) {
            const Rotor& rotor = model.rotors[r];
            folded = folded && !rotor.carrier_in_cluster;
            carried = carried || rotor.carrier != world;
        }
        c.rotor_kind = !folded ? RotorKind::moving : carried ? RotorKind::carried : RotorKind::still;
    }
}

/// Clusters whose one body with kinematics moves as ẏ says: free joints, and those that only drive rotors.
void find_direct_clusters(Structure& model) {
    for (Cluster& c : model.clusters) {
        if (c.bodies.size() != 1 || c.embedding == Embedding::implicit) continue;
        const Body& body = model.bodies[c.bodies.first];
        bool direct = c.m == velocity_size(body.joint);
        for (int j = 0; j < c.m; ++j) direct = direct && model.independent[c.y_begin + j] == body.dof + j;
        if (!direct) continue;
        const bool base =
            c.embedding == Embedding::none && body.joint == JointType::floating && c.parent_body == world;
        c.kind = base ? ClusterKind::floating_base : ClusterKind::direct;
    }
}

/// Revolute joints with rates ẏ, folded, on a moving body.
bool is_joint_cluster(const Structure& model, const Cluster& c) {
    if (c.rotor_kind == RotorKind::moving || c.parent_body == world || c.m != c.bodies.size()) return false;
    const auto begin = model.independent.begin() + c.y_begin, end = begin + c.m;
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        if (body.joint != JointType::revolute || std::find(begin, end, body.dof) == end) return false;
    }
    return true;
}

void find_joint_clusters(Structure& model) {
    for (Cluster& c : model.clusters) {
        if (!is_joint_cluster(model, c)) continue;
        c.kind = c.m == 1 ? ClusterKind::joint : ClusterKind::joints;
        for (int y = c.y_begin; y < c.y_begin + c.m; ++y)
            model.bodies[model.dof_body[model.independent[y]]].y = y;
    }
}

bool is_massless(const Body& body) {
    return body.mass == 0 && body.inertia == 0 && dot(body.middle, body.middle) == 0 &&
           dot(body.largest, body.largest) == 0;
}

void find_inertia_kinds(Structure& model) {
    Table<char> bare(model.bodies.size(), 1), carries(model.bodies.size(), 0);
    for (const Cluster& c : model.clusters)
        if (c.parent_body != world) bare[c.parent_body] = 0;
    for (const Rotor& rotor : model.rotors)
        if (rotor.carrier != world) carries[rotor.carrier] = 1;
    for (const Cluster& c : model.clusters) {
        if (c.kind != ClusterKind::direct && c.kind != ClusterKind::general) continue;
        for (const int i : c.bodies) {
            if (!bare[i]) continue;
            Body& body = model.bodies[i];
            body.inertia_kind = is_massless(body) && !carries[i] ? InertiaKind::none : InertiaKind::rigid;
        }
    }
}

}  // namespace

void find_kinds(Structure& model) {
    find_rotor_kinds(model);
    find_direct_clusters(model);
    find_joint_clusters(model);
    find_inertia_kinds(model);
}

}  // namespace grbda::compile
