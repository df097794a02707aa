#include "inertias.hpp"

#include <cmath>

namespace grbda::model {
namespace {

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
    Eigen::Matrix3d A;
    A << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return A;
}

Vector3<double> numbers_of(const Eigen::Vector3d& a) { return {a.x(), a.y(), a.z()}; }

/// Momentum along the axis of the one joint needs no vector.
void fold_momentum(Cluster& c, const Model& model) {
    const Vector3<double>&h = model.momentum[c.y_begin], axis = model.bodies[c.bodies.first].axis;
    const double along = dot(h, axis);
    const Vector3<double> across = h - axis * along;
    if (dot(across, across) > 1e-28 * dot(h, h)) return;  // zero except for rounding
    c.rotor_kind = RotorKind::coaxial;
    c.momentum = along;
}

void fold_rotors(Cluster& c, Model& model) {
    const auto row = [&](int dof, int j) {
        if (c.embedding == Embedding::none) return dof - c.dof_begin == j ? 1. : 0.;
        return model.G[c.G_begin + (dof - c.dof_begin) * c.m + j];
    };
    const auto add = [&](int dof, double inertia) {
        if (inertia == 0) return;
        c.reflected = true;
        for (int j = 0; j < c.m; ++j) {
            if (row(dof, j) == 0) continue;
            for (int k = 0; k <= j; ++k)
                model.D0[c.D_begin + j * c.m + k] += inertia * row(dof, j) * row(dof, k);
        }
    };
    for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) add(dof, model.armature[dof]);
    for (const int r : c.rotors) {
        const Rotor& rotor = model.rotors[r];
        add(rotor.dof, rotor.axial_inertia);
        if (rotor.carrier == world) continue;
        for (int j = 0; j < c.m; ++j)
            model.momentum[c.y_begin + j] += rotor.axis * (rotor.axial_inertia * row(rotor.dof, j));
    }
    if (c.rotor_kind == RotorKind::coaxial) c.rotor_kind = RotorKind::carried;  // with other inertias
    if (c.kind == ClusterKind::joint && c.rotor_kind == RotorKind::carried) fold_momentum(c, model);
}

/// Adds to the constant part of D in a cluster with constant G, lower triangle.
void fold_armature(Model& model, Cluster& c, int dof, double armature) {
    const auto row = [&](int j) {
        if (c.embedding == Embedding::none) return dof - c.dof_begin == j ? 1. : 0.;
        return model.G[c.G_begin + (dof - c.dof_begin) * c.m + j];
    };
    c.reflected = true;
    for (int j = 0; j < c.m; ++j)
        for (int k = 0; k <= j; ++k) model.D0[c.D_begin + j * c.m + k] += armature * row(j) * row(k);
}

}  // namespace

void add_inertial(const Inertial& added, const Pose& pose, Inertial& into) {
    const double mass = into.mass + added.mass;
    const Eigen::Vector3d c = pose.rotation * added.com + pose.translation;
    const Eigen::Matrix3d inertia = pose.rotation * added.inertia * pose.rotation.transpose();
    if (mass == 0) {
        into.inertia += inertia;
        return;
    }
    const Eigen::Vector3d com = (into.mass * into.com + added.mass * c) / mass;
    const auto about = [&](double m, const Eigen::Vector3d& at_com) {
        const Eigen::Matrix3d s = cross_matrix(at_com - com);
        return Eigen::Matrix3d(m * s.transpose() * s);
    };
    into.inertia += about(into.mass, into.com) + inertia + about(added.mass, c);
    into.mass = mass;
    into.com = com;
}

void set_inertial(const Inertial& from, Body& body) {
    const PrincipalInertia principal = principal_inertia(from.inertia);
    const Eigen::Vector3d moments = principal.moments.cwiseMax(0);  // negative values are rounding
    const auto dyad = [&](int k) {
        return numbers_of(principal.axes.col(k) * std::sqrt(moments[k] - moments[0]));
    };
    body.mass = from.mass;
    body.com = numbers_of(from.com);
    body.inertia = moments[0];
    body.middle = dyad(1);
    body.largest = dyad(2);
}

void set_inertial(const Body& body, Link& link) {
    link.com = link.rotation * body.com;
    link.com.z += link.height;
    link.middle = link.rotation * body.middle;
    link.largest = link.rotation * body.largest;
    link.moment = body.inertia + link.middle.z * link.middle.z + link.largest.z * link.largest.z;
}

void fold_rotors(Model& model) {
    model.D0.assign(static_cast<std::size_t>(model.swept.D), 0);
    model.momentum.assign(model.independent.size(), {0, 0, 0});
    for (Cluster& c : model.clusters)
        if (c.rotor_kind != RotorKind::moving) fold_rotors(c, model);
}

void add_armature(std::span<const double> added, Model& model) {
    for (Cluster& c : model.clusters)
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) {
            const double armature = added[at(model.v_index[dof])];
            if (armature == 0) continue;
            model.armature[dof] += armature;
            c.armature = true;
            if (c.rotor_kind != RotorKind::moving) fold_armature(model, c, dof, armature);
        }
    if (first_massless_branch(model) < 0) return;
    Table<int> branches = massless_branches(model);
    std::erase_if(branches, [&](int k) { return model.clusters[k].armature; });
    mark_massless_branches(branches, model);
}

}  // namespace grbda::model
