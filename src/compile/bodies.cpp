#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "compile.hpp"
#include "grbda/kernels/joint.hpp"

namespace grbda::compile {
namespace {

Matrix3<double> matrix(const Eigen::Matrix3d& A) {
    return {vector(A.col(0)), vector(A.col(1)), vector(A.col(2))};
}

Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
    Eigen::Matrix3d A;
    A << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return A;
}

/// First direction of the plane with this normal: the coordinate axis that follows the normal's largest
/// component (normal z: x; x: y; y: z), made perpendicular. The second one is normal × first.
Eigen::Vector3d plane_direction(const Eigen::Vector3d& normal) {
    Eigen::Index largest = 0;
    normal.cwiseAbs().maxCoeff(&largest);
    const Eigen::Vector3d next = Eigen::Vector3d::Unit((largest + 1) % 3);
    return (next - normal * normal.dot(next)).normalized();
}

/// Turns about a coordinate axis of a frame parallel to the parent's need no general rotation.
void set_turn(const Eigen::Matrix3d& T, const Eigen::Vector3d& axis, Body& body) {
    if (T != Eigen::Matrix3d::Identity()) return;
    const Turn turns[3] = {Turn::about_x, Turn::about_y, Turn::about_z};
    for (int k = 0; k < 3; ++k)
        if (std::abs(axis[k]) == 1) {
            body.turn = turns[k];
            body.turn_sign = axis[k];
        }
}

void set_joint(const MechanismBody& from, Body& body) {
    const Eigen::Matrix3d& T = from.placement.rotation;
    const Eigen::Vector3d& a = from.axis;
    body.joint = from.type;
    body.position = vector(from.placement.translation);
    body.rotation = matrix(T);
    body.turn_cos = matrix(T * (Eigen::Matrix3d::Identity() - a * a.transpose()));
    body.turn_sin = matrix(T * skew(a));
    body.axis = vector(T * a);
    set_turn(T, a, body);
    if (from.type == JointType::universal) body.axis2 = vector(from.axis2);
    if (from.type == JointType::helical) body.axis2 = vector(T * (from.pitch * a));
    if (from.type == JointType::planar) {
        const Eigen::Vector3d x = plane_direction(a);
        body.axis2 = vector(T * x);
        body.axis3 = vector(T * a.cross(x));
    }
}

/// What carries its weight acts on its axis, which does not turn with it.
bool is_carried_on_axis(const MechanismBody& body) {
    constexpr double rounding = 1e-9;  // relative, as for the centre of mass of a rotor
    return std::all_of(body.gravity_compensation.begin(), body.gravity_compensation.end(),
                       [&](const GravityCompensation& carried) {
                           return body.axis.cross(carried.point).norm() <= rounding * carried.point.norm();
                       });
}

/// Leaves on a revolute joint, without a loop, symmetric about the joint's axis, that share a cluster with
/// others.
std::vector<char> find_rotors(const Mechanism& mechanism, const LoadOptions& options,
                              const topology::ClusterTree& tree) {
    const std::size_t n = mechanism.bodies.size();
    std::vector<char> rotor(n, options.rotor_reduction ? 1 : 0);
    const auto exclude = [&](int body) {
        if (body != world) rotor[at(body)] = 0;
    };
    for (const MechanismBody& body : mechanism.bodies) exclude(body.parent);
    for (const MechanismLoop& loop : mechanism.loops) {
        exclude(loop.predecessor);
        exclude(loop.successor);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const MechanismBody& body = mechanism.bodies[i];
        const bool alone = tree.clusters[at(tree.cluster_of[i])].bodies.size() == 1;
        if (alone || body.type != JointType::revolute || !is_axisymmetric(body.inertia, body.axis) ||
            !is_carried_on_axis(body))
            rotor[i] = 0;
    }
    return rotor;
}

/// Adds an inertia given in `pose` to a body's mass, centre of mass and inertia about it.
void merge(const Inertial& added, const Pose& pose, Inertial& into) {
    const double mass = into.mass + added.mass;
    const Eigen::Vector3d c = pose.rotation * added.com + pose.translation;
    const Eigen::Matrix3d inertia = pose.rotation * added.inertia * pose.rotation.transpose();
    if (mass == 0) {
        into.inertia += inertia;
        return;
    }
    const Eigen::Vector3d com = (into.mass * into.com + added.mass * c) / mass;
    const auto about = [&](double m, const Eigen::Vector3d& at_com) {
        const Eigen::Matrix3d s = skew(at_com - com);
        return Eigen::Matrix3d(m * s.transpose() * s);
    };
    into.inertia += about(into.mass, into.com) + inertia + about(added.mass, c);
    into.mass = mass;
    into.com = com;
}

/// Inertia about the centre of mass as its smallest principal moment and two dyads, all of them positive:
/// nothing cancels when they are added.
void set_principal(const Eigen::Matrix3d& inertia, Body& body) {
    const PrincipalInertia principal = principal_inertia(inertia);
    const Eigen::Vector3d moments = principal.moments.cwiseMax(0);  // below it is rounding
    const auto dyad = [&](int k) {
        return vector(principal.axes.col(k) * std::sqrt(moments[k] - moments[0]));
    };
    body.inertia = moments[0];
    body.middle = dyad(1);
    body.largest = dyad(2);
}

/// Gyrostats, and their rigid inertias into their carriers.
void reduce_rotors(const Mechanism& mechanism, const Numbering& numbering, Model& model) {
    std::vector<Inertial> inertias = model.inertials;
    for (Cluster& c : model.clusters) {
        c.rotors_begin = static_cast<int>(model.rotors.size());
        for (int i = c.rotor_begin; i < c.body_end; ++i) {
            const MechanismBody& from = mechanism.bodies[at(numbering.mechanism_of[at(i)])];
            const Body& body = model.bodies[at(i)];
            const double axial = from.axis.dot(from.inertia.inertia * from.axis);
            model.rotors.push_back(
                {i, body.parent, body.parent != c.parent_body, body.dof, axial, body.axis});
            if (body.parent != world) merge(from.inertia, from.placement, inertias[at(body.parent)]);
        }
        c.rotors_end = static_cast<int>(model.rotors.size());
    }
    for (int i = 0; i < model.body_count(); ++i) {
        Body& body = model.bodies[at(i)];
        if (body.rotor) continue;
        body.mass = inertias[at(i)].mass;
        body.com = vector(inertias[at(i)].com);
        set_principal(inertias[at(i)].inertia, body);
    }
}

/// Clusters with their body ranges, and the new number of each body.
Numbering number_bodies(const topology::ClusterTree& tree, const std::vector<char>& rotor, Model& model) {
    Numbering numbering;
    numbering.body_of.resize(rotor.size());
    for (const topology::Cluster& from : tree.clusters) {
        Cluster c;
        c.parent_cluster = from.parent_cluster;
        c.parent_body = from.parent_body == world ? world : numbering.body_of[at(from.parent_body)];
        c.branch = c.parent_cluster == world ? model.branches++ : model.clusters[at(c.parent_cluster)].branch;
        c.body_begin = static_cast<int>(numbering.mechanism_of.size());
        for (const bool turn : {false, true}) {
            if (turn) c.rotor_begin = static_cast<int>(numbering.mechanism_of.size());
            for (const int body : from.bodies) {
                if ((rotor[at(body)] != 0) != turn) continue;
                numbering.body_of[at(body)] = static_cast<int>(numbering.mechanism_of.size());
                numbering.mechanism_of.push_back(body);
            }
        }
        c.body_end = static_cast<int>(numbering.mechanism_of.size());
        model.clusters.push_back(c);
    }
    return numbering;
}

void add_frames(const Mechanism& mechanism, const Numbering& numbering, Model& model) {
    model.body_frame.assign(model.bodies.size(), 0);
    std::vector<char> found(model.bodies.size(), 0);
    for (const MechanismFrame& from : mechanism.frames) {
        const int body = from.body == world ? world : numbering.body_of[at(from.body)];
        if (body != world && !found[at(body)] && from.name == model.names.bodies[at(body)]) {
            model.body_frame[at(body)] = static_cast<int>(model.frames.size());
            found[at(body)] = 1;
        }
        model.frames.push_back(
            {from.name, body, vector(from.placement.translation), matrix(from.placement.rotation)});
    }
}

}  // namespace

Numbering compile_bodies(const Mechanism& mechanism, const LoadOptions& options,
                         const topology::ClusterTree& tree, Model& model) {
    const std::vector<char> rotor = find_rotors(mechanism, options, tree);
    const Numbering numbering = number_bodies(tree, rotor, model);
    model.names.robot = mechanism.name;
    model.names.root = mechanism.root;

    std::vector<int> first_q(mechanism.bodies.size()), first_v(mechanism.bodies.size());
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
        first_q[i] = model.nq;
        first_v[i] = model.nv_tree;
        model.nq += position_size(mechanism.bodies[i].type);
        model.nv_tree += velocity_size(mechanism.bodies[i].type);
    }
    int dof = 0;
    for (std::size_t k = 0; k < model.clusters.size(); ++k) {
        Cluster& c = model.clusters[k];
        c.dof_begin = dof;
        c.angle_begin = static_cast<int>(model.angles.size());
        for (int i = c.body_begin; i < c.body_end; ++i) {
            const int source = numbering.mechanism_of[at(i)];
            const MechanismBody& from = mechanism.bodies[at(source)];
            Body body;
            set_joint(from, body);
            body.rotor = i >= c.rotor_begin;
            body.parent = from.parent == world ? world : numbering.body_of[at(from.parent)];
            body.cluster = static_cast<int>(k);
            body.q = first_q[at(source)];
            body.v = first_v[at(source)];
            body.dof = dof;
            for (int j = 0; j < velocity_size(body.joint); ++j, ++dof) {
                model.v_index.push_back(body.v + j);
                model.dof_body.push_back(i);
                model.armature.push_back(from.armature);
                c.armature = c.armature || from.armature != 0;
            }
            if (body.joint == JointType::floating && from.armature != 0) c.turning_armature = true;
            if (const int angle = angle_index(body.joint); angle >= 0 && !body.rotor) {
                body.angle = static_cast<int>(model.angles.size());
                model.angles.push_back(body.q + angle);
            }
            model.bodies.push_back(body);
            model.inertials.push_back(from.inertia);
            model.limits.push_back(from.limits);
            model.bounded.push_back(from.bounded);
            model.actuated.push_back(from.actuated);
            model.names.bodies.push_back(from.name);
            model.names.joints.push_back(from.joint);
        }
        c.dofs = dof - c.dof_begin;
        c.angle_end = static_cast<int>(model.angles.size());
    }
    reduce_rotors(mechanism, numbering, model);
    add_frames(mechanism, numbering, model);
    return numbering;
}

}  // namespace grbda::compile
