#include <algorithm>
#include <cmath>

#include "compile.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/kinds/visit.hpp"

// The pivots of D that count as zero, because no mass moves there.

namespace grbda::compile {

namespace {

constexpr double zero_pivot = 1e-12;      // of D relative to its terms, at the neutral configuration
constexpr double rounded_length = 1e-14;  // of a robot: a shorter arm may be rounding of a zero length

/// "'hand', 'rod'": links of a cluster without mass or inertia.
std::string massless_links(const Draft& draft, const Cluster& c) {
    const Table<Inertial>& inertials = draft.constants.inertials;
    std::string names;
    for (const int i : c.joints)
        if (inertials[i].mass == 0 || inertials[i].inertia.isZero(0))
            names += (names.empty() ? "'" : ", '") + draft.catalogue.names.bodies[i] + "'";
    return names;
}

/// Σ sᵀ B s of all joints over all bodies.
double loose_inertia(const Model& model, const Workspace<double>& data, const Cluster& c,
                     const Table<ArticulatedInertia<double>>& B) {
    if (c.is_direct()) return 0;
    ArticulatedInertia<double> all{};
    for (const int i : c.bodies) all += B[i];
    double inertia = 0;
    for (const int i : c.bodies)
        for (int j = 0; j < velocity_size(model.bodies[i].joint); ++j) {
            const Motion<double>& s = data.s[model.bodies[i].dof + j];
            inertia += dot(s, all * s);
        }
    return inertia;
}

/// Σ w² of column j of G. Its product with loose_inertia() is Jᵀ B J if no motions cancelled
/// in J; for massive bodies that loops keep at rest, only rounding is left of Jᵀ B J.
double squared_rates(const Model& model, const Workspace<double>& data, const Cluster& c, int j) {
    double rates = 0;
    for (int row = 0; row < c.dofs; ++row) {
        const double w = kernels::embedding_entry(model, data, c, row, j);
        rates += w * w;
    }
    return rates;
}

/// Contribution of the body to a pivot if it turned about the axis of its largest
/// moment: about another axis, as a rod's own, only the rounding of this may be left.
double turned_inertia(const Body& body, const Motion<double>& J) {
    return (body.inertia + dot(body.largest, body.largest)) * dot(J.angular, J.angular);
}

Vector3<double> magnitude(const Vector3<double>& a) { return {std::abs(a.x), std::abs(a.y), std::abs(a.z)}; }

Symmetric3<double> magnitude(const Symmetric3<double>& A) {
    return {std::abs(A.xx), std::abs(A.yy), std::abs(A.zz), std::abs(A.xy), std::abs(A.xz), std::abs(A.yz)};
}

ArticulatedInertia<double> magnitude(const ArticulatedInertia<double>& B) {
    return {magnitude(B.M), {magnitude(B.H.x), magnitude(B.H.y), magnitude(B.H.z)}, magnitude(B.J)};
}

/// Σ |J_k B_kl J_l|: for a point mass on its axis of rotation, only the rounding of these terms is left.
double size_of_terms(const Motion<double>& J, const ArticulatedInertia<double>& B) {
    const Motion<double> motion{magnitude(J.linear), magnitude(J.angular)};
    return dot(motion, magnitude(B) * motion);
}

/// Contribution to a pivot of the mass on a body at the end of an arm that turns with it.
double inertia_on_arm(const ArticulatedInertia<double>& B, const Motion<double>& J, double arm) {
    return (B.M.xx + B.M.yy + B.M.zz) * arm * arm * dot(J.angular, J.angular);
}

/// True if the cluster is eliminated joint by joint: D is not computed for clusters whose rows are passed on.
bool goes_by_joints(const Cluster& c) { return c.kind == ClusterKind::rows; }

/// Inertia of everything attached to each body, before the last subtraction of W D⁻¹ Wᵀ. After aba() at rest.
Table<ArticulatedInertia<double>> carried_inertias(const Model& model, const Workspace<double>& data) {
    Table<ArticulatedInertia<double>> B(model.bodies.size());
    for (int i = 0; i < model.body_count(); ++i)
        if (!model.bodies[i].rotor) B[i] = articulated(kernels::inertia_of(model, data, i));
    for (const Cluster& c : model.clusters) {
        if (c.parent_body == world || goes_by_joints(c)) continue;
        for (const int i : c.bodies) {
            const Body& body = model.bodies[i];
            // for a tree cluster, the pass has already added it to the parent body
            if (c.kind == ClusterKind::tree && body.parent != c.parent_body) continue;
            if (body.inertia_kind == InertiaKind::articulated)
                B[c.parent_body] += data.IA[i];
            else if (body.inertia_kind == InertiaKind::about_joint)
                B[c.parent_body] += about(data.IA[i], data.p[i]);
            else
                B[c.parent_body] += data.I[i];
        }
    }
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        if (c->parent_body == world || !goes_by_joints(*c)) continue;
        for (const int i : c->bodies) B[c->parent_body] += B[i];
    }
    return B;
}

/// The same if no pivot can be used: of rigid bodies with all bodies on them, an upper bound.
Table<ArticulatedInertia<double>> composite_inertias(const Model& model, const Workspace<double>& data) {
    Table<ArticulatedInertia<double>> B(model.bodies.size());
    for (int i = 0; i < model.body_count(); ++i)
        if (!model.bodies[i].rotor) B[i] = articulated(kernels::inertia_of(model, data, i));
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        if (c->parent_body == world) continue;
        for (const int i : c->bodies) B[c->parent_body] += B[i];
    }
    return B;
}

/// Contribution of motion J of body i to the size of a pivot's terms.
double size_of_motion(const Body& body, const Motion<double>& J, const ArticulatedInertia<double>& B,
                      double arm) {
    return size_of_terms(J, B) + turned_inertia(body, J) + inertia_on_arm(B, J, arm) / zero_pivot;
}

/// Adds the size of the terms whose difference is each pivot of D: those of
/// the diagonal of Jᵀ B J. `sizes` has an entry per entry of `independent`.
void add_sizes(const Model& model, const Workspace<double>& data, const Cluster& c,
               const Table<ArticulatedInertia<double>>& B, double arm, Table<double>& sizes) {
    const double loose = loose_inertia(model, data, c, B);
    for (int j = 0; j < c.m; ++j) {
        constexpr double rounding_squared = 1e-24;
        double& size = sizes[c.y_begin + j];
        size = rounding_squared / zero_pivot * loose * squared_rates(model, data, c, j);
        for (const int i : c.bodies)
            size += size_of_motion(model.bodies[i], kernels::jacobian_of(model, data, c, i)[j], B[i], arm);
        size += kernels::constant_inertia<double>(model, c, j, j);
        if (c.rotor_kind != RotorKind::moving) continue;
        const auto w = [&](int dof) {
            return kernels::embedding_entry(model, data, c, dof - c.dof_begin, j);
        };
        for (const int r : c.rotors)
            size += model.rotors[r].axial_inertia * w(model.rotors[r].dof) * w(model.rotors[r].dof);
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
            size += model.armature[dof] * w(dof) * w(dof);
    }
}

/// √ of the contribution of each velocity of a cluster [dofs] to such
/// sizes, with all others at rest: it moves all bodies further out.
Table<double> roots_of_joints(const Model& model, const Workspace<double>& data, const Cluster& c,
                              const Table<ArticulatedInertia<double>>& B, double arm) {
    struct Carried {
        ArticulatedInertia<double> terms{}, inertia{};
        double turned = 0;
    };
    Table<Carried> carried(at(c.bodies.size()));
    Table<double> roots(at(c.dofs), 0);
    for (int i = c.bodies.last - 1; i >= c.bodies.first; --i) {
        const Body& body = model.bodies[i];
        Carried& own = carried[i - c.bodies.first];
        own.terms += magnitude(B[i]);
        own.inertia += B[i];
        own.turned += body.inertia + dot(body.largest, body.largest);
        for (int dof = body.dof; dof < body.dof + velocity_size(body.joint); ++dof) {
            const Motion<double>& s = data.s[dof];
            const Motion<double> motion{magnitude(s.linear), magnitude(s.angular)};
            roots[dof - c.dof_begin] =
                std::sqrt(dot(motion, own.terms * motion) + own.turned * dot(s.angular, s.angular) +
                          inertia_on_arm(own.inertia, s, arm) / zero_pivot + model.armature[dof]);
        }
        if (body.parent == c.parent_body) continue;
        Carried& parent = carried[body.parent - c.bodies.first];
        parent.terms += own.terms;
        parent.inertia += own.inertia;
        parent.turned += own.turned;
    }
    for (const int r : c.rotors) {
        const Rotor& rotor = model.rotors[r];
        roots[rotor.dof - c.dof_begin] = std::sqrt(rotor.axial_inertia + model.armature[rotor.dof]);
    }
    return roots;
}

/// The same for a long cluster, from the motion of its joints and the dependent rows
/// of G: an upper bound except for rounding, in time linear in the cluster's length.
void add_long_sizes(const Model& model, Workspace<double>& data, const Cluster& c,
                    const Table<ArticulatedInertia<double>>& B, double arm, Table<double>& sizes) {
    const Table<double> roots = roots_of_joints(model, data, c, B, arm);
    kernels::constraint_rows(model, data, c, kernels::cluster_base(model, data, c, model.neutral.data()),
                             model.neutral.data());
    kernels::invert_dependents(model, data, c, c.index);
    const int width = padded(c.rows);
    Table<double> column(at(c.rows));
    for (int j = 0; j < c.m; ++j) {
        const int own = model.independent[c.y_begin + j] - c.dof_begin;
        for (int r = 0; r < c.rows; ++r)
            column[r] = data.K[c.K_begin + r * c.dofs + own] * model.row_scale[c.row_begin + r];
        double root = roots[own];
        for (int d = 0; d < c.dependents(); ++d) {
            const int dof = model.dependent[c.dependent_begin + d];
            double w = 0;
            for (int r = 0; r < c.rows; ++r) w += data.inverse[c.inverse_begin + d * width + r] * column[r];
            root += std::abs(w) * model.column_scale[dof] * roots[dof - c.dof_begin];
        }
        sizes[c.y_begin + j] = root * root;
    }
}

/// For the floors of coordinates that the model did not choose: √ of
/// the floor from the armature and the rotor of each velocity alone.
Table<double> floor_roots(const Model& model) {
    Table<double> roots(model.v_index.size(), 0);
    for (const Cluster& c : model.clusters) {
        if (!c.has_choice()) continue;
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
            roots[dof] = std::sqrt(floor_fraction * model.armature[dof]);
        for (const int r : c.rotors)
            roots[model.rotors[r].dof] = std::sqrt(floor_fraction * model.rotors[r].axial_inertia);
    }
    return roots;
}

/// Size of the terms whose difference is each pivot of D, per entry of `independent`.
Table<double> pivot_sizes(const Model& model, Workspace<double>& data,
                          const Table<ArticulatedInertia<double>>& B, double arm) {
    Table<double> sizes(at(model.nv), 0);
    for (const Cluster& c : model.clusters)
        if (c.dofs > short_cluster)
            add_long_sizes(model, data, c, B, arm, sizes);
        else
            add_sizes(model, data, c, B, arm, sizes);
    return sizes;
}

/// Independent velocity of a cluster that moves no mass at the neutral configuration; −1 without one.
int massless_velocity(const Workspace<double>& data, const Cluster& c, const Table<double>& sizes) {
    for (int j = 0; j < c.m; ++j) {
        const double size = sizes[c.y_begin + j],
                     pivot = goes_by_joints(c) ? data.margin[c.index] : 1 / data.D[c.D_begin + j * c.m + j],
                     least = goes_by_joints(c) ? 0 : zero_pivot * size;
        if (!(pivot > least && size > 0 && std::isfinite(pivot))) return j;
    }
    return -1;
}

/// Warns of velocities that move no mass at the neutral configuration, and returns the clusters with such a
/// velocity. The clusters before them cannot be judged: their carried inertia was divided by a zero pivot.
Table<char> singular_clusters(Draft& draft, const Model& model, const Workspace<double>& data,
                              const Table<double>& sizes) {
    Table<char> singular(model.clusters.size(), 0), passed = singular;
    for (const int root : branches_without_mass(model))
        std::fill(passed.begin() + root, passed.begin() + model.clusters[root].after, 1);
    for (int k = model.cluster_count() - 1; k >= 0; --k) {
        const Cluster& c = model.clusters[k];
        const int j = passed[k] ? -1 : massless_velocity(data, c, sizes);
        singular[k] = j >= 0;
        if (j >= 0)
            draft.diagnostics.push_back(
                moves_nothing(draft, model, k, j, massless_links(draft, c),
                              "kinematics works, and forward dynamics returns singular_inertia there"));
        if ((singular[k] || passed[k]) && c.parent_cluster != world) passed[c.parent_cluster] = 1;
    }
    return singular;
}

}  // namespace

void find_inertia_floors(Draft& draft, Bench& bench) {
    const Model& model = bench.model;
    Workspace<double>& data = bench.data;
    Table<double>& floors = draft.constants.inertia_floor;
    floors.assign(at(model.nv), 0);
    if (model.nv == 0) return;
    const std::vector<double> still(at(model.nv), 0);
    std::vector<double> ydd(at(model.nv));
    kernels::aba<double>(model, data, model.neutral.data(), still.data(), still.data(), nullptr, ydd.data());
    // s, J and G that short paths left out
    kernels::turn_joints<double>(model, data, model.neutral.data());
    for (const Cluster& c : model.clusters)
        if (!goes_by_joints(c))
            kernels::cluster_positions<double>(model, data, c, c.index, model.neutral.data());
    const double arm = rounded_length * longest_length(draft);
    Table<double> sizes = pivot_sizes(model, data, carried_inertias(model, data), arm);
    draft.constants.floor_root = floor_roots(model);
    find_joint_floors(draft, model, data);
    const Table<char> singular = singular_clusters(draft, model, data, sizes);
    if (std::find(singular.begin(), singular.end(), 1) != singular.end())
        sizes = pivot_sizes(model, data, composite_inertias(model, data), arm);
    for (const Cluster& c : model.clusters)
        for (int j = c.y_begin; j < c.y_begin + c.m; ++j)
            floors[j] = (singular[c.index] ? zero_pivot : floor_fraction) * sizes[j];
}

}  // namespace grbda::compile
