#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "hold.hpp"
#include "loop_geometry.hpp"

// Numbers in files are rounded: the axes of a planar linkage written
// with 1.5708 for π/2 are not exactly parallel. Rows that would only
// repeat others then contradict them by about 1e-6, and would lock the
// linkage. Such rows show as pivots of K that are small everywhere; they
// are dropped if their residuals stay small wherever the others close.

namespace grbda::compile {
namespace {

/// The same for rows at a dead centre, as d (cos θ − 1) = 0: they
/// open by d θ²/2 along the motion that only rounding locks.
constexpr double dead_centre_misfit = 0.05;
constexpr double dead_centre_pivot = 1e-5;  ///< result of rounding to five digits; in Cassie 7e-6
constexpr double rounding_pivot =
    1e-11;  ///< for rows that repeat others exactly, where their loops are closed

/// Configurations that are closed except for rounded input, around a given one.
std::vector<ClosedState> nearly_closed(const Probe& probe, const ClosedState& best) {
    std::vector<ClosedState> states = states_around(probe, best, negligible_misfit);
    states.push_back(best);
    return states;
}

/// A linearly independent set of rows: first constraints of one row, then whichever adds most at all states.
Table<char> independent_rows(const Model& model, const Cluster& c, const std::vector<ClosedState>& states,
                             int rank) {
    std::vector<Eigen::MatrixXd> rest;  // the rows minus their components along those taken
    for (const ClosedState& state : states) rest.push_back(state.K);
    Table<char> taken(at(c.rows), 0);
    const auto gain = [&](int row) {
        double smallest = 1e300;
        for (const Eigen::MatrixXd& K : rest) smallest = std::min(smallest, K.row(row).norm());
        return smallest;
    };
    const auto take = [&](int row) {
        taken[row] = 1;
        for (Eigen::MatrixXd& K : rest) {
            const Eigen::RowVectorXd unit = K.row(row).normalized();
            K -= K * unit.transpose() * unit;
        }
    };
    int found = 0;
    const auto take_if_new = [&](int row) {
        if (gain(row) <= negligible_pivot) return;
        ++found;
        take(row);
    };
    for (const int l : c.couplings) {
        const int row = model.couplings[l].row - c.row_begin;
        take_if_new(row);
        taken[row] = 1;  // a coupling is never dropped
    }
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        int row = loop.row - c.row_begin;
        for (const LoopRow& each : rows_of(model, loop)) {
            if (each.kind == RowKind::distance || each.kind == RowKind::length) take_if_new(row);
            ++row;
        }
    }
    for (; found < rank; ++found) {
        int best = -1;
        for (int row = 0; row < c.rows; ++row)
            if (!taken[row] && (best < 0 || gain(row) > gain(best))) best = row;
        if (best < 0) break;
        take(best);
    }
    return taken;
}

template <class Law>
bool holds_at_all(const Assembly& assembly, const Law& law) {
    return law(assembly.neutral) && std::all_of(assembly.generic.begin(), assembly.generic.end(), law);
}

/// True if every state has pivots that are small but not zero: those of
/// rows that nearly repeat others. The rank may or may not count them.
bool has_small_pivots(const Assembly& assembly) {
    if (!assembly.closed) return assembly.neutral.residual <= negligible_misfit;
    return holds_at_all(assembly, [](const ClosedState& state) {
        return linear::numerical_rank(state.K, rounding_pivot) >
               linear::numerical_rank(state.K, negligible_pivot);
    });
}

/// True if all rows close, and those beyond the rank are at a dead centre in every state.
bool is_at_dead_centre(const Assembly& assembly, int rank) {
    return assembly.closed && holds_at_all(assembly, [&](const ClosedState& state) {
               return linear::numerical_rank(state.K, dead_centre_pivot) <= rank;
           });
}

/// True if some state is far enough from the neutral one: conditions that hold at both hold in between.
bool has_moved(const Probe& probe, const Assembly& assembly) {
    constexpr double good_way = 0.05;  // rad, or relative to the cluster's size
    return std::any_of(assembly.generic.begin(), assembly.generic.end(), [&](const ClosedState& state) {
        return (way_between(probe, assembly.neutral.q, state.q).cwiseAbs().array() > good_way).any();
    });
}

/// Reports the loops of a cluster that lose rows.
void report_misfit(const Probe& full, const Structure& reduced, double misfit) {
    SourceLocation where;
    Subject subject;
    std::vector<int> sources;
    int dropped = 0;
    for (const int l : full.c.loops) {
        const Loop& loop = full.model.loops[l];
        const int rows = loop.rows - reduced.loops[l].rows;
        if (rows == 0) continue;
        sources.push_back(loop.source);
        const std::string& name = full.draft.catalogue.names.loops[loop.source];
        if (dropped == 0) {
            where = full.draft.mechanism.loops[loop.source].where;
            subject = Subject::of("loop", name);
        } else {
            subject.text += ", '" + name + "'";
        }
        dropped += rows;
    }
    const std::vector<AxisFault> faults = axis_faults(full.draft.mechanism, sources);
    std::string axes;
    for (const AxisFault& fault : faults) axes += "; " + fault.difference;
    full.draft.diagnostics.push_back(
        {Severity::warning, Code::misfit, where, subject,
         "rows that repeat others exactly, or are independent of them",
         std::to_string(dropped) + (dropped == 1 ? " that contradicts" : " that contradict") +
             " the others by up to " + short_number(misfit) +
             " (rad, or relative to the cluster's size): left out" + axes,
         faults.empty() ? "rounded figures? give them all their digits, as 1.5707963267948966 for π/2"
                        : faults.front().hint});
}

/// Calls use(state) for closed configurations along straight displacements from one in all directions, until
/// it returns false. A displacement ends if loops open, or if modes meet and another might be entered.
template <class Use>
void walk(const Probe& probe, const ClosedState& from, int rank, const Use& use) {
    constexpr int ways = 6, steps = 20;
    constexpr double longest = 0.15;  // of a step, rad or relative to the cluster's size
    constexpr double regular = 0.01;  // smallest pivot: roughly the distance to where modes meet
    std::mt19937_64 generator(13);
    std::normal_distribution<double> normal;
    for (int way = 0; way < ways; ++way) {
        Eigen::VectorXd direction = drawn(probe, [&] { return normal(generator); });
        ClosedState state = from;
        for (int i = 0; i < steps; ++i) {
            const double pivot = linear::smallest_pivot(state.K, rank);
            if (!(pivot > regular)) break;
            const Eigen::MatrixXd N = linear::motions(state.K, rank);
            direction = N * (N.transpose() * direction);
            direction *= std::min(longest, pivot) / direction.cwiseAbs().maxCoeff();
            state = close_from(probe, moved(probe, state.q, direction));
            if (!(state.residual <= closed_residual)) break;
            if (!use(state)) return;
        }
    }
}

/// The part of φ that no motion of the joints removes: near a meeting of modes, dropped rows open further.
double contradiction(const ClosedState& state, int rank) {
    const Eigen::MatrixXd Q = linear::row_space(state.K.transpose(), rank);
    return (state.phi - Q * (Q.transpose() * state.phi)).cwiseAbs().maxCoeff();
}

/// Largest residual of the dropped rows where the others close, near
/// the start and far from it; infinite if it cannot be determined.
double misfit_of(const Probe& full, const Probe& reduced, const Assembly& without, int rank, double allowed) {
    constexpr double none = std::numeric_limits<double>::infinity();
    if (!without.closed || without.rank != rank || !has_moved(reduced, without)) return none;
    double misfit = 0;
    const auto measure = [&](const ClosedState& state) {
        const double left = constraint_state(full, state.q).residual;
        if (!(left <= misfit)) misfit = left;
    };
    measure(without.neutral);
    for (const ClosedState& state : without.generic) measure(state);
    walk(reduced, without.neutral, rank, [&](const ClosedState& state) {
        misfit = std::max(misfit, contradiction(constraint_state(full, state.q), rank));
        return misfit <= allowed;
    });
    return misfit;
}

}  // namespace

bool has_doubtful_rows(const ClusterReport& report, const Assembly& assembly) {
    constexpr double clear_pivot = 0.05;
    return report.misfit_rows > 0 || !assembly.closed || holds_at_all(assembly, [](const ClosedState& state) {
               return linear::numerical_rank(state.K, rounding_pivot) >
                      linear::numerical_rank(state.K, clear_pivot);
           });
}

void drop_misfits(int cluster, Draft& draft, Bench& bench, Assembly& assembly) {
    const Probe full(draft, bench, cluster);
    const Cluster& c = full.c;
    const bool locked = assembly.closed && assembly.rank == c.dofs;
    if (c.embedding != Embedding::implicit || !(locked || has_small_pivots(assembly))) return;
    const std::vector<ClosedState> states = nearly_closed(full, assembly.neutral);
    int rank = 0;
    for (const ClosedState& state : states)
        rank = std::max(rank, linear::numerical_rank(state.K, negligible_pivot));
    const bool clear = rank >= c.dofs || !has_small_pivots(assembly);  // a locked cluster: measured only
    if (clear && locked) rank = c.dofs - 1;
    if (rank >= c.rows || rank >= c.dofs) return;

    Table<char> kept(at(bench.model.rows), 1);
    const Table<char> own = independent_rows(bench.model, c, states, rank);
    std::copy(own.begin(), own.end(), kept.begin() + c.row_begin);
    const auto rows_before = draft.rows;
    drop_rows(bench.model, kept, draft);
    Bench reduced_bench(draft);
    const Probe reduced(draft, reduced_bench, cluster);
    std::vector<Start> start{{assembly.start, draft.constants.neutral}};
    put_joints(full, assembly.neutral.q, start.front().q);
    Assembly without = assemble(reduced, start);
    const double allowed = is_at_dead_centre(assembly, rank) ? dead_centre_misfit : negligible_misfit;
    const double worth_naming = locked ? dead_centre_misfit : allowed;
    const double misfit = misfit_of(full, reduced, without, rank, std::max(allowed, worth_naming));
    ClusterReport& report = draft.catalogue.reports[cluster];
    if (clear || !(misfit <= allowed)) {
        draft.rows = rows_before;
        if (locked && misfit <= worth_naming) report.misfit = misfit;
        return;
    }

    // rows with such a small residual do no harm, but are not constraints of their own either
    const bool consistent = assembly.closed && assembly.rank == rank && misfit <= closed_residual;
    if (!consistent) report_misfit(full, reduced.model, misfit);
    report.misfit = misfit;
    report.misfit_rows = c.rows - reduced.c.rows;
    assembly = std::move(without);
    bench = std::move(reduced_bench);
}

}  // namespace grbda::compile
