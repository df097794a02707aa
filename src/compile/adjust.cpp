#include "grbda/compile/build.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include <Eigen/Geometry>

#include "compile.hpp"
#include "closing/closure.hpp"
#include "closing/gauss_newton.hpp"

// Closes loops whose input contradicts itself slightly, by moving one frame of each loop. Levenberg–Marquardt
// on all joints of a cluster finds where the loops are least open: min over q of |φ(q)|², dimensionless, with
// weights so large that couplings hold. Frame Q of each loop then moves to where its rows vanish. At an inner
// minimum with |φ| > 0, Kᵀ φ = 0: either K is singular there (a chain stretched to its full length, which
// cannot move), or rows repeat each other where they are consistent (a linkage with one axis off).

namespace grbda::compile {
namespace {

constexpr double regular_pivot = 0.01;  ///< smallest pivot of K at a configuration from which loops can move
constexpr double coupling_weight = 1e3;

Eigen::Vector3d eigen(const Vector3<double>& a) { return {a.x, a.y, a.z}; }
Eigen::Matrix3d eigen(const Matrix3<double>& A) {
    Eigen::Matrix3d result;
    result << eigen(A.x), eigen(A.y), eigen(A.z);
    return result;
}

/// Displacement of frame Q: a rotation about its origin and a translation, in the axes of the successor.
struct Displacement {
    int loop = 0;
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
    Eigen::Vector3d way = Eigen::Vector3d::Zero();

    double angle() const { return Eigen::AngleAxisd(turn).angle(); }
};

/// Rotation of the unit vector b, in the plane of both, after which a · b is `cosine`.
Eigen::Matrix3d turn_to_angle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double cosine) {
    const Eigen::Vector3d across = a.cross(b), axis = across.norm() > 0 ? across : a.unitOrthogonal();
    const double now = std::atan2(across.norm(), a.dot(b));
    return Eigen::AngleAxisd(std::acos(cosine) - now, axis.normalized()).toRotationMatrix();
}

/// Computes the smallest displacement that closes loop l, in the common
/// frame; call it after constraint_rows(), while the loop is open.
Displacement closing_displacement(const Model& model, const Workspace<double>& data, int l) {
    const Loop& loop = model.loops[l];
    const LoopFrames<double>& f = data.loop_frames[l];
    const Eigen::Vector3d gap = eigen(f.r - f.p);
    Displacement result;
    result.loop = l;
    int row = loop.row;
    for (const LoopRow& each : rows_of(model, loop)) {
        switch (each.kind) {
            case RowKind::along:
            case RowKind::screw: {
                const Eigen::Vector3d axis = eigen(data.Psi[row].linear);
                result.way -= data.phi[row] * axis;
                break;
            }
            case RowKind::distance: result.way = gap * (loop.constant / gap.norm() - 1); break;
            case RowKind::length: result.way = -data.phi[row] * eigen(data.Psi[row].linear); break;
            case RowKind::turn: result.turn = eigen(f.P) * eigen(f.Q).transpose(); break;
            case RowKind::tilt: result.turn = turn_to_angle(eigen(f.P.x), eigen(f.Q.x), 1); break;
            case RowKind::angle:
                result.turn = turn_to_angle(eigen(f.P.x), eigen(f.Q.x), loop.constant);
                break;
        }
        ++row;
    }
    return result;
}

/// Computes displacements that close the loops of a cluster at q.
std::vector<Displacement> displacements(const Probe& probe, const JointPositions& q) {
    const Model& model = probe.model;
    Workspace<double>& data = probe.data;
    const Cluster& c = probe.c;
    put_joints(probe, q, data.trial);
    const auto base = kernels::place_alone(model, data, c, data.trial.data());
    kernels::constraint_rows<double, true>(model, data, c, base, data.trial.data());
    std::vector<Displacement> all;
    for (const int l : c.loops) {
        if (model.loops[l].rows == 0) continue;
        const Eigen::Matrix3d R =
            eigen(kernels::placement_of(data, c, base, model.loops[l].successor.body).R);
        Displacement d = closing_displacement(model, data, l);
        d.turn = R.transpose() * d.turn * R;
        d.way = R.transpose() * d.way;
        all.push_back(d);
    }
    return all;
}

Matrix3<double> turned(const Eigen::Matrix3d& turn, const Matrix3<double>& axes) {
    return {vector(turn * eigen(axes.x)), vector(turn * eigen(axes.y)), vector(turn * eigen(axes.z))};
}

/// Computes K of the cluster at q after its frames have moved.
Eigen::MatrixXd displaced_K(const Probe& probe, const std::vector<Displacement>& moves,
                            const JointPositions& q) {
    Bench bench(probe.draft);
    for (const Displacement& d : moves) {
        LoopEnd& end = bench.model.loops[d.loop].successor;
        end.position += vector(d.way);
        end.rotation = turned(d.turn, end.rotation);
    }
    return constraint_state({probe.draft, bench, probe.index}, q).K;
}

/// Weight of each row.
Eigen::VectorXd weights(const Probe& probe) {
    Eigen::VectorXd weight = Eigen::VectorXd::Ones(probe.c.rows);
    for (const int l : probe.c.couplings)
        weight[probe.model.couplings[l].row - probe.c.row_begin] = coupling_weight;
    return weight;
}

/// Minimizes |W φ|² with the weights W of the rows, by steps in the span of `along` [dofs × …].
struct LeastOpening {
    const Probe& probe;
    const Eigen::MatrixXd& along;
    Eigen::VectorXd weight;

    bool met(const ClosedState&) const { return false; }
    double cost(const ClosedState& now) const { return weight.cwiseProduct(now.phi).squaredNorm(); }
    Eigen::VectorXd step(const ClosedState& now, double damping) const {
        constexpr double longest = 0.5;
        const Eigen::MatrixXd A = linear::product(weight.asDiagonal() * now.K, along);
        const Eigen::VectorXd r = weight.cwiseProduct(now.phi);
        Eigen::VectorXd step = linear::product(along, linear::damped_step(A, r, damping));
        step *= std::min(1., longest / std::max(longest, step.cwiseAbs().maxCoeff()));
        return step;
    }
    ClosedState moved(const ClosedState& now, const Eigen::VectorXd& step) const {
        return constraint_state(probe, compile::moved(probe, now.q, step), true);
    }
    int patience(const ClosedState&) const { return 5; }
};

/// Minimizes |φ| from q, by steps in the span of `along` [dofs × …].
ClosedState least_open(const Probe& probe, const JointPositions& q, const Eigen::MatrixXd& along) {
    constexpr double hardly = 1e-13;
    LeastOpening problem{probe, along, weights(probe)};
    return closing::gauss_newton(problem, constraint_state(probe, q, true),
                                 {.most_steps = 1000,
                                  .damping = 1e-3,
                                  .decrease = 0.3,
                                  .least_damping = 1e-12,
                                  .largest_damping = 1e10,
                                  .progress = 1 - hardly});
}

/// Closes couplings alone, by the smallest steps.
struct CouplingClosing {
    const Probe& probe;

    int row(int coupling) const { return probe.model.couplings[coupling].row - probe.c.row_begin; }
    Eigen::VectorXd phi(const ClosedState& now) const {
        const Range& couplings = probe.c.couplings;
        Eigen::VectorXd phi(couplings.size());
        for (const int l : couplings) phi[l - couplings.first] = now.phi[row(l)];
        return phi;
    }
    bool met(const ClosedState& now) const {
        return probe.c.couplings.empty() || phi(now).cwiseAbs().maxCoeff() <= 0.01 * closed_residual;
    }
    Eigen::VectorXd step(const ClosedState& now, double) const {
        const Range& couplings = probe.c.couplings;
        Eigen::MatrixXd K(couplings.size(), probe.c.dofs);
        for (const int l : couplings) K.row(l - couplings.first) = now.K.row(row(l));
        return -linear::solve_least_squares(K, phi(now));
    }
    ClosedState moved(const ClosedState& now, const Eigen::VectorXd& step) const {
        return constraint_state(probe, compile::moved(probe, now.q, step), true);
    }
};

/// Closes couplings alone. Returns nothing if they contradict each other.
std::optional<JointPositions> with_couplings(const Probe& probe, const ClosedState& start) {
    CouplingClosing problem{probe};
    const ClosedState end = closing::gauss_newton(problem, start, {.most_steps = 19, .damping = 0});
    if (!problem.met(end)) return std::nullopt;
    return end.q;
}

/// Generic rank of K near q, whether or not the loops are closed there.
int rank_anywhere(const Probe& probe, const std::vector<Displacement>& moves, const JointPositions& q) {
    constexpr int samples = 4;
    std::mt19937_64 generator(13);
    std::uniform_real_distribution<double> unit(-0.5, 0.5);
    int rank = 0;
    for (int sample = 0; sample < samples; ++sample) {
        const Eigen::VectorXd step = drawn(probe, [&] { return unit(generator); });
        rank = std::max(
            rank, linear::numerical_rank(displaced_K(probe, moves, moved(probe, q, step)), negligible_pivot));
    }
    return rank;
}

/// A configuration that closes a cluster, and the displacements for it.
struct Adjusted {
    JointPositions q;
    std::vector<Displacement> moves;
    double size =
        0;  ///< norm of all, dimensionless; without the sines of turns, which are zero for opposed axes
};

double size_of(const Probe& probe, const std::vector<Displacement>& moves) {
    const double unit = probe.draft.sizes[probe.index];
    double square = 0;
    for (const Displacement& d : moves) square += d.way.squaredNorm() / (unit * unit) + d.angle() * d.angle();
    return std::sqrt(square);
}

std::optional<Adjusted> adjusted_at(const Probe& probe, const ClosedState& state) {
    std::optional<JointPositions> q = with_couplings(probe, state);
    if (!q) return std::nullopt;
    std::vector<Displacement> moves = displacements(probe, *q);
    const double size = size_of(probe, moves);
    return Adjusted{std::move(*q), std::move(moves), size};
}

/// Moves from a singular configuration along its motions, with the least displacement, to a regular one.
Adjusted regular_near(const Probe& probe, Adjusted least) {
    const int rank = rank_anywhere(probe, least.moves, least.q);
    const Eigen::MatrixXd K = displaced_K(probe, least.moves, least.q);
    if (linear::smallest_pivot(K, rank) >= regular_pivot) return least;
    const int sound = linear::numerical_rank(K, regular_pivot);
    const Eigen::MatrixXd free = linear::motions(K, sound), along = linear::row_space(K, sound);
    const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(probe.c.dofs, probe.c.dofs);
    std::mt19937_64 generator(17);
    std::normal_distribution<double> normal;
    for (const double amplitude : {0.05, 0.1, 0.2, 0.4}) {
        std::optional<Adjusted> best;
        for (int sample = 0; sample < 8; ++sample) {
            Eigen::VectorXd step(free.cols());
            for (double& each : step) each = normal(generator);
            step = linear::product(free, step);
            step *= amplitude / step.cwiseAbs().maxCoeff();
            // then along all motions: some loops are as little open there as at the minimum
            const ClosedState near = least_open(probe, moved(probe, least.q, step), along);
            for (const ClosedState& state : {near, least_open(probe, near.q, all)}) {
                const std::optional<Adjusted> other = adjusted_at(probe, state);
                if (!other || (best && other->size >= best->size)) continue;
                if (linear::smallest_pivot(displaced_K(probe, other->moves, other->q), rank) >= regular_pivot)
                    best = other;
            }
        }
        if (best) return *best;
    }
    return least;
}

std::optional<Adjusted> adjust(const Probe& probe, const JointPositions& start, const Assembly& assembly) {
    constexpr double much_less = 0.999;  // relative to the displacement from the start
    const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(probe.c.dofs, probe.c.dofs);
    std::optional<Adjusted> best;
    for (const JointPositions& q : {start, assembly.neutral.q}) {
        std::optional<Adjusted> next = adjusted_at(probe, least_open(probe, q, all));
        if (next && (!best || next->size < much_less * best->size)) best = std::move(next);
    }
    if (best) best = regular_near(probe, std::move(*best));
    return best;
}

void move_frames(const Probe& probe, const Adjusted& adjusted, Mechanism& mechanism,
                 Diagnostics& diagnostics) {
    constexpr double rounding = 1e-10;
    const Model& model = probe.model;
    for (Displacement d : adjusted.moves) {
        MechanismLoop& loop = mechanism.loops[model.loops[d.loop].source];
        if (d.way.norm() <= rounding) d.way.setZero();
        if (d.angle() <= rounding) d.turn.setIdentity();
        if (d.way.isZero(0) && d.turn.isIdentity(0)) continue;
        Pose& Q = loop.successor_placement;
        Q = {d.turn * Q.rotation, Q.translation + d.way};
        diagnostics.push_back({Severity::warning, Code::not_closed, loop.where,
                               Subject::of("loop", loop.name),
                               "a configuration that closes all loops of its cluster",
                               "none: its frame in the successor is moved by " + short_number(d.way.norm()) +
                                   " m and " + short_number(d.angle()) + " rad",
                               "these lengths, origins and axes contradict each other: correct them where "
                               "the file comes from"});
    }
    std::size_t place = 0;
    for (const int i : probe.c.joints) {
        const auto size = at(position_size(model.bodies[i].joint));
        const auto begin = adjusted.q.begin() + static_cast<std::ptrdiff_t>(place);
        mechanism.start[probe.draft.catalogue.names.joints[i]].assign(
            begin, begin + static_cast<std::ptrdiff_t>(size));
        place += size;
    }
}

}  // namespace
}  // namespace grbda::compile

namespace grbda {

void adjust_loops(const LoadOptions& options, Mechanism& mechanism, Diagnostics& diagnostics) {
    if (!options.adjust || mechanism.loops.empty() || has_errors(diagnostics)) return;
    Diagnostics unheard;  // build_model() repeats these findings
    const Mechanism given = mechanism;
    compile::Draft draft(given, unheard);
    compile::write_down(options, draft);
    if (has_errors(unheard)) return;
    compile::keep_rows(draft);
    compile::Bench bench(draft);
    const std::vector<compile::Start> starts = compile::starts_of(draft);
    for (int k = 0; k < bench.model.cluster_count(); ++k) {
        if (bench.model.clusters[k].loops.empty() || bench.model.clusters[k].rows == 0) continue;
        compile::Assembly assembly = compile::assemble({draft, bench, k}, starts);
        compile::drop_misfits(k, draft, bench, assembly);
        if (assembly.closed) continue;
        const compile::Probe probe(draft, bench, k);
        const auto adjusted =
            compile::adjust(probe, compile::joints_of(probe, draft.constants.neutral), assembly);
        if (adjusted) compile::move_frames(probe, *adjusted, mechanism, diagnostics);
    }
}

}  // namespace grbda
