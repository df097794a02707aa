#include <algorithm>

#include "compile.hpp"
#include "grbda/kernels/embedding.hpp"

// What is the same in every configuration, found once: constant G, rotors and armature that it makes
// constants of a cluster, and what short paths of the sweeps may leave out.

namespace grbda::compile {

namespace {

void fold_couplings(Model& model) {
    Data<double> data(model);
    int size = 0;
    for (const Cluster& c : model.clusters)
        if (c.embedding != Embedding::none) size = std::max(size, c.G_begin + c.dofs * c.m);
    model.G.assign(at(size), 0);
    model.offset.assign(model.v_index.size(), 0);
    const std::vector<double> zero(model.neutral.size(), 0);
    for (const Cluster& c : model.clusters) {
        if (c.embedding != Embedding::constant) continue;
        for (int j = 0; j < c.m; ++j) {
            const int dof = model.independent[at(c.y_begin + j)];
            model.G[at(c.G_begin + (dof - c.dof_begin) * c.m + j)] = 1;
        }
        if (c.rows == 0) continue;  // loops that hold in every pose
        kernels::constraint_rows<double>(model, data, c, {}, zero.data());
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const Eigen::Map<const RowMajor> K(data.K.data() + c.K_begin, c.rows, c.dofs);
        Eigen::MatrixXd K_d(c.rows, c.dependents()), b(c.rows, c.m + 1);
        for (int d = 0; d < c.dependents(); ++d)
            K_d.col(d) = K.col(model.dependent[at(c.dependent_begin + d)] - c.dof_begin);
        for (int j = 0; j < c.m; ++j) b.col(j) = -K.col(model.independent[at(c.y_begin + j)] - c.dof_begin);
        for (int r = 0; r < c.rows; ++r) b(r, c.m) = -data.phi[at(c.row_begin + r)];
        const Eigen::MatrixXd x =
            c.rows == c.dependents() ? solve_square(K_d, b) : solve_least_squares(K_d, b);
        for (int d = 0; d < c.dependents(); ++d) {
            const int dof = model.dependent[at(c.dependent_begin + d)];
            for (int j = 0; j < c.m; ++j) model.G[at(c.G_begin + (dof - c.dof_begin) * c.m + j)] = x(d, j);
            model.offset[at(dof)] = x(d, c.m);
        }
    }
}

/// Rotors on the parent body or the world with constant G, and armature, are constants of the cluster.
void fold_rotors(Model& model) {
    int size = 0;
    for (const Cluster& c : model.clusters) size = std::max(size, c.D_begin + c.m * c.m);
    model.D0.assign(at(size), 0);
    model.momentum.assign(model.independent.size(), {0, 0, 0});
    for (Cluster& c : model.clusters) {
        bool folded = c.embedding != Embedding::implicit;
        for (int r = c.rotors_begin; r < c.rotors_end; ++r)
            folded = folded && !model.rotors[at(r)].carrier_in_cluster;
        if (!folded) continue;
        c.rotors = RotorKind::still;
        const auto row = [&](int dof, int j) {
            if (c.embedding == Embedding::none) return dof - c.dof_begin == j ? 1. : 0.;
            return model.G[at(c.G_begin + (dof - c.dof_begin) * c.m + j)];
        };
        const auto add = [&](int dof, double inertia) {
            for (int j = 0; j < c.m; ++j)
                for (int k = 0; k <= j; ++k)
                    model.D0[at(c.D_begin + j * c.m + k)] += inertia * row(dof, j) * row(dof, k);
        };
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) add(dof, model.armature[at(dof)]);
        for (int r = c.rotors_begin; r < c.rotors_end; ++r) {
            const Rotor& rotor = model.rotors[at(r)];
            add(rotor.dof, rotor.axial_inertia);
            if (rotor.carrier == world) continue;
            c.rotors = RotorKind::carried;
            for (int j = 0; j < c.m; ++j)
                model.momentum[at(c.y_begin + j)] += rotor.axis * (rotor.axial_inertia * row(rotor.dof, j));
        }
    }
}

/// Clusters that the short path takes: on a moving body, folded, and each body on a revolute joint of its own
/// ẏ.
/// Revolute joints with rates ẏ, folded, on a moving body.
bool is_joint_cluster(const Model& model, const Cluster& c) {
    if (c.rotors == RotorKind::moving || c.parent_body == world || c.m != c.rotor_begin - c.body_begin)
        return false;
    const auto begin = model.independent.begin() + c.y_begin, end = begin + c.m;
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Body& body = model.bodies[at(i)];
        if (body.joint != JointType::revolute || std::find(begin, end, body.dof) == end) return false;
    }
    return true;
}

void find_joint_clusters(Model& model) {
    for (Cluster& c : model.clusters) {
        if (!is_joint_cluster(model, c)) continue;
        c.kind = c.m == 1 ? ClusterKind::joint : ClusterKind::joints;
        for (int y = c.y_begin; y < c.y_begin + c.m; ++y)
            model.bodies[at(model.dof_body[at(model.independent[at(y)])])].y = y;
        if (c.kind != ClusterKind::joint || c.rotors != RotorKind::carried) continue;
        const Vector3<double>&h = model.momentum[at(c.y_begin)], axis = model.bodies[at(c.body_begin)].axis;
        const double along = dot(h, axis);
        const Vector3<double> across = h - axis * along;
        if (dot(across, across) > 1e-28 * dot(h, h)) continue;  // but for rounding
        c.rotors = RotorKind::coaxial;
        c.momentum = along;
    }
}

bool is_massless(const Body& body) {
    return body.mass == 0 && body.inertia == 0 && dot(body.middle, body.middle) == 0 &&
           dot(body.largest, body.largest) == 0;
}

void find_inertia_kinds(Model& model) {
    std::vector<char> bare(model.bodies.size(), 1), carries(model.bodies.size(), 0);
    for (const Cluster& c : model.clusters)
        if (c.parent_body != world) bare[at(c.parent_body)] = 0;
    for (const Rotor& rotor : model.rotors)
        if (rotor.carrier != world) carries[at(rotor.carrier)] = 1;
    for (const Cluster& c : model.clusters) {
        if (c.kind != ClusterKind::direct && c.kind != ClusterKind::general) continue;
        for (int i = c.body_begin; i < c.rotor_begin; ++i) {
            if (!bare[at(i)]) continue;
            Body& body = model.bodies[at(i)];
            body.inertia_kind = is_massless(body) && !carries[at(i)] ? InertiaKind::none : InertiaKind::rigid;
        }
    }
}

}  // namespace

void fold_constants(Model& model) {
    fold_couplings(model);
    fold_rotors(model);
    find_joint_clusters(model);
    find_inertia_kinds(model);
}

}  // namespace grbda::compile
