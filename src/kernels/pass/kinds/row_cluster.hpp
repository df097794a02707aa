#pragma once

#include "tree_cluster.hpp"

// Specialises all steps of pass/aba.hpp for clusters whose rows are passed on as forces (Popov and
// Vereshchagin; with early elimination: Sathya & Carpentier 2024). The passes visit the spanning tree joint
// by joint. The multiplier of each row is passed along with the wrench F of a unit of it on the body reached,
// and is eliminated at the body where all ends of its row meet:
//   ½ aᵀ IA a + pᵀ a + aᵀ F t + ½ tᵀ Q t + zᵀ t   is stationary.
// A joint's cost depends on how many multipliers pass it, not on how many joints the cluster has.

namespace grbda::kernels {

struct RowCluster : CutTree {
    /// The axial moment of a wrench on a rotor. data.force holds what is applied to each joint.
    template <class S>
    static void aba_rotor_moment(const Model&, Workspace<S>& data, const Cluster&, const Rotor& rotor,
                                 const S& moment) {
        data.force[rotor.dof] += moment;
    }

    /// Positions, velocities and, at q̈ = 0 of all joints, accelerations and forces.
    template <class S>
    static void aba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster, const S* q,
                            const S* yd, bool) {
        S* const rate = data.y_rate.data() + c.y_begin;
        const S* none = nullptr;
        place_cut_tree(model, data, c, cluster, q);
        if (c.embedding == Embedding::constant)
            constraint_rows(model, data, c, cluster_base(model, data, c, q), q);
        gather_coordinates(model, c, yd, rate);
        complete_motion(model, data, c, rate, none, data.rate.data() + c.dof_begin);
        move_bodies(model, data, c);
        constraint_bias(model, data, c, q);
        const Motion<S> base =
            c.parent_body == world ? gravity_acceleration<S>(model) : data.a0[c.parent_body];
        for (const int i : c.bodies) {
            const auto at = static_cast<std::size_t>(i);
            const RigidInertia<S> I = inertia_of(model, data, i);
            data.a0[at] = base + data.c[at];
            data.IA[at] = articulated(I);
            data.pA[at] = moving_force(I, data.v[at], data.a0[at]);
        }
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) data.force[dof] = S(0);
    }

    /// From the tips to the base: joints one by one, and rows where their ends meet.
    template <class S>
    static void aba_backward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster, bool,
                             S*) {
        spread_forces(model, data, c);
        if (c.turning_armature)
            turning_forces(model, data, c, [&](int dof, const S& force) { data.force[dof] -= force; });
        start_rows(model, data, c);
        S margin = S(1e30);
        for (int r = c.rotors.last - 1; r >= c.rotors.first; --r) pass_rotor(model, data, model.rotors[r]);
        for (int i = c.bodies.last - 1; i >= c.bodies.first; --i) {
            margin = scalar::min(end_rows(model, data, model.passed_rows[i], i), margin);
            margin = scalar::min(pass_joint(model, data, c, i), margin);
        }
        data.margin[cluster] = scalar::min(end_rows(model, data, c.base, c.parent_body), margin);
    }

    /// What ÿ adds: multipliers and accelerations from base to tips.
    template <class S>
    static void aba_accelerate(const Model& model, Workspace<S>& data, const Cluster& c, S* ydd) {
        const Motion<S> base = c.parent_body == world ? Motion<S>{} : data.a[c.parent_body];
        find_multipliers(model, data, c.base, base);
        for (const int i : c.bodies) {
            const Body& body = model.bodies[i];
            Motion<S> a = body.parent == c.parent_body ? base : data.a[body.parent];
            for (int dof = body.dof; dof < body.dof + velocity_size(body.joint); ++dof) {
                const S change = joint_change(model, data, model.passed_rows[i], dof, dof - body.dof, a);
                data.rate_change[dof] = change;
                a += data.s[dof] * change;
            }
            data.a[i] = a;
            find_multipliers(model, data, model.passed_rows[i], a);
        }
        for (const int r : c.rotors) {
            const Rotor& rotor = model.rotors[r];
            const Motion<S> a = rotor.carrier == world           ? Motion<S>{}
                                : rotor.carrier == c.parent_body ? base
                                                                 : data.a[rotor.carrier];
            data.rate_change[rotor.dof] =
                joint_change(model, data, model.passed_rows[rotor.body], rotor.dof, 0, a);
        }
        for (int j = 0; j < c.m; ++j)
            ydd[model.y_index[c.y_begin + j]] = independent_motion(
                model, data, c, [&](int dof) { return data.rate_change[dof]; }, j);
    }

    /// Forces u alone, with the factors that articulate left.
    template <class S>
    static void aba_solve_backward(const Model& model, Workspace<S>& data, const Cluster& c, S*) {
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) data.force[dof] = S(0);
        spread_forces(model, data, c);
        reduce_forces(model, data, c);
    }

    /// The same of forces on its joints, in data.force.
    template <class S>
    static void reduce_forces(const Model& model, Workspace<S>& data, const Cluster& c) {
        for (int r = c.row_begin; r < c.row_begin + c.rows; ++r) data.rest[r] = S(0);
        for (int r = c.rotors.last - 1; r >= c.rotors.first; --r) {
            const Rotor& rotor = model.rotors[r];
            const S moved = reduce_force(model, data, model.passed_rows[rotor.body], rotor.dof, 0);
            if (rotor.carrier != world) data.pA[rotor.carrier] += data.U[rotor.dof] * moved;
        }
        for (int i = c.bodies.last - 1; i >= c.bodies.first; --i) {
            const Body& body = model.bodies[i];
            reduce_rows(model, data, model.passed_rows[i], i);
            for (int dof = body.dof + velocity_size(body.joint) - 1; dof >= body.dof; --dof) {
                data.force[dof] -= dot(data.s[dof], data.pA[i]);
                data.pA[i] +=
                    data.U[dof] * reduce_force(model, data, model.passed_rows[i], dof, dof - body.dof);
            }
            if (body.parent != world) data.pA[body.parent] += data.pA[i];
        }
        reduce_rows(model, data, c.base, c.parent_body);
    }

private:
    /// u of the independent velocities onto their joints.
    template <class S>
    static void spread_forces(const Model& model, Workspace<S>& data, const Cluster& c) {
        for (int j = 0; j < c.m; ++j)
            add_independent_force(model, data, c, j, data.u[c.y_begin + j],
                                  [&](int dof) -> S& { return data.force[dof]; });
    }

    /// Initializes F with the wrenches of the loops at their ends, z = k and Q = 0.
    template <class S>
    static void start_rows(const Model& model, Workspace<S>& data, const Cluster& c) {
        for (const int slot : c.slots) data.F[slot] = Force<S>{};
        for (int r = c.row_begin; r < c.row_begin + c.rows; ++r) data.rest[r] = data.k[r];
        S* Q = data.Q.data() + c.Q_begin;
        for (int i = 0; i < c.rows * c.rows; ++i) Q[i] = S(0);
        for (const int l : c.loops) {
            const Loop& loop = model.loops[l];
            for (int r = 0; r < loop.rows; ++r) {
                const Force<S>& Psi = data.Psi[loop.row + r];
                if (loop.successor.slot >= 0) data.F[loop.successor.slot + r] -= Psi;
                if (loop.predecessor.slot >= 0) data.F[loop.predecessor.slot + r] += Psi;
            }
        }
    }

    /// Eliminates one velocity with inertia D and force u from the multipliers that pass it: e, Q, z. Returns
    /// D⁻¹ u, the factor of U in the force passed on.
    template <class S>
    static S eliminate_velocity(const Model& model, Workspace<S>& data, const PassedRows& rows, int dof,
                                int component, const S& D) {
        const int n = rows.carried.size();
        const S inverse = S(1) / D, moved = inverse * data.force[dof];
        S* const e = data.e.data() + rows.e_begin + component * n;
        const Cluster& c = model.clusters[model.bodies[model.dof_body[dof]].cluster];
        S* const Q = data.Q.data() + c.Q_begin;
        data.pivot[dof] = inverse;
        for (int k = 0; k < n; ++k) {
            const int slot = rows.carried.first + k, row = model.slot_row[slot];
            const S share = e[k] * inverse;
            for (int l = 0; l <= k; ++l)
                Q[row * c.rows + model.slot_row[rows.carried.first + l]] -= share * e[l];
            data.rest[c.row_begin + row] += e[k] * moved;
            data.F[slot] -= data.U[dof] * share;
        }
        return moved;
    }

    /// One joint, from its last velocity to its first, and on to the body before. Its least pivot above the
    /// floor.
    template <class S>
    static S pass_joint(const Model& model, Workspace<S>& data, const Cluster& c, int i) {
        const Body& body = model.bodies[i];
        const PassedRows& rows = model.passed_rows[i];
        ArticulatedInertia<S>& IA = data.IA[i];
        S margin = S(1e30);
        for (int l = velocity_size(body.joint) - 1; l >= 0; --l) {
            const int dof = body.dof + l;
            const Motion<S>& s = data.s[dof];
            const Force<S> U = IA * s;
            const S D = dot(s, U) + S(model.armature[dof]);
            data.U[dof] = U;
            data.force[dof] -= dot(s, data.pA[i]);
            S* const e = data.e.data() + rows.e_begin + l * rows.carried.size();
            for (int k = 0; k < rows.carried.size(); ++k) e[k] = dot(s, data.F[rows.carried.first + k]);
            add_coupling_rows(model, data, c, rows, dof, e);
            margin = scalar::min(S(D - pivot_floor<S>(model.joint_floor[dof])), margin);
            const S moved = eliminate_velocity(model, data, rows, dof, l, D);
            IA.subtract_outer(U, data.pivot[dof]);
            data.pA[i] += U * moved;
        }
        for (int slot = rows.carried.first; slot < rows.carried.last; ++slot)
            if (const int up = model.slot_up[slot]; up >= 0) data.F[up] += data.F[slot];
        if (body.parent != world) {
            data.IA[body.parent] += IA;
            data.pA[body.parent] += data.pA[i];
        }
        return margin;
    }

    /// A rotor: a joint on its carrier whose inertia the carrier feels as a couple.
    template <class S>
    static void pass_rotor(const Model& model, Workspace<S>& data, const Rotor& rotor) {
        const PassedRows& rows = model.passed_rows[rotor.body];
        const Cluster& c = model.clusters[model.bodies[rotor.body].cluster];
        const Vector3<S> h = couple_of(data, rotor);
        data.U[rotor.dof] = {{S(0), S(0), S(0)}, h};
        if (rotor.carrier != world) {
            data.force[rotor.dof] -= dot(h, data.a0[rotor.carrier].angular);
            data.pA[rotor.carrier] += gyroscopic_force(data, rotor, h);
        }
        S* const e = data.e.data() + rows.e_begin;
        for (int k = 0; k < rows.carried.size(); ++k) e[k] = S(0);
        add_coupling_rows(model, data, c, rows, rotor.dof, e);
        const S moved = eliminate_velocity(model, data, rows, rotor.dof, 0,
                                           S(rotor.axial_inertia + model.armature[rotor.dof]));
        for (int slot = rows.carried.first; slot < rows.carried.last; ++slot)
            if (const int up = model.slot_up[slot]; up >= 0) data.F[up] += data.F[slot];
        if (rotor.carrier == world) return;
        data.IA[rotor.carrier].subtract_outer(data.U[rotor.dof], data.pivot[rotor.dof]);
        data.pA[rotor.carrier] += data.U[rotor.dof] * moved;
    }

    /// Rows of couplings act on velocities, not on bodies.
    template <class S>
    static void add_coupling_rows(const Model& model, const Workspace<S>& data, const Cluster& c,
                                  const PassedRows& rows, int dof, S* e) {
        for (int k = rows.couplings; k < rows.carried.size(); ++k)
            e[k] -= data.K[c.K_begin + model.slot_row[rows.carried.first + k] * c.dofs + dof - c.dof_begin];
    }

    /// Eliminates the rows whose ends meet at a body: L = −Q = L diag Lᵀ, then V = L⁻¹ F, X = L⁻¹ Q_EO and
    /// L⁻¹ z replace F, the numbers behind L, and z. Returns the least pivot less its rounding error.
    template <class S>
    static S end_rows(const Model& model, Workspace<S>& data, const PassedRows& rows, int body) {
        const int n = rows.ended.size(), others = rows.carried.size();
        if (n == 0) return S(1e30);
        const Cluster& c = model.clusters[rows.cluster];
        const S* const Q = data.Q.data() + c.Q_begin;
        S *const L = data.row_factors.data() + rows.factor_begin, *const X = L + n * n;
        const auto entry = [&](int i, int j) { return Q[std::max(i, j) * c.rows + std::min(i, j)]; };
        const int *const ended = model.slot_row.data() + rows.ended.first, *const carried =
                                                                               model.slot_row.data() +
                                                                               rows.carried.first;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) L[i * n + j] = -entry(ended[i], ended[j]);
            for (int k = 0; k < others; ++k) X[i * others + k] = entry(ended[i], carried[k]);
        }
        const S margin = factor_rows(L, n);
        for (int i = 1; i < n; ++i)
            for (int j = 0; j < i; ++j) {
                for (int k = 0; k < others; ++k) X[i * others + k] -= L[i * n + j] * X[j * others + k];
                if (body != world)
                    data.F[rows.ended.first + i] -= data.F[rows.ended.first + j] * L[i * n + j];
            }
        add_ended(model, data, rows, body);
        reduce_rows(model, data, rows, body);
        return margin;
    }

    /// L diag Lᵀ as factor_symmetric(); the smallest pivot as a part of its diagonal entry, less what is
    /// rounding.
    template <class S>
    static S factor_rows(S* L, int n) {
        constexpr double rounding = 2e-12;  // four digits are left above, as above singular_rcond()
        S margin = S(1e30);
        for (int j = 0; j < n; ++j) {
            const S before = L[j * n + j];
            S d = before;
            for (int k = 0; k < j; ++k) d -= L[j * n + k] * L[k * n + j];
            const S inverse = S(1) / d;
            margin = scalar::min(S(d / before - pivot_floor<S>(rounding)), margin);
            L[j * n + j] = inverse;
            for (int i = j + 1; i < n; ++i) {
                S l = L[i * n + j];
                for (int k = 0; k < j; ++k) l -= L[i * n + k] * L[k * n + j];
                L[j * n + i] = l;
                L[i * n + j] = l * inverse;
            }
        }
        return margin;
    }

    /// IA += V D⁻¹ Vᵀ, F += V D⁻¹ X and Q += Xᵀ D⁻¹ X.
    template <class S>
    static void add_ended(const Model& model, Workspace<S>& data, const PassedRows& rows, int body) {
        const int n = rows.ended.size(), others = rows.carried.size();
        const Cluster& c = model.clusters[rows.cluster];
        const S *const L = data.row_factors.data() + rows.factor_begin, *const X = L + n * n;
        for (int i = 0; i < n; ++i) {
            const S inverse = L[i * (n + 1)];
            const Force<S>& V = data.F[rows.ended.first + i];
            if (body != world) data.IA[body].subtract_outer(V, S(-inverse));
            for (int k = 0; k < others; ++k) {
                const S share = X[i * others + k] * inverse;
                const int row = model.slot_row[rows.carried.first + k];
                data.F[rows.carried.first + k] += V * share;
                for (int l = 0; l <= k; ++l)
                    data.Q[c.Q_begin + row * c.rows + model.slot_row[rows.carried.first + l]] +=
                        share * X[i * others + l];
            }
        }
    }

    /// z of the rows that end at a body, into its force and into z of the others.
    template <class S>
    static void reduce_rows(const Model& model, Workspace<S>& data, const PassedRows& rows, int body) {
        const int n = rows.ended.size(), others = rows.carried.size();
        if (n == 0) return;
        const Cluster& c = model.clusters[rows.cluster];
        const S *const L = data.row_factors.data() + rows.factor_begin, *const X = L + n * n;
        const auto rest = [&](int slot) -> S& { return data.rest[c.row_begin + model.slot_row[slot]]; };
        for (int i = 0; i < n; ++i) {
            S z = rest(rows.ended.first + i);
            for (int j = 0; j < i; ++j) z -= L[i * n + j] * rest(rows.ended.first + j);
            rest(rows.ended.first + i) = z;
            const S share = z * L[i * (n + 1)];
            if (body != world) data.pA[body] += data.F[rows.ended.first + i] * share;
            for (int k = 0; k < others; ++k) rest(rows.carried.first + k) += X[i * others + k] * share;
        }
    }

    /// z of the rows that pass a velocity, from its force; what U is to be multiplied by.
    template <class S>
    static S reduce_force(const Model& model, Workspace<S>& data, const PassedRows& rows, int dof,
                          int component) {
        const int n = rows.carried.size();
        const S moved = data.pivot[dof] * data.force[dof];
        const S* const e = data.e.data() + rows.e_begin + component * n;
        const int begin = model.clusters[rows.cluster].row_begin;
        for (int k = 0; k < n; ++k) data.rest[begin + model.slot_row[rows.carried.first + k]] += e[k] * moved;
        return moved;
    }

    /// t = L⁻ᵀ D⁻¹ (Vᵀ a + X t_O + z) of the rows that end at a body, whose acceleration adds a.
    template <class S>
    static void find_multipliers(const Model& model, Workspace<S>& data, const PassedRows& rows,
                                 const Motion<S>& a) {
        const int n = rows.ended.size(), others = rows.carried.size();
        const Cluster& c = model.clusters[rows.cluster];
        const S *const L = data.row_factors.data() + rows.factor_begin, *const X = L + n * n;
        const auto row = [&](int slot) { return c.row_begin + model.slot_row[slot]; };
        for (int i = n - 1; i >= 0; --i) {
            S t = data.rest[row(rows.ended.first + i)];
            if (&rows != &c.base || c.parent_body != world) t += dot(a, data.F[rows.ended.first + i]);
            for (int k = 0; k < others; ++k)
                t += X[i * others + k] * data.multiplier[row(rows.carried.first + k)];
            t = t * L[i * (n + 1)];
            for (int j = n - 1; j > i; --j) t -= L[j * n + i] * data.multiplier[row(rows.ended.first + j)];
            data.multiplier[row(rows.ended.first + i)] = t;
        }
    }

    /// ẍ = D⁻¹ (u − Uᵀ a − e t) of one velocity.
    template <class S>
    static S joint_change(const Model& model, const Workspace<S>& data, const PassedRows& rows, int dof,
                          int component, const Motion<S>& a) {
        const int n = rows.carried.size(), begin = model.clusters[rows.cluster].row_begin;
        const S* const e = data.e.data() + rows.e_begin + component * n;
        S force = data.force[dof] - dot(a, data.U[dof]);
        for (int k = 0; k < n; ++k)
            force -= e[k] * data.multiplier[begin + model.slot_row[rows.carried.first + k]];
        return force * data.pivot[dof];
    }
};

}  // namespace grbda::kernels
