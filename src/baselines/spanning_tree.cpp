#include "spanning_tree.hpp"

#include <Eigen/Geometry>

namespace grbda::baselines {
namespace {

Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
    Eigen::Matrix3d matrix;
    matrix << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return matrix;
}

/// v × m
Vector6 cross_motion(const Vector6& v, const Vector6& m) {
    Vector6 result;
    result.head<3>() = v.head<3>().cross(m.head<3>());
    result.tail<3>() = v.head<3>().cross(m.tail<3>()) + v.tail<3>().cross(m.head<3>());
    return result;
}

/// v ×* f
Vector6 cross_force(const Vector6& v, const Vector6& f) {
    Vector6 result;
    result.head<3>() = v.head<3>().cross(f.head<3>()) + v.tail<3>().cross(f.tail<3>());
    result.tail<3>() = v.head<3>().cross(f.tail<3>());
    return result;
}

/// Featherstone 2008, eq. 2.63.
Matrix6 spatial_inertia(const Inertial& inertial) {
    const Eigen::Matrix3d c = skew(inertial.com);
    Matrix6 matrix;
    matrix << inertial.inertia + inertial.mass * c * c.transpose(), inertial.mass * c,
        inertial.mass * c.transpose(), inertial.mass * Eigen::Matrix3d::Identity();
    return matrix;
}

}  // namespace

SpanningTree::SpanningTree(const Model& model) : bodies(model.bodies.size()) {
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].inertia = spatial_inertia(model.inertials[i]);
}

void set_positions(const Model& model, const Eigen::VectorXd& q, SpanningTree& tree) {
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        TreeBody& own = tree.bodies[i];
        set_joint(body, q.data() + body.q, own.joint);
        const Eigen::Matrix3d E = own.joint.rotation.transpose();
        own.X << E, Eigen::Matrix3d::Zero(), -E * skew(own.joint.position), E;  // eq. 2.24
        if (body.parent == world) {
            own.orientation = own.joint.rotation;
            own.position = own.joint.position;
        } else {
            const TreeBody& parent = tree.bodies[static_cast<std::size_t>(body.parent)];
            own.orientation = parent.orientation * own.joint.rotation;
            own.position = parent.position + parent.orientation * own.joint.position;
        }
    }
}

void set_velocities(const Model& model, const Eigen::VectorXd& qd, SpanningTree& tree) {
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        TreeBody& own = tree.bodies[i];
        const Vector6 joint_velocity = own.joint.s * qd.segment(body.v, own.joint.s.cols());
        own.v = joint_velocity;
        own.a = joint_bias(body, own.joint, qd.data() + body.v);
        if (body.parent != world) {
            const TreeBody& parent = tree.bodies[static_cast<std::size_t>(body.parent)];
            own.v += own.X * parent.v;
            own.a += own.X * parent.a;
        }
        own.a += cross_motion(own.v, joint_velocity);
    }
}

void mass_matrix(const Model& model, SpanningTree& tree, Eigen::MatrixXd& H) {
    H.setZero();
    for (TreeBody& own : tree.bodies) own.composite = own.inertia;
    for (std::size_t i = tree.bodies.size(); i-- > 0;) {
        const TreeBody& own = tree.bodies[i];
        const Body& body = model.bodies[i];
        if (body.parent != world)
            tree.bodies[static_cast<std::size_t>(body.parent)].composite.noalias() +=
                own.X.transpose() * own.composite * own.X;
        Subspace F = own.composite * own.joint.s;
        const Eigen::Index columns = F.cols();
        H.block(body.v, body.v, columns, columns).noalias() = own.joint.s.transpose() * F;
        std::size_t at = i;
        while (model.bodies[at].parent != world) {
            F = (tree.bodies[at].X.transpose() * F).eval();
            at = static_cast<std::size_t>(model.bodies[at].parent);
            const Subspace& s = tree.bodies[at].joint.s;
            const int row = model.bodies[at].v;
            H.block(row, body.v, s.cols(), columns).noalias() = s.transpose() * F;
            H.block(body.v, row, columns, s.cols()) = H.block(row, body.v, s.cols(), columns).transpose();
        }
    }
    for (std::size_t dof = 0; dof < model.armature.size(); ++dof)
        H(model.v_index[dof], model.v_index[dof]) += model.armature[dof];
}

void bias_force(const Model& model, Wrenches wrenches, const Eigen::VectorXd& qd, SpanningTree& tree,
                Eigen::VectorXd& C) {
    const Eigen::Vector3d gravity = to_eigen(model.gravity);
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
        TreeBody& own = tree.bodies[i];
        Vector6 a = own.a;
        a.tail<3>() -= own.orientation.transpose() * gravity;
        own.f = own.inertia * a + cross_force(own.v, own.inertia * own.v);
        if (wrenches.cols() == 0) continue;
        own.f.head<3>() -= wrenches.col(static_cast<Eigen::Index>(i)).tail<3>();
        own.f.tail<3>() -= wrenches.col(static_cast<Eigen::Index>(i)).head<3>();
    }
    for (std::size_t i = tree.bodies.size(); i-- > 0;) {
        const TreeBody& own = tree.bodies[i];
        const Body& body = model.bodies[i];
        C.segment(body.v, own.joint.s.cols()).noalias() = own.joint.s.transpose() * own.f;
        if (body.parent != world)
            tree.bodies[static_cast<std::size_t>(body.parent)].f += own.X.transpose() * own.f;
    }
    // the armature of a floating joint is an inertia j 1 on the joint's own twist: its part of v ×* j v
    for (const Body& body : model.bodies) {
        if (body.joint != JointType::floating) continue;
        Vector6 twist;
        twist << qd.segment<3>(body.v + 3), qd.segment<3>(body.v);
        const Vector6 force = cross_force(twist, model.armature[body.dof] * twist);
        C.segment<3>(body.v) += force.tail<3>();
        C.segment<3>(body.v + 3) += force.head<3>();
    }
}

}  // namespace grbda::baselines
