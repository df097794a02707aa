#pragma once

#include <cstring>
#include <limits>
#include <vector>

#include "grbda/batch/batch_data.hpp"
#include "support/robots.hpp"

// Many states of one robot as columns, for the laws of batches.

namespace batch_states {

using namespace test_robots;
using Eigen::MatrixXd;
using grbda::Simd;

inline constexpr int kStates = 21;  // five groups of four and one state, or two of eight and five states
inline constexpr int kDrawn = 4;    // closed configurations for them

inline std::vector<Simd> instruction_sets() {
    std::vector<Simd> found;
    for (const Simd simd : {Simd::scalar, Simd::portable, Simd::avx2, Simd::avx512})
        if (grbda::runs_here(simd)) found.push_back(simd);
    return found;
}

/// States as columns.
struct Columns {
    MatrixXd q, yd, ydd, tau, wrenches;

    Columns first(Eigen::Index n) const {
        return {q.leftCols(n), yd.leftCols(n), ydd.leftCols(n), tau.leftCols(n), wrenches.leftCols(n)};
    }
    /// Several copies of each state, under forces of their own.
    void replicate(int copies, Random& random) {
        for (MatrixXd* x : {&q, &yd, &ydd, &tau, &wrenches}) *x = x->replicate(1, copies).eval();
        tau += random_vector(random, tau.size()).reshaped(tau.rows(), tau.cols());
    }
};

/// Closed states of a robot; false if it has none.
inline bool draw(const grbda::Model& model, Random& random, Columns& columns) {
    std::vector<State> drawn(kDrawn);
    for (State& state : drawn)
        if (!random_state(model, random, state)) return false;
    columns.q.resize(model.nq, kStates);
    for (MatrixXd* x : {&columns.yd, &columns.ydd, &columns.tau}) x->resize(model.nv, kStates);
    columns.wrenches.resize(6 * model.body_count(), kStates);
    for (int i = 0; i < kStates; ++i) {
        const auto at = [&](int j) -> const State& { return drawn[static_cast<std::size_t>(j % kDrawn)]; };
        columns.q.col(i) = at(i).q;
        columns.yd.col(i) = at(i).yd;
        columns.ydd.col(i) = at(i / 2).ydd;
        columns.tau.col(i) = at(i / 3).tau;
        columns.wrenches.col(i) = at(i / 5).wrenches.reshaped();
    }
    return true;
}

/// States among which some are bad: singular, not finite, without a direction.
inline Columns spoilt(const grbda::Model& model, const Columns& columns) {
    Columns bad = columns;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (model.nq > 0) {
        bad.q.col(1).setZero();  // flat linkages, quaternions without a direction
        bad.q(model.nq - 1, 4) = nan;
        bad.q.col(10).setConstant(nan);
        bad.q.col(13).setConstant(std::numeric_limits<double>::infinity());
        bad.q.col(kStates - 1).setZero();
    }
    if (model.nv > 0) bad.tau(0, 17) = bad.ydd(0, 17) = nan;
    return bad;
}

inline bool same_bits(const MatrixXd& a, const MatrixXd& b) {
    return a.size() == b.size() &&
           (a.size() == 0 ||
            std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

/// Calls law(robot, columns, random) on each robot that has closed states.
template <class Law>
void on_every_robot(std::uint64_t seed, Law&& law) {
    std::size_t reached = 0;
    for (const Robot* robot : all()) {
        Random random(seed);
        Columns columns;
        INFO(robot->name << ", seed " << seed);
        if (!draw(robot->model, random, columns)) continue;
        law(robot->model, columns, random);
        ++reached;
    }
    CHECK(10 * reached >= 8 * all().size());
}

}  // namespace batch_states
