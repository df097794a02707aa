#include "world_tree.hpp"

#include <cmath>

#include <Eigen/Geometry>

namespace grbda::baselines {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// v × m
inline Spatial cross_motion(const Spatial& v, const Spatial& m) {
    return {v.angular.cross(m.angular), v.angular.cross(m.linear) + v.linear.cross(m.angular)};
}

/// v ×* f
inline Spatial cross_force(const Spatial& v, const Spatial& f) {
    return {v.angular.cross(f.angular) + v.linear.cross(f.linear), v.angular.cross(f.linear)};
}

inline void add(Spatial& a, const Spatial& b) {
    a.angular += b.angular;
    a.linear += b.linear;
}

WorldTree::Fixed fixed_part(const Body& body) {
    WorldTree::Fixed fixed;
    fixed.rotation = to_eigen(body.rotation);
    fixed.turn_cos = to_eigen(body.turn_cos);
    fixed.turn_sin = to_eigen(body.turn_sin);
    fixed.position = to_eigen(body.position);
    fixed.axis = to_eigen(body.axis);
    fixed.slides = body.joint == JointType::prismatic;
    fixed.single = fixed.slides || body.joint == JointType::revolute || body.joint == JointType::continuous;
    return fixed;
}

/// Motion about the tree's origin of a body's motion about its own origin, in world axes.
inline Spatial about_origin(const Vector3d& position, const Vector3d& angular, const Vector3d& linear) {
    return {angular, linear + position.cross(angular)};
}

void set_column(WorldTree& tree, int place, const Spatial& s) { tree.S.col(place) << s.angular, s.linear; }

void place_single(const WorldTree::Fixed& fixed, const Matrix3d& parent, double q, int place, WorldTree& tree,
                  WorldBody& own) {
    const Vector3d axis = parent * fixed.axis;
    if (fixed.slides) {
        own.orientation.noalias() = parent * fixed.rotation;
        own.position += axis * q;
        set_column(tree, place, {Vector3d::Zero(), axis});
    } else {
        const Matrix3d turned =
            fixed.rotation + (std::cos(q) - 1) * fixed.turn_cos + std::sin(q) * fixed.turn_sin;
        own.orientation.noalias() = parent * turned;
        set_column(tree, place, {axis, own.position.cross(axis)});
    }
}

void place_general(const Body& body, const Matrix3d& parent, const Vector3d& parent_position, const double* q,
                   int first, JointState& joint, WorldTree& tree, WorldBody& own) {
    set_joint(body, q, joint);
    own.orientation.noalias() = parent * joint.rotation;
    own.position = parent_position + parent * joint.position;
    for (int j = 0; j < static_cast<int>(joint.s.cols()); ++j)
        set_column(tree, first + j,
                   about_origin(own.position, own.orientation * joint.s.col(j).head<3>(),
                                own.orientation * joint.s.col(j).tail<3>()));
}

WorldInertia inertia_in_world(const Inertial& inertial, const WorldBody& own) {
    const Vector3d c = own.position + own.orientation * inertial.com;
    WorldInertia inertia{inertial.mass, inertial.mass * c, {}};
    inertia.second.noalias() = own.orientation * inertial.inertia * own.orientation.transpose();
    inertia.second.noalias() -= inertia.first * c.transpose();
    inertia.second.diagonal().array() += inertia.first.dot(c);
    return inertia;
}

/// Entries of H between a velocity and its ancestors: s · F for the force F of its subtree.
void fill_row(const Branches& branches, const WorldTree& tree, int place, const Spatial& F, double* row) {
    const double a = F.angular[0], b = F.angular[1], c = F.angular[2];
    const double d = F.linear[0], e = F.linear[1], f = F.linear[2];
    branches.path(place, [&](int first, int count) {
        double* entries = row + branches.depth(first);
        const auto part = [&](int k) { return tree.S.row(k).data() + first; };
        const double *s0 = part(0), *s1 = part(1), *s2 = part(2), *s3 = part(3), *s4 = part(4), *s5 = part(5);
        for (int j = 0; j < count; ++j)
            entries[j] = (a * s0[j] + b * s1[j] + c * s2[j]) + (d * s3[j] + e * s4[j] + f * s5[j]);
    });
    const int size = branches.depth(place) + 1;
    for (int j = size; j < padded(size); ++j) row[j] = 0;
}

}  // namespace

WorldTree::WorldTree(const Model& model, const Branches& branches)
    : bodies(model.bodies.size()), joints(model.bodies.size()) {
    for (const Body& body : model.bodies) fixed.push_back(fixed_part(body));
    S.setZero(6, branches.size());
    qd.setZero(branches.size());
    C.setZero(branches.size());
}

void set_positions(const Model& model, const Branches& branches, const Eigen::VectorXd& q, WorldTree& tree) {
    if (tree.bodies.empty()) return;
    // of the first body on the world, which may float far from it
    const Body& root = model.bodies[0];
    tree.origin = tree.fixed[0].position;
    if (root.joint == JointType::floating)
        tree.origin += tree.fixed[0].rotation * Vector3d(q[root.q], q[root.q + 1], q[root.q + 2]);
    static const Matrix3d still = Matrix3d::Identity();
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        const WorldTree::Fixed& fixed = tree.fixed[i];
        WorldBody& own = tree.bodies[i];
        const bool on_world = body.parent == world;
        const std::size_t above = on_world ? 0 : static_cast<std::size_t>(body.parent);
        const Matrix3d& parent = on_world ? still : tree.bodies[above].orientation;
        const Vector3d start = on_world ? Vector3d(-tree.origin) : tree.bodies[above].position;
        const int first = branches.first_of_body(static_cast<int>(i));
        if (fixed.single) {
            own.position = start + parent * fixed.position;
            place_single(fixed, parent, q[body.q], first, tree, own);
        } else {
            place_general(body, parent, start, q.data() + body.q, first, tree.joints[i], tree, own);
        }
        own.inertia = inertia_in_world(model.inertials[i], own);
    }
}

void set_motion(const Model& model, const Branches& branches, Wrenches wrenches, WorldTree& tree) {
    const Vector3d gravity = to_eigen(model.gravity);
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        WorldBody& own = tree.bodies[i];
        const int first = branches.first_of_body(static_cast<int>(i));
        Spatial joint;
        for (int j = 0; j < velocity_size(body.joint); ++j) {
            const Spatial s = tree.column(first + j);
            joint.angular += s.angular * tree.qd[first + j];
            joint.linear += s.linear * tree.qd[first + j];
        }
        own.v = joint;
        own.a = {};
        if (body.parent != world) {
            const WorldBody& parent = tree.bodies[static_cast<std::size_t>(body.parent)];
            add(own.v, parent.v);
            own.a = parent.a;
        }
        add(own.a, cross_motion(own.v, joint));
        if (body.joint == JointType::universal || body.joint == JointType::planar) {
            const Vector6 bias = joint_bias(body, tree.joints[i], tree.qd.data() + first);
            add(own.a, about_origin(own.position, own.orientation * bias.head<3>(),
                                    own.orientation * bias.tail<3>()));
        }
        own.f = own.inertia * Spatial{own.a.angular, own.a.linear - gravity};
        add(own.f, cross_force(own.v, own.inertia * own.v));
        if (wrenches.cols() == 0) continue;
        const auto wrench = wrenches.col(static_cast<Eigen::Index>(i));
        const Vector3d force = own.orientation * wrench.head<3>();
        own.f.angular -= own.orientation * wrench.tail<3>() + own.position.cross(force);
        own.f.linear -= force;
    }
}

/// The armature of a floating joint is an inertia j 1 on the joint's own twist: its part of v ×* j v.
void add_turning_armature(const Model& model, const Body& body, int first, WorldTree& tree) {
    const double j = model.armature[body.dof];
    if (j == 0) return;
    const Spatial twist{tree.qd.segment<3>(first + 3), tree.qd.segment<3>(first)};
    const Spatial force = cross_force(twist, {j * twist.angular, j * twist.linear});
    tree.C.segment<3>(first) += force.linear;
    tree.C.segment<3>(first + 3) += force.angular;
}

void mass_and_bias(const Model& model, const Branches& branches, WorldTree& tree, BranchFactor& H) {
    for (std::size_t i = tree.bodies.size(); i-- > 0;) {
        const Body& body = model.bodies[i];
        const WorldBody& own = tree.bodies[i];
        const int first = branches.first_of_body(static_cast<int>(i));
        for (int j = 0; j < velocity_size(body.joint); ++j) {
            const int place = first + j;
            const Spatial s = tree.column(place);
            tree.C[place] = s.angular.dot(own.f.angular) + s.linear.dot(own.f.linear);
            double* row = H.row(branches, place);
            fill_row(branches, tree, place, own.inertia * s, row);
            row[branches.depth(place)] += model.armature[body.dof + j];
        }
        if (body.joint == JointType::floating) add_turning_armature(model, body, first, tree);
        if (body.parent == world) continue;
        WorldBody& parent = tree.bodies[static_cast<std::size_t>(body.parent)];
        parent.inertia += own.inertia;
        add(parent.f, own.f);
    }
}

}  // namespace grbda::baselines
