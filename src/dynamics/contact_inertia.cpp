#include "dynamics/contact_inertia.hpp"

#include <stdexcept>
#include <string>

#include <Eigen/Geometry>

#include "contact_halves.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

using dynamics::find_halves;
using dynamics::multiply_halves;
using dynamics::position_by;
using dynamics::row_stride;
using dynamics::unit_wrench;

void require_space(const Model& model, const ContactSpace& space) {
    require_fit("ContactSpace", model, space.bodies, space.layout);
}

template <class S>
void require_motion(const Workspace<S>& data) {
    require_factors(data.factors, Factors::mass);
    if (!data.every_body)
        throw std::invalid_argument("Data holds no motion of every body: call free_motion() first");
}

void require_end(const Model& model, int body) {
    if (body == world) return;
    require_body(model, body);
    if (model.bodies[body].rotor)
        throw std::invalid_argument("body " + std::to_string(body) + ", '" + model.names.bodies[body] +
                                    "', is a reduced rotor; keep rotors as bodies "
                                    "(LoadOptions::rotor_reduction, --no-rotor-reduction)");
}

/// Index of kernels::joint_row() for an entry of q̇, or for nv_tree plus a linear one of a floating joint.
int joint_velocity_index(const Model& model, int v) {
    const bool along_position = v >= model.nv_tree;
    const int entry = along_position ? v - model.nv_tree : v;
    require_velocity(model, entry);
    for (int dof = 0; dof < model.nv_tree; ++dof) {
        if (model.v_index[dof] != entry) continue;
        if (!along_position) return dof;
        const Body& body = model.bodies[model.dof_body[dof]];
        if (body.joint == JointType::floating && dof < body.dof + 3) return dof + model.nv_tree;
        throw std::invalid_argument("velocity " + std::to_string(entry) +
                                    " is no linear velocity of a floating joint");
    }
    return -1;
}

void take_rows(const Model& model, std::span<const Contact> contacts, std::span<const int> joints,
               ContactSpace& space) {
    require_size("contacts, at most", std::max<long>(static_cast<long>(contacts.size()), space.most_contacts),
                 space.most_contacts);
    require_size("joints, at most", std::max<long>(static_cast<long>(joints.size()), space.most_joints),
                 space.most_joints);
    space.contacts.clear();
    space.joints.clear();
    for (const Contact& contact : contacts) {
        require_end(model, contact.body);
        require_end(model, contact.other);
        space.contacts.push_back(contact);
    }
    for (const int v : joints) space.joints.push_back(joint_velocity_index(model, v));
    space.rows = static_cast<int>(3 * contacts.size() + joints.size());
    space.stride = row_stride(space.rows);
}

// Motion at the rows.

/// What ÿ, the last that the forward pass found, adds to the acceleration of a body.
template <class S>
Motion<S> added_acceleration(const Model& model, const Workspace<S>& data, int body) {
    const Cluster& c = model.clusters[model.bodies[body].cluster];
    if (c.kind == ClusterKind::rows || c.kind == ClusterKind::floating_base || c.kind == ClusterKind::joint)
        return data.a[body];
    Motion<S> a = c.parent_body == world ? Motion<S>{} : data.a[c.parent_body];
    const Motion<S>* J = kernels::jacobian_of(model, data, c, body);
    for (int j = 0; j < c.m; ++j) a += J[j] * data.y_acceleration[c.y_begin + j];
    return a;
}

/// The same of a joint.
template <class S>
S added_acceleration_of_joint(const Model& model, const Workspace<S>& data, int dof) {
    const Cluster& c = model.clusters[model.bodies[model.dof_body[dof]].cluster];
    if (c.kind == ClusterKind::rows) return data.rate_change[dof];
    if (c.kind == ClusterKind::floating_base) {
        const Motion<S>& a = data.a[c.bodies.first];
        const int k = dof - c.dof_begin;
        return dot(kernels::column(data.R[c.bodies.first], k % 3), k < 3 ? a.linear : a.angular);
    }
    if (c.kind == ClusterKind::joint) {  // revolute
        const Vector3<S> across = data.a[c.bodies.first].angular - data.a[c.parent_body].angular;
        return kernels::embedding_entry(model, data, c, dof - c.dof_begin, 0) *
               dot(data.s[c.dof_begin].angular, across);
    }
    S sum(0);
    for (int j = 0; j < c.m; ++j)
        sum += kernels::embedding_entry(model, data, c, dof - c.dof_begin, j) *
               data.y_acceleration[c.y_begin + j];
    return sum;
}

/// Motions of bodies and joints along the rows, into u [rows].
template <class S, class OfBody, class OfJoint>
void each_row(const Model& model, const Workspace<S>& data, const ContactSpace& space, const OfBody& of_body,
              const OfJoint& of_joint, S* u) {
    const auto at = [&](const Contact& contact, int body) {
        if (body == world) return Vector3<S>{S(0), S(0), S(0)};
        const Motion<S> x = of_body(body);
        return x.linear + cross(x.angular, position_by(model, data, contact, body));
    };
    for (const Contact& contact : space.contacts) {
        const Vector3<S> x = at(contact, contact.body) - at(contact, contact.other);
        for (int k = 0; k < 3; ++k) *u++ = dot(kernels::column(contact.axes, k).template cast<S>(), x);
    }
    for (const int joint : space.joints) *u++ = of_joint(joint);
}

template <class S>
void find_velocities(const Model& model, const Workspace<S>& data, const ContactSpace& space, S* u) {
    each_row(
        model, data, space, [&](int body) { return data.v[body]; },
        [&](int joint) { return kernels::rate_of(model, data, kernels::joint_row(model, data, joint)); }, u);
}

/// Finds the accelerations u of the rows from the last ÿ that a forward pass found.
template <class S>
void find_accelerations(const Model& model, const Workspace<S>& data, const ContactSpace& space, S* u) {
    each_row(
        model, data, space, [&](int body) { return added_acceleration(model, data, body); },
        [&](int joint) {
            const kernels::JointRow<S> row = kernels::joint_row(model, data, joint);
            S sum(0);
            for (int i = 0; i < row.count; ++i)
                sum += row.weight[i] * added_acceleration_of_joint(model, data, row.first + i);
            return sum;
        },
        u);
}

// Λ⁻¹ by responses, column by column, where a cluster has no factor of its own.

/// A unit of one row, as forces on bodies; the velocities that it acts on, if any.
template <class S>
kernels::JointRow<S> load_row(const Model& model, Workspace<S>& data, const ContactSpace& space, int row) {
    for (Force<S>& force : data.pA) force = Force<S>{};
    const int contacts = static_cast<int>(space.contacts.size());
    if (row >= 3 * contacts) return kernels::joint_row(model, data, space.joints[row - 3 * contacts]);
    const Contact& contact = space.contacts[row / 3];
    for (const auto& [body, sign] : {std::pair{contact.body, 1.}, std::pair{contact.other, -1.}})
        if (body != world) data.pA[body] -= unit_wrench(model, data, contact, body, row % 3, sign);
    return {};
}

/// What ÿ, the user's, adds to the accelerations of all bodies and joints: where rows are passed on the
/// forward pass finds it together with what velocities add.
template <class S>
void retrace(const Model& model, Workspace<S>& data, const S* ydd) {
    for (const Cluster& c : model.clusters) {
        S* const y = data.y_acceleration.data() + c.y_begin;
        const S* none = nullptr;
        kernels::gather_coordinates(model, c, ydd, y);
        const Motion<S> base = c.parent_body == world ? Motion<S>{} : data.a[c.parent_body];
        if (c.kind == ClusterKind::floating_base) {
            data.a[c.bodies.first] = kernels::FloatingBase::twist(model, data, c, ydd);
        } else if (c.kind == ClusterKind::rows) {
            kernels::complete_motion(model, data, c, y, none, data.rate_change.data() + c.dof_begin);
            for (const int i : c.bodies) {
                const Body& body = model.bodies[i];
                Motion<S> a = body.parent == c.parent_body ? base : data.a[body.parent];
                for (int dof = body.dof; dof < body.dof + velocity_size(body.joint); ++dof)
                    a += data.s[dof] * data.rate_change[dof];
                data.a[i] = a;
            }
        } else {
            for (const int i : c.bodies) {
                const Motion<S>* J = kernels::jacobian_of(model, data, c, i);
                data.a[i] = base;
                for (int j = 0; j < c.m; ++j) data.a[i] += J[j] * y[j];
            }
        }
    }
}

template <class S>
void find_responses(const Model& model, Workspace<S>& data, ContactSpace& space) {
    data.every_body = false;  // it is that of the last row then
    S* const ydd = space.change.data();
    for (int row = 0; row < space.rows; ++row) {
        kernels::respond(model, data, load_row(model, data, space, row), ydd);
        find_accelerations(model, data, space, &space.inverse_inertia(0, row));
        for (int y = 0; y < model.nv; ++y) space.half[y * space.stride + row] = ydd[y];
    }
    auto& W = space.inverse_inertia;
    for (int k = 0; k < space.rows; ++k)
        for (int l = 0; l < k; ++l) W(k, l) = W(l, k) = (W(k, l) + W(l, k)) * S(0.5);
}

/// Σ x y over a range, by four sums side by side.
template <class S>
S times(const S* x, const S* y, const Range& range) {
    S sum[row_block] = {};
    int k = range.first;
    for (; k + row_block <= range.last; k += row_block)
        for (int i = 0; i < row_block; ++i) sum[i] += x[k + i] * y[k + i];
    for (; k < range.last; ++k) sum[0] += x[k] * y[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

ContactSpace::ContactSpace(const Model& model, int contact_count, int joint_count)
    : by_response(!model.slot_row.empty()),
      bodies(model.bodies.size()),
      layout(model.layout),
      most_contacts(contact_count),
      most_joints(joint_count) {
    require_whole(model);
    if (most_contacts < 0 || most_joints < 0)
        throw std::invalid_argument("a number of contacts or joints is negative");
    const int most = 3 * most_contacts + most_joints;
    stride = row_stride(most);
    inverse_inertia.setZero(padded(most), padded(most));
    velocity.setZero(most);
    acceleration.setZero(most);
    contacts.reserve(static_cast<std::size_t>(most_contacts));
    joints.reserve(static_cast<std::size_t>(most_joints));
    half.resize(static_cast<std::size_t>(model.nv) * static_cast<std::size_t>(stride));
    change.resize(static_cast<std::size_t>(model.nv));
    reach.resize(model.clusters.size());
}

template <class S>
Result contact_inertia(const Model& model, Workspace<S>& data, std::span<const Contact> contacts,
                       std::span<const int> joints, ContactSpace& space) {
    require_workspace(model, std::as_const(data));
    require_space(model, space);
    require_motion(data);
    take_rows(model, contacts, joints, space);
    kernels::complete_jacobians<kernels::Bodies::all>(model, data);
    find_velocities(model, data, space, space.velocity.data());
    if (space.by_response) retrace(model, data, data.ydd.data());
    find_accelerations(model, data, space, space.acceleration.data());
    if (space.by_response) {
        find_responses(model, data, space);
    } else {
        find_halves(model, data, space);
        multiply_halves(model, data, space);
    }
    if (kernels::diagonal_finite(space.inverse_inertia.data(), space.rows,
                                 static_cast<int>(space.inverse_inertia.outerStride())))
        return {};
    kernels::clear<S>(space.inverse_inertia);
    kernels::clear<S>(space.velocity);
    kernels::clear<S>(space.acceleration);
    return {Status::not_finite};
}

template <class S>
void contact_velocities(const Model& model, const Workspace<S>& data, const ContactSpace& space,
                        VectorOut<S> u) {
    require_workspace(model, data);
    if (!data.every_body) require_kinematics(data.kinematics, Kinematics::motion);
    require_space(model, space);
    require_size("u", u.size(), space.rows);
    find_velocities(model, data, space, u.data());
}

template <class S>
Result apply_impulses(const Model& model, Workspace<S>& data, ContactSpace& space, ConstVector<S> impulses,
                      VectorOut<S> change) {
    require_workspace(model, std::as_const(data));
    require_space(model, space);
    require_factors(data.factors, Factors::mass);
    require_size("impulses", impulses.size(), space.rows);
    require_size("change", change.size(), model.nv);
    data.every_body = false;
    S* const sum = space.change.data();
    for (const Cluster& c : model.clusters) {
        const Range reach = space.by_response ? Range{0, space.rows} : space.reach[c.index];
        for (int y = c.y_begin; y < c.y_begin + c.m; ++y)
            sum[y] = times(space.half.data() + y * space.stride, impulses.data(), reach);
    }
    if (space.by_response)
        std::copy_n(sum, model.nv, change.data());
    else
        kernels::accelerate_from_half(model, data, sum, change.data());
    return kernels::delivered<S>({}, change);
}

#define GRBDA_INSTANTIATE(S)                                                                      \
    template Result contact_inertia<S>(const Model&, Workspace<S>&, std::span<const Contact>,     \
                                       std::span<const int>, ContactSpace&);                      \
    template void contact_velocities<S>(const Model&, const Workspace<S>&, const ContactSpace&,   \
                                        VectorOut<S>);                                            \
    template Result apply_impulses<S>(const Model&, Workspace<S>&, ContactSpace&, ConstVector<S>, \
                                      VectorOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

Result contact_inertia(const Model& model, Data& data, std::span<const Contact> contacts,
                       std::span<const int> joints, ContactSpace& space) {
    return contact_inertia<double>(model, data.workspaces().dynamics, contacts, joints, space);
}

void contact_velocities(const Model& model, const Data& data, const ContactSpace& space, VectorRef u) {
    contact_velocities<double>(model, data.workspaces().kinematics, space, u);
}

Result apply_impulses(const Model& model, Data& data, ContactSpace& space, ConstVectorRef impulses,
                      VectorRef change) {
    return apply_impulses<double>(model, data.workspaces().dynamics, space, impulses, change);
}

}  // namespace grbda
