#pragma once

#include <vector>

#include <oneapi/tbb/enumerable_thread_specific.h>

#include "dynamics.hpp"

// Iterative LQR with limits of τ, on the steps and costs of dynamics.hpp.
//   derivatives   at all time steps, over the threads of oneTBB, with one workspace each
//   Riccati       backward pass: Q, and δτ = k + K δx with u_min ≤ τ + k ≤ u_max by projected Newton steps
//   rollout       τ + α k + K δx along the closed manifold, α halved until the cost decreases sufficiently
// source  Tassa, Erez & Todorov 2012; Tassa, Mansard & Todorov 2014 for limits

namespace mpc {

struct Problem {
    double step = 0.02;       ///< s
    Vector tau_limit;         ///< |τ| ≤, N·m
    std::vector<Cost> costs;  ///< for each state, one more than there are steps
};

struct Options {
    Derivatives derivatives = Derivatives::exact;
    int iterations = 200;
    double tolerance = 1e-11;  ///< relative decrease of the cost that an iteration must predict to continue
    bool parallel = true;
};

/// τ and the resulting motion. Kept from one call to the next, it is the warm start.
struct Plan {
    std::vector<State> x;   ///< one more than there are steps
    std::vector<Vector> u;  ///< one for each step
    std::vector<Matrix> K;  ///< feedback δτ = K δx
    double cost = 0;
};

/// Returns the plan shifted by one step: the last step is repeated.
void shift(Plan& plan);

struct Report {
    int iterations = 0;
    bool converged = false, failed = false;             ///< failed: the start cannot be rolled out
    double first_cost = 0;                              ///< of the initial plan
    double derivatives = 0, riccati = 0, rollouts = 0;  ///< s
    double engine = 0;                                  ///< s in grbda, sum over all threads
    double work = 0;  ///< s in derivatives, Riccati and rollouts, sum over all threads

    Report& operator+=(const Report& other);
};

class Solver {
public:
    Solver(const grbda::Model& model, const Options& options);

    /// Improves `plan`, which must contain at least τ of each step, from this state on.
    Report solve(const Problem& problem, const State& start, Plan& plan);

private:
    bool derivatives(const Problem& problem, const Plan& plan);
    bool riccati(const Problem& problem, const Plan& plan);
    bool rollout(const Problem& problem, const State& start, const Plan& plan, double part, Plan& to);
    bool search(const Problem& problem, const State& start, Plan& plan);
    double promised(double part) const { return -part * (slope_ + part * curvature_); }
    double engine_seconds();

    Options options_;
    oneapi::tbb::enumerable_thread_specific<Dynamics> dynamics_;
    oneapi::tbb::enumerable_thread_specific<double> busy_;
    std::vector<Expansion> knots_;
    std::vector<Vector> k_;
    std::vector<Matrix> K_;
    Plan trial_;
    double slope_ = 0, curvature_ = 0;  ///< of the cost along k
    double damping_ = 0;                ///< added to the diagonal of Q_uu, relative to its largest entry
};

}  // namespace mpc
