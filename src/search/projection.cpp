#include "search/search.hpp"

#include <stdexcept>
#include <string>

#include "closed_search.hpp"
#include "closing/closure_tolerance.hpp"
#include "kernels/cluster/outcome.hpp"
#include "model/workspaces.hpp"

namespace grbda {
namespace {

template <class S>
bool is_diagonal(ConstMatrix<S> W) {
    return W.cols() == 1;
}

template <class S>
void require_metric(const Model& model, ConstMatrix<S> W) {
    require_size("W (rows)", W.rows(), model.nv_tree);
    if (W.cols() != 1) require_size("W (columns)", W.cols(), model.nv_tree);
    for (Eigen::Index v = 0; v < W.rows(); ++v) {
        const double weight = value_of(W(v, is_diagonal<S>(W) ? 0 : v));
        if (!(weight >= 0) || !std::isfinite(weight))
            throw std::invalid_argument("W's diagonal entry " + std::to_string(v) + " is " +
                                        std::to_string(weight) +
                                        ", expected a finite one that is not negative");
    }
}

/// Computes out = W A without its first columns.
template <class S, class A, class Out>
void weigh(ConstMatrix<S> W, const A& columns, Out& out) {
    if (is_diagonal<S>(W))
        out = W.col(0).asDiagonal() * columns;
    else
        out = W.lazyProduct(columns);
}

/// Computes the lower triangle of H = AᵀB.
template <class S>
void products(const MatrixX<S>& A, const MatrixX<S>& B, MatrixX<S>& H) {
    for (Eigen::Index i = 0; i < A.cols(); ++i)
        for (Eigen::Index j = 0; j <= i; ++j) H(i, j) = A.col(i).dot(B.col(j));
}

/// Closes the loops of one cluster by Newton's method with the least steps: δ = −W⁻¹Kᵀ (K W⁻¹ Kᵀ)⁺ φ with the
/// diagonal of W.
/// It does not use closing/gauss_newton.hpp, because it halves steps instead of damping them, and allocates
/// nothing.
template <class S>
class LeastMotion {
public:
    /// `inverse` [nv_tree]: 1/W of each velocity.
    LeastMotion(const Model& model, Workspace<S>& data, typename Search<S>::Internal& work,
                const VectorX<S>& inverse, int cluster, S* q)
        : model_(model), data_(data), work_(work), inverse_(inverse), c_(model.clusters[cluster]), q_(q) {
        result_.cluster = cluster;
    }

    Result close() {
        constexpr int most_steps = 200;
        S* const trial = work_.trial.data();
        double open = measure(q_);
        for (; result_.iterations < most_steps && open > 0; ++result_.iterations) {
            if (result_.residual <= closing::rounding_of_closure<S>(model_, data_, c_, q_)) return result_;
            if (!set_step()) break;
            double portion = std::min(1., longest_ / length());
            for (; portion > shortest_; portion /= 2) {
                kernels::move_cluster(model_, c_, q_, step(), S(portion), trial);
                if (measure(trial) < open) break;
            }
            if (!(portion > shortest_)) break;
            kernels::copy_joints(model_, c_, trial, q_);
            open = measure(q_);
        }
        measure(q_);
        if (!(result_.residual <= closing::closure_tolerance<S>(model_, data_, c_, q_)))
            result_.status = Status::not_converged;
        return result_;
    }

private:
    static constexpr double longest_ = 0.5;    // rad or sizes of the cluster, all joints together
    static constexpr double shortest_ = 1e-3;  // of Newton's step

    S* step() { return work_.step.data(); }

    /// Computes K and φ at q and returns |φ| with comparable rows.
    double measure(const S* q) {
        const auto base = kernels::place_alone<S>(model_, data_, c_, q);
        result_.residual = closing::cluster_residual<S>(model_, data_, c_, base, q);
        double sum = 0;
        for (int r = c_.row_begin; r < c_.row_begin + c_.rows; ++r) {
            const double phi = value_of(data_.phi[r]) * model_.row_scale[r];
            sum += phi * phi;
        }
        return std::sqrt(sum);
    }

    S K(int row, int j) const {
        return data_.K[c_.K_begin + row * c_.dofs + j] * static_cast<S>(model_.row_scale[c_.row_begin + row]);
    }
    S weight(int j) const { return inverse_[model_.v_index[c_.dof_begin + j]]; }

    /// Computes the step. Redundant rows make K W⁻¹ Kᵀ singular; the term that is added to its diagonal does
    /// not change the components in the range of K.
    bool set_step() {
        constexpr double regular = 1e2;  // times rounding
        auto A = work_.multipliers.topLeftCorner(c_.rows, c_.rows);
        auto y = work_.right.head(c_.rows);
        for (int r = 0; r < c_.rows; ++r) {
            for (int l = 0; l <= r; ++l) {
                S sum(0);
                for (int j = 0; j < c_.dofs; ++j) sum += K(r, j) * weight(j) * K(l, j);
                A(r, l) = sum;
            }
            y[r] = -data_.phi[c_.row_begin + r] * static_cast<S>(model_.row_scale[c_.row_begin + r]);
        }
        const S added = A.diagonal().maxCoeff() * static_cast<S>(regular * search::rounding<S>);
        A.diagonal().array() += added;
        if (!search::factor_lower<S>(A)) return false;
        search::solve_lower<S>(A, y);
        search::solve_upper<S>(A, y);
        for (int j = 0; j < c_.dofs; ++j) {
            S sum(0);
            for (int r = 0; r < c_.rows; ++r) sum += K(r, j) * y[r];
            work_.step[j] = weight(j) * sum;
        }
        return true;
    }

    double length() const {
        double sum = 0;
        for (const int i : c_.bodies) {
            const Body& body = model_.bodies[i];
            for (int dof = body.dof; dof < body.dof + velocity_size(body.joint); ++dof)
                sum += std::abs(value_of(work_.step[dof - c_.dof_begin])) / model_.column_scale[dof];
        }
        return sum;
    }

    const Model& model_;
    Workspace<S>& data_;
    typename Search<S>::Internal& work_;
    const VectorX<S>& inverse_;
    const Cluster& c_;
    S* q_;
    Result result_;
};

/// Sets `inverse` [nv_tree] to 1/W from its diagonal, bounded for velocities whose weight is almost zero
/// compared with the largest.
template <class S>
void invert_diagonal(const Model& model, ConstMatrix<S> W, VectorX<S>& inverse) {
    constexpr double lightest = 1e-6;
    double heaviest = 0;
    const auto weight = [&](std::size_t dof) {
        const Eigen::Index v = model.v_index[dof];
        return value_of(W(v, is_diagonal<S>(W) ? 0 : v)) * model.column_scale[dof] * model.column_scale[dof];
    };
    for (std::size_t dof = 0; dof < model.v_index.size(); ++dof) heaviest = std::max(heaviest, weight(dof));
    if (heaviest == 0) heaviest = 1;
    for (std::size_t dof = 0; dof < model.v_index.size(); ++dof)
        inverse[model.v_index[dof]] = static_cast<S>(model.column_scale[dof] * model.column_scale[dof] *
                                                     heaviest / std::max(weight(dof), lightest * heaviest));
}

/// Closes every loop and coupling, by the least motion of its cluster.
template <class S>
Result close_by_least_motion(const Model& model, Workspace<S>& data, typename Search<S>::Internal& work,
                             ConstMatrix<S> W, VectorX<S>& q) {
    invert_diagonal<S>(model, W, work.difference);
    for (int i = 0; i < model.cluster_count(); ++i) {
        if (model.clusters[i].rows == 0) continue;
        const Result result = LeastMotion<S>(model, data, work, work.difference, i, q.data()).close();
        if (!result.ok()) return result;
    }
    return closure_residual<S>(model, data, q);
}

/// The cost ½ dᵀ W d.
template <class S>
class Distance {
public:
    Distance(const Model& model, Workspace<S>& data, typename Search<S>::Internal& work, ConstMatrix<S> W,
             const VectorX<S>& q0)
        : model_(model), data_(data), work_(work), W_(W), q0_(q0) {}

    Result place(const S* q) {
        const Eigen::Map<const VectorX<S>> at(q, model_.nq);
        return constraint_embedding<S>(model_, data_, at, work_.still);
    }
    double cost(const S* q) {
        search::joint_displacements(model_, q0_.data(), q, work_.difference);
        weigh<S>(W_, work_.difference, work_.step);
        return value_of(work_.difference.dot(work_.step)) / 2;
    }
    /// Returns whether no coordinate remains to move.
    bool met() const {
        return value_of(work_.difference.cwiseAbs().sum()) <= 100 * search::rounding<S> * model_.nv_tree;
    }
    double curvature() const { return 0; }
    bool close(VectorX<S>& q) { return close_by_least_motion<S>(model_, data_, work_, W_, q).ok(); }

    void linearize(const S* q) {
        move(q);
        weigh<S>(W_, work_.moving, work_.weighed);
        products(work_.moving, work_.weighed, work_.H);
        work_.descent = -work_.weighed.transpose().lazyProduct(work_.difference);
    }

private:
    /// Sets work.moving to the derivatives of the differences by y.
    void move(const S* q) {
        const MatrixX<S>& G = work_.here.G;
        work_.moving = G;
        for (const Body& body : model_.bodies) {
            if (!has_quaternion(body.joint)) continue;
            const int turn = body.v + velocity_size(body.joint) - 3;
            const auto inverse = turning(turn);
            for (Eigen::Index j = 0; j < model_.nv; ++j) {
                const Eigen::Matrix<S, 3, 1> w = G.col(j).template segment<3>(turn);
                work_.moving.col(j).template segment<3>(turn) = inverse * w;
            }
            if (turn == body.v) continue;
            const Matrix3<S> from = kernels::rotation_of_quaternion(q0_.data() + body.q + 3),
                             to = kernels::rotation_of_quaternion(q + body.q + 3);
            for (Eigen::Index j = 0; j < model_.nv; ++j) {
                auto v = work_.moving.col(j).template segment<3>(body.v);
                const Vector3<S> shift = transpose_times(from, to * Vector3<S>{v[0], v[1], v[2]});
                v << shift.x, shift.y, shift.z;
            }
        }
    }

    /// Returns the matrix that maps the angular velocity in the child's axes to ḋ, where d is the rotation
    /// vector at that index: 1 + d×/2 + c d×d×.
    Eigen::Matrix<S, 3, 3> turning(int at) const {
        const Eigen::Matrix<S, 3, 1> d = work_.difference.template segment<3>(at);
        const S square = d.squaredNorm();
        const kernels::Sinc<S> f = kernels::sinc(square);
        const S c = value_of(square) < 1e-3 ? S(1. / 12) + square * S(1. / 720)
                                            : (S(1) - f.first / (S(2) * f.second)) / square;
        Eigen::Matrix<S, 3, 3> cross;
        cross << S(0), -d[2], d[1], d[2], S(0), -d[0], -d[1], d[0], S(0);
        return Eigen::Matrix<S, 3, 3>::Identity() + S(0.5) * cross + c * cross * cross;
    }

    const Model& model_;
    Workspace<S>& data_;
    typename Search<S>::Internal& work_;
    ConstMatrix<S> W_;
    const VectorX<S>& q0_;
};

/// Factors GᵀWG in work.here, with W G in work.weighed, at an embedding. Returns false if it is not positive
/// definite.
template <class S>
bool factor_metric(const Model& model, const Workspace<S>& data, typename Search<S>::Internal& work,
                   ConstMatrix<S> W) {
    search::read_embedding(model, data, work.here.G);
    weigh<S>(W, work.here.G, work.weighed);
    products(work.here.G, work.weighed, work.here.program.H);
    return work.here.program.factor();
}

/// Returns the independent part of the motion nearest to x: (GᵀWG)⁻¹ GᵀW x.
template <class S>
const VectorX<S>& nearest(typename Search<S>::Internal& work, const VectorX<S>& x) {
    VectorX<S>& y = work.here.program.x;
    y = work.weighed.transpose().lazyProduct(x);
    work.here.program.solve_free(y);
    return y;
}

/// Computes G, W G and the factor.
template <class S>
Result prepare(const Model& model, Workspace<S>& data, Search<S>& work, ConstMatrix<S> W, ConstVector<S> q,
               const VectorX<S>& x) {
    require_metric<S>(model, W);
    auto& inside = search::require_search(model, work);
    const double squares = kernels::squares(x.data(), model.nv_tree);
    if (!kernels::usable(model, q.data(), static_cast<const S*>(nullptr), static_cast<const S*>(nullptr),
                         static_cast<const S*>(nullptr), squares))
        return {Status::not_finite};
    const Result result = constraint_embedding<S>(model, data, q, inside.still);
    if (result.ok() && !factor_metric<S>(model, data, inside, W)) return {Status::singular_inertia};
    return result;
}

}  // namespace

template <class S>
SearchResult project_configuration(const Model& model, Workspace<S>& data, Search<S>& work, ConstMatrix<S> W,
                                   VectorOut<S> q, const SearchOptions& options) {
    require_workspace(model, data);
    auto& inside = search::require_search(model, work);
    require_size("q", q.size(), model.nq);
    require_metric<S>(model, W);
    search::require_options(model, options);
    work.gaps.clear();
    work.moved.setConstant(static_cast<S>(std::numeric_limits<double>::quiet_NaN()));
    SearchResult result;
    if (!kernels::usable(model, q.data())) {
        result.loops = {Status::not_finite};
        return result;
    }
    inside.q = q;
    for (std::size_t i = 0; i < options.from.size(); ++i)
        inside.q[static_cast<Eigen::Index>(i)] = static_cast<S>(options.from[i]);
    if (!kernels::usable(model, inside.q.data())) {
        result.loops = {Status::not_finite};
        return result;
    }
    result.loops = close_by_least_motion<S>(model, data, inside, W, inside.q);
    if (!result.loops.ok()) {
        result.outcome = Outcome::open;
        return result;
    }
    std::fill(inside.counts.begin(), inside.counts.end(), char(1));
    for (int i = 0; i < model.body_count(); ++i)
        if (model.bodies[i].rotor) inside.counts[i] = 0;
    search::weigh_joints(model, inside.counts, inside.weights);
    inside.given = q;
    Distance<S> objective(model, data, inside, W, inside.given);
    result = search::Run<S, Distance<S>>(model, data, work, options, objective).follow();
    clear_results(data);  // they belong to the last step that was tried
    if (result.outcome == Outcome::nearest) result.outcome = Outcome::converged;
    search::joint_displacements(model, inside.given.data(), inside.q.data(), work.moved);
    q = inside.q;
    return result;
}

template <class S>
Result project_velocity(const Model& model, Workspace<S>& data, Search<S>& work, ConstMatrix<S> W,
                        ConstVector<S> q, VectorOut<S> qd) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("qd", qd.size(), model.nv_tree);
    auto& inside = search::require_search(model, work);
    inside.step = qd;
    const Result result = prepare<S>(model, data, work, W, q, inside.step);
    if (result.ok() && model.nv == 0) qd.setZero();
    if (result.ok() && model.nv > 0) qd = inside.here.G.lazyProduct(nearest<S>(inside, inside.step));
    clear_results(data);  // they belong to ẏ = 0
    return kernels::delivered<S>(result, qd);
}

template <class S>
Result project_acceleration(const Model& model, Workspace<S>& data, Search<S>& work, ConstMatrix<S> W,
                            ConstVector<S> q, ConstVector<S> qd, VectorOut<S> qdd) {
    require_workspace(model, data);
    require_size("q", q.size(), model.nq);
    require_size("qd", qd.size(), model.nv_tree);
    require_size("qdd", qdd.size(), model.nv_tree);
    auto& inside = search::require_search(model, work);
    inside.step = qd;
    Result result = prepare<S>(model, data, work, W, q, inside.step);
    if (result.ok()) result = constraint_embedding<S>(model, data, q, nearest<S>(inside, inside.step));
    clear_results(data);
    if (!result.ok()) return kernels::delivered<S>(result, qdd);
    for (const Cluster& c : model.clusters)
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
            inside.difference[model.v_index[dof]] = kernels::bias_of(data, c, dof);
    inside.step = qdd - inside.difference;
    qdd = inside.difference;
    qdd += inside.here.G.lazyProduct(nearest<S>(inside, inside.step));
    return kernels::delivered<S>(result, qdd);
}

#define GRBDA_INSTANTIATE(S)                                                                                \
    template SearchResult project_configuration<S>(const Model&, Workspace<S>&, Search<S>&, ConstMatrix<S>, \
                                                   VectorOut<S>, const SearchOptions&);                     \
    template Result project_velocity<S>(const Model&, Workspace<S>&, Search<S>&, ConstMatrix<S>,            \
                                        ConstVector<S>, VectorOut<S>);                                      \
    template Result project_acceleration<S>(const Model&, Workspace<S>&, Search<S>&, ConstMatrix<S>,        \
                                            ConstVector<S>, ConstVector<S>, VectorOut<S>);
GRBDA_INSTANTIATE(double)
#undef GRBDA_INSTANTIATE

SearchResult project_configuration(const Model& model, Data& data, ConstMatrixRef W, VectorRef q,
                                   const SearchOptions& options) {
    Workspaces& work = data.workspaces();
    auto& search = work.extra<Search<double>>(Extra::search, model);
    const SearchResult result = project_configuration<double>(model, work.general, search, W, q, options);
    copy_result(search.moved, data.moved);
    return result;
}

Result project_velocity(const Model& model, Data& data, ConstMatrixRef W, ConstVectorRef q, VectorRef qd) {
    Workspaces& work = data.workspaces();
    return project_velocity<double>(model, work.general, work.extra<Search<double>>(Extra::search, model), W,
                                    q, qd);
}
Result project_acceleration(const Model& model, Data& data, ConstMatrixRef W, ConstVectorRef q,
                            ConstVectorRef qd, VectorRef qdd) {
    Workspaces& work = data.workspaces();
    return project_acceleration<double>(model, work.general, work.extra<Search<double>>(Extra::search, model),
                                        W, q, qd, qdd);
}

}  // namespace grbda
