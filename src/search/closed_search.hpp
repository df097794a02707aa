#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "search/search.hpp"
#include "kernels/body/configuration.hpp"
#include "quadratic_program.hpp"

// The Levenberg–Marquardt method on closed configurations. At q, with H ≈ Σ ∇r ∇rᵀ and −∇ of ½ Σ r² in
// independent coordinates, a step solves
//   min ½ δᵀ (H + λ D) δ + ∇ᵀδ   with  G_j δ = 0 for fixed joints,  lower − q ≤ G_j δ ≤ upper − q
// D = Gᵀ diag(weights²) G, so that λ shortens the motion of the joints for every choice of the independent
// ones. integrate() takes the step, and Newton's method with the least motion corrects the error of the rows
// due to curvature. The search stops when the same program with D alone, the projected gradient, has a zero
// solution.
// It does not use closing/gauss_newton.hpp, because each step is a quadratic program and its damping follows
// the ratio of the actual to the predicted decrease.

namespace grbda {

namespace search {

/// The linearized robot at one configuration.
template <class S>
struct Linearized {
    explicit Linearized(const Model& model, int most_rows)
        : G(model.nv_tree, model.nv), D(model.nv, model.nv), program(model.nv, most_rows) {}
    MatrixX<S> G;                 ///< [nv_tree × nv], user's order
    MatrixX<S> D;                 ///< [nv × nv], lower triangle
    QuadraticProgram<S> program;  ///< with the rows of limits and fixed joints
};

}  // namespace search

template <class S>
struct Search<S>::Internal {
    explicit Internal(const Model& model);

    std::size_t bodies, layout;         ///< of the model for which it was made
    search::Linearized<S> here, there;  ///< at the start of a step, and at that of corrections
    MatrixX<S> H;                       ///< [nv × nv], lower triangle
    VectorX<S> descent;                 ///< −∇ [nv]
    VectorX<S> weights;                 ///< of spanning velocities [nv_tree]
    VectorX<S> still;                   ///< [nv]
    VectorX<S> q, start, trial, given;  ///< [nq]
    VectorX<S> blocked;                 ///< [nq]
    Table<int> limited, fixed;          ///< bodies
    Table<char> counts;                 ///< per body: its joint moves a target
    Matrix6X<S> J;                      ///< [6 × nv]
    Chart chart;                        ///< the caller's coordinates
    MatrixX<S> moving, weighed;  ///< [nv_tree × nv]: change of differences with y; W times that matrix
    VectorX<S> difference;       ///< [nv_tree]
    MatrixX<S> multipliers;      ///< [rows × rows] of the cluster with the most rows
    VectorX<S> right, step;      ///< [rows], [nv_tree]
};

namespace search {

/// Weight of joints that move no target.
constexpr double unused_weight = 0.03;

template <class S>
constexpr double rounding = static_cast<double>(std::numeric_limits<S>::epsilon());

/// Tolerance of limits and fixed joints, rad or m.
constexpr double kept = 1e-11;

/// Rounding error in a configuration after closing loops, rad or relative to its size.
template <class S>
constexpr double noise_of_closing = 256 * rounding<S>;

/// A joint with a smaller row of G does not move; the row is rounding.
constexpr double immobile = 1e-9;

/// Throws unless the workspace is of this model.
template <class S>
typename Search<S>::Internal& require_search(const Model& model, Search<S>& work) {
    require_fit("Search", model, work.internal ? work.internal->bodies : 0,
                work.internal ? work.internal->layout : 0);
    return *work.internal;
}

/// Throws std::invalid_argument if a fixed body does not exist or is named twice.
void require_options(const Model& model, const SearchOptions& options);

/// Sets the weights of spanning velocities: those of joints that move a target, and others.
template <class S>
void weigh_joints(const Model& model, const Table<char>& counts, VectorX<S>& weights) {
    for (int i = 0; i < model.body_count(); ++i) {
        const Body& body = model.bodies[i];
        const double weight = counts[i] != 0 ? 1 : unused_weight;
        for (int j = 0; j < velocity_size(body.joint); ++j)
            weights[body.v + j] = static_cast<S>(weight / model.column_scale[body.dof + j]);
    }
}

/// Reads G of the last embedding, in the user's order.
template <class S>
void read_embedding(const Model& model, const Workspace<S>& data, MatrixX<S>& G);

/// Computes d = q ⊖ q0, in the form of Search::moved.
template <class S>
void joint_displacements(const Model& model, const S* q0, const S* q, VectorX<S>& d);

/// Adds Σ w_v² row_vᵀ row_v over the rows of G, most of whose entries are zero, to the lower triangle of A.
template <class S>
void add_products(const MatrixX<S>& G, const VectorX<S>& w, MatrixX<S>& A);

/// Minimizes the cost of `objective` from q. It provides
///   Result place(const S* q)       positions and embedding at q, in data
///   double cost(const S* q)        ½ Σ r², after place()
///   bool met()                     whether the last cost() meets the goal
///   void linearize(const S* q)     work.H and work.descent, after place(); work.here.G is there
///   double curvature()             magnitude of H for a joint that moves everything; 0: as H
///   bool close(q)                  closes the loops behind a singular configuration; false if the search
///                                  shall not go there, or if q remains open
template <class S, class Objective>
class Run {
public:
    Run(const Model& model, Workspace<S>& data, Search<S>& work, const SearchOptions& options,
        Objective& objective)
        : model_(model), data_(data), work_(*work.internal), options_(options), objective_(objective) {}

    /// Follows the steps from work.q, which is closed, to the end of the search.
    SearchResult follow() {
        work_.chart = data_.chart;
        const SearchResult result = follow_down();
        data_.chart = work_.chart;
        return result;
    }

private:
    static constexpr int most_corrections = 8;

    SearchResult follow_down() {
        list_rows();
        work_.start = work_.q;
        for (std::size_t i = 0; i < options_.held_at.size(); ++i)
            work_.start[static_cast<Eigen::Index>(i)] = static_cast<S>(options_.held_at[i]);
        constexpr int most_to_feasible = 100;
        if (!restore(work_.q, most_to_feasible))
            return ended(result_.loops.ok() ? Outcome::infeasible : Outcome::blocked);
        for (;;) {  // in the best coordinates; only q is kept between rounds
            result_.loops = choose_coordinates<S>(model_, data_, work_.q, Marks::ignored);
            if (result_.loops.ok()) result_.loops = objective_.place(work_.q.data());
            if (!result_.loops.ok()) return ended(Outcome::blocked);
            result_.cost = objective_.cost(work_.q.data());
            if (objective_.met()) return ended(Outcome::converged);
            linearize();
            if (result_.stationarity <= options_.stationarity) return ended(Outcome::nearest);
            if (result_.iterations >= options_.iterations) return ended(Outcome::unfinished);
            if (descend() || pass_singularity()) continue;
            return ended(result_.loops.ok() ? Outcome::unfinished : Outcome::blocked);
        }
    }

    /// Crosses a singular configuration, at which assembly modes may meet. All joints continue along a step,
    /// and the loops are closed behind the singular configuration, if the objective allows that and the cost
    /// decreases. Returns false, with q unchanged, if that fails.
    bool pass_singularity() {
        constexpr double least_portion = 1e-2, worth = 0.1;  // of the decrease that the model predicts
        const Result why = result_.loops;
        QuadraticProgram<S>& program = work_.here.program;
        program.H = work_.H + static_cast<S>(options_.damping * curvature_) * work_.here.D;
        program.g = work_.descent;
        if (!program.factor() || !program.solve()) return false;
        shorten(work_.here);
        const double promised = predicted();
        work_.blocked = work_.q;
        for (double portion = 1; portion > least_portion && result_.iterations < options_.iterations;
             portion /= 2) {
            step_straight(portion);
            if (!objective_.close(work_.q)) continue;
            ++result_.iterations;
            if (!restore(work_.q, most_corrections) ||
                !(objective_.cost(work_.q.data()) < result_.cost - worth * portion * promised))
                continue;
            lambda_ = 0;
            growth_ = 2;
            return true;
        }
        work_.q = work_.blocked;
        result_.loops = why;
        return false;
    }

    /// Moves each joint by itself from the configuration at which the search is blocked.
    void step_straight(double portion) {
        for (const Body& body : model_.bodies) {
            S displacement[6];
            for (int j = 0; j < velocity_size(body.joint); ++j)
                displacement[j] =
                    static_cast<S>(portion) * work_.here.G.row(body.v + j).dot(work_.here.program.x);
            kernels::joint_integrate(body.joint, work_.blocked.data() + body.q, displacement,
                                     work_.q.data() + body.q);
        }
    }

    SearchResult ended(Outcome outcome) {
        result_.outcome = outcome;
        result_.violation = violation(work_.q);
        return result_;
    }

    void list_rows() {
        work_.limited.clear();
        work_.fixed.assign(options_.held.begin(), options_.held.end());
        for (int i = 0; options_.limits && i < model_.body_count(); ++i) {
            const JointLimits& limits = model_.limits[i];
            if (position_size(model_.bodies[i].joint) == 1 &&
                (std::isfinite(limits.lower) || std::isfinite(limits.upper)))
                work_.limited.push_back(i);
        }
    }

    /// Returns the largest violation of limits and fixed joints.
    double violation(const VectorX<S>& q) const {
        double worst = 0;
        for (const int i : work_.limited) {
            const double x = value_of(q[model_.bodies[i].q]);
            worst = std::max({worst, model_.limits[i].lower - x, x - model_.limits[i].upper});
        }
        for (const int i : work_.fixed) {
            const Body& body = model_.bodies[i];
            worst = std::max(
                worst, kernels::joint_distance(body.joint, work_.start.data() + body.q, q.data() + body.q));
        }
        return worst;
    }

    static void set_row(int row, Linearized<S>& at, int v, int sign) {
        if (at.G.cols() == 0) return;
        const bool moves = value_of(at.G.row(v).norm()) > immobile;
        at.program.C.col(row) = at.G.row(v) * static_cast<S>(moves ? sign : 0);
    }

    /// Sets the rows of limits and fixed joints at q, with G at q.
    void set_rows(const VectorX<S>& q, Linearized<S>& at) const {
        QuadraticProgram<S>& program = at.program;
        int row = 0;
        for (const int i : work_.fixed) {
            const Body& body = model_.bodies[i];
            S back[6];
            kernels::joint_difference(body.joint, q.data() + body.q, work_.start.data() + body.q, back);
            for (int j = 0; j < velocity_size(body.joint); ++j) {
                set_row(row, at, body.v + j, 1);
                program.b[row++] = back[j];
            }
        }
        program.equalities = row;
        for (const int i : work_.limited) {
            const Body& body = model_.bodies[i];
            const JointLimits& limits = model_.limits[i];
            if (std::isfinite(limits.lower)) {
                set_row(row, at, body.v, 1);
                program.b[row++] = static_cast<S>(limits.lower) - q[body.q];
            }
            if (std::isfinite(limits.upper)) {
                set_row(row, at, body.v, -1);
                program.b[row++] = q[body.q] - static_cast<S>(limits.upper);
            }
        }
        program.rows = row;
    }

    /// Computes G, D and the rows at q, whose embedding is in data.
    void set_metric(const VectorX<S>& q, Linearized<S>& at) const {
        read_embedding(model_, data_, at.G);
        at.D.setZero();
        add_products(at.G, work_.weights, at.D);
        set_rows(q, at);
    }

    /// Shortens the program's solution to the longest step.
    void shorten(Linearized<S>& at) const {
        double longest = 0;
        for (int i = 0; i < model_.body_count(); ++i) {
            const Body& body = model_.bodies[i];
            if (work_.counts[i] == 0) continue;
            for (int v = body.v; v < body.v + velocity_size(body.joint); ++v) {
                const S weighted = at.G.row(v).transpose().dot(at.program.x) * work_.weights[v];
                longest = std::max(longest, std::abs(value_of(weighted)));
            }
        }
        if (longest > options_.longest_step) at.program.x *= static_cast<S>(options_.longest_step / longest);
    }

    /// Moves q, closed, by the least motion to a configuration that satisfies limits and fixed joints.
    /// Returns false if none exists, or for the reason in result_.loops.
    bool restore(VectorX<S>& q, int most) {
        Linearized<S>& at = work_.there;
        for (int i = 0; i < most; ++i) {
            if (violation(q) <= kept) return true;
            result_.loops = constraint_embedding<S>(model_, data_, q, work_.still);
            if (!result_.loops.ok()) return false;
            set_metric(q, at);
            at.program.H = at.D;
            at.program.g.setZero();
            if (!at.program.factor() || !at.program.solve()) return false;
            shorten(at);
            result_.loops = integrate<S>(model_, data_, q, at.program.x, q);
            if (!result_.loops.ok()) return false;
        }
        return violation(q) <= kept;
    }

    /// Prepares the start of the next step, and computes the measure of stationarity.
    void linearize() {
        Linearized<S>& at = work_.here;
        set_metric(work_.q, at);
        objective_.linearize(work_.q.data());
        curvature_ = std::max(curvature_, objective_.curvature());
        for (Eigen::Index i = 0; i < work_.H.rows(); ++i)
            curvature_ = std::max(curvature_, value_of(work_.H(i, i)) / value_of(at.D(i, i)));
        at.program.H = at.D;
        at.program.g = work_.descent;
        result_.stationarity = 0;
        if (!(curvature_ > 0 && result_.cost > 0)) return;
        result_.stationarity = std::numeric_limits<double>::infinity();
        if (!at.program.factor() || !at.program.solve()) return;
        const double along = value_of(work_.descent.dot(at.program.x));
        result_.stationarity = std::sqrt(std::max(0., along) / (2 * result_.cost * curvature_));
    }

    /// Returns the decrease of the cost that the model predicts for the program's solution.
    double predicted() const {
        const VectorX<S>& x = work_.here.program.x;
        const S slope = work_.descent.dot(x);
        S bend = 0;
        for (Eigen::Index i = 0; i < x.size(); ++i)
            bend += x[i] * (S(2) * work_.H.row(i).head(i).transpose().dot(x.head(i)) + work_.H(i, i) * x[i]);
        return value_of(slope - S(0.5) * bend);
    }

    /// Tries steps with increasing λ until one decreases the cost, and moves work.q there. Returns false if
    /// none does.
    bool descend() {
        constexpr double least = 1e-12, most = 1e12;  // of λ
        constexpr double worth = 1e-4;                // of the decrease that the model predicts
        if (lambda_ == 0) lambda_ = options_.damping;
        while (result_.iterations < options_.iterations && lambda_ < most) {
            ++result_.iterations;
            result_.loops = {};
            if (try_step()) {
                const double gain = (result_.cost - trial_cost_) / promised_;
                const double noise =
                    noise_of_closing<S> * (result_.cost + std::sqrt(2 * result_.cost * curvature_));
                const bool level = promised_ <= 10 * noise && trial_cost_ <= result_.cost + noise;
                if (gain > worth || level) {
                    if (!level) lambda_ *= std::max(0.1, 1 - std::pow(2 * gain - 1, 3));
                    lambda_ = std::max(lambda_, std::max(least, 10 * rounding<S>));
                    growth_ = 2;
                    work_.q.swap(work_.trial);
                    return true;
                }
            }
            lambda_ *= growth_;
            growth_ *= 2;
        }
        return false;
    }

    /// Takes one step into work.trial that satisfies limits and fixed joints. Returns false if no step
    /// exists.
    bool try_step() {
        QuadraticProgram<S>& program = work_.here.program;
        program.H = work_.H + static_cast<S>(lambda_ * curvature_) * work_.here.D;
        program.g = work_.descent;
        if (!program.factor() || !program.solve()) return false;
        shorten(work_.here);
        promised_ = predicted();
        result_.loops = integrate<S>(model_, data_, work_.q, program.x, work_.trial);
        if (!result_.loops.ok()) return false;
        if (!restore(work_.trial, most_corrections)) return false;
        result_.loops = objective_.place(work_.trial.data());
        if (!result_.loops.ok()) return false;
        trial_cost_ = objective_.cost(work_.trial.data());
        return std::isfinite(trial_cost_);
    }

    const Model& model_;
    Workspace<S>& data_;
    typename Search<S>::Internal& work_;
    const SearchOptions& options_;
    Objective& objective_;
    SearchResult result_;
    double lambda_ = 0;  ///< relative to the curvature
    double growth_ = 2;  ///< factor of λ if the next step fails too
    /// The largest ratio of H to D in the search. If H vanishes, as for a stretched arm, the cost still has
    /// curvature.
    double curvature_ = 0;
    double promised_ = 0, trial_cost_ = 0;
};

}  // namespace search
}  // namespace grbda
