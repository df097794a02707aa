#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "hold.hpp"
#include "closing/closure.hpp"
#include "closing/gauss_newton.hpp"

// Assembly: many real robots do not close at zero, or are singular there. A
// damped Gauss–Newton method closes the coordinates of a cluster. It begins at
// the file's start, with the joints named there fixed; then it moves all
// joints, from the configurations that the files name and from a fixed sequence
// of other starts. Rank is determined at closed, generic configurations.

namespace grbda::compile {
namespace {

constexpr double tight_residual = 1e-14;
constexpr int most_iterations = 200;
constexpr double comfortable =
    0.02;  ///< smallest pivot of the dimensionless K that counts as far from singular

/// Shortens a dimensionless step so that velocities in nonlinear rows are half a radian at most.
void shorten(Eigen::VectorXd& step, const Table<char>& turning) {
    constexpr double longest = 0.5;
    double size = 0;
    for (Eigen::Index j = 0; j < step.size(); ++j)
        if (turning[j]) size = std::max(size, std::abs(step[j]));
    if (size > longest) step *= longest / size;
}

/// Closes one cluster by Gauss–Newton steps of all its velocities except those in `held`.
struct Closing {
    const Probe& probe;
    const std::vector<char>& held;
    Table<char> turning;

    bool met(const ClosedState& now) const { return now.residual <= tight_residual; }
    double cost(const ClosedState& now) const { return now.phi.squaredNorm(); }
    Eigen::VectorXd step(const ClosedState& now, double damping) const {
        Eigen::MatrixXd K = now.K;
        for (std::size_t j = 0; j < held.size(); ++j)
            if (held[j]) K.col(static_cast<Eigen::Index>(j)).setZero();
        Eigen::VectorXd step = linear::damped_step(K, now.phi, damping);
        shorten(step, turning);
        return step;
    }
    ClosedState moved(const ClosedState& now, const Eigen::VectorXd& step) const {
        return constraint_state(probe, compile::moved(probe, now.q, step));
    }
    /// With fixed joints, little progress means that the others do not close the loops.
    int patience(const ClosedState& now) const {
        if (now.residual <= closed_residual) return 1;
        return held.empty() ? most_iterations : 3;
    }
};

/// True if every joint of the cluster is within its limits.
bool within_limits(const Probe& probe, const JointPositions& q) {
    std::size_t place = 0;
    for (const int i : probe.c.joints) {
        const int size = position_size(probe.model.bodies[i].joint);
        const JointLimits& limits = probe.draft.catalogue.limits[i];
        if (size == 1 && (q[place] < limits.lower || q[place] > limits.upper)) return false;
        place += at(size);
    }
    return true;
}

Eigen::VectorXd random_step(const Probe& probe, std::mt19937_64& generator, double amplitude) {
    std::uniform_real_distribution<double> unit(-1, 1);
    return drawn(probe, [&] { return amplitude * unit(generator); });
}

/// Marks the velocities of the cluster that are fixed while couplings are closed:
/// those of joints that the robot's start names, and of joints that are not followers.
Table<char> leading_dofs(const Probe& probe, const Said& said) {
    const Model& model = probe.model;
    Table<char> leading(at(probe.c.dofs), 1);
    for (const int l : probe.c.couplings) {
        const MechanismTerm& follower =
            probe.draft.mechanism.couplings[model.couplings[l].source].terms.front();
        const int dof = model.bodies[probe.draft.body(follower.body)].dof + follower.component;
        leading[dof - probe.c.dof_begin] = said.held[dof - probe.c.dof_begin];
    }
    return leading;
}

/// Closes couplings without loops: K is constant, and one linear solve
/// suffices. Moves followers only if that is enough, otherwise all joints.
Assembly assemble_couplings(const Probe& probe, const JointPositions& q, const Table<char>& held) {
    Assembly assembly;
    assembly.neutral = close_from(probe, q, held);
    assembly.closed = assembly.neutral.residual <= closed_residual;
    assembly.rank = linear::numerical_rank(assembly.neutral.K);
    assembly.generic = {assembly.neutral};
    return assembly;
}

/// The best configuration of a cluster found so far.
class Search {
public:
    Search(const Probe& probe, const JointPositions& q) : probe_(probe) {
        best.neutral = constraint_state(probe, q);
    }

    /// Closes from q; returns true on success. Replaces `best` if the result is better.
    bool try_from(const JointPositions& q, const std::string& name) {
        return consider(close_from(probe_, q), name);
    }
    bool consider(ClosedState state, const std::string& name) {
        if (!(state.residual <= closed_residual)) {
            if (!best.closed && !(state.residual >= best.neutral.residual)) best.neutral = std::move(state);
            return false;
        }
        std::vector<ClosedState> generic = states_around(probe_, state);
        int rank = linear::numerical_rank(state.K);
        for (const ClosedState& other : generic) rank = std::max(rank, linear::numerical_rank(other.K));
        // prefers a pose within the limits, then one sufficiently far from singular
        const double value = std::min(comfortable, linear::smallest_pivot(state.K, rank)) +
                             (within_limits(probe_, state.q) ? 1 : 0);
        if (rank > best.rank || !best.closed || (rank == best.rank && value > value_)) {
            value_ = value;
            best = {true, std::move(state), std::move(generic), rank, name};
        }
        return true;
    }
    bool satisfied() const { return value_ >= 1 + comfortable; }
    bool within_all_limits() const { return value_ >= 1; }
    bool regular() const {
        const Eigen::MatrixXd& K = best.neutral.K;
        return best.closed && linear::numerical_rank(K) == best.rank &&
               linear::smallest_pivot(K, best.rank) > negligible_pivot;
    }

    Assembly best;

private:
    const Probe& probe_;
    double value_ = -1;
};

/// Closes with joints at the start, in the assembly mode of zero, else in the one nearest to the start, else
/// in any; otherwise as near to the start as the loops allow. Not closed if none is found or it is singular.
Assembly assemble_as_said(const Probe& probe, const Said& said, const Start& start) {
    const ClosedState zero = constraint_state(probe, zero_of(probe));
    ClosedState near = close_from(probe, joints_of(probe, start.q));
    Search held(probe, said.q);
    Holding holding(probe, said, {zero, near});
    while (!held.within_all_limits()) {
        std::optional<ClosedState> state = holding.next();
        if (!state) break;
        held.consider(std::move(*state), start.name);
    }
    if (held.regular()) return held.best;
    Search nearest(probe, said.q);
    if (near.residual <= closed_residual && !held.best.closed)
        nearest.consider(least_change(probe, said, std::move(near)), start.name);
    return nearest.regular() ? nearest.best : Assembly{};
}

}  // namespace

Table<int> in_user_order(const Probe& probe) {
    Table<int> order(at(probe.c.dofs));
    std::iota(order.begin(), order.end(), 0);
    const int* place = probe.model.v_index.data() + probe.c.dof_begin;
    std::sort(order.begin(), order.end(), [&](int a, int b) { return place[a] < place[b]; });
    return order;
}

JointPositions joints_of(const Probe& probe, const std::vector<double>& q) {
    JointPositions joints;
    for (const int i : probe.c.joints) {
        const Body& body = probe.model.bodies[i];
        const auto begin = q.begin() + body.q;
        joints.insert(joints.end(), begin, begin + position_size(body.joint));
    }
    return joints;
}

void put_joints(const Probe& probe, const JointPositions& joints, std::vector<double>& q) {
    auto from = joints.begin();
    for (const int i : probe.c.joints) {
        const Body& body = probe.model.bodies[i];
        std::copy_n(from, position_size(body.joint), q.begin() + body.q);
        from += position_size(body.joint);
    }
}

ClosedState constraint_state(const Probe& probe, const JointPositions& q, bool open) {
    const Model& model = probe.model;
    Workspace<double>& data = probe.data;
    const Cluster& c = probe.c;
    put_joints(probe, q, data.trial);
    const auto base = kernels::place_alone(model, data, c, data.trial.data());
    ClosedState state;
    state.q = q;
    state.residual = closing::cluster_residual(model, data, c, base, data.trial.data());
    state.phi.resize(c.rows);
    for (int r = 0; r < c.rows; ++r)
        state.phi[r] = data.phi[c.row_begin + r] * model.row_scale[c.row_begin + r];
    // mostly K as for closed loops: with the derivative of φ, far starts converge to false roots more often
    if (open)
        kernels::constraint_rows<double, true>(model, data, c, base, data.trial.data());
    else
        kernels::constraint_rows(model, data, c, base, data.trial.data());
    state.K.resize(c.rows, c.dofs);
    for (int r = 0; r < c.rows; ++r)
        for (int j = 0; j < c.dofs; ++j)
            state.K(r, j) = data.K[c.K_begin + r * c.dofs + j] * model.row_scale[c.row_begin + r] *
                            model.column_scale[c.dof_begin + j];
    return state;
}

Table<char> turning_dofs(const Probe& probe) {
    const Model& model = probe.model;
    const Cluster& c = probe.c;
    Table<char> turning(at(c.dofs), 0);
    for (const int l : c.loops)
        for (const int t : model.loops[l].terms) turning[model.loop_terms[t].dof - c.dof_begin] = 1;
    for (const int l : c.couplings) {
        if (model.couplings[l].linear()) continue;
        for (const int t : model.couplings[l].terms) turning[model.coupling_terms[t].dof - c.dof_begin] = 1;
    }
    return turning;
}

JointPositions moved(const Probe& probe, const JointPositions& q, const Eigen::VectorXd& step) {
    const Model& model = probe.model;
    const Cluster& c = probe.c;
    Table<double> scaled(at(c.dofs));
    for (int j = 0; j < c.dofs; ++j) scaled[j] = step[j] * model.column_scale[c.dof_begin + j];
    std::vector<double>& trial = probe.data.trial;
    put_joints(probe, q, trial);
    kernels::move_cluster(model, c, trial.data(), scaled.data(), 1, trial.data());
    return joints_of(probe, trial);
}

ClosedState close_from(const Probe& probe, const JointPositions& q, const std::vector<char>& held) {
    Closing problem{probe, held, turning_dofs(probe)};
    return closing::gauss_newton(problem, constraint_state(probe, q),
                                 {.most_steps = most_iterations,
                                  .damping = 1e-6,
                                  .decrease = 0.2,
                                  .least_damping = 1e-15,
                                  .largest_damping = 1e8,
                                  .progress = 0.9999});
}

std::vector<ClosedState> states_around(const Probe& probe, const ClosedState& from, double residual) {
    constexpr int wanted = 3;
    std::vector<ClosedState> states;
    std::mt19937_64 generator(11);
    for (const double amplitude : {0.4, 0.4, 0.4, 0.2, 0.2, 0.1, 0.1, 0.05, 0.02, 0.01}) {
        if (static_cast<int>(states.size()) == wanted) break;
        const Eigen::VectorXd step = random_step(probe, generator, amplitude);
        ClosedState state = close_from(probe, moved(probe, from.q, step));
        if (state.residual <= residual) states.push_back(std::move(state));
    }
    return states;
}

Assembly assemble(const Probe& probe, const std::vector<Start>& starts) {
    const Cluster& c = probe.c;
    const JointPositions own = joints_of(probe, starts.front().q);
    const Said said =
        said_of(probe, probe.draft.mechanism.start, joints_of(probe, probe.draft.constants.neutral));
    const bool constant = c.embedding == Embedding::constant;
    if (constant) {
        Assembly assembly = assemble_couplings(probe, own, leading_dofs(probe, said));
        if (assembly.closed) return assembly;
    }
    if (said.any()) {
        Assembly assembly = assemble_as_said(probe, said, starts.front());
        if (assembly.closed) return assembly;
    }
    if (constant) return assemble_couplings(probe, own, {});

    Search search(probe, own);
    std::vector<JointPositions> tried;
    for (const Start& start : starts) {
        JointPositions q = joints_of(probe, start.q);
        if (std::find(tried.begin(), tried.end(), q) != tried.end())
            continue;  // the start names no joint of this cluster
        search.try_from(q, start.name);
        if (search.satisfied()) return search.best;
        tried.push_back(std::move(q));
    }
    // small steps from the results of the starts (a flat linkage leaves its singular pose), then far ones
    constexpr int near_steps = 8, far_steps = 51;
    constexpr double patience =
        2e11;  // multiplications: a minute or two; reached by clusters of hundreds of rows
    const double one_step = double(most_iterations) * c.rows * c.rows * c.dofs;
    const int steps = static_cast<int>(std::clamp(patience / one_step, 2., double(near_steps + far_steps)));
    std::mt19937_64 generator(5);
    random_step(probe, generator, 0);
    for (int step = 1; step <= steps && !search.satisfied(); ++step) {
        const double amplitude = step <= near_steps ? 0.1 * step : 3;
        const JointPositions& from = search.best.closed ? search.best.neutral.q : own;
        const bool closed =
            search.try_from(moved(probe, from, random_step(probe, generator, amplitude)), search.best.start);
        if (step > near_steps && closed) break;
    }
    return search.best;
}

}  // namespace grbda::compile
