#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "closure_tolerance.hpp"
#include "contraction.hpp"
#include "grbda/status.hpp"

// Follows the closed configurations of one cluster. From q its independents move along y(t), while the
// closure error decreases:
//   φ(y(t), z) = (1 − t) φ(q),   t from 0 to 1
// Without a displacement of the independents this is Newton's flow from a guess, ż = −K_d⁻¹ φ. From a closed
// q it is the limit of many small steps. A step moves along the tangent; then Newton's method corrects the
// dependents z. The step is accepted only if the linearization at its start is valid at its end. Let P be the
// inverse of K_d at the start, and K_d' the matrix at the end. If |1 − P K_d'| < 1, z − P φ(z) is a
// contraction, so that there is a single solution nearby, and K_d' has the orientation of K_d, so that no
// fold was crossed. Otherwise the step is halved (Deuflhard, "Newton Methods for Nonlinear Problems", 2004,
// Sec. 2.1 and 5.1).

namespace grbda::closing {

using namespace kernels;

/// Largest |1 − P K_d'|, as change() computes it, of an accepted step. It is below 1, so that the bound also
/// holds near these points.
inline constexpr double most_change = 0.7;

/// Largest ratio of a correction to the previous one; of the first correction, to the step.
inline constexpr double least_contraction = 0.5;

/// Ratio of a first correction to the step below which it changes K_d much less than the step did.
inline constexpr double small_correction = 0.1;

/// Largest change of all entries together for which the inverse at the start of a step also serves at its
/// end.
inline constexpr double small_change = 0.25;

/// Ratio of rcond at the start of a step to that of singular constraints, above which such a step does not
/// end at one: |P| grows by at most 1 / (1 − small_change).
inline constexpr double regular_around = 4;

/// The longest step: the motion of all joints of the cluster together, rad or relative to its size, or the
/// turn of a rod. At this distance a step detects folds and other branches, and does not pass them.
inline constexpr double longest_step = 0.5;

/// The shortest step. For shorter ones, rounding is not small, because it moves z by ε/rcond.
template <class S>
double shortest_step() {
    return 1e3 * static_cast<double>(std::numeric_limits<S>::epsilon()) / singular_rcond<S>();
}

/// Largest number of steps. Displacements longer than a quarter of it times longest_step are rejected: 100
/// turns, all joints together.
inline constexpr int most_steps = 5000;

/// Moves one cluster along its path, in q.
template <class S>
class Path {
public:
    Path(const Model& model, Workspace<S>& data, int cluster, S* q)
        : model_(model), data_(data), c_(model.clusters[cluster]), q_(q) {
        result_.cluster = cluster;
        for (const int i : c_.couplings) polynomials_ = polynomials_ || !model.couplings[i].linear();
        sized_ = c_.dofs;
        if (!polynomials_ && !c_.reduced().empty()) sized_ = model.bodies[c_.bodies.last].dof - c_.dof_begin;
        for (const int i : c_.loops) {
            const Loop& loop = model.loops[i];
            screws_ = screws_ || has_screw(loop, rows_of(model, loop).data());
            for (const LoopRow& row : rows_of(model, loop))
                rods_ = rods_ || row.kind == RowKind::distance || row.kind == RowKind::length;
        }
    }

    /// Follows data.displacement to its end, where independents with a position coordinate take the values in
    /// data.goal. If it ends before, q is the last point reached; it is closed if it was closed at the start.
    Result follow() {
        const double length = value_of(step_size(data_.displacement.data() + c_.dof_begin));
        if (!(length <= most_steps * longest_step / 4)) return ended(Status::not_converged);
        linearize();
        if (!regular()) return ended(Status::singular_constraint);
        prescribed_ = moves();
        if (!prescribed_) {
            rounding_ = rounding_of_closure(model_, data_, c_, q_);
            if (result_.residual <= rounding_) return result_;
        }
        S allowed(longest_step), size(0);
        bool linear = false;  // data.tangent belongs to q
        for (int step = 0; step < most_steps; ++step) {
            if (!linear) size = set_tangent();
            if (!(value_of(size) < infinity)) break;
            const S portion = value_of(size) > value_of(allowed) ? S(allowed / size) : S(1);
            const S taken = portion * size;
            if (try_step(portion, value_of(taken))) {
                arrive(portion);
                if (value_of(portion) == 1) return result_;
                allowed = value_of(taken) < longest_step / 2 ? S(taken * S(2)) : S(longest_step);
                linear = false;
            } else {
                allowed = taken * S(0.5);
                if (value_of(allowed) < shortest_step<S>())
                    return ended(bent_ ? Status::fold : Status::not_converged);
                linear = !inverted_;
                if (!linear) linearize();
            }
        }
        return ended(Status::not_converged);
    }

private:
    static constexpr int most_corrections = 20;
    static constexpr double tiny_step = 1e-5;  ///< its square is not far from rounding
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    Result ended(Status status) {
        result_.status = status;
        return result_;
    }

    /// Computes K and φ at q and returns the residual.
    double residual_at(const S* q) {
        const Placement<S> base = place_alone(model_, data_, c_, q);
        return cluster_residual(model_, data_, c_, base, q);
    }
    /// Computes φ at q and returns the residual; also computes K if leaves_thread() needs it.
    double errors_at(const S* q) {
        if (screws_) return residual_at(q);
        const Placement<S> base = place_frames(model_, data_, c_, q);
        closure_errors(model_, data_, c_, base, q);
        return largest_error(model_, data_, c_, base);
    }
    void invert() {
        inverted_ = true;
        invert_dependents(model_, data_, c_, result_.cluster);
    }
    void linearize() {
        result_.residual = residual_at(q_);
        invert();
    }
    /// Returns the change by the last step, with P from the last inversion and K from the last residual.
    double change() {
        const Change change = change_of_rows(model_, data_, c_);
        changed_ = change.together;
        return change.least;
    }
    bool stays_regular() const {
        return value_of(data_.rcond[result_.cluster]) >= regular_around * singular_rcond<S>();
    }
    bool regular() const { return value_of(data_.rcond[result_.cluster]) >= singular_rcond<S>(); }

    bool moves() const {
        const auto displacement = data_.displacement.begin() + c_.dof_begin;
        return std::any_of(displacement, displacement + c_.dofs, [](const S& x) { return value_of(x) != 0; });
    }

    static S size_of(const S& x) { return value_of(x) < 0 ? S(-x) : x; }
    /// Returns Σ |x| of a motion [dofs] in common units, a bound on how far rows turn with it, at the last
    /// computed K. Reduced rotors follow the other joints, except with polynomials; their velocities are
    /// last.
    S step_size(const S* x) const {
        const double* scale = model_.column_scale.data() + c_.dof_begin;
        S sum[row_block] = {};
        int j = 0;
        for (; j + row_block <= sized_; j += row_block)
            for (int l = 0; l < row_block; ++l) sum[l] += size_of(x[j + l]) / S(scale[j + l]);
        for (; j < sized_; ++j) sum[0] += size_of(x[j]) / S(scale[j]);
        const S size = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        return rods_ ? with_rods(size, x) : size;
    }
    /// Includes the turns of rods, which may be larger for rods shorter than the cluster.
    S with_rods(S size, const S* x) const {
        for (const int l : c_.loops) {
            const Loop& loop = model_.loops[l];
            if (loop.rows == 0) continue;
            const RowKind kind = rows_of(model_, loop).front().kind;
            if (kind != RowKind::distance && kind != RowKind::length) continue;
            const Vector3<S>&from = data_.loop_frames[l].p, &to = data_.loop_frames[l].r, d = to - from;
            Vector3<S> u{S(0), S(0), S(0)};
            for (const int t : loop.terms) {
                const LoopTerm& term = model_.loop_terms[t];
                u += point_velocity(data_.s[term.dof], term.sign > 0 ? to : from) *
                     (x[term.dof - c_.dof_begin] * S(term.sign));
            }
            const S turned = dot(u, u) / dot(d, d);
            if (value_of(turned) > value_of(size) * value_of(size)) size = scalar::sqrt(turned);
        }
        return size;
    }

    /// Returns whether a step is small compared with rcond. Rows turn with the joints, so that |P| |K_d' −
    /// K_d| is below 2 size / rcond. Rows of polynomials may bend more sharply.
    bool too_short_to_change(double size) const {
        return size <= value_of(data_.rcond[result_.cluster]) / 8 && !polynomials_;
    }

    /// Sets data.tangent to the displacement of the independents and the motion of the dependents along it
    /// that reduces φ to zero. Returns its size. Keeps φ at the start in data.k.
    S set_tangent() {
        const S* displacement = data_.displacement.data() + c_.dof_begin;
        S* tangent = data_.tangent.data() + c_.dof_begin;
        ScratchScope scope(data_.scratch);
        S* b = scope.take(c_.rows);
        for (int r = 0; r < c_.rows; ++r) {
            const auto row = static_cast<std::size_t>(c_.row_begin + r);
            data_.k[row] = data_.phi[row];
            b[r] = -data_.phi[row];
        }
        if (prescribed_) subtract_rows(data_, c_, displacement, b);
        solve_by_inverse(model_, data_, c_, b, tangent);
        if (prescribed_)
            for (int j = 0; j < c_.dofs; ++j) tangent[j] += displacement[j];
        return step_size(tangent);
    }

    /// Returns whether a step along x may have left a screw's thread by so much that φ, which ignores whole
    /// turns, does not show it. K' x at its end is twice the deviation plus the change of φ that the step
    /// intends. Call it after residual_at() there.
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

    /// Sets data.trial to q moved by a portion of the tangent.
    void set_trial(const S& portion) {
        S* trial = data_.trial.data();
        move_cluster(model_, c_, q_, data_.tangent.data() + c_.dof_begin, portion, trial);
        if (value_of(portion) == 1) put_goal(trial);
    }

    /// Moves data.trial along a portion of the tangent and corrects it. Returns false if the step is
    /// rejected.
    bool try_step(const S& portion, double size) {
        const bool last = value_of(portion) == 1, without_displacement = last && !prescribed_;
        const bool short_step = too_short_to_change(size);
        S* trial = data_.trial.data();
        set_trial(portion);
        for (int r = c_.row_begin; r < c_.row_begin + c_.rows; ++r) {
            const auto row = static_cast<std::size_t>(r);
            data_.wanted[row] = data_.k[row] * (S(1) - portion);
        }
        ++result_.iterations;
        inverted_ = false;
        const bool tiny = without_displacement && short_step && size <= tiny_step;
        result_.residual = tiny ? errors_at(trial) : residual_at(trial);
        bent_ = (!short_step && !(change() <= most_change)) ||
                leaves_thread(data_.tangent.data() + c_.dof_begin, value_of(portion));
        if (bent_) return false;
        const bool nearby =
            without_displacement && (short_step || changed_ <= small_change) && stays_regular();
        if (nearby && correct_nearby(size, !tiny)) return true;
        if (nearby || tiny) {  // data.trial has moved, or K was computed elsewhere
            set_trial(portion);
            result_.residual = residual_at(trial);
        }
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

    /// Applies Newton's method from data.trial, with the inverse there. φ takes the wanted value; at the last
    /// step zero, up to rounding.
    bool correct(bool last, double size) {
        S* trial = data_.trial.data();
        bool moved = false;  // K does not belong to the inverse
        first_correction_ = 0;
        for (int i = 0; i < most_corrections; ++i) {
            if (last && result_.residual <= rounding_) return true;
            double correction = moved ? set_nearby_correction() : set_correction();
            if (correction < 0) {
                invert();
                moved = false;
                correction = set_correction();
            }
            if (i == 0) first_correction_ = correction;
            if (!(correction <= least_contraction * size)) break;
            ++result_.iterations;
            move_cluster(model_, c_, trial, data_.rate.data() + c_.dof_begin, S(1), trial);
            const bool large = i == 0 && correction > small_correction * size;  // change() decides
            result_.residual =
                last && !large && correction <= tiny_step ? errors_at(trial) : residual_at(trial);
            if (leaves_thread(data_.rate.data() + c_.dof_begin, 1)) break;
            if (!last && correction <= shortest_step<S>()) return true;
            moved = moved || correction > tiny_step;
            if (large && correction > tiny_step) {
                invert();
                moved = false;
            }
            size = correction;
        }
        return last && result_.residual <= closure_tolerance(model_, data_, c_, trial);
    }

    /// Applies Newton's method at the last step of a guess, with the inverse at its start. As this inverse
    /// contracts at the end too, loops that are nearly closed need no second one. `moved`: K does not belong
    /// to the inverse. Returns false, with data.trial moved, if the corrections are too large.
    bool correct_nearby(double size, bool moved) {
        S* trial = data_.trial.data();
        double most = small_correction;
        for (int i = 0; i < most_corrections; ++i) {
            if (result_.residual <= rounding_) return true;
            const double correction = moved ? set_nearby_correction() : set_correction();
            if (!(0 <= correction && correction <= most * size)) break;
            ++result_.iterations;
            move_cluster(model_, c_, trial, data_.rate.data() + c_.dof_begin, S(1), trial);
            moved = moved || correction > tiny_step;
            result_.residual = correction > tiny_step ? residual_at(trial) : errors_at(trial);
            if (leaves_thread(data_.rate.data() + c_.dof_begin, 1)) return false;
            size = correction;
            most = least_contraction;
        }
        return most == least_contraction && result_.residual <= closure_tolerance(model_, data_, c_, trial);
    }

    /// Sets data.rate to the motion of the dependents that corrects φ. Returns its size.
    double set_correction() {
        ScratchScope scope(data_.scratch);
        S *rate = data_.rate.data() + c_.dof_begin, *b = scope.take(c_.rows);
        set_missing(b);
        solve_by_inverse(model_, data_, c_, b, rate);
        return value_of(step_size(rate));
    }
    /// Sets the correction when K does not belong to the inverse. The iteration x ← x + P (b − K x)
    /// multiplies the error by 1 − P K_d, until it is as small as the remainder after a correction. Returns a
    /// negative number if it does not converge.
    double set_nearby_correction() {
        constexpr int most_rounds = 8;
        ScratchScope scope(data_.scratch);
        S *rate = data_.rate.data() + c_.dof_begin, *b = scope.take(c_.rows), *more = scope.take(c_.dofs);
        set_missing(b);
        solve_by_inverse(model_, data_, c_, b, rate);
        const double size = value_of(step_size(rate)), enough = std::max(size * size, rounding_);
        const S* last = rate;
        for (int round = 0; round < most_rounds; ++round) {
            subtract_rows(data_, c_, last, b);
            solve_by_inverse(model_, data_, c_, b, more);
            for (int j = 0; j < c_.dofs; ++j) rate[j] += more[j];
            if (value_of(step_size(more)) <= enough) return value_of(step_size(rate));
            last = more;
        }
        return -1;
    }
    /// Computes b [rows], the difference of φ from the wanted values.
    void set_missing(S* b) const {
        for (int r = 0; r < c_.rows; ++r) {
            const auto row = static_cast<std::size_t>(c_.row_begin + r);
            b[r] = data_.wanted[row] - data_.phi[row];
        }
    }

    /// Copies data.trial to q, the start of the next step.
    void arrive(const S& portion) {
        copy_joints(model_, c_, data_.trial.data(), q_);
        if (value_of(portion) == 1) return;
        for (int j = c_.dof_begin; j < c_.dof_begin + c_.dofs; ++j) data_.displacement[j] *= S(1) - portion;
        invert();
    }

    const Model& model_;
    Workspace<S>& data_;
    const Cluster& c_;
    S* q_;
    Result result_;
    bool polynomials_ = false;     ///< some coupling is a polynomial
    int sized_ = 0;                ///< number of velocities that turn rows
    bool screws_ = false;          ///< some loop has a screw row
    bool prescribed_ = false;      ///< the independents have a displacement
    bool rods_ = false;            ///< some loop has a rod
    double rounding_ = 0;          ///< residual due to rounding
    double first_correction_ = 0;  ///< of the last step
    double changed_ = 0;           ///< change of all entries together, from change()
    bool inverted_ = false;        ///< the inverse belongs to the end of the last step, not to its start
    bool bent_ = false;            ///< the last step was rejected because K_d changed too much
};

}  // namespace grbda::closing
