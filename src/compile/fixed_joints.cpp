#include "hold.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/body/configuration.hpp"

// Finds configurations that keep the positions that files give for some joints. Within a known
// assembly mode, these joints move in steps to their positions while the others follow; or all
// others are closed at once from where they are, or from a fixed sequence of random places. If
// the loops do not allow all positions, the nearest configuration is a least-squares problem
// on the closed ones: Gauss–Newton in the tangent space, and closing after each step (Absil,
// Mahony, Sepulchre, "Optimization Algorithms on Matrix Manifolds", 2008, Sec. 8.4). It does not use
// closing/gauss_newton.hpp, because its steps are constrained and end on closed configurations.

namespace grbda::compile {
namespace {

constexpr double whole_turns = 8 * M_PI;  ///< longer displacements are not followed step by step
constexpr int near_places = 8, far_places = 40;

bool is_closed(const ClosedState& state) { return state.residual <= closed_residual; }

/// Calls action(joint, index of its first position, of its first velocity) for each joint of the cluster.
template <class Action>
void each_joint(const Probe& probe, const Action& action) {
    std::size_t place = 0, dof = 0;
    for (const int i : probe.c.joints) {
        const JointType joint = probe.model.bodies[i].joint;
        action(joint, place, dof);
        place += at(position_size(joint));
        dof += at(velocity_size(joint));
    }
}

/// Returns q, but with positions from `from` for joints whose velocities are all held.
JointPositions with_held(const Probe& probe, JointPositions q, const JointPositions& from,
                         const Table<char>& held) {
    each_joint(probe, [&](JointType joint, std::size_t place, std::size_t dof) {
        const auto first = held.begin() + static_cast<std::ptrdiff_t>(dof);
        if (std::find(first, first + velocity_size(joint), 0) != first + velocity_size(joint)) return;
        const auto begin = static_cast<std::ptrdiff_t>(place);
        std::copy_n(from.begin() + begin, position_size(joint), q.begin() + begin);
    });
    return q;
}

/// Sets entries that are not marked to zero.
Eigen::VectorXd only(Eigen::VectorXd x, const Table<char>& marked) {
    for (Eigen::Index j = 0; j < x.size(); ++j)
        if (!marked[j]) x[j] = 0;
    return x;
}

double largest_entry(const Eigen::VectorXd& x) { return x.size() ? x.cwiseAbs().maxCoeff() : 0; }

}  // namespace

Said said_of(const Probe& probe, const std::map<std::string, std::vector<double>>& positions,
             const JointPositions& q) {
    Said said{q, {}};
    for (const int i : probe.c.joints) {
        const bool named = positions.count(probe.draft.catalogue.names.joints[i]) != 0;
        said.held.insert(said.held.end(), at(velocity_size(probe.model.bodies[i].joint)), named ? 1 : 0);
    }
    return said;
}

Said independent_part(const Probe& probe, const Said& said, const std::vector<int>& independents) {
    Said part{said.q, Table<char>(said.held.size(), 0)};
    for (const int j : independents) part.held[j] = said.held[j];
    each_joint(probe, [&](JointType joint, std::size_t, std::size_t dof) {
        const auto first = part.held.begin() + static_cast<std::ptrdiff_t>(dof);
        const auto last = first + velocity_size(joint);
        if (std::find(first, last, 0) != last) std::fill(first, last, char{0});
    });
    return part;
}

bool Said::any() const { return std::count(held.begin(), held.end(), 0) < std::ssize(held); }
bool Said::all() const { return std::count(held.begin(), held.end(), 0) == 0; }

JointPositions zero_of(const Probe& probe) {
    JointPositions q;
    for (const int i : probe.c.joints) {
        const JointType joint = probe.model.bodies[i].joint;
        q.insert(q.end(), at(position_size(joint)), 0);
        if (has_quaternion(joint)) q.back() = 1;
    }
    return q;
}

Eigen::VectorXd way_between(const Probe& probe, const JointPositions& from, const JointPositions& to) {
    Eigen::VectorXd out(probe.c.dofs);
    each_joint(probe, [&](JointType joint, std::size_t place, std::size_t dof) {
        double delta[6];
        kernels::joint_difference(joint, from.data() + place, to.data() + place, delta);
        for (std::size_t j = 0; j < at(velocity_size(joint)); ++j)
            out[static_cast<Eigen::Index>(dof + j)] =
                delta[j] / probe.model.column_scale[at(probe.c.dof_begin) + dof + j];
    });
    return out;
}

bool holds(const Probe& probe, const Said& said, const JointPositions& q) {
    return with_held(probe, q, said.q, said.held) == q;
}

std::optional<ClosedState> lead(const Probe& probe, const ClosedState& from, const Said& said) {
    constexpr double longest_step = 0.25, shortest_step = 1e-3;  // of the led joints, rad or sizes
    constexpr double longest_jump = 0.5;                         // of the other joints
    const Eigen::VectorXd whole = only(way_between(probe, from.q, said.q), said.held);
    const double length = largest_entry(whole);
    if (!(length <= whole_turns)) return std::nullopt;
    const Table<char> turning = turning_dofs(probe);
    const double most = length > longest_step ? longest_step / length : 1;
    ClosedState now = from;
    double reached = 0, step = most;
    while (reached < 1) {
        const double next = reached + step < 1 ? reached + step : 1;
        const JointPositions led = next < 1 ? moved(probe, from.q, next * whole) : said.q;
        ClosedState there = close_from(probe, with_held(probe, now.q, led, said.held), said.held);
        if (is_closed(there) &&
            largest_entry(only(way_between(probe, now.q, there.q), turning)) <= longest_jump) {
            now = std::move(there);
            reached = next;
            step = std::min(2 * step, most);
        } else {
            step /= 2;
            if (step * std::max(length, longest_step) < shortest_step) return std::nullopt;
        }
    }
    return now;
}

namespace {

/// Returns the marked columns of K.
Eigen::MatrixXd columns_of(const Eigen::MatrixXd& K, const Table<char>& marked) {
    Eigen::MatrixXd columns(K.rows(),
                            std::count_if(marked.begin(), marked.end(), [](char j) { return j != 0; }));
    Eigen::Index next = 0;
    for (Eigen::Index j = 0; j < K.cols(); ++j)
        if (marked[j]) columns.col(next++) = K.col(j);
    return columns;
}

/// Computes the shortest step along motions that K allows, K x = 0, that reduces the error of the
/// pulled velocities most. Velocities in `free` may move to allow that, all others are fixed.
Eigen::VectorXd pulling_step(const Eigen::MatrixXd& K, const Eigen::VectorXd& error,
                             const Table<char>& pulled, const Table<char>& free) {
    constexpr double hardly = 1e-6;  // pivots of velocities whose motion moves others 1e6 times as far
    const Eigen::MatrixXd K_p = columns_of(K, pulled), K_f = columns_of(K, free);
    Eigen::VectorXd p = -columns_of(error.transpose(), pulled).transpose();
    const Eigen::MatrixXd A =
        linear::null_space(K_f.transpose(), hardly).transpose() * K_p;  // rows that none frees
    const Eigen::MatrixXd B = linear::row_space(A, linear::numerical_rank(A));
    p -= B * (B.transpose() * p);
    const Eigen::MatrixXd F = linear::row_space(K_f, linear::numerical_rank(K_f, hardly));
    Eigen::VectorXd f = Eigen::VectorXd::Zero(K_f.cols());
    if (F.cols() > 0) f = F * linear::solve_least_squares(K_f * F, -(K_p * p));
    Eigen::VectorXd step = Eigen::VectorXd::Zero(K.cols());
    for (Eigen::Index j = 0, next_p = 0, next_f = 0; j < step.size(); ++j) {
        if (pulled[j])
            step[j] = p[next_p++];
        else if (free[j])
            step[j] = f[next_f++];
    }
    return step;
}

}  // namespace

ClosedState least_change(const Probe& probe, const Said& said, ClosedState now, const Table<char>& fixed) {
    constexpr int most_steps = 50;
    constexpr double worth_a_step = 1e-12, longest_step = 0.5;
    if (!is_closed(now)) return now;
    Table<char> pulled = said.held, free(said.held.size());
    for (std::size_t j = 0; j < fixed.size(); ++j) pulled[j] = pulled[j] && !fixed[j];
    for (std::size_t j = 0; j < free.size(); ++j) free[j] = !pulled[j] && (fixed.empty() || !fixed[j]);
    const auto pull = [&](const ClosedState& state) {
        return only(way_between(probe, said.q, state.q), pulled);
    };
    Eigen::VectorXd error = pull(now);
    for (int i = 0; i < most_steps && error.size() > 0; ++i) {
        Eigen::VectorXd step = pulling_step(now.K, error, pulled, free);
        const double size = largest_entry(step);
        if (!(size > worth_a_step)) break;
        if (size > longest_step) step *= longest_step / size;
        bool nearer = false;
        for (double portion = 1; !nearer && portion > 1e-3; portion /= 4) {
            ClosedState next = close_from(probe, moved(probe, now.q, portion * step), fixed);
            const Eigen::VectorXd left = pull(next);
            nearer = is_closed(next) && left.squaredNorm() < error.squaredNorm();
            if (!nearer) continue;
            now = std::move(next);
            error = left;
        }
        if (!nearer) break;
    }
    return now;
}

Holding::Holding(const Probe& probe, const Said& said, Table<ClosedState> near)
    : probe_(probe), said_(said), near_(std::move(near)), generator_(5) {
    std::erase_if(near_, [](const ClosedState& state) { return !is_closed(state); });
    constexpr double patience = 2e10;  // multiplications: some seconds; for clusters of hundreds of rows
    const double one_place = 200. * probe.c.rows * probe.c.rows * probe.c.dofs;
    const int places =
        static_cast<int>(std::clamp(patience / one_place, 2., double(near_places + far_places)));
    // with more given positions than can be led, they hold only at the end
    const auto held =
        static_cast<int>(std::count_if(said.held.begin(), said.held.end(), [](char j) { return j != 0; }));
    const bool leads = !near_.empty() && held <= probe.c.dofs - linear::numerical_rank(near_.front().K);
    if (!said.all())
        for (std::size_t i = 0; leads && i < near_.size(); ++i) tries_.push_back(static_cast<int>(i));
    tries_.push_back(at_once);
    if (!said.all() && probe.c.embedding != Embedding::constant)
        for (int i = 1; i <= places; ++i) tries_.push_back(at_once - i);
    std::reverse(tries_.begin(), tries_.end());
}

std::optional<ClosedState> Holding::next() {
    while (!tries_.empty()) {
        const int number = tries_.back();
        tries_.pop_back();
        if (number >= 0) {
            if (auto state = lead(probe_, near_[number], said_)) return state;
            continue;
        }
        JointPositions from = said_.q;
        if (number < at_once) {
            if (!near_.empty()) from = with_held(probe_, near_.front().q, said_.q, said_.held);
            const int place = at_once - number;
            std::uniform_real_distribution<double> unit(-1, 1);
            Eigen::VectorXd step =
                drawn(probe_, [&] { return (place <= near_places ? 0.1 * place : 3) * unit(generator_); });
            for (Eigen::Index j = 0; j < step.size(); ++j)
                if (said_.held[j]) step[j] = 0;
            from = moved(probe_, from, step);
        }
        ClosedState state =
            said_.all() ? constraint_state(probe_, from) : close_from(probe_, from, said_.held);
        if (is_closed(state)) return state;
    }
    return std::nullopt;
}

}  // namespace grbda::compile
