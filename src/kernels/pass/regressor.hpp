#pragma once

#include <array>
#include <cstddef>

#include "kernels/cluster/joint_forces.hpp"
#include "kernels/cluster/rotor_motion.hpp"

// Factors of the inertial parameters in forces and energies, which are linear in them. Every
// body counts as described, reduced rotors as bodies of their own: 10 parameters each, (m, m c, J) with J
// about the body's origin, in its own axes, in the order xx, xy, yy, xz, yz, zz.

namespace grbda::kernels {

template <class S>
using ParameterRow = std::array<S, 10>;

/// xᵀ I y, for motions x and y in the axes of a body at its origin, as a row times the parameters of I.
template <class S>
[[gnu::always_inline]] inline ParameterRow<S> inertia_row(const Motion<S>& x, const Motion<S>& y) {
    const Vector3<S>&u = x.angular, &w = y.angular;
    const Vector3<S> h = cross(x.linear, w) + cross(y.linear, u);
    return {dot(x.linear, y.linear),
            h.x,
            h.y,
            h.z,
            u.x * w.x,
            u.x * w.y + u.y * w.x,
            u.y * w.y,
            u.x * w.z + u.z * w.x,
            u.y * w.z + u.z * w.y,
            u.z * w.z};
}

/// Motion of a body, in its own axes at its origin: twist, classical acceleration minus gravity.
template <class S>
struct BodyMotion {
    Motion<S> v, a;
};

/// A motion of the common frame in the axes of a body at its origin.
template <class S>
[[gnu::always_inline]] inline Motion<S> in_body(const Workspace<S>& data, int body, const Motion<S>& x) {
    const Matrix3<S>& R = data.R[body];
    return {transpose_times(R, point_velocity(x, data.p[body])), transpose_times(R, x.angular)};
}

template <class S>
BodyMotion<S> body_motion(const Workspace<S>& data, int body) {
    BodyMotion<S> result{in_body(data, body, data.v[body]), in_body(data, body, data.a[body])};
    result.a.linear += cross(result.v.angular, result.v.linear);
    return result;
}

/// xᵀ f of the force f that moves a body. Seen from a frame that goes along with the body's origin, its twist
/// is v = [0; ω], and f = I a + v ×* I v.
template <class S>
[[gnu::always_inline]] inline ParameterRow<S> force_row(const BodyMotion<S>& body, const Motion<S>& x) {
    const Vector3<S>& omega = body.v.angular;
    const Motion<S> turned{cross(x.linear, omega), cross(x.angular, omega)};  // x × v
    ParameterRow<S> row = inertia_row(x, body.a);
    const ParameterRow<S> more = inertia_row(turned, Motion<S>{{S(0), S(0), S(0)}, omega});
    for (std::size_t k = 0; k < row.size(); ++k) row[k] += more[k];
    return row;
}

/// Places of the parameters m, m c, I_s and J of a rod among its ten, which has its first axis along its line
/// and its origin at A; the others move nothing, and I_s neither between balls.
inline constexpr int rod_mass = 0, rod_moment = 1, rod_axial = 4, rod_inertia = 6;

/// Y of a link whose motion is known, by Newton and Euler.
template <class S>
void link_regressor(const Model& model, const Workspace<S>& data, int link, S* columns,
                    std::ptrdiff_t stride) {
    const BodyMotion<S> body = body_motion(data, link);
    for (int k = 0; k < 10; ++k)
        for (int j = 0; j < model.nv; ++j) columns[k * stride + j] = S(0);
    each_jacobian_column(model, data, link, [&](int y, const Motion<S>& J) {
        const ParameterRow<S> row = force_row(body, in_body(data, link, J));
        for (int k = 0; k < 10; ++k) columns[k * stride + y] = row[static_cast<std::size_t>(k)];
    });
}

/// Energies of such a link [10] each.
template <class S>
void link_energies(const Model& model, const Workspace<S>& data, int link, S* kinetic, S* potential) {
    const Motion<S> v = in_body(data, link, data.v[link]);
    const ParameterRow<S> row = inertia_row(v, v);
    for (int k = 0; k < 10; ++k) kinetic[k] = S(0.5) * row[static_cast<std::size_t>(k)];
    const Vector3<S> up = -model.gravity.cast<S>(), along = transpose_times(data.R[link], up);
    const S height = dot(up, data.p[link] + data.origin[model.clusters[model.cluster_of(link)].branch]);
    const std::array<S, 4> own{height, along.x, along.y, along.z};
    for (int k = 0; k < 10; ++k) potential[k] = k < 4 ? own[static_cast<std::size_t>(k)] : S(0);
}

/// Y of a rod, by points: with m_AA = m − 2 m c/L + J/L², m_AB = m c/L − J/L², m_BB = J/L².
template <class S>
void rod_regressor(const Model& model, const Workspace<S>& data, const Rod& rod, S* columns,
                   std::ptrdiff_t stride) {
    const RodEnds<S> ends = ends_of(model, data, rod);
    const auto acceleration = [&](int body, const Vector3<S>& r) {
        return body == world ? gravity_acceleration<S>(model).linear
                             : point_acceleration(data.v[body], data.a[body], r);
    };
    const Vector3<S> a = acceleration(ends.a, ends.A), b = acceleration(ends.b, ends.B);
    const S inverse = S(1 / rod.length);
    const Vector3<S> apart = (b - a) * S(inverse * inverse);
    SpinForces<S> spin{};  // of unit I_s
    if (rod.guided()) {
        const Vector3<S> alpha = ends.a == world ? Vector3<S>{S(0), S(0), S(0)} : data.a[ends.a].angular;
        Rod unit = rod;
        unit.axial = 1;
        spin = spin_forces(data, unit, ends, Vector3<S>(b - a), alpha);
    }
    for (int k = 0; k < 10; ++k)
        for (int j = 0; j < model.nv; ++j) columns[k * stride + j] = S(0);
    each_jacobian_column(model, data, ends.a, [&](int y, const Motion<S>& J) {
        const Vector3<S> x = point_velocity(J, ends.A);
        columns[rod_mass * stride + y] += dot(x, a);
        columns[rod_moment * stride + y] += dot(x, b - a * S(2)) * inverse;
        columns[rod_inertia * stride + y] -= dot(x, apart);
        columns[rod_axial * stride + y] += dot(J.angular, spin.couple) - dot(x, spin.pair);
    });
    each_jacobian_column(model, data, ends.b, [&](int y, const Motion<S>& J) {
        const Vector3<S> x = point_velocity(J, ends.B);
        columns[rod_moment * stride + y] += dot(x, a) * inverse;
        columns[rod_inertia * stride + y] += dot(x, apart);
        columns[rod_axial * stride + y] += dot(x, spin.pair);
    });
}

/// Energies of a rod [10] each.
template <class S>
void rod_energies(const Model& model, const Workspace<S>& data, const Rod& rod, S* kinetic, S* potential) {
    const RodEnds<S> ends = ends_of(model, data, rod);
    const Vector3<S> v = point_velocity(velocity_of(data, ends.a), ends.A), u = velocity_between(data, ends);
    const Vector3<S> up = -model.gravity.cast<S>();
    const S inverse = S(1 / rod.length);
    for (int k = 0; k < 10; ++k) kinetic[k] = potential[k] = S(0);
    kinetic[rod_mass] = dot(v, v) * S(0.5);
    kinetic[rod_moment] = dot(v, u) * inverse;
    kinetic[rod_inertia] = dot(u, u) * S(S(0.5) * inverse * inverse);
    if (rod.guided()) {
        const S spin = spin_of(data, ends, spin_row(data, rod, ends));
        kinetic[rod_axial] = spin * spin * S(0.5);
    }
    potential[rod_mass] = dot(up, ends.A + data.origin[model.clusters[rod.cluster].branch]);
    potential[rod_moment] = dot(up, ends.d()) * inverse;
}

/// The pseudo-body of a combined coordinate, which represents no link.
inline int combined_body(const Model& model, int coupling) {
    const Range terms = model.couplings[coupling].terms;
    return model.dof_body[model.coupling_terms[terms.first].dof];
}

/// Calls use(body) for the bodies that represent no link: those of combined coordinates and of slides of
/// struts.
template <class Use>
void each_body_without_link(const Model& model, const Use& use) {
    for (const int l : model.combined) use(combined_body(model, l));
    for (const Strut& strut : model.struts)
        use(model.dof_body[model.loops[model.rods[strut.rod].loop].slide]);
}

/// Y [nv × 10 bodies], column-major, of which no entry is left out.
template <class S>
void torque_regressor(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* ydd, S* Y,
                      std::ptrdiff_t stride) {
    move_all_bodies(model, data, q, yd);
    accelerate_bodies(model, data, ydd, gravity_acceleration<S>(model));
    for (int i = 0; i < model.carrier_count(); ++i) {
        S* const columns = Y + 10 * i * stride;
        if (model.is_rod(i) && model.rod(i).strut < 0)
            rod_regressor(model, data, model.rod(i), columns, stride);
        else
            link_regressor(model, data, i, columns, stride);
    }
    each_body_without_link(model, [&](int body) {
        S* const columns = Y + 10 * body * stride;
        for (int k = 0; k < 10; ++k)
            for (int j = 0; j < model.nv; ++j) columns[k * stride + j] = S(0);
    });
}

/// Kinetic and potential energy [10 bodies] each, the latter zero at the world's origin.
template <class S>
void energy_regressors(const Model& model, Workspace<S>& data, const S* q, const S* yd, S* kinetic,
                       S* potential) {
    move_all_bodies(model, data, q, yd);
    for (int i = 0; i < model.carrier_count(); ++i) {
        if (model.is_rod(i) && model.rod(i).strut < 0)
            rod_energies(model, data, model.rod(i), kinetic + 10 * i, potential + 10 * i);
        else
            link_energies(model, data, i, kinetic + 10 * i, potential + 10 * i);
    }
    each_body_without_link(model, [&](int body) {
        for (int k = 10 * body; k < 10 * body + 10; ++k) kinetic[k] = potential[k] = S(0);
    });
}

/// Forces on the velocities of one joint by unit armature of its k-th: the rate of the momentum q̇_k e_k,
/// which the axes of a body turn along, and where it slides past them its moment.
template <class S>
std::array<S, 6> armature_force(const Body& body, const S* rate, int k, const S& acceleration) {
    std::array<S, 6> force{};
    const auto put = [&](int first, const Vector3<S>& f) {
        S* const three = force.data() + first;
        three[0] = f.x;
        three[1] = f.y;
        three[2] = f.z;
    };
    if (has_quaternion(body.joint)) {
        const int turns = body.joint == JointType::floating ? 3 : 0;
        const Vector3<S> momentum{k % 3 == 0 ? rate[k] : S(0), k % 3 == 1 ? rate[k] : S(0),
                                  k % 3 == 2 ? rate[k] : S(0)};
        put(k < turns ? 0 : turns,
            cross(Vector3<S>{rate[turns], rate[turns + 1], rate[turns + 2]}, momentum));
        if (k < turns) put(turns, cross(Vector3<S>{rate[0], rate[1], rate[2]}, momentum));
    }
    force[static_cast<std::size_t>(k)] += acceleration;
    return force;
}

/// Y [nv × 3 nv_tree], column-major: of viscous friction, dry friction and armature of each velocity of q̇.
template <class S>
void joint_regressor(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* ydd, S* Y,
                     std::ptrdiff_t stride) {
    move_all_bodies(model, data, q, yd);
    accelerate_bodies(model, data, ydd, Motion<S>{});
    for (int k = 0; k < 3 * model.nv_tree; ++k)
        for (int j = 0; j < model.nv; ++j) Y[k * stride + j] = S(0);
    const S no_turn[7] = {S(0), S(0), S(0), S(0), S(0), S(0), S(1)};
    for (const Body& body : model.bodies) {
        const Cluster& c = model.clusters[body.cluster];
        const int size = velocity_size(body.joint), row = body.dof - c.dof_begin;
        const S* const rate = &data.rate[body.dof];
        const bool floats = body.joint == JointType::floating;
        const SlidingFriction<S> sliding(floats ? q + body.q : no_turn, floats ? rate : no_turn);
        for (int k = 0; k < size; ++k) {
            S rubbing[6] = {};  // dry friction of a unit, without its sign
            if (floats && k < 3) {
                const Vector3<S> along = sliding.direction(k);
                rubbing[0] = along.x;
                rubbing[1] = along.y;
                rubbing[2] = along.z;
            } else {
                rubbing[k] = sign_of(rate[k]);
            }
            S* const viscous = Y + (body.v + k) * stride;
            S* const dry = viscous + model.nv_tree * stride;
            S* const armature = dry + model.nv_tree * stride;
            const std::array<S, 6> force =
                armature_force(body, rate, k, joint_acceleration(model, data, c, body.dof + k));
            for (int j = 0; j < c.m; ++j) {
                const int y = model.y_index[c.y_begin + j];
                const S G = embedding_entry(model, data, c, row + k, j);
                viscous[y] = G * rate[k];
                dry[y] = S(0);
                for (int l = 0; l < size; ++l)
                    dry[y] += embedding_entry(model, data, c, row + l, j) * rubbing[l];
                for (int l = 0; l < size; ++l)
                    armature[y] +=
                        embedding_entry(model, data, c, row + l, j) * force[static_cast<std::size_t>(l)];
            }
        }
    }
}

}  // namespace grbda::kernels
