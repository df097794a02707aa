#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "hold.hpp"
#include "closing/closure.hpp"
#include "kernels/body/whole_turns.hpp"

// The neutral configuration within the joint limits. Assembly ends at a configuration that closes the loops.
// If that one is outside the limits, whole turns are taken off first. Then the joints that miss their limits
// are pulled inside along the loops, from the configuration found and from a fixed sequence of starts that
// are drawn inside the limits, since another assembly mode may be the one that fits.

namespace grbda::compile {
namespace {

constexpr double whole_turn = 2 * M_PI;

/// A joint of the cluster with one coordinate and limits.
struct Limited {
    std::size_t place = 0;  ///< in JointPositions
    std::size_t dof = 0;    ///< in the cluster
    JointLimits limits;
    bool turns = false;  ///< whole turns change no body

    double excess(const JointPositions& q) const {
        return std::max({limits.lower - q[place], q[place] - limits.upper, 0.});
    }
    /// Nearest position that is well inside, or just inside where the figures of the file are only rounded.
    double inside(double x) const {
        constexpr double share = 0.05, most = 0.05, rounding = 1e-6;
        const bool is_rounded = x > limits.lower - rounding && x < limits.upper + rounding;
        const double margin = std::min(share * (limits.upper - limits.lower), is_rounded ? rounding : most);
        return std::min(std::max(x, limits.lower + margin), limits.upper - margin);
    }
};

/// Searches configurations of one cluster within the limits.
class LimitSearch {
public:
    LimitSearch(const Probe& probe, const Said& said, const Assembly& assembly)
        : probe_(probe), rank_(assembly.rank), from_(assembly.neutral) {
        if (said.any() && holds(probe, said, from_.q)) fixed_ = said.held;
        may_draw_ = !said.any() || !fixed_.empty();
        std::size_t place = 0, dof = 0;
        for (const int i : probe.c.joints) {
            const Body& body = probe.model.bodies[i];
            const JointLimits& limits = probe.draft.catalogue.limits[i];
            const bool bounded = std::isfinite(limits.lower) || std::isfinite(limits.upper);
            const bool fixed = !fixed_.empty() && fixed_[dof] != 0;
            if (position_size(body.joint) == 1 && bounded && !fixed && limits.lower <= limits.upper)
                limited_.push_back(
                    {place, dof, limits, closing::turns_freely(probe.model, probe.c, body, 0)});
            place += at(position_size(body.joint));
            dof += at(velocity_size(body.joint));
        }
    }

    bool fits(const JointPositions& q) const { return excess(q) == 0; }

    /// Returns the next configuration within the limits; nothing if the starts are used up.
    std::optional<ClosedState> next() {
        for (; tries_ <= most_tries(); ++tries_) {
            ClosedState state = tries_ == 0 ? from_ : close_from(probe_, start(), fixed_);
            if (tries_ == 0) {
                turn_back(state.q);
                if (fits(state.q)) return ++tries_, constraint_state(probe_, state.q);
            }
            state = pulled(std::move(state));
            if (!(state.residual <= closed_residual) || !fits(state.q)) continue;
            if (linear::numerical_rank(state.K) == rank_ &&
                linear::smallest_pivot(state.K, rank_) > negligible_pivot)
                return ++tries_, state;
        }
        return std::nullopt;
    }

private:
    /// Bounded by the work: a large cluster closes in a second.
    int most_tries() const {
        if (!may_draw_) return 0;
        constexpr double patience = 2e10, starts = 32;
        const Cluster& c = probe_.c;
        const double one = 600. * c.rows * c.rows * c.dofs;
        return static_cast<int>(std::clamp(patience / one, 2., starts));
    }

    double excess(const JointPositions& q) const {
        double sum = 0;
        for (const Limited& joint : limited_) sum += joint.excess(q);
        return sum;
    }

    void turn_back(JointPositions& q) const {
        for (const Limited& joint : limited_)
            if (joint.turns)
                q[joint.place] =
                    kernels::within_by_turns(q[joint.place], joint.limits.lower, joint.limits.upper);
    }

    /// A configuration with joints inside their limits, loops open.
    JointPositions start() {
        constexpr double most_slide = 1;  // sizes of the cluster, of a joint without limits
        std::uniform_real_distribution<double> unit(-1, 1);
        Eigen::VectorXd step = drawn(probe_, [&] { return unit(generator_); });
        for (Eigen::Index j = 0; j < step.size(); ++j) {
            const auto dof = static_cast<std::size_t>(probe_.c.dof_begin) + static_cast<std::size_t>(j);
            const bool slides = probe_.model.column_scale[dof] != 1;
            step[j] *= slides ? most_slide : M_PI;
            if (!fixed_.empty() && fixed_[static_cast<std::size_t>(j)]) step[j] = 0;
        }
        const Eigen::VectorXd share = drawn(probe_, [&] { return 0.5 * (1 + unit(generator_)); });
        JointPositions q = moved(probe_, from_.q, step);
        for (const Limited& joint : limited_) {
            const JointLimits& limits = joint.limits;
            const double lower = std::max(limits.lower, std::min(q[joint.place], limits.upper) - M_PI),
                         upper = std::min(limits.upper, lower + whole_turn);
            q[joint.place] = lower + (upper - lower) * share[static_cast<Eigen::Index>(joint.dof)];
        }
        return q;
    }

    /// Moves joints that miss their limits inside, as far as the loops allow.
    ClosedState pulled(ClosedState state) const {
        constexpr int rounds = 4;
        Said said{state.q, Table<char>(at(probe_.c.dofs), 0)};
        for (int round = 0; round < rounds && state.residual <= closed_residual; ++round) {
            turn_back(state.q);
            const double before = excess(state.q);
            if (before == 0) return constraint_state(probe_, state.q);
            said.q = state.q;
            for (const Limited& joint : limited_) {
                if (joint.excess(state.q) > 0) said.held[joint.dof] = 1;
                if (said.held[joint.dof]) said.q[joint.place] = joint.inside(state.q[joint.place]);
            }
            ClosedState nearer = least_change(probe_, said, state, fixed_);
            turn_back(nearer.q);
            if (round > 0 && !(excess(nearer.q) < before)) break;
            state = std::move(nearer);
        }
        return state;
    }

    const Probe& probe_;
    int rank_;
    ClosedState from_;
    Table<char> fixed_;  ///< per velocity: at the position that the robot's start gives; empty: none
    bool may_draw_ = true;
    std::vector<Limited> limited_;
    std::mt19937_64 generator_{17};
    int tries_ = 0;
};

}  // namespace

void choose_within_limits(const Probe& probe, Assembly& assembly) {
    Draft& draft = probe.draft;
    ClusterReport& report = draft.catalogue.reports[probe.index];
    const ClusterReport report_before = report;
    const std::ptrdiff_t findings = std::ssize(draft.diagnostics);
    const JointPositions own = joints_of(probe, draft.constants.neutral);
    choose_independents(probe, assembly);
    const Said said = said_of(probe, draft.mechanism.start, own);
    LimitSearch search(probe, said, assembly);
    if (search.fits(assembly.neutral.q)) return;
    const Assembly found = assembly;
    const ClusterReport report_found = report;
    const Table<int> chosen(draft.independents[probe.index].begin(), draft.independents[probe.index].end());
    const Diagnostics said_before(draft.diagnostics.begin() + findings, draft.diagnostics.end());
    const auto restart = [&](const ClusterReport& from) {
        draft.diagnostics.erase(draft.diagnostics.begin() + findings, draft.diagnostics.end());
        draft.independents[probe.index].clear();
        report = from;
    };
    while (std::optional<ClosedState> state = search.next()) {
        restart(report_before);
        assembly.neutral = std::move(*state);
        assembly.generic = states_around(probe, assembly.neutral);
        choose_independents(probe, assembly);
        if (search.fits(assembly.neutral.q) && report.neutral_conditioning > negligible_pivot) return;
    }
    restart(report_found);
    assembly = found;
    draft.independents[probe.index].assign(chosen.begin(), chosen.end());
    draft.diagnostics.insert(draft.diagnostics.end(), said_before.begin(), said_before.end());
}

}  // namespace grbda::compile
