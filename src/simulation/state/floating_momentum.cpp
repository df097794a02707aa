#include "floating_momentum.hpp"

#include <cmath>

#include "kernels/pass/half_inverse.hpp"
#include "kernels/cluster/outcome.hpp"

namespace grbda::simulation {
namespace {

/// Computes the kinematics of the bodies that carry all mass; reduced rotors are excluded.
Result move_bodies(const Model& model, Workspace<double>& data, const VectorX<double>& q,
                   const VectorX<double>& yd) {
    if (!kernels::usable<double>(model, q.data(), yd.data(), nullptr)) return {Status::not_finite};
    kernels::positions(model, data, q.data());
    kernels::velocities(model, data, q.data(), yd.data());
    data.factors = Factors::none;
    return kernels::constraint_outcome(model, data);
}

/// Sums a floating base and all its descendants, after kinematics with velocities.
Total total_of(const Model& model, const Workspace<double>& data, const Cluster& base) {
    Total total;
    for (int k = base.index; k < base.after; ++k) add_cluster(model, data, model.clusters[k], total);
    return total;
}

/// Returns the solution x of J x = b.
Vector3<double> solve(const Symmetric3<double>& J, const Vector3<double>& b) {
    const Vector3<double> x{J.xx, J.xy, J.xz}, y{J.xy, J.yy, J.yz}, z{J.xz, J.yz, J.zz};
    const Vector3<double> yz = cross(y, z);
    const double inverse = 1 / dot(x, yz);
    return Vector3<double>{dot(b, yz), dot(x, cross(b, z)), dot(x, cross(y, b))} * inverse;
}

/// Returns the twist, at the common frame's origin, of a rigid body with this momentum about its centre of
/// mass.
Motion<double> rigid_twist(const RigidInertia<double>& I, const Force<double>& momentum) {
    const Vector3<double> c = I.h * (1 / I.mass);
    const double xx = I.h.x * c.x, yy = I.h.y * c.y, zz = I.h.z * c.z;
    Symmetric3<double> about_com = I.angular;
    about_com.xx -= yy + zz;
    about_com.yy -= xx + zz;
    about_com.zz -= xx + yy;
    about_com.xy += I.h.x * c.y;
    about_com.xz += I.h.x * c.z;
    about_com.yz += I.h.y * c.z;
    const Vector3<double> omega = solve(about_com, momentum.angular);
    return {momentum.linear * (1 / I.mass) - cross(omega, c), omega};
}

/// Returns the force with its moment about another point.
Force<double> about(const Force<double>& f, const Vector3<double>& point) {
    return {f.linear, f.angular - cross(point, f.linear)};
}

/// Returns the term due to the rotation of the base's axes, which is subtracted from the componentwise
/// derivative of its velocity.
Vector3<double> turning(const Workspace<double>& data, const Cluster& base) {
    const Motion<double>& v = data.v[base.bodies.first];
    return cross(v.angular, v.linear);
}

/// Adds a translation of a base and all its descendants to the motions of contacts along their axes.
void add_translation(const Model& model, const Cluster& base, const Vector3<double>& added,
                     std::span<const Contact> contacts, VectorX<double>& motions) {
    const auto share = [&](int body) {
        return body != world && model.clusters[model.bodies[body].cluster].branch == base.branch ? 1. : 0.;
    };
    Eigen::Index row = 0;
    for (const Contact& x : contacts) {
        const Vector3<double> along = transpose_times(x.axes, added * (share(x.body) - share(x.other)));
        motions.segment<3>(row) += Eigen::Vector3d(along.x, along.y, along.z);
        row += 3;
    }
}

/// Returns the wrench, at the origin of a base, of a unit force on a velocity, as in contact_inertia(); zero
/// if the velocity is not one of the base.
Force<double> push_of(const Model& model, const Workspace<double>& data, const Cluster& base, int joint) {
    const int b = base.bodies.first, k = joint % model.nv_tree - model.bodies[b].v;
    if (k < 0 || k >= 6) return {};
    if (joint >= model.nv_tree) return {kernels::column(model.bodies[b].rotation, k), {0, 0, 0}};
    const Vector3<double> axis = kernels::column(data.R[b], k % 3);
    return k < 3 ? Force<double>{axis, {0, 0, 0}} : Force<double>{{0, 0, 0}, axis};
}

/// Adds a motion in the world's axes to the part of ẏ that belongs to a base.
void add_twist(const Model& model, const Workspace<double>& data, const Cluster& base,
               const Motion<double>& twist, VectorX<double>& yd) {
    const Matrix3<double>& R = data.R[base.bodies.first];
    const Vector3<double> linear = transpose_times(R, twist.linear),
                          angular = transpose_times(R, twist.angular);
    const double own[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; ++k) yd[model.y_index[base.y_begin + k]] += own[k];
}

/// Translates a base by a displacement in the world.
void translate_base(const Body& body, const Vector3<double>& displacement, VectorX<double>& q) {
    const Vector3<double> own = transpose_times(body.rotation, displacement);
    q[body.q] += own.x;
    q[body.q + 1] += own.y;
    q[body.q + 2] += own.z;
}

}  // namespace

FloatingMomentum::FloatingMomentum(const Model& model) {
    int after = 0;  // index after the last base and its descendants
    for (const Cluster& c : model.clusters) {
        if (c.index < after) continue;
        if (c.kind == ClusterKind::floating_base && model.armature[c.dof_begin] == 0) {
            bases_.push_back({c.index, {}, {}});
            after = c.after;
        } else {
            fixed_.push_back(c.index);
        }
    }
}

/// Sums the energies of clusters without a floating base and of armature, after kinematics with velocities.
void FloatingMomentum::start_energy(const Model& model, const Workspace<double>& data) {
    energy_ = {};
    for (std::size_t dof = 0; dof < model.armature.size(); ++dof)
        energy_.kinetic += model.armature[dof] * data.rate[dof] * data.rate[dof] / 2;
    for (const int k : fixed_) {
        const Cluster& c = model.clusters[k];
        Total total;
        add_cluster(model, data, c, total);
        energy_.kinetic += total.kinetic;
        energy_.gravity -= gravity_moment(model, data, c, total);
        energy_.mass += total.inertia.mass;
    }
}

Result FloatingMomentum::begin(const Model& model, Workspace<double>& data, const VectorX<double>& q,
                               const VectorX<double>& yd) {
    if (known_) return {};
    if (const Result result = move_bodies(model, data, q, yd); !result.ok()) return result;
    start_energy(model, data);
    for (Base& base : bases_) {
        const Cluster& c = model.clusters[base.cluster];
        const Total total = total_of(model, data, c);
        base.momentum = about(total.momentum, total.com());
        base.com = data.origin[c.branch] + total.com();
        energy_.kinetic += total.kinetic;
        energy_.gravity -= gravity_moment(model, data, c, total);
        energy_.mass += total.inertia.mass;
    }
    known_ = true;
    return {};
}

void FloatingMomentum::straighten(const Model& model, const Workspace<double>& data, double h,
                                  VectorX<double>& yd) const {
    for (const Base& base : bases_) {
        const Cluster& c = model.clusters[base.cluster];
        add_twist(model, data, c, {turning(data, c) * h, {0, 0, 0}}, yd);
    }
}

void FloatingMomentum::straighten(const Model& model, const Workspace<double>& data,
                                  std::span<const Contact> contacts, std::span<const int> joints,
                                  VectorX<double>& acceleration) const {
    for (const Base& base : bases_) {
        const Cluster& c = model.clusters[base.cluster];
        const Vector3<double> added = turning(data, c);
        add_translation(model, c, added, contacts, acceleration);
        auto row = static_cast<Eigen::Index>(3 * contacts.size());
        for (const int joint : joints)
            acceleration[row++] += dot(push_of(model, data, c, joint).linear, added);
    }
}

void FloatingMomentum::subtract_centres(const Model& model, const Workspace<double>& data,
                                        std::span<const Contact> contacts,
                                        VectorX<double>& velocities) const {
    for (const Base& base : bases_) {
        const Cluster& c = model.clusters[base.cluster];
        const Total total = total_of(model, data, c);
        if (!(total.inertia.mass > 0)) continue;
        add_translation(model, c, total.momentum.linear * (-1 / total.inertia.mass), contacts, velocities);
    }
}

const Vector3<double>* FloatingMomentum::centre(const Model& model, int body) const {
    const int branch = model.clusters[model.bodies[body].cluster].branch;
    for (const Base& base : bases_)
        if (model.clusters[base.cluster].branch == branch)
            return std::isfinite(base.com.x) ? &base.com : nullptr;
    return nullptr;
}

void FloatingMomentum::turn_axes(const Model& model, const VectorX<double>& q, const VectorX<double>& other,
                                 VectorX<double>& yd) const {
    for (const Base& base : bases_) {
        const Cluster& c = model.clusters[base.cluster];
        const int at = model.bodies[c.bodies.first].q + 3;
        const Matrix3<double> to = kernels::rotation_of_quaternion(q.data() + at),
                              from = kernels::rotation_of_quaternion(other.data() + at);
        for (int part = 0; part < 6; part += 3) {
            double* const x[3] = {&yd[model.y_index[c.y_begin + part]],
                                  &yd[model.y_index[c.y_begin + part + 1]],
                                  &yd[model.y_index[c.y_begin + part + 2]]};
            const Vector3<double> turned = transpose_times(to, from * Vector3<double>{*x[0], *x[1], *x[2]});
            *x[0] = turned.x;
            *x[1] = turned.y;
            *x[2] = turned.z;
        }
    }
}

void FloatingMomentum::act(const Model& model, const Workspace<double>& data, const VectorX<double>& tau_s,
                           const VectorX<double>& damping, const VectorX<double>& yd,
                           std::span<const ContactState> contacts, double h) {
    for (Base& base : bases_) {
        const Cluster& c = model.clusters[base.cluster];
        const int body = c.bodies.first, v = model.bodies[body].v;
        double own[6];
        for (int k = 0; k < 6; ++k)
            own[k] = (tau_s[v + k] - damping[v + k] * yd[model.y_index[c.y_begin + k]]) * h;
        const Matrix3<double>& R = data.R[body];
        const Force<double> push{R * Vector3<double>{own[0], own[1], own[2]},
                                 R * Vector3<double>{own[3], own[4], own[5]}};
        base.momentum += about(push, base.com - data.origin[c.branch]);
        for (const ContactState& x : contacts) {
            const Vector3<double> impulse =
                x.contact.axes * Vector3<double>{x.impulse[0], x.impulse[1], x.impulse[2]};
            for (const auto& [end, sign] : {std::pair{x.contact.body, 1.}, std::pair{x.contact.other, -1.}}) {
                if (end == world || model.clusters[model.bodies[end].cluster].branch != c.branch) continue;
                base.momentum +=
                    Force<double>{impulse * sign, cross(x.contact.position - base.com, impulse) * sign};
            }
        }
    }
}

void FloatingMomentum::act(const Model& model, const Workspace<double>& data, std::span<const int> joints,
                           const Eigen::Ref<const VectorX<double>>& impulses) {
    for (Base& base : bases_) {
        const Cluster& c = model.clusters[base.cluster];
        for (std::size_t i = 0; i < joints.size(); ++i) {
            const double s = impulses[static_cast<Eigen::Index>(i)];
            const Force<double> push = push_of(model, data, c, joints[i]);
            base.momentum += about({push.linear * s, push.angular * s}, base.com - data.origin[c.branch]);
        }
    }
}

Result FloatingMomentum::end(const Model& model, Workspace<double>& data, double h, VectorX<double>& q,
                             VectorX<double>& yd) {
    if (const Result result = move_bodies(model, data, q, yd); !result.ok()) return result;
    start_energy(model, data);
    for (Base& base : bases_) {
        const Cluster& c = model.clusters[base.cluster];
        const Total total = total_of(model, data, c);
        const double mass = total.inertia.mass;
        energy_.kinetic += total.kinetic;
        if (!(mass > 0)) continue;
        base.momentum.linear += model.gravity * (mass * h);
        base.com += base.momentum.linear * (h / mass);
        const Vector3<double> displacement = base.com - (data.origin[c.branch] + total.com());
        translate_base(model.bodies[c.bodies.first], displacement, q);
        data.origin[c.branch] += displacement;
        Force<double> missing = base.momentum;
        missing -= about(total.momentum, total.com());
        const Motion<double> twist = rigid_twist(total.inertia, missing);
        add_twist(model, data, c, twist, yd);
        energy_.kinetic += dot(twist, total.momentum) + dot(twist, total.inertia * twist) / 2;
        energy_.gravity -= mass * dot(model.gravity, base.com);
        energy_.mass += mass;
    }
    return {};
}

}  // namespace grbda::simulation
