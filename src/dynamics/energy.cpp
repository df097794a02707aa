#include "dynamics/energy.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "dynamics_outcome.hpp"
#include "kernels/derivatives/momentum.hpp"
#include "kernels/cluster/outcome.hpp"
#include "kernels/rod/rods.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
Eigen::Matrix<S, 3, 1> eigen(const Vector3<S>& a) {
    return {a.x, a.y, a.z};
}

/// Sums over the bodies of one branch, momentum about its origin.
template <class S>
void add_bodies(const Model& model, const Workspace<S>& data, MechanicalState& out,
                Eigen::Matrix<S, 3, 1>& first_moment, Eigen::Matrix<S, 3, 1>& angular) {
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        if (body.rotor) continue;
        const Cluster& c = model.clusters[body.cluster];
        const auto origin = eigen(data.origin[c.branch]);
        const RigidInertia<S> I = kernels::inertia_of(model, data, i);
        const Motion<S>& v = data.v[i];
        const Force<S> momentum = I * v;
        out.kinetic += S(0.5) * dot(v, momentum);
        out.mass += I.mass;
        first_moment += eigen(I.h) + I.mass * origin;
        out.linear_momentum += eigen(momentum.linear);
        angular += eigen(momentum.angular) + origin.cross(eigen(momentum.linear));
    }
}

template <class S>
void add_rotors(const Model& model, const Workspace<S>& data, MechanicalState& out,
                Eigen::Matrix<S, 3, 1>& first_moment, Eigen::Matrix<S, 3, 1>& angular) {
    for (const Cluster& c : model.clusters)
        for (const Rotor* rotor = kernels::rotors_begin(model, c); rotor != kernels::rotors_end(model, c);
             ++rotor) {
            const kernels::Gyrostat<S> r = kernels::gyrostat(model, data, c, *rotor);
            const S spin = data.rate[rotor->dof];
            const Vector3<S> omega = kernels::velocity_of(data, rotor->carrier).angular;
            out.kinetic += dot(r.h, omega) * spin + S(0.5) * r.inertia * spin * spin;
            angular += eigen(r.h * spin);
            if (rotor->carrier != world) continue;
            Vector3<S> moment{S(0), S(0), S(0)};
            kernels::add_fixed_mass(model, *rotor, out.mass, moment);
            first_moment += eigen(moment);
        }
}

/// A strut, and its masses at ends on the world.
template <class S>
void add_strut(const Model& model, const Workspace<S>& data, const Rod& rod, const kernels::RodEnds<S>& ends,
               MechanicalState& out, Eigen::Matrix<S, 3, 1>& first_moment, Eigen::Matrix<S, 3, 1>& angular) {
    const kernels::StrutLine<S> strut = kernels::strut_line(model, data, rod, ends);
    const StrutMotion<S> v = kernels::velocity_of(data, strut, ends);
    const kernels::StrutLoad<S> momentum = kernels::momentum_of(strut, v);
    const Force<S> whole = kernels::wrench_of(ends, momentum);
    const auto origin = eigen(data.origin[model.clusters[rod.cluster].branch]);
    out.kinetic += S(0.5) * kernels::power(v, momentum);
    out.linear_momentum += eigen(whole.linear);
    angular += eigen(whole.angular) + origin.cross(eigen(whole.linear));
    Vector3<S> moment = strut.h_a + strut.h_b;
    kernels::add_fixed_mass(model, rod, out.mass, moment);
    first_moment += eigen(moment);
}

/// Terms of rods besides the masses at their ends: momenta −m_AB u at B and m_AB u at A, and spins.
template <class S>
void add_rods(const Model& model, const Workspace<S>& data, MechanicalState& out,
              Eigen::Matrix<S, 3, 1>& first_moment, Eigen::Matrix<S, 3, 1>& angular) {
    for (const Rod& rod : model.rods) {
        const kernels::RodEnds<S> ends = kernels::ends_of(model, data, rod);
        if (rod.strut >= 0) {
            add_strut(model, data, rod, ends, out, first_moment, angular);
            continue;
        }
        const Vector3<S> u = kernels::velocity_between(data, ends), momentum = u * S(-rod.coupling);
        out.kinetic += S(0.5) * dot(u, momentum);
        angular += eigen(cross(ends.d(), momentum));
        if (rod.guided()) {
            const kernels::SpinRow<S> row = kernels::spin_row(data, rod, ends);
            const S spin = kernels::spin_of(data, ends, row), turning = spin * S(rod.axial);
            out.kinetic += S(0.5) * spin * turning;
            angular += eigen(row.n * turning);
        } else if (rod.spin_momentum != 0) {
            out.kinetic += S(rod.spin_momentum * rod.spin_momentum / (2 * rod.axial));
            angular += eigen(ends.d() * S(rod.spin_momentum / rod.length));
        }
        Vector3<S> moment{S(0), S(0), S(0)};
        kernels::add_fixed_mass(model, rod, out.mass, moment);
        first_moment += eigen(moment);
    }
}

/// Reflected inertias are no bodies: they have energy, and no share in mass and momentum.
template <class S>
S armature_energy(const Model& model, const Workspace<S>& data) {
    S energy(0);
    for (std::size_t dof = 0; dof < model.armature.size(); ++dof)
        energy += S(0.5 * model.armature[dof]) * data.rate[dof] * data.rate[dof];
    return energy;
}

template <class S>
Result outcome(const Model& model, const Workspace<S>& data, const S* q, const S* yd,
               const MechanicalState& found) {
    if (!kernels::usable_in_dynamics<S>(model, q, yd, nullptr, nullptr)) return {Status::not_finite};
    const Result constraint = dynamics_outcome(model, data);
    if (!constraint.ok()) return constraint;
    const bool finite = std::isfinite(found.kinetic) && std::isfinite(found.potential) &&
                        found.com.allFinite() && found.linear_momentum.allFinite() &&
                        found.angular_momentum.allFinite();
    return {finite ? Status::ok : Status::not_finite};
}

/// All but the mass, which is the robot's.
void clear(MechanicalState& out) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    out.kinetic = out.potential = nan;
    out.com.setConstant(nan);
    out.linear_momentum.setConstant(nan);
    out.angular_momentum.setConstant(nan);
}

}  // namespace

template <class S>
Result mechanical_state(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                        MechanicalState& out) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("yd", yd.size(), model.nv);
    kernels::positions<S>(model, data, q.data());
    kernels::velocities<S>(model, data, q.data(), yd.data());
    out = MechanicalState{};
    Eigen::Matrix<S, 3, 1> first_moment = Eigen::Matrix<S, 3, 1>::Zero(), angular = first_moment;
    add_bodies(model, data, out, first_moment, angular);
    add_rotors(model, data, out, first_moment, angular);
    add_rods(model, data, out, first_moment, angular);
    out.kinetic += armature_energy(model, data);
    out.potential = -eigen(model.gravity.cast<S>()).dot(first_moment);
    if (out.mass > S(0)) out.com = first_moment / out.mass;
    out.angular_momentum = angular - out.com.cross(out.linear_momentum);
    const Result result = outcome(model, data, q.data(), yd.data(), out);
    if (!result.ok()) clear(out);
    return result;
}

template Result mechanical_state<double>(const Model&, Workspace<double>&, ConstVector<double>,
                                         ConstVector<double>, MechanicalState&);

Result mechanical_state(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd) {
    return mechanical_state<double>(model, data.workspaces().general, q, yd, data.mechanics);
}

}  // namespace grbda
