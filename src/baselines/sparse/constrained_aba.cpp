#include "constrained_aba.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <Eigen/Cholesky>

#include "baselines/workspace.hpp"

// Vereshchagin (1974) minimises Gauss's function along the tree and passes constraints of the last bodies
// inward, to the root. Sathya and Carpentier ("Constrained Articulated Body Dynamics Algorithms", 2024, and
// its form for closed loops) eliminate multipliers as soon as a body is reached that all their rows hang on.
// Here these rows are independent, so that no regularisation is needed. Accelerations are those beside q̈ = 0.

namespace grbda::baselines {
namespace {

using Eigen::Index;

constexpr double kSmallestPivotOfL = 1e-14;  // of L₁₁, relative to its diagonal: rounding

std::size_t at(int i) { return static_cast<std::size_t>(i); }
std::size_t node_of(const Model& model, int body) { return body == world ? model.bodies.size() : at(body); }

/// Bodies on which a row acts by wrenches, or whose joints have entries in it.
struct RowEnds {
    std::vector<int> bodies, joints;
    int meeting = world;  ///< the body on which all of them hang
};

RowEnds ends_of(const Model& model, const Tie& tie) {
    RowEnds ends;
    if (tie.is_loop) {
        const Loop& loop = model.loops[tie.source];
        ends.bodies = {loop.predecessor.body, loop.successor.body};
        ends.meeting = common_ancestor(model, loop.predecessor.body, loop.successor.body);
        return ends;
    }
    const Coupling& coupling = model.couplings[tie.source];
    for (int t = 0; t < coupling.terms.size(); ++t) {
        const int v = column_of(model, coupling, t);
        const auto body = std::find_if(model.bodies.begin(), model.bodies.end(), [&](const Body& x) {
            return x.v <= v && v < x.v + velocity_size(x.joint);
        });
        ends.joints.push_back(static_cast<int>(body - model.bodies.begin()));
        const int above = body->parent;
        ends.meeting = t == 0 ? above : common_ancestor(model, ends.meeting, above);
    }
    return ends;
}

Spatial spatial(const Vector6& x) { return {x.head<3>(), x.tail<3>()}; }
Vector6 vector(const Spatial& x) {
    Vector6 result;
    result << x.angular, x.linear;
    return result;
}

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& x) {
    Eigen::Matrix3d result;
    result << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
    return result;
}

Matrix6 matrix(const WorldInertia& I) {
    Matrix6 result;
    const Eigen::Matrix3d first = cross_matrix(I.first);
    result << I.second, first, -first, I.mass * Eigen::Matrix3d::Identity();
    return result;
}

/// Lists the rows of each body, unless the independent rows are those of the call before.
void list_rows(const SparseState& state, ConstrainedAba& in) {
    if (in.chosen == state.chosen) return;
    in.chosen = state.chosen;
    const std::size_t all = state.wrenches.size();
    std::fill(in.place.begin(), in.place.end(), -1);
    std::vector<char> is_chosen(all, 0);
    for (const int row : in.chosen) is_chosen[at(row)] = 1;
    for (std::size_t b = 0; b < in.bodies.size(); ++b) {
        ConstrainedBody& body = in.bodies[b];
        body.rows.clear();
        const auto add = [&](const std::vector<int>& rows) {
            for (const int row : rows)
                if (is_chosen[at(row)]) {
                    in.place[b * all + at(row)] = static_cast<int>(body.rows.size());
                    body.rows.push_back(row);
                }
        };
        add(body.through);
        body.inward = static_cast<Index>(body.rows.size());
        add(body.ending);
    }
}

/// The function of each body by itself.
void start(const Model& model, const SparseState& state, ConstrainedAba& in) {
    const std::size_t all = state.wrenches.size();
    for (std::size_t b = 0; b < in.bodies.size(); ++b) {
        ConstrainedBody& body = in.bodies[b];
        const Index rows = static_cast<Index>(body.rows.size());
        body.R.leftCols(rows).setZero();
        body.L.topLeftCorner(rows, rows).setZero();
        body.l.head(rows).setZero();
        for (Index r = body.inward; r < rows; ++r) body.l[r] = -state.k[body.rows[at(static_cast<int>(r))]];
        if (b == model.bodies.size()) break;
        const WorldBody& own = state.tree.bodies[b];
        body.A = matrix(own.inertia);
        body.p = vector(own.f);
    }
    for (const int row : state.chosen) {
        const Tie& tie = state.tie_of(row);
        if (!tie.is_loop) continue;
        const Loop& loop = model.loops[tie.source];
        const auto act = [&](int body, double sign) {
            if (body == world) return;
            const int place = in.place[at(body) * all + at(row)];
            in.bodies[at(body)].R.col(place) += sign * vector(state.wrenches[at(row)]);
        };
        act(loop.successor.body, 1);
        act(loop.predecessor.body, -1);
    }
}

/// L₁₁ = C Cᵀ in place, with the inverse of C's diagonal. False: not positive definite.
bool factor(Eigen::MatrixXd& L, Index first, Index last) {
    for (Index j = first; j < last; ++j) {
        double pivot = L(j, j);
        for (Index k = first; k < j; ++k) pivot -= L(j, k) * L(j, k);
        if (!(pivot > kSmallestPivotOfL * L(j, j))) return false;
        L(j, j) = 1 / std::sqrt(pivot);
        for (Index i = j + 1; i < last; ++i) {
            double sum = L(i, j);
            for (Index k = first; k < j; ++k) sum -= L(i, k) * L(j, k);
            L(i, j) = sum * L(j, j);
        }
    }
    return true;
}

/// Eliminates the multipliers of rows that end at a body, λ₁ = L₁₁⁻¹ (R₁ a + l₁ − L₁₀ λ₀).
bool eliminate(ConstrainedBody& body) {
    const Index rows = static_cast<Index>(body.rows.size()), open = body.inward, ends = rows - open;
    if (ends == 0) return true;
    Eigen::MatrixXd& L = body.L;
    if (!factor(L, open, rows)) return false;
    const auto right = [&](Index i) { return body.eliminated.row(i).head(7 + open); };
    for (Index i = 0; i < ends; ++i) {
        auto row = right(i);
        row.head<6>() = body.R.col(open + i).transpose();
        row[6] = body.l[open + i];
        row.tail(open) = L.col(open + i).head(open).transpose();
        for (Index k = 0; k < i; ++k) row -= L(open + i, open + k) * right(k);
        row *= L(open + i, open + i);
    }
    for (Index i = ends; i-- > 0;) {
        auto row = right(i);
        for (Index k = i + 1; k < ends; ++k) row -= L(open + k, open + i) * right(k);
        row *= L(open + i, open + i);
    }
    for (Index i = 0; i < ends; ++i) {
        const auto row = right(i);
        const Vector6 R = body.R.col(open + i), inverse = row.head<6>().transpose();
        body.A.noalias() += R * inverse.transpose();
        body.p += R * row[6];
        for (Index j = 0; j < open; ++j) {
            const double between = L(j, open + i);
            body.R.col(j) -= between * inverse;
            body.l[j] -= between * row[6];
            L.col(j).head(open) -= between * row.tail(open).transpose();
        }
    }
    return true;
}

/// Makes q̈ of a body's joint, of N velocities, stationary. False: D is not positive definite.
template <int N>
bool turn(const Model& model, SparseState& state, int index, ConstrainedBody& body, double& free) {
    const Body& own = model.bodies[index];
    const int first = state.branches.first_of_body(index);
    const WorldInertia& subtree = state.tree.bodies[at(index)].inertia;
    auto S = body.S.leftCols<N>();
    auto U = body.U.leftCols<N>();
    auto u = body.u.head<N>();
    S = state.tree.S.middleCols<N>(first);
    U.noalias() = body.A * S;
    Eigen::Matrix<double, N, N> D = S.transpose() * U;
    u = state.tau.segment<N>(first);
    u.noalias() -= S.transpose() * body.p;
    if constexpr (N == 6) {
        state.tree.C.segment<N>(first).setZero();
        add_turning_armature(model, own, first, state.tree);
        u -= state.tree.C.segment<N>(first);
    }
    double of_subtree[N];
    for (int j = 0; j < N; ++j) {
        const double armature = model.armature[own.dof + j];
        const Vector6 s = S.col(j);
        of_subtree[j] = s.dot(vector(subtree * spatial(s))) + armature;
        D(j, j) += armature;
        if (of_subtree[j] > 0) free = std::max(free, std::abs(u[j]) / of_subtree[j]);
    }
    auto inverse = body.D.topLeftCorner<N, N>();
    if constexpr (N == 1) {
        if (!(D(0, 0) > kSmallestPivot * of_subtree[0])) return false;
        inverse(0, 0) = 1 / D(0, 0);
    } else {
        const Eigen::LLT<Eigen::Matrix<double, N, N>> llt(D);
        if (llt.info() != Eigen::Success) return false;
        for (int j = 0; j < N; ++j)
            if (const double root = llt.matrixLLT()(j, j); !(root * root > kSmallestPivot * of_subtree[j]))
                return false;
        inverse = llt.solve(Eigen::Matrix<double, N, N>::Identity());
    }
    const Eigen::Matrix<double, 6, N> UD = U * inverse;
    body.p.noalias() += UD * u;
    body.A.noalias() -= UD * U.transpose();
    const Eigen::Matrix<double, N, 1> qdd = inverse * u;
    for (Index r = 0; r < body.inward; ++r) {
        const int row = body.rows[static_cast<std::size_t>(r)];
        Eigen::Matrix<double, N, 1> y = S.transpose() * body.R.col(r);
        if (!state.tie_of(row).is_loop) y += state.K.row(row).segment<N>(first).transpose();
        body.Y.col(r).head<N>() = y;
        body.R.col(r).noalias() -= UD * y;
        body.l[r] += y.dot(qdd);
        const Eigen::Matrix<double, N, 1> yd = inverse * y;
        for (Index s = 0; s <= r; ++s) body.L(s, r) += yd.dot(body.Y.col(s).template head<N>());
    }
    return true;
}

/// Adds what remains of a body's function to that of the body that it hangs on.
void pass_on(const ConstrainedBody& body, const int* place, ConstrainedBody& parent, bool on_world) {
    if (!on_world) {
        parent.A += body.A;
        parent.p += body.p;
    }
    for (Index r = 0; r < body.inward; ++r) {
        const Index to = place[at(body.rows[at(static_cast<int>(r))])];
        parent.R.col(to) += body.R.col(r);
        parent.l[to] += body.l[r];
        for (Index s = 0; s <= r; ++s) {
            const Index other = place[at(body.rows[at(static_cast<int>(s))])];
            parent.L(other, to) += body.L(s, r);
            if (s != r) parent.L(to, other) += body.L(s, r);
        }
    }
}

/// q̈ of a body's joint, and its acceleration.
template <int N>
void accelerate(SparseState& state, int index, const ConstrainedBody& parent, ConstrainedBody& body) {
    Eigen::Matrix<double, N, 1> rate = body.u.head<N>();
    rate.noalias() -= body.U.leftCols<N>().transpose() * parent.a;
    for (Index r = 0; r < body.inward; ++r) rate -= body.Y.col(r).head<N>() * body.multipliers[r];
    auto qdd = state.qdd.segment<N>(state.branches.first_of_body(index));
    qdd.noalias() = body.D.topLeftCorner<N, N>() * rate;
    body.a = parent.a;
    body.a.noalias() += body.S.leftCols<N>() * qdd;
}

/// Multipliers of the rows of a body: of those that go on inward from its parent, then of those that end.
void take_multipliers(const ConstrainedBody& parent, const int* place, ConstrainedBody& body) {
    for (Index r = 0; r < body.inward; ++r)
        body.multipliers[r] = parent.multipliers[place[at(body.rows[at(static_cast<int>(r))])]];
}
void find_multipliers(ConstrainedBody& body) {
    const Index rows = static_cast<Index>(body.rows.size()), open = body.inward;
    for (Index r = open; r < rows; ++r) {
        const auto row = body.eliminated.row(r - open);
        body.multipliers[r] =
            row[6] + row.head<6>().dot(body.a) - row.segment(7, open).dot(body.multipliers.head(open));
    }
}

/// Calls use(N) for the number of velocities of a joint, a constant.
template <class Use>
auto with_size(const Body& body, const Use& use) {
    switch (velocity_size(body.joint)) {
        case 1: return use(std::integral_constant<int, 1>());
        case 2: return use(std::integral_constant<int, 2>());
        case 3: return use(std::integral_constant<int, 3>());
        default: return use(std::integral_constant<int, 6>());
    }
}

}  // namespace

ConstrainedAba::ConstrainedAba(const Model& model, const SparseState& state)
    : bodies(model.bodies.size() + 1), place(bodies.size() * at(model.rows), -1) {
    for (const Tie& tie : state.ties) {
        const RowEnds ends = ends_of(model, tie);
        std::vector<char> is_listed(bodies.size(), 0);
        const auto list = [&](int body) {
            for (; body != ends.meeting && !is_listed[at(body)]; body = model.bodies[body].parent) {
                is_listed[at(body)] = 1;
                for (int r = 0; r < tie.rows; ++r) bodies[at(body)].through.push_back(tie.first + r);
            }
        };
        for (const int body : ends.bodies) list(body);
        for (const int body : ends.joints) list(body);
        for (int r = 0; r < tie.rows; ++r)
            bodies[node_of(model, ends.meeting)].ending.push_back(tie.first + r);
    }
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        ConstrainedBody& body = bodies[b];
        const Index through = static_cast<Index>(body.through.size()),
                    ending = static_cast<Index>(body.ending.size()), rows = through + ending;
        for (auto* x : {&body.R, &body.Y}) x->setZero(6, rows);
        body.L.setZero(rows, rows);
        for (Eigen::VectorXd* x : {&body.l, &body.multipliers}) x->setZero(rows);
        body.eliminated.setZero(ending, 7 + through);
        for (Matrix6* x : {&body.A, &body.S, &body.U, &body.D}) x->setZero();
        for (Vector6* x : {&body.p, &body.a, &body.u}) x->setZero();
    }
}

Result solve_constrained_aba(const Model& model, SparseState& state, ConstrainedAba& in) {
    const std::size_t all = state.wrenches.size();
    list_rows(state, in);
    start(model, state, in);
    double free_acceleration = 0;
    const auto places_of = [&](int body) { return in.place.data() + node_of(model, body) * all; };
    for (int i = model.body_count(); i-- > 0;) {
        ConstrainedBody& body = in.bodies[at(i)];
        const int above = model.bodies[i].parent;
        const bool stands = eliminate(body) && with_size(model.bodies[i], [&](auto size) {
                                return turn<size>(model, state, i, body, free_acceleration);
                            });
        if (!stands) return {Status::undefined, -1, 0, 0};
        pass_on(body, places_of(above), in.bodies[node_of(model, above)], above == world);
        if (above != world) state.tree.bodies[at(above)].inertia += state.tree.bodies[at(i)].inertia;
    }
    if (!eliminate(in.bodies.back())) return {Status::undefined, -1, 0, 0};
    find_multipliers(in.bodies.back());
    for (int i = 0; i < model.body_count(); ++i) {
        const ConstrainedBody& parent = in.bodies[node_of(model, model.bodies[i].parent)];
        ConstrainedBody& body = in.bodies[at(i)];
        take_multipliers(parent, places_of(model.bodies[i].parent), body);
        with_size(model.bodies[i], [&](auto size) { accelerate<size>(state, i, parent, body); });
        find_multipliers(body);
    }
    Result result;
    result.residual = constraint_residual(state, free_acceleration);
    if (!(result.residual <= kConsistentResidual)) result.status = Status::undefined;
    return result;
}

}  // namespace grbda::baselines
