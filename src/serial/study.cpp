#include "study.hpp"

#include "grbda/constraints/coordinates.hpp"
#include "grbda/constraints/embedding.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"

namespace grbda::serial {

Study::Study(const Model& full, const Model& tree, const Roles& roles)
    : full_(full), tree_(tree), to_full_(roles.to_full), data_(full), tree_data_(tree) {
    data_.set_chart(roles.chart);
    positions_.resize(at(tree.nq));
    for (int i = 0; i < tree.body_count(); ++i) {
        const Body& body = tree.bodies[i];
        const CoordinateRanges source = full.joint(tree.names.joints[i]);
        for (int j = 0; j < source.q.size(); ++j) positions_[at(body.q + j)] = source.q.first + j;
    }
    for (const Coordinate& each : independent_coordinates(tree, tree_data_.chart()))
        velocities_.push_back(full.joint(tree.names.joints[each.body]).v.first + each.component);
}

bool Study::move(const VectorX<double>& q, const VectorX<double>& delta, VectorX<double>& out) {
    out.resize(full_.nq);
    return integrate(full_, data_, q, to_full_ * delta, out).ok();
}

VectorX<double> Study::tree_configuration(const VectorX<double>& q) const { return q(positions_); }

bool Study::inertia(const VectorX<double>& q) {
    const VectorX<double> rest = VectorX<double>::Zero(full_.nv);
    if (!constraint_embedding(full_, data_, q, rest)) return false;
    G_ = data_.G * to_full_;
    G_tree_ = G_(velocities_, Eigen::all);
    if (!crba(full_, data_, q) || !crba(tree_, tree_data_, tree_configuration(q))) return false;
    M = to_full_.transpose() * data_.M * to_full_;
    M_tree = G_tree_.transpose() * tree_data_.M * G_tree_;
    return true;
}

bool Study::forces(const Model& full, const Model& tree, const VectorX<double>& q,
                   const VectorX<double>& yd) {
    const VectorX<double> yd_full = to_full_ * yd;
    if (!constraint_embedding(full, data_, q, yd_full)) return false;
    const VectorX<double> bias = data_.g(velocities_);
    if (!bias_force(full, data_, q, yd_full)) return false;
    h = to_full_.transpose() * data_.tau;
    if (!rnea(tree, tree_data_, tree_configuration(q), G_tree_ * yd, bias)) return false;
    h_tree = G_tree_.transpose() * tree_data_.tau;
    return true;
}

Eigen::Matrix3d Study::orientation(const VectorX<double>& q, int body) {
    if (body == world || !forward_kinematics(full_, data_, q)) return Eigen::Matrix3d::Identity();
    return frame_orientation(full_, data_, full_.body_frame[body]);
}

}  // namespace grbda::serial
