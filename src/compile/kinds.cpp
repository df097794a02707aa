#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "draft.hpp"

// Decides which kind of passes a cluster or a body has.

namespace grbda::compile {
namespace {

/// Returns false, except in a build that measures what each kind gains (benchmarks/kinds.sh): there the
/// environment variable GRBDA_WITHOUT names the kind that is not used.
bool is_omitted([[maybe_unused]] std::string_view kind) {
#if defined(GRBDA_MEASURE_KINDS)
    const char* omitted = std::getenv("GRBDA_WITHOUT");
    return omitted && kind == omitted;
#else
    return false;
#endif
}

/// Rotors on the parent body or the world with constant G, and armature, are constants of the cluster.
void find_rotor_kinds(Structure& model) {
    for (Cluster& c : model.clusters) {
        bool folded = c.embedding != Embedding::implicit && !is_omitted("folded"), carried = false;
        for (const int r : c.rotors) {
            const Rotor& rotor = model.rotors[r];
            folded = folded && !rotor.carrier_in_cluster;
            carried = carried || rotor.carrier != world;
        }
        c.rotor_kind = !folded ? RotorKind::moving : carried ? RotorKind::carried : RotorKind::still;
    }
}

/// Clusters with one body with kinematics that moves as ẏ: free joints, and joints that only drive rotors.
void find_direct_clusters(Structure& model) {
    for (Cluster& c : model.clusters) {
        if (c.bodies.size() != 1 || c.embedding == Embedding::implicit || c.rotor_kind == RotorKind::moving ||
            !c.rods.empty())
            continue;
        const Body& body = model.bodies[c.bodies.first];
        bool direct = c.m == velocity_size(body.joint);
        for (int j = 0; j < c.m; ++j) direct = direct && model.independent[c.y_begin + j] == body.dof + j;
        if (!direct) continue;
        const bool base =
            c.embedding == Embedding::none && body.joint == JointType::floating && c.parent_body == world;
        c.kind = base && !is_omitted("floating_base") ? ClusterKind::floating_base : ClusterKind::direct;
    }
}

/// Revolute joints with rates ẏ, folded, on a moving body.
bool is_joint_cluster(const Structure& model, const Cluster& c) {
    if (c.rotor_kind == RotorKind::moving || c.parent_body == world || c.m != c.bodies.size() ||
        !c.rods.empty() || is_omitted(c.m == 1 ? "joint" : "joints"))
        return false;
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

/// Per body: it has neither mass nor a rotor nor the end of a rod.
Table<char> light_bodies(const Structure& model) {
    Table<char> light(model.bodies.size());
    for (int i = 0; i < model.body_count(); ++i) light[i] = is_massless(model.bodies[i]);
    for (const Rod& rod : model.rods)
        for (const LoopEnd* end : {&model.loops[rod.loop].predecessor, &model.loops[rod.loop].successor})
            if (end->body != world) light[end->body] = 0;
    for (const Rotor& rotor : model.rotors)
        if (rotor.carrier != world) light[rotor.carrier] = 0;
    return light;
}

/// Marks bodies that carry clusters, and bodies without mass.
void find_burdens(Structure& model) {
    const Table<char> light = light_bodies(model);
    for (const Cluster& c : model.clusters)
        for (const int i : c.bodies) {
            model.bodies[i].carries_cluster = false;
            model.bodies[i].massless = light[i] != 0;
        }
    for (const Cluster& c : model.clusters)  // also those of reduced rotors alone
        if (c.parent_body != world) model.bodies[c.parent_body].carries_cluster = true;
    for (int i = model.body_count() - 1; i >= 0; --i) {
        const Body& body = model.bodies[i];
        if (body.rotor || body.parent == world) continue;
        Body& before = model.bodies[body.parent];
        before.carries_cluster = before.carries_cluster || body.carries_cluster;
        before.massless = before.massless && body.massless && before.cluster == body.cluster;
    }
}

InertiaKind inertia_kind(const Cluster& c, const Body& body, bool hung_on, bool light) {
    switch (c.kind) {
        case ClusterKind::joint:
        case ClusterKind::joints:
        case ClusterKind::rows:
        case ClusterKind::floating_base: return InertiaKind::articulated;
        case ClusterKind::tree:
            return body.carries_cluster || is_omitted("rigid") ? InertiaKind::articulated
                                                               : InertiaKind::rigid;
        case ClusterKind::direct:
        case ClusterKind::planar:
        case ClusterKind::general: break;
    }
    if (hung_on) return InertiaKind::articulated;
    if (light && !is_omitted("none")) return InertiaKind::none;
    return is_omitted("rigid") ? InertiaKind::articulated : InertiaKind::rigid;
}

void find_inertia_kinds(Structure& model) {
    const Table<char> light = light_bodies(model);
    Table<char> hung_on(model.bodies.size(), 0);
    for (const Cluster& c : model.clusters)
        if (c.parent_body != world) hung_on[c.parent_body] = 1;
    for (const Cluster& c : model.clusters)
        for (const int i : c.bodies) {
            Body& body = model.bodies[i];
            body.inertia_kind = inertia_kind(c, body, hung_on[i], light[i]);
        }
}

/// Per body: distance of its joint from the origin of the common frame, at most, if slides do not move.
Table<double> distances(const Structure& model) {
    Table<double> distance(model.bodies.size(), 0);
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        if (body.parent != world)
            distance[i] = distance[body.parent] + std::sqrt(dot(body.position, body.position));
    }
    return distance;
}

/// Moment of inertia of a body about its joint's axis, of a revolute joint.
double moment_about_axis(const Body& body) {
    const Vector3<double> axis = transpose_times(body.rotation, body.axis), arm = cross(axis, body.com);
    const double middle = dot(body.middle, axis), largest = dot(body.largest, axis);
    return body.inertia + middle * middle + largest * largest + body.mass * dot(arm, arm);
}

/// Joints with all further out whose moment of inertia would lose digits beside m r² of their mass m at the
/// distance r of the common frame's origin: their inertias are about the joint.
void find_light_joints(Structure& model) {
    constexpr double small = 1e-3;
    const Table<double> distance = distances(model);
    Table<double> mass(model.bodies.size(), 0);
    Table<char> carries_others(model.bodies.size(), 0);  // than such joints
    for (int k = model.cluster_count() - 1; k >= 0; --k) {
        const Cluster& c = model.clusters[k];
        bool is_light = false;
        if (c.kind == ClusterKind::joint) {
            const int i = c.bodies.first;
            Body& body = model.bodies[i];
            mass[i] += body.mass;
            is_light = carries_others[i] == 0 &&
                       moment_about_axis(body) < small * mass[i] * distance[i] * distance[i];
            if (is_light) body.inertia_kind = InertiaKind::about_joint;
            mass[c.parent_body] += mass[i];
        }
        if (c.parent_body != world && !is_light) carries_others[c.parent_body] = 1;
    }
}

ClusterKind kind_of(Form form) {
    switch (form) {
        case Form::jacobians: return ClusterKind::general;
        case Form::tree: return ClusterKind::tree;
        case Form::rows: break;
    }
    return ClusterKind::rows;
}

/// Operations with rows passed on from joint to joint; infinite if that is impossible.
double rows_cost(const Structure& model, const Cluster& c) {
    constexpr double none = std::numeric_limits<double>::infinity();
    const bool chosen = c.m > 0 || c.rows >= c.dofs;  // otherwise no pass visits it yet
    if (c.rows == 0 || (chosen && c.rows != c.dependents()) || !has_sound_joints(model, c) || !c.rods.empty())
        return none;
    constexpr double joint = 195, wrench = 36, row = 12, slowness = 2.4;
    const Ways ways = ways_of_rows(model, c);
    double cost = 0;
    for (const int i : c.joints) {
        const double passing = static_cast<double>(ways.carried[at(i - c.joints.first)].size());
        cost += velocity_size(model.bodies[i].joint) * (joint + passing * (wrench + passing));
    }
    for (const std::vector<int>& ended : ways.ended) {
        const double n = static_cast<double>(ended.size());
        cost += n * n * n / 3 + n * n * row;
    }
    return slowness * cost;
}

/// The form that the user requested, if available, or the cheapest one.
Form form_of(const Draft& draft, std::optional<Form> wanted, const Structure& model, const Cluster& c) {
    const FormCosts costs = form_costs(model, c);
    const bool can_pass_rows_on =
        std::isfinite(costs.rows) && (draft.rows_stay.empty() || !draft.rows_stay[c.index]);
    if (wanted) return *wanted == Form::rows && !can_pass_rows_on ? Form::tree : *wanted;
    const double embedded = std::min(costs.jacobians, costs.tree);
    if (can_pass_rows_on && costs.rows < embedded && !is_omitted("rows")) return Form::rows;
    return costs.tree < costs.jacobians && !is_omitted("tree") ? Form::tree : Form::jacobians;
}

}  // namespace

bool has_sound_joints(const Structure& model, const Cluster& c) {
    for (const int i : c.bodies)
        if (!(model.bodies[i].mass > 0) || !(model.bodies[i].inertia > 0)) return false;
    for (const int r : c.rotors)
        if (!(model.rotors[r].axial_inertia > 0)) return false;
    return true;
}

// Counts additions and multiplications. Those of the tree and of rows, in short loops over different
// joints, get weights for their longer time relative to columns of J, measured on chains and robots.
FormCosts form_costs(const Structure& model, const Cluster& c) {
    // a product with a rigid inertia; with s or J; of a pair of columns
    constexpr double momentum = 45, power = 11, column = 12;
    constexpr double slowness = 1.9, joint = 280;
    const double m = c.m, d = c.dependents(), factor = m * m * m / 3;
    FormCosts costs{factor, factor + 2 * m * m * d + m * d * d + 6 * m * d, rows_cost(model, c)};
    // number of velocities of the joints from the cluster's parent to each body
    std::vector<int> on_path(at(c.bodies.size()));
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        const int size = velocity_size(body.joint);
        on_path[at(i - c.bodies.first)] =
            size + (body.parent == c.parent_body ? 0 : on_path[at(body.parent - c.bodies.first)]);
        costs.jacobians += column * m * size;
        if (body.massless) continue;
        costs.jacobians += m * (momentum + column) + power * m * (m + 1) / 2;
        costs.tree += size * momentum + 2 * column + power * size * on_path[at(i - c.bodies.first)];
    }
    costs.tree = slowness * costs.tree + joint * c.bodies.size();
    return costs;
}

void find_kinds(const Draft& draft, std::optional<Form> form, std::optional<Form> form_of_long,
                Structure& model) {
    find_rotor_kinds(model);
    find_direct_clusters(model);
    find_joint_clusters(model);
    find_burdens(model);
    for (Cluster& c : model.clusters) {
        if (!c.has_cut_tree()) continue;
        const std::optional<Form> wanted = c.dofs > short_cluster ? form_of_long : form;
        c.kind = kind_of(form_of(draft, wanted, model, c));
        if (!wanted && c.kind == ClusterKind::general && c.rods.empty() && !is_omitted("planar") &&
            find_linkage(c, model))
            c.kind = ClusterKind::planar;
        if (c.kind != ClusterKind::rows) continue;
        pass_rows_on(c, model);
        c.rotor_kind = RotorKind::moving;  // they are treated as ordinary joints
    }
    find_inertia_kinds(model);
    find_light_joints(model);
}

}  // namespace grbda::compile
