#include <algorithm>
#include <cmath>

#include "compile.hpp"
#include "grbda/kernels/aba.hpp"

// The pivots of D that count as zero: nothing with mass moves there.

namespace grbda::compile {

namespace {

constexpr double zero_pivot = 1e-12;      // of D relative to its terms, at the neutral configuration
constexpr double rounded_length = 1e-14;  // of a robot: an arm of this length may have been written as none

/// Error that names the massless links behind independent velocity j of a cluster.
Diagnostic moves_nothing(const Draft& draft, const Structure& model, int cluster, int j) {
    const Cluster& c = model.clusters[cluster];
    const Table<Inertial>& inertials = draft.constants.inertials;
    std::string names;
    for (const int i : c.joints)
        if (inertials[i].mass == 0 || inertials[i].inertia.isZero(0))
            names += (names.empty() ? "'" : ", '") + draft.catalogue.names.bodies[i] + "'";
    const int body = model.dof_body[model.independent[c.y_begin + j]];
    return {Severity::error,
            Code::inertia,
            draft.source(body).where,
            cluster_subject(draft, cluster),
            "mass or inertia behind every degree of freedom",
            "joint '" + draft.catalogue.names.joints[body] + "' moves none" +
                (names.empty() ? "" : ": massless or inertialess links " + names),
            "give the links an inertial, or fix the joint"};
}

/// Jᵀ B J if no motions cancelled in J: of massive bodies that loops hold still only rounding is left of it.
double uncancelled_inertia(const Model& model, const Data<double>& data, const Cluster& c,
                           const Table<ArticulatedInertia<double>>& B, int j) {
    if (c.is_direct()) return 0;
    double inertia = 0, rates = 0;
    for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) {
        const double w = kernels::embedding_entry(model, data, c, dof - c.dof_begin, j);
        rates += w * w;
        const Motion<double>& s = data.s[dof];
        if (model.dof_body[dof] >= c.bodies.last) continue;
        for (const int i : c.bodies) inertia += dot(s, B[i] * s);
    }
    return inertia * rates;
}

/// What the body would add to a pivot if it turned about the axis of its largest moment: about another axis,
/// as a rod's own, only the rounding of this may be left.
double turned_inertia(const Body& body, const Motion<double>& J) {
    return (body.inertia + dot(body.largest, body.largest)) * dot(J.angular, J.angular);
}

Vector3<double> magnitude(const Vector3<double>& a) { return {std::abs(a.x), std::abs(a.y), std::abs(a.z)}; }

Symmetric3<double> magnitude(const Symmetric3<double>& A) {
    return {std::abs(A.xx), std::abs(A.yy), std::abs(A.zz), std::abs(A.xy), std::abs(A.xz), std::abs(A.yz)};
}

/// Σ |J_k B_kl J_l|: of a point mass on the axis that it turns about only the rounding of these is left.
double size_of_terms(const Motion<double>& J, const ArticulatedInertia<double>& B) {
    const Motion<double> motion{magnitude(J.linear), magnitude(J.angular)};
    const ArticulatedInertia<double> inertia{
        magnitude(B.M), {magnitude(B.H.x), magnitude(B.H.y), magnitude(B.H.z)}, magnitude(B.J)};
    return dot(motion, inertia * motion);
}

/// What the mass on a body would add to a pivot at the end of an arm that turns with it.
double inertia_on_arm(const ArticulatedInertia<double>& B, const Motion<double>& J, double arm) {
    return (B.M.xx + B.M.yy + B.M.zz) * arm * arm * dot(J.angular, J.angular);
}

/// What hangs on each body, before the last subtraction of W D⁻¹ Wᵀ. After aba() at rest.
Table<ArticulatedInertia<double>> carried_inertias(const Model& model, const Data<double>& data) {
    Table<ArticulatedInertia<double>> B(model.bodies.size());
    for (int i = 0; i < model.body_count(); ++i)
        if (!model.bodies[i].rotor) B[i] = articulated(kernels::inertia_of(model, data, i));
    for (const Cluster& c : model.clusters) {
        if (c.parent_body == world) continue;
        for (const int i : c.bodies)
            if (model.bodies[i].inertia_kind == InertiaKind::articulated)
                B[c.parent_body] += data.IA[i];
            else
                B[c.parent_body] += data.I[i];
    }
    return B;
}

/// What motion J of body i adds to the size of a pivot's terms.
double size_of_motion(const Body& body, const Motion<double>& J, const ArticulatedInertia<double>& B,
                      double arm) {
    return size_of_terms(J, B) + turned_inertia(body, J) + inertia_on_arm(B, J, arm) / zero_pivot;
}

/// Size of the terms that each pivot of D is the difference of: those of the diagonal of Jᵀ B J. Per entry of
/// `independent`.
Table<double> inertia_sizes(const Model& model, const Data<double>& data,
                            const Table<ArticulatedInertia<double>>& B, double arm) {
    Table<double> sizes(at(model.nv), 0);
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j) {
            constexpr double rounding_squared = 1e-24;
            double& size = sizes[c.y_begin + j];
            size = rounding_squared / zero_pivot * uncancelled_inertia(model, data, c, B, j);
            for (const int i : c.bodies)
                size +=
                    size_of_motion(model.bodies[i], kernels::jacobian_of(model, data, c, i)[j], B[i], arm);
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
    return sizes;
}

/// For the floors of coordinates that the model did not choose: √ of the floor that armature and rotor of
/// each velocity alone would have.
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

}  // namespace

void find_inertia_floors(Draft& draft, Bench& bench) {
    const Model& model = bench.model;
    Data<double>& data = bench.data;
    Table<double>& floors = draft.constants.inertia_floor;
    floors.assign(at(model.nv), 0);
    if (model.nv == 0) return;
    const std::vector<double> still(at(model.nv), 0);
    std::vector<double> ydd(at(model.nv));
    kernels::aba<double>(model, data, model.neutral.data(), still.data(), still.data(), nullptr, ydd.data());
    // s, J and G where short paths left them out
    kernels::positions<double>(model, data, model.neutral.data());
    const double arm = rounded_length * longest_length(draft);
    const Table<ArticulatedInertia<double>> B = carried_inertias(model, data);
    const Table<double> sizes = inertia_sizes(model, data, B, arm);
    draft.constants.floor_root = floor_roots(model);
    find_joint_floors(draft, model, data);
    // Of the clusters further in nothing can be said: what they carry has gone through a pivot that is none.
    Table<char> spoiled(model.clusters.size(), 0);
    for (int k = model.cluster_count() - 1; k >= 0; --k) {
        const Cluster& c = model.clusters[k];
        bool found = spoiled[k] != 0;
        for (int j = 0; j < c.m; ++j) {
            const double pivot = 1 / data.D[c.D_begin + j * c.m + j], size = sizes[c.y_begin + j];
            floors[c.y_begin + j] = floor_fraction * size;
            if (pivot > zero_pivot * size && size > 0 && std::isfinite(pivot)) continue;
            if (!found) draft.diagnostics.push_back(moves_nothing(draft, model, k, j));
            found = true;
            break;
        }
        if (found && c.parent_cluster != world) spoiled[c.parent_cluster] = 1;
    }
}

}  // namespace grbda::compile
