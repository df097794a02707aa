#include "motion_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "kinematics/configuration.hpp"
#include "kernels/body/exponential.hpp"

// Derivatives of motions are those of the exponential map if a joint moves independently of others, else
// those of the steps that are taken, on numbers with derivatives.

namespace grbda {
namespace {

template <class S>
using Moving = typename StepDerivatives<S>::Moving;

/// True if a chart may make one of its joints independent in part.
bool may_be_mixed(const Model& model, const Cluster& c) {
    bool quaternion = false;
    for (const int i : c.joints) quaternion = quaternion || has_quaternion(model.bodies[i].joint);
    return c.has_choice() && quaternion;
}

template <class S, class Matrix>
void put(const kernels::TwistMap<S>& map, S sign, int size, const int* y, Matrix& out) {
    const auto block = [&](const Matrix3<S>& M, const int* row, const int* column) {
        const Vector3<S>* const columns[3] = {&M.x, &M.y, &M.z};
        for (int j = 0; j < 3; ++j) {
            out(row[0], column[j]) = columns[j]->x * sign;
            out(row[1], column[j]) = columns[j]->y * sign;
            out(row[2], column[j]) = columns[j]->z * sign;
        }
    };
    block(map.A, y, y);
    if (size == 3) return;
    block(map.A, y + 3, y + 3);
    block(map.B, y, y + 3);
}

template <class S>
bool stands_still(const Model& model, const Cluster& c, const S* delta) {
    for (int j = c.y_begin; j < c.y_begin + c.m; ++j)
        if (delta[model.y_index[j]] != 0) return false;
    return true;
}

/// G of one cluster with loops at q.
template <class S>
Result embed_cluster(const Model& model, Workspace<S>& data, const Cluster& c, const S* q) {
    const kernels::Placement<S> base = kernels::place_alone(model, data, c, q);
    const double residual = closing::cluster_residual(model, data, c, base, q);
    kernels::invert_dependents(model, data, c, c.index);
    if (!(value_of(data.rcond[c.index]) >= kernels::singular_rcond<S>()))
        return {Status::singular_constraint, c.index, residual};
    kernels::solve_embedding(model, data, c);
    return {};
}

/// Sets the initial numbers with derivatives of one cluster: q with motions G along the first m directions,
/// and δ along the others. A number contains the directions from `first` on.
template <class S>
void set_off(const Model& model, const Workspace<S>& data, StepDerivatives<S>& work, const Cluster& c,
             int first, const S* q, const S* delta) {
    constexpr int places = Moving<S>::directions;
    kernels::each_joint(model, c, [&](const Body& body) {
        Moving<S>* const to = work.moving_q.data() + body.q;
        Moving<S> motion[6];
        for (int i = 0; i < position_size(body.joint); ++i)
            to[i] = Moving<S>(static_cast<double>(q[body.q + i]));
        for (int i = 0; i < velocity_size(body.joint); ++i)
            for (int l = 0; l < places && first + l < c.m; ++l)
                motion[i].slope[l] = data.G[c.G_begin + (body.dof - c.dof_begin + i) * c.m + first + l];
        kernels::joint_integrate(body.joint, to, motion, to);
    });
    for (int j = 0; j < c.m; ++j) {
        const auto y = static_cast<std::size_t>(model.y_index[c.y_begin + j]);
        work.moving_delta[y] = Moving<S>(static_cast<double>(delta[y]));
        const int place = c.m + j - first;
        if (place >= 0 && place < places) work.moving_delta[y].slope[place] = S(1);
    }
}

/// q̇ at the end of the cluster's motion along each of these directions.
template <class S>
void set_end_rates(const Model& model, Workspace<Moving<S>>& moving, const Cluster& c,
                   const Table<Moving<S>>& q) {
    kernels::each_joint(model, c, [&](const Body& body) {
        Moving<S> end[7];
        for (int i = 0; i < position_size(body.joint); ++i)
            end[i] = Moving<S>(static_cast<double>(q[static_cast<std::size_t>(body.q + i)].value));
        kernels::joint_difference(body.joint, end, q.data() + body.q, moving.rate.data() + body.dof);
    });
}

/// Derivatives of the steps that integrate() takes with one cluster.
template <class S>
Result differentiate_steps(const Model& model, Workspace<S>& data, StepDerivatives<S>& work, const Cluster& c,
                           const S* q, const S* delta, MatrixOut<S> by_start, MatrixOut<S> by_displacement) {
    constexpr int places = Moving<S>::directions;
    Result result = embed_cluster(model, data, c, q);
    Workspace<Moving<S>>& moving = *work.moving;
    for (int first = 0; result.ok() && first < 2 * c.m; first += places) {
        set_off(model, data, work, c, first, q, delta);
        result = closing::integrate_cluster<Moving<S>>(model, moving, c.index, work.moving_delta.data(),
                                                       work.moving_q.data());
        set_end_rates<S>(model, moving, c, work.moving_q);
        const auto rate = [&](int dof) { return moving.rate[dof]; };
        for (int j = 0; j < c.m; ++j) {
            const Moving<S> y = kernels::independent_motion(model, moving, c, rate, j);
            for (int l = 0; l < places && first + l < 2 * c.m; ++l) {
                const int direction = first + l;
                MatrixOut<S>& out = direction < c.m ? by_start : by_displacement;
                out(model.y_index[c.y_begin + j], model.y_index[c.y_begin + direction % c.m]) = y.slope[l];
            }
        }
    }
    return result;
}

template <class S>
Result differentiate_motion(const Model& model, Workspace<S>& data, StepDerivatives<S>& work, const S* q,
                            const S* delta, MatrixOut<S> by_start, MatrixOut<S> by_displacement) {
    by_start.setIdentity();
    by_displacement.setIdentity();
    if (work.moving) work.moving->chart = data.chart;
    Result worst;
    for (const Cluster& c : model.clusters) {
        if (stands_still(model, c, delta)) continue;
        if (closing::is_mixed(model, data, c)) {
            closing::add_result(
                differentiate_steps(model, data, work, c, q, delta, by_start, by_displacement), worst);
            continue;
        }
        closing::each_whole_joint(model, data, c, [&](const Body& body, const int* y) {
            const Twist<S> twist = twist_of(body, y, delta);
            const int size = velocity_size(body.joint);
            put(kernels::change_by_start(twist.v, twist.w), S(1), size, y, by_start);
            put(kernels::end_by_displacement(twist.v, twist.w), S(1), size, y, by_displacement);
        });
    }
    return worst;
}

/// B ← A⁻¹ B by Gauss's elimination with pivoting; A [n × n] and B [n × columns] by rows, side by side.
template <class S>
void eliminate(S* A, int n, int columns) {
    const int width = n + columns;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(A[i * width + k]) > std::abs(A[best * width + k])) best = i;
        std::swap_ranges(A + k * width, A + (k + 1) * width, A + best * width);
        const S inverse = S(1) / A[k * width + k];
        for (int j = k; j < width; ++j) A[k * width + j] *= inverse;
        for (int i = 0; i < n; ++i) {
            if (i == k) continue;
            const S factor = A[i * width + k];
            for (int j = k; j < width; ++j) A[i * width + j] -= factor * A[k * width + j];
        }
    }
}

/// Computes for one cluster the derivatives of δ from those of integrate(q0, δ) = q1.
template <class S>
void invert_motion(const Model& model, Table<S>& scratch, const Cluster& c, MatrixOut<S> by_start,
                   MatrixOut<S> by_displacement) {
    const int width = 3 * c.m;
    const int* const y = model.y_index.data() + c.y_begin;
    S* const A = scratch.data();
    for (int i = 0; i < c.m; ++i)
        for (int j = 0; j < c.m; ++j) {
            A[i * width + j] = by_displacement(y[i], y[j]);
            A[i * width + c.m + j] = by_start(y[i], y[j]);
            A[i * width + 2 * c.m + j] = S(i == j ? 1 : 0);
        }
    eliminate(A, c.m, 2 * c.m);
    for (int i = 0; i < c.m; ++i)
        for (int j = 0; j < c.m; ++j) {
            by_start(y[i], y[j]) = -A[i * width + c.m + j];
            by_displacement(y[i], y[j]) = A[i * width + 2 * c.m + j];
        }
}

}  // namespace

template <class S>
StepDerivatives<S>::StepDerivatives(const Model& model, int count)
    : inputs(count < 0 ? model.nv : count), bodies(model.bodies.size()), layout(model.layout) {
    require_whole(model);
    for (VectorX<S>* x : {&q, &at}) x->setZero(model.nq);
    for (VectorX<S>* x : {&yd, &rate, &displacement, &slope, &total_displacement, &total_gain})
        x->setZero(model.nv);
    for (MatrixX<S>* x : {&by_start, &by_displacement, &ydd_by_y, &ydd_by_yd}) x->setZero(model.nv, model.nv);
    ydd_by_tau.setZero(model.nv, inputs);
    by_duration.setZero(2 * model.nv);
    for (MatrixX<S>* x :
         {&at_by, &rate_by, &displacement_by, &slope_by, &gain_by, &total_displacement_by, &total_gain_by})
        x->setZero(model.nv, 2 * model.nv + inputs + 1);
    if (std::none_of(model.clusters.begin(), model.clusters.end(),
                     [&](const Cluster& c) { return may_be_mixed(model, c); }))
        return;
    moving.emplace(model);
    moving_q.resize(static_cast<std::size_t>(model.nq));
    moving_delta.resize(static_cast<std::size_t>(model.nv));
    scratch.resize(static_cast<std::size_t>(3 * model.sizes.widest * model.sizes.widest));
}

template <class S>
Result integrate_derivatives(const Model& model, Workspace<S>& data, StepDerivatives<S>& work,
                             ConstVector<S> q, ConstVector<S> delta, MatrixOut<S> dout_dq,
                             MatrixOut<S> dout_ddelta) {
    require_workspace(model, data);
    require_step(model, work);
    require_size("q", q.size(), model.nq);
    require_size("delta", delta.size(), model.nv);
    for (const auto& out : {&dout_dq, &dout_ddelta}) {
        require_size("derivatives (rows)", out->rows(), model.nv);
        require_size("derivatives (columns)", out->cols(), model.nv);
    }
    Result result{Status::not_finite};
    if (kernels::usable(model, q.data(), delta.data()))
        result = differentiate_motion<S>(model, data, work, q.data(), delta.data(), dout_dq, dout_ddelta);
    return delivered<S>(result, dout_dq, dout_ddelta);
}

template <class S>
Result difference_derivatives(const Model& model, Workspace<S>& data, StepDerivatives<S>& work,
                              ConstVector<S> q0, ConstVector<S> q1, MatrixOut<S> ddelta_dq0,
                              MatrixOut<S> ddelta_dq1) {
    require_step(model, work);
    for (const auto& out : {&ddelta_dq0, &ddelta_dq1}) {
        require_size("derivatives (rows)", out->rows(), model.nv);
        require_size("derivatives (columns)", out->cols(), model.nv);
    }
    VectorX<S>& delta = work.displacement;
    Result result = difference<S>(model, data, q0, q1, delta);
    if (result.ok())
        result = differentiate_motion<S>(model, data, work, q0.data(), delta.data(), ddelta_dq0, ddelta_dq1);
    for (const Cluster& c : model.clusters) {
        if (!result.ok()) break;
        if (closing::is_mixed(model, data, c) && !stands_still(model, c, delta.data())) {
            invert_motion<S>(model, work.scratch, c, ddelta_dq0, ddelta_dq1);
            continue;
        }
        for (int j = c.y_begin; j < c.y_begin + c.m; ++j)
            ddelta_dq0(model.y_index[j], model.y_index[j]) = S(-1);
        closing::each_whole_joint(model, data, c, [&](const Body& body, const int* y) {
            const Twist<S> twist = twist_of(body, y, delta.data());
            const int size = velocity_size(body.joint);
            put(kernels::displacement_by_end(-twist.v, -twist.w), S(-1), size, y, ddelta_dq0);
            put(kernels::displacement_by_end(twist.v, twist.w), S(1), size, y, ddelta_dq1);
        });
    }
    return delivered<S>(result, ddelta_dq0, ddelta_dq1);
}

#define GRBDA_INSTANTIATE(S)                                                                              \
    template struct StepDerivatives<S>;                                                                   \
    template Result integrate_derivatives<S>(const Model&, Workspace<S>&, StepDerivatives<S>&,            \
                                             ConstVector<S>, ConstVector<S>, MatrixOut<S>, MatrixOut<S>); \
    template Result difference_derivatives<S>(const Model&, Workspace<S>&, StepDerivatives<S>&,           \
                                              ConstVector<S>, ConstVector<S>, MatrixOut<S>, MatrixOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

}  // namespace grbda
