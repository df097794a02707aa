#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "closure_tolerance.hpp"
#include "contraction.hpp"
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

/// Relative to the step: a first correction that changes K_d much less than the step did.
inline constexpr double small_correction = 0.1;

/// The same, all its entries together, up to which the inverse at a step's start serves at its end too.
inline constexpr double small_change = 0.25;

/// rcond where a step starts, in those of singular constraints, from which such a step does not lead to one:
/// |P| grows by 1 / (1 − small_change) at most.
inline constexpr double regular_around = 4;

/// The longest step: all joints of the cluster together, rad or relative to its size, or the turn of a
/// rod. Folds and other branches that are as near to each other as this are met by a step's end, not
/// passed.
inline constexpr double longest_step = 0.5;

/// The shortest step: below, rounding is not small beside it, which moves z by ε/rcond.
template <class S>
double shortest_step() {
    return 1e3 * static_cast<double>(std::numeric_limits<S>::epsilon()) / singular_rcond<S>();
}

/// Ways of more than a quarter of so many longest steps are not followed: 100 turns, all joints together.
inline constexpr int most_steps = 5000;

/// Moves one cluster along its path, in q.
template <class S>
class Path {
public:
    Path(const Model& model, Data<S>& data, int cluster, S* q)
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

    /// Follows data.way to its end, where plain independents take the positions in data.goal. If it ends
    /// before, q is where: a closed configuration, if it was one at first.
    Result follow() {
        const double length = value_of(step_size(data_.way.data() + c_.dof_begin));
        if (!(length <= most_steps * longest_step / 4)) return ended(Status::not_converged);
        linearize();
        if (!regular()) return ended(Status::singular_constraint);
        led_ = moves();
        if (!led_) {
            rounding_ = rounding_of_closure(model_, data_, c_, q_);
            if (result_.residual <= rounding_) return result_;
        }
        S allowed(longest_step), size(0);
        bool linear = false;  // data.tangent is that of q
        for (int step = 0; step < most_steps; ++step) {
            if (!linear) size = set_tangent();
            if (!(value_of(size) < infinity)) break;
            const S portion = value_of(size) > value_of(allowed) ? S(allowed / size) : S(1);
            const S taken = portion * size;
            if (take(portion, value_of(taken))) {
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

    /// K, φ and the residual at q.
    double residual_at(const S* q) {
        const Placement<S> base = place_alone(model_, data_, c_, q);
        return cluster_residual(model_, data_, c_, base, q);
    }
    /// φ and the residual; K as well where leaves_thread() reads it.
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
        const auto way = data_.way.begin() + c_.dof_begin;
        return std::any_of(way, way + c_.dofs, [](const S& x) { return value_of(x) != 0; });
    }

    static S size_of(const S& x) { return value_of(x) < 0 ? S(-x) : x; }
    /// Σ |x| of a motion [dofs], made comparable: how far rows turn with it at most, where K was found last.
    /// Reduced rotors follow the others, but for polynomials; their velocities stand last.
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
    /// The same with how far the lines of rods turn, which may be more for rods shorter than the cluster.
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

    /// True for steps that are small beside rcond: rows turn with the joints, so |P| |K_d' − K_d| is below
    /// 2 size / rcond. A polynomial's row may bend more sharply.
    bool too_short_to_change(double size) const {
        return size <= value_of(data_.rcond[result_.cluster]) / 8 && !polynomials_;
    }

    /// data.tangent: the independents' way, and what the dependents do along it while φ vanishes. Its size.
    /// φ where it starts is kept in data.k.
    S set_tangent() {
        const S* way = data_.way.data() + c_.dof_begin;
        S* tangent = data_.tangent.data() + c_.dof_begin;
        S* b = right_side();
        for (int r = 0; r < c_.rows; ++r) {
            const auto row = static_cast<std::size_t>(c_.row_begin + r);
            data_.k[row] = data_.phi[row];
            b[r] = -data_.phi[row];
        }
        if (led_) subtract_rows(data_, c_, way, b);
        solve_by_inverse(model_, data_, c_, b, tangent);
        if (led_)
            for (int j = 0; j < c_.dofs; ++j) tangent[j] += way[j];
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

    /// data.trial: a portion of the tangent from q.
    void set_trial(const S& portion) {
        S* trial = data_.trial.data();
        move_cluster(model_, c_, q_, data_.tangent.data() + c_.dof_begin, portion, trial);
        if (value_of(portion) == 1) put_goal(trial);
    }

    /// A portion of the tangent and its correction, in data.trial. False if it does not count.
    bool take(const S& portion, double size) {
        const bool last = value_of(portion) == 1, without_way = last && !led_;
        const bool short_step = too_short_to_change(size);
        S* trial = data_.trial.data();
        set_trial(portion);
        for (int r = c_.row_begin; r < c_.row_begin + c_.rows; ++r) {
            const auto row = static_cast<std::size_t>(r);
            data_.wanted[row] = data_.k[row] * (S(1) - portion);
        }
        ++result_.iterations;
        inverted_ = false;
        const bool tiny = without_way && short_step && size <= tiny_step;
        result_.residual = tiny ? errors_at(trial) : residual_at(trial);
        bent_ = (!short_step && !(change() <= most_change)) ||
                leaves_thread(data_.tangent.data() + c_.dof_begin, value_of(portion));
        if (bent_) return false;
        const bool nearby = without_way && (short_step || changed_ <= small_change) && stays_regular();
        if (nearby && correct_nearby(size, !tiny)) return true;
        if (nearby || tiny) {  // data.trial has moved, or K is another one
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

    /// Newton's method from data.trial, with the inverse there: φ becomes what is wanted; at the last step
    /// zero, as exactly as rounding lets it.
    bool correct(bool last, double size) {
        S* trial = data_.trial.data();
        bool moved = false;  // K is not the one of the inverse
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
            const bool large = i == 0 && correction > small_correction * size;  // change() is to tell
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

    /// The same at the last step of a guess, with the inverse where it started: as that contracts there, it
    /// is as good as another, and loops that are nearly closed need no second one. `moved`: K is not the one
    /// of the inverse. False, with data.trial moved, if corrections are not as small as they should be.
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

    /// data.rate: motion of the dependents to what is wanted of φ. Its size.
    double set_correction() {
        S* rate = data_.rate.data() + c_.dof_begin;
        set_missing(right_side());
        solve_by_inverse(model_, data_, c_, right_side(), rate);
        return value_of(step_size(rate));
    }
    /// The same where K is not the one of the inverse: x ← x + P (b − K x) leaves the part 1 − P K_d of what
    /// is wrong, until that is as small as what is left of a correction anyway. Negative if it does not get
    /// so.
    double set_nearby_correction() {
        constexpr int most_rounds = 8;
        S *rate = data_.rate.data() + c_.dof_begin, *b = right_side(), *more = b + c_.rows;
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
    /// b [rows]: by how much φ differs from what is wanted.
    void set_missing(S* b) const {
        for (int r = 0; r < c_.rows; ++r) {
            const auto row = static_cast<std::size_t>(c_.row_begin + r);
            b[r] = data_.wanted[row] - data_.phi[row];
        }
    }
    S* right_side() { return behind_solution(data_, c_); }

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
    int sized_ = 0;                ///< velocities that turn rows
    bool screws_ = false;          ///< among the loops
    bool led_ = false;             ///< by a way of the independents
    bool rods_ = false;            ///< among the loops
    double rounding_ = 0;          ///< what it leaves of the residual
    double first_correction_ = 0;  ///< of the last step
    double changed_ = 0;           ///< what change() found, all entries together
    bool inverted_ = false;        ///< at the end of the last step, no more where it started
    bool bent_ = false;            ///< the last step did not count because K_d changed too much
};

}  // namespace grbda::kernels
