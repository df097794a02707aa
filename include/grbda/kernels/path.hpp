#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "grbda/kernels/closed.hpp"
#include "grbda/kernels/embedding.hpp"
#include "grbda/status.hpp"

// Following the closed configurations of one cluster. From q its independents go their way y(t), and the
// closure error shrinks along:
//   φ(y(t), z) = (1 − t) φ(q),   t from 0 to 1
// Without a way that is Newton's flow from a guess, ż = −K_d⁻¹ φ; from a closed q it is what many small steps
// would do. A step goes along the tangent, then Newton's method corrects the dependents z. It counts only if
// the linearization at its start vouches for its end: with P the inverse of K_d at the start and K_d' at the
// end, |1 − P K_d'| < 1 makes z − P φ(z) a contraction, so that there is one solution near, and K_d' keeps
// the orientation of K_d, so that no fold was passed over. Else the step is halved (Deuflhard, "Newton
// Methods for Nonlinear Problems", 2004, Sec. 2.1 and 5.1).

namespace grbda::kernels {

/// |1 − P K_d'|, as change() takes it, up to which a step counts. Below 1, so that it holds around these
/// points as well.
inline constexpr double most_change = 0.7;

/// A correction is at most this part of the one before; the first one, of the step.
inline constexpr double least_contraction = 0.5;

/// Of a step: a first correction that changes K_d much less than the step did.
inline constexpr double small_correction = 0.1;

/// The longest step: all joints of the cluster together, rad or relative to its size, or to the length of a
/// shorter rod. Folds and other branches that are as near to each other as this are met by a step's end, not
/// passed.
inline constexpr double longest_step = 0.5;

/// The shortest step: below, rounding is not small beside it, which moves z by ε/rcond.
template <class S>
double shortest_step() {
    return 1e3 * static_cast<double>(std::numeric_limits<S>::epsilon()) / singular_rcond<S>();
}

/// Ways of more than a quarter of so many longest steps are not followed: 100 turns, all joints together.
inline constexpr int most_steps = 5000;

/// One cluster on its way, in q.
template <class S>
class Path {
public:
    Path(const Model& model, Data<S>& data, int cluster, S* q)
        : model_(model), data_(data), c_(model.clusters[cluster]), q_(q) {
        result_.cluster = cluster;
        for (const int i : c_.couplings) polynomials_ = polynomials_ || !model.couplings[i].linear();
        for (const int i : c_.loops) {
            const Loop& loop = model.loops[i];
            for (const LoopRow& row : rows_of(model, loop)) {
                if (row.kind != RowKind::distance) continue;
                const double size = 1 / model.row_scale[loop.row];
                turning_ = std::max(turning_, size / loop.constant);
            }
        }
    }

    /// Follows data.way to its end, where plain independents take the positions in data.goal. If it ends
    /// before, q is where: a closed configuration, if it was one at first.
    Result follow() {
        const double length = value_of(step_size(data_.way.data() + c_.dof_begin));
        if (!(length <= most_steps * longest_step / 4)) return ended(Status::not_converged);
        linearize();
        if (!regular()) return ended(Status::singular_constraint);
        if (!moves() && result_.residual <= rounding_of_closure(model_, data_, c_, q_)) return result_;
        S allowed(longest_step);
        for (int step = 0; step < most_steps; ++step) {
            const S size = set_tangent();
            if (!(value_of(size) < infinity)) break;
            const S portion = value_of(size) > value_of(allowed) ? S(allowed / size) : S(1);
            const S taken = portion * size;
            if (take(portion, value_of(taken))) {
                arrive(portion);
                if (value_of(portion) == 1) return result_;
                allowed = value_of(taken) < longest_step / 2 ? S(taken * S(2)) : S(longest_step);
            } else {
                allowed = taken * S(0.5);
                if (value_of(allowed) < shortest_step<S>())
                    return ended(bent_ ? Status::fold : Status::not_converged);
                linearize();
            }
        }
        return ended(Status::not_converged);
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    Result ended(Status status) {
        result_.status = status;
        return result_;
    }

    /// K, φ and the residual at q.
    double residual_at(const S* q) {
        const Placement<S> base = place_alone(model_, data_, c_, q);
        return cluster_residual(model_, data_, c_, base, q);
    }
    void invert() { invert_dependents(model_, data_, c_, result_.cluster); }
    void linearize() {
        result_.residual = residual_at(q_);
        invert();
    }
    bool regular() const { return value_of(data_.rcond[result_.cluster]) >= singular_rcond<S>(); }

    bool moves() const {
        const auto way = data_.way.begin() + c_.dof_begin;
        return std::any_of(way, way + c_.dofs, [](const S& x) { return value_of(x) != 0; });
    }

    static S size_of(const S& x) { return value_of(x) < 0 ? S(-x) : x; }
    /// Σ |x| of a motion [dofs], made comparable: how far rows turn with it at most. Reduced rotors follow
    /// the others, but for polynomials.
    S step_size(const S* x) const {
        S sum(0);
        for (int i = c_.bodies.first; i < (polynomials_ ? c_.joints.last : c_.bodies.last); ++i) {
            const Body& body = model_.bodies[i];
            for (int j = body.dof; j < body.dof + velocity_size(body.joint); ++j)
                sum += size_of(x[j - c_.dof_begin]) / S(model_.column_scale[j]);
        }
        return sum * S(turning_);
    }

    /// True for steps that are small beside rcond: rows turn with the joints, so |P| |K_d' − K_d| is below
    /// 2 size / rcond. A polynomial's row may bend more sharply.
    bool too_short_to_change(double size) const {
        return size <= value_of(data_.rcond[result_.cluster]) / 8 && !polynomials_;
    }

    /// |1 − P K_d'|, P from the last inversion and K from the last residual: the largest row sum, each
    /// dependent measured by how far the step moves it. On a tangent, that is next to nothing where it was
    /// taken, and all joints tell what is far.
    double change() {
        constexpr double least = 0.1;  // of the one that moves furthest
        const int n = c_.dependents(), stride = padded(n), width = padded(c_.rows);
        const S* P = data_.inverse.data() + c_.inverse_begin;
        S* scaled = data_.scratch.data();
        S* A = scaled + c_.rows * c_.dofs;
        S* moved = A + c_.rows * stride;
        S* row = moved + stride;
        scale_rows(model_, data_, c_, scaled);
        gather_dependents(data_, c_, scaled, A);
        double furthest = std::numeric_limits<double>::min();
        for (int j = 0; j < n; ++j) {
            moved[j] = S(std::abs(dependent_motion(model_, data_, c_, data_.tangent.data(), j)));
            furthest = std::max(furthest, value_of(moved[j]));
        }
        for (int j = 0; is_on_tangent(data_, c_) && j < c_.dofs; ++j) {
            const std::size_t dof = static_cast<std::size_t>(c_.dof_begin + j);
            furthest = std::max(furthest, std::abs(value_of(data_.tangent[dof])) / model_.column_scale[dof]);
        }
        for (int j = 0; j < n; ++j) moved[j] = S(std::max(value_of(moved[j]), least * furthest));
        double worst = 0;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < stride; ++j) row[j] = S(i == j ? -1 : 0);
            for (int r = 0; r < c_.rows; ++r)
                for (int j = 0; j < stride; ++j) row[j] += P[i * width + r] * A[r * stride + j];
            double sum = 0;
            for (int j = 0; j < n; ++j) sum += std::abs(value_of(row[j])) * value_of(moved[j]);
            sum /= value_of(moved[i]);
            if (!(sum <= worst)) worst = sum;  // a NaN stays
        }
        return worst;
    }

    /// data.tangent: the independents' way, and what the dependents do along it while φ vanishes. Its size.
    S set_tangent() {
        const S* way = data_.way.data() + c_.dof_begin;
        S* tangent = data_.tangent.data() + c_.dof_begin;
        S* b = right_side();
        for (int j = 0; j < c_.dofs; ++j) tangent[j] = way[j];
        for (int r = 0; r < c_.rows; ++r) {
            const S* K = data_.K.data() + c_.K_begin + r * c_.dofs;
            b[r] = -data_.phi[c_.row_begin + r];
            for (int j = 0; j < c_.dofs; ++j) b[r] -= K[j] * way[j];
        }
        solve_dependents(model_, data_, c_, b, tangent);
        return step_size(tangent);
    }

    /// True if a step along x may have bent off a screw's thread by so much that φ, which no whole turns
    /// count in, cannot tell: K' x at its end is twice that and what the step was to change φ by. After
    /// residual_at() there.
    bool leaves_thread(const S* x, double portion) const {
        constexpr double most = 1;  // rad; φ is good up to π
        for (const int l : c_.loops) {
            const Loop& loop = model_.loops[l];
            if (!has_screw(loop, rows_of(model_, loop).data())) continue;
            const int row = loop.row + loop.lengths - 1 - c_.row_begin;
            const S* K = data_.K.data() + c_.K_begin + row * c_.dofs;
            double moved = 0;
            for (int j = 0; j < c_.dofs; ++j) moved += value_of(K[j]) * value_of(x[j]);
            if (!(portion * std::abs(moved) <= most * std::abs(loop.constant))) return true;
        }
        return false;
    }

    /// A portion of the tangent and its correction, in data.trial. False if it does not count.
    bool take(const S& portion, double size) {
        const bool last = value_of(portion) == 1;
        S* trial = data_.trial.data();
        move_cluster(model_, c_, q_, data_.tangent.data() + c_.dof_begin, portion, trial);
        if (last) put_goal(trial);
        for (int r = c_.row_begin; r < c_.row_begin + c_.rows; ++r) {
            const auto row = static_cast<std::size_t>(r);
            data_.wanted[row] = data_.phi[row] * (S(1) - portion);
        }
        ++result_.iterations;
        result_.residual = residual_at(trial);
        bent_ = (!too_short_to_change(size) && !(change() <= most_change)) ||
                leaves_thread(data_.tangent.data() + c_.dof_begin, value_of(portion));
        if (bent_) return false;
        rounding_ = rounding_of_closure(model_, data_, c_, trial);
        invert();
        bent_ = !regular();
        if (bent_ || !correct(last, size)) return false;
        bent_ = first_correction_ > small_correction * size && !(change() <= most_change);
        return !bent_;
    }

    void put_goal(S* q) const {
        each_independent(data_, c_, [&](int dof) {
            const int j = position_index(model_, dof);
            if (j >= 0) q[j] = data_.goal[j];
        });
    }

    /// Newton's method from data.trial, with the inverse there: φ becomes what is wanted; at the last step
    /// zero, as exactly as rounding lets it.
    bool correct(bool last, double size) {
        constexpr int most_corrections = 20;
        constexpr double worth_inverting = 1e-5;  // below, its cube is rounding
        S* trial = data_.trial.data();
        first_correction_ = 0;
        for (int i = 0; i < most_corrections; ++i) {
            if (last && result_.residual <= rounding_) return true;
            const double correction = set_correction();
            if (i == 0) first_correction_ = correction;
            if (!(correction <= least_contraction * size)) break;
            ++result_.iterations;
            move_cluster(model_, c_, trial, data_.rate.data() + c_.dof_begin, S(1), trial);
            result_.residual = residual_at(trial);
            if (leaves_thread(data_.rate.data() + c_.dof_begin, 1)) break;
            if (!last && correction <= shortest_step<S>()) return true;
            if (correction > worth_inverting) invert();
            size = correction;
        }
        return last && result_.residual <= closure_tolerance(model_, data_, c_, trial);
    }

    /// data.rate: motion of the dependents to what is wanted of φ. Its size.
    double set_correction() {
        S* rate = data_.rate.data() + c_.dof_begin;
        S* b = right_side();
        for (int j = 0; j < c_.dofs; ++j) rate[j] = S(0);
        for (int r = 0; r < c_.rows; ++r) {
            const auto row = static_cast<std::size_t>(c_.row_begin + r);
            b[r] = data_.wanted[row] - data_.phi[row];
        }
        solve_dependents(model_, data_, c_, b, rate);
        return value_of(step_size(rate));
    }
    S* right_side() { return data_.scratch.data() + c_.rows; }  // behind what solve_dependents() uses

    /// data.trial becomes q, where the next step starts.
    void arrive(const S& portion) {
        copy_joints(model_, c_, data_.trial.data(), q_);
        if (value_of(portion) == 1) return;
        for (int j = c_.dof_begin; j < c_.dof_begin + c_.dofs; ++j) data_.way[j] *= S(1) - portion;
        invert();
    }

    const Model& model_;
    Data<S>& data_;
    const Cluster& c_;
    S* q_;
    Result result_;
    bool polynomials_ = false;     ///< among the couplings
    double turning_ = 1;           ///< of rows with joints at most: rods shorter than the cluster turn faster
    double rounding_ = 0;          ///< what it leaves of the residual
    double first_correction_ = 0;  ///< of the last step
    bool bent_ = false;            ///< the last step did not count because K_d changed too much
};

}  // namespace grbda::kernels
