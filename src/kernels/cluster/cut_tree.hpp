#pragma once

#include "kernels/constraint/motion.hpp"
#include "kernels/rod/rods.hpp"
#include "rotors.hpp"

// Computes a cluster along its spanning tree with its loops cut. The motion of its joints follows from the
// independent velocities by one solution with K_d. Forces on all joints become forces on the independent
// velocities by one solution with its transpose. Both do without columns of G.

namespace grbda::kernels {

/// Computes x [dofs] = S N y, the independents' own motion. The dependent entries are unchanged; on a tangent
/// they are zero before.
template <class S>
void spread_independents(const Model& model, const Workspace<S>& data, const Cluster& c, const S* y, S* x) {
    if (is_on_tangent(data, c)) [[unlikely]] {
        for (int i = 0; i < c.dofs; ++i) {
            S sum(0);
            for (int j = 0; j < c.m; ++j) sum += y[j] * S(basis_row(data, c, i)[j]);
            x[i] = sum * S(model.column_scale[c.dof_begin + i]);
        }
        return;
    }
    const int* independent = data.chart.independent.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j) x[independent[j] - c.dof_begin] = y[j];
}

/// Returns row r of K x for the independents' own motion.
template <class S>
S row_of_independents(const Workspace<S>& data, const Cluster& c, int r, const S* y, const S* x) {
    const S* K = data.K.data() + c.K_begin + r * c.dofs;
    S sum(0);
    if (is_on_tangent(data, c)) [[unlikely]] {
        for (int i = 0; i < c.dofs; ++i) sum += K[i] * x[i];
    } else {
        const int* independent = data.chart.independent.data() + c.y_begin;
        for (int j = 0; j < c.m; ++j) sum += K[independent[j] - c.dof_begin] * y[j];
    }
    return sum;
}

/// Numbers of the rows of a cluster: R local values or, for R = 0, in scratch.
template <int R, class S>
class RowNumbers {
public:
    RowNumbers(Workspace<S>&, int) {}
    S* numbers() { return values_; }

private:
    S values_[R]{};
};
template <class S>
class RowNumbers<0, S> {
public:
    RowNumbers(Workspace<S>& data, int rows) : scope_(data.scratch), place_(scope_.take(rows)) {}
    S* numbers() { return place_; }

private:
    ScratchScope<S> scope_;
    S* place_;
};

/// Calls `kernel` with the number of rows if it is small, otherwise with 0.
template <class Kernel>
[[gnu::always_inline]] inline void with_rows(int rows, Kernel&& kernel) {
    switch (rows) {
        case 1: kernel(std::integral_constant<int, 1>{}); return;
        case 2: kernel(std::integral_constant<int, 2>{}); return;
        case 3: kernel(std::integral_constant<int, 3>{}); return;
        default: kernel(std::integral_constant<int, 0>{}); return;
    }
}

/// Computes the dependent entries of x [dofs], which contains the independents' own motion, from K x = b;
/// null b is zero.
template <int R, class S>
void complete_by_rows(const Model& model, Workspace<S>& data, const Cluster& c, const S* y, const S* b,
                      S* x) {
    const int rows = R > 0 ? R : c.rows, width = R > 0 ? row_block : padded(rows);
    const double* scale = model.row_scale.data() + c.row_begin;
    RowNumbers<R, S> numbers(data, rows);
    S* const rest = numbers.numbers();
    for (int r = 0; r < rows; ++r) {
        const S moved = row_of_independents(data, c, r, y, x);
        rest[r] = (b ? S(b[r] - moved) : S(-moved)) * S(scale[r]);
    }
    if (is_on_tangent(data, c)) [[unlikely]]
        return add_complement(model, data, c, rest, 1, x);
    const S* P = data.inverse.data() + c.inverse_begin;
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d, P += width) {
        S sum = P[0] * rest[0];
        for (int r = 1; r < rows; ++r) sum += P[r] * rest[r];
        const int dof = data.chart.dependent[d];
        x[dof - c.dof_begin] = sum * S(model.column_scale[dof]);
    }
}

/// Computes the motion x [dofs] of all joints of a cluster with the independent part y [m] and K x = b; null
/// b is zero.
template <class S>
void complete_motion(const Model& model, Workspace<S>& data, const Cluster& c, const S* y, const S* b, S* x) {
    spread_independents(model, data, c, y, x);
    if (c.embedding == Embedding::constant) {
        for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
            const int row = model.dependent[d] - c.dof_begin;
            const double* G = model.G.data() + c.G_begin + row * c.m;
            S sum(0);
            for (int j = 0; j < c.m; ++j) sum += y[j] * S(G[j]);
            x[row] = sum;
        }
    } else if (c.embedding == Embedding::implicit && c.rows > 0) {
        with_rows(c.rows, [&](auto R) { complete_by_rows<R()>(model, data, c, y, b, x); });
    }
}

/// Solves K_dᵀ w = f_d for w [rows] by the pseudo-inverse.
template <int R, class S>
[[gnu::always_inline]] inline void balance_dependents(const Model& model, const Workspace<S>& data,
                                                      const Cluster& c, const S* f, S* w) {
    const int rows = R > 0 ? R : c.rows, width = R > 0 ? row_block : padded(rows);
    const S* P = data.inverse.data() + c.inverse_begin;
    for (int r = 0; r < rows; ++r) w[r] = S(0);
    for (int d = 0; d < c.dependents(); ++d, P += width) {
        const S force = dependent_force(model, data, c, f - c.dof_begin, d);
        for (int r = 0; r < rows; ++r) w[r] += P[r] * force;
    }
    for (int r = 0; r < rows; ++r) w[r] = w[r] * S(model.row_scale[c.row_begin + r]);
}

/// Computes u [m] += −K_iᵀ w; on a tangent, N of f − Kᵀ w.
template <int R, class S>
void add_by_rows(const Model& model, Workspace<S>& data, const Cluster& c, S* f, S* u) {
    const int rows = R > 0 ? R : c.rows;
    RowNumbers<R, S> numbers(data, rows);
    S* const w = numbers.numbers();
    balance_dependents<R>(model, data, c, f, w);
    const S* K = data.K.data() + c.K_begin;
    if (is_on_tangent(data, c)) [[unlikely]] {
        for (int r = 0; r < rows; ++r)
            for (int i = 0; i < c.dofs; ++i) f[i] -= K[r * c.dofs + i] * w[r];
        for (int j = 0; j < c.m; ++j)
            for (int i = 0; i < c.dofs; ++i)
                u[j] += f[i] * S(model.column_scale[c.dof_begin + i] * basis_row(data, c, i)[j]);
        return;
    }
    const int* independent = data.chart.independent.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j) {
        const int row = independent[j] - c.dof_begin;
        S force = f[row];
        for (int r = 0; r < rows; ++r) force -= K[r * c.dofs + row] * w[r];
        u[j] += force;
    }
}

/// Computes u [m] += Gᵀ f for forces f [dofs] on all joints. On a tangent, f changes.
template <class S>
void add_projected(const Model& model, Workspace<S>& data, const Cluster& c, S* f, S* u) {
    if (c.embedding == Embedding::implicit && c.rows > 0)
        return with_rows(c.rows, [&](auto R) { add_by_rows<R()>(model, data, c, f, u); });
    const int* independent = data.chart.independent.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j) u[j] += f[independent[j] - c.dof_begin];
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int row = model.dependent[d] - c.dof_begin;
        const double* G = model.G.data() + c.G_begin + row * c.m;
        for (int j = 0; j < c.m; ++j) u[j] += f[row] * S(G[j]);
    }
}

/// Computes R, p and s of a cluster's bodies, after turn_joints(), and K and the inverse of K_d if they are
/// not constant.
template <class S>
void place_cut_tree(const Model& model, Workspace<S>& data, const Cluster& c, int cluster, const S* q) {
    const Placement<S> base = cluster_base(model, data, c, q);
    place_cluster(model, data, c, base, q);
    if (!c.rods.empty()) place_loose_rods(model, data, c, base);
    if (c.embedding != Embedding::implicit) return;
    constraint_rows(model, data, c, base, q);
    invert_dependents(model, data, c, cluster);
    if (!c.rods.empty()) limit_by_spins(model, data, c, cluster);
}

/// Reads ẏ or ÿ of a cluster in the user's order; null is zero.
template <class S>
void gather_coordinates(const Model& model, const Cluster& c, const S* from, S* y) {
    for (int j = 0; j < c.m; ++j) y[j] = from ? from[model.y_index[c.y_begin + j]] : S(0);
}

/// Returns the acceleration of body i: that of its parent in `of`, plus that across its joint for the
/// velocity rates x [dofs of the model]. `base` is the acceleration of the cluster's parent body.
template <class S>
[[gnu::always_inline]] inline Motion<S> next_acceleration(const Workspace<S>& data, const Cluster& c,
                                                          const Body& body, int i, const Table<Motion<S>>& of,
                                                          const Motion<S>& base, const S* x) {
    const Motion<S>* s = &data.s[body.dof];
    const Motion<S> across = body.joint == JointType::revolute
                                 ? *s * x[body.dof]
                                 : joint_velocity(velocity_size(body.joint), s, x + body.dof);
    if (body.parent == c.parent_body) return base + (data.c[i] + across);
    return of[body.parent] + ((data.c[i] - data.c[body.parent]) + across);
}

/// H of the joints of a cluster [dofs × dofs], the full matrix, in scratch.
template <class S>
class JointInertia {
public:
    JointInertia(Workspace<S>& data, const Cluster& c)
        : scope_(data.scratch), H_(scope_.take(c.dofs * c.dofs + c.m)), c_(c) {
        for (int i = 0; i < c.dofs * c.dofs; ++i) H_[i] = S(0);
    }
    /// Adds a value to both entries of two velocities.
    void add(int dof, int other, const S& value) {
        const int i = dof - c_.dof_begin, j = other - c_.dof_begin;
        const S sum = H_[i * c_.dofs + j] + value;
        H_[i * c_.dofs + j] = sum;
        H_[j * c_.dofs + i] = sum;
    }
    const S* row(int dof) const { return H_ + (dof - c_.dof_begin) * c_.dofs; }
    /// Returns m numbers of scratch space behind H.
    S* scratch() const { return H_ + c_.dofs * c_.dofs; }

private:
    ScratchScope<S> scope_;
    S* H_;
    const Cluster& c_;
};

/// Adds entries of H for the force F of velocity `dof` at body b, with the joints of b and its ancestors in
/// the cluster.
template <class S>
[[gnu::always_inline]] inline void add_on_path(const Model& model, const Workspace<S>& data, const Cluster& c,
                                               int dof, int b, const Force<S>& F, JointInertia<S>& H) {
    for (; b != c.parent_body; b = model.bodies[b].parent) {
        const Body& before = model.bodies[b];
        const int end = std::min(before.dof + velocity_size(before.joint), dof + 1);
        for (int l = before.dof; l < end; ++l) H.add(dof, l, dot(data.s[l], F));
    }
}

/// Adds the entries of H and U of a body's joint; its inertia is that of the body and all its descendants.
template <class S, class Inertia>
[[gnu::always_inline]] inline void add_joint(const Model& model, Workspace<S>& data, const Cluster& c, int i,
                                             const Inertia& I, JointInertia<S>& H) {
    const Body& body = model.bodies[i];
    for (int dof = body.dof; dof < body.dof + velocity_size(body.joint); ++dof) {
        const Force<S> U = I * data.s[dof];
        data.U[dof] = U;
        add_on_path(model, data, c, dof, i, U, H);
    }
}

/// Adds the entries of a body without inertia.
template <class S>
void add_massless_joint(const Model& model, Workspace<S>& data, int i) {
    const Body& body = model.bodies[i];
    for (int dof = body.dof; dof < body.dof + velocity_size(body.joint); ++dof) data.U[dof] = Force<S>{};
}

/// Adds the entries of rotors, which rotate with their carriers, and of armature. Those of folded clusters
/// are in D0 and in the momentum of the cluster.
template <class S>
void add_driven(const Model& model, Workspace<S>& data, const Cluster& c, JointInertia<S>& H) {
    if (c.rotor_kind != RotorKind::moving) {
        for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor)
            data.U[rotor->dof] = Force<S>{};
        return;
    }
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        const Force<S> U{{S(0), S(0), S(0)}, couple_of(data, *rotor)};
        data.U[rotor->dof] = U;
        H.add(rotor->dof, rotor->dof, S(rotor->axial_inertia));
        if (rotor->carrier_in_cluster) add_on_path(model, data, c, rotor->dof, rotor->carrier, U, H);
    }
    if (!c.armature) return;
    for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) H.add(dof, dof, S(model.armature[dof]));
}

/// Adds the spin of a rod to H and U.
template <class S>
void add_spin_to_joints(const Model& model, Workspace<S>& data, const Rod& rod, const RodEnds<S>& ends,
                        JointInertia<S>& H) {
    const SpinRow<S> row = spin_row(data, rod, ends);
    S* const w = data.rod_spins.data() - rod.terms.first;
    for (int t = rod.terms.first; t < rod.terms.last; ++t) {
        const RodTerm& term = model.rod_terms[t];
        w[t] = spin_term(data, ends, row, term);
        const S momentum = w[t] * S(rod.axial);
        data.U[term.dof].angular += row.n * momentum;
        for (int o = rod.terms.first; o <= t; ++o)
            H.add(term.dof, model.rod_terms[o].dof, S(momentum * w[o]));
    }
}

/// Adds a strut to H and U.
template <class S>
void add_strut_to_joints(const Model& model, Workspace<S>& data, const Rod& rod, const RodEnds<S>& ends,
                         JointInertia<S>& H) {
    const StrutLine<S> strut = strut_line(model, data, rod, ends);
    StrutMotion<S>* const x = data.strut_columns.data() - rod.terms.first;
    for (int t = rod.terms.first; t < rod.terms.last; ++t) {
        const RodTerm& term = model.rod_terms[t];
        x[t] = strut_term(data, strut, ends, term);
        const StrutLoad<S> load = momentum_of(strut, x[t]);
        data.U[term.dof] += wrench_of(ends, load);
        for (int o = rod.terms.first; o <= t; ++o) H.add(term.dof, model.rod_terms[o].dof, power(x[o], load));
    }
}

/// Subtracts the pairs of rods from H and U, and adds their spins and struts.
template <class S>
void subtract_rods_from_joints(const Model& model, Workspace<S>& data, const Cluster& c, JointInertia<S>& H) {
    for (const Rod* rod = rods_begin(model, c); rod != rods_end(model, c); ++rod) {
        const RodEnds<S> ends = ends_of(model, data, *rod);
        if (rod->strut >= 0) {
            add_strut_to_joints(model, data, *rod, ends, H);
            continue;
        }
        const Vector3<S> d = ends.d();
        for (int t = rod->terms.first; t < rod->terms.last; ++t) {
            const RodTerm& term = model.rod_terms[t];
            const Vector3<S> f = term_between(data, ends, term) * S(rod->coupling);
            data.U[term.dof].angular -= cross(d, f);
            for (int o = rod->terms.first; o <= t; ++o) {
                const RodTerm& other = model.rod_terms[o];
                H.add(term.dof, other.dof, S(-dot(term_between(data, ends, other), f)));
            }
        }
        if (rod->guided()) add_spin_to_joints(model, data, *rod, ends, H);
    }
}

/// Computes D += Gᵀ H G, lower triangle, by X = H_di + ½ H_dd G_d: D = H_ii + Xᵀ G_d + G_dᵀ X. G is in data.
template <int M, class S>
void project_inertia(const Workspace<S>& data, const Cluster& c, const JointInertia<S>& H, S* D) {
    const int m = M > 0 ? M : c.m;
    const int* independent = data.chart.independent.data() + c.y_begin;
    const int* dependent = data.chart.dependent.data() + c.dependent_begin;
    const S* G = data.G.data() + c.G_begin - c.dof_begin * c.m;
    for (int j = 0; j < m; ++j)
        for (int k = 0; k <= j; ++k) D[j * m + k] += H.row(independent[j])[independent[k] - c.dof_begin];
    for (int d = 0; d < c.dependents(); ++d) {
        const S* row = H.row(dependent[d]);
        const S* G_d = G + dependent[d] * m;
        S* X = H.scratch();
        for (int j = 0; j < m; ++j) {
            X[j] = row[independent[j] - c.dof_begin] + row[dependent[d] - c.dof_begin] * G_d[j] * S(0.5);
        }
        for (int e = 0; e < d; ++e) {  // the other half of H_dd represents both
            const S h = row[dependent[e] - c.dof_begin];
            const S* G_e = G + dependent[e] * m;
            for (int j = 0; j < m; ++j) X[j] += G_e[j] * h;
        }
        for (int j = 0; j < m; ++j)
            for (int k = 0; k <= j; ++k) D[j * m + k] += X[j] * G_d[k] + G_d[j] * X[k];
    }
}

/// Computes W [m] += Gᵀ U.
template <int M, class S>
void project_momenta(const Workspace<S>& data, const Cluster& c, Force<S>* W) {
    const int m = M > 0 ? M : c.m;
    const int* independent = data.chart.independent.data() + c.y_begin;
    for (int j = 0; j < m; ++j) W[j] += data.U[independent[j]];
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int dof = data.chart.dependent[d];
        const S* G = data.G.data() + c.G_begin + (dof - c.dof_begin) * m;
        for (int j = 0; j < m; ++j) W[j] += data.U[dof] * G[j];
    }
}

/// Computes u [m] −= Gᵀ f.
template <int M, class S>
void subtract_projected(const Workspace<S>& data, const Cluster& c, const S* f, S* u) {
    const int m = M > 0 ? M : c.m;
    const int* independent = data.chart.independent.data() + c.y_begin;
    for (int j = 0; j < m; ++j) u[j] -= f[independent[j]];
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) {
        const int dof = data.chart.dependent[d];
        const S* G = data.G.data() + c.G_begin + (dof - c.dof_begin) * m;
        for (int j = 0; j < m; ++j) u[j] -= f[dof] * G[j];
    }
}

}  // namespace grbda::kernels
