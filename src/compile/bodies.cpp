#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "compile.hpp"
#include "description/rules.hpp"
#include "kernels/body/joint.hpp"
#include "mechanism/touchable.hpp"
#include "model/inertias.hpp"

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

/// Rotations about a coordinate axis of a frame parallel to the parent's need no general rotation matrix.
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
    body.axis = from.is_length ? Vector3<double>{} : vector(T * a);
    set_turn(T, a, body);
    if (from.type == JointType::universal) body.axis2 = vector(from.axis2);
    if (from.type == JointType::helical) body.axis2 = vector(T * (from.pitch * a));
    if (from.type == JointType::planar) {
        const Eigen::Vector3d x = plane_direction(a);
        body.axis2 = vector(T * x);
        body.axis3 = vector(T * a.cross(x));
    }
}

/// True if gravity compensation acts on the joint's axis, and so does not turn with the body.
bool is_carried_on_axis(const MechanismBody& body) {
    constexpr double rounding = 1e-9;  // relative, as for the centre of mass of a rotor
    return std::all_of(body.gravity_compensation.begin(), body.gravity_compensation.end(),
                       [&](const GravityCompensation& carried) {
                           return body.axis.cross(carried.point).norm() <= rounding * carried.point.norm();
                       });
}

/// Finds rotors, to be reduced or not: leaves on a revolute joint, not in a loop, symmetric
/// about the joint's axis, that share a cluster with other bodies.
Table<char> find_rotors(const Mechanism& mechanism, const topology::ClusterTree& tree) {
    const std::size_t n = mechanism.bodies.size();
    Table<char> rotor(n, 1);
    const auto exclude = [&](int body) {
        if (body != world) rotor[body] = 0;
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

/// Keeps those that touch nothing.
Table<char> without_touchable(const Mechanism& mechanism, Table<char> rotor) {
    const Table<char> touchable = mechanism::touchable_bodies(mechanism);
    for (std::size_t i = 0; i < rotor.size(); ++i) rotor[i] = rotor[i] && !touchable[i];
    return rotor;
}

/// Makes gyrostats of rotors, and adds their rigid inertias to their carriers, as rods do at their ends.
void reduce_rotors(Draft& draft) {
    Structure& model = draft.structure;
    Table<Inertial> inertias = draft.constants.inertials;
    add_rods(inertias, draft);
    for (Cluster& c : model.clusters) {
        c.rotors.first = static_cast<int>(model.rotors.size());
        for (const int i : c.reduced()) {
            const MechanismBody& from = draft.source(i);
            const Body& body = model.bodies[i];
            const double axial = from.axis.dot(from.inertia.inertia * from.axis);
            model.rotors.push_back(
                {i, body.parent, body.parent != c.parent_body, body.dof, axial, body.axis});
            if (body.parent != world)
                model::add_inertial(from.inertia, from.placement, inertias[body.parent]);
        }
        c.rotors.last = static_cast<int>(model.rotors.size());
    }
    for (int i = 0; i < model.body_count(); ++i) {
        Body& body = model.bodies[i];
        if (!body.rotor) model::set_inertial(inertias[i], body);
    }
}

/// Computes the clusters with their body ranges, and the new number of each body.
void number_bodies(const topology::ClusterTree& tree, const Table<char>& rotor, Draft& draft) {
    Structure& model = draft.structure;
    draft.body_of.resize(rotor.size());
    const auto next = [&] { return static_cast<int>(draft.mechanism_of.size()); };
    for (const topology::Cluster& from : tree.clusters) {
        Cluster c;
        c.index = model.cluster_count();
        c.parent_cluster = from.parent_cluster;
        c.parent_body = draft.body(from.parent_body);
        c.branch = c.parent_cluster == world ? model.branches++ : model.clusters[c.parent_cluster].branch;
        c.bodies.first = c.joints.first = next();
        for (const bool turn : {false, true}) {
            if (turn) c.bodies.last = next();
            for (const int body : from.bodies) {
                if ((rotor[body] != 0) != turn) continue;
                draft.body_of[body] = next();
                draft.mechanism_of.push_back(body);
            }
        }
        c.joints.last = next();
        model.clusters.push_back(c);
    }
}

/// Computes the indices of each joint: in q and q̇ in the order of the mechanism, the others in pass order.
void number_joints(Draft& draft) {
    Structure& model = draft.structure;
    for (const int i : draft.body_of) {
        Body& body = model.bodies[i];
        body.q = model.nq;
        body.v = model.nv_tree;
        model.nq += position_size(body.joint);
        model.nv_tree += velocity_size(body.joint);
    }
    for (int k = 0; k < model.cluster_count(); ++k) {
        Cluster& c = model.clusters[k];
        c.dof_begin = static_cast<int>(model.v_index.size());
        c.angles.first = static_cast<int>(model.angles.size());
        for (const int i : c.joints) {
            Body& body = model.bodies[i];
            body.cluster = k;
            body.dof = static_cast<int>(model.v_index.size());
            for (int j = 0; j < velocity_size(body.joint); ++j) {
                model.v_index.push_back(body.v + j);
                model.dof_body.push_back(i);
            }
            if (const int angle = angle_index(body.joint); angle >= 0 && !body.rotor) {
                body.angle = static_cast<int>(model.angles.size());
                model.angles.push_back(body.q + angle);
            }
        }
        c.dofs = static_cast<int>(model.v_index.size()) - c.dof_begin;
        c.angles.last = static_cast<int>(model.angles.size());
    }
}

void add_armature(Draft& draft) {
    for (const int i : draft.structure.dof_body) {
        const MechanismBody& from = draft.source(i);
        draft.constants.armature.push_back(from.armature);
        if (from.armature == 0) continue;
        Cluster& c = draft.structure.clusters[draft.structure.bodies[i].cluster];
        c.armature = true;
        if (from.type == JointType::floating) c.turning_armature = true;
    }
}

void add_frames(Draft& draft) {
    Catalogue& catalogue = draft.catalogue;
    catalogue.body_frame.assign(draft.body_of.size(), 0);
    Table<char> found(draft.body_of.size(), 0);
    for (const MechanismFrame& from : draft.mechanism.frames) {
        const int body = draft.body(from.body);
        const bool moves = body != world && body < static_cast<int>(found.size());  // not on a rod
        if (moves && !found[body] && from.name == catalogue.names.bodies[body]) {
            catalogue.body_frame[body] = static_cast<int>(catalogue.frames.size());
            found[body] = 1;
        }
        catalogue.frames.push_back({from.name, body, vector(from.placement.translation),
                                    matrix(from.placement.rotation), from.is_link});
    }
    for (std::size_t body = 0; body < found.size(); ++body) {  // slides, whose links are parts of struts
        const auto is_own = [&](const Frame& frame) { return frame.name == catalogue.names.bodies[body]; };
        if (!draft.source(static_cast<int>(body)).is_length) continue;
        const auto own = std::find_if(catalogue.frames.begin(), catalogue.frames.end(), is_own);
        catalogue.body_frame[body] = static_cast<int>(own - catalogue.frames.begin());
    }
    for (const std::string& name : draft.mechanism.tool_frames) {
        const auto is_tool = [&](const Frame& frame) { return frame.name == name; };
        const auto tool = std::find_if(catalogue.frames.begin(), catalogue.frames.end(), is_tool);
        catalogue.tool_frames.push_back(static_cast<int>(tool - catalogue.frames.begin()));
    }
}

void add_shapes(Draft& draft) {
    draft.catalogue.shapes.reserve(draft.mechanism.shapes.size());
    for (const MechanismShape& from : draft.mechanism.shapes) {
        const ShapeDescription& said = from.shape;
        draft.catalogue.shapes.push_back({said.name, from.link, draft.body(from.body), said.shape,
                                          vector(from.placement.translation), matrix(from.placement.rotation),
                                          said.visual, said.collision, said.surface, said.color, said.mask});
    }
}

void add_sensors(Draft& draft) {
    for (const MechanismSensor& from : draft.mechanism.sensors)
        draft.catalogue.sensors.push_back({from.sensor.name, from.sensor.type, from.link,
                                           draft.body(from.body), vector(from.placement.translation),
                                           matrix(from.placement.rotation)});
    draft.catalogue.groups.assign(draft.mechanism.groups.begin(), draft.mechanism.groups.end());
}

/// Adds spheres to the bodies that carry their frames.
void add_spheres(Draft& draft) {
    SelfCollision& result = draft.catalogue.self_collision;
    const MechanismCollision& from = draft.mechanism.self_collision;
    for (const MechanismSpheres& group : from.groups) {
        const MechanismFrame& frame = draft.mechanism.frames[group.frame];
        const int first = static_cast<int>(result.spheres.size());
        for (const SphereDescription& sphere : group.spheres)
            result.spheres.push_back(
                {vector(frame.placement.translation + frame.placement.rotation * sphere.center),
                 sphere.radius});
        result.groups.push_back({group.frame,
                                 draft.body(frame.body),
                                 group.buffer,
                                 {first, static_cast<int>(result.spheres.size())}});
    }
    result.ignored.assign(from.ignored.begin(), from.ignored.end());
    for (int a = 0; a < static_cast<int>(result.groups.size()); ++a)
        for (int b = a + 1; b < static_cast<int>(result.groups.size()); ++b) {
            const SphereGroup &first = result.groups[a], &second = result.groups[b];
            if (first.body != second.body && !is_ignored(result, first.frame, second.frame))
                result.pairs.push_back({a, b});
        }
}

}  // namespace

void add_bodies(const topology::ClusterTree& tree, bool rotor_reduction, Draft& draft) {
    const Table<char> rotors = find_rotors(draft.mechanism, tree), none(rotors.size(), 0);
    number_bodies(tree, rotor_reduction ? without_touchable(draft.mechanism, rotors) : none, draft);
    number_rods(draft);
    Catalogue& catalogue = draft.catalogue;
    catalogue.names.robot = draft.mechanism.name;
    catalogue.names.root = draft.mechanism.root;
    draft.structure.bodies.reserve(draft.mechanism.bodies.size());
    draft.constants.inertials.reserve(draft.mechanism.bodies.size());
    for (const Cluster& c : draft.structure.clusters)
        for (const int i : c.joints) {
            const MechanismBody& from = draft.source(i);
            Body body;
            set_joint(from, body);
            body.rotor = i >= c.bodies.last;
            body.parent = draft.body(from.parent);
            draft.structure.bodies.push_back(body);
            draft.is_rotor.push_back(rotors[draft.mechanism_of[i]]);
            draft.structure.marks.push_back(!from.independent   ? Mark::none
                                            : *from.independent ? Mark::independent
                                                                : Mark::dependent);
            draft.constants.inertials.push_back(from.inertia);
            catalogue.limits.push_back(from.limits);
            catalogue.bounded.push_back(from.bounded);
            catalogue.actuated.push_back(from.actuated);
            catalogue.reduction.push_back(from.reduction);
            catalogue.servos.push_back(from.servo);
            catalogue.names.bodies.push_back(from.name);
            catalogue.names.joints.push_back(from.joint);
        }
    number_joints(draft);
    add_armature(draft);
    reduce_rotors(draft);
    add_frames(draft);
    add_shapes(draft);
    add_sensors(draft);
    add_spheres(draft);
    draft.named.assign(draft.body_of.size(), 0);
    for (const int body : draft.mechanism.coordinates) draft.named[draft.body(body)] = 1;
    draft.constants.neutral = configuration(draft, draft.mechanism.start);
    if (const auto& gravity = draft.mechanism.gravity) draft.constants.gravity = vector(*gravity);
    catalogue.reports.resize(draft.structure.clusters.size());
    draft.sizes.assign(draft.structure.clusters.size(), 1);
    draft.independents.resize(draft.structure.clusters.size());
}

std::vector<double> configuration(const Draft& draft,
                                  const std::map<std::string, std::vector<double>>& positions) {
    Table<double> q(at(draft.structure.nq), 0);
    for (const Body& body : draft.structure.bodies)
        if (has_quaternion(body.joint)) q[body.q + position_size(body.joint) - 1] = 1;
    for (int i = 0; i < draft.structure.body_count() && !positions.empty(); ++i) {
        const auto given = positions.find(draft.catalogue.names.joints[i]);
        if (given == positions.end()) continue;
        const Body& body = draft.structure.bodies[i];
        std::copy_n(given->second.begin(), std::min(given->second.size(), at(position_size(body.joint))),
                    q.begin() + body.q);
    }
    for (const MechanismCoupling& coupling : draft.mechanism.couplings) {  // others follow their joints
        const int own = coupling.terms.front().body;
        if (!draft.mechanism.bodies[own].combined || positions.count(draft.mechanism.bodies[own].joint) > 0)
            continue;
        double position = coupling.offset;
        for (const MechanismTerm& term : coupling.terms)
            if (term.body != own)
                position += term.coefficient * q[draft.structure.bodies[draft.body(term.body)].q];
        q[draft.structure.bodies[draft.body(own)].q] = position;
    }
    return q;
}

double longest_length(const Draft& draft) {
    double longest = 0;
    const auto include = [&](const Vector3<double>& a) { longest = std::max(longest, std::sqrt(dot(a, a))); };
    for (const Body& body : draft.structure.bodies) {
        include(body.com);
        if (body.parent != world) include(body.position);
    }
    for (const Frame& frame : draft.catalogue.frames)
        if (frame.body != world) include(frame.position);
    return longest;
}

}  // namespace grbda::compile
